"""A conversation as a row of events, and what a reader of whole conversations says of the acts of its agent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, Protocol, runtime_checkable

from proctor.core.chat import ToolCall
from proctor.core.record import dataclass
from proctor.core.trajectory import Source, Trajectory
from proctor.core.transcript import steps

__all__ = [
    "FAULTS",
    "FAULT_WORDS",
    "ActFault",
    "FaultReader",
    "TalkEvent",
    "Who",
    "call_event",
    "call_text",
    "source_events",
    "talk_events",
]

Who = Literal["source", "customer", "agent", "call"]
# The kinds of faults, in the order of the network's outputs, and each in words.
FAULT_WORDS: Final[Mapping[str, str]] = {
    "contradiction": "contradicts what the agent said before",
    "invented_policy": "states a rule that nothing read has",
    "loop": "goes round in a loop",
    "wrong_id": "acts on something else than what was asked for",
    "commitment": "promises what the agent may not grant",
    "others_data": "tells data of somebody else",
    "ignored_person": "passes over a request for a person",
    "dead_end": "leaves the customer without a way forward",
    "invented_citation": "cites a source that does not exist",
    "false_claim_of_act": "tells as done what was not done",
}
FAULTS: Final = tuple(FAULT_WORDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkEvent:
    """A source, a message, or a call with its result."""

    who: Who
    text: str
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActFault:
    """The probability that an act of the agent is at fault, the likeliest kind, and its share among the kinds.

    ``event`` is the position of the act among the events.
    """

    event: int
    probability: float
    kind: str
    share: float


@runtime_checkable
class FaultReader(Protocol):
    """Says of each act of an agent how likely it is at fault; fills the sockets that are called ``faults``."""

    async def faults(self, events: Sequence[TalkEvent]) -> Sequence[ActFault]:
        """Return one for each message and call of the agent, in their order."""
        ...


def call_text(name: str, arguments: Any, result: Any) -> tuple[str, str]:
    """Return a call and its result as the text of an event."""
    return f"{name} {_json(arguments)}", _json(result)


def call_event(call: ToolCall) -> TalkEvent:
    """Return a call as an event; one that failed shows its error."""
    told, result = call_text(call.name, dict(call.arguments), call.error or call.result)
    return TalkEvent(who="call", text=told, result=result)


def source_events(sources: Iterable[Source]) -> list[TalkEvent]:
    """Return each source once."""
    return [TalkEvent(who="source", text=text) for text in dict.fromkeys(each.text for each in sources) if text.strip()]


def talk_events(run: Trajectory) -> tuple[list[TalkEvent], list[int]]:
    """Return the events of a conversation in their order, and the turn of each.

    The agent's instructions are a source. What the customer's own tools did is left out.
    """
    found = list(_of_turns(run))
    return [event for event, _ in found], [turn for _, turn in found]


def _of_turns(run: Trajectory) -> Iterator[tuple[TalkEvent, int]]:
    seen: set[str] = set()
    for message in run.messages:
        if message.role == "system" and message.content.strip():
            yield TalkEvent(who="source", text=message.content), 0
    at = -1
    for step in steps(run):
        while at < step.turn:  # sources arise before what is said about them
            at += 1
            for event in source_events(run.turns[at].sources):
                if event.text not in seen:
                    seen.add(event.text)
                    yield event, at
        if step.call is not None and not step.by_user:
            yield call_event(step.call), step.turn
        elif step.text.strip() and (step.kind == "request" or step.is_agent_message):
            yield TalkEvent(who="customer" if step.kind == "request" else "agent", text=step.text), step.turn


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
