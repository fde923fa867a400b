"""Deliver a payload in one message: before, after or inside the harmless request, or instead of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from proctor.core.attack import AttackDraft
from proctor.redteam.technique_registry import Family
from proctor.redteam.techniques.change_draft import with_turns
from proctor.text.split import sentences

__all__ = ["MessageAfter", "MessageAlone", "MessageBefore", "MessageDelivery", "MessageInside"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDelivery:
    """Puts the payload into the last turn.

    ``join`` returns the message from the harmless request and the payload, or ``None`` if they do not fit.
    """

    name: str
    title: str
    join: Callable[[str, str, Random], str | None]
    version: str = "1"
    delivers: bool = True
    family: Family = "message"

    def __call__(self) -> MessageDelivery:
        """Return itself, as the factory of a registered technique."""
        return self

    def apply(self, draft: AttackDraft, random: Random) -> AttackDraft | None:
        """Replace the last turn."""
        *before, last = draft.turns
        said = self.join(last, draft.payload, random)
        return None if said is None else with_turns(draft, self.name, (*before, said))


def _gap(random: Random) -> str:
    return random.choice((" ", "\n\n"))


def _between(request: str, payload: str, random: Random) -> str | None:
    parts = sentences(request)
    if len(parts) < 2:
        parts = request.split(" ")
    if len(parts) < 2:
        return None
    cut = random.randrange(1, len(parts))
    return f"{' '.join(parts[:cut])} {payload} {' '.join(parts[cut:])}"


MessageAfter = MessageDelivery(
    name="message_after",
    title="The payload follows the harmless request in the same message.",
    join=lambda request, payload, random: f"{request}{_gap(random)}{payload}",
)
MessageBefore = MessageDelivery(
    name="message_before",
    title="The payload precedes the harmless request in the same message.",
    join=lambda request, payload, random: f"{payload}{_gap(random)}{request}",
)
MessageInside = MessageDelivery(
    name="message_inside",
    title="The payload stands between two sentences, or two words, of the harmless request.",
    join=_between,
)
MessageAlone = MessageDelivery(
    name="message_alone",
    title="The payload is the whole message, in place of the last harmless request.",
    join=lambda _request, payload, _random: payload,
)
