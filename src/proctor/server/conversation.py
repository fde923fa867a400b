"""Which conversation a request belongs to, and what of it was looked at before."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final, Literal
from uuid import uuid4

from proctor.core.verdict import Verdict
from proctor.server.wire.stream_events import Slot
from proctor.server.wire.text_slots import put

__all__ = ["WITHHELD", "Conversations", "Kind", "Record", "Said", "chained", "digest", "last_answer", "shown"]

WITHHELD: Final = "[withheld]"
_MOST_KNOWN: Final = 256  # texts of one conversation whose verdict is remembered

_ALLOWED: Final = Verdict(action="allow")

_Key = tuple[str | None, str]
_Mark = tuple[str | None, bytes]
Kind = Literal["user", "tool", "assistant", "other"]


@dataclass(slots=True, kw_only=True)
class Said:
    """One message of a request: who said it, where its texts stand, and what tells it from others.

    ``arguments`` is where those of its calls stand: a text under the key ``input``, else JSON. ``aside``: it is no part
    of the thread by which a conversation is known, since clients send it or leave it out.
    """

    kind: Kind
    slots: list[Slot] = field(default_factory=list)
    arguments: list[Slot] = field(default_factory=list)
    digest: bytes = b""
    name: str = ""
    call_id: str | None = None
    aside: bool = False

    @property
    def text(self) -> str:
        """All its texts, as the gates see them: an order in two parts is still an order."""
        return "\n".join(slot.text for slot in self.slots)


@dataclass(slots=True, kw_only=True)
class Record:
    """What the proxy remembers of one conversation: verdicts on texts it has seen, and the names of calls.

    ``last`` tells the last request from others, ``used`` is when it came.
    """

    id: str
    customer: str | None = None
    known: OrderedDict[bytes, Verdict] = field(default_factory=OrderedDict)
    calls: OrderedDict[str, str] = field(default_factory=OrderedDict)
    marks: list[bytes] = field(default_factory=list)
    last: bytes = b""
    used: float = 0.0

    def keep(self, key: bytes, verdict: Verdict) -> None:
        """Remember the verdict on a text, as far as it says what became of it.

        A gate that broke or ran out of time has said nothing about the text: it is asked again.
        """
        if verdict.broken:
            self.known.pop(key, None)
            return
        self.known[key] = _ALLOWED if verdict.action == "allow" else _remembered(verdict)
        while len(self.known) > _MOST_KNOWN:
            self.known.popitem(last=False)

    def called(self, id: str, name: str) -> None:
        """Remember which tool a call was of."""
        if id:
            self.calls[id] = name
            while len(self.calls) > _MOST_KNOWN:
                self.calls.popitem(last=False)


class Conversations:
    """The records of living conversations; the one that was not used for longest goes first, and any that is idle.

    A conversation that has no name is known by what was said in it so far: whoever goes on from there has it, and
    nobody else from then on. The customer is part of the identity: two customers who use the same name or the same
    words have two conversations.
    """

    def __init__(self, most: int = 10_000, idle: float = 3600.0) -> None:
        self.most, self.idle = most, idle
        self._records: OrderedDict[_Key, Record] = OrderedDict()
        self._marks: dict[_Mark, _Key] = {}

    def __len__(self) -> int:
        return len(self._records)

    def named(self, id: str, customer: str | None = None) -> Record:
        """The conversation of this customer and name."""
        now, key = monotonic(), (customer, id)
        record = self._records.pop(key, None) or Record(id=id, customer=customer)
        record.used, self._records[key] = now, record
        while (old := next(iter(self._records.values()))) is not record:
            if len(self._records) <= self.most and now - old.used < self.idle:
                break
            self._unmark(self._records.pop((old.customer, old.id)))
        return record

    def continued(self, said: Sequence[Said], customer: str | None = None) -> Record:
        """The customer's conversation that these messages go on with; a new one when there is none."""
        thread = [each for each in said if not each.aside]
        last = last_answer(thread)
        if last >= 0:
            links = chained(each.digest for each in thread)
            for place in range(len(links) - 1, last - 1, -1):
                if (record := self.at(links[place], customer)) is not None:
                    self._unmark(record)
                    return record
        return self.named(f"auto-{uuid4().hex}", customer)

    def at(self, mark: bytes, customer: str | None = None) -> Record | None:
        """The customer's conversation that was marked so."""
        key = self._marks.get((customer, mark))
        return self.named(key[1], customer) if key is not None else None

    def mark(self, record: Record, mark: bytes) -> None:
        """Let the conversation be found by this mark."""
        key, place = (record.customer, record.id), (record.customer, mark)
        if key in self._records and self._marks.get(place) != key:
            self._marks[place] = key
            record.marks.append(mark)
            for old in record.marks[:-_MOST_KNOWN]:
                self._forget(old, record)
            del record.marks[:-_MOST_KNOWN]

    def _unmark(self, record: Record) -> None:
        for mark in record.marks:
            self._forget(mark, record)
        record.marks.clear()

    def _forget(self, mark: bytes, record: Record) -> None:
        place = (record.customer, mark)
        if self._marks.get(place) == (record.customer, record.id):
            del self._marks[place]


def last_answer(said: Sequence[Said]) -> int:
    """Where the last message of the assistant stands; -1 when there is none."""
    return max((place for place, each in enumerate(said) if each.kind == "assistant"), default=-1)


def digest(*parts: Any) -> bytes:
    """What tells some data from other data."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def chained(digests: Iterable[bytes]) -> list[bytes]:
    """For each message, what tells the conversation up to it from others."""
    links: list[bytes] = []
    state = hashlib.blake2b(digest_size=16)
    for each in digests:
        state.update(each)
        links.append(state.copy().digest())
    return links


def shown(said: Said, verdict: Verdict, stops: bool) -> bool:
    """Put into the request what the model may read of a message; says whether that changed it."""
    if stops:
        return put(said.slots, WITHHELD)
    return verdict.text is not None and put(said.slots, verdict.text)


def _remembered(verdict: Verdict) -> Verdict:
    """The verdict without its findings and marks, which belong to the request that it was taken for."""
    return Verdict(
        action=verdict.action,
        gate=verdict.gate,
        reason=verdict.reason,
        text=verdict.text,
        latency=verdict.latency,
        version=verdict.version,
        by=verdict.by,
    )
