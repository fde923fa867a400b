"""Ask the optional large network, which reads the whole conversation, which act of the agent is at fault."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import orjson

from proctor.core.case import Case
from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import socket
from proctor.core.talk_event import FAULT_WORDS, ActFault, FaultReader, TalkEvent, talk_events
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import (
    MOST_EVIDENCE,
    no_conversation,
    quoted,
    scored,
    skipped,
    turn_label,
    unjudged,
    unless_broken_off,
)
from proctor.scorers.conversation.doubted_checks import DOUBT_CONFIDENCE

__all__ = ["TurnFaults"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFaults:
    """No message and no call of the agent reads like a fault, given all that came before it.

    A conversation fails from the probability ``fails`` on, and is in doubt from ``doubts`` on.
    """

    name: ClassVar[str] = "turn_faults"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = None

    fails: float = 0.7
    doubts: float = 0.5
    light: bool = False
    faults: FaultReader | None = socket(optional=True)

    def __post_init__(self) -> None:
        if not 0.0 < self.doubts <= self.fails <= 1.0:
            raise ValueError(
                f"doubts is {self.doubts:g} and fails {self.fails:g}; they are probabilities above 0, doubts the lower"
            )

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Read the conversation once and judge each act at its place."""
        if (unanswered := no_conversation(self, run)) is not None:
            return unanswered
        return unless_broken_off(self, run, await self._judged(run))

    async def _judged(self, run: Trajectory) -> Score:
        if self.faults is None or self.light:
            return skipped(self, "the large network, which reads whole conversations, is off")
        events, turns = talk_events(run)
        if not any(each.who in ("agent", "call") for each in events):
            return skipped(self, "the agent says and does nothing")
        try:
            read = await self.faults.faults(events)
        except ProctorError as error:
            return unjudged(self, f"the local model did not answer: {quoted(error.message)}")
        likeliest: dict[str, float] = {}  # of the acts of each turn: what other gates found there is weighed with it
        for each in read:
            turn_name = str(turns[each.event])  # a key of JSON
            likeliest[turn_name] = max(likeliest.get(turn_name, 0.0), round(each.probability, 4))
        raw = orjson.dumps(likeliest).decode()
        # The likeliest comes first: after a fault the acts that rest on it read like faults too.
        found = sorted((each for each in read if each.probability >= self.doubts), key=lambda each: -each.probability)
        firm = [each for each in found if each.probability >= self.fails]
        if not found:
            most = max((each.probability for each in read), default=0.0)
            reason = f"{len(read)} acts read, none like a fault (at most {most:.2f})"
            return scored(self, 1.0, reason, producer="local model", confidence=round(1 - most, 4), raw=raw)
        first, turn = found[0], turns[found[0].event]
        reason = f"{turn_label(turn)}: {_told(first)}: {quoted(events[first.event].text, 160)!r}"
        reason += f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        return scored(
            self,
            0.0 if firm else 1.0,
            quoted(reason, 500),
            threshold=1.0,
            in_doubt=not firm,
            producer="local model",
            confidence=round(first.probability, 4) if firm else DOUBT_CONFIDENCE,
            evidence=tuple(_evidence(each, events, turns) for each in found[:MOST_EVIDENCE]),
            raw=raw,
        )


def _evidence(fault: ActFault, events: Sequence[TalkEvent], turns: Sequence[int]) -> Evidence:
    act = events[fault.event]
    return Evidence(
        quote=quoted(act.text),
        turn=turns[fault.event],
        where="tool call" if act.who == "call" else "agent",
        note=_told(fault),
        check=fault.kind,
        extra={"probability": round(fault.probability, 4), "share": round(fault.share, 4)},
    )


def _told(fault: ActFault) -> str:
    return f"{FAULT_WORDS[fault.kind]} (probability {fault.probability:.2f})"
