"""proctor review: the tests of a prompt, and the review queue."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from proctor.cli.context import project
from proctor.cli.options import output_option, person_option
from proctor.cli.report_output import check_outputs, emit_report
from proctor.cli.tables import print_table

__all__ = ["verb"]


class _PromptOrVerb(click.Group):
    """Treats a first word with an extension as a file for `tests`, and an option of `list` as `list`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        listing = [name for option in self.commands["list"].params for name in option.opts]
        if args and args[0].startswith("-") and args[0].partition("=")[0] in listing:
            args = ["list", *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and Path(args[0]).suffix:
            args = ["tests", *args]
        return super().resolve_command(ctx, args)


@click.group(
    "review",
    cls=_PromptOrVerb,
    short_help="Review a prompt's tests; list the review queue, and record reviews.",
)
def verb() -> None:
    """Review a prompt's tests, or list the review queue and record reviews.

    `proctor review my.prompty` is short for `proctor review tests my.prompty`, and `proctor review --origin guard` for
    `proctor review list --origin guard`.

    The release gate adds every case that got worse to the queue, once: a later run of the same suite replaces the entry
    of the earlier one. Reviews of these cases show how often it holds without a reason. The guard adds escalated steps,
    borderline decisions and a sample of allowed steps; reviews of these give each gate's precision and recall (`proctor
    guard stats`).
    """


@verb.command("tests")
@click.argument("prompt", type=click.Path(path_type=Path))
@click.option("-m", "--model", help="Model that also reviews the tests; without one, only code does.")
@click.option("--keep", type=click.IntRange(min=1), help="Choose the N best by coverage, diversity and past failures.")
@click.option("--write", "write_back", is_flag=True, help="With --keep: remove the other tests from tests.yaml.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder of the tests, if not next to the prompt."
)
@output_option(".json .md .html")
@click.pass_context
def review_tests(
    ctx: click.Context,
    prompt: Path,
    model: str | None,
    keep: int | None,
    write_back: bool,
    out: Path | None,
    outputs: tuple[Path, ...],
) -> None:
    """Review the tests of PROMPT: possible failures with their harm, the value of each test, and duplicates."""
    from proctor.report.test_review_sheet import REVIEW_REPORT  # noqa: PLC0415 - verbs load what they use
    from proctor.workflows.review.collection import ReviewJob, review_collection, write_kept  # noqa: PLC0415

    if write_back and keep is None:
        raise click.UsageError("--write goes with --keep N.")
    check_outputs(REVIEW_REPORT, outputs)
    config = project(ctx)
    job = ReviewJob(prompt=prompt, out=out, keep=keep, model=model, run=config.settings.run)
    review = asyncio.run(review_collection(config, job))
    emit_report(REVIEW_REPORT, review, outputs)
    if write_back:
        gone = write_kept(job, review)
        click.echo(f"{gone} tests taken out of {job.folder / 'tests.yaml'}", err=True)


@verb.command("list")
@click.option(
    "--state", type=click.Choice(["open", "resolved", "all"]), default="open", show_default=True, help="Which items."
)
@click.option("--run", "run", help="Only items of this run.")
@click.option(
    "--origin",
    type=click.Choice(["gate", "guard", "alert"]),
    help="Only items of the release gate, of the guard, or alerts.",
)
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Maximum number of items."
)
@click.pass_context
def list_items(ctx: click.Context, state: str, run: str | None, origin: str | None, limit: int) -> None:
    """List the items of the queue, oldest first."""
    from proctor.store.review import ALERT, GUARD, items, open_count  # noqa: PLC0415 - verbs load what they use
    from proctor.store.runs import RunStore  # noqa: PLC0415

    with RunStore(project(ctx).store) as store:
        chosen = store.find(run).id if run else None
        found = items(store, state=state, run=chosen, origin=origin, limit=limit)  # type: ignore[arg-type]
        waiting = open_count(store, origin=origin)
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
            f"{item.target}: {item.reason}" if item.origin in (GUARD, ALERT) else item.reason,
        )
        for item in found
    ]
    columns = ("item", "case", "intent", "where", "before", "after", "verdict", "run", "about")
    print_table(columns, rows, empty="nothing is waiting for review" if state == "open" else "no such items")
    if len(found) == limit and waiting > limit:
        click.echo(f"{waiting} are open in all; --limit shows more", err=True)


@verb.command("show")
@click.argument("name", metavar="ITEM")
@click.pass_context
def show_item(ctx: click.Context, name: str) -> None:
    """Show one complete ITEM: for a case the question, both answers, what changed in them, and the expectation.

    In what changed, [-words-] are gone and {+words+} are new.

    For a gate's decision it shows the masked text and the verdict of each gate, for an alert its reason.

    ITEM is an id of the queue or of any decision in the guard's log, or the beginning of one.
    """
    from proctor.report.review_item import case_text, change_lines, decision_text, item_text  # noqa: PLC0415
    from proctor.store.review import ALERT, GUARD  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.review.case import review_case  # noqa: PLC0415
    from proctor.workflows.review.guard_decisions import item_or_decision  # noqa: PLC0415

    config = project(ctx)
    with RunStore(config.store) as store:
        item = item_or_decision(config, store, name)
        case = None if item.origin in (GUARD, ALERT) else review_case(config, store, item)
    facts = {
        "item": item.id,
        "about": item.case_id,
        "run": item.run,
        "where": f"{item.dimension}.{item.part}" if item.part else item.dimension,
        "target": item.target,
        "verdict": item.verdict or ("open" if item.opened else "not in the queue; it can be resolved all the same"),
        "by": item.person,
        "note": item.note,
        "reason": item.reason,
    }
    click.echo(item_text(facts))
    if case is not None:
        sections = {
            "question": case.question,
            "answer": case.answer,
            "answer before": case.before,
            "what changed": change_lines(case.before, case.answer),
            "expected": case.expected,
            "found": case.found,
            "not on record": case.missing,
        }
        click.echo(case_text(sections))
    if item.origin == GUARD:
        from proctor.workflows.guard.stats import decision  # noqa: PLC0415

        click.echo(decision_text(decision(config, item.case_id)))


@verb.command("resolve")
@click.argument("names", metavar="ITEM…", nargs=-1, required=True)
@click.option(
    "--verdict",
    type=click.Choice(["worse", "acceptable", "right", "wrong"]),
    required=True,
    help="worse: it is as bad as it was said to be; acceptable: there is nothing wrong with it. Of a gate's decision "
    "or an alert: right or wrong.",
)
@click.option("--missed", default="", metavar="GATE", help="With wrong: the gate that should have stopped this.")
@click.option("--note", default="", help="The reason.")
@person_option()
@click.pass_context
def resolve_items(
    ctx: click.Context, names: tuple[str, ...], verdict: str, missed: str, note: str, person: str
) -> None:
    """Record a person's review of each ITEM: an id of the queue or of any decision of the guard.

    The beginning of an id is enough; `proctor guard stats --ids` lists the last decisions that stopped something. A
    gate's decision is right if it was right to stop what it stopped, or to allow what it allowed.
    """
    from proctor.store.review import open_count  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.review.guard_decisions import resolve_all  # noqa: PLC0415

    config = project(ctx)
    with RunStore(config.store) as store:
        for done in resolve_all(
            config,
            store,
            names,
            verdict=verdict,  # type: ignore[arg-type]
            person=person,
            note=note,
            missed=missed,
        ):
            click.echo(f"{done.id} {done.case_id}: {done.verdict} (by {done.person})")
        click.echo(f"{open_count(store)} left", err=True)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
