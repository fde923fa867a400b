"""A run's call log: every model reply, one line each, so that a resumed run repeats none.

Unlike the cache between runs it is only ever appended to while it is written, and read only by a later leg of the same
run: a line costs a tenth of a database's insert, and a killed process loses none.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from proctor.core.chat import Reply, Request
from proctor.core.codec import encode
from proctor.core.decoding import decode
from proctor.core.errors import StoreError
from proctor.store.journal import Journal, Place, read_lines

__all__ = ["Call", "CallLog"]


class Call(NamedTuple):
    """One question put to a model, and its answer."""

    model: str
    request: Request
    reply: Reply


class CallLog:
    """Keeps replies by the hash of their request; answers only what an earlier leg of the run kept.

    ``whole`` keeps the requests too, for a recording.
    """

    def __init__(self, path: Path, *, whole: bool = False) -> None:
        self.path = path
        self._whole = whole
        self._journal = Journal(path)
        self._keys, self._places, self._lengths = _index(path)

    def get(self, key: str) -> Reply | None:
        """The reply kept under this key by an earlier leg."""
        short = _short(key)
        at = bisect_left(self._keys, short)
        while at < len(self._keys) and self._keys[at] == short:
            line = self._journal.read(Place(self._places[at], self._lengths[at]))
            if line["key"] == key:
                return decode(Reply, line["reply"])
            at += 1
        return None

    def put(self, key: str, request: Request, reply: Reply, *, model: str) -> None:
        """Keep a reply; it outlives a killed process when this returns.

        Raises:
            StoreError: the disk is full or gone.
        """
        line = {"key": key, "model": model, "reply": encode(reply)}
        if self._whole:
            line["request"] = encode(request)
        self._journal.append(line)

    def calls(self) -> Iterator[Call]:
        """Every call whose request was kept, oldest first."""
        for _, line in read_lines(self.path):
            if "request" in line:
                yield Call(line["model"], decode(Request, line["request"]), decode(Reply, line["reply"]))

    def close(self) -> None:
        """Close the file."""
        self._journal.close()


def _index(path: Path) -> tuple[array[int], array[int], array[int]]:
    """Where each kept reply lies, sorted by key: 24 bytes a call, however many there were."""
    keys, places, lengths = array("Q"), array("Q"), array("Q")
    for place, line in read_lines(path):
        if not isinstance(line.get("key"), str) or "reply" not in line:
            raise StoreError(f"the line at byte {place.at} is no model call", file=str(path), mend="move the file away")
        keys.append(_short(line["key"]))
        places.append(place.at)
        lengths.append(place.length)
    # A later reply to the same question comes later in the file: keep that order among equals, newest first.
    order = sorted(range(len(keys)), key=lambda at: (keys[at], -at))
    return (
        array("Q", (keys[at] for at in order)),
        array("Q", (places[at] for at in order)),
        array("Q", (lengths[at] for at in order)),
    )


def _short(key: str) -> int:
    return int(key[:16], 16)
