"""Deliver escalated steps to a webhook or a function from a background thread, without delaying the step."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import inspect
import logging
import os
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from proctor.core.codec import dumps
from proctor.core.errors import ProctorError
from proctor.core.event import Event
from proctor.core.sockets import HttpReply, Tagger
from proctor.models.pool import Pool
from proctor.store.guard_names import Found, Names
from proctor.store.mask_decisions import words_of
from proctor.wiring.escalation_payload import escalation_of, signature
from proctor.wiring.escalation_settings import EscalateSettings, EscalationWebhook

__all__ = ["EscalationDelivery"]

_log = logging.getLogger(__name__)
_AT_ONCE: Final = 8  # concurrent deliveries
_MAX_BACKOFF_SECONDS: Final = 60.0
_CLOSE_SECONDS: Final = 5.0
_RETRIED: Final = frozenset({408, 425, 429})
_MAX_REPLY_BYTES: Final = 100_000


class _DeliveryError(Exception):
    """A receiver did not accept an escalation."""


@dataclass(slots=True)
class _Counts:
    delivered: int = 0
    failed: int = 0
    dropped: int = 0
    under_way: int = 0
    last_failure: Mapping[str, str] | None = None


class EscalationDelivery:
    """Delivers each escalation to every receiver in the background, through a bounded queue.

    ``note`` is called with each failure, for the guard's log. ``name`` returns a customer's pseudonym. ``function`` is
    the configured callable. ``close`` waits some seconds for running deliveries and counts the rest as failed.
    """

    def __init__(
        self,
        settings: EscalateSettings,
        *,
        proxy_for: Callable[[str], str | None] | None = None,
        name: Callable[[str], str],
        function: Callable[[Mapping[str, Any]], Any] | None = None,
        tagger: Tagger | None = None,
        note: Callable[..., None] | None = None,
    ) -> None:
        self.settings, self._proxy_for, self._name, self._function = settings, proxy_for, name, function
        self._tagger, self._note = tagger, note
        self._begin()

    @property
    def health(self) -> Mapping[str, Any]:
        """Counts of waiting, delivered, failed and dropped escalations, and the last failure."""
        counts = self._counts
        return {
            "waiting": len(self._waiting) + counts.under_way,
            "delivered": counts.delivered,
            "failed": counts.failed,
            "dropped": counts.dropped,
            "last_failure": counts.last_failure,
        }

    def escalated(self, event: Event) -> None:
        """Queue one escalated step; never blocks."""
        if self._process != os.getpid():  # a forked process does not inherit the thread
            self._begin()
        with self._lock:
            dropped = self._closing.is_set() or len(self._waiting) >= self.settings.waiting
            if not dropped:
                self._waiting.append(event)
                self._start()
        if dropped:
            self._counts.dropped += 1
            if self._counts.dropped == 1 or self._counts.dropped % 1_000 == 0:
                self._tell("escalation_dropped", event, f"{self._counts.dropped} were dropped: the queue is full")
        else:
            self._wake()

    def close(self) -> None:
        """Deliver queued escalations for some seconds, then end the thread; may be called twice."""
        if self._process != os.getpid():
            return
        if not self._closing.is_set():
            self._until = time.monotonic() + _CLOSE_SECONDS
            self._closing.set()
        self._wake()
        thread = self._thread
        if thread is not None and thread.is_alive():
            thread.join(timeout=2 * _CLOSE_SECONDS)
        atexit.unregister(self.close)

    # --- runs in the delivery thread -------------------------------------------------------------------

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._waiting: deque[Event] = deque()
        self._counts = _Counts()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._http: Pool | None = None
        self._some: asyncio.Event | None = None
        self._names = None if self._tagger is None else Names(self._tagger)
        self._naming = threading.Lock()  # one name lookup at a time
        self._until = 0.0
        self._hung = 0  # calls of the function that timed out

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="proctor-escalations", daemon=True)
            self._thread.start()
            atexit.register(self.close)

    def _wake(self) -> None:
        loop, some = self._loop, self._some
        if loop is not None and some is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(some.set)

    def _run(self) -> None:
        asyncio.run(self._connected())

    async def _connected(self) -> None:
        async with Pool(proxy_for=self._proxy_for) as self._http:
            await self._work()

    async def _work(self) -> None:
        self._some = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        free = asyncio.Semaphore(_AT_ONCE)
        tasks: set[asyncio.Task[None]] = set()
        while not (self._closing.is_set() and not self._waiting):
            if not self._waiting:
                await self._some.wait()
                self._some.clear()
                continue
            await free.acquire()
            if self._closing.is_set() and time.monotonic() > self._until:
                free.release()
                break
            event = self._waiting.popleft()
            self._counts.under_way += 1
            task = asyncio.create_task(self._deliver(event))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            task.add_done_callback(lambda _: free.release())
        if tasks:
            await asyncio.wait(tasks, timeout=max(0.0, self._until - time.monotonic()))
        left = list(tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        while self._waiting:
            self._failed(self._waiting.popleft(), "the guard was closed before it was delivered")
        if self._names is not None:
            self._names.end()

    async def _deliver(self, event: Event) -> None:
        try:
            data = await self._data(event)
            ways = [self._post(self.settings.webhook, data)] if self.settings.webhook is not None else []
            ways += [self._call(self._function, data)] if self._function is not None else []
            said = await asyncio.gather(*ways, return_exceptions=True)
            reasons = [_reason(each) for each in said if isinstance(each, BaseException)]
        except asyncio.CancelledError:
            self._failed(event, "the guard was closed before it was delivered")
        except Exception as error:  # an event that cannot be written
            self._failed(event, _reason(error))
        else:
            if reasons:
                self._failed(event, "; ".join(reasons))
            else:
                self._counts.delivered += 1
        finally:
            self._counts.under_way -= 1

    async def _data(self, event: Event) -> dict[str, Any]:
        full = self.settings.content == "full"
        names: Found = ()
        if not full and self._names is not None and (words := words_of(event)):
            names = await _in_thread(lambda: self._names_of(words))
        return escalation_of(event, names=names, name=self._name, full=full)

    def _names_of(self, words: str) -> Found:
        with self._naming:
            return self._names.of([words])[0] if self._names is not None else ()

    async def _post(self, webhook: EscalationWebhook, data: Mapping[str, Any]) -> None:
        body = dumps(data)
        assert self._http is not None
        for attempt in range(webhook.retries + 1):
            try:
                reply = await self._http.request(
                    "POST",
                    webhook.url,
                    headers=_headers(webhook, data, body),
                    body=body,
                    timeout=webhook.timeout,
                    max_bytes=_MAX_REPLY_BYTES,
                )
            except ProctorError as error:
                failure, final = f"webhook: {error.message}", False
            else:
                if reply.status < 300:
                    return
                failure, final = f"webhook: status {reply.status}", not _is_retried(reply)
            if final or attempt == webhook.retries:
                raise _DeliveryError(failure)
            await asyncio.sleep(min(_MAX_BACKOFF_SECONDS, webhook.backoff * 2**attempt) * random.uniform(0.8, 1.2))  # noqa: S311

    async def _call(self, function: Callable[[Mapping[str, Any]], Any], data: Mapping[str, Any]) -> None:
        if self._hung >= _AT_ONCE:
            raise _DeliveryError("callable: earlier calls of it still hang")
        self._hung += 1
        async with asyncio.timeout(self.settings.timeout):
            if inspect.iscoroutinefunction(function):
                self._hung -= 1  # a cancelled coroutine no longer hangs
                await function(data)
                return

            def call() -> Any:
                try:
                    return function(data)
                finally:
                    self._hung -= 1

            made = await _in_thread(call)
            if inspect.isawaitable(made):
                await made

    def _failed(self, event: Event, reason: str) -> None:
        self._counts.failed += 1
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._counts.last_failure = {"time": now, "id": event.id or "", "reason": reason}
        self._tell("escalation_failed", event, reason)

    def _tell(self, name: str, event: Event, reason: str) -> None:
        _log.warning("an escalated step was not handed over: %s", reason)
        if self._note is not None:
            self._note(name, id=event.id, error=reason)


def _headers(webhook: EscalationWebhook, data: Mapping[str, Any], body: bytes) -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "X-Proctor-Event": "escalation",
        "X-Proctor-Delivery": str(data["id"]),
        **webhook.headers,
    }
    if webhook.secret is not None:
        headers["X-Proctor-Signature"] = signature(webhook.secret, int(time.time()), body)
    return headers


def _is_retried(reply: HttpReply) -> bool:
    return reply.status in _RETRIED or reply.status >= 500


def _reason(error: BaseException) -> str:
    """Return why a delivery failed, without the error's message: it may quote the draft."""
    if isinstance(error, TimeoutError):
        return "callable: it took too long"
    if isinstance(error, _DeliveryError):
        return str(error)
    return f"callable: {type(error).__name__}"


async def _in_thread(work: Callable[[], Any]) -> Any:
    """Run plain code on a daemon thread and return its result; a hanging call does not block shutdown."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if not done.done():
            done.set_result(value) if error is None else done.set_exception(error)

    def run() -> None:
        value, failure = None, None
        try:
            value = work()
        except BaseException as error:
            failure = error if isinstance(error, Exception) else RuntimeError(type(error).__name__)
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, value, failure)

    threading.Thread(target=run, name="proctor-escalation-call", daemon=True).start()
    return await done
