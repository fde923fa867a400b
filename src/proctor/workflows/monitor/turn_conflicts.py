"""Contradictions between the turns of a recorded conversation: those that rules see, and those that a score reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from proctor.core.case import Case
from proctor.core.event import Event
from proctor.core.trajectory import Trajectory, Turn
from proctor.scorers.conversation.cross_turn import CrossTurn
from proctor.wiring.local_models import local_model

__all__ = ["TurnConflict", "find_conflicts", "reported_conflicts"]

_SCORER: Final = CrossTurn.name


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnConflict:
    """Two turns, by their numbers from 0, whose answers cannot both be true; with what each says, and why."""

    earlier: int
    later: int
    earlier_quote: str
    later_quote: str
    why: str = ""


async def find_conflicts(turns: Sequence[Turn], *, first: int = 0) -> list[TurnConflict]:
    """Compare the answers of turns by numbers, dates and yes or no, without a network; ``first`` is the first's number.

    It takes about a millisecond a turn.
    """
    run = Trajectory(id="conversation", turns=tuple(turns))
    scorer = CrossTurn(light=True, entailer=local_model("entailer"), embedder=local_model("embedder"))
    score = await scorer.score(Case(id="conversation", recorded=run), run)
    told = [{"turn": each.turn, "quote": each.quote, "note": each.note} for each in score.evidence]
    return _pairs(told, first=first)


def reported_conflicts(events: Iterable[Event]) -> list[TurnConflict]:
    """Return the contradictions that scores of ``cross_turn`` among these events have as their evidence."""
    found: list[TurnConflict] = []
    for event in events:
        told = event.metadata.get("evidence")
        if event.kind == "score" and event.name == _SCORER and isinstance(told, list):
            found += _pairs([each for each in told if isinstance(each, Mapping)], first=0)
    return found


def _pairs(evidence: Sequence[Mapping[str, Any]], *, first: int) -> list[TurnConflict]:
    """Return the conflicts of a score: its evidence has the later answer and the earlier one by turns."""
    found: list[TurnConflict] = []
    for later, earlier in zip(evidence[::2], evidence[1::2], strict=False):
        one, two = earlier.get("turn"), later.get("turn")
        if isinstance(one, int) and isinstance(two, int) and 0 <= one < two:
            quotes = (str(earlier.get("quote") or ""), str(later.get("quote") or ""))
            why = str(later.get("note") or "")
            found.append(
                TurnConflict(
                    earlier=one + first, later=two + first, earlier_quote=quotes[0], later_quote=quotes[1], why=why
                )
            )
    return found
