"""The log of gates' decisions: one file of JSON lines per day, written in the background."""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from proctor.core.codec import encode
from proctor.core.errors import StoreError
from proctor.core.event import Event
from proctor.core.sockets import Tagger
from proctor.core.verdict import Verdict
from proctor.store.guard_names import Found, Names
from proctor.store.guard_queue import queue_up
from proctor.store.mask_decisions import Masker, customer_key, masked, naming, parts_of, text_of, words_of
from proctor.store.masked_json import masked_line
from proctor.store.private_files import private_folder
from proctor.store.shared_lines import append_lines

__all__ = ["FOLDER", "NOT_KEPT", "GuardLog", "without_words"]

FOLDER: Final = "guard"  # inside the project's store
NOT_KEPT: Final = "decisions_not_kept"
_OURS: Final = ("mode", "turn", "sample", "intents", "tool")  # metadata of an event that contains no conversation text
_BATCH_LINES: Final = 1_000  # decisions without text that are written at once
_GOODBYE: Final = 5.0  # seconds for the tagger at shutdown; the rest is written without its text
_JOIN_SECONDS: Final = 60.0  # longer than one tagger call may take


class _Waiting(NamedTuple):
    event: Event
    borderline: bool
    sampled: bool
    letters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    every: float
    most: int
    worded: int
    letters: int
    batch: int


