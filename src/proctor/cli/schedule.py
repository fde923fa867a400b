"""proctor schedule: run what is due, for cron: the evaluation methodology, and the project's triggers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor.cli.context import project
from proctor.cli.tables import print_table
from proctor.config import Config, Trigger
from proctor.core.errors import ConfigError, ProctorError

if TYPE_CHECKING:
    from proctor.workflows.monitor.schedule import EntryState
    from proctor.workflows.monitor.schedule_entries import ScheduleEntry

__all__ = ["verb"]

_SLACK = timedelta(minutes=10)  # tolerance for cron's start times
_FLAGS: dict[str, Any] = {"resume": None, "retry_unscored": False, "record": None, "outputs": (), "suite": None}
_WORDS = {0: "ok", 1: "limit missed", 2: "failed", 3: "nothing to measure", 130: "interrupted"}


@click.group("schedule", short_help="Run what is due: the evaluation methodology and `triggers:`; for cron.")
def verb() -> None:
    """Run what is due; for cron.

    Entries are those of the evaluation methodology (completion and escalations daily, consistency, audit and
    calibration weekly, drift monthly, gates and scores hourly, digests), changed or switched off under `schedule:` in
    proctor.yaml, and the `triggers:` with `every:`. An entry runs once there is something to measure.
    """


@verb.command("run")
@click.argument("names", metavar="[ENTRY]…", nargs=-1)
@click.option("--now", is_flag=True, help="Also entries that are not due yet.")
@click.option("-v", "--verbose", is_flag=True, help="Print the whole report of each run, not only its decision.")
@click.pass_context
def run_due(ctx: click.Context, names: tuple[str, ...], now: bool, verbose: bool) -> int:
    """Run each due ENTRY, one after the other; default: all triggers with `every:` and all entries of the schedule.

    Only one process runs at a time: a second one reports this and exits. One that fails does not stop the others; it is
    due again after a tenth of its period. One that was killed is due again at once. The exit code is that of the worst.
    """
    from proctor.cli.triggers import worst  # noqa: PLC0415 - verbs load what they use
    from proctor.store.lock import only_one  # noqa: PLC0415

    config = project(ctx)
    entries = _entries(config, names)
    triggers = [_known(config, name) for name in names if name not in entries] if names else _scheduled(config)
    if not names and not triggers and not any(not state.missing for state in _states(config, list(entries.values()))):
        raise _nothing(config)
    codes: list[int] = []
    with only_one(config.store / "schedule.lock") as free:
        if not free:
            click.echo("another `proctor schedule run` is at work here", err=True)
            return 0
        for name in triggers:
            codes += _run_trigger(config, name, now=now, verbose=verbose)
        codes += _run_entries(config, list(entries.values()), now=now, named=bool(names))
    return worst(codes)


@verb.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.pass_context
def list_due(ctx: click.Context, as_json: bool) -> None:
    """List the entries and triggers: what each measures, when it last ran, what came of it, and when it is due."""
    from proctor.core.codec import dumps  # noqa: PLC0415

    config = project(ctx)
    rows = [*_trigger_rows(config), *_entry_rows(config)]
    columns = ("entry", "every", "measures", "last run", "result", "due", "about")
    if as_json:
        for row in rows:
            click.echo(dumps(dict(zip(columns, row, strict=True))).decode())
        return
    print_table(columns, rows, empty="nothing is scheduled")


def _run_trigger(config: Config, name: str, *, now: bool, verbose: bool) -> list[int]:
    from proctor.cli.main import print_error  # noqa: PLC0415
    from proctor.cli.run import carry  # noqa: PLC0415
    from proctor.cli.triggers import jobs_of, trigger_of  # noqa: PLC0415

    wait = _wait(config, name, trigger_of(config, name))
    if wait and not now:
        click.echo(f"{name}: due in {_span(wait)}")
        return []
    codes = []
    try:
        for job in jobs_of(config, {"trigger": name}):
            click.echo(f"{name}: {job.suite}")
            codes.append(carry(config, job, {**_FLAGS, "quiet": not verbose}))
    except ProctorError as error:  # the others run all the same
        print_error(error)
        codes.append(error.exit_code)
    return codes


def _run_entries(config: Config, entries: Sequence[ScheduleEntry], *, now: bool, named: bool) -> Iterator[int]:
    from dataclasses import replace  # noqa: PLC0415

    from proctor.store.schedule_state import ScheduleState  # noqa: PLC0415
    from proctor.workflows.monitor.schedule import entry_states, run_entry  # noqa: PLC0415
    from proctor.workflows.monitor.scheduled_measures import MeasureContext  # noqa: PLC0415

    # A person who names an entry wants its calls to the target.
    chosen = [replace(entry, asks=False) for entry in entries] if named else entries
    begun = datetime.now(UTC)
    context = MeasureContext(config=config, now=begun)
    with ScheduleState(config.store) as state:
        for each in entry_states(config, state, chosen, begun):
            name = each.entry.name
            if each.missing:
                if named:
                    click.echo(f"{name}: cannot run: {each.missing}", err=True)
                    yield 2
                continue
            if each.wait is not None and not now:
                click.echo(f"{name}: due in {_span(each.wait)}")
                continue
            result = run_entry(context, state, each.entry, lambda: datetime.now(UTC))
            colour = {0: None, 1: "red", 2: "red"}.get(result.code, "yellow")
            click.secho(f"{name}: {_WORDS.get(result.code, 'failed')}: {result.summary}", fg=colour)
            # In a schedule, an hour without traffic is normal; a person who names an entry is told by the exit code.
            yield 0 if result.code == 3 and not named else result.code


def _entries(config: Config, names: Sequence[str]) -> dict[str, ScheduleEntry]:
    from proctor.workflows.monitor.schedule_entries import entries_of  # noqa: PLC0415

    known = entries_of(config)
    return {name: known[name] for name in names if name in known} if names else known


def _known(config: Config, name: str) -> str:
    """Return the name of a trigger.

    Raises:
        click.UsageError: neither a trigger nor an entry of the schedule has this name.
    """
    from proctor.cli.triggers import TRIGGERS  # noqa: PLC0415
    from proctor.core.decode import closest  # noqa: PLC0415

    triggers = config.settings.triggers
    if name in triggers or name in TRIGGERS:
        return name
    known = [*_entries(config, ()), *triggers]
    guess = closest(name, known)
    hint = f"Did you mean {guess!r}?" if guess else f"Known: {', '.join(known)}."
    raise click.UsageError(f"there is no entry or trigger {name!r}. {hint}")


def _states(config: Config, entries: Sequence[ScheduleEntry]) -> list[EntryState]:
    from proctor.store.schedule_state import SCHEDULE_FILE, ScheduleState  # noqa: PLC0415
    from proctor.workflows.monitor.schedule import EntryState, entry_states  # noqa: PLC0415
    from proctor.workflows.monitor.scheduled_measures import needs_met  # noqa: PLC0415

    if not (config.store / SCHEDULE_FILE).is_file():  # a list writes nothing
        return [EntryState(entry=entry, missing=needs_met(config, entry)) for entry in entries]
    with ScheduleState(config.store) as state:
        return list(entry_states(config, state, entries, datetime.now(UTC)))


def _entry_rows(config: Config) -> Iterator[tuple[str, ...]]:
    from proctor.store.lock import is_held  # noqa: PLC0415

    running = is_held(config.store / "schedule.lock")
    for each in _states(config, list(_entries(config, ()).values())):
        last, done = each.last, each.done
        unfinished = last is not None and last.finished is None
        result = (
            "running"
            if unfinished and running
            else "interrupted"
            if unfinished
            else _WORDS.get(done.result.code, "failed")
            if done
            else ""
        )
        due = "not set up" if each.missing else f"in {_span(each.wait)}" if each.wait else "now"
        about = each.missing or (done.result.summary if done else "")
        yield (
            each.entry.name,
            each.entry.every,
            each.entry.metric,
            _shown(last.started if last else None),
            result,
            due,
            about,
        )


def _trigger_rows(config: Config) -> Iterator[tuple[str, ...]]:
    for name in _scheduled(config):
        trigger = config.settings.triggers[name]
        wait = _wait(config, name, trigger)
        run = _last_run(config, name)
        due = f"in {_span(wait)}" if wait else "now"
        result = "" if run is None else run.decision or run.status
        every = trigger.every or "whenever asked"
        measures = f"suites {', '.join(trigger.suites)}"
        yield name, every, measures, _shown(run.started if run else None), result, due, run.reason if run else ""


def _scheduled(config: Config) -> list[str]:
    triggers = config.settings.triggers
    return [name for name, trigger in triggers.items() if trigger.every] or [n for n in ("schedule",) if n in triggers]


def _nothing(config: Config) -> ConfigError:
    return ConfigError(
        "nothing is scheduled",
        file=str(config.path or Path.cwd()),
        field="triggers",
        hint="add e.g. `triggers: {schedule: {suites: [first], every: 1 week}}` to proctor.yaml, or send events to "
        "`proctor serve`; `proctor schedule list` shows what each entry waits for",
    )


def _last_run(config: Config, name: str) -> Any:
    from proctor.store.runs import RunStore  # noqa: PLC0415

    with RunStore(config.store) as store:
        return next((run for run in store.list(limit=1000) if run.fingerprint.trigger == name), None)


def _wait(config: Config, name: str, trigger: Trigger) -> timedelta | None:
    """Return the time until the trigger is due; none if it is due."""
    run = _last_run(config, name)
    now = datetime.now(UTC)
    if run is None or trigger.seconds is None or run.started > now + _SLACK:  # started by a clock that was wrong
        return None
    every = timedelta(seconds=trigger.seconds)
    left: timedelta = run.started + every - now
    return left if left > min(_SLACK, every / 10) else None


def _shown(time: datetime | None) -> str:
    return f"{time.astimezone():%Y-%m-%d %H:%M}" if time else "never"


def _span(left: timedelta) -> str:
    minutes = max(1, round(left.total_seconds() / 60))
    if minutes < 90:
        return f"{minutes} min"
    hours = round(minutes / 60)
    return f"{hours} h" if hours < 48 else f"{round(hours / 24)} days"
