"""The release gate: a run against its baseline under the rules, decided, put on record and told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from proctor.config import Config
from proctor.core.event import Alert
from proctor.release.compare import Comparison, compare
from proctor.release.decide import Decision, decide
from proctor.release.measures import Baseline
from proctor.release.policy import Policy
from proctor.report.release_formats import ENDINGS, save_release
from proctor.report.release_view import ReleaseView
from proctor.store.decisions import keep_decision
from proctor.store.reading import RunReader
from proctor.store.review import ReviewItem, add_items
from proctor.store.runs import RunStore
from proctor.wiring.alerts import Told, tell_somebody, webhook_of
from proctor.wiring.job import Job, resumed_job
from proctor.wiring.release import chosen_target, figures_of, other_side, policy_of, trend_before
from proctor.wiring.release_view import view_of

__all__ = ["Verdict", "compare_run", "gate_run"]

_QUEUED = 100  # more than anybody will look at after one run


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came of a run at the gate, and where it was told."""

    view: ReleaseView
    decision: Decision
    files: tuple[Path, ...] = ()
    queued: int = 0
    told: Told | None = None


def compare_run(
    config: Config,
    store: RunStore,
    run: str,
    *,
    baseline: str | None,
    target: str | None,
    policy: Path | None = None,
    against: str | None = None,
) -> ReleaseView:
    """A run beside its baseline, or one target of it beside another, with nothing decided.

    Raises:
        InputError: the run, the baseline or the rules cannot be used.
    """
    reader = RunReader(store, store.find(run))
    chosen = chosen_target(reader, target)
    rules, _ = policy_of(config, policy)
    before, name = other_side(config, store, reader, chosen, baseline, against)
    found = _compared(before, figures_of(reader, chosen), rules, resumed_job(store, reader.run))
    return view_of(found, reader, target=chosen, baseline=name)


async def gate_run(
    config: Config, store: RunStore, run: str, *, baseline: str | None, target: str | None, policy: Path | None
) -> Verdict:
    """Decide on a run; keep the decision, its report, what a person should look at, and the alert.

    Raises:
        InputError: the run, the baseline, the rules or the webhook cannot be used; nothing was decided.
        StoreError: the decision cannot be put on record.
    """
    webhook = webhook_of(config)
    reader = RunReader(store, store.find(run))
    chosen = chosen_target(reader, target)
    rules, path = policy_of(config, policy)
    before, name = other_side(config, store, reader, chosen, baseline)
    found = _compared(before, figures_of(reader, chosen), rules, resumed_job(store, reader.run))
    decision = decide(found, rules, trend_before(store, reader, chosen))
    view = view_of(
        found, reader, target=chosen, baseline=name, decision=decision, policy=path.name if path else "by default"
    )
    keep_decision(
        store,
        run=view.run,
        suite=view.suite,
        target=chosen,
        baseline=before.run,
        decision=decision.outcome,
        reasons=[each.message for each in decision.reasons],
    )
    files = tuple(_save(store, view))
    if decision.outcome == "ship":
        return Verdict(view=view, decision=decision, files=files)
    queued = add_items(store, _items(view, found, decision, chosen)) if decision.outcome == "hold" else 0
    told = await tell_somebody(config, store, _alert(view, decision, chosen), webhook)
    return Verdict(view=view, decision=decision, files=files, queued=queued, told=told)


def _compared(before: Baseline, now: Baseline, rules: Policy, job: Job) -> Comparison:
    """The two side by side; cases that the run was told to leave out are not missing from it."""
    asked = {case.case for case in now.cases}
    chosen = (job.tags, job.not_tags, job.cases, job.first, job.sample, job.only_failing, job.scorers, job.light)
    kept = [case for case in before.cases if not job.intents or case.intent in job.intents or case.case in asked]
    if any(chosen):
        kept = [case for case in kept if case.case in asked]
    found = compare(replace(before, cases=tuple(kept)), now, rules.settings)
    left = len(before.cases) - len(kept)
    if not left:
        return found
    note = f"the run was narrowed: {left} of {len(before.cases)} cases of the baseline were not asked for"
    return replace(found, notes=(*found.notes, note))


def _save(store: RunStore, view: ReleaseView) -> Iterator[Path]:
    name = "gate" if not view.target else f"gate-{''.join(c if c.isalnum() else '-' for c in view.target)}"
    for ending in ENDINGS:
        path = store.folder_of(view.run) / f"{name}{ending}"
        save_release(view, path)
        yield path


def _items(view: ReleaseView, found: Comparison, decision: Decision, target: str) -> Iterator[ReviewItem]:
    """The cases that got worse, then those that a reason names beside them."""
    intents = {case.case: case.intent for case in (*found.baseline.cases, *found.current.cases)}
    worse = view.worse[:_QUEUED]
    for each in worse:
        yield ReviewItem(
            origin="gate",
            run=view.run,
            target=target,
            case_id=each.case,
            intent=each.intent,
            dimension=each.dimension,
            part=each.part,
            before=each.before,
            after=each.after,
            reason=each.reason,
        )
    known, left = {each.case for each in worse}, _QUEUED - len(worse)
    for reason in decision.reasons:
        for case in reason.cases:
            if case in known or left <= 0:
                continue
            known.add(case)
            left -= 1
            yield ReviewItem(
                origin="gate",
                run=view.run,
                target=target,
                case_id=case,
                intent=intents.get(case),
                dimension=reason.dimension or reason.kind,
                part=reason.parts[0].partition(".")[2] if reason.parts else "",
                reason=reason.message,
            )


def _alert(view: ReleaseView, decision: Decision, target: str) -> Alert:
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
