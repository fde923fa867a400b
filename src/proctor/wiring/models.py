"""Models by name, each connected once and wrapped with limits, retries, budget, cache and meter."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from proctor import registry
from proctor.config import Config, RunSettings, cache_folder, expand
from proctor.core.chat import Usage
from proctor.core.decode import closest, decode
from proctor.core.errors import ConfigError, MalformedError, NotFoundError
from proctor.core.report import Spend
from proctor.core.sockets import Cache, Http, Kit, Model
from proctor.models.wrap.budget import Budget
from proctor.wiring.model_spec import identity_of

if TYPE_CHECKING:
    from proctor.models.wrap.limit import Limiter
    from proctor.models.wrap.stop_switch import StopSwitch
    from proctor.wiring.model_wrappers import ModelWrappers, Wrapping

__all__ = ["ModelPool", "check_model", "chosen_model", "split_spec"]


@dataclass(slots=True, kw_only=True)
class ModelPool:
    """The models of one run; each is connected once, on first use.

    ``log`` keeps every reply of this run, so that a resumed run repeats no call. ``cache`` is the project's cache, used
    only on request. ``switch`` ends the asking at once, for a user who stops the work.
    """

    config: Config
    run: RunSettings
    http: Http
    log: Cache | None = None
    resumed: bool = False
    cache: Cache | None = None
    budget: Budget | None = None
    switch: StopSwitch | None = None
    _wires: dict[str, Model] = field(default_factory=dict)
    _identities: dict[str, str] = field(default_factory=dict)
    _built: dict[tuple[str, str], Model] = field(default_factory=dict)
    _made_wrappers: ModelWrappers | None = None

    def __post_init__(self) -> None:
        if self.run.budget is not None and self.budget is None:
            self.budget = Budget(money=self.run.budget)

    def get(self, name: str | None, *, role: str = "target") -> Model:
        """Return the model of that name, or the default one, with all wrappers.

        Raises:
            ConfigError: there is no such model, or its settings are wrong.
        """
        chosen = chosen_model(self.config, name, role)
        built = self._built.get((chosen, role))
        if built is None:
            built = self._built[chosen, role] = self._wrapped(chosen, role)
        return built

    def wire(self, name: str) -> Model:
        """Return the model of that name without wrappers, for requests that are not chat calls, such as uploads.

        Raises:
            ConfigError: there is no such model, or its settings are wrong.
        """
        self.get(name)
        return self._wires[name]

    def limiter(self, name: str) -> Limiter:
        """Return the limiter of the model of that name.

        Raises:
            ConfigError: there is no such model, or its settings are wrong.
        """
        wire = self.wire(name)
        return self._wrappers().limiter_of(wire, self._identities[name])

    def specs(self) -> dict[str, str]:
        """Return the models connected so far, each with a hash of the settings that decide its answers."""
        return {name: f"{wire.name}#{self._identities[name]}" for name, wire in self._wires.items()}

    async def close(self) -> None:
        """Close the connections of the models."""
        for wire in self._wires.values():
            if closing := getattr(wire, "close", None):
                await closing()

    def spend(self) -> tuple[Spend, ...]:
        """Return the cost so far, by model and role."""
        return self._made_wrappers.meter.spend() if self._made_wrappers else ()

    def price(self, name: str, usage: Usage) -> float | None:
        """Return the cost of this usage of a model; ``None`` if its price is unknown. Needs no API key.

        Raises:
            ConfigError: there is no such model.
        """
        wrapping, settings, provider = self._settings(name)
        try:
            wire = self._wires.get(name) or self._connect(name, provider, settings)
        except ConfigError:
            return self._wrappers().price(f"{provider}:{settings.get('model')}", usage)
        found = self._wrappers().prices_of(wire, wrapping).find(wire.name)
        return found.of(usage) if found is not None else None

    def price_of(self, wire_name: str, usage: Usage) -> float | None:
        """Return the cost of this usage by the name of the model's wire, as spend is recorded."""
        for name, wire in self._wires.items():
            if wire.name == wire_name:
                return self.price(name, usage)
        return self._wrappers().price(wire_name, usage)

    def notes(self) -> list[str]:
        """Return problems that did not affect answers, such as a cache that could not be written."""
        notes = self._made_wrappers.notes() if self._made_wrappers else []
        if self.refused:
            notes.append(f"the budget refused {self.refused} calls; a resumed run makes them when the budget is raised")
        return notes

    @property
    def refused(self) -> int:
        """Return the number of calls that the budget refused."""
        return self.budget.refused if self.budget is not None else 0

    def concurrency(self) -> list[dict[str, Any]]:
        """Return how the limits changed over time, for the run's record; constant limits are left out."""
        return self._made_wrappers.concurrency() if self._made_wrappers else []

    def _wrappers(self) -> ModelWrappers:
        if self._made_wrappers is None:
            from proctor.wiring.model_wrappers import ModelWrappers  # noqa: PLC0415 - many runs ask no model

            self._made_wrappers = ModelWrappers(
                config=self.config,
                run=self.run,
                log=self.log,
                resumed=self.resumed,
                cache=self.cache,
                budget=self.budget,
                switch=self.switch,
            )
        return self._made_wrappers

    def _wrapped(self, name: str, role: str) -> Model:
        wrapping, settings, provider = self._settings(name)
        wire = self._wires.get(name)
        if wire is None:
            wire = self._wires[name] = self._connect(name, provider, settings)
            self._identities[name] = identity_of(wire, provider, settings)
        return self._wrappers().wrap(wire, wrapping, role, self._identities[name])

    def _settings(self, name: str) -> tuple[Wrapping, dict[str, Any], str]:
        from proctor.wiring.model_wrappers import Wrapping  # noqa: PLC0415 - many runs ask no model

        written = self.config.settings.models.get(name, name)
        where = f"models.{name}"
        file = str(self.config.path) if self.config.path else None
        entry = dict(written) if isinstance(written, Mapping) else {"model": written}
        try:
            entry = expand(entry, self.config.environment, ("models", name))
        except MalformedError as error:
            raise MalformedError(error.problems, file=file) from error
        provider = entry.pop("provider", None)
        if provider is None:
            provider, entry["model"] = split_spec(str(entry.get("model") or ""), self._known(), where)
        keys = Wrapping.__dataclass_fields__
        common = {key: entry.pop(key) for key in list(entry) if key in keys}
        try:
            return decode(Wrapping, common, strict=True, file=file), entry, str(provider)
        except MalformedError as error:
            raise ConfigError(f"{where}: {error.message}", file=file, field=error.field, hint=error.hint) from error

    def _known(self) -> list[str]:
        return list(self.config.settings.models)

    def _connect(self, name: str, provider: str, settings: Mapping[str, Any]) -> Model:
        kit = Kit(
            name=name,
            settings=settings,
            folder=str(self.config.folder),
            env=self.config.environment.get,
            http=self.http,
            model=self.get,
            cache=str(cache_folder(self.config.environment)),
        )
        _find_provider(name, provider)
        model: Model = registry.connect("models", provider, kit)
        return model


