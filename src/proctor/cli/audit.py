"""proctor audit: a weekly sample of conversations, rated blind by two or more people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from proctor.cli.context import project
from proctor.cli.options import FILE, json_option, output_option, person_option, user_name
from proctor.cli.report_output import check_outputs, emit_report
from proctor.cli.tables import print_table

__all__ = ["verb"]

_EVENTS = click.argument("files", metavar="[EVENTS]…", nargs=-1, type=FILE)
_WEEK = click.option("--week", help="ISO week, e.g. 2026-W46.")
_SHORT = "Rate a weekly sample of conversations: blind, by two or more people, with agreement and its interval."


@click.group("audit", short_help=_SHORT)
def verb() -> None:
    """Rate a weekly sample of conversations: blind, by two or more people, with agreement and its interval.

    `sample` draws a week's conversations with known chances, `rate` shows them one by one, `agree` measures quality and
    agreement, `settle` decides where raters differ, `export` writes files.
    """


@verb.command("sample")
@_EVENTS
@click.option("--week", help="ISO week, e.g. 2026-W46.  [default: the last one that is over]")
@click.option("--size", type=click.IntRange(min=1), help="Conversations to draw.  [default: 100]")
@click.option("--core", type=click.IntRange(min=0), help="How many of them uniformly.  [default: 60 of 100]")
@click.option("--replace", is_flag=True, help="Draw the week again, while nobody has rated it.")
@json_option
@click.pass_context
def draw(ctx: click.Context, /, as_json: bool, **flags: Any) -> None:
    """Draw the sample of a week: a uniform core, and a part from flagged, repeated and unsure conversations.

    EVENTS are event logs (JSON lines, also .gz); without them the store's own log is read. The same week and
    conversations give the same sample.
    """
    from proctor.core.codec import dumps  # noqa: PLC0415 - verbs load what they use
    from proctor.workflows.monitor.audit import SampleJob, draw_audit  # noqa: PLC0415

    sample, items = draw_audit(project(ctx), SampleJob(**flags))
    if as_json:
        click.echo(dumps(sample).decode())
        return
    print_table(
        ("part", "conversations", "drawn", "chance", "each stands for"),
        [
            (each.name, each.population, each.drawn, f"{each.probability:.4f}", f"{1 / each.probability:.1f}")
            for each in sample.strata
            if each.drawn
        ],
        empty="nothing was drawn",
    )
    doubled = sum(item.raters > 1 for item in items)
    click.echo(
        f"{sample.week}: {sample.drawn} of {sample.population:,} conversations, {sample.core} of them uniformly;"
        f" {doubled} are to be rated by more than one person. Next: `proctor audit rate`",
        err=True,
    )


@verb.command("list")
@click.pass_context
def list_weeks(ctx: click.Context) -> None:
    """List the samples with how far they are rated."""
    from proctor.store.audit_progress import week_progress  # noqa: PLC0415
    from proctor.wiring.monitor_state import open_audit_store  # noqa: PLC0415
    from proctor.workflows.monitor.audit import open_splits  # noqa: PLC0415

    config = project(ctx)
    splits = [each.week for each in open_splits(config)]
    with open_audit_store(config) as store:
        rows = [
            (
                each.week,
                each.population,
                each.sampled,
                each.ratings,
                each.complete,
                splits.count(each.week),
                ", ".join(each.people),
            )
            for each in week_progress(store)
        ]
    columns = ("week", "conversations", "sampled", "ratings", "complete", "open splits", "raters")
    print_table(columns, rows, empty="there is no sample yet; `proctor audit sample` draws one")


@verb.command("rate")
@click.option("--rater", help="Name of the person.  [default: the user's name]")
@_WEEK
@click.option("--item", help="Rate this item (again): an id or the beginning of one.")
@click.option(
    "--import",
    "imported",
    type=FILE,
    help="Read ratings from a file, .csv or .jsonl, instead of the keyboard.",
)
@click.pass_context
def rate(ctx: click.Context, rater: str | None, week: str | None, item: str | None, imported: Path | None) -> None:
    """Rate conversations by keyboard, one after the other: a digit for each dimension, then Enter.

    Nobody sees others' ratings, a judge's score, the agent's confidence, or why a conversation was drawn. A
    conversation is held for 15 minutes; several people can rate at the same time.
    """
    from proctor.wiring.monitor_state import open_audit_store  # noqa: PLC0415
    from proctor.workflows.monitor.audit import audit_settings, chosen_weeks  # noqa: PLC0415

    config = project(ctx)
    settings = audit_settings(config)
    with open_audit_store(config) as store:
        if imported is not None:
            from proctor.workflows.monitor.audit_ratings import read_ratings  # noqa: PLC0415

            count = store.rate(read_ratings(imported, settings, rater=rater, refusal=store.refusal))
            click.echo(f"{count} conversations rated", err=True)
            return
        from proctor.cli.audit_keys import rate_by_keys  # noqa: PLC0415

        chosen_weeks(store, week=week)  # raises if there is no sample to rate
        person = rater or user_name()
        done = rate_by_keys(store, settings, person, week=week, item=item)
        click.echo(f"{person}: {done} rated, {store.left(person, week=week)} left", err=True)


@verb.command("agree")
@_EVENTS
@click.option("--weeks", type=click.IntRange(min=1), default=4, show_default=True, help="How many weeks to pool.")
@click.option("--week", help="One week only, e.g. 2026-W46.")
@click.option("--at-least", type=click.FloatRange(-1, 1), help="Required kappa in every dimension.")
@output_option(".json .csv .md .html")
@json_option
@click.pass_context
def agree(
    ctx: click.Context,
    files: tuple[Path, ...],
    weeks: int,
    week: str | None,
    at_least: float | None,
    outputs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Report quality over all conversations, agreement of raters, judges against people, and drift of raters.

    EVENTS are event logs with scores that came after the sample was drawn.

    With --at-least the exit code is 0 if every kappa's interval is above it, 1 if one is below it, and 3 if the ratings
    do not decide it.
    """
    from proctor.report.audit_sheet import AUDIT_REPORT  # noqa: PLC0415
    from proctor.workflows.monitor.audit import audit_report, refresh_scores  # noqa: PLC0415

    check_outputs(AUDIT_REPORT, outputs)
    config = project(ctx)
    refresh_scores(config, files)
    report = audit_report(config, weeks=weeks, week=week, limit=at_least)
    emit_report(AUDIT_REPORT, report, outputs, as_json=as_json)
    if at_least is None:
        return 0
    if report.is_reached is None:
        click.echo(f"the ratings do not decide whether kappa is {at_least:g}", err=True)
        return 3
    if not report.is_reached:
        click.secho(f"kappa is under {at_least:g}", fg="red", err=True)
    return int(not report.is_reached)


