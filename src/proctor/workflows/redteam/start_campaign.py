"""Start a campaign run, or find the unfinished one that the same command began."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from proctor.core.attack import attempt_of
from proctor.core.case import Case
from proctor.core.errors import NotFoundError
from proctor.project import Project
from proctor.store import campaigns
from proctor.store.campaigns import CampaignKind, CampaignRun
from proctor.store.lock import sole_writer
from proctor.store.runs import RunStore
from proctor.workflows.redteam.attempts_file import AttemptsFacts, attempts_facts, attempts_in, keep_attempts
from proctor.workflows.redteam.campaign import GUARDED_MARK, Campaign, campaign_folder, guard_target, open_campaign
from proctor.workflows.redteam.plan_campaign import plan_campaign

__all__ = ["last_attack", "resumed_campaign", "sole_attacker", "start_attack", "start_retest", "with_target_of"]

_PLANNED = ("scopes", "only", "languages", "techniques", "seed", "held_out", "rotation")


def start_attack(
    campaign: Campaign, *, tries: int | None = None, afresh: bool = False
) -> tuple[CampaignRun, tuple[str, ...]]:
    """Plan the campaign and return its run, and notes of the plan.

    An unfinished run of the same attempts on the same target goes on, unless ``afresh``. ``tries`` makes it adaptive.

    Raises:
        InputError: a goal, a setting or the target is wrong; nothing was begun.
        StoreError: the attempts cannot be written.
    """
    _check_target(campaign)
    plan = plan_campaign(campaign).plan
    facts = AttemptsFacts(notes=plan.notes, **{name: getattr(campaign.settings, name) for name in _PLANNED})
    first = plan.attempts if tries is None else _first_tries(plan.attempts, tries)
    attempts = keep_attempts(campaign.config.store, campaign.name, first, facts)
    kind: CampaignKind = "attack" if tries is None else "adaptive"
    new = CampaignRun(
        campaign=campaign.name,
        kind=kind,
        target=campaign.target,
        guarded=campaign.guarded,
        attempts=attempts,
        tries=tries,
    )
    with RunStore(campaign.config.store) as store:
        record = campaigns.begin(store, new) if afresh else campaigns.go_on_or_begin(store, new)
    return record, plan.notes


def _first_tries(attempts: Sequence[Case], most: int) -> tuple[Case, ...]:
    """Return at most so many attempts of each goal: the first round of a search uses up its tries too."""
    made = Counter[str]()
    kept = []
    for case in attempts:
        attempt = attempt_of(case)
        goal = attempt.goal if attempt is not None else case.id
        made[goal] += 1
        if made[goal] <= most:
            kept.append(case)
    return tuple(kept)


def start_retest(campaign: Campaign, before: CampaignRun, *, mitigation: str) -> CampaignRun:
    """Return the run that repeats the attempts of an earlier one; an unfinished one with the same note goes on.

    The attempts of all rounds of an adaptive run are repeated together.

    Raises:
        InputError: the target is wrong; nothing was begun.
        NotFoundError: the attempts are gone.
    """
    _check_target(campaign)
    with RunStore(campaign.config.store) as store:
        files = [each.attempts for each in campaigns.rounds(store, before)] or [before.attempts]
    attempts = before.attempts
    if len(files) > 1:
        cases = {case.id: case for file in files for case, _ in attempts_in(campaign.config.store, file)}
        facts = attempts_facts(campaign.config.store, before.attempts)
        attempts = keep_attempts(campaign.config.store, campaign.name, tuple(cases.values()), facts)
    new = CampaignRun(
        campaign=campaign.name,
        kind="retest",
        target=campaign.target,
        guarded=campaign.guarded,
        attempts=attempts,
        mitigation=mitigation,
        repeats=before.n,
    )
    with RunStore(campaign.config.store) as store:
        return campaigns.go_on_or_begin(store, new)


def resumed_campaign(campaign: Campaign) -> tuple[Campaign, CampaignRun]:
    """Return the newest unfinished run of a campaign, and the campaign with its target and its plan.

    Raises:
        NotFoundError: every run of it is complete.
    """
    with RunStore(campaign.config.store) as store:
        waiting = campaigns.find(store, campaign.name, finished=False)
    if not waiting:
        raise NotFoundError(
            f"no run of {campaign.name!r} is unfinished", hint=f"start one: proctor redteam run {campaign.name}"
        )
    facts = attempts_facts(campaign.config.store, waiting[0].attempts)
    settings = replace(campaign.settings, **{name: getattr(facts, name) for name in _PLANNED})
    return with_target_of(replace(campaign, settings=settings), waiting[0]), waiting[0]


def with_target_of(campaign: Campaign, run: CampaignRun) -> Campaign:
    """Return the campaign with the target of one of its runs.

    Raises:
        InputError: the target is no longer configured.
    """
    if not run.guarded:
        return replace(campaign, target=run.target)
    plain = open_campaign(campaign.config, campaign.name, target=run.target.removesuffix(GUARDED_MARK))
    return guard_target(replace(plain, settings=campaign.settings))


def sole_attacker(store: Path, record: CampaignRun) -> AbstractContextManager[None]:
    """Be the only process that carries out a campaign run, so that no attempt is made twice.

    Raises:
        InputError: another process carries it out.
        StoreError: the lock cannot be created.
    """
    return sole_writer(
        campaign_folder(store, record.campaign) / f"run-{record.n}.lock",
        f"run {record.n} of the campaign {record.campaign}",
        shown_by=f"proctor redteam show {record.campaign} --run {record.n}",
    )


def last_attack(campaign: Campaign, store: RunStore, *, target: str | None = None) -> CampaignRun:
    """Return the newest complete run of a campaign that is no retest, of one target or any.

    Raises:
        NotFoundError: there is none.
    """
    complete = campaigns.find(store, campaign.name, finished=True, target=target)
    found = next((each for each in complete if each.kind != "retest"), None)
    if found is None:
        raise NotFoundError(
            f"{campaign.name!r} has no complete run{f' against {target}' if target else ''}",
            hint=f"run it first: proctor redteam run {campaign.name}",
        )
    return found


def _check_target(campaign: Campaign) -> None:
    """Create the target: a wrong one must leave no unfinished run behind."""
    with Project(campaign.config) as project:
        project.targets([campaign.target])
