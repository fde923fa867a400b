"""Send events to `proctor serve` from Python: in batches, in the background, with a spool on disk.

from proctor.client import EventClient

with EventClient("http://127.0.0.1:4318", token="…", spool="/var/spool/desk") as events:
events.turn(session="s-1", input="Where is my order?", output="It ships tomorrow.", latency=0.8)
events.score("helpful", 0.9, session="s-1")
"""

from __future__ import annotations

import atexit
import contextlib
import gzip
import http.client
import json
import logging
import os
import random
import threading
import time
import uuid
from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final
from urllib.parse import urlsplit

__all__ = ["ClientFigures", "EventClient"]

_PATH: Final = "/v1/turns"
_MAX_BACKOFF_SECONDS: Final = 30.0
_RETRIED: Final = frozenset({408, 429, 500, 502, 503, 504})
_SUFFIX: Final = ".ndjson"
_MIN_PACKED_BYTES: Final = 1_000
_log = logging.getLogger(__name__)


class ClientFigures:
    """What became of the events: sent, rejected by the server, dropped here, and in the spool."""

    def __init__(self) -> None:
        self.sent = 0
        self.rejected = 0
        self.dropped = 0
        self.spooled = 0

    def __repr__(self) -> str:
        counts = ", ".join(f"{name}={count}" for name, count in vars(self).items())
        return f"ClientFigures({counts})"


