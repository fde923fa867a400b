"""Create targets by name from proctor.yaml, or directly from a path, a URL or a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from proctor import registry
from proctor.config import Config, cache_folder, expand
from proctor.core.attack import Observation
from proctor.core.decode import closest, decode
from proctor.core.errors import ConfigError, MalformedError
from proctor.core.sockets import Http, Kit, Target
from proctor.suites.generated import is_prompt
from proctor.suites.load import LoadedSuite
from proctor.targets.recording import RecordedCases
from proctor.targets.twin_target import Twinned
from proctor.wiring.code_permission import check_suite_target
from proctor.wiring.models import ModelPool

__all__ = ["make_targets", "stored"]

_TAKES_MODEL = "prompt"
# Settings of every kind of target: run it behind the project's guard; what it shows of itself.
_GUARD, _SHOWS = "guard", "shows"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Common:
    """What every kind of target may declare."""

    shows: tuple[Observation, ...] = ()


def make_targets(
    names: Sequence[str],
    models: Sequence[str],
    *,
    config: Config,
    model_pool: ModelPool,
    http: Http,
    prompt: Path | None = None,
    suite: LoadedSuite | None = None,
) -> list[Target]:
    """Return the targets of a run: each name once, a prompt once per model.

    The target of the ``suite`` has precedence over the project's. ``prompt`` is the file whose tests are run: without
    named targets it is the target on each model, named by the file and the model. With models and no target that takes
    one, each model gets the bare question. A named target that takes no model is an error. A suite whose cases all
    carry their answers needs no target.

    Raises:
        ConfigError: there is no such target, or its settings are wrong.
    """
    if prompt is not None and not names:
        if not (models or config.settings.model) and _has_all_answers(suite):
            return [RecordedCases()]
        return _on_models(prompt, models, config=config, model_pool=model_pool, http=http)
    default = suite.suite.target if suite else None
    chosen = list(names) or [each for each in (default or config.settings.target,) if each]
    if models and not any(_settings(name, config)[0] == _TAKES_MODEL for name in chosen):
        if names:
            raise ConfigError(
                f"the target {names[0]!r} takes no model, so --model would change nothing",
                hint="leave --model out, or name a prompt as the target",
            )
        chosen = []
    if not chosen and not (models or config.settings.model):
        if _has_all_answers(suite):
            return [RecordedCases()]
        raise ConfigError(
            "nothing to test: no target and no model is set",
            hint="give --target or --model (in pytest --proctor-target or --proctor-model, in Python `target=` or "
            "`models=`), set `target:` in the suite or proctor.yaml, or give each case `recorded:`",
        )
    if default and chosen == [default] and not names:
        check_suite_target(default, config=config, file=suite.path if suite else None)
    targets: list[Target] = []
    for name in chosen or [""]:
        kind, settings, base = _settings(name, config)
        if kind != _TAKES_MODEL:
            targets.append(_make(name, kind, settings, base, config, model_pool, http))
            continue
        for model in models or (settings.get("model") or config.settings.model,):
            label = _label(name, model, several=len(models) > 1 or not name)
            targets.append(_make(label, kind, {**settings, "model": model}, base, config, model_pool, http))
    _refuse_twins(targets)
    return targets


def _has_all_answers(suite: LoadedSuite | None) -> bool:
    return suite is not None and all(case.recorded is not None for case in suite.cases())


def stored(targets: Sequence[Target], run: str) -> list[Target]:
    """Return the targets with every answer stored by the provider under the names of the run and the test.

    Raises:
        ConfigError: a target is not a prompt, so Proctor does not send its requests.
    """
    from proctor.targets.prompt import PromptTarget  # noqa: PLC0415 - loads the templates of prompts

    made: list[Target] = []
    for target in targets:
        inner = target.target if isinstance(target, Twinned) else target
        if not isinstance(inner, PromptTarget):
            hint = "leave --store-completions out, or name a prompt as the target"
            raise ConfigError(f"the answers of {target.name!r} cannot be stored: it is no prompt", hint=hint)
        keeping = replace(inner, stored={"run": run})
        made.append(replace(target, target=keeping) if isinstance(target, Twinned) else keeping)
    return made


def _on_models(
    prompt: Path, models: Sequence[str], *, config: Config, model_pool: ModelPool, http: Http
) -> list[Target]:
    """Return a prompt on each model; names do not depend on the number of models, so runs can be compared."""
    if not models and not config.settings.model:
        raise ConfigError(
            f"no model is set to put {prompt.name} to",
            hint="give --model (e.g. -m local:smollm2 -m openai:gpt-5-mini), or set `model:` in proctor.yaml",
        )
    name = prompt.name.partition(".")[0] or prompt.name
    targets = [
        _make(
            f"{name}@{model}",
            _TAKES_MODEL,
            {"prompt": str(prompt.absolute()), "model": model},
            prompt.parent,
            config,
            model_pool,
            http,
        )
        for model in models or (config.settings.model,)
    ]
    _refuse_twins(targets)
    return targets


def _label(name: str, model: str | None, *, several: bool) -> str:
    if not name:
        return model or "model"
    return f"{name}@{model}" if several else name


def _refuse_twins(targets: list[Target]) -> None:
    seen: set[str] = set()
    for target in targets:
        if target.name in seen:
            raise ConfigError(f"the target {target.name!r} is named twice", hint="name each target and model once")
        seen.add(target.name)


def _settings(name: str, config: Config) -> tuple[str, dict[str, Any], Path]:
    """Return the target's kind, its settings, and the base folder of its paths."""
    written = config.settings.targets.get(name)
    if written is None:
        return *_ad_hoc(name, config), Path.cwd()
    if isinstance(written, str):
        return *_ad_hoc(written, config), config.folder
    try:
        entry = dict(expand(written, config.environment, ("targets", name)))
    except MalformedError as error:
        raise MalformedError(error.problems, file=str(config.path)) from error
    kinds = [kind for kind in registry.names("targets") if kind in entry]
    if len(kinds) != 1:
        known = ", ".join(registry.names("targets"))
        problem = (
            f"names no kind of target (one of: {known})"
            if not kinds
            else f"is of {len(kinds)} kinds: {', '.join(kinds)}"
        )
        raise ConfigError(
            problem, file=str(config.path), field=f"targets.{name}", hint="write e.g. `python: agent.py:answer` in it"
        )
    return kinds[0], entry, config.folder