def chosen_model(config: Config, name: str | None, role: str) -> str:
    """Return the name of the model for a role; without a name it is the project's judge or model.

    Raises:
        ConfigError: none is set.
    """
    settings = config.settings
    chosen = name or (settings.judge if role == "judge" else settings.model)
    if chosen is None:
        what = "judge" if role == "judge" else "model"
        raise ConfigError(
            f"no {what} is set",
            hint=f"name one with --{what}, or as `{what}:` in proctor.yaml (e.g. openai:gpt-5-mini)",
        )
    return chosen


def check_model(config: Config, name: str) -> None:
    """Check that a model is one of the project's or names a provider. Needs no API key and connects nothing.

    Raises:
        ConfigError: there is no such model.
        MalformedError: a variable in its name is not set.
    """
    written = config.settings.models.get(name, name)
    entry = dict(written) if isinstance(written, Mapping) else {"model": written}
    named = {key: entry[key] for key in ("provider", "model") if key in entry}
    named = expand(named, config.environment, ("models", name))
    provider = named.get("provider")
    if provider is None:
        provider, _ = split_spec(str(named.get("model") or ""), list(config.settings.models), f"models.{name}")
    _find_provider(name, str(provider))


def _find_provider(name: str, provider: str) -> None:
    try:
        registry.find("models", provider)
    except NotFoundError as error:  # models are named by flags and settings, never by a suite
        raise ConfigError(f"{name!r} names no provider: {error.message}", hint=error.hint) from error


def split_spec(spec: str, aliases: list[str], where: str) -> tuple[str, str]:
    """Split ``provider:model``; any other text is an unknown name."""
    provider, colon, model = spec.partition(":")
    if colon and provider and model:
        return provider, model
    guess = closest(spec, aliases)
    raise ConfigError(
        f"no model is called {spec!r}" if spec else f"{where} names no model",
        hint=f"did you mean {guess!r}?" if guess else "write provider:model, e.g. openai:gpt-5-mini or local:smollm2",
    )


def __getattr__(name: str) -> Any:
    if name == "Rack":  # documented until ModelPool replaced it
        new = f"{__name__}.ModelPool"
        warnings.warn(f"{__name__}.Rack is now {new}; it goes in the next version", DeprecationWarning, stacklevel=2)
        return ModelPool
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
