"""Serve an application on a port until it is stopped."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

from aiohttp import web

from proctor.server.listen_address import cannot_listen

__all__ = ["run", "serve"]

_SWITCH = 0.0005  # seconds
_GOODBYE = 10.0  # seconds that open requests have to end
_INTERRUPTED = 130
Started = Callable[[str], None]
Stopping = Callable[[], None]


def run(
    app: web.Application,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    started: Started | None = None,
    stopping: Stopping | None = None,
) -> int:
    """Serve until SIGINT or SIGTERM; open requests have ten seconds to end, unless a second signal comes.

    Return the exit code of the process: 130 after SIGINT, 0 after SIGTERM.

    Raises:
        InputError: the address is not available.
    """
    return asyncio.run(serve(app, host, port, started=started, stopping=stopping))


async def serve(
    app: web.Application, host: str, port: int, *, started: Started | None = None, stopping: Stopping | None = None
) -> int:
    """Serve in a running event loop; ``started`` is called with the URL, ``stopping`` at the first signal."""
    # Gates run on their own thread; the default switch interval would delay other requests by 5 ms each time.
    sys.setswitchinterval(_SWITCH)
    # A disconnect of the client cancels the handler and the upstream request.
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=_GOODBYE)
    stop, again, loop = asyncio.Event(), asyncio.Event(), asyncio.get_running_loop()

    code = 0

    def told(number: signal.Signals) -> None:
        nonlocal code
        code = _INTERRUPTED if number == signal.SIGINT else code
        (again if stop.is_set() else stop).set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told, number)
    try:
        await runner.setup()
        # Exclude loaded objects from garbage collection, which would block every stream for 50 ms at a time.
        gc.collect()
        gc.freeze()
        await _open(runner, host, port)
        if started is not None:
            place = runner.addresses[0]
            name = f"[{place[0]}]" if ":" in place[0] else place[0]
            started(f"http://{name}:{place[1]}")
        await stop.wait()
        if stopping is not None:
            stopping()
    finally:
        cutting = loop.create_task(_cut(runner, again))
        await runner.cleanup()
        cutting.cancel()
        gc.unfreeze()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
    return code


async def _cut(runner: web.AppRunner, again: asyncio.Event) -> None:
    """Cancel open requests on a second signal or after the timeout, as if each client had disconnected."""
    # aiohttp waits twice: for the handler, and again after cancelling it.
    with suppress(TimeoutError):
        await asyncio.wait_for(again.wait(), _GOODBYE)
    for connection in runner.server.connections if runner.server is not None else ():
        if connection.transport is not None:
            connection.transport.abort()


async def _open(runner: web.AppRunner, host: str, port: int) -> None:
    try:
        await web.TCPSite(runner, host, port, backlog=1024).start()
    except OSError as error:
        raise cannot_listen(host, port, error) from None
