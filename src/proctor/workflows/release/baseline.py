"""Read and write baselines, and find what a run is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from proctor.config import Config, settings_text
from proctor.core.codec import encode
from proctor.core.decode import decode
from proctor.core.errors import ConfigError, InputError, MalformedError, NotFoundError
from proctor.release.measures import ALL, Baseline, measures
from proctor.release.policy import Policy, read_policy
from proctor.release.trend import TrendPoint
from proctor.store.answers import Answer, answers_path, write_answers
from proctor.store.baselines import baseline_path, read_baseline, write_baseline
from proctor.store.lock import one_at_a_time
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.store.trends import PointRecord, TrendLine, history
from proctor.workflows.release.policy_file import policy_path

__all__ = [
    "Side",
    "answers_of",
    "as_point",
    "baseline_file",
    "bless",
    "chosen_target",
    "figures_of",
    "open_baseline",
    "other_side",
    "policy_of",
    "trend_before",
]


def chosen_target(reader: RunReader, named: str | None) -> str:
    """Return the selected target; optional for a run with a single target.

    Raises:
        InputError: the run has no such target, or several and none is named.
    """
    targets = reader.targets()
    if named is None and len(targets) == 1:
        return targets[0]
    if not targets:
        raise InputError(f"run {reader.run.id} has no results", hint="`proctor list` shows the runs there are")
    known = ", ".join(targets)
    if named is None:
        raise InputError(f"run {reader.run.id} had several targets", hint=f"name one with --target: {known}")
    if named not in targets:
        raise NotFoundError(f"run {reader.run.id} had no target {named!r}", hint=f"it had: {known}")
    return named


def figures_of(reader: RunReader, target: str) -> Baseline:
    """Return the figures of each case of a run, for comparison.

    Raises:
        InputError: the run is not finished.
    """
    run = reader.run
    if run.status != "finished":
        hint = f"`proctor run --resume {run.id}` does the rest"
        raise InputError(f"run {run.id} is {run.status}, so some of its cases have no result", hint=hint)
    return Baseline(
        name=target,
        run=run.id,
        suite=run.name,
        created=run.finished or run.started,
        fingerprint=run.fingerprint,
        cases=measures(reader.graded(target=target, cases=True)),
    )


def baseline_file(config: Config, reader: RunReader, target: str, named: Path | None = None) -> Path:
    """Return the named baseline file, or that of the suite."""
    if named is not None:
        return named
    several = target if len(reader.targets()) > 1 else None
    return baseline_path(config.folder / config.settings.release.baselines, reader.run.name, several)


def bless(figures: Baseline, path: Path, answers: Iterable[Answer] | None = None) -> None:
    """Write a run as a baseline; its answers, if given, are kept in a file next to it.

    Raises:
        StoreError: a file cannot be written; the baseline before and its answers are unchanged.
    """
    if answers is None:
        _write(figures, path)
        return
    with write_answers(answers_path(path), answers) as hashed:
        _write(replace(figures, answers=hashed), path)


def _write(figures: Baseline, path: Path) -> None:
    data = encode(figures)
    cases = data.pop("cases", [])
    # Machine details say nothing about quality and would change in every diff.
    for name in ("python", "proctor"):
        data.get("fingerprint", {}).pop(name, None)
    write_baseline(path, data, [_rounded({**case, **_checks(case)}) for case in cases])


@dataclass(frozen=True, slots=True, kw_only=True)
class Blessed:
    """A run that became a baseline: its figures and its file."""

    figures: Baseline
    path: Path

    @property
    def unscored(self) -> int:
        """The number of its cases that could not be scored."""
        return sum(case.unscored for case in self.figures.cases)


def bless_run(
    config: Config,
    reader: RunReader,
    *,
    target: str | None = None,
    output: Path | None = None,
    force: bool = False,
    answers: bool = True,
) -> Blessed:
    """Make a run the baseline of its suite, and keep its answers unless ``answers`` is false.

    Raises:
        InputError: more than half of the cases could not be scored, and ``force`` is not set.
        StoreError: a file cannot be written.
    """
    chosen = chosen_target(reader, target)
    blessed = Blessed(figures=figures_of(reader, chosen), path=baseline_file(config, reader, chosen, output))
    count = len(blessed.figures.cases)
    if blessed.unscored > count / 2 and not force:
        raise InputError(
            f"{blessed.unscored} of {count} cases of run {reader.run.id} could not be scored",
            hint="fix what broke and run again, or bless it all the same with --force",
        )
    with one_at_a_time(config.store / "bless.lock"):  # one process: a baseline and its answers belong to the same run
        bless(blessed.figures, blessed.path, answers_of(reader, chosen) if answers else None)
    return blessed


def answers_of(reader: RunReader, target: str) -> Iterator[Answer]:
    """Yield the answers of a run for a baseline, in the order of cases and samples."""
    for each in reader.results(target=target, by_case=True):
        yield each.case.id, each.sample, each.trajectory


def open_baseline(path: Path) -> Baseline:
    """Read a baseline from its file.

    Raises:
        InputError: it does not exist, or cannot be read.
    """
    header, cases = read_baseline(path)
    return decode(Baseline, {**header, "cases": cases}, strict=True, file=str(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What a run is compared with: its figures, its name, and its file if it has one."""

    figures: Baseline
    name: str
    path: Path | None = None


