"""Buffer an answer while it is being written, and release it as the gates allow."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Final, Literal, Protocol

from proctor.core.verdict import Edit, Verdict
from proctor.guard.edits import difference
from proctor.guard.sentence_ends import MOST_HELD, before, complete, may_end

__all__ = ["CONTEXT", "Restore", "SentenceBuffer", "StreamMode", "TextJudge"]

CONTEXT: Final = 100  # characters of released text that a gate sees before the next sentence

StreamMode = Literal["sentence", "whole"]
Restore = Callable[[str, str], str]


class TextJudge(Protocol):
    """Judges texts: parts of one that is still being written, and the whole of it for the record."""

    async def glimpse(self, text: str) -> Verdict:
        """Return a verdict on a part; it is not recorded."""
        ...

    async def output(self, text: str) -> Verdict:
        """Return the verdict on the whole text."""
        ...

    def stops(self, verdict: Verdict) -> bool:
        """Return whether the verdict stops the text."""
        ...


@dataclass(slots=True, kw_only=True)
class SentenceBuffer:
    """Holds text back until a sentence is complete and was checked.

    ``raw`` is the text received; its first ``cleared`` characters are released, and ``said`` is their text as the
    gates know it. Released text is never taken back: a gate that objects later can only stop what follows. ``restore``
    gets the text said before and the next text, and returns what the client sees; ``shown`` is all of that so far.
    """

    judge: TextJudge
    mode: StreamMode = "sentence"
    hold: int = 1
    raw: str = ""
    cleared: int = 0
    said: str = ""
    ended: bool = False
    stopped: Verdict | None = None
    restore: Restore | None = None
    shown: str = ""
    _edits: deque[Edit] = field(default_factory=deque)
    _signs: bool = False  # the held text contains a character that may end a sentence

    def add(self, text: str) -> tuple[int, int]:
        """Append text and return its span."""
        start = len(self.raw)
        self.raw += text
        self._signs = self._signs or may_end(text)
        return start, len(self.raw)

    @property
    def ready(self) -> bool:
        """Whether another sentence is complete."""
        if self.mode == "whole" or self.ended or self.stopped:
            return False
        if not self._signs and len(self.raw) - self.cleared <= MOST_HELD:
            return False
        return complete(self.raw, self.cleared, self.hold) > self.cleared

    async def look(self) -> None:
        """Release the complete sentences if the gates allow it."""
        upto = complete(self.raw, self.cleared, self.hold)
        context = self.said[before(self.said, len(self.said), CONTEXT) :]
        piece = self.raw[self.cleared : upto]
        verdict = await self.judge.glimpse(context + piece)
        if self.judge.stops(verdict):
            await self._stop(verdict)
        else:
            self._clear(upto, _after(context, piece, verdict))

    async def end(self) -> None:
        """Judge the whole text and release the rest of it."""
        if self.ended or self.stopped:
            return
        self.ended = True
        if not self.raw:
            return
        verdict = await self.judge.output(self.raw)
        if self.judge.stops(verdict):
            self.stopped = verdict
            return
        whole = self.raw if verdict.text is None else verdict.text
        piece = self.raw[self.cleared :]
        if not whole.startswith(self.said):  # the whole was edited differently from its parts: check the rest alone
            context = self.said[before(self.said, len(self.said), CONTEXT) :]
            rest = await self.judge.glimpse(context + piece)
            if self.judge.stops(rest):
                self.stopped = rest
                return
            whole = self.said + _after(context, piece, rest)
        self._clear(len(self.raw), whole[len(self.said) :])

    def became(self, start: int, end: int) -> str | None:
        """Return the edited text of a span of ``raw``; None if unchanged. Spans must be requested in order, once."""
        parts: list[str] = []
        at = start
        while self._edits and (self._edits[0].start < end or self._edits[0].start == end == self.cleared):
            edit = self._edits[0]
            parts += (self.raw[at : max(at, edit.start)], edit.text)
            at = min(end, max(at, edit.end))
            if edit.end > end:  # continues in the next span, where its text must not be repeated
                self._edits[0] = Edit(start=end, end=edit.end, text="")
                break
            self._edits.popleft()
        return "".join((*parts, self.raw[at:end])) if parts else None

    async def _stop(self, verdict: Verdict) -> None:
        """Record the decision on all text so far; keep the part's own verdict if that one would pass."""
        whole = await self.judge.output(self.raw)
        self.stopped = whole if self.judge.stops(whole) else verdict

    def _clear(self, upto: int, text: str) -> None:
        told = text if self.restore is None else self.restore(self.said, text)
        edit = difference(self.raw[self.cleared : upto], told)
        if edit is not None:
            self._edits.append(Edit(start=edit.start + self.cleared, end=edit.end + self.cleared, text=edit.text))
        self.said += text
        self.shown += told
        self.cleared = upto
        self._signs = may_end(self.raw[upto:])


def _after(context: str, piece: str, verdict: Verdict) -> str:
    """Return the edited piece, from a verdict on the piece with its context."""
    if verdict.text is None:
        return piece
    if verdict.text.startswith(context):
        return verdict.text[len(context) :]
    # An edit changed the context or crosses its border. The context was sent: keep only what comes after it.
    border, whole = len(context), context + piece
    parts: list[str] = []
    for _, start, end, low, high in SequenceMatcher(None, whole, verdict.text, autojunk=False).get_opcodes():
        if end > border:
            same = whole[start:end] == verdict.text[low:high]
            parts.append(whole[max(start, border) : end] if same else verdict.text[low:high])
        elif start == end == border:
            parts.append(verdict.text[low:high])
    return "".join(parts)
