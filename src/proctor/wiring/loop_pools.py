"""One HTTP connection pool per event loop, because connections cannot move between loops."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from proctor.core.sockets import HttpReply

if TYPE_CHECKING:
    from proctor.models.pool import Pool

__all__ = ["LoopPools"]


class LoopPools:
    """Sends HTTP requests over connections of the calling event loop."""

    def __init__(self, *, proxy_for: Callable[[str], str | None] | None = None) -> None:
        self._proxy_for = proxy_for
        self._lock = threading.Lock()
        self._pools: WeakKeyDictionary[asyncio.AbstractEventLoop, Pool] = WeakKeyDictionary()

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout: float = 60.0,  # noqa: ASYNC109 - timeout of the request
        max_bytes: int = 8_000_000,
    ) -> HttpReply:
        """Send one request and read the whole answer, whatever its status."""
        from proctor.models.pool import Pool  # noqa: PLC0415 - most guards need no network

        loop = asyncio.get_running_loop()
        with self._lock:
            pool = self._pools.get(loop)
            if pool is None:
                pool = self._pools[loop] = Pool(proxy_for=self._proxy_for)
        return await pool.request(method, url, headers=headers, body=body, timeout=timeout, max_bytes=max_bytes)

    async def aclose(self) -> None:
        """Close the connections of the running loop before this returns, and those of other loops soon after."""
        with self._lock:
            own = self._pools.pop(asyncio.get_running_loop(), None)
        self.close()
        if own is not None:
            await own.close()

    def close(self) -> None:
        """Close the connections of every loop that still runs."""
        with self._lock:
            pools = list(self._pools.items())
            self._pools.clear()
        for loop, pool in pools:
            with contextlib.suppress(RuntimeError):  # the loop is closed, and its connections with it
                asyncio.run_coroutine_threadsafe(pool.close(), loop)
