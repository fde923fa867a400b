"""Models by name: the wire from its factory, inside the wrappers every call goes through."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from proctor import registry
from proctor.config import Config, Price, RunSettings, cache_folder, expand
from proctor.core.chat import Usage
from proctor.core.codec import content_id, encode
from proctor.core.decoding import closest, decode
from proctor.core.errors import ConfigError, MalformedError, NotFoundError
from proctor.core.report import Spend
from proctor.core.sockets import Cache, Http, Kit, Model
from proctor.models.prices import Prices
from proctor.models.wrap.budget import Budget, Budgeted, price_hint, unpriced
from proctor.models.wrap.cache import Cached, Sharing
from proctor.models.wrap.limit import Limited, Limiter
from proctor.models.wrap.meter import Meter, Metered
from proctor.models.wrap.pace import Pace, Paced, parse_rate
from proctor.models.wrap.price import Priced
from proctor.models.wrap.quota import Quota
from proctor.models.wrap.retry import Retrying

__all__ = ["Rack", "Wrapping", "split_spec"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapping:
    """What proctor.yaml may say of any model, whatever its provider."""

    concurrency: int | None = None
    rate: str | None = None
    attempts: int = 6
    price: Price | None = None


@dataclass(slots=True, kw_only=True)
class Rack:
    """The models of one run: each is connected once, when it is first asked for.

    ``log`` keeps every answer of this run, so that a resumed run repeats no call; ``cache`` is the
    project's, and is used only when the user asked for it.
    """

    config: Config
    run: RunSettings
    http: Http
    log: Cache | None = None
    resumed: bool = False
    cache: Cache | None = None
    meter: Meter = field(default_factory=Meter)
    budget: Budget | None = None
    _wires: dict[str, Model] = field(default_factory=dict)
    _limiters: dict[tuple[str, str | None], Limiter] = field(default_factory=dict)
    _quotas: dict[str, Quota] = field(default_factory=lambda: defaultdict(Quota))
    _sharing: dict[int, Sharing] = field(default_factory=lambda: defaultdict(Sharing))
    _built: dict[tuple[str, str], Model] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.run.budget is not None and self.budget is None:
            self.budget = Budget(money=self.run.budget)

    def get(self, name: str | None, *, role: str = "target") -> Model:
        """The model of that name, or the default one, with everything wrapped around it.

        Raises:
            ConfigError: there is no such model, or its settings are wrong.
        """
        chosen = self._chosen(name, role)
        built = self._built.get((chosen, role))
        if built is None:
            built = self._built[chosen, role] = self._wrapped(chosen, role)
        return built

    def wire(self, name: str) -> Model:
        """The model of that name with nothing wrapped around it: for what is no question, such as an upload.

        Raises:
            ConfigError: there is no such model, or its settings are wrong.
        """
        self.get(name)
        return self._wires[name]

    def limiter(self, name: str) -> Limiter:
        """The limiter of the model of that name.

        Raises:
            ConfigError: there is no such model, or its settings are wrong.
        """
        wire = self.wire(name)
        return self._limiters[content_id(dict(_spec(wire))), _quota_of(wire)]

    def specs(self) -> dict[str, str]:
        """The models connected so far, each with a hash of what decides its answers."""
        return {name: f"{wire.name}#{content_id(dict(_spec(wire)))}" for name, wire in self._wires.items()}

    async def close(self) -> None:
        """Let go of what the wires hold."""
        for wire in self._wires.values():
            if closing := getattr(wire, "close", None):
                await closing()

    def spend(self) -> tuple[Spend, ...]:
        """What has been spent so far, by model and role."""
        return self.meter.spend()

    def price(self, name: str, usage: Usage) -> float | None:
        """What so many tokens of a model cost; ``None`` when its price is not known. A key need not be set yet.

        Raises:
            ConfigError: there is no such model.
        """
        wrapping, settings, provider = self._settings(name)
        try:
            wire = self._wires.get(name) or self._connect(name, provider, settings)
        except ConfigError:
            known = Prices.default().extended({each: encode(own) for each, own in self.config.settings.prices.items()})
            found = known.find(f"{provider}:{settings.get('model')}")
        else:
            found = self._prices(wire, wrapping).find(wire.name)
        return found.of(usage) if found is not None else None

    def price_of(self, wire_name: str, usage: Usage) -> float | None:
        """What so many tokens cost of a model known by its wire's name, as spend is recorded."""
        for name, wire in self._wires.items():
            if wire.name == wire_name:
                return self.price(name, usage)
        known = Prices.default().extended({each: encode(own) for each, own in self.config.settings.prices.items()})
        found = known.find(wire_name)
        return found.of(usage) if found is not None else None

    def notes(self) -> list[str]:
        """What went wrong beside the answers: a cache that could not be written, say."""
        notes = [note for sharing in self._sharing.values() for note in sharing.notes]
        if self.refused:
            notes.append(f"the budget refused {self.refused} calls; a resumed run makes them when the budget is raised")
        return notes

    @property
    def refused(self) -> int:
        """Calls that the budget refused."""
        return self.budget.refused if self.budget is not None else 0

    def concurrency(self) -> list[dict[str, Any]]:
        """How the limits moved over time, for the run's record; limits that never moved are left out."""
        return [
            {"model": limiter.name, "history": [list(step) for step in limiter.history]}
            for limiter in sorted(self._limiters.values(), key=lambda limiter: limiter.name)
            if len(limiter.history) > 1
        ]

    def _chosen(self, name: str | None, role: str) -> str:
        settings = self.config.settings
        chosen = name or (settings.judge if role == "judge" else settings.model)
        if chosen is None:
            what = "judge" if role == "judge" else "model"
            raise ConfigError(
                f"no {what} is set",
                mend=f"name one with --{what}, or as `{what}:` in proctor.yaml (e.g. openai:gpt-5-mini)",
            )
        return chosen

    def _wrapped(self, name: str, role: str) -> Model:
        from proctor.models.structured import Structured  # noqa: PLC0415 - loads jsonschema_rs; most runs ask no model

        wrapping, settings, provider = self._settings(name)
        wire = self._wires.get(name)
        if wire is None:
            wire = self._wires[name] = self._connect(name, provider, settings)
        identity = content_id(dict(_spec(wire)))
        prices = self._prices(wire, wrapping)
        self._refuse_unpriced(wire, prices)
        model: Model = Limited(
            model=Priced(model=wire, prices=prices),
            limiter=self._limiter(wire, identity, wrapping),
        )
        if rate := wrapping.rate or self.run.rate:
            model = Paced(model=model, pace=Pace(parse_rate(rate)))
        model = Retrying(model=model, attempts=wrapping.attempts, random=random.Random(self.run.seed))  # noqa: S311 - jitter
        if self.budget is not None:
            model = Budgeted(model=model, budget=self.budget)
        if self.cache is not None and self.run.cache != "off":
            model = self._cached(model, self.cache, identity, refresh=self.run.cache == "refresh")
        if self.log is not None:
            # A first leg only writes the log: two equal questions in one run are two questions.
            model = self._cached(model, self.log, identity, refresh=not self.resumed)
        # Inside the check of JSON, so that an answer that was of no use is counted like any other: it was paid for.
        return Structured(Metered(model=model, meter=self.meter, role=role))

    def _refuse_unpriced(self, wire: Model, prices: Prices) -> None:
        """A budget in dollars cannot be kept for a model without a price: say so before anything is asked."""
        if self.budget is None or self.budget.money is None or getattr(wire, "tells_cost", False):
            return
        if prices.find(wire.name) is None:
            file = str(self.config.path) if self.config.path else None
            raise ConfigError(unpriced(wire.name), file=file, field="prices", mend=price_hint(wire.name))

    def _cached(self, model: Model, cache: Cache, identity: str, *, refresh: bool) -> Model:
        mode: Literal["use", "refresh"] = "refresh" if refresh else "use"
        return Cached(model=model, cache=cache, identity=identity, mode=mode, sharing=self._sharing[id(cache)])

    def _settings(self, name: str) -> tuple[Wrapping, dict[str, Any], str]:
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
            raise ConfigError(f"{where}: {error.message}", file=file, field=error.field, mend=error.mend) from error

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
        try:
            make = registry.load("models", provider)
        except NotFoundError as error:  # the model was named by a flag or in the settings, never by a suite
            raise ConfigError(f"{name!r} names no provider: {error.message}", mend=error.mend) from error
        model: Model = make(kit)
        return model

    def _prices(self, wire: Model, wrapping: Wrapping) -> Prices:
        extra = {name: encode(price) for name, price in self.config.settings.prices.items()}
        if wrapping.price:
            extra[wire.name] = encode(wrapping.price)
        shipped = Prices.default() if _own_address(wire) else Prices(table={})
        return shipped.extended(extra)

    def _limiter(self, wire: Model, identity: str, wrapping: Wrapping) -> Limiter:
        endpoint = _quota_of(wire)
        limiter = self._limiters.get((identity, endpoint))
        if limiter is None:
            most = wrapping.concurrency or self.run.concurrency
            quota = self._quotas[endpoint or identity]
            limiter = Limiter(name=wire.name, start=most, ceiling=most, quota=quota)
            self._limiters[identity, endpoint] = limiter
        return limiter


def split_spec(spec: str, aliases: list[str], where: str) -> tuple[str, str]:
    """``provider:model`` in two; anything else is a name nothing answers to."""
    provider, colon, model = spec.partition(":")
    if colon and provider and model:
        return provider, model
    guess = closest(spec, aliases)
    raise ConfigError(
        f"no model is called {spec!r}" if spec else f"{where} names no model",
        mend=f"did you mean {guess!r}?" if guess else "write provider:model, e.g. openai:gpt-5-mini or local:smollm2",
    )


def _own_address(wire: Model) -> bool:
    """Whether the model is where its provider's prices hold: `openai:` at another address is someone else's."""
    spec = _spec(wire)
    home = {"openai": "api.openai.com", "anthropic": "api.anthropic.com"}.get(str(spec.get("provider")))
    return home is None or home in str(spec.get("base_url"))


def _spec(wire: Model) -> Mapping[str, Any]:
    spec: Mapping[str, Any] = getattr(wire, "spec", {"name": wire.name})
    return spec


def _quota_of(wire: Model) -> str | None:
    """The endpoint and key of a model, as it or its HTTP wire names them; ``None`` when neither does."""
    named: str | None = getattr(getattr(wire, "wire", wire), "quota", None)
    return named
