"""Release a streamed answer sentence by sentence, as far as the gates allow."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

from proctor.core.verdict import Verdict
from proctor.guard.sentence_buffer import SentenceBuffer, StreamMode, TextJudge
from proctor.guard.sync_bridge import SyncBridge

__all__ = ["AnswerStream", "ReleasePolicy", "SyncAnswerStream"]

Enter = Callable[[], AbstractContextManager[Any]]


class ReleasePolicy(TextJudge, Protocol):
    """Judges the sentences of an answer and supplies the reply that replaces blocked ones."""

    def reply(self, verdict: Verdict) -> str:
        """Return the reply that the customer gets instead."""
        ...


@dataclass(slots=True)
class _Release:
    """Takes pieces of text and returns the text to release."""

    policy: ReleasePolicy
    buffer: SentenceBuffer
    sent: int = 0
    over: bool = False

    async def add(self, piece: Any) -> str:
        if not isinstance(piece, str):
            raise TypeError(f"a guarded stream yields text, not {type(piece).__name__}: yield the text of each piece")
        self.buffer.add(piece)
        if self.buffer.ready:
            await self.buffer.look()
        return self._released()

    async def finish(self) -> str:
        await self.buffer.end()
        return self._released()

    def _released(self) -> str:
        text = self.buffer.shown[self.sent :]
        self.sent = len(self.buffer.shown)
        if self.buffer.stopped is not None and not self.over:
            self.over = True
            reply = self.policy.reply(self.buffer.stopped)
            text += f"\n\n{reply}" if self.buffer.shown else reply
        return text


class _Result:
    """The result of a stream."""

    __slots__ = ("_release",)

    def __init__(self, release: _Release) -> None:
        self._release = release

    @property
    def verdict(self) -> Verdict | None:
        """The verdict that stopped the stream; None if none did."""
        return self._release.buffer.stopped

    @property
    def stopped(self) -> bool:
        """Whether the gates ended the answer early; its last text is then the configured reply."""
        return self._release.buffer.stopped is not None

    @property
    def text(self) -> str:
        """The text of the agent's answer released so far, without a reply."""
        return self._release.buffer.shown


class AnswerStream(_Result):
    """An async iterator over the released text. It can be read once.

    ``enter`` makes the context in which the agent writes each piece: a generator has no context of its own.
    """

    __slots__ = ("_texts",)

    def __init__(
        self,
        policy: ReleasePolicy,
        pieces: AsyncIterable[str],
        *,
        mode: StreamMode = "sentence",
        restore: Callable[[str], str] | None = None,
        enter: Enter = nullcontext,
    ) -> None:
        super().__init__(_release_of(policy, mode, restore))
        self._texts = self._released(pieces, enter)

    def __aiter__(self) -> AsyncIterator[str]:
        return self._texts

    async def aclose(self) -> None:
        """Close the stream; no further piece is requested from the agent."""
        await self._texts.aclose()

    async def _released(self, pieces: AsyncIterable[str], enter: Enter) -> AsyncGenerator[str, None]:
        written = aiter(pieces)
        try:
            while not self._release.over:
                with enter():
                    try:
                        piece = await anext(written)
                    except StopAsyncIteration:
                        break
                if text := await self._release.add(piece):
                    yield text
            if not self._release.over and (text := await self._release.finish()):
                yield text
        finally:
            ending = getattr(written, "aclose", None)
            if ending is not None:
                await ending()


class SyncAnswerStream(_Result):
    """The synchronous version of ``AnswerStream``: an iterator over the released text."""

    __slots__ = ("_texts",)

    def __init__(
        self,
        policy: ReleasePolicy,
        pieces: Iterable[str],
        door: SyncBridge,
        *,
        mode: StreamMode = "sentence",
        restore: Callable[[str], str] | None = None,
        enter: Enter = nullcontext,
    ) -> None:
        super().__init__(_release_of(policy, mode, restore))
        self._texts = self._released(pieces, door, enter)

    def __iter__(self) -> Iterator[str]:
        return self._texts

    def close(self) -> None:
        """Close the stream; no further piece is requested from the agent."""
        self._texts.close()

    def _released(self, pieces: Iterable[str], door: SyncBridge, enter: Enter) -> Generator[str, None, None]:
        written = iter(pieces)
        try:
            while not self._release.over:
                with enter():
                    try:
                        piece = next(written)
                    except StopIteration:
                        break
                if text := door.run(self._release.add(piece)):
                    yield text
            if not self._release.over and (text := door.run(self._release.finish())):
                yield text
        finally:
            if inspect.isgenerator(written):
                written.close()


def _release_of(policy: ReleasePolicy, mode: StreamMode, restore: Callable[[str], str] | None) -> _Release:
    change = None if restore is None else lambda said, text: restore(text)
    return _Release(policy, SentenceBuffer(judge=policy, mode=mode, restore=change))
