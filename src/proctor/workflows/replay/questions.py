"""Select the key questions of a recorded conversation: those with verifiable answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from proctor.core.chat import Message, ToolCall
from proctor.core.tool_effect import StatedEffect, tool_effect
from proctor.core.trajectory import Trajectory, Turn
from proctor.lexicon.comparable_claims import sayings
from proctor.text.claims import statements

__all__ = ["KeyQuestion", "key_questions"]

_LONGEST: Final = 1_500
_ASKS = re.compile(
    r"^(?:(?:hi|hello|hey|ok(?:ay)?|so|and|but|also|please)\b[\s,.!]*)*"
    r"(?:what|where|when|who|which|how|why|can|could|may|do|does|did|is|are|was|were|will|would|should|am|have|has"
    r"|tell me|i(?:'d| would|’d) like to know|i want to know)\b|教えて(?:ください|ほしい)",
    re.IGNORECASE,
)
# Questions about the conversation itself have no comparable answer.
_EMPTY = re.compile(
    r"^(?:are you (?:there|sure|a (?:bot|robot|human))|(?:can|could) you help(?: me)?|how are you|what|why"
    r"|really|is that (?:so|all)|anything else|can you (?:do|fix) (?:that|this|it))\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyQuestion:
    """A question of a recorded conversation, the turns before it, and its answer."""

    turn: int
    asked: str
    answer: str
    history: tuple[Message, ...]
    calls: tuple[ToolCall, ...] = ()
    weight: float = 0.0


def key_questions(
    recorded: Trajectory,
    history: Sequence[Message] = (),
    *,
    most: int = 3,
    writes: bool = False,
    tool_effects: Mapping[str, StatedEffect] | None = None,
) -> tuple[list[KeyQuestion], Counter[str]]:
    """Return the questions with the most comparable answers, in order, and why others were left out.

    A turn in which the agent changed something is left out unless ``writes``, because replaying it would repeat the
    change. ``tool_effects`` is the project's `tools:` setting.
    """
    so_far = [message for message in history if message.role != "system"]
    found: list[KeyQuestion] = []
    left: Counter[str] = Counter()
    for index, turn in enumerate(recorded.turns):
        if (why := _unfit(turn, writes=writes, tool_effects=tool_effects)) is not None:
            left[why] += 1
        else:
            found.append(
                KeyQuestion(
                    turn=index,
                    asked=turn.asked.strip(),
                    answer=turn.answer,
                    history=tuple(so_far),
                    calls=turn.tool_calls,
                    weight=_weight(turn),
                )
            )
        # The agent adds its own instructions; the recorded ones would be duplicates.
        so_far += [message for message in turn.messages if message.role != "system"]
    chosen = sorted(found, key=lambda each: (-each.weight, each.turn))[:most]
    left["there are more telling questions"] += len(found) - len(chosen)
    return sorted(chosen, key=lambda each: each.turn), +left


def _unfit(turn: Turn, *, writes: bool, tool_effects: Mapping[str, StatedEffect] | None) -> str | None:
    asked = turn.asked.strip()
    if not asked or not turn.answer.strip() or turn.error is not None:
        return "nothing was asked or answered"
    if len(asked) > _LONGEST:
        return "the message is too long to be put in other words"
    if not any(each.kind == "question" for each in statements(asked)) and not _ASKS.search(asked):
        return "it asks nothing"
    if _EMPTY.match(asked):
        return "it asks about the talk itself"
    done = [call for call in turn.tool_calls if call.error is None]
    if not writes and any(tool_effect(call.name, tool_effects) != "reads" for call in done):
        return "the agent changed something in that turn"
    if not any(not saying.process for saying in sayings(turn.answer, about=asked, most=24)):
        return "the answer states nothing that can be compared"
    return None


def _weight(turn: Turn) -> float:
    """Return how much of an answer is comparable; numbers and negations count more than words."""
    found = [saying for saying in sayings(turn.answer, about=turn.asked, most=24) if not saying.process]
    figures = sum(1 for saying in found for each in saying.quantities if each.unit)
    return min(len(found), 4) + 2.0 * min(figures, 3) + sum(saying.denies for saying in found[:2])
