"""proctor proxy: guard an unchanged client of OpenAI's, Anthropic's or Ollama's API."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from proctor.cli.context import project
from proctor.cli.guard_server import exposure, open_guard, read_token, serve_app
from proctor.core.errors import ConfigError, InputError

__all__ = ["verb"]


@click.command("proxy", short_help="Guard an unchanged client: a proxy between it and the model's API.")
@click.option("--upstream", metavar="URL", help="URL of the API, such as https://api.openai.com.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8088, show_default=True, help="Port; 0 selects a free one."
)
@click.option("--stream", type=click.Choice(["sentence", "whole"]), help="How much of a stream is held back.")
@click.option("--escalate", type=click.Choice(["reply", "header"]), help="Effect of an escalation.")
@click.option("--others", type=click.Choice(["pass", "refuse"]), help="Handling of paths that are not guarded.")
@click.option(
    "--restore",
    type=click.Choice(["none", "answers", "all"]),
    help="Where placeholders are replaced by the customer's own data.",
)
@click.option(
    "--expose", type=click.Choice(["auto", "none", "action", "full"]), help="How much of a verdict clients see."
)
@click.option("--token-env", metavar="NAME", help="Environment variable with the token that clients must send.")
@click.option("--timeout", type=click.FloatRange(min=0.001), help="Seconds that the upstream may be silent.")
@click.pass_context
def verb(ctx: click.Context, /, host: str, port: int, **flags: Any) -> int:
    """Forward requests to a model's API, with every message, tool call and answer checked by the gates.

    Guarded are chat completions, responses and completions of OpenAI and compatible servers, messages of Anthropic, and
    chat and generate of Ollama. Other paths are refused unless listed under `allow`. Set the client's base URL to this
    server: `OPENAI_BASE_URL=http://127.0.0.1:8088/v1`, `ANTHROPIC_BASE_URL=http://127.0.0.1:8088`. API keys are
    forwarded and never stored. Settings are in proctor.yaml under `guard: {proxy: ...}`; flags override them. Runs
    until interrupted.
    """
    from proctor.server.admission import is_loopback  # noqa: PLC0415 - aiohttp takes a quarter of a second
    from proctor.server.listen_address import check_address  # noqa: PLC0415
    from proctor.server.proxy.app import make_app  # noqa: PLC0415
    from proctor.server.upstream import is_server_url, place_of  # noqa: PLC0415
    from proctor.wiring.guard_settings import read_settings  # noqa: PLC0415

    config = project(ctx)
    given = {name: value for name, value in flags.items() if value is not None}
    whole = read_settings(config)
    try:
        settings = replace(whole.proxy, **given)
    except ValueError as error:
        raise InputError(str(error)) from None
    if settings.upstream is None:
        hint = "give --upstream https://…, or set `guard: {proxy: {upstream: …}}` in proctor.yaml"
        raise ConfigError("no upstream is named", hint=hint)
    if not is_server_url(settings.upstream):
        raise InputError("the upstream names no host", hint="write it as https://api.openai.com")
    token = read_token(config, settings.token_env)
    check_address(host, port)
    guard = open_guard(config)
    try:
        app = make_app(
            guard,
            settings.upstream,
            settings,
            sessions=whole.sessions,
            proxy_for=config.environment.proxy_for,
            token=token,
            warning=exposure(host, token),
            local=is_loopback(host),
        )
        return serve_app(app, host, port, f"guarding {place_of(settings.upstream)}", token=token)
    finally:
        guard.close()
