"""proctor guard mcp: a gateway between an agent and an MCP server."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import click
from click.core import ParameterSource

from proctor.cli.context import project
from proctor.cli.guard_server import open_guard, read_token, serve_app

__all__ = ["mcp"]


@click.command("mcp", short_help="Guard an MCP server: a gateway between it and the agent.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option("--upstream", metavar="URL", help="URL of the server, in place of a command.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on, with --upstream.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8090, show_default=True, help="Port; 0 selects a free one."
)
@click.option("--token-env", metavar="NAME", help="Environment variable with the token that agents must send.")
@click.option("--intent", "intents", multiple=True, help="Intent of every call. May be repeated.")
@click.option("--customer", help="Customer of the session.")
@click.option("--hide", is_flag=True, help="Remove tools from the list that the intents do not permit.")
@click.pass_context
def mcp(
    ctx: click.Context, /, command: tuple[str, ...], upstream: str | None, host: str, port: int, **flags: Any
) -> int:
    """Run the MCP server COMMAND behind the guard, for the agent that started this.

    Tool calls are checked before the server sees them, and its answers before the agent reads them. In the agent's
    settings put `proctor guard mcp --` before the server's command. With --upstream the server has a URL, and this
    listens on a port of its own. Exit code: the server's.
    """
    from proctor.server.listen_address import check_address  # noqa: PLC0415 - only what this verb needs
    from proctor.server.upstream import is_server_url  # noqa: PLC0415
    from proctor.wiring.guard_settings import read_settings  # noqa: PLC0415

    if bool(command) == bool(upstream):
        raise click.UsageError("give a server's command after --, or --upstream URL")
    if upstream is not None and not is_server_url(upstream):
        # Not quoted: it may contain a password.
        raise click.UsageError("--upstream takes the URL of an MCP server, such as https://tools.example.com/mcp")
    if command and any(ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in ("host", "port")):
        raise click.UsageError("--host and --port go with --upstream; a command is served on standard input and output")
    config = project(ctx)
    settings = replace(read_settings(config).mcp, **{name: value for name, value in flags.items() if value})
    if upstream is not None:
        check_address(host, port)
    guard = open_guard(config)
    try:
        if upstream is None:
            return asyncio.run(_bridged(guard, settings, command))
        from proctor.server.mcp.http import make_app  # noqa: PLC0415

        token = read_token(config, settings.token_env)
        app = make_app(guard, upstream, settings, token=token)
        return serve_app(app, host, port, "guarding", token=token)
    finally:
        guard.close()


async def _bridged(guard: Any, settings: Any, command: tuple[str, ...]) -> int:
    from proctor.server.mcp.gateway import Gateway  # noqa: PLC0415
    from proctor.server.mcp.stdio import run_stdio  # noqa: PLC0415

    await guard.warm()
    session = guard.session(customer=settings.customer)
    return await run_stdio(Gateway(guard=guard, session=session, settings=settings), command)