class GuardLog:
    """Logs decisions: ``record`` returns at once, a thread masks and writes them within ``every`` seconds.

    Decisions are written to the file of their day (UTC) and survive a killed process; several processes may write to
    the same folder. The ``tagger`` finds the names in texts; without its answer the texts are left out. That takes
    time: while ``worded`` decisions wait, or those of ``letters`` characters, further ones are logged without their
    texts, with a note. Only if the disk fails for so long that ``most`` wait, further ones are dropped and counted in
    the log. Borderline, sampled and (with ``queue_escalated``) escalated decisions go to the review queue too; while it
    refuses them, the last ``most`` of them wait and the log goes on.
    """

    def __init__(
        self,
        store: Path,
        *,
        tagger: Tagger | None = None,
        every: float = 0.5,
        most: int = 20_000,
        worded: int = 500,
        letters: int = 4_000_000,
        batch: int = 16,
    ) -> None:
        self.store = store
        self.queue_escalated = True  # whether each escalated step goes to the review queue
        self.trouble: str | None = None  # why the last write failed, while it does
        self._set = _Settings(every=every, most=most, worded=worded, letters=letters, batch=batch)
        self._tagger = tagger
        self._thread: threading.Thread | None = None
        self._names: Names | None = None
        self._until: float | None = None  # deadline for the tagger
        self._begin()

    @property
    def folder(self) -> Path:
        """The folder of the daily files."""
        return self.store / FOLDER

    def record(self, event: Event, *, borderline: bool = False, sampled: bool = False) -> None:
        """Queue a decision; never blocks and never raises."""
        if self._process != os.getpid():  # a forked worker has no thread of its own
            self._begin()
        if len(self._waiting) + len(self._bare) >= self._set.most:
            with self._counting:
                self._lost += 1
            return
        if len(self._waiting) >= self._set.worded or self._letters >= self._set.letters:
            self._bare.append(_Waiting(_unmasked_words(event), borderline, sampled, 0))
        else:
            letters = len(text_of(event))
            with self._counting:
                self._letters += letters
            self._waiting.append(_Waiting(event, borderline, sampled, letters))
        if self._thread is None:
            self._start()
        self._some.set()
        if len(self._waiting) >= self._set.batch or self._bare:
            self._enough.set()

    def flush(self) -> None:
        """Write everything that is queued, now.

        Raises:
            StoreError: it cannot be written; it stays in memory and is retried.
        """
        self._write_all()
        if self.trouble:
            raise StoreError(self.trouble, file=str(self.folder), hint="free some space, or make the folder writable")

    def close(self) -> None:
        """Write what is queued and end the thread; closing twice is fine, and a later ``record`` starts again."""
        if self._process != os.getpid():  # in a fork: the parent process writes what is queued here
            self._begin()
            return
        thread, self._thread = self._thread, None
        self._until = time.monotonic() + _GOODBYE
        self._closing.set()
        self._some.set()
        self._enough.set()
        if thread is not None and thread.is_alive():
            thread.join(timeout=_JOIN_SECONDS)
        atexit.unregister(self.close)
        self._write_all()
        if self._names is not None:
            self._names.end()
            self._names = self._asking()

    # --- the thread ----------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._process = os.getpid()
        self._waiting: deque[_Waiting] = deque()
        self._bare: deque[_Waiting] = deque()  # without their texts, so the tagger is not needed
        self._counting = threading.Lock()
        self._writing = threading.Lock()
        self._some, self._enough, self._closing = threading.Event(), threading.Event(), threading.Event()
        self._thread = None
        self._to_review: list[dict[str, Any]] = []
        self._name: Callable[[str], str] | None = None
        self._names = self._asking()
        self._until = None
        self._lost = self._letters = 0

    def _asking(self) -> Names | None:
        return None if self._tagger is None else Names(self._tagger)

    def _start(self) -> None:
        with self._counting:
            if self._thread is not None:
                return
            self._closing.clear()
            self._until = None
            if self._names is not None:
                self._names.start()
            self._thread = threading.Thread(target=self._work, name="proctor-guard-log", daemon=True)
            self._thread.start()
        atexit.register(self.close)

    def _work(self) -> None:
        closing = self._closing
        while not closing.is_set():
            self._some.wait()
            self._some.clear()
            self._enough.wait(self._set.every)
            self._enough.clear()
            try:
                self._write_all()
            except Exception as error:  # the thread must survive, or nothing would be logged
                self.trouble = f"{type(error).__name__}: {error}"
            if self.trouble and not closing.is_set():
                closing.wait(self._set.every)
                self._some.set()

    def _write_all(self) -> None:
        with self._writing:
            refused: str | None = None  # why the review queue takes nothing now; the log does not wait for it
            while self._bare or self._waiting or self._lost or (self._to_review and refused is None):
                if not (self._written(self._bare, _BATCH_LINES) and self._written(self._waiting, self._set.batch)):
                    return
                refused = refused or self._queue_up()
            self.trouble = refused

    def _written(self, queue: deque[_Waiting], most: int) -> bool:
        """Write the first queued entries; if the disk fails, they stay queued."""
        taken = _taken(queue, most)
        held = sum(each.letters for each in taken)
        try:
            self._write(taken)
        except (OSError, StoreError) as error:
            self.trouble = _why(error)
            queue.extendleft(reversed(taken))
            return False
        finally:
            with self._counting:
                self._letters -= held - sum(each.letters for each in taken)
        self.trouble = None
        return True

    # --- what is written -----------------------------------------------------------------------------

    def _write(self, taken: list[_Waiting]) -> None:
        """Write these; written entries are removed from the list, even if something fails later."""
        private_folder(self.folder)
        self._name = self._name or naming(customer_key(self.folder))
        names = self._found(taken)
        while taken:
            day = _day(taken[0].event.time)
            run = next((n for n, each in enumerate(taken) if _day(each.event.time) != day), len(taken))
            rows = [self._row(each, found) for each, found in zip(taken[:run], names, strict=False)]
            append_lines(self.folder / f"{day}.ndjson", b"".join(map(_line, rows)))
            del taken[:run], names[:run]
            self._to_review += [row for row in rows if self._is_for_review(row)]
        if lost := self._lost:
            note = _not_kept(lost, self._set.most)
            append_lines(self.folder / f"{_day(note.time)}.ndjson", _line(encode(note)))
            with self._counting:
                self._lost -= lost

    def _queue_up(self) -> str | None:
        """Put what people should look at into the review queue; return why it was refused, to be tried again."""
        try:
            queue_up(self.store, self._to_review)
        except (OSError, StoreError) as error:
            del self._to_review[: -self._set.most]
            return _why(error)
        self._to_review.clear()
        return None

    def _is_for_review(self, row: Mapping[str, Any]) -> bool:
        if "borderline" in row or "sampled" in row:
            return True
        return self.queue_escalated and (row.get("verdict") or {}).get("action") == "escalate"

    def _row(self, waiting: _Waiting, names: Found) -> dict[str, Any]:
        """Return a decision as a log row; one that cannot be masked is logged without any text."""
        event, name = waiting.event, self._name or str
        if event.id is None:
            event = replace(event, id=uuid.uuid4().hex)
        try:
            if names is None:
                event, names = without_words(event, "nobody could look for names in them"), ()
            row = masked(event, Masker(event, entities=names), name=name)
        except Exception as error:  # an odd object in a plugin's verdict must not affect the others
            bare = _bare(event, f"they could not be masked ({type(error).__name__})")
            row = masked(bare, Masker(bare), name=name)
        time.sleep(0)  # let a waiting request have the interpreter first
        return row | {key: True for key in ("borderline", "sampled") if getattr(waiting, key)}

    def _found(self, taken: Sequence[_Waiting]) -> list[Found]:
        """Return the names in each text, even if a gate has searched it and missed some; ``None``: unknown."""
        found: list[Found] = [()] * len(taken)
        if self._names is None:
            return found
        wanted = [n for n, each in enumerate(taken) if words_of(each.event)]
        over = self._until is not None and time.monotonic() > self._until
        told = self._names.of([words_of(taken[n].event) for n in wanted]) if not over else [None] * len(wanted)
        for place, names in zip(wanted, told, strict=True):
            found[place] = names
        return found


