"""proctor review: the queue of what a person should look at."""

from __future__ import annotations

import getpass

import click

from proctor.cli.context import project
from proctor.cli.tables import print_table

__all__ = ["verb"]


@click.group("review", short_help="List what a person should look at, and put on record what they said.")
def verb() -> None:
    """List what a person should look at, and put on record what they said.

    The release gate puts every case here that got worse. What people say of them tells how often it holds in vain.
    """


@verb.command("list")
@click.option(
    "--state", type=click.Choice(["open", "resolved", "all"]), default="open", show_default=True, help="Which items."
)
@click.option("--run", "run", help="Only items of this run.")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Most items to show.")
@click.pass_context
def list_items(ctx: click.Context, state: str, run: str | None, limit: int) -> None:
    """List the items of the queue, the oldest first."""
    from proctor.store.review import items, open_count  # noqa: PLC0415 - verbs load what they use
    from proctor.store.runs import RunStore  # noqa: PLC0415

    with RunStore(project(ctx).store) as store:
        chosen = store.find(run).id if run else None
        found = items(store, state=state, run=chosen, limit=limit)  # type: ignore[arg-type]
        waiting = open_count(store)
    rows = [
        (
            item.id,
            item.case_id,
            item.intent,
            f"{item.dimension}.{item.part}" if item.part else item.dimension,
            _figure(item.before),
            _figure(item.after),
            item.verdict or "open",
            item.run,
            item.reason,
        )
        for item in found
    ]
    columns = ("item", "case", "intent", "where", "before", "after", "verdict", "run", "about")
    print_table(columns, rows, empty="nothing is waiting for review" if state == "open" else "no such items")
    if len(found) == limit and waiting > limit:
        click.echo(f"{waiting} are open in all; --limit shows more", err=True)


@verb.command("resolve")
@click.argument("names", metavar="ITEM…", nargs=-1, required=True)
@click.option(
    "--verdict",
    type=click.Choice(["worse", "acceptable"]),
    required=True,
    help="worse: it is as bad as it was said to be; acceptable: there is nothing wrong with it.",
)
@click.option("--note", default="", help="Why.")
@click.option("--by", "person", help="Who says so.  [default: the user's name]")
@click.pass_context
def resolve_items(ctx: click.Context, names: tuple[str, ...], verdict: str, note: str, person: str | None) -> None:
    """Put on record what a person found of each ITEM (an id, or the beginning of one)."""
    from proctor.store.review import find_item, open_count, resolve  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415

    with RunStore(project(ctx).store) as store:
        found = [find_item(store, name) for name in names]  # all are there before any is resolved
        for item in found:
            done = resolve(store, item, verdict=verdict, person=person or _user(), note=note)  # type: ignore[arg-type]
            click.echo(f"{done.id} {done.case_id}: {done.verdict} (by {done.person})")
        click.echo(f"{open_count(store)} left", err=True)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return "unknown"


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
