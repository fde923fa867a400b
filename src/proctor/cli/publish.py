"""proctor publish: publish a run's figures to monitoring systems."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click

from proctor.cli.context import project

__all__ = ["verb"]


@click.command("publish", short_help="Send a run's figures to CloudWatch, Prometheus, OpenTelemetry or a file.")
@click.argument("run", default="last")
@click.option(
    "--to",
    "places",
    multiple=True,
    type=click.Choice(["cloudwatch", "prometheus", "otel", "jsonl"]),
    help="Place to publish to; may be repeated.  [default: all under `publish:` in proctor.yaml]",
)
@click.option("-t", "--target", help="Only this target; CloudWatch takes one at a time.")
@click.option(
    "--file", "file", help="prometheus, jsonl: the file to write; {suite} and {run} are replaced by their names."
)
@click.option("--url", help="prometheus: push gateway; otel: collector; cloudwatch: another URL than that of AWS.")
@click.option("--namespace", help="cloudwatch: the namespace.")
@click.option("--region", help="cloudwatch: the region.")
@click.option("--dry-run", is_flag=True, help="Print the output without sending or writing it.")
@click.pass_context
def verb(ctx: click.Context, /, run: str, places: tuple[str, ...], target: str | None, **flags: Any) -> int:
    """Publish RUN (an id, the beginning of one, or `last`).

    If one place fails, this is reported and the others still receive the run.

    Exit codes: 0 published everywhere, 2 usage or configuration, 3 a place failed.
    """
    from proctor.cli.main import print_error  # noqa: PLC0415 - verbs load what they use
    from proctor.core.errors import InputError, ProctorError  # noqa: PLC0415
    from proctor.store.run_reader import RunReader  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.publish import Publication, check_places, publish_run, shown  # noqa: PLC0415
    from proctor.workflows.release.baseline import chosen_target  # noqa: PLC0415

    config = project(ctx)
    file = str(Path.cwd() / flags["file"]) if flags["file"] else None  # relative to the current folder
    chosen = check_places(config, places)
    given = {
        "cloudwatch": {"namespace": flags["namespace"], "region": flags["region"], "endpoint_url": flags["url"]},
        "prometheus": {"file": file, "push": flags["url"]},
        "otel": {"endpoint": flags["url"]},
        "jsonl": {"file": file},
    }
    worst = 0
    with RunStore(config.store) as store:
        reader = RunReader(store, store.find(run))
        named = chosen_target(reader, target) if target else None
        work = Publication(config=config, reader=reader, target=named, given=given)
        for place in chosen:
            try:
                if flags["dry_run"]:
                    for line in shown(work, place):
                        click.echo(line)
                else:
                    click.echo(f"{place}: {asyncio.run(publish_run(work, place))}", err=True)
            except InputError as error:
                print_error(error)
                worst = worst or error.exit_code
            except ProctorError as error:
                print_error(error)
                worst = error.exit_code
    return worst
