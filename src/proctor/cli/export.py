"""proctor export: a run to files."""

from __future__ import annotations

from pathlib import Path

import click

from proctor.cli.context import project

__all__ = ["verb"]


@click.command("export", short_help="Write a run to files: JSON, HTML, JUnit XML, Markdown, CSV, JSONL.")
@click.argument("run", default="last")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path),
    help="File to write; the ending chooses: .json .html .junit.xml .md .csv .jsonl. May be repeated.",
)
@click.option("--outcome", type=click.Choice(["pass", "fail", "unscored"]), help="Only results of this outcome.")
@click.pass_context
def verb(ctx: click.Context, run: str, outputs: tuple[Path, ...], outcome: str | None) -> None:
    """Write RUN (an id, the beginning of one, or `last`) to one or more files."""
    from proctor.report.formats import save, writer_for  # noqa: PLC0415 - verbs load what they use
    from proctor.store.reading import RunReader  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.wiring.bands import with_bands  # noqa: PLC0415

    for output in outputs:
        writer_for(output)
    config = project(ctx)
    with RunStore(config.store) as store:
        reader = RunReader(store, store.find(run))
        report = with_bands(config, reader.report())
        for output in outputs:
            save(report, lambda: reader.results(outcome=outcome), output)
            click.echo(f"wrote {output}", err=True)
