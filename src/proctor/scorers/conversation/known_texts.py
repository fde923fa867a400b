"""What the agent could know at each of its messages: instructions, sources, tool results, the customer's words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from proctor.core.chat import ToolCall
from proctor.core.trajectory import Trajectory
from proctor.core.transcript import TranscriptStep, failed, parse_loosely, steps
from proctor.scorers.answer.quality_parts.source_passages import LETTERS, SourcePassage
from proctor.scorers.answer.quality_parts.support import source_passage, spoken

__all__ = ["AgentMessage", "agent_messages", "call_passage", "known_text"]

_MOST_PASSAGES: Final = 60  # the newest are kept
# "2025-09-02T05:11" has a date and a time.
_STAMP: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(?=\d\d:\d\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMessage:
    """One message of the agent, with everything that was known when it was sent.

    ``place`` is its position among all steps. ``told`` are texts of tools, sources and instructions, ``heard`` are the
    customer's messages, ``calls`` are the agent's own calls before it, ``turn_calls`` those of its turn.
    """

    place: int
    turn: int
    text: str
    told: tuple[SourcePassage, ...]
    heard: tuple[str, ...]
    calls: tuple[ToolCall, ...]
    turn_calls: tuple[ToolCall, ...]
    has_sources: bool


def agent_messages(run: Trajectory) -> Iterator[AgentMessage]:
    """Yield the agent's messages in order, each with what was known before it."""
    instructions = [message.content for message in run.messages if message.role == "system" and message.content.strip()]
    told = [SourcePassage(name="instructions", text=text[:LETTERS]) for text in _parts(instructions)]
    sourced = bool(told)
    heard: list[str] = []
    calls: list[ToolCall] = []
    turn_calls: list[ToolCall] = []
    turn = -1
    for place, step in enumerate(steps(run)):
        for number in range(turn + 1, step.turn + 1):
            documents = [source_passage(each) for each in run.turns[number].sources if each.text.strip()]
            told += documents
            sourced = sourced or bool(documents)
            turn, turn_calls = number, []
        if step.kind == "request":
            heard.append(step.text)
        elif step.call is not None:
            _add(step, calls, turn_calls, heard)
            passage = call_passage(step.call)
            if passage.text:
                told.append(passage)
                sourced = sourced or not failed(step.call)
        elif step.is_agent_message and step.text.strip():
            yield AgentMessage(
                place=place,
                turn=step.turn,
                text=step.text,
                told=tuple(told[-_MOST_PASSAGES:]),
                heard=tuple(heard),
                calls=tuple(calls),
                turn_calls=tuple(turn_calls),
                has_sources=sourced,
            )


def _add(step: TranscriptStep, calls: list[ToolCall], turn_calls: list[ToolCall], heard: list[str]) -> None:
    if step.call is None:
        return
    if step.by_user:
        heard.append(call_passage(step.call).text)
    else:
        calls.append(step.call)
        turn_calls.append(step.call)


def _parts(texts: list[str]) -> Iterator[str]:
    """Yield the texts in parts that one passage can hold."""
    for text in texts:
        for at in range(0, min(len(text), 20 * LETTERS), LETTERS):
            yield text[at : at + LETTERS]


def call_passage(call: ToolCall) -> SourcePassage:
    """Return what a tool said as text, with the arguments of a successful call, or its error."""
    if call.error:
        return SourcePassage(name=call.name, text=call.error[:LETTERS], data=True)
    data = parse_loosely(call.result) if isinstance(call.result, str) else call.result
    text = "" if data is None else spoken(data)
    arguments = "" if failed(call) else spoken(dict(call.arguments))
    return SourcePassage(name=call.name, text=_STAMP.sub(r"\1 ", f"{text}\n{arguments}".strip()[:LETTERS]), data=True)


def known_text(message: AgentMessage) -> str:
    """Return everything that was known at a message as one text."""
    return "\n".join((*message.heard, *(each.text for each in message.told)))
