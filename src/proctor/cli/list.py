"""proctor list: list runs or registered parts."""

from __future__ import annotations

import click

from proctor.cli.context import project
from proctor.cli.tables import print_table
from proctor.config import Config

__all__ = ["verb"]

_KINDS = ["runs", "suites", "scorers", "targets", "models", "gates", "attacks", "importers"]


@click.command("list", short_help="List runs, or scorers, targets, models, gates, attacks, importers, suites.")
@click.argument("what", type=click.Choice(_KINDS), default="runs")
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Maximum number of runs."
)
@click.pass_context
def verb(ctx: click.Context, what: str, limit: int) -> None:
    """List WHAT: runs (newest first), suites of this project, or registered parts with their descriptions."""
    config = project(ctx)
    if what == "runs":
        _runs(config, limit)
    elif what == "suites":
        rows = [(name, path) for name, path in config.settings.suites.items()]
        print_table(("suite", "path"), rows, empty="no suites in proctor.yaml; name a file: proctor run FILE")
    else:
        _parts(what)


def _runs(config: Config, limit: int) -> None:
    from proctor.store.run_index import bring_up_to_date  # noqa: PLC0415 - verbs load what they use
    from proctor.store.runs import RunStore  # noqa: PLC0415

    with RunStore(config.store) as store:
        rows = []
        for run in store.list(limit=limit):
            if run.status != "finished":
                bring_up_to_date(store, run)  # results of a killed process are only in the journal
            counts = store.counts(run)
            state = run.decision or run.status
            rows.append(
                (
                    run.id,
                    run.name,
                    state,
                    counts.passed,
                    counts.in_doubt,
                    counts.failed,
                    counts.unscored,
                    f"{run.started.astimezone():%Y-%m-%d %H:%M}",
                )
            )
    columns = ("run", "suite", "state", "pass", "in doubt", "fail", "unscored", "started")
    print_table(columns, rows, empty="no runs yet; `proctor run SUITE` makes one")


def _parts(group: str) -> None:
    from proctor.registry import describe  # noqa: PLC0415

    rows = [
        (entry.name, entry.about if entry.error is None else f"BROKEN: {entry.error}", entry.package)
        for entry in describe(group)
    ]
    print_table((group.rstrip("s"), "about", "package"), rows, empty=f"no {group} are registered")
