"""Deliver a payload over several turns: scripts by language in ``redteam/texts``.

A line of a script is a turn. ``{first}``, ``{rest}`` and ``{carrier}`` stand for the harmless turns, ``{payload}`` for
the payload and ``{premise}`` for the goal's false claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import ClassVar, Final

from proctor.core.attack import AttackDraft, Channel
from proctor.redteam.framing_texts import texts_of
from proctor.redteam.payload_site import MARK
from proctor.redteam.technique_registry import Family
from proctor.redteam.techniques.change_draft import with_turns

__all__ = [
    "ContradictionBait",
    "ConversationScript",
    "DelayedTrigger",
    "Distraction",
    "FalsePremise",
    "LaterSession",
    "PersonaDrift",
    "SlowEscalation",
    "SplitTurns",
]

_FEWEST_PIECES: Final = 2
_SHORTEST_PIECE: Final = 4  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationScript:
    """Follows a script of turns around the harmless ones."""

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    delivers: ClassVar[bool] = True
    family: ClassVar[Family] = "conversation"
    channel: ClassVar[Channel] = "message"

    def apply(self, draft: AttackDraft, random: Random) -> AttackDraft | None:
        """Fill the script of the draft's language."""
        return with_turns(draft, self.name, tuple(self._turns(draft, random)))

    def _turns(self, draft: AttackDraft, random: Random) -> Iterator[str]:
        first, *rest = draft.turns
        harmless = {"{first}": [first], "{rest}": rest, "{carrier}": [first, *rest]}
        for line in texts_of(self.name, draft.language):
            if line in harmless:
                yield from harmless[line]
            else:
                filled = line.replace("{premise}", _premise(draft, random)) if "{premise}" in line else line
                yield filled.replace(MARK, draft.payload)


class FalsePremise(ConversationScript):
    """A false claim is stated as a fact, and the payload builds on it."""

    name: ClassVar[str] = "false_premise"


class SlowEscalation(ConversationScript):
    """Harmless questions come closer and closer to the payload."""

    name: ClassVar[str] = "slow_escalation"


class PersonaDrift(ConversationScript):
    """The agent is talked into another character, which is then asked."""

    name: ClassVar[str] = "persona_drift"


class ContradictionBait(ConversationScript):
    """The agent is accused of a contradiction and asked to correct itself."""

    name: ClassVar[str] = "contradiction_bait"


class Distraction(ConversationScript):
    """Small talk, with the payload in passing."""

    name: ClassVar[str] = "distraction"


class DelayedTrigger(ConversationScript):
    """The payload waits for a phrase that comes in a later turn."""

    name: ClassVar[str] = "delayed_trigger"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterSession(ConversationScript):
    """The payload is left in one session, and acts in the next one."""

    name: ClassVar[str] = "later_session"
    channel: ClassVar[Channel] = "session"

    def apply(self, draft: AttackDraft, random: Random) -> AttackDraft | None:
        """Begin a new session after the first turn."""
        return with_turns(draft, self.name, tuple(self._turns(draft, random)), new_session=(2,))


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitTurns(ConversationScript):
    """The payload comes in pieces, which the agent is asked to put together.

    No turn has the whole payload: the attempt's payload is the last of these turns, with which all of it has arrived.
    """

    name: ClassVar[str] = "split_turns"

    def apply(self, draft: AttackDraft, random: Random) -> AttackDraft | None:
        """Split at spaces, or between characters in a script without spaces."""
        pieces = _pieces(draft.payload, random.randint(2, 4))
        if len(pieces) < _FEWEST_PIECES:
            return None
        opening, further, closing = texts_of(self.name, draft.language)
        *before, last = pieces
        lines = (opening, *([further] * (len(before) - 1)), closing)
        said = [line.replace(MARK, piece) for line, piece in zip(lines, (*before, last), strict=True)]
        first, *rest = draft.turns
        return with_turns(draft, self.name, (first, *said, *rest), payload=said[-1])


def _premise(draft: AttackDraft, random: Random) -> str:
    own = draft.goal.premise
    said = own.get(draft.language) or own.get("en") or random.choice(texts_of("premise", draft.language))
    return said.strip().rstrip(".。।")


def _pieces(text: str, count: int) -> list[str]:
    """Return about equal parts that give the text again when joined by a space, or by nothing if it has none."""
    words: Sequence[str] = text.split(" ")
    joint = " "
    if len(words) < count:
        words, joint = text, ""
    count = min(count, len(text) // _SHORTEST_PIECE)
    if count < _FEWEST_PIECES:
        return []
    ends = [len(words) * number // count for number in range(count + 1)]
    return [joint.join(words[start:end]) for start, end in pairwise(ends)]
