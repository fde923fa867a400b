"""Find names in texts for the log, on a separate thread."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Sequence
from typing import Final

from proctor.core.entity import Entity
from proctor.core.sockets import Tagger

__all__ = ["Found", "Names"]

Found = Sequence[Entity] | None  # None: the tagger did not answer
_PATIENCE: Final = 30.0  # seconds per call; a tagger that takes longer counts as stuck


class _Question:
    __slots__ = ("answered", "found", "texts")

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts, self.answered = texts, threading.Event()
        self.found: list[Found] = [None] * len(texts)


class Names:
    """Calls a tagger for some texts at a time. A failing or hanging call has no answer and blocks no other."""

    def __init__(self, tagger: Tagger, *, patience: float = _PATIENCE) -> None:
        self._tagger, self._patience = tagger, patience
        self._asked: queue.SimpleQueue[_Question | None] = queue.SimpleQueue()
        self._last: _Question | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread; this is no longer possible while the interpreter shuts down."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="proctor-guard-names", daemon=True)
            self._thread.start()

    def of(self, texts: Sequence[str]) -> list[Found]:
        """Return the names in each text. Call from one thread at a time."""
        held_up = self._last is not None and not self._last.answered.is_set()
        if not texts or held_up:
            return [None] * len(texts)
        self.start()
        question = self._last = _Question(texts)
        self._asked.put(question)
        answered = question.answered.wait(self._patience)
        return list(question.found) if answered else [None] * len(texts)

    def end(self) -> None:
        """Stop the thread after its current call."""
        self._asked.put(None)

    def _work(self) -> None:
        with asyncio.Runner() as runner:
            while (question := self._asked.get()) is not None:
                with contextlib.suppress(Exception):  # without the tagger's answer no text is logged
                    found: list[Found] = list(runner.run(self._ask(question.texts)))
                    if len(found) == len(question.texts):
                        question.found = found
                question.answered.set()

    async def _ask(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        return await self._tagger.entities(texts)
