"""Run cases, targets and scorers that are given as Python values."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict

from proctor.config import Config, RunSettings
from proctor.core.case import Case, Check
from proctor.core.decode import closest, decode
from proctor.core.errors import InputError, MalformedError, SuiteError
from proctor.core.report import Result
from proctor.core.sockets import Scorer, Target
from proctor.suites.case_shorthand import make_checks
from proctor.suites.load import LoadedSuite
from proctor.suites.memory_suite import PLACE, suite_of
from proctor.targets.twin_target import Twinned
from proctor.workflows.evaluation import Evaluation
from proctor.workflows.run.job import Job, RunProgress, carry_out
from proctor.workflows.run.prompt_suite import open_tests, suite_path
from proctor.workflows.run.suite_source import Opened

__all__ = ["Cases", "EvaluateOptions", "Scorers", "Targets", "evaluate_cases", "given_scorers", "given_target"]

Cases: TypeAlias = str | PathLike[str] | LoadedSuite | Iterable[Case | Mapping[str, Any] | str]
TargetLike: TypeAlias = str | Target | Callable[..., Any]
Targets: TypeAlias = TargetLike | Sequence[TargetLike] | None
Scorers: TypeAlias = Sequence[str | Mapping[str, Any] | Check | Scorer]

_NAME = "evaluation"
_RUN_SETTINGS = tuple(each.name for each in fields(RunSettings))
_OTHER_OPTIONS = ("name", "models", "judge", "allow_commands", "on_result")


class EvaluateOptions(TypedDict, total=False):
    """Options of ``evaluate``: those of `proctor run`, and some for programs.

    ``name`` is the suite's name in reports and baselines. ``models`` are for prompt targets. ``on_result`` is called
    with each result.
    """

    name: str
    models: Sequence[str]
    judge: str
    allow_commands: bool
    on_result: Callable[[Result], None]
    concurrency: int
    repeat: int
    pass_rate: float
    unscored: float
    timeout: float
    cache: Literal["off", "on", "refresh"]
    budget: float
    rate: str
    seed: int


async def evaluate_cases(
    config: Config, cases: Cases, target: Targets, scorers: Scorers, options: EvaluateOptions
) -> Evaluation:
    """Run the cases and return the evaluation; the run is kept in the store of ``config``.

    Raises:
        InputError: a case, the target, a scorer or an option is wrong; nothing was run.
    """
    given = _checked_options(options)
    named, objects = _split_targets(target)
    checks, live = given_scorers(scorers)
    twinned: list[Target] = [each if isinstance(each, Twinned) else Twinned(target=each) for each in objects]
    opened = replace(_opened(config, cases, checks, options), targets=twinned, scorers=live)
    warnings: list[str] = []
    watching = RunProgress(warned=warnings.append, result=options.get("on_result"))
    job = Job(
        suite=str(cases) if isinstance(cases, (str, PathLike)) else "",
        targets=named,
        models=tuple(options.get("models", ())),
        judge=options.get("judge"),
        run=given(config.settings.run),
        folder=str(Path.cwd()),
        allow_commands=options.get("allow_commands", False),
    )
    run, _ = await carry_out(config, job, watching, opened=opened)
    order = [case.id for case in opened.loaded.cases()] if opened.loaded.path == PLACE else None
    return Evaluation(config, run.id, warnings=tuple(warnings), order=order)


def given_scorers(scorers: Scorers) -> tuple[tuple[Check, ...], tuple[Scorer, ...]]:
    """Return the checks given as descriptions and the scorers given as objects.

    Raises:
        InputError: one of them is neither.
    """
    if isinstance(scorers, (str, Mapping)):
        raise InputError("expected a list of scorers", field="scorers", hint="write scorers=[…]")
    checks: list[Check] = []
    live: list[Scorer] = []
    each: Any
    for index, each in enumerate(scorers):
        if isinstance(each, (str, Mapping)):
            checks += _described(each, index)
        elif isinstance(each, Check):
            checks.append(each)
        elif inspect.isclass(each) or not isinstance(each, Scorer):
            raise InputError(
                f"{each!r} is no scorer"[:200],
                field=f"scorers[{index}]",
                hint='name one ("relevance"), describe it ({"contains": "15 days"}), or give an object with the'
                " attributes name, version, threshold, primary and score",
            )
        else:
            live.append(each)
    return tuple(checks), tuple(live)


def given_target(target: TargetLike, name: str | None = None) -> Target:
    """Return a Target unchanged; wrap a function, or a class with a method `say`, as a target.

    Raises:
        ConfigError: it needs arguments that a target does not receive.
        InputError: it cannot be called.
    """
    if isinstance(target, Target) and not inspect.isclass(target):
        return target
    if not callable(target):
        hint = (
            "give a function from text to text, a class (not an object of it) with a method `say`, a Target, "
            "or a name as `proctor run --target` takes it"
        )
        raise InputError(f"{type(target).__name__} is no target", field="target", hint=hint)
    from proctor.targets.python import target_of  # noqa: PLC0415 - only where a callable is given

    return target_of(target, name)


def _described(written: str | Mapping[str, Any], index: int) -> tuple[Check, ...]:
    try:
        return make_checks([written], ("scorers",))
    except MalformedError as error:
        # The decoded list had one entry, the user's list may have had more.
        problems = [replace(each, path=("scorers", index, *each.path[2:])) for each in error.problems]
        raise MalformedError(problems) from error


def _split_targets(target: Targets) -> tuple[tuple[str, ...], list[Target]]:
    """Return the targets given by name, and those given as objects."""
    if target is None:
        return (), []
    several: list[Any] = list(target) if isinstance(target, (list, tuple)) else [target]
    named = tuple(each for each in several if isinstance(each, str))
    if named and len(named) < len(several):
        hint = "evaluate them one after the other"
        raise InputError("named targets and Python objects cannot be mixed", field="target", hint=hint)
    objects = [given_target(each) for each in several if not isinstance(each, str)]
    twins = {each.name for each in objects if sum(each.name == other.name for other in objects) > 1}
    if twins:
        raise InputError(f"two targets are called {min(twins)!r}", field="target", hint="give each another name")
    return named, objects


def _opened(config: Config, cases: Cases, checks: Sequence[Check], options: EvaluateOptions) -> Opened:
    if isinstance(cases, (str, PathLike)):
        path = suite_path(str(cases), config, Path.cwd())
        if not path.exists():
            hint = "check the path; texts are given as a list: evaluate([text], …)"
            raise SuiteError("there is no such suite", file=str(path), hint=hint)
        opened = open_tests(path, judged=bool(options.get("judge") or config.settings.judge))
    elif isinstance(cases, LoadedSuite):
        opened = Opened(loaded=cases)
    elif isinstance(cases, (Mapping, Case)) or not isinstance(cases, Iterable):
        raise InputError("expected a list of cases", file=str(PLACE), hint="write evaluate([case], …)")
    else:
        opened = Opened(loaded=suite_of(cases, name=_NAME))
    suite = opened.loaded.suite
    suite = replace(suite, name=options.get("name") or suite.name, scorers=(*suite.scorers, *checks))
    return replace(opened, loaded=replace(opened.loaded, suite=suite))


def _checked_options(options: EvaluateOptions) -> Callable[[RunSettings], RunSettings]:
    """Return a function that applies the options to the settings of a run.

    Raises:
        InputError: there is no such option. The function raises one for a wrong value.
    """
    known = (*_RUN_SETTINGS, *_OTHER_OPTIONS)
    for name in options:
        if name not in known:
            guess = closest(name, known)
            raise InputError(
                f"evaluate has no option {name!r}",
                hint=f"did you mean {guess!r}?" if guess else f"known: {', '.join(known)}",
            )

    def given(run: RunSettings) -> RunSettings:
        chosen: dict[str, Any] = {name: value for name, value in options.items() if name in _RUN_SETTINGS}
        checked = decode(RunSettings, chosen, strict=True)
        return replace(run, **{name: getattr(checked, name) for name in chosen})

    return given
