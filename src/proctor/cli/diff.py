"""proctor diff: compare two suites case by case."""

from __future__ import annotations

from pathlib import Path

import click

from proctor.cli.context import project

__all__ = ["verb"]


@click.command("diff", short_help="Compare two suites case by case.")
@click.argument("old")
@click.argument("new")
@click.pass_context
def verb(ctx: click.Context, old: str, new: str) -> int:
    """Compare suite OLD with suite NEW: cases added, removed, changed. Exit code 1 when they differ."""
    from proctor.suites.golden import diff  # noqa: PLC0415 - verbs load what they use
    from proctor.workflows.run.prompt_suite import existing_suite_path  # noqa: PLC0415

    config = project(ctx)
    found = diff(*(existing_suite_path(name, config, Path.cwd()) for name in (old, new)))
    for sign, names in (("+", found.added), ("-", found.removed)):
        for name in names:
            click.echo(f"{sign} {name}")
    for change in found.changed:
        click.echo(f"~ {change.id}: {', '.join(field.field for field in change.fields)}")
    if not found:
        click.echo("no difference")
        return 0
    click.echo(f"{len(found.added)} added, {len(found.removed)} removed, {len(found.changed)} changed")
    return 1
