"""A campaign as configured under `redteam:` and changed by flags: its target, its goals, and its files."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from proctor import registry
from proctor.config import Config
from proctor.core.attack import Goal
from proctor.core.campaign_settings import CampaignSettings
from proctor.core.decode import closest
from proctor.core.errors import ConfigError, InputError, NotFoundError
from proctor.redteam.goals import load_goals

__all__ = ["Campaign", "campaign_folder", "goals_of", "guard_target", "open_campaign"]

GUARDED_MARK = "+guard"  # ends the name of a target that a campaign has put behind the guard
_NOT_IN_FOLDERS = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """A campaign to plan or run. ``config`` has the target, behind the guard if ``guarded``."""

    name: str
    settings: CampaignSettings
    config: Config
    target: str
    guarded: bool = False


def open_campaign(config: Config, name: str | None, *, target: str | None = None, **changes: Any) -> Campaign:
    """Return a campaign by its name, by default the only one; ``changes`` replace its settings where not None.

    Without `redteam:` in proctor.yaml a campaign has the default settings and the name of its target.

    Raises:
        NotFoundError: there is no such campaign.
        InputError: there are several and none is named, a value is wrong, or there is no target.
    """
    known = config.settings.redteam
    if name is None and len(known) > 1:
        matching = [each for each, settings in known.items() if target and settings.target == target]
        if len(matching) != 1:
            raise InputError("there are several campaigns", hint=f"name one of: {', '.join(known)}")
        name = matching[0]
    if name is None:
        name = next(iter(known), None) or target or config.settings.target
    if name is None:
        raise ConfigError("nothing to attack: no campaign and no target is set", hint=_HINT)
    if name not in known and known:
        guess = closest(name, known)
        hint = f"did you mean {guess!r}?" if guess else f"`redteam:` in proctor.yaml has: {', '.join(known)}"
        raise NotFoundError(f"there is no campaign {name!r}", hint=hint)
    try:
        given = {key: value for key, value in changes.items() if value not in (None, ())}
        settings = replace(known.get(name, CampaignSettings()), **given)
    except ValueError as error:
        raise InputError(str(error), hint="change the flag") from error
    chosen = target or settings.target or config.settings.target
    if chosen is None:
        raise ConfigError(f"the campaign {name!r} has no target", hint=_HINT)
    return Campaign(name=name, settings=settings, config=config, target=chosen)


_HINT = "name one with --target, or write `redteam: {NAME: {target: …, goals: redteam/*.yaml}}` in proctor.yaml"


def guard_target(campaign: Campaign) -> Campaign:
    """Return the campaign with its target behind the project's guard, as `guard: true` does.

    Raises:
        InputError: the target is not one of proctor.yaml.
    """
    targets = campaign.config.settings.targets
    entry = _entry(targets.get(campaign.target))
    if entry is None:
        hint = f"write it under `targets:` in proctor.yaml; known: {', '.join(targets) or 'none'}"
        raise InputError(f"--guarded needs a target of proctor.yaml, not {campaign.target!r}", hint=hint)
    if entry.get("guard") not in (None, False):
        return replace(campaign, guarded=True)
    name = f"{campaign.target}{GUARDED_MARK}"
    settings = replace(campaign.config.settings, targets={**targets, name: {**entry, "guard": True}})
    return replace(campaign, config=replace(campaign.config, settings=settings), target=name, guarded=True)


def _entry(written: Any) -> dict[str, Any] | None:
    """Return the settings of a target; a text stands for a kind and its main setting."""
    if written is None:
        return None
    if not isinstance(written, str):
        return dict(written)
    if written.startswith(("http://", "https://")):
        return {"http": written}
    kind, colon, rest = written.partition(":")
    return {kind: rest} if colon and rest and kind in registry.names("targets") else {"prompt": written}


def goals_of(campaign: Campaign) -> tuple[Goal, ...]:
    """Load the goals of a campaign, of its scopes and ids only.

    Raises:
        InputError: there is no such file, or a goal is wrong.
    """
    written = campaign.settings.goals
    patterns = (written,) if isinstance(written, str) else written
    folder = campaign.config.folder
    files: list[Path] = []
    for pattern in patterns:
        found = [Path(pattern)] if Path(pattern).is_absolute() else sorted(folder.glob(pattern))
        if not found:
            file = str(campaign.config.path) if campaign.config.path else None
            raise InputError(f"no file matches {pattern!r}", file=file, field="goals", hint="see docs/redteam.md")
        files += found
    goals = load_goals(dict.fromkeys(files))
    scopes, only = campaign.settings.scopes, campaign.settings.only
    named = [goal for goal in goals if not only or any(fnmatchcase(goal.id, each) for each in only)]
    if not named:
        guess = closest(only[0], [goal.id for goal in goals])
        raise InputError(f"no goal is called {' or '.join(only)}", hint=f"did you mean {guess!r}?" if guess else None)
    chosen = tuple(goal for goal in named if not scopes or goal.scope in scopes)
    if not chosen:
        there = ", ".join(sorted({goal.scope for goal in named}))
        raise InputError(f"no goal is of scope {' or '.join(scopes)}", hint=f"the files have: {there}")
    return chosen


def campaign_folder(store: Path, name: str) -> Path:
    """Return the folder of a campaign's attempts files."""
    return store / "redteam" / (_NOT_IN_FOLDERS.sub("-", name).strip("-.") or "campaign")
