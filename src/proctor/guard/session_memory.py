"""What a session knows: what the customer claimed, what the agent said, what tools confirmed."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Final

from proctor.core.chat import ToolCall
from proctor.core.trajectory import Source
from proctor.lexicon.promise_claims import Asserted
from proctor.text.pii.placeholders import Placeholders

__all__ = ["KEPT", "KEPT_LETTERS", "Memory"]

KEPT: Final = 64  # of each kind, the newest: a session that never ends must not grow
KEPT_LETTERS: Final = 8_000  # of each text


@dataclass(slots=True, kw_only=True)
class Memory:
    """The ledger of one session. Only the session writes to it, after a step was let through.

    ``claims`` are promises that the customer says were made and that nothing has borne out; ``calls`` are the calls
    that were made, with their results where they are known; ``made`` counts them by tool. ``intents`` are those of the
    running turn, as far as the agent has told them. ``placeholders`` stand for personal data, the same for the same
    value through the whole session.
    """

    session: str = ""
    customer: str | None = None
    asked: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT), repr=False)
    said: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT), repr=False)
    claims: deque[Asserted] = field(default_factory=lambda: deque(maxlen=KEPT), repr=False)
    calls: deque[ToolCall] = field(default_factory=lambda: deque(maxlen=KEPT), repr=False)
    sources: deque[Source] = field(default_factory=lambda: deque(maxlen=KEPT), repr=False)
    made: Counter[str] = field(default_factory=Counter)
    intents: tuple[str, ...] = ()
    placeholders: Placeholders = field(default_factory=Placeholders, repr=False)
    turns: int = 0
