"""proctor models: download, list and remove local models."""

from __future__ import annotations

from pathlib import Path

import click

from proctor.cli.context import project
from proctor.cli.tables import print_table
from proctor.config import cache_folder

__all__ = ["verb"]


@click.group("models", short_help="Download and list models that run in process.")
def verb() -> None:
    """Fetch and list models that run in process, with no key and no server."""


@verb.command("add")
@click.argument("name")
@click.option(
    "--file", type=click.Path(path_type=Path), help="The base of `large` as a .gguf file, instead of a download."
)
@click.pass_context
def add(ctx: click.Context, name: str, file: Path | None) -> None:
    """Fetch the model NAME (e.g. smollm2, or large) into the user's cache and check its hash."""
    from proctor.models import installation  # noqa: PLC0415 - verbs load what they use

    path = installation.add(name, _folder(ctx), file=file, say=lambda text: click.echo(text, err=True))
    if name == installation.LARGE:
        click.echo(f"the large network is ready ({path}); turn it on with `networks: large` in proctor.yaml")
    else:
        click.echo(f"local:{name} is ready ({path})")


@verb.command("list")
@click.pass_context
def list_models(ctx: click.Context) -> None:
    """List the models that can be fetched, and those that are here."""
    from proctor.models import installation  # noqa: PLC0415

    rows = installation.listing(_folder(ctx))
    print_table(("model", "here", "size", "licence", "about"), rows, empty="none")


@verb.command("remove")
@click.argument("name")
@click.pass_context
def remove(ctx: click.Context, name: str) -> None:
    """Remove the model NAME from the user's cache."""
    from proctor.models import installation  # noqa: PLC0415

    removed = installation.remove(name, _folder(ctx))
    click.echo(f"{name} is removed" if removed else f"{name} is not here")


def _folder(ctx: click.Context) -> Path:
    return cache_folder(project(ctx).environment) / "models"