def _why(error: Exception) -> str:
    return str(getattr(error, "message", None) or getattr(error, "strerror", None) or error)


def _taken(queue: deque[_Waiting], most: int) -> list[_Waiting]:
    taken: list[_Waiting] = []
    with contextlib.suppress(IndexError):
        while len(taken) < most:
            taken.append(queue.popleft())
    return taken


def without_words(event: Event, why: str) -> Event:
    """Return the event without conversation text; a reason may quote it."""
    told = {key: event.metadata[key] for key in _OURS if key in event.metadata}
    return replace(
        event,
        metadata={
            **told,
            "words": f"left out: {why}",
            "parts": tuple(each.without_words() for each in parts_of(event)),
        },
        verdict=event.verdict and event.verdict.without_words(),
        extra={},
    )


def _unmasked_words(event: Event) -> Event:
    why = "more was waiting to be written than could be masked"
    try:
        return without_words(event, why)
    except Exception:  # an odd object where a verdict should be
        return _bare(event, why)


def _bare(event: Event, why: str) -> Event:
    """Return a minimal event if its contents cannot be trusted to be plain data."""
    told = event.verdict or Verdict(action="block", broken=True)
    verdict = Verdict(action=told.action, gate=told.gate, latency=told.latency, broken=told.broken)
    return Event(
        kind=event.kind,
        time=event.time,
        id=event.id,
        name=event.name,
        verdict=verdict,
        metadata={"words": f"left out: {why}"},
    )


def _not_kept(count: int, most: int) -> Event:
    reason = f"{count} decisions were not kept: {most} were waiting to be written"
    return Event(
        kind="note",
        time=datetime.now(UTC),
        id=uuid.uuid4().hex,
        name=NOT_KEPT,
        value=float(count),
        metadata={"reason": reason},
    )


def _day(time: datetime) -> str:
    return (time.astimezone(UTC) if time.tzinfo else time).date().isoformat()


def _line(data: Mapping[str, Any]) -> bytes:
    return masked_line(data)
