"""One step of a live conversation, as a gate receives it."""

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

_MAX_CLAIM_CHARS: Final = 20_000


@dataclass(frozen=True, kw_only=True)
class Step:
    """The next step: a customer's message, a tool call, a tool's result or a document, or a draft answer.

    ``text`` is the text of an input, a tool's result or an output. ``call`` is set for a tool call, and for a tool's
    result names the tool. ``memory`` is the session's state so far; a gate reads it and never writes to it.
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
        """The normalised text with a mapping to the original; computed once for all gates."""
        return normalise(self.text)

    @once
    def views(self) -> tuple[View, ...]:
        """The texts hidden by encodings, each with a mapping to the original."""
        return tuple(views(self.normalised))

    @once
    def claims(self) -> tuple[Asserted, ...]:
        """Promises that the text claims were made before; only the first 20,000 characters are read."""
        return tuple(asserted(self.text[:_MAX_CLAIM_CHARS], self.memory.turns))
