"""The state of a session: the customer's claims, the agent's answers, the tool results."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Final

from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Source
from proctor.lexicon.promise_claims import Asserted
from proctor.text.pii.placeholders import Placeholders

__all__ = ["KEPT", "KEPT_LETTERS", "Memory"]

KEPT: Final = 64  # items of each kind, the newest: a session that never ends must not grow
KEPT_LETTERS: Final = 8_000  # of each text


@dataclass(slots=True, kw_only=True)
class Memory:
    """The state of one session. Only the session writes to it, after a step passed.

    ``claims`` are promises that the customer claims and nothing confirms; ``calls`` are the calls made, with known
    results; ``made`` counts them by tool. ``talk`` has the messages and calls in the order in which they came.
    ``intents`` are those of the running turn, as reported by the agent. ``placeholders`` replace personal data, with
    the same one for the same value throughout the session.
    """

    session: str = ""
    customer: str | None = None
    asked: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT), repr=False)
    said: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT), repr=False)
    claims: deque[Asserted] = field(default_factory=lambda: deque(maxlen=KEPT), repr=False)
    calls: deque[ToolCall] = field(default_factory=lambda: deque(maxlen=KEPT), repr=False)
    talk: deque[Message | ToolCall] = field(default_factory=lambda: deque(maxlen=KEPT), repr=False)
    sources: deque[Source] = field(default_factory=lambda: deque(maxlen=KEPT), repr=False)
    made: Counter[str] = field(default_factory=Counter)
    intents: tuple[str, ...] = ()
    placeholders: Placeholders = field(default_factory=Placeholders, repr=False)
    turns: int = 0
