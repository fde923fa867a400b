"""proctor serve: receive events from production and watch them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from proctor.cli.context import project as open_project
from proctor.core.errors import ConfigError, InputError

if TYPE_CHECKING:
    from proctor.config import Config
    from proctor.wiring.ingest_settings import IngestSettings

__all__ = ["verb"]


@click.command("serve", short_help="Receive events from production, watch them, and show the dashboard in the browser.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=4318, show_default=True, help="Port; 0 selects a free one."
)
@click.option("--demo", is_flag=True, help="Serve a project with six weeks of simulated use instead: needs no key.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="With --demo: folder for its project; filled once, then used again.  [default: a temporary folder]",
)
@click.pass_context
def verb(ctx: click.Context, /, host: str, port: int, demo: bool, keep: Path | None) -> int:
    """Receive traces, turns and scores from agents, store them, check the alert rules, and show the dashboard.

    Takes OTLP/HTTP (protobuf and JSON), plain JSON and NDJSON at /v1/turns, and the SDKs of Langfuse and LangSmith
    with this server as their base URL. A request is acknowledged when it is on disk. Settings are in proctor.yaml
    under `monitor: {ingest: ...}`. The dashboard is at /ui/: on this machine the printed link opens it. Other machines
    are let in only with tokens for senders and people for the dashboard (`proctor people`). Runs until interrupted.
    """
    import asyncio  # noqa: PLC0415

    from proctor.server.listen_address import check_address  # noqa: PLC0415
    from proctor.wiring.ingest_settings import read_ingest  # noqa: PLC0415

    if keep is not None and not demo:
        raise click.UsageError("--keep goes with --demo.")
    check_address(host, port)
    with ExitStack() as stack:
        config = _demo_config(stack, keep) if demo else open_project(ctx)
        settings = read_ingest(config)
        _check_exposure(config, settings, host)
        return asyncio.run(_serve(config, settings, host, port))


def _check_exposure(config: Config, settings: IngestSettings, host: str) -> None:
    """Refuse to listen to other machines without tokens for senders and people for the dashboard."""
    from proctor.server.admission import is_loopback  # noqa: PLC0415 - aiohttp takes a quarter of a second
    from proctor.store.people import PEOPLE_FILE, People  # noqa: PLC0415

    if is_loopback(host):
        return
    if not settings.tokens:
        hint = "set `monitor: {ingest: {tokens: {SOURCE: ${TOKEN}}}}` in proctor.yaml, or listen on 127.0.0.1"
        raise ConfigError(f"{host} can be reached by other machines, and no token is set", hint=hint)
    if (config.store / PEOPLE_FILE).exists():
        with People(config.store) as people:
            if people.list():
                return
    hint = "`proctor people add NAME --role admin`, or listen on 127.0.0.1"
    raise ConfigError(f"{host} can be reached by other machines, and nobody may sign in to the dashboard", hint=hint)


def _demo_config(stack: ExitStack, keep: Path | None) -> Config:
    """Return the project of the demo; a folder that has one is used again."""
    import tempfile  # noqa: PLC0415

    from proctor.cli.demo_project import fill_demo, is_demo, write_demo  # noqa: PLC0415
    from proctor.config import open_config  # noqa: PLC0415

    if keep is not None and is_demo(keep):
        return open_config(keep)
    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise InputError("the folder is not empty", file=str(keep), hint="name a new folder after --keep")
    folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="proctor-demo-"))) / "demo"
    config = write_demo(folder)
    click.echo(f"filling a project in {folder}; on a machine with other work it takes up to a minute", err=True)
    fill_demo(config, tell=lambda line: click.echo(f"  {line}", err=True))
    return config


async def _serve(config: Config, settings: IngestSettings, host: str, port: int) -> int:
    from proctor.project import Project  # noqa: PLC0415
    from proctor.server.ingest.app import make_app  # noqa: PLC0415
    from proctor.server.ingest.read_api import ReadApi  # noqa: PLC0415
    from proctor.server.pages.app import add_dashboard, make_dashboard  # noqa: PLC0415
    from proctor.server.serve_app import serve  # noqa: PLC0415
    from proctor.store.server_address import told_address  # noqa: PLC0415
    from proctor.wiring.history_settings import open_history  # noqa: PLC0415
    from proctor.workflows.monitor.index_process import index_process  # noqa: PLC0415
    from proctor.workflows.monitor.online_scoring import background_scoring  # noqa: PLC0415
    from proctor.workflows.monitor.open_intake import open_intake  # noqa: PLC0415

    async with Project(config) as project:
        with open_intake(config, settings, http=project.http) as watched:
            recovered = watched.intake.recover()
            if recovered:
                click.echo(f"read {recovered:,} events of the last minutes", err=True)
            state = watched.watch.state if watched.watch is not None else None
            # The history of the readers is their own: they must not wait for the indexer.
            with (
                index_process(config) as is_indexed,
                open_history(config) as history,
                background_scoring(config, watched.intake.add),
                told_address(config.store) as tell,
            ):
                reader = ReadApi(watched.intake, history, alerts=state, limits=watched.limits, metrics=watched.metrics)
                app = make_app(watched.intake, settings, reader=reader, tick=watched.tick, is_indexed=is_indexed)
                add_dashboard(app, make_dashboard(config, limits=watched.limits))
                return await serve(
                    app,
                    host,
                    port,
                    started=lambda address: _started(config, address, tell),
                    stopping=lambda: click.echo("stopping; what is complete is written; again to break off", err=True),
                )


def _started(config: Config, address: str, tell: Callable[[str], None]) -> None:
    tell(address)
    _say_where(config, address)


def _say_where(config: Config, address: str) -> None:
    """Print where events are received and, on this machine, a link that opens the dashboard once."""
    import getpass  # noqa: PLC0415
    import time  # noqa: PLC0415
    from urllib.parse import urlsplit  # noqa: PLC0415

    from proctor.core.person import Person  # noqa: PLC0415
    from proctor.server.admission import is_loopback  # noqa: PLC0415
    from proctor.store.people import People  # noqa: PLC0415

    click.echo(f"receiving at {address}", err=True)
    if not is_loopback(urlsplit(address).hostname or ""):
        click.echo(f"dashboard: {address}/ui/ for the people that `proctor people list` shows", err=True)
        click.echo(
            "passwords and sessions travel in the clear: put a proxy with TLS in front (docs/dashboard.md)", err=True
        )
        return
    with People(config.store) as people:
        key = people.make_link(Person(name=getpass.getuser(), role="admin"), time.time(), is_guest=True)
    click.echo(f"dashboard: {address}/ui/enter?key={key} (works once, within 15 minutes)", err=True)
