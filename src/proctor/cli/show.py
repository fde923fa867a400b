"""proctor show: show a run's figures, its results page by page, or one complete case."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from proctor.cli.context import project
from proctor.cli.tables import print_table
from proctor.core.attack_mask import masked_results
from proctor.core.report import Result

if TYPE_CHECKING:
    from proctor.store.run_reader import RunReader

__all__ = ["verb"]


@click.command("show", short_help="Show a run: its figures, its results page by page, or one complete case.")
@click.argument("run", default="last")
@click.argument("case", required=False)
@click.option(
    "--outcome", type=click.Choice(["pass", "doubt", "fail", "unscored"]), help="Only results of this outcome."
)
@click.option("-t", "--target", help="Only results of this target.")
@click.option("-p", "--page", type=click.IntRange(min=1), help="Page of results to list.")
@click.option(
    "-n", "--limit", type=click.IntRange(min=1, max=1000), default=20, show_default=True, help="Rows per page."
)
@click.option("--reveal", is_flag=True, help="With CASE: show a held-out attack in clear.")
@click.option("--json", "as_json", is_flag=True, help="With CASE: print the results as JSON lines.")
@click.pass_context
def verb(ctx: click.Context, /, run: str, case: str | None, **flags: Any) -> None:
    """Show RUN (an id, the beginning of one, or `last`); with CASE, that conversation with every score."""
    from proctor.store.run_reader import RunReader  # noqa: PLC0415 - verbs load what they use
    from proctor.store.runs import RunStore  # noqa: PLC0415

    config = project(ctx)
    outcome, target, page = flags["outcome"], flags["target"], flags["page"]
    with RunStore(config.store) as store:
        reader = RunReader(store, store.find(run))
        if case:
            found = reader.find(case, target=target)
            _case(found if flags["reveal"] else list(masked_results(found)), as_json=flags["as_json"])
        elif page or outcome or target:
            _page(reader, outcome, target, page or 1, flags["limit"])
        else:
            from proctor.report.terminal import write  # noqa: PLC0415
            from proctor.workflows.judge.error_bands import with_bands  # noqa: PLC0415
            from proctor.workflows.run.overview import with_overview  # noqa: PLC0415

            report = with_overview(reader, with_bands(config, reader.report()))
            write(report, lambda: _troubles(reader), sys.stdout)


def _troubles(reader: RunReader) -> Iterator[Result]:
    """Yield the results that a summary lists, reading only as far as needed."""
    return masked_results(chain.from_iterable(reader.results(outcome=each) for each in ("fail", "unscored", "doubt")))


def _page(reader: RunReader, outcome: str | None, target: str | None, page: int, limit: int) -> None:
    from proctor.core.report import IN_DOUBT  # noqa: PLC0415
    from proctor.workflows.run.result_pages import shown_reason  # noqa: PLC0415 - verbs load what they use

    rows = reader.rows(outcome=outcome, target=target, limit=limit + 1, offset=(page - 1) * limit)
    more = len(rows) > limit
    print_table(
        ("case", "target", "sample", "outcome", "value", "latency", "why"),
        [
            (
                row.case_id,
                row.target,
                row.sample,
                IN_DOUBT if row.in_doubt else row.outcome,
                "" if row.value is None else f"{row.value:.3f}",
                "" if row.latency is None else f"{row.latency:.3f} s",
                shown_reason(reader, row.case_id, row.target, row.sample, row.reason),
            )
            for row in rows[:limit]
        ],
        empty="no such results",
    )
    if more:
        click.echo(f"page {page}; the next: --page {page + 1}", err=True)


def _case(results: list[Result], *, as_json: bool) -> None:
    from proctor.core.codec import dumps  # noqa: PLC0415
    from proctor.report.conversation import write  # noqa: PLC0415
    from proctor.report.result_data import result_data  # noqa: PLC0415

    for result in results:
        if as_json:
            click.echo(dumps(result_data(result)).decode())
        else:
            write(result, sys.stdout)
