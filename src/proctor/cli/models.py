"""proctor models: download and list local models."""

from __future__ import annotations

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
@click.pass_context
def add(ctx: click.Context, name: str) -> None:
    """Fetch the model NAME (e.g. smollm2) into the user's cache and check its hash."""
    from proctor.models import fetch  # noqa: PLC0415 - verbs load what they use

    path = fetch.add(
        name, cache_folder(project(ctx).environment) / "models", say=lambda text: click.echo(text, err=True)
    )
    click.echo(f"local:{name} is ready ({path})")


@verb.command("list")
@click.pass_context
def list_models(ctx: click.Context) -> None:
    """List the models that can be fetched, and those that are here."""
    from proctor.models import fetch  # noqa: PLC0415

    rows = fetch.listing(cache_folder(project(ctx).environment) / "models")
    print_table(("model", "here", "size", "licence", "about"), rows, empty="none")
