"""Add failed results of a run to a suite, with the checks of the run's own suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from proctor import registry
from proctor.config import Config
from proctor.core.attack_mask import is_held_out
from proctor.core.case import Case, Check
from proctor.core.codec import content_id
from proctor.core.errors import InputError, NotFoundError
from proctor.core.report import Result
from proctor.monitor.promote import Provenance, promoted, same_question
from proctor.store.run_reader import DOUBT, RunReader
from proctor.store.runs import RunStore
from proctor.suites.append import append_cases, cases_in
from proctor.workflows.promote.regression_suite import sole_promotion
from proctor.workflows.run.job import open_job, resumed_job

__all__ = ["Promotion", "promote"]

_OF_OTHERS = {
    "pass": "a case that passed",
    DOUBT: "a case in doubt; `--doubt` adds it",
    "fail": "a case that failed; `--failed` adds it",
    "unscored": "a case that could not be judged; `--unscored` adds it",
}
_HELD_OUT = "a held-out attack; `proctor redteam promote --held-out` adds it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """The outcome: ids of added cases, and of those that already existed.

    ``judged`` describes how an added case will be judged, ``why`` the reason for leaving one out. ``doubts`` says of an
    added case why its checks would not fail the very answer that failed.
    """

    added: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    judged: Mapping[str, str] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)
    doubts: Mapping[str, str] = field(default_factory=dict)


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
    """Add a case for each failed result of a run to a suite file; duplicates are added once.

    ``outcomes`` are ``fail``, ``doubt`` or ``unscored``; ``cases`` selects some of them. Results without a question
    cannot be repeated and are left out, and so are held-out attacks: in a suite they are no longer held out.

    Raises:
        InputError: there is no such run, target or case, or the file cannot be extended.
        StoreError: the file cannot be written.
    """
    with sole_promotion(config), RunStore(config.store) as store:
        record = store.find(run)
        reader = RunReader(store, record)
        if target is not None and target not in (targets := reader.targets()):
            raise NotFoundError(f"run {record.id} had no target {target!r}", hint=f"it had: {', '.join(targets)}")
        there = cases_in(out)
        ids = {case.id for case in there}
        asked = {same_question(case): case.id for case in there}
        find = _checks_of(config, store, reader)
        where = Provenance(run=record.id, suite=record.name)
        added: list[Case] = []
        known: list[str] = []
        left_out: list[str] = []
        why = _left_out(reader, outcomes, cases, target)
        for result in _chosen(reader, outcomes, cases, target):
            if is_held_out(result):
                why[result.case.id] = _HELD_OUT
                continue
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
    ids_added = tuple(case.id for case in added)
    return Promotion(added=ids_added, known=tuple(known), left_out=(*left_out, *why), why=why)


def _chosen(reader: RunReader, outcomes: Sequence[str], cases: Sequence[str], target: str | None) -> Iterator[Result]:
    if cases:
        for name in cases:
            found = reader.find(name, target=target)
            yield from (result for result in found if _state(result) in outcomes)
        return
    for outcome in outcomes:
        yield from reader.results(outcome=outcome, target=target)


def _left_out(reader: RunReader, outcomes: Sequence[str], cases: Sequence[str], target: str | None) -> dict[str, str]:
    """Return the named cases that have no result of these outcomes, and what they have."""
    states = {name: [_state(result) for result in reader.find(name, target=target)] for name in cases}
    return {name: _OF_OTHERS[found[0]] for name, found in states.items() if not set(found) & set(outcomes)}


def _state(result: Result) -> str:
    return DOUBT if result.in_doubt else result.outcome


def _named(case: Case, ids: set[str]) -> Case:
    """Return the case under an unused name."""
    return case if case.id not in ids else replace(case, id=f"{case.id}~{content_id(case, length=8)}")


def _checks_of(config: Config, store: RunStore, reader: RunReader) -> Callable[[str], Check | None]:
    """Return the checks of a run by name: from its suite, else the scorer of that name."""
    checks: dict[str, Check] = {}
    try:
        suite = open_job(config, resumed_job(store, reader.run)).loaded.suite
        checks = {check.name or check.scorer: check for check in suite.scorers}
    except (InputError, KeyError):  # the suite no longer exists, so its settings are unknown
        pass
    scorers = set(registry.names("scorers"))

    def find(name: str) -> Check | None:
        return checks.get(name) or (Check(scorer=name) if name in scorers else None)

    return find
