"""The release gate: compare a run with its baseline, decide by the policy, record and report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proctor.config import Config
from proctor.core.errors import InputError
from proctor.core.event import Alert
from proctor.release.compare import Comparison, compare
from proctor.release.decide import ReleaseDecision, decide
from proctor.release.floors import DEFAULT
from proctor.release.measures import ALL, Baseline
from proctor.release.policy import Policy
from proctor.report.release_formats import DECISION_REPORT
from proctor.report.release_view import ReleaseView
from proctor.store.decisions import keep_decision
from proctor.store.figures import intents_of_other_suites, models_that_answered
from proctor.store.review import ReviewItem, add_items
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.workflows.alerts import AlertDelivery, send_alert, webhook_of
from proctor.workflows.release.baseline import (
    Side,
    chosen_target,
    figures_of,
    open_baseline,
    other_side,
    policy_of,
    trend_before,
)
from proctor.workflows.release.case_changes import case_changes
from proctor.workflows.release.view import view_of
from proctor.workflows.run.job import Job, resumed_job

__all__ = ["GateRequest", "ReleaseVerdict", "compare_run", "compared_run", "gate_run"]

_QUEUED = 100  # limit of the review queue for one run; the number left out is reported
_FIXED_PROVIDERS = frozenset({"replay", "rule", "scripted"})


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRequest:
    """A run, what it is compared with, and the policy.

    ``baseline`` is a file or another run, ``against`` another target. ``rescore`` scores recorded answers again where
    the scorers differ.
    """

    run: str
    baseline: str | None = None
    target: str | None = None
    policy: Path | None = None
    against: str | None = None
    rescore: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseVerdict:
    """The decision on a run, and where it was reported.

    ``queued`` of the ``to_look_at`` cases were put in the review queue.
    """

    view: ReleaseView
    decision: ReleaseDecision
    files: tuple[Path, ...] = ()
    queued: int = 0
    to_look_at: int = 0
    told: AlertDelivery | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    """A run and its baseline, scored again if requested."""

    reader: RunReader
    target: str
    before: Side
    now: Baseline
    job: Job
    note: str = ""


async def _sides(config: Config, store: RunStore, asked: GateRequest) -> _Sides:
    reader = RunReader(store, store.find(asked.run))
    target = chosen_target(reader, asked.target)
    before = other_side(config, store, reader, target, asked.baseline, asked.against)
    sides = _Sides(
        reader=reader,
        target=target,
        before=before,
        now=figures_of(reader, target),
        job=resumed_job(store, reader.run),
    )
    if not asked.rescore:
        return sides
    from proctor.workflows.release.rescore import rescored  # noqa: PLC0415 - loads what a whole run loads

    figures, now, note = await rescored(config, store, reader, sides.job, target, before, sides.now)
    return replace(sides, before=replace(before, figures=figures), now=now, note=note)


async def compare_run(config: Config, store: RunStore, asked: GateRequest) -> ReleaseView:
    """Compare a run with its baseline, or one target with another, without a decision.

    Raises:
        InputError: the run, the baseline or the policy is invalid.
    """
    _, view = await compared_run(config, store, asked)
    return view


async def compared_run(
    config: Config, store: RunStore, asked: GateRequest, *, texts: bool = True
) -> tuple[Comparison, ReleaseView]:
    """Compare as `compare_run` does, and return the comparison with every case too.

    Without ``texts`` the view has no answers of cases, so that the conversations need not be read.

    Raises:
        InputError: the run, the baseline or the policy is invalid.
    """
    rules, _ = policy_of(config, asked.policy)
    sides = await _sides(config, store, asked)
    found = _compared(sides, rules)
    cases = case_changes(found, sides.reader, store, target=sides.target, side=sides.before) if texts else None
    return found, view_of(found, sides.reader, target=sides.target, baseline=sides.before.name, cases=cases)


async def gate_run(config: Config, store: RunStore, asked: GateRequest) -> ReleaseVerdict:
    """Decide on a run; record the decision, its report, the cases to review, and the alert.

    Raises:
        InputError: the run, the baseline, the policy or the webhook is invalid; nothing was decided.
        StoreError: the decision cannot be recorded.
    """
    webhook = webhook_of(config)
    rules, path = policy_of(config, asked.policy)
    sides = await _sides(config, store, asked)
    reader, chosen = sides.reader, sides.target
    found = _compared(sides, rules)
    decision = decide(
        found,
        rules,
        trend_before(store, reader, chosen),
        elsewhere=_elsewhere(config, store, sides, rules),
        sampled=any(_draws(model) for model in models_that_answered(store, reader.run)),
    )
    view = view_of(
        found,
        reader,
        target=chosen,
        baseline=sides.before.name,
        decision=decision,
        policy=path.name if path else "by default",
        cases=case_changes(found, reader, store, target=chosen, side=sides.before),
    )
    keep_decision(
        store,
        run=view.run,
        suite=view.suite,
        target=chosen,
        baseline=sides.before.figures.run,
        decision=decision.outcome,
        reasons=[each.message for each in decision.reasons],
    )
    files = tuple(_save(store, view))
    waiting = list(_items(view, found, decision, chosen))
    add_items(store, waiting[:_QUEUED])
    verdict = ReleaseVerdict(
        view=view, decision=decision, files=files, queued=len(waiting[:_QUEUED]), to_look_at=len(waiting)
    )
    if decision.outcome == "ship":
        return verdict
    told = await send_alert(config, store, _alert(view, decision, chosen), webhook)
    return replace(verdict, told=told)


def _draws(model: str) -> bool:
    """Return whether a model may vary its answers; fakes and recordings do not."""
    return model.partition(":")[0] not in _FIXED_PROVIDERS


def _elsewhere(config: Config, store: RunStore, sides: _Sides, rules: Policy) -> set[str]:
    """Return intents of the policy that this run may lack: excluded by flags, or of another suite."""
    asked = {*rules.floors, *rules.zero_tolerance} - {ALL, DEFAULT, *sides.now.intents}
    known = asked & set(sides.before.figures.intents)
    known |= intents_of_other_suites(store, sides.reader.run.name, asked - known)
    if asked - known:
        for path in sorted((config.folder / config.settings.release.baselines).glob("*.json")):
            with suppress(InputError):  # errors in another suite's file do not matter here
                other = open_baseline(path)
                known |= asked & set(other.intents) if other.suite != sides.reader.run.name else set()
    return known


def _compared(sides: _Sides, rules: Policy) -> Comparison:
    """Return the comparison; cases excluded by flags do not count as missing."""
    before, now, job = sides.before.figures, sides.now, sides.job
    asked = {case.case for case in now.cases}
    chosen = (job.tags, job.not_tags, job.cases, job.first, job.sample, job.only_failing, job.scorers, job.light)
    kept = [case for case in before.cases if not job.intents or case.intent in job.intents or case.case in asked]
    if any(chosen):
        kept = [case for case in kept if case.case in asked]
    found = compare(replace(before, cases=tuple(kept)), now, rules.settings)
    notes = [*found.notes, sides.note] if sides.note else [*found.notes]
    if left := len(before.cases) - len(kept):
        notes.append(f"the run was narrowed: {left} of {len(before.cases)} cases of the baseline were not asked for")
    return replace(found, notes=tuple(notes))


def _save(store: RunStore, view: ReleaseView) -> Iterator[Path]:
    name = "gate" if not view.target else f"gate-{''.join(c if c.isalnum() else '-' for c in view.target)}"
    for ending in DECISION_REPORT.endings:
        path = store.folder_of(view.run) / f"{name}{ending}"
        DECISION_REPORT.save(view, path)
        yield path


def _items(view: ReleaseView, found: Comparison, decision: ReleaseDecision, target: str) -> Iterator[ReviewItem]:
    """Yield the cases to review: those that flipped, and if the run is held also those that got worse.

    Each case occurs once. If the scorers changed, no case is queued, because the differences cannot be trusted.
    """
    if found.scorers:
        return
    intents = {case.case: case.intent for case in (*found.baseline.cases, *found.current.cases)}
    known: set[str] = set()

    def item(case: str, **about: Any) -> Iterator[ReviewItem]:
        if case not in known:
            known.add(case)
            yield ReviewItem(
                origin="gate", run=view.run, target=target, case_id=case, intent=intents.get(case), **about
            )

    held = decision.outcome == "hold"
    flipped = dict.fromkeys(flip.case for flip in found.flips)
    for each in view.worse if held else [each for each in view.worse if each.case in flipped]:
        about = {"dimension": each.dimension, "part": each.part, "before": each.before, "after": each.after}
        yield from item(each.case, reason=each.reason, **about)
    for flip in found.flips:
        share = [count.passed / count.total for count in (flip.before, flip.after) if count.total]
        before, after = share if len(share) == 2 else (None, None)
        yield from item(
            flip.case, dimension=flip.check or "pass_rate", before=before, after=after, reason="no longer passes"
        )
    for reason in decision.reasons if held else ():
        part = reason.parts[0].partition(".")[2] if reason.parts else ""
        for case in reason.cases:
            yield from item(case, dimension=reason.dimension or reason.kind, part=part, reason=reason.message)


def _alert(view: ReleaseView, decision: ReleaseDecision, target: str) -> Alert:
    return Alert(
        rule="release gate",
        message=f"{view.word}: {view.suite}, run {view.run}: "
        + "; ".join(each.message for each in decision.reasons[:5]),
        tier="high" if decision.outcome == "hold" else "medium",
        time=datetime.now(UTC),
        key=f"gate-{view.suite}-{target}-{view.run}",
        metadata={
            "run": view.run,
            "suite": view.suite,
            "target": target,
            "baseline": view.baseline_run,
            "decision": decision.outcome,
            "dimensions": sorted({each.dimension for each in decision.reasons if each.dimension}),
            "cases": list(decision.cases[:50]),
        },
    )
