"""What the agent could know at each of its messages: instructions, sources, tool results, the customer's words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from proctor.core.chat import ToolCall
from proctor.core.scalars import scalars
from proctor.core.trajectory import Trajectory
from proctor.core.transcript import failed, parse_loosely, steps
from proctor.scorers.answer.quality_parts.source_passages import LETTERS, SourcePassage
from proctor.scorers.answer.quality_parts.support import source_passage, spoken

__all__ = ["AgentMessage", "agent_messages", "call_passage", "known_text"]

_MOST_PASSAGES: Final = 60  # the newest are kept
# "2025-09-02T05:11" has a date and a time.
# A call that a model wrote as text, and what it thought, are not said to the customer.
_WRITTEN_CALL: Final = re.compile(
    r"<(?P<tag>tool_call|function_call|think)>.{0,20000}?(?:</(?P=tag)>|$)|<function=.{0,20000}?(?:</?function>|$)",
    re.DOTALL,
)
_STAMP: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(?=\d\d:\d\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMessage:
    """One message of the agent, with everything that was known when it was sent.

    ``place`` is its position among all steps. ``told`` are texts of tools, sources and instructions, ``heard`` are the
    customer's messages (the newest), ``turn_calls`` are the agent's own calls of its turn, ``new_calls`` those since
    its last message, ``has_calls`` says whether there were any before it.
    """

    place: int
    turn: int
    text: str
    told: tuple[SourcePassage, ...]
    heard: tuple[str, ...]
    has_calls: bool
    turn_calls: tuple[ToolCall, ...]
    new_calls: tuple[ToolCall, ...]
    has_sources: bool


def agent_messages(run: Trajectory) -> Iterator[AgentMessage]:
    """Yield the agent's messages in order, each with what was known before it."""
    instructions = [message.content for message in run.messages if message.role == "system" and message.content.strip()]
    told = [SourcePassage(name="instructions", text=text[:LETTERS]) for text in _parts(instructions)]
    sourced = bool(told)
    heard: list[str] = []
    has_calls = False
    turn_calls: list[ToolCall] = []
    new_calls: list[ToolCall] = []
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
            passage = call_passage(step.call)
            if step.by_user:
                heard.append(passage.text)
            else:
                has_calls = True
                turn_calls.append(step.call)
                new_calls.append(step.call)
            if passage.text:
                told.append(passage)
                sourced = sourced or not failed(step.call)
        elif step.is_agent_message and (text := _WRITTEN_CALL.sub("", step.text).strip()):
            yield AgentMessage(
                place=place,
                turn=step.turn,
                text=text,
                told=tuple(told[-_MOST_PASSAGES:]),
                heard=tuple(heard[-_MOST_PASSAGES:]),
                has_calls=has_calls,
                turn_calls=tuple(turn_calls),
                new_calls=tuple(new_calls),
                has_sources=sourced,
            )
            new_calls = []


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
    arguments = "" if failed(call) else " ".join(map(str, scalars(call.arguments)))
    return SourcePassage(name=call.name, text=_STAMP.sub(r"\1 ", f"{text}\n{arguments}".strip()[:LETTERS]), data=True)


def known_text(message: AgentMessage) -> str:
    """Return everything that was known at a message as one text."""
    return "\n".join((*message.heard, *(each.text for each in message.told)))
