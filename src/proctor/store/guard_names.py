"""Names in texts that go on record: asked for on a thread of their own."""

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

Found = Sequence[Entity] | None  # None: nobody could look
_PATIENCE: Final = 30.0  # seconds for one question; a tagger that takes longer is held up


class _Question:
    __slots__ = ("answered", "found", "texts")

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts, self.answered = texts, threading.Event()
        self.found: list[Found] = [None] * len(texts)


class Names:
    """Asks a tagger about some texts at a time. One that fails or hangs has no answer, and holds up nobody else."""

    def __init__(self, tagger: Tagger, *, patience: float = _PATIENCE) -> None:
        self._tagger, self._patience = tagger, patience
        self._asked: queue.SimpleQueue[_Question | None] = queue.SimpleQueue()
        self._last: _Question | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Have the thread ready; none can be started any more while the program ends."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="proctor-guard-names", daemon=True)
            self._thread.start()

    def of(self, texts: Sequence[str]) -> list[Found]:
        """The names in each text. Asked by one thread at a time."""
        held_up = self._last is not None and not self._last.answered.is_set()
        if not texts or held_up:
            return [None] * len(texts)
        self.start()
        question = self._last = _Question(texts)
        self._asked.put(question)
        answered = question.answered.wait(self._patience)
        return list(question.found) if answered else [None] * len(texts)

    def end(self) -> None:
        """Let the thread go when it has answered."""
        self._asked.put(None)

    def _work(self) -> None:
        with asyncio.Runner() as runner:
            while (question := self._asked.get()) is not None:
                with contextlib.suppress(Exception):  # whatever ails the tagger: without its answer no words are kept
                    found: list[Found] = list(runner.run(self._ask(question.texts)))
                    if len(found) == len(question.texts):
                        question.found = found
                question.answered.set()

    async def _ask(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        return await self._tagger.entities(texts)
