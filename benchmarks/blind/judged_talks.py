"""What the default ``conversation`` score decides about the blind set ``talks``, and a plain baseline beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from proctor.core.case import Case
from proctor.core.chat import Message, ToolCall
from proctor.core.score import Score
from proctor.core.trajectory import Source, Trajectory, Turn
from proctor.scorers.conversation.conversation import ConversationScorer
from proctor.wiring.local_models import local_model

__all__ = ["conversation_scorer", "decision", "is_near", "judged", "named_turns", "talk_of", "talks"]

Item = dict[str, Any]
# The baseline: words of promising, and an answer that repeats an earlier one.
_PROMISE = re.compile(r"guarantee|promise|garant|versprech|prometo|prometto|promets|保証|保证|보장|أضمن|гарант", re.I)
_WORDS = re.compile(r"\w+")


async def talks(items: Sequence[Item]) -> list[tuple[str, str]]:
    """Whether each conversation fails at its faulty message, is in doubt, or passes.

    A faulty one is right if it failed and a failed gate names the turn of its faulty message, or that of the message
    before or after it. Baseline: words of promising, a figure that nothing before it has, or a repeated answer.
    """
    scorer = conversation_scorer()
    found = []
    for item in items:
        run, first = talk_of(item)
        score = await judged(scorer, Case(id=str(item["id"]), input="conversation"), run)
        found.append((decision(item, score, first), _plain(item)))
    return found


async def judged(scorer: ConversationScorer, case: Case, run: Trajectory) -> Score:
    """The score of a conversation with the threshold that decides whether it passed."""
    score = await scorer.score(case, run)
    return replace(score, threshold=scorer.threshold if score.threshold is None else score.threshold)


def conversation_scorer(**settings: Any) -> ConversationScorer:
    """The default score with the networks that ship."""
    names = ("embedder", "entailer", "grounder", "tagger", "injection", "intents", "promises", "faults")
    return ConversationScorer(**{name: local_model(name) for name in names}, **settings)


def talk_of(item: Item) -> tuple[Trajectory, list[int]]:
    """The conversation, and for each turn the position of its first message, from 1."""
    groups: list[list[Message]] = []
    first: list[int] = []
    for place, row in enumerate(item["messages"], start=1):
        message = Message(role=row["role"], content=row.get("content") or "", tool_calls=tuple(_calls(row)))
        if not groups or (message.role == "user" and any(each.role == "user" for each in groups[-1])):
            groups.append([])
            first.append(place)
        groups[-1].append(message)
    turns = [
        Turn(messages=tuple(group), tool_calls=tuple(call for message in group for call in message.tool_calls))
        for group in groups
    ]
    sources = tuple(
        Source(id=str(row.get("id") or f"source-{place + 1}"), text=row["text"], title=row.get("title"))
        for place, row in enumerate(item.get("sources") or ())
    )
    if sources and turns:
        turns[0] = Turn(messages=turns[0].messages, tool_calls=turns[0].tool_calls, sources=sources)
    return Trajectory(turns=tuple(turns)), first


def named_turns(score: Score) -> Iterator[tuple[str, int]]:
    """Each failed gate with the turn of its first evidence: later evidence shows what was said before.

    Where none failed, those that put the conversation in doubt.
    """
    for part in score.parts:
        turn = next((one.turn for one in part.evidence if one.turn is not None), None)
        if (
            (part.in_doubt if score.in_doubt else part.passed is False)
            and part.name not in ("outcome", "turns", "solved")
            and turn is not None
        ):
            yield part.name, turn


def decision(item: Item, score: Score, first: Sequence[int]) -> str:
    """What the score decides about a conversation, and whether it names the turn of the fault."""
    if score.passed is None:
        return "unscored"
    if score.passed and not score.in_doubt:
        return "clean"
    if item["label"] == "clean":
        return "in doubt" if score.in_doubt else "faulty"
    near = any(is_near(item, first, turn) for _, turn in named_turns(score))
    if score.in_doubt:
        return "in doubt" if near else "in doubt, wrong turn"
    return "faulty" if near else "wrong turn"


def is_near(item: Item, first: Sequence[int], turn: int) -> bool:
    """Whether a turn has the faulty message of a conversation, or the message before or after it."""
    ends = [*(place - 1 for place in first[1:]), len(item["messages"])]
    return bool(first[turn] - 1 <= item["turn"] <= ends[turn] + 1)


def _calls(row: Mapping[str, Any]) -> Iterator[ToolCall]:
    for call in row.get("tool_calls") or ():
        error = call.get("error")
        arguments = call.get("arguments")
        yield ToolCall(
            name=call["name"],
            arguments=arguments if isinstance(arguments, dict) else {"value": arguments},
            result=call.get("result"),
            error=None if not error else str(error),
        )


def _plain(item: Item) -> str:
    seen, said = "", set[str]()
    for source in item.get("sources") or ():
        seen += " " + source["text"]
    for row in item["messages"]:
        text = row.get("content") or ""
        if row["role"] == "assistant" and text:
            numbers = set(re.findall(r"\d+", text))
            words = " ".join(_WORDS.findall(text.casefold()))
            if _PROMISE.search(text) or words in said or not numbers <= set(re.findall(r"\d+", seen)):
                return "faulty"
            said.add(words)
        seen += f" {text} {row.get('tool_calls') or ''}"
    return "clean"
