"""One step of a live conversation, as a gate sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.core.step import POINTS as POINTS  # noqa: PLC0414 - third-party gates import it from here
from proctor.core.step import Point as Point  # noqa: PLC0414
from proctor.core.trajectory import Source
from proctor.guard.session_memory import Memory
from proctor.lexicon.promise_claims import Asserted, asserted
from proctor.text.cached_property import once
from proctor.text.normalise import Normalised, View, normalise, views

__all__ = ["Step"]

_MOST_READ: Final = 20_000


@dataclass(frozen=True, kw_only=True)
class Step:
    """What is about to happen: words of the customer, a call, what a tool or a document says, or a draft answer.

    ``text`` is the words of an input, a tool's result or an output. ``call`` is set for a tool call, and for a tool's
    result names the tool. ``memory`` is what the session knows up to here; a gate reads it and never writes to it.
    """

    point: Point
    text: str = ""
    call: ToolCall | None = None
    intents: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    section: str | None = None
    confirmed: bool = False
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @once
    def normalised(self) -> Normalised:
        """The text made plain, with the way back to the original: made once, whichever gates ask."""
        return normalise(self.text)

    @once
    def views(self) -> tuple[View, ...]:
        """What is hidden in the text by encodings, each with the way back to the original."""
        return tuple(views(self.normalised))

    @once
    def claims(self) -> tuple[Asserted, ...]:
        """Promises that the words say were made before; the first 20,000 letters are read."""
        return tuple(asserted(self.text[:_MOST_READ], self.memory.turns))
