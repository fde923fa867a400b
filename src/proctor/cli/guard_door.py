"""What the doors of the guard have in common: settings that must be right, and words to whoever started them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from proctor.core.errors import ConfigError

if TYPE_CHECKING:
    from aiohttp import web

    from proctor.config import Config
    from proctor.wiring.guard import Guard

__all__ = ["exposure", "open_guard", "read_token", "serve_app"]


def open_guard(config: Config) -> Guard:
    """Return the guard of a door, whose every gate is there; settings that cannot be used later on are told on stderr.

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


def read_token(config: Config, name: str | None) -> str | None:
    """Return the token that callers must show, out of the environment variable ``name``; None when none is named.

    Raises:
        ConfigError: the variable is not set, or empty.
    """
    if not name:
        return None
    token = (config.environment.get(name) or "").strip()
    if not token:
        raise ConfigError(f"the environment variable {name} is not set", hint="set it to the token, or leave it out")
    return token


def exposure(host: str, token: str | None) -> str | None:
    """Return a warning for a door that other machines can reach and that asks for no token."""
    from proctor.server.admission import is_loopback  # noqa: PLC0415 - aiohttp takes a quarter of a second

    if token is not None or is_loopback(host):
        return None
    return f"listening on {host} without a token: every machine that reaches this port can use it"


def serve_app(app: web.Application, host: str, port: int, told: str, *, token: str | None = None) -> int:
    """Serve until stopped; ``told`` is printed with the address. The exit code is given back."""
    from proctor.server.serve_app import run  # noqa: PLC0415 - aiohttp takes a quarter of a second

    if (warning := exposure(host, token)) is not None:
        click.echo(f"warning: {warning}\nhint: name a token with --token-env, or listen on 127.0.0.1", err=True)
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
