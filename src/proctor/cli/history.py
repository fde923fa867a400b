"""proctor history: the events of production on disk: searched, sealed, kept for a time, and erased on request."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor.cli.context import project
from proctor.cli.options import FILE, json_option, time_of
from proctor.cli.tables import print_table

if TYPE_CHECKING:
    from proctor.core.rollup_cell import RollupCell

__all__ = ["verb"]


@click.group("history", short_help="Search, seal, retain and erase the stored events of production.")
def verb() -> None:
    """Search, seal, retain and erase the events that production has sent.

    They are in the folder `events` of the project's store. `monitor: {history: …}` in proctor.yaml says how they are
    masked and how long they are kept.
    """


@verb.command("add")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=FILE)
@click.pass_context
def add_events(ctx: click.Context, files: tuple[Path, ...]) -> None:
    """Store the events of files (JSON lines, also .gz), each once, masked as the settings say."""
    from proctor.workflows.monitor.store_events import store_events  # noqa: PLC0415 - verbs load what they use

    done = store_events(project(ctx), files)
    click.echo(f"{done.new} new, {done.duplicates} stored before")


@verb.command("stats")
@json_option
@click.pass_context
def show_stats(ctx: click.Context, as_json: bool) -> None:
    """Show how much is stored, in which form, and what waits to be indexed."""
    from proctor.core.codec import dumps, encode  # noqa: PLC0415
    from proctor.wiring.history_settings import open_history  # noqa: PLC0415

    with open_history(project(ctx)) as history:
        stats = history.stats()
    if as_json:
        click.echo(dumps(encode(stats)).decode())
        return
    each = stats.sealed_bytes / stats.sealed_events if stats.sealed_events else 0.0
    rows = [
        ("log files", stats.log_files, _size(stats.log_bytes)),
        ("waiting for the index", "", _size(stats.unindexed_bytes)),
        ("waiting for the search", "", _size(stats.unsearched_bytes)),
        ("segments", stats.segments, _size(stats.sealed_bytes)),
        ("sealed events", stats.sealed_events, f"{each:.0f} B each" if each else ""),
        ("conversations", stats.conversations, _size(stats.index_bytes)),
        ("turns to search", stats.texts, _size(stats.search_bytes)),
        ("first event", _shown(stats.first), ""),
        ("last event", _shown(stats.last), ""),
    ]
    print_table(("what", "count", "size"), rows, empty="")


@verb.command("seal")
@click.pass_context
def seal_log(ctx: click.Context) -> None:
    """Turn log files that nobody writes into Parquet, and merge the segments of days that are over."""
    from proctor.wiring.history_settings import open_history  # noqa: PLC0415

    with open_history(project(ctx)) as history:
        done = history.seal()
    click.echo(f"sealed {done.rows} events of {len(done.files)} files; {done.duplicates} were stored before")


@verb.command("retain")
@click.option("--keep", help="How long events are kept.  [default: `monitor.history.keep`, 90 days]")
@click.pass_context
def retain_events(ctx: click.Context, keep: str | None) -> None:
    """Remove events, conversations and texts that are too old. Rollups of hours and days stay."""
    from proctor.wiring.history_settings import history_settings, open_history  # noqa: PLC0415

    config = project(ctx)
    settings = history_settings(config)
    now = time.time()
    seconds = settings.keep_seconds if keep is None else _span(keep, "--keep")
    with open_history(config) as history:
        done = history.retain(now - seconds, minutes_before=now - settings.keep_minutes_seconds)
    click.echo(
        f"removed {done.events} events in {done.segments} segments, {done.logs} log files, "
        f"{done.conversations} conversations, {done.texts} texts, {done.cells} rollups"
    )


@verb.command("forget")
@click.argument("customer")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def erase_customer(ctx: click.Context, customer: str, yes: bool) -> None:
    """Erase a customer: log, segments, indexes, decisions of gates, review queue, audits, background scoring.

    CUSTOMER is the name that was sent, or the pseudonym that is stored. If nothing of this customer is stored, the exit
    code is 2.
    """
    from proctor.core.errors import NotFoundError  # noqa: PLC0415
    from proctor.workflows.monitor.store_events import forget_customer  # noqa: PLC0415

    config = project(ctx)
    if not yes:
        click.confirm(f"Erase everything of {customer}? This cannot be undone", abort=True, err=True)
    erased = forget_customer(config, customer)
    done = erased.history
    if not erased.anything:
        hint = "check the spelling: the name as it was sent, or the pseudonym that `proctor history show` prints"
        raise NotFoundError(f"nothing of the customer {customer!r} was found, so nothing was erased", hint=hint)
    click.echo(
        f"erased {done.events} events, {done.conversations} conversations, {done.texts} texts, "
        f"{done.decisions} decisions of gates, {erased.audited} audited conversations; "
        f"rewrote {done.segments} segments"
    )


@verb.command("search")
@click.argument("text", default="")
@click.option("--intent", help="Only conversations with this intent.")
@click.option("--outcome", help="Only conversations with this outcome.")
@click.option("--signal", help="Only conversations with this signal, such as escalation or gate/injection.")
@click.option("--since", help="Only conversations that ended after this time, such as 2026-11-15.")
@click.option("--until", help="Only conversations that ended before this time.")
@click.option("--score", metavar="SCORER", help="Only conversations that this scorer scored below --below.")
@click.option("--below", type=click.FloatRange(0, 1), default=0.5, show_default=True, help="With --score: the limit.")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Maximum number.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")
@click.pass_context
def search_history(ctx: click.Context, /, text: str, limit: int, as_json: bool, **flags: Any) -> None:
    """Find conversations in which every word of TEXT occurs, in any language; the newest first."""
    from proctor.core.codec import dumps, encode  # noqa: PLC0415
    from proctor.text.excerpt import excerpt  # noqa: PLC0415
    from proctor.wiring.history_settings import open_history  # noqa: PLC0415

    with open_history(project(ctx)) as history:
        history.catch_up()
        found = history.search(
            text,
            intent=flags["intent"],
            outcome=flags["outcome"],
            signal=flags["signal"],
            since=time_of(flags["since"], "--since"),
            until=time_of(flags["until"], "--until"),
            score=(flags["score"], flags["below"]) if flags["score"] else None,
            limit=limit + 1,
        )
    hits = found[:limit]
    if len(found) > limit:
        click.echo(f"the newest {limit} are shown; -n NUMBER shows more", err=True)
    if as_json:
        for hit in hits:
            click.echo(dumps(encode(hit)).decode())
        return
    rows = [
        (
            hit.conversation.session,
            _shown(hit.conversation.last),
            hit.conversation.intent,
            hit.conversation.turns,
            hit.conversation.outcome,
            excerpt(hit.text, text.split(), chars=60),
        )
        for hit in hits
    ]
    print_table(("conversation", "last", "intent", "turns", "outcome", "about"), rows, empty="nothing was found")


@verb.command("show")
@click.argument("session")
@json_option
@click.pass_context
def show_conversation(ctx: click.Context, session: str, as_json: bool) -> None:
    """Show a conversation turn by turn."""
    from proctor.core.codec import dumps  # noqa: PLC0415
    from proctor.core.errors import NotFoundError  # noqa: PLC0415
    from proctor.report.conversation import write_turns  # noqa: PLC0415
    from proctor.wiring.history_settings import open_history  # noqa: PLC0415

    with open_history(project(ctx)) as history:
        history.catch_up()
        talk = history.conversation(session)
    if talk is None:
        hint = "`proctor history search` lists conversations"
        raise NotFoundError(f"there is no conversation {session!r} in the history", hint=hint)
    if as_json:
        click.echo(dumps(talk).decode())
    else:
        write_turns(talk, sys.stdout)


@verb.command("intents")
@click.option("--last", "span", default="30 days", show_default=True, help="Length of time up to now.")
@click.option(
    "--by",
    "field",
    type=click.Choice(["intent", "model", "version", "source"]),
    default="intent",
    show_default=True,
    help="What to count by.",
)
@click.pass_context
def show_intents(ctx: click.Context, span: str, field: Any) -> None:
    """Count turns, hand-offs, errors, satisfaction and latency by intent, model, version or source."""
    from proctor.wiring.history_settings import open_history  # noqa: PLC0415

    now, seconds = time.time(), _span(span, "--last")
    with open_history(project(ctx)) as history:
        history.catch_up()
        found = history.by(field, now - seconds, now)
    columns = (field, "conversations", "turns", "escalations", "errors", "csat", "p50 s", "p95 s", "cost")
    print_table(columns, [_counts(name, cell) for name, cell in found.items()], empty="there are no events")


@verb.command("rebuild")
@click.pass_context
def rebuild_indexes(ctx: click.Context) -> None:
    """Build the index, the rollups and the search again, from the log and the segments."""
    from proctor.core.errors import StoreError  # noqa: PLC0415
    from proctor.wiring.history_settings import open_history  # noqa: PLC0415

    with open_history(project(ctx)) as history:
        count, holder = history.rebuild(), history.indexer.holder()
    if count is None:
        told = f"process {holder}" if holder is not None else "another process"
        hint = "end the `proctor serve` that it belongs to, and start it again afterwards"
        raise StoreError(f"{told} keeps the index", hint=hint)
    click.echo(f"indexed {count} events")


def _counts(name: str, cell: RollupCell) -> tuple[object, ...]:
    signals = cell.signals
    return (
        name or "(unknown)",
        cell.conversations,
        cell.turns,
        signals.get("escalation", 0),
        signals.get("error", 0),
        "" if cell.csat is None else f"{cell.csat:.2f}",
        _seconds(cell.quantile(0.5)),
        _seconds(cell.quantile(0.95)),
        f"{cell.cost:.2f}" if cell.cost else "",
    )


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _size(count: int) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"


def _shown(seconds: float | None) -> str:
    return "" if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}"


def _span(text: str, flag: str) -> float:
    from proctor.text.spans import span_seconds  # noqa: PLC0415

    try:
        return span_seconds(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=flag) from None
