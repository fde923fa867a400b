"""The figures of a campaign run, alone or beside another one of the same attempts."""

from __future__ import annotations

from collections import Counter

from proctor.config import Config
from proctor.core.attack_finding import FINDING_STATUSES
from proctor.core.campaign import CampaignFacts, CampaignSummary, RetestSummary
from proctor.core.errors import NotFoundError
from proctor.redteam.retest import compare_campaigns
from proctor.redteam.summary import summarise_campaign
from proctor.store import campaigns
from proctor.store.campaigns import CampaignRun
from proctor.store.findings import findings
from proctor.store.runs import RunStore
from proctor.workflows.redteam.attempt_results import results_of, runs_of
from proctor.workflows.redteam.attempts_file import attempts_facts

__all__ = ["campaign_summary", "choose_run", "facts_of", "retest_summary"]


def campaign_summary(config: Config, store: RunStore, record: CampaignRun) -> CampaignSummary:
    """Return the figures of a campaign run; held-out goals are hashes in it."""
    return summarise_campaign(results_of(store, runs_of(store, record)), facts_of(config, store, record))


def retest_summary(config: Config, store: RunStore, before: CampaignRun, after: CampaignRun) -> RetestSummary:
    """Return the figures of two campaign runs, paired by attempt."""
    return compare_campaigns(
        results_of(store, runs_of(store, before)),
        results_of(store, runs_of(store, after)),
        facts_of(config, store, before),
        after_facts=facts_of(config, store, after),
        mitigation=after.mitigation or ("behind the guard" if after.guarded and not before.guarded else ""),
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
