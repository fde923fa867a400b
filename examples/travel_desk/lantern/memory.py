"""What the agent remembers of a conversation: the booking, who is speaking, what it was told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .office import Row
from .reading import Reading, read

__all__ = ["Memory"]


@dataclass(slots=True)
class Memory:
    """The state of one conversation. ``customer`` is who is logged in, when anyone is.

    ``notes`` are what earlier sessions left; ``quiet`` is set when an obedient brain was told to call nobody.
    """

    customer: str | None = None
    booking: str | None = None
    emails: set[str] = field(default_factory=set)
    intent: str | None = None
    action: str | None = None
    believed: str | None = None
    refused: str | None = None
    told: set[str] = field(default_factory=set)
    cases: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    quiet: bool = False
    unfinished: str = ""

    def recall(self, history: Sequence[Mapping[str, Any]], products: Sequence[Row]) -> None:
        """Take in what was said before this conversation came to us."""
        for message in history:
            if message.get("role") == "user":
                self.note(read(str(message.get("content") or ""), products))

    def note(self, reading: Reading) -> None:
        """Take in a message."""
        self.booking = reading.booking or self.booking
        if reading.email:
            self.emails.add(reading.email.lower())
        if reading.names:
            self.intent = reading.names[0]

    def owns(self, booking: Row) -> bool:
        """Whether the person who speaks is the booking's customer, as far as they have shown."""
        return booking["customer"] == self.customer or str(booking["email"]).lower() in self.emails
