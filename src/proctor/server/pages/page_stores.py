"""What a page reads and changes: the stores of a project, opened on first use on the thread that asks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from proctor.config import Config
    from proctor.core.alert_record import RuleLimit
    from proctor.store.alert_state import AlertState
    from proctor.store.audit import AuditStore
    from proctor.store.guard_index import GuardIndex
    from proctor.store.history import History
    from proctor.store.people import People
    from proctor.store.runs import RunStore

__all__ = ["PageStorePool", "PageStores"]

_THREADS: Final = 4
_PATIENCE: Final = 30.0  # seconds that a page waits for the alert rules
Result = TypeVar("Result")
Limits = Callable[[], Sequence["RuleLimit"]]


class PageStores:
    """The open stores of a project, for one thread."""

    def __init__(self, config: Config, *, limits: Limits | None = None) -> None:
        self.config = config
        self.limits = limits  # the smallest spike that each rule sees; only where a server watches
        self._opened = ExitStack()
        self._kept: dict[str, tuple[object, Any]] = {}

    def kept(self, name: str, stamp: object, make: Callable[[], Result]) -> Result:
        """Return what was made under this name for the same stamp, else make it; the last one is kept."""
        if name not in self._kept or self._kept[name][0] != stamp:
            self._kept[name] = (stamp, make())
        found: Result = self._kept[name][1]
        return found

    @cached_property
    def history(self) -> History:
        """Conversations, rollups and events of production."""
        from proctor.wiring.history_settings import open_history  # noqa: PLC0415

        return self._opened.enter_context(open_history(self.config, indexes=False))

    @cached_property
    def alerts(self) -> AlertState:
        """Alerts, silences, and the state of the rules."""
        from proctor.wiring.monitor_state import open_alert_state  # noqa: PLC0415

        return self._opened.enter_context(open_alert_state(self.config))

    @cached_property
    def audit(self) -> AuditStore:
        """Samples, ratings and settlements of the weekly audit."""
        from proctor.wiring.monitor_state import open_audit_store  # noqa: PLC0415

        return self._opened.enter_context(open_audit_store(self.config))

    @cached_property
    def runs(self) -> RunStore:
        """Runs, results, release decisions, review items, campaigns and findings."""
        from proctor.store.runs import RunStore  # noqa: PLC0415

        return self._opened.enter_context(RunStore(self.config.store))

    @cached_property
    def guard(self) -> GuardIndex:
        """Decisions of the gates: counts by day, and where each is in the log."""
        from proctor.store.guard_index import GuardIndex  # noqa: PLC0415

        return self._opened.enter_context(GuardIndex(self.config.store))

    @cached_property
    def people(self) -> People:
        """Who may sign in."""
        from proctor.store.people import People  # noqa: PLC0415

        return self._opened.enter_context(People(self.config.store))

    def close(self) -> None:
        """Close what was opened."""
        self._opened.close()


class PageStorePool:
    """A few threads with open stores: pages never block the server, and a database stays on its thread."""

    def __init__(self, config: Config, *, limits: Limits | None = None, size: int = _THREADS) -> None:
        self.store = config.store
        self._loop: asyncio.AbstractEventLoop | None = None
        self._limits = limits
        on_loop = self._limits_on_loop if limits is not None else None
        self._workers = [
            (PageStores(config, limits=on_loop), ThreadPoolExecutor(1, thread_name_prefix="page")) for _ in range(size)
        ]
        self._free: asyncio.LifoQueue[int] = asyncio.LifoQueue()  # the warmest first
        for number in reversed(range(size)):
            self._free.put_nowait(number)

    async def run(self, work: Callable[[PageStores], Result]) -> Result:
        """Call ``work`` with the stores of a free thread, on that thread."""
        self._loop = asyncio.get_running_loop()
        number = await self._free.get()
        stores, thread = self._workers[number]
        task = asyncio.get_running_loop().run_in_executor(thread, work, stores)
        try:
            return await asyncio.shield(task)
        finally:
            # A reader who goes away does not stop the query: the thread is free when it has ended.
            if task.done():
                self._free.put_nowait(number)
            else:
                task.add_done_callback(lambda done: self._freed(number, done))

    def _limits_on_loop(self) -> Sequence[RuleLimit]:
        """Ask the alert rules on the thread of the server, which owns them, for a page that waits on its own thread."""
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(self._asked_limits(), self._loop).result(_PATIENCE)

    async def _asked_limits(self) -> Sequence[RuleLimit]:
        return self._limits() if self._limits is not None else ()

    def _freed(self, number: int, done: asyncio.Future[Any]) -> None:
        if not done.cancelled():
            done.exception()
        self._free.put_nowait(number)

    async def close(self) -> None:
        """Close the stores of each thread on that thread."""
        loop = asyncio.get_running_loop()
        for stores, thread in self._workers:
            await loop.run_in_executor(thread, stores.close)
            thread.shutdown(wait=False)
