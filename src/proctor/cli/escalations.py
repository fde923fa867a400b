"""proctor escalations: hand-offs by cause, labels by people, and gaps in the knowledge base."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click

from proctor.cli.context import project
from proctor.cli.options import FILE, json_option, output_option, person_option
from proctor.cli.report_output import check_outputs, emit_report
from proctor.cli.tables import print_table
from proctor.core.handoff import CATEGORIES

__all__ = ["verb"]


class _FilesOrVerb(click.Group):
    """Treats an unknown verb as a file or flag of `sort`: `escalations talks.jsonl`; without any, `sort` is called."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands:
            args = ["sort", *args]
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in ("-h", "--help")):
            args = ["sort", *args]
        return super().parse_args(ctx, args)


@click.group(
    "escalations",
    cls=_FilesOrVerb,
    short_help="Sort hand-offs by cause, and export gaps in the knowledge base.",
)
def verb() -> None:
    """Sort hand-offs by cause, record corrections by people, and export knowledge gaps.

    `proctor escalations talks.jsonl` is short for `proctor escalations sort talks.jsonl`; without a file, both read the
    project's event log.
    """


@verb.command("sort")
@click.argument("recordings", metavar="FILE…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--format", "form", default="auto", show_default=True, help="Format of the conversations.")
@click.option(
    "--events",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Event log with the turns of the conversations. May be repeated.",
)
@click.option("--light", is_flag=True, help="By rules and words only, without the embedded encoder.")
@click.option(
    "--gaps",
    "gap_files",
    multiple=True,
    type=FILE,
    help="File for the knowledge gaps; the extension sets the format: .jsonl .csv .md. May be repeated.",
)
@click.option(
    "--at-least",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Minimum number of questions for a gap.",
)
@click.option("--hand-offs", type=FILE, help="File for every hand-off, as JSON lines.")
@output_option(".json .csv .md .html")
@json_option
@click.pass_context
def sort_hand_offs(ctx: click.Context, /, **flags: Any) -> None:
    """Report why conversations were handed to a person: five causes, of which two count against the agent.

    FILE is a recording in any format that `proctor score` reads; without one, the project's event log is read. Every
    cause is recorded, so that `proctor escalations label` can correct it.
    """
    from proctor.report.escalation_sheet import ESCALATION_REPORT  # noqa: PLC0415 - verbs load what they use
    from proctor.report.knowledge_gap_files import KNOWLEDGE_GAP_REPORT  # noqa: PLC0415
    from proctor.workflows.monitor.escalations import EscalationJob, escalations_of  # noqa: PLC0415

    config = project(ctx)
    if not flags["recordings"] and not flags["events"]:
        from proctor.workflows.monitor.event_source import has_event_log  # noqa: PLC0415

        if not has_event_log(config):
            raise click.UsageError("name a file with conversations, or an event log with --events.")
    check_outputs(ESCALATION_REPORT, flags["outputs"])
    check_outputs(KNOWLEDGE_GAP_REPORT, flags["gap_files"])
    job = EscalationJob(
        recordings=flags["recordings"],
        events=flags["events"],
        format=flags["form"],
        light=flags["light"],
        at_least=flags["at_least"],
        hand_offs=flags["hand_offs"],
    )
    table = asyncio.run(escalations_of(config, job))
    emit_report(ESCALATION_REPORT, table, flags["outputs"], as_json=flags["as_json"])
    for path in flags["gap_files"]:
        KNOWLEDGE_GAP_REPORT.save(table.gaps, path)
        click.echo(f"wrote {path} ({len(table.gaps)} gap{'s' * (len(table.gaps) != 1)})", err=True)


@verb.command("label")
@click.argument("name", metavar="ID")
@click.option("--category", type=click.Choice(CATEGORIES), required=True, help="The correct cause.")
@click.option("--note", default="", help="The reason.")
@person_option()
@click.pass_context
def label(ctx: click.Context, name: str, category: str, note: str, person: str) -> None:
    """Record a person's label for the cause of the hand-off of conversation ID (or the beginning of it)."""
    from proctor.workflows.monitor.escalations import label_hand_off  # noqa: PLC0415

    done = label_hand_off(project(ctx), name, category=category, by=person, note=note)
    agrees = "nothing was found before" if done.found is None else "agrees" if done.found == category else "disagrees"
    click.echo(f"{done.id}: {category} ({agrees}{f' with {done.found}' if done.found else ''})")


@verb.command("labels")
@click.pass_context
def list_labels(ctx: click.Context) -> None:
    """List the labels of people next to the causes found."""
    from proctor.monitor.escalation import DIMENSION  # noqa: PLC0415
    from proctor.store.labels import PROCTOR, labels_of, people_said  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415

    with RunStore(project(ctx).store) as store:
        said = people_said(store, DIMENSION)
        found = {each.subject: str(each.value) for each in labels_of(store, DIMENSION) if each.by == PROCTOR}
    rows = [
        (
            subject,
            found.get(subject, ""),
            each.value,
            "" if each.value == found.get(subject) else "no",
            each.by,
            each.note,
        )
        for subject, labels in said.items()
        for each in labels
    ]
    print_table(("hand-off", "found", "said", "agrees", "by", "about"), rows, empty="nobody has said anything yet")
    if rows:
        same = sum(not row[3] for row in rows)
        click.echo(f"{same} of {len(rows)} agree", err=True)
