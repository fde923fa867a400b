"""proctor freeze: write a suite as one golden file."""

from __future__ import annotations

from pathlib import Path

import click

from proctor.cli.context import project

__all__ = ["verb"]


@click.command("freeze", short_help="Write a suite as one canonical, diff-stable golden file.")
@click.argument("suite")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Golden file to write (.jsonl).")
@click.option("--version", "version", help="Version to give it; default: the next number when something changed.")
@click.pass_context
def verb(ctx: click.Context, suite: str, output: Path, version: str | None) -> None:
    """Write SUITE sorted by case id with its content hash, so that later changes to the file are detected."""
    from proctor.suites.golden import freeze  # noqa: PLC0415 - verbs load what they use
    from proctor.suites.load import open_suite  # noqa: PLC0415
    from proctor.workflows.run.prompt_suite import existing_suite_path  # noqa: PLC0415

    loaded = open_suite(existing_suite_path(suite, project(ctx), Path.cwd()))
    frozen = freeze(loaded.cases(), output, suite=loaded.suite, version=version)
    cases = f"{frozen.cases} case{'' if frozen.cases == 1 else 's'}"
    click.echo(f"froze {cases} of {frozen.name} as version {frozen.version} in {frozen.path}")
