"""A streamed answer held back sentence by sentence: nothing leaves before it was looked at, nothing out of order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from proctor.core.verdict import Verdict
from proctor.guard.sentence_buffer import Restore, SentenceBuffer, StreamMode, TextJudge
from proctor.server.wire.sse import SseEvent
from proctor.server.wire.stream_events import Call, Dialect, Frame, Slot, compact

__all__ = ["Stream", "StreamHooks"]


class StreamHooks(TextJudge, Protocol):
    """What a stream asks about its texts and calls, and what it may tell of the answers."""

    async def call(self, name: str, arguments: str, id: str | None = None) -> Verdict:
        """The verdict on a tool call."""
        ...

    async def unknown(self, kind: str) -> Verdict:
        """The verdict on a call of a kind that is not known."""
        ...

    def refuses(self, verdict: Verdict) -> bool:
        """Whether the call must not be made."""
        ...

    def reply(self, verdict: Verdict) -> str:
        """What is said instead."""
        ...

    def told(self) -> Mapping[str, Any] | None:
        """What was found, for the one who asked; None when there is nothing to tell."""
        ...


@dataclass(slots=True, kw_only=True)
class Stream:
    """Events in, bytes out. With nothing found the bytes are those that came.

    ``restore`` and ``restore_call`` say what the client reads of a text, or has in a call, that may leave. ``stopped``
    is the verdict that ended the stream early; what came out until then ends it in good order.
    """

    dialect: Dialect
    watch: StreamHooks
    mode: StreamMode = "sentence"
    hold: int = 1
    restore: Restore | None = None
    restore_call: Callable[[str, bool], str] | None = None
    stopped: Verdict | None = None
    _queue: deque[Frame] = field(default_factory=deque)
    _texts: dict[Hashable, SentenceBuffer] = field(default_factory=dict)
    _refusal: Verdict | None = None
    _again: int = 0

    async def feed(self, events: Sequence[SseEvent]) -> bytes:
        """Take in what came; returns what may leave now."""
        if self.stopped:
            return b""
        ends: set[Hashable] = set()
        waits = bool(self._queue)  # the first in the queue waits for a verdict, and with it all others
        for event in events:
            frame = self.dialect.read(event)
            for slot in frame.slots:
                self._place(slot, frame)
            ends |= frame.ends
            self._queue.append(frame)
        if self.dialect.calls:
            await self._decide()
        for channel, held in self._texts.items():
            if channel in ends:
                await held.end()
            elif held.ready:
                await held.look()
            else:
                continue
            waits = False
        return b"" if waits and not self.dialect.calls else self._out()

    async def finish(self) -> bytes:
        """The stream is over, whether it came to its end or broke off; returns what is left to leave."""
        if self.stopped:
            return b""
        for call in self.dialect.calls.values():
            call.complete = True
        await self._decide()
        for held in self._texts.values():
            await held.end()
        return self._out()

    @property
    def said(self) -> Mapping[Hashable, str]:
        """What has left of each text."""
        return {channel: held.shown for channel, held in self._texts.items()}

    @property
    def refusal(self) -> str:
        """What is said where no call is left; empty when none was refused."""
        return self.watch.reply(self._refusal) if self._refusal is not None else ""

    def _place(self, slot: Slot, frame: Frame) -> None:
        """Give a text its place in its channel; one that should repeat what came and does not is a text of its own."""
        held = self._texts.get(slot.channel)
        if slot.whole:
            if held is not None and held.raw == slot.text:
                return
            if held is not None or not slot.text:
                self._again += 1
                slot.channel, held = (slot.channel, "again", self._again), None
            slot.whole = False
            frame.ends.add(slot.channel)
        if held is None or held.ended:
            if held is not None:  # a text that goes on after its end is a new one
                self._again += 1
                slot.channel = (slot.channel, "more", self._again)
            held = SentenceBuffer(judge=self.watch, mode=self.mode, hold=self.hold, restore=self.restore)
            self._texts[slot.channel] = held
        slot.start, slot.end = held.add(slot.text)

    async def _decide(self) -> None:
        for call in self.dialect.calls.values():
            if call.complete and call.refused is None:
                await self._ask(call)

    async def _ask(self, call: Call) -> None:
        if self.restore_call is not None and not call.fixed:
            leaves = self.restore_call(call.arguments, call.free)
            call.restored, call.arguments = leaves != call.arguments, leaves
        arguments = compact({"input": call.arguments}) if call.free else call.arguments
        if call.unknown:
            verdict = await self.watch.unknown(call.name)
        else:
            verdict = await self.watch.call(call.name, arguments, call.id)
        call.refused = self.watch.refuses(verdict)
        if call.refused:
            self._refusal = self._refusal or verdict

    def _out(self) -> bytes:
        stopped = next((held.stopped for held in self._texts.values() if held.stopped), None)
        parts: list[bytes] = []
        while self._queue and self._may_leave(self._queue[0]) and not (stopped and self._queue[0].ends):
            parts.append(self._written(self._queue.popleft()))
        if stopped:
            self.stopped = stopped
            parts += (self._begun(), self._closed(stopped))
        return b"".join(parts)

    def _may_leave(self, frame: Frame) -> bool:
        for slot in frame.slots:
            held = self._texts[slot.channel]
            if not held.ended if slot.whole else slot.end > held.cleared:
                return False
        return all(self.dialect.calls[key].refused is not None for key in frame.calls)

    def _written(self, frame: Frame) -> bytes:
        if frame.dropped:
            return b""
        changed = frame.changed
        for slot in frame.slots:
            held = self._texts[slot.channel]
            became = held.shown if slot.whole else held.became(slot.start, slot.end)
            if became is not None and became != slot.text:
                slot.place[slot.key] = became
                changed = True
        if frame.telling is not None and (told := self.watch.told()) is not None:
            frame.telling["proctor"] = told
            changed = True
        return self.dialect.write(frame, changed, self.refusal)

    def _begun(self) -> bytes:
        """The part of the next event that was let go already."""
        frame = self._queue[0] if self._queue else None
        if frame is None or len(frame.slots) != 1 or frame.ends or frame.calls or frame.slots[0].whole:
            return b""
        slot = frame.slots[0]
        held = self._texts[slot.channel]
        if not slot.start < held.cleared:
            return b""
        became = held.became(slot.start, held.cleared)
        slot.place[slot.key] = held.raw[slot.start : held.cleared] if became is None else became
        return self.dialect.write(frame, True, "")

    def _closed(self, verdict: Verdict) -> bytes:
        self._queue.clear()
        return self.dialect.closing(self.watch.reply(verdict), self.said, self.watch.told() or {})

    @property
    def tail(self) -> str:
        """What was said beside what came: the reply, where one was given."""
        calls = self.dialect.calls.values()
        if self.stopped:
            reply = self.watch.reply(self.stopped)
        elif calls and all(call.refused for call in calls):
            reply = self.refusal
        else:
            return ""
        return f"\n\n{reply}" if any(self.said.values()) else reply