def _ad_hoc(name: str, config: Config) -> tuple[str, dict[str, Any]]:
    if not name:
        return "prompt", {"prompt": ""}
    if name.startswith(("http://", "https://")):
        return "http", {"http": name}
    kind, colon, rest = name.partition(":")
    if colon and rest and kind in registry.names("targets"):
        return kind, {kind: rest}
    if is_prompt(name):
        return "prompt", {"prompt": name}
    guess = closest(name, config.settings.targets)
    known = ", ".join(config.settings.targets) or "none in proctor.yaml"
    raise ConfigError(
        f"no target is called {name!r}",
        hint=f"did you mean {guess!r}?"
        if guess
        else f"known: {known}; or give a prompt file, a URL, or python:file.py:function",
    )


def _make(
    name: str, kind: str, settings: Mapping[str, Any], folder: Path, config: Config, model_pool: ModelPool, http: Http
) -> Target:
    own = {key: value for key, value in settings.items() if key not in (_GUARD, _SHOWS)}
    kit = Kit(
        name=name,
        settings=own,
        folder=str(folder),
        env=config.environment.get,
        http=http,
        model=model_pool.get,
        cache=str(cache_folder(config.environment)),
    )
    try:
        target: Target = registry.connect("targets", kind, kit)
        written = decode(_Common, {_SHOWS: settings.get(_SHOWS) or ()}).shows
    except MalformedError as error:
        problems = [replace(problem, path=("targets", name, *problem.path)) for problem in error.problems]
        raise MalformedError(problems, file=error.file or (str(config.path) if config.path else None)) from error
    except ConfigError as error:
        if name in config.settings.targets and error.file is None and error.field is None and config.path is not None:
            error.file, error.field = str(config.path), f"targets.{name}"
        raise
    if settings.get(_GUARD) not in (None, False):
        from proctor.wiring.wrap_target import guarded_target  # noqa: PLC0415 - only where a target is guarded

        target = guarded_target(target, settings[_GUARD], config=config, model_pool=model_pool)
    return Twinned(target=target, declared=written or None)  # outside of the guard: the twin has a session of its own
