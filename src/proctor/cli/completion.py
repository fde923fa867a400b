"""proctor completion: whether customers got what they came for, from an event log."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

import click

from proctor.cli.context import project
from proctor.cli.options import FILE, events_option, json_option, output_option
from proctor.cli.report_output import check_outputs, emit_report

__all__ = ["verb"]


@click.command("completion", short_help="Report from an event log whether customers got what they came for.")
@events_option
@click.option(
    "--rules",
    type=FILE,
    help="File with signals and windows.  [default: `completion:` in proctor.yaml]",
)
@click.option(
    "--until",
    help="Time up to which the log is complete.  [default: that of its last event; the project's own: at most now]",
)
@click.option("--light", is_flag=True, help="Compare topics by words only, without the embedded encoder.")
@click.option("--tasks", type=FILE, help="File for every task, as JSON lines.")
@output_option(".json .csv .md .html")
@json_option
@click.option("--floor", type=click.FloatRange(0, 1), help="Minimum share of completed tasks, over all intents.")
@click.option("--most-repeats", type=click.FloatRange(0, 1), help="Maximum share of repeat contacts, over all intents.")
@click.pass_context
def verb(ctx: click.Context, /, **flags: Any) -> int:
    """Report by intent how many tasks were completed, and how many customers returned within 24 h about the same.

    A task is what a customer came for in one session. It is completed, not completed, open (its window is not over) or
    unknown (no signal was seen). With --floor or --most-repeats the exit code is 1 when the figure is beyond the limit,
    and 3 when there was no data.
    """
    from proctor.report.completion_sheet import COMPLETION_REPORT  # noqa: PLC0415
    from proctor.workflows.monitor.completion import CompletionJob, completion_of, rules_of  # noqa: PLC0415 - verbs load what they use
    from proctor.workflows.monitor.event_source import EventSource  # noqa: PLC0415

    check_outputs(COMPLETION_REPORT, flags["outputs"])
    config = project(ctx)
    job = CompletionJob(
        events=EventSource.of(config, flags["events"]),
        rules=rules_of(config, flags["rules"]),
        until=_time(flags["until"]),
        light=flags["light"],
        tasks=flags["tasks"],
    )
    table = asyncio.run(completion_of(job))
    emit_report(COMPLETION_REPORT, table, flags["outputs"], as_json=flags["as_json"])
    least = _held(table.total.completion.value, flags["floor"], "completion", below=True)
    most = _held(table.total.repeats.value, flags["most_repeats"], "repeat contact", below=False)
    return 1 if 1 in (least, most) else max(least, most)


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter("expected a time like 2026-11-15T09:30:00Z", param_hint="--until") from None


def _held(value: float | None, limit: float | None, name: str, *, below: bool) -> int:
    if limit is None:
        return 0
    if value is None:
        click.echo(f"{name}: nothing to tell it from", err=True)
        return 3
    if (value < limit) if below else (value > limit):
        click.secho(f"{name} {value:.1%} is {'under' if below else 'over'} {limit:.1%}", fg="red", err=True)
        return 1
    return 0
