"""A run's call log: every model reply, one line each, so that a resumed run repeats none.

Unlike the cache between runs it is append-only, and read only when the same run is resumed: a line costs a tenth of a
database insert, and a killed process loses none.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from proctor.core.chat import Reply, Request
from proctor.core.codec import encode
from proctor.core.decode import decode
from proctor.core.errors import StoreError
from proctor.store.journal import DamagedLine, Journal, Place, read_lines

__all__ = ["CallLog", "ModelCall", "Paid"]

_HEX = re.compile("[0-9a-f]{16}")
_NO_CALL = "is no model call"


class ModelCall(NamedTuple):
    """One request to a model, and its reply."""

    model: str
    request: Request
    reply: Reply


class Paid(NamedTuple):
    """What the calls of one leg cost, as far as known, and how many were answered."""

    cost: float = 0.0
    calls: int = 0
    tokens: int = 0

    def plus(self, reply: dict[str, Any]) -> Paid:
        """Return the sum with one more reply in the format of the log."""
        usage = reply.get("usage") or {}
        tokens = int(usage.get("input") or 0) + int(usage.get("output") or 0)
        return Paid(self.cost + float(reply.get("cost") or 0.0), self.calls + 1, self.tokens + tokens)


class CallLog:
    """Stores replies by the hash of their request; returns only what an earlier leg of the run stored.

    ``whole`` stores the requests too, for a recording. ``leg`` numbers the processes that wrote to the log in turn.
    ``paid`` has what earlier legs paid, and ``skipped`` the invalid lines: those calls are repeated.
    """

    def __init__(self, path: Path, *, whole: bool = False, leg: int = 1) -> None:
        self.path = path
        self._whole = whole
        self._leg = leg
        self._journal = Journal(path)
        self.paid: dict[int, Paid] = {}
        self.skipped: list[DamagedLine] = []
        try:
            self._keys, self._places, self._lengths = self._index()
        except BaseException:
            self._journal.close()
            raise

    def get(self, key: str) -> Reply | None:
        """Return the reply stored under this key by an earlier leg."""
        short = _short(key)
        at = bisect_left(self._keys, short)
        while at < len(self._keys) and self._keys[at] == short:
            line = self._journal.read(Place(self._places[at], self._lengths[at]))
            if line["key"] == key:
                return decode(Reply, line["reply"])
            at += 1
        return None

    def put(self, key: str, request: Request, reply: Reply, *, model: str) -> None:
        """Store a reply; it survives a killed process when this returns.

        Raises:
            StoreError: the disk is full or gone.
        """
        line = {"key": key, "model": model, "leg": self._leg, "reply": encode(reply)}
        if self._whole:
            line["request"] = encode(request)
        self._journal.append(line)

    def calls(self) -> Iterator[ModelCall]:
        """Yield every call whose request was stored, oldest first."""
        for _, line in read_lines(self.path, damaged=lambda _: None):
            if "request" in line:
                yield ModelCall(line["model"], decode(Request, line["request"]), decode(Reply, line["reply"]))

    def close(self) -> None:
        """Close the file."""
        self._journal.close()

    def _index(self) -> tuple[array[int], array[int], array[int]]:
        """Return the position of each stored reply, sorted by key: 24 bytes per call."""
        keys, places, lengths = array("Q"), array("Q"), array("Q")
        for place, line in read_lines(self.path, damaged=self.skipped.append):
            key, reply = line.get("key"), line.get("reply")
            if not isinstance(key, str) or not _HEX.match(key) or not isinstance(reply, dict):
                self.skipped.append(DamagedLine(self._journal.line_number(place), _NO_CALL))
                continue
            keys.append(_short(key))
            places.append(place.at)
            lengths.append(place.length)
            if not reply.get("cached"):  # paid for when it was first requested
                leg = int(line.get("leg") or 1)
                self.paid[leg] = self.paid.get(leg, Paid()).plus(reply)
        if not keys and any(each.why == _NO_CALL for each in self.skipped):
            raise StoreError("has no model call in it", file=str(self.path), hint="move the file away")
        # Of several replies to the same request the newest comes first.
        order = sorted(range(len(keys)), key=lambda at: (keys[at], -at))
        return (
            array("Q", (keys[at] for at in order)),
            array("Q", (places[at] for at in order)),
            array("Q", (lengths[at] for at in order)),
        )


def _short(key: str) -> int:
    return int(key[:16], 16)
