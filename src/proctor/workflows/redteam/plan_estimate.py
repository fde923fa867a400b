"""What a plan comes to on its target: attempts that cannot be judged, and the cost of what is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from proctor.core.attack import NEEDS, attempt_of
from proctor.core.chat import Usage
from proctor.core.errors import ConfigError
from proctor.project import Project
from proctor.workflows.redteam.campaign import Campaign
from proctor.workflows.redteam.plan_campaign import CampaignPlan

__all__ = ["estimate_plan"]


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
