"""Deliver a payload in one message: before, after or inside the harmless request, or instead of it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from proctor.core.attack import AttackDraft
from proctor.redteam.techniques.change_draft import with_turns
from proctor.redteam.toolbox import Family
from proctor.text.split import sentences

__all__ = ["MessageAfter", "MessageAlone", "MessageBefore", "MessageInside"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageAfter:
    """The payload follows the harmless request in the same message."""

    name: ClassVar[str] = "message_after"
    version: ClassVar[str] = "1"
    delivers: ClassVar[bool] = True
    family: ClassVar[Family] = "message"

    def apply(self, draft: AttackDraft, random: Random) -> AttackDraft | None:
        """Append the payload to the last turn."""
        *before, last = draft.turns
        return with_turns(draft, self.name, (*before, f"{last}{random.choice((' ', chr(10) * 2))}{draft.payload}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageBefore:
    """The payload precedes the harmless request in the same message."""

    name: ClassVar[str] = "message_before"
    version: ClassVar[str] = "1"
    delivers: ClassVar[bool] = True
    family: ClassVar[Family] = "message"

    def apply(self, draft: AttackDraft, random: Random) -> AttackDraft | None:
        """Put the payload in front of the last turn."""
        *before, last = draft.turns
        return with_turns(draft, self.name, (*before, f"{draft.payload}{random.choice((' ', chr(10) * 2))}{last}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageInside:
    """The payload stands between two sentences, or two words, of the harmless request."""

    name: ClassVar[str] = "message_inside"
    version: ClassVar[str] = "1"
    delivers: ClassVar[bool] = True
    family: ClassVar[Family] = "message"

    def apply(self, draft: AttackDraft, random: Random) -> AttackDraft | None:
        """Put the payload into the middle of the last turn."""
        *before, last = draft.turns
        parts = sentences(last)
        if len(parts) < 2:
            parts = last.split(" ")
        if len(parts) < 2:
            return None
        cut = random.randrange(1, len(parts))
        said = f"{' '.join(parts[:cut])} {draft.payload} {' '.join(parts[cut:])}"
        return with_turns(draft, self.name, (*before, said))


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageAlone:
    """The payload is the whole message, in place of the last harmless request."""

    name: ClassVar[str] = "message_alone"
    version: ClassVar[str] = "1"
    delivers: ClassVar[bool] = True
    family: ClassVar[Family] = "message"

    def apply(self, draft: AttackDraft, random: Random) -> AttackDraft | None:
        """Replace the last turn by the payload."""
        return with_turns(draft, self.name, (*draft.turns[:-1], draft.payload))
