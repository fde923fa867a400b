"""proctor schedule: run due triggers, for cron."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from proctor.cli.context import project
from proctor.cli.tables import print_table
from proctor.config import Config, Trigger
from proctor.core.errors import ConfigError

__all__ = ["verb"]

_SLACK = timedelta(minutes=10)  # tolerance for cron's start times
_FLAGS: dict[str, Any] = {"resume": None, "retry_unscored": False, "record": None, "outputs": (), "suite": None}


@click.group("schedule", short_help="Run the due `triggers:` of proctor.yaml; for cron.")
def verb() -> None:
    """Run the due `triggers:` of proctor.yaml; for cron.

    A trigger with `every: 1 day` is due a day after its last run; one without `every:` is always due.
    """


@verb.command("run")
@click.argument("names", metavar="[TRIGGER]…", nargs=-1)
@click.option("--now", is_flag=True, help="Also triggers that are not due yet.")
@click.option("-v", "--verbose", is_flag=True, help="Print the whole report of each run, not only its decision.")
@click.pass_context
def run_due(ctx: click.Context, names: tuple[str, ...], now: bool, verbose: bool) -> int:
    """Run each due TRIGGER, one after the other; default: all with `every:`, else `schedule`.

    Only one process runs at a time: a second one reports this and exits. The exit code is that of the worst run.
    """
    from proctor.cli.run import carry  # noqa: PLC0415 - verbs load what they use
    from proctor.cli.triggers import jobs_of, trigger_of, worst  # noqa: PLC0415
    from proctor.store.lock import only_one  # noqa: PLC0415

    config = project(ctx)
    codes: list[int] = []
    with only_one(config.store / "schedule.lock") as free:
        if not free:
            click.echo("another `proctor schedule run` is at work here", err=True)
            return 0
        for name in names or _scheduled(config):
            wait = _wait(config, name, trigger_of(config, name))
            if wait and not now:
                click.echo(f"{name}: due in {_span(wait)}")
                continue
            for job in jobs_of(config, {"trigger": name}):
                click.echo(f"{name}: {job.suite}")
                codes.append(carry(config, job, {**_FLAGS, "quiet": not verbose}))
    return worst(codes)


@verb.command("list")
@click.pass_context
def list_due(ctx: click.Context) -> None:
    """List the scheduled triggers, when each last ran, and when it is due."""
    config = project(ctx)
    rows = []
    for name in _scheduled(config):
        trigger = config.settings.triggers[name]
        last, wait = _last(config, name), _wait(config, name, trigger)
        shown = f"{last.astimezone():%Y-%m-%d %H:%M}" if last else "never"
        due = f"in {_span(wait)}" if wait else "now"
        rows.append((name, trigger.every or "whenever asked", ", ".join(trigger.suites), shown, due))
    print_table(("trigger", "every", "suites", "last run", "due"), rows, empty="nothing is scheduled")


def _scheduled(config: Config) -> list[str]:
    triggers = config.settings.triggers
    found = [name for name, trigger in triggers.items() if trigger.every] or [n for n in ("schedule",) if n in triggers]
    if not found:
        raise ConfigError(
            "nothing is scheduled",
            file=str(config.path or Path.cwd()),
            field="triggers",
            hint="add e.g. `triggers: {schedule: {suites: [first], every: 1 week}}` to proctor.yaml",
        )
    return found


def _last(config: Config, name: str) -> datetime | None:
    from proctor.store.runs import RunStore  # noqa: PLC0415

    with RunStore(config.store) as store:
        return next((run.started for run in store.list(limit=1000) if run.fingerprint.trigger == name), None)


def _wait(config: Config, name: str, trigger: Trigger) -> timedelta | None:
    """Return the time until the trigger is due; none if it is due."""
    last = _last(config, name)
    if last is None or trigger.seconds is None:
        return None
    every = timedelta(seconds=trigger.seconds)
    left = last + every - datetime.now(UTC)
    return left if left > min(_SLACK, every / 10) else None


def _span(left: timedelta) -> str:
    minutes = max(1, round(left.total_seconds() / 60))
    if minutes < 90:
        return f"{minutes} min"
    hours = round(minutes / 60)
    return f"{hours} h" if hours < 48 else f"{round(hours / 24)} days"
