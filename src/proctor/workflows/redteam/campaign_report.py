"""The figures of a campaign run, alone or beside another one of the same attempts, and its exit code."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Final

from proctor.config import Config
from proctor.core.attack_finding import FINDING_STATUSES, finding_id
from proctor.core.campaign import AttackFigures, AttemptRecord, CampaignFacts, CampaignSummary, RetestSummary
from proctor.core.errors import NotFoundError
from proctor.redteam.attack_entries import AttackEntry, goal_name, read_entries
from proctor.redteam.retest import compare_campaigns
from proctor.redteam.summary import summarise_entries
from proctor.runner.decide import EXIT_CODES
from proctor.store import campaigns
from proctor.store.campaign_figures import keep_figures, read_figures
from proctor.store.campaigns import CampaignRun
from proctor.store.findings import findings
from proctor.store.runs import RunStore
from proctor.workflows.redteam.attempt_results import results_of, runs_of
from proctor.workflows.redteam.attempts_file import attempts_facts

__all__ = [
    "CampaignContent",
    "campaign_content",
    "campaign_summary",
    "campaign_total",
    "choose_run",
    "decide_campaign",
    "facts_of",
    "retest_summary",
]

_SUMMARY: Final = "summary"
_RETEST: Final = "retest"
_SETTLED = ("false_positive", "accepted")


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignContent:
    """The figures of a campaign run, and its attempts."""

    summary: CampaignSummary
    attempts: tuple[AttemptRecord, ...] = ()


def campaign_summary(config: Config, store: RunStore, record: CampaignRun) -> CampaignSummary:
    """Return the figures of a campaign run; held-out goals are hashes in it."""
    return campaign_content(config, store, record).summary


def campaign_content(config: Config, store: RunStore, record: CampaignRun) -> CampaignContent:
    """Return the figures and the attempts of a campaign run; those of a finished one are counted once and kept."""
    record = choose_run(store, record.campaign, number=record.n)  # it may have ended since it was read
    facts = facts_of(config, store, record)
    name = _kept_name(_SUMMARY, record)
    kept = read_figures(store.folder, record.campaign, name, CampaignContent) if record.finished else None
    if kept is not None:
        return replace(kept, summary=replace(kept.summary, facts=facts))
    entries: list[AttackEntry] = []
    attempts: list[AttemptRecord] = []
    others = 0
    for run in facts.runs:
        found, other = read_entries(results_of(store, [run]))
        entries += found
        attempts += [_attempt_record(each, run, facts.rotation) for each in found]
        others += other
    entries.sort(key=lambda entry: entry.attempt.round)
    made = CampaignContent(summary=summarise_entries(entries, facts, others=others), attempts=tuple(attempts))
    if record.finished:
        keep_figures(store.folder, record.campaign, name, made)
    return made


def campaign_total(store: RunStore, record: CampaignRun) -> AttackFigures | None:
    """Return the figures of all attempts of a finished campaign run; ``None`` if they were not counted yet."""
    if record.finished is None:
        return None
    return read_figures(
        store.folder, record.campaign, _kept_name(_SUMMARY, record), AttackFigures, part=("summary", "total")
    )


def retest_summary(config: Config, store: RunStore, before: CampaignRun, after: CampaignRun) -> RetestSummary:
    """Return the figures of two campaign runs, paired by attempt; those of finished runs are counted once and kept."""
    is_over = before.finished is not None and after.finished is not None
    name = f"{_kept_name(_RETEST, before)}-{_kept_name('', after)}"
    kept = read_figures(store.folder, before.campaign, name, RetestSummary) if is_over else None
    if kept is not None:
        summaries = [replace(each, facts=facts_of(config, store, run)) for each, run in
                     ((kept.before, before), (kept.after, after))]  # fmt: skip
        return replace(kept, before=summaries[0], after=summaries[1])
    made = compare_campaigns(
        results_of(store, runs_of(store, before)),
        results_of(store, runs_of(store, after)),
        facts_of(config, store, before),
        after_facts=facts_of(config, store, after),
        mitigation=after.mitigation or ("behind the guard" if after.guarded and not before.guarded else ""),
    )
    if is_over:
        keep_figures(store.folder, before.campaign, name, made)
    return made


def _kept_name(what: str, record: CampaignRun) -> str:
    ended = f"{record.finished:%Y%m%d%H%M%S%f}" if record.finished else ""
    return f"{what}-{record.n}-{ended}".strip("-")


def _attempt_record(entry: AttackEntry, run: str, rotation: str) -> AttemptRecord:
    attempt, result = entry.attempt, entry.result
    hidden = attempt.held_out
    return AttemptRecord(
        run=run,
        case="" if hidden else entry.key[0],
        sample=entry.key[1],
        goal=goal_name(entry, rotation),
        scope=attempt.scope,
        severity=result.severity or attempt.severity,
        channel=attempt.channel,
        language=attempt.language,
        techniques=() if hidden else attempt.techniques,
        outcome=result.outcome,
        stopped_by=result.stopped_by or "",
        stopped_at=result.stopped_at or "",
        held_out=hidden,
    )


def facts_of(config: Config, store: RunStore, record: CampaignRun) -> CampaignFacts:
    """Return what a campaign run was."""
    settings = config.settings.redteam.get(record.campaign)
    runs = runs_of(store, record)
    try:
        planned = attempts_facts(config.store, record.attempts)
        seed, rotation = planned.seed, planned.rotation
    except NotFoundError:  # the figures need no attempts file
        seed, rotation = None, settings.rotation if settings else ""
    extra = {"run of the campaign": str(record.n), "kind": record.kind}
    if record.tries is not None:
        extra["tries per goal"] = str(record.tries)
    if record.mitigation:
        extra["after"] = record.mitigation
    counts = Counter(each.status for each in findings(store, record.campaign, target=record.target))
    if counts:
        extra["triage"] = ", ".join(
            f"{counts[each]} {each.replace('_', ' ')}" for each in FINDING_STATUSES if counts[each]
        )
    if record.finished is None:
        extra["state"] = "not finished"
    return CampaignFacts(
        name=record.campaign,
        target=record.target,
        guarded=record.guarded,
        note=settings.note if settings else "",
        runs=tuple(runs),
        planned=sum(store.get(run).total or 0 for run in runs),
        seed=seed,
        rotation=rotation,
        started=record.started,
        finished=record.finished,
        extra=extra,
    )


def choose_run(store: RunStore, campaign: str, *, number: int | None = None, target: str | None = None) -> CampaignRun:
    """Return a run of a campaign by its number; by default the newest, of one target or any.

    Raises:
        NotFoundError: there is no such run.
    """
    there = campaigns.find(store, campaign, target=target)
    chosen = [each for each in there if number is None or each.n == number]
    if chosen:
        return chosen[0]
    known = ", ".join(str(each.n) for each in there)
    hint = f"it has the runs {known}" if known else f"see its imported findings: proctor redteam triage {campaign}"
    what = f"no run {number}" if number is not None else "no run"
    raise NotFoundError(f"the campaign {campaign!r} has {what}{f' against {target}' if target else ''}", hint=hint)


def decide_campaign(
    store: RunStore, record: CampaignRun, total: AttackFigures, *, target: str, allowed: float, refused: int = 0
) -> tuple[int, str]:
    """Return the exit code and the decision in words.

    A run fails if it reached a goal that is not a rejected or accepted finding of ``target``. It cannot be judged if
    more than the share ``allowed`` of its attempts is unscored, if none was scored, or if the budget ``refused`` calls.
    """
    entries, _ = read_entries(results_of(store, runs_of(store, record)))
    reached = {finding_id(each.goal, each.attempt.scope, target) for each in entries if each.is_executed}
    settled = {each.id for each in findings(store, record.campaign, statuses=_SETTLED)}
    waiting = len(reached - settled)
    spared = f"; {len(reached & settled)} more are accepted or rejected" if reached & settled else ""
    if waiting:
        goals = "1 goal was" if waiting == 1 else f"{waiting} goals were"
        return EXIT_CODES["failed"], f"FAILED: {goals} reached in {total.executed} of {total.scored} attempts{spared}"
    if refused:
        return EXIT_CODES["unjudged"], "NOT JUDGED: the budget is spent"
    if not total.scored:
        return EXIT_CODES["unjudged"], "NOT JUDGED: no attempt could be scored"
    if total.unscored > allowed * total.attempts:
        share = f"{total.unscored} of {total.attempts} attempts could not be scored; at most {allowed:.0%} may"
        return EXIT_CODES["unjudged"], f"NOT JUDGED: {share}"
    return EXIT_CODES["passed"], f"PASSED: no goal was reached in {total.scored} scored attempts{spared}"
