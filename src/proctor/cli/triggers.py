"""Build jobs from flags and triggers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from proctor.config import Config, RunSettings, Trigger
from proctor.core.decode import closest
from proctor.store.runs import RunStore
from proctor.workflows.run.job import Job, resumed_job

__all__ = ["TRIGGERS", "flags_of_failing_run", "jobs_of", "trigger_of", "worst"]

TRIGGERS = ("prompt_change", "model_upgrade", "knowledge_refresh", "schedule", "manual")
_SETTINGS = ("concurrency", "repeat", "pass_rate", "unscored", "timeout", "cache", "budget", "rate", "seed")
_LISTS = ("targets", "models", "tags", "not_tags", "intents", "scorers")


def trigger_of(config: Config, name: str) -> Trigger:
    """Return a trigger of proctor.yaml; a standard name that is not set there selects nothing.

    Raises:
        click.UsageError: there is no such trigger.
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
    """Return a job for each suite; flags override the trigger."""
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


def flags_of_failing_run(config: Config, flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the flags, completed with the choices of the run named by `only_failing`.

    Suite, targets, models, judges, checks and samples that neither a flag nor the trigger gives are those of that run.
    Otherwise the failed cases of one target would be run against the default target.
    """
    trigger = trigger_of(config, flags["trigger"])
    with RunStore(config.store) as store:
        run = store.find(flags["only_failing"])
        stored = "job" in run.settings
        earlier = resumed_job(store, run) if stored else Job(suite="")
    if earlier.conversations:  # recorded conversations: no target that can be run
        earlier, stored = Job(suite=""), False
    folder = Path(earlier.folder)
    completed = {**flags, "only_failing": run.id}
    if not (flags.get("suite") or trigger.suites) and earlier.suite:
        there = folder / earlier.suite
        completed["suite"] = str(there) if there.exists() else earlier.suite
    if not any(flags.get(name) or getattr(trigger, name) for name in ("targets", "models")):
        completed |= {"targets": earlier.targets, "models": earlier.models}
    inherited = {
        "judges": earlier.judges,
        "metrics": tuple(folder / each for each in earlier.metrics),
        "baseline": earlier.baseline,
        "scorers": () if trigger.scorers else earlier.scorers,
        "light": earlier.light,
        "repeat": earlier.run.repeat if stored and not trigger.repeat else None,
    }
    return completed | {name: value for name, value in inherited.items() if not flags.get(name)}


def worst(codes: Sequence[int]) -> int:
    """Return the exit code of several runs: interrupted > wrong input > failed > not judged > passed."""
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