def other_side(
    config: Config, store: RunStore, reader: RunReader, target: str, named: str | None, against: str | None = None
) -> Side:
    """Return what a run is compared with: a baseline file, another run, or the suite's baseline.

    ``against`` is another target of the named run, or of this run if none is named.

    Raises:
        InputError: there is no such file or run, or it is invalid.
    """
    if named is None and against is not None:
        return Side(figures=figures_of(reader, chosen_target(reader, against)), name=f"{against} in the same run")
    if named is None or named.endswith(".json") or Path(named).is_file():
        path = baseline_file(config, reader, target, Path(named) if named else None)
        return Side(figures=open_baseline(path), name=_short(path, config.folder), path=path)
    other = RunReader(store, store.find(named))
    same = target if target in other.targets() else None
    return Side(figures=figures_of(other, chosen_target(other, against or same)), name=f"run {other.run.id}")


def _short(path: Path, folder: Path) -> str:
    """Return a path for display, relative to the project's folder if inside it."""
    try:
        return str(path.resolve().relative_to(folder.resolve()))
    except ValueError:
        return path.name


def policy_of(config: Config, named: Path | None) -> tuple[Policy, Path | None]:
    """Return the release policy and its file; without a file, the default policy.

    Raises:
        ConfigError: the named file does not exist, or is not YAML.
        MalformedError: a rule is unknown or wrong; all of them are listed.
    """
    path = policy_path(config, named)
    if path is None:
        return Policy(), None
    from proctor.prompts.yaml_text import lines_in_yaml, read_yaml  # noqa: PLC0415 - costs 40 ms

    text = settings_text(path)
    data, line_of = read_yaml(text, file=str(path), error=ConfigError), lines_in_yaml(text)
    try:
        return read_policy(data, file=str(path)), path
    except MalformedError as error:
        placed = [replace(problem, line=line_of(problem.path)) for problem in error.problems]
        raise MalformedError(placed, file=str(path)) from error


def trend_before(store: RunStore, reader: RunReader, target: str, *, runs: int = 20) -> list[TrendPoint]:
    """Return the trend points of earlier runs of the same suite and target, oldest first."""
    line = TrendLine(suite=reader.run.name, target=target)
    records = history(store, line, before=reader.run.id, runs=runs)
    return [as_point(each) for each in records if each.mean is not None]


def as_point(record: PointRecord) -> TrendPoint:
    """Convert a stored point with a mean to a TrendPoint."""
    assert record.mean is not None
    return TrendPoint(
        run=record.run,
        created=record.time,
        suite=record.suite,
        target=record.target,
        trigger=record.fingerprint.trigger,
        intent=record.intent or ALL,
        dimension=record.dimension,
        value=record.mean,
        cases=record.cases,
    )


def _checks(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return the verdicts of a case by check, as JSON; the codec does not encode values inside a mapping."""
    if "checks" not in case:
        return {}
    return {"checks": {name: encode(count) for name, count in sorted(case["checks"].items())}}


def _rounded(value: Any) -> Any:
    """Round figures to nine digits: smaller diffs, and no rounding error counts as a change."""
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    return value
