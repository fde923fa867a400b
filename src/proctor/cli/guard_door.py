"""What the doors of the guard have in common: settings that must be right, and words to whoever started them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from aiohttp import web

    from proctor.config import Config
    from proctor.wiring.guard import Guard

__all__ = ["open_guard", "serve_app"]


def open_guard(config: Config) -> Guard:
    """The guard of a door, whose every gate is there; settings that cannot be used later on are told on stderr.

    Raises:
        InputError: something under `guard:` is wrong; names the file and the line.
    """
    from proctor.wiring.guard import Guard  # noqa: PLC0415 - onnxruntime takes a third of a second
    from proctor.wiring.guard_settings import check_guard  # noqa: PLC0415

    # A library would rather fail each step than not start; somebody who starts a door is there to be told.
    check_guard(config)
    guard = Guard.from_config(config)
    guard.troubled = _tell_trouble
    return guard


def serve_app(app: web.Application, host: str, port: int, told: str) -> int:
    """Serve until stopped; ``told`` is printed with the address. The exit code is given back."""
    from proctor.server.serving import run  # noqa: PLC0415 - aiohttp takes a quarter of a second

    return run(
        app,
        host,
        port,
        started=lambda address: click.echo(f"{told} at {address}", err=True),
        stopping=lambda: click.echo("stopping; streams have ten seconds; again to break off", err=True),
    )


def _tell_trouble(trouble: str) -> None:
    said = "; ".join(line.strip() for line in trouble.splitlines() if line.strip())
    click.echo(f"the settings changed and cannot be used, the old ones stay: {said}", err=True)