@verb.command("settle")
@click.argument("item", required=False)
@_WEEK
@click.option("--dimension", help="The dimension to settle.")
@click.option("--value", help="The final rating, or ? if it cannot be rated.")
@person_option()
@click.option("--consensus", is_flag=True, help="The raters have agreed on it together.")
@click.option("--note", default="", help="The reason.")
@click.option("--list", "only_list", is_flag=True, help="List the open splits.")
@click.pass_context
def settle(ctx: click.Context, /, item: str | None, **flags: Any) -> None:
    """Decide where raters differ by more than one step, or about passing.

    Without ITEM each open split is shown with its conversation and the ratings, without names, for a key. A person who
    has rated a conversation cannot settle it, except with --consensus.
    """
    from proctor.core.audit import Settlement  # noqa: PLC0415
    from proctor.wiring.monitor_state import open_audit_store  # noqa: PLC0415
    from proctor.workflows.monitor.audit import audit_settings, open_splits  # noqa: PLC0415

    config = project(ctx)
    settings = audit_settings(config)
    splits = open_splits(config, flags["week"])
    person = flags["person"]
    if flags["only_list"]:
        rows = [(each.item, each.week, each.dimension, " ".join(map(str, each.ratings))) for each in splits]
        print_table(("item", "week", "dimension", "ratings"), rows, empty="raters agree, or all splits are settled")
        return
    with open_audit_store(config) as store:
        if item is None:
            from proctor.cli.audit_keys import settle_by_keys  # noqa: PLC0415

            done = settle_by_keys(store, settings, splits, person, is_consensus=flags["consensus"])
            click.echo(f"{done} settled, {len(splits) - done} left", err=True)
            return
        if not flags["dimension"] or flags["value"] is None:
            raise click.UsageError("name --dimension and --value, or leave ITEM out to settle by keyboard.")
        if flags["dimension"] not in settings.dimensions:
            raise click.UsageError(f"--dimension is one of {', '.join(settings.dimensions)}.")
        value = _value(flags["value"], settings.scale)
        found = store.find(item).id
        settled = Settlement(item=found, dimension=flags["dimension"], value=value, by=person, note=flags["note"])
        store.settle(settled, is_consensus=flags["consensus"])
        shown = "cannot be rated" if value is None else value
        click.echo(f"{found} {flags['dimension']}: {shown} (by {person})")


@verb.command("export")
@click.argument("output", type=FILE)
@click.option(
    "--what",
    type=click.Choice(["ratings", "items", "sheet"]),
    default="ratings",
    show_default=True,
    help="ratings: of all people. items: with weights and reasons. sheet: for one rater to fill in, blind.",
)
@click.option("--rater", help="With sheet: the person who will fill it in.  [default: the user's name]")
@_WEEK
@click.pass_context
def export(ctx: click.Context, output: Path, what: str, rater: str | None, week: str | None) -> None:
    """Write ratings, items, or a blind sheet for a rater to OUTPUT, .csv or .jsonl.

    A sheet that is filled in is read by `proctor audit rate --import`.
    """
    from proctor.report import audit_files  # noqa: PLC0415
    from proctor.wiring.monitor_state import open_audit_store  # noqa: PLC0415
    from proctor.workflows.monitor.audit import audit_settings  # noqa: PLC0415
    from proctor.workflows.monitor.audit_export import export_audit  # noqa: PLC0415

    kinds = {"ratings": audit_files.RATING_FILES, "items": audit_files.ITEM_FILES, "sheet": audit_files.SHEET_FILES}
    kind: Any = kinds[what]
    kind.check_name(output)
    config = project(ctx)
    weeks = None if week is None else [week]
    wanted: Any = what
    with open_audit_store(config) as store:
        made = export_audit(store, audit_settings(config), wanted, weeks=weeks, rater=rater or user_name())
    kind.save(made.content, output)
    click.echo(f"wrote {output} ({made.count} {what if what != 'sheet' else 'conversations to rate'})", err=True)


def _value(text: str, scale: int) -> int | None:
    if text.strip() == "?":
        return None
    if text.isdecimal() and 1 <= int(text) <= scale:
        return int(text)
    raise click.UsageError(f"--value is from 1 to {scale}, or ?, not {text!r}.")