class EventClient:
    """Sends events in the background; every call returns at once and never raises because of the network.

    At most ``max_queue`` events wait in memory. When there are more, or the server cannot be reached, they go to files
    in ``spool``, of at most ``spool_bytes``, and are sent later, also by the next process. Without a spool a call waits
    up to ``patience`` seconds for room, then drops the event and counts it. Every event has an id before it is sent, so
    that one which is sent twice is stored once.
    """

    def __init__(  # noqa: PLR0913 - the settings of a sender
        self,
        url: str = "http://127.0.0.1:4318",
        *,
        token: str | None = None,
        spool: str | os.PathLike[str] | None = None,
        max_queue: int = 10_000,
        batch: int = 500,
        every: float = 1.0,
        patience: float = 0.0,
        timeout: float = 10.0,
        spool_bytes: int = 100_000_000,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("url must begin with http:// or https:// and name a host")
        self._secure, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._path = parts.path.rstrip("/") + _PATH
        self._token, self._timeout = token, timeout
        self._max_queue, self._batch, self._every, self._patience = max_queue, batch, every, patience
        self._spool = Path(spool) if spool is not None else None
        self._spool_bytes = spool_bytes
        self._queue: deque[bytes] = deque()
        self._wake = threading.Condition()
        self._in_flight = 0
        self._stop = False
        self._asked_flush = False
        self._failures = 0
        self._not_before = 0.0
        self.figures = ClientFigures()
        self._thread = threading.Thread(target=self._run, name="proctor-events", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    # --- what an agent calls -------------------------------------------------------------------------

    def send(self, event: Mapping[str, Any]) -> bool:
        """Queue an event as JSON-like data; return whether it was taken."""
        data = dict(event)
        data.setdefault("id", uuid.uuid4().hex)
        data.setdefault("time", datetime.now(UTC).isoformat())
        line = json.dumps(data, default=str, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        with self._wake:
            if len(self._queue) >= self._max_queue and not self._make_room():
                self.figures.dropped += 1
                return False
            self._queue.append(line)
            if len(self._queue) >= self._batch:
                self._wake.notify_all()
        return True

    def turn(self, *, session: str, input: str | None = None, output: str | None = None, **more: Any) -> bool:
        """Queue one exchange; ``more`` are fields of the event: customer, intent, model, version, latency, cost."""
        return self.send({"kind": "turn", "session": session, "input": input, "output": output, **more})

    def score(self, name: str, value: float, *, session: str, **more: Any) -> bool:
        """Queue a score between 0 and 1."""
        return self.send({"kind": "score", "name": name, "value": value, "session": session, **more})

    def outcome(self, name: str, *, session: str, **more: Any) -> bool:
        """Queue how a conversation ended, such as ``resolved``."""
        return self.send({"kind": "outcome", "name": name, "session": session, **more})

    def flush(self, timeout: float = 10.0) -> bool:
        """Send what waits; return whether everything was sent or is in the spool."""
        until = time.monotonic() + timeout
        with self._wake:
            self._asked_flush = True
            self._wake.notify_all()
            while (self._queue or self._in_flight) and time.monotonic() < until:
                self._wake.wait(0.05)
            self._asked_flush = False
            return not self._queue and not self._in_flight

    def close(self, timeout: float = 10.0) -> None:
        """Send what waits, put the rest into the spool, and end the thread. Closing twice is fine."""
        if self._stop:
            return
        self.flush(timeout)
        with self._wake:
            self._stop = True
            self._wake.notify_all()
        self._thread.join(timeout + self._timeout)
        atexit.unregister(self.close)
        with self._wake:
            rest = list(self._queue)
            self._queue.clear()
        if rest and not self._to_spool(rest):
            self.figures.dropped += len(rest)

    def __enter__(self) -> EventClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- the thread ----------------------------------------------------------------------------------

    def _make_room(self) -> bool:
        """Move half of the queue to the spool, or wait for the thread; the condition is held."""
        if self._spool is not None:
            moved = [self._queue.popleft() for _ in range(len(self._queue) // 2 + 1)]
            if self._to_spool(moved):
                return True
            self._queue.extendleft(reversed(moved))
        self._wake.notify_all()
        return self._patience > 0 and self._wake.wait_for(
            lambda: len(self._queue) < self._max_queue, timeout=self._patience
        )

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(self._is_due, timeout=self._every)
                if self._stop and not self._queue:
                    return
                wait = self._not_before - time.monotonic()
                if wait > 0 and not self._stop:
                    if self._spool is not None and self._queue and self._asked_flush:
                        self._take_to_spool()
                    self._wake.wait(min(wait, self._every))
                    continue
                lines = [self._queue.popleft() for _ in range(min(self._batch, len(self._queue)))]
                self._in_flight = len(lines)
            try:
                self._send_or_keep(lines)
                if self._stop and self._failures:
                    return
            except Exception:  # the agent must go on
                _log.exception("events could not be sent")
                self.figures.dropped += len(lines)
            finally:
                with self._wake:
                    self._in_flight = 0
                    self._wake.notify_all()

    def _is_due(self) -> bool:
        return self._stop or (self._asked_flush and bool(self._queue)) or len(self._queue) >= self._batch

    def _take_to_spool(self) -> None:
        lines = list(self._queue)
        self._queue.clear()
        if not self._to_spool(lines):
            self._queue.extendleft(reversed(lines))

    def _send_or_keep(self, lines: list[bytes]) -> None:
        if lines and not self._post(lines):
            if not self._to_spool(lines):
                with self._wake:
                    self._queue.extendleft(reversed(lines))
            return
        self._send_spool()

    def _send_spool(self) -> None:
        """Send the oldest files of the spool."""
        for path in self._spool_files()[:10]:
            with contextlib.suppress(OSError):
                lines = path.read_bytes().splitlines()
                if not self._post(lines):
                    return
                path.unlink(missing_ok=True)

    def _post(self, lines: list[bytes]) -> bool:
        """Send lines; return whether the server has them (or will never take them)."""
        body = b"\n".join(lines)
        headers = {"Content-Type": "application/x-ndjson"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if len(body) >= _MIN_PACKED_BYTES:
            body, headers["Content-Encoding"] = gzip.compress(body, compresslevel=1), "gzip"
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=self._timeout)
        try:
            connection.request("POST", self._path, body, headers)
            answer = connection.getresponse()
            told = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._back_off(None)
            _log.warning("events cannot be sent to %s: %s", self._host, type(error).__name__)
            return False
        finally:
            connection.close()
        if answer.status in _RETRIED:
            self._back_off(answer.getheader("Retry-After"))
            return False
        self._failures, self._not_before = 0, 0.0
        self._count(answer.status, told, len(lines))
        return True

    def _count(self, status: int, told: bytes, lines: int) -> None:
        try:
            data = json.loads(told)
            accepted, rejected = int(data["accepted"]), int(data["rejected"])
        except (ValueError, KeyError, TypeError):
            accepted, rejected = (lines, 0) if status < 300 else (0, lines)
            data = {}
        self.figures.sent += accepted
        self.figures.rejected += rejected
        if rejected:
            first = data.get("problems") or [{}]
            _log.warning("the server refused %d events (status %d): %s", rejected, status, first[0].get("message", ""))

    def _back_off(self, retry_after: str | None) -> None:
        self._failures += 1
        wait = min(_MAX_BACKOFF_SECONDS, 0.5 * 2 ** min(self._failures, 10)) * random.uniform(0.5, 1.0)  # noqa: S311
        if retry_after and retry_after.isdecimal():
            wait = min(float(retry_after), 3600.0)
        self._not_before = time.monotonic() + wait

    # --- the spool -----------------------------------------------------------------------------------

    def _spool_files(self) -> list[Path]:
        return sorted(self._spool.glob(f"*{_SUFFIX}")) if self._spool is not None and self._spool.is_dir() else []

    def _to_spool(self, lines: list[bytes]) -> bool:
        """Write lines to a file that only this user can read; return whether it is on disk."""
        if self._spool is None or not lines:
            return not lines
        try:
            self._spool.mkdir(mode=0o700, parents=True, exist_ok=True)
            data = b"\n".join(lines) + b"\n"
            self._limit_spool(len(data))
            path = self._spool / f"{time.time_ns():020d}-{uuid.uuid4().hex[:8]}{_SUFFIX}"
            part = path.with_suffix(".part")
            file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            part.rename(path)
        except OSError as error:
            _log.warning("the spool cannot be written: %s", error.strerror)
            return False
        self.figures.spooled += len(lines)
        return True

    def _limit_spool(self, more: int) -> None:
        """Remove the oldest files if the spool would become too large."""
        files = self._spool_files()
        sizes = {path: path.stat().st_size for path in files}
        total = sum(sizes.values()) + more
        for path in files:
            if total <= self._spool_bytes:
                return
            self.figures.dropped += path.read_bytes().count(b"\n")
            total -= sizes[path]
            path.unlink(missing_ok=True)
