"""Plan a campaign: its attempts, and how many messages they send. Nothing is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proctor.core.attack import NEEDS, SCOPES, Goal, attempt_of
from proctor.core.chat import Usage
from proctor.core.errors import ConfigError
from proctor.project import Project
from proctor.redteam.plan import AttackPlan, PlanSettings, is_held_out, plan_attempts
from proctor.workflows.redteam.campaign import Campaign, goals_of

__all__ = ["CampaignPlan", "estimate_plan", "plan_campaign", "plan_settings"]

_CHARS_PER_TOKEN = 4  # a rough average; a plan is no bill


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignPlan:
    """A planned campaign: the goals, the attempts, and what running them takes.

    ``messages`` counts what is sent to the target for the attempts, ``twin_messages`` for their benign twins.
    ``tokens`` estimates the words that are sent, without what the target adds to them. ``margins`` count attempts by
    technique, language and channel.
    """

    campaign: str
    target: str
    goals: tuple[Goal, ...]
    plan: AttackPlan
    messages: int
    twin_messages: int
    tokens: int
    margins: Mapping[str, Mapping[str, int]]


def plan_campaign(campaign: Campaign) -> CampaignPlan:
    """Return the plan of a campaign; the same settings and goals give the same attempts.

    Raises:
        InputError: a goal, a technique or a setting is wrong.
    """
    goals = goals_of(campaign)
    settings = plan_settings(campaign)
    if campaign.settings.only:  # other scopes are left out on purpose: no notes about them
        settings = replace(settings, scopes=tuple(each for each in SCOPES if any(goal.scope == each for goal in goals)))
    plan = plan_attempts(goals, settings)
    if not campaign.settings.only:
        plan = replace(plan, notes=(*plan.notes, *_held_out_notes(goals, settings)))
    messages = twins = chars = 0
    margins: dict[str, Counter[str]] = {"channel": Counter(), "language": Counter(), "technique": Counter()}
    for case in plan.attempts:
        attempt = attempt_of(case)
        if attempt is None:
            continue
        messages += len(case.asks)
        twins += len(attempt.twin_turns)
        chars += _sent_chars([ask.text for ask in case.asks]) + _sent_chars(attempt.twin_turns)
        margins["channel"][attempt.channel] += 1
        margins["language"][attempt.language] += 1
        margins["technique"].update(attempt.techniques)
    return CampaignPlan(
        campaign=campaign.name,
        target=campaign.target,
        goals=goals,
        plan=plan,
        messages=messages,
        twin_messages=twins,
        tokens=chars // _CHARS_PER_TOKEN,
        margins={name: dict(counts.most_common()) for name, counts in margins.items()},
    )


def _held_out_notes(goals: Sequence[Goal], settings: PlanSettings) -> Iterator[str]:
    """Yield a note if a share of the goals is to be held out and none is, as happens with few goals."""
    if settings.held_out > 0 and not any(is_held_out(goal.id, settings) for goal in goals):
        yield (
            f"none of the {len(goals)} goals is held out: `held_out: {settings.held_out:g}` is drawn for each goal by "
            "its id; another `rotation` or a larger share draws others"
        )


def _sent_chars(turns: Sequence[str]) -> int:
    """Return how many characters a conversation sends: each turn comes with those before it."""
    return sum(len(text) * (len(turns) - at) for at, text in enumerate(turns))


def plan_settings(campaign: Campaign) -> PlanSettings:
    """Return the settings of the planner for a campaign."""
    settings = campaign.settings
    return PlanSettings(
        campaign=campaign.name,
        attempts=settings.attempts,
        scopes=settings.scopes or SCOPES,
        languages=settings.languages,
        techniques=settings.techniques,
        seed=settings.seed,
        held_out=settings.held_out,
        rotation=settings.rotation,
    )


def estimate_plan(campaign: Campaign, planned: CampaignPlan) -> Iterator[str]:
    """Yield notes on a plan. The target is created and not called.

    Raises:
        ConfigError: there is no such target.
    """
    with Project(campaign.config) as project:
        [target] = project.targets([campaign.target])
        shows = getattr(target, "shows", ("words",))
        missing: Counter[str] = Counter()
        for case in planned.plan.attempts:
            attempt = attempt_of(case)
            if attempt is not None and not any(NEEDS[effect.kind] in shows for effect in attempt.effects):
                missing[" or ".join(sorted({NEEDS[effect.kind] for effect in attempt.effects}))] += 1
        for needs, count in missing.items():
            yield f"{count} attempts will be unscored: the target does not show its {needs}; see `shows:` in targets.md"
        model = _model_of(campaign)
        if model is not None:
            try:
                cost = project.model_pool().price(model, Usage(input=planned.tokens))
            except ConfigError:
                cost = None
            yield (
                f"{model}: its price is not known"
                if cost is None
                else f"{model}: at least ${cost:.2f}, for the words that are sent alone"
            )


def _model_of(campaign: Campaign) -> str | None:
    """Return the model of the target, as far as the settings name one."""
    settings = campaign.config.settings
    entry = settings.targets.get(campaign.target)
    if isinstance(entry, Mapping):
        named: Any = entry.get("model") or (settings.model if "prompt" in entry else None)
        return named if isinstance(named, str) and "${" not in named else None
    return settings.model if isinstance(entry, str) and ":" not in entry else None
