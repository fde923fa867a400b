"""What failed in a run goes into a suite: results from the store, checks from its own suite, cases to the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from proctor import registry
from proctor.config import Config
from proctor.core.case import Case, Check
from proctor.core.codec import content_id
from proctor.core.errors import InputError
from proctor.core.report import Result
from proctor.monitor.promote import Provenance, promoted, same_question
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.suites.append import append_cases, cases_in
from proctor.workflows.run.job import open_job, resumed_job

__all__ = ["Promotion", "promote"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """What became of the failures: cases that were added, and those that were there already, by their ids there.

    ``judged`` says of an added case what it will be judged by, ``why`` of one that was left out the reason.
    """

    added: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    judged: Mapping[str, str] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)


def promote(
    config: Config,
    run: str,
    out: Path,
    *,
    outcomes: Sequence[str] = ("fail",),
    cases: Sequence[str] = (),
    target: str | None = None,
    recording: bool = False,
) -> Promotion:
    """Add a case for each failed result of a run to a suite file; one that asks the same is added once.

    ``cases`` narrows it to these. A result in which nobody asked anything cannot be put again, and is left out.

    Raises:
        InputError: there is no such run or case, or the file cannot be added to.
        StoreError: the disk refused.
    """
    with RunStore(config.store) as store:
        record = store.find(run)
        reader = RunReader(store, record)
        there = cases_in(out)
        ids = {case.id for case in there}
        asked = {same_question(case): case.id for case in there}
        find = _checks_of(config, store, reader)
        where = Provenance(run=record.id, suite=record.name)
        added: list[Case] = []
        known: list[str] = []
        left_out: list[str] = []
        for result in _chosen(reader, outcomes, cases, target):
            case = promoted(result, checks=find, where=where, recording=recording)
            if not (case.asks or case.inputs or case.recorded):
                left_out.append(case.id)
            elif (question := same_question(case)) in asked:
                known.append(asked[question])
            else:
                case = _named(case, ids)
                ids.add(case.id)
                asked[question] = case.id
                added.append(case)
    append_cases(out, added)
    return Promotion(added=tuple(case.id for case in added), known=tuple(known), left_out=tuple(left_out))


def _chosen(reader: RunReader, outcomes: Sequence[str], cases: Sequence[str], target: str | None) -> Iterator[Result]:
    if cases:
        for name in cases:
            found = reader.find(name, target=target)
            yield from (result for result in found if result.outcome in outcomes)
        return
    for outcome in outcomes:
        yield from reader.results(outcome=outcome, target=target)


def _named(case: Case, ids: set[str]) -> Case:
    """The case under a name that is free."""
    return case if case.id not in ids else replace(case, id=f"{case.id}~{content_id(case, length=8)}")


def _checks_of(config: Config, store: RunStore, reader: RunReader) -> Callable[[str], Check | None]:
    """The checks of a run by name: as its suite has them, else by the name of a scorer alone."""
    checks: dict[str, Check] = {}
    try:
        suite = open_job(config, resumed_job(store, reader.run)).loaded.suite
        checks = {check.name or check.scorer: check for check in suite.scorers}
    except (InputError, KeyError):  # the suite has gone since, and what it said of the checks with it
        pass
    scorers = set(registry.names("scorers"))

    def find(name: str) -> Check | None:
        return checks.get(name) or (Check(scorer=name) if name in scorers else None)

    return find
