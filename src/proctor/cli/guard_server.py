"""Shared code of the guard's servers: strict settings, warnings, and the start."""

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
    """Return the guard of a server with all gates present; later reload errors are printed on stderr.

    Raises:
        InputError: something under `guard:` is wrong; names the file and the line.
    """
    from proctor.wiring.guard import Guard  # noqa: PLC0415 - onnxruntime takes a third of a second
    from proctor.wiring.guard_settings import check_guard  # noqa: PLC0415

    # A library fails each step instead of refusing to start; a person who starts a server can fix the settings.
    check_guard(config)
    guard = Guard.from_config(config)
    guard.troubled = _tell_trouble
    return guard


def read_token(config: Config, name: str | None) -> str | None:
    """Return the token for callers from the environment variable ``name``; None if no name is given.

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
    """Return a warning if other machines can connect without a token."""
    from proctor.server.admission import is_loopback  # noqa: PLC0415 - aiohttp takes a quarter of a second

    if token is not None or is_loopback(host):
        return None
    return f"listening on {host} without a token: every machine that reaches this port can use it"


def serve_app(app: web.Application, host: str, port: int, told: str, *, token: str | None = None) -> int:
    """Serve until stopped; print ``told`` with the URL; return the exit code."""
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
