"""From flags and triggers to what is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from proctor.config import Config, RunSettings, Trigger
from proctor.core.decode import closest
from proctor.workflows.run.job import Job

__all__ = ["TRIGGERS", "jobs_of", "trigger_of", "worst"]

TRIGGERS = ("prompt_change", "model_upgrade", "knowledge_refresh", "schedule", "manual")
_SETTINGS = ("concurrency", "repeat", "pass_rate", "unscored", "timeout", "cache", "budget", "rate", "seed")
_LISTS = ("targets", "models", "tags", "not_tags", "intents", "scorers")


def trigger_of(config: Config, name: str) -> Trigger:
    """What proctor.yaml says of a trigger; one that it says nothing of selects nothing and leaves all to the flags.

    Raises:
        click.UsageError: nothing is called that.
    """
    known = config.settings.triggers
    if name in known:
        return known[name]
    if name in TRIGGERS:
        return Trigger()
    guess = closest(name, (*known, *TRIGGERS))
    hint = f"Did you mean {guess!r}?" if guess else f"Known: {', '.join(dict.fromkeys((*known, *TRIGGERS)))}."
    raise click.UsageError(f"there is no trigger {name!r}. {hint}")


def jobs_of(config: Config, flags: Mapping[str, Any]) -> list[Job]:
    """A job for each suite; what a flag says goes before what the trigger says."""
    trigger = trigger_of(config, flags["trigger"])
    given: dict[str, Any] = {"repeat": trigger.repeat} if trigger.repeat else {}
    given |= {name: flags[name] for name in _SETTINGS if flags.get(name) is not None}
    try:
        settings: RunSettings = replace(config.settings.run, **given)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    chosen: dict[str, Any] = {name: tuple(flags.get(name) or ()) or getattr(trigger, name) for name in _LISTS}
    return [
        Job(
            suite=suite,
            judge=next(iter(flags.get("judges") or ()), None),
            judges=tuple(flags.get("judges") or ()),
            metrics=tuple(str(each) for each in flags.get("metrics") or ()),
            baseline=bool(flags.get("baseline")),
            store_completions=bool(flags.get("store_completions")),
            run=settings,
            cases=tuple(flags.get("cases") or ()),
            first=flags.get("first"),
            sample=flags.get("sample") or trigger.sample,
            only_failing=flags.get("only_failing"),
            trigger=flags["trigger"],
            folder=str(Path.cwd()),
            allow_commands=bool(flags.get("allow_commands")),
            light=bool(flags.get("light")) or trigger.light,
            **chosen,
        )
        for suite in _suites(config, flags.get("suite"), trigger)
    ]


def worst(codes: Sequence[int]) -> int:
    """The exit code of several runs: an interruption before a failure, and that before what could not be judged."""
    return next((code for code in (130, 2, 1, 3) if code in codes), 0)


def _suites(config: Config, named: str | None, trigger: Trigger) -> Sequence[str]:
    if named:
        return (named,)
    if trigger.suites:
        return trigger.suites
    suites = tuple(config.settings.suites)
    if len(suites) != 1:
        raise click.UsageError("name a SUITE: a file, a folder, or one of `suites:` in proctor.yaml.")
    return suites
