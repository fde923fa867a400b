"""Collect what a judge sees of a conversation, fenced so that none of it can pass for the judge's own prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.codec import dumps
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import last_expectation
from proctor.text import delimiters

__all__ = ["EVERYTHING", "Included", "Section", "collect", "fence"]

Included = Literal["input", "history", "answer", "reference", "facts", "sources", "rules", "tool_calls", "page"]
Section = delimiters.Section
fence = delimiters.fence

# Reading order for a judge: context first, the answer last.
EVERYTHING: tuple[Included, ...] = (
    "page",
    "history",
    "sources",
    "tool_calls",
    "reference",
    "facts",
    "rules",
    "input",
    "answer",
)


def collect(case: Case, run: Trajectory, include: Sequence[Included]) -> list[Section]:
    """Return the requested sections that are not empty, in reading order; the answer even if it is empty."""
    chosen = set(include)
    sections = [(name, _READ[name](case, run)) for name in EVERYTHING if name in chosen]
    return [(name, text) for name, text in sections if text or name == "answer"]


def _input(case: Case, run: Trajectory) -> str:
    if run.turns and (asked := run.turns[-1].asked):
        return asked
    asks = case.asks
    if asks:
        return asks[min(len(run.turns), len(asks)) - 1].text if run.turns else asks[-1].text
    return _json(case.inputs) if case.inputs else ""


def _history(case: Case, run: Trajectory) -> str:
    earlier = [message for turn in run.turns[:-1] for message in turn.messages]
    return "\n".join(_said(message) for message in (*case.history, *earlier) if message.role != "system")


def _said(message: Message) -> str:
    calls = "".join(f" [calls {call.name} with {_json(dict(call.arguments))}]" for call in message.tool_calls)
    return f"{message.role}: {message.content}{calls}"


def _answer(case: Case, run: Trajectory) -> str:
    return run.answer


def _reference(case: Case, run: Trajectory) -> str:
    return next((expect.reference for expect in last_expectation(case, run) if expect.reference), "")


def _facts(case: Case, run: Trajectory) -> str:
    return _bullets([fact for expect in last_expectation(case, run) for fact in expect.facts])


def _rules(case: Case, run: Trajectory) -> str:
    rules = [rule for expect in last_expectation(case, run) for rule in expect.rules if not rule.disabled]
    return _bullets([f"must not: {rule.text}" if rule.polarity == "negative" else rule.text for rule in rules])


def _sources(case: Case, run: Trajectory) -> str:
    texts = []
    for source in run.sources:
        about = ", ".join(part for part in (source.title, source.date, source.uri) if part)
        texts.append(f"[{source.id}]{f' ({about})' if about else ''} {source.text}")
    return "\n\n".join(texts)


def _tool_calls(case: Case, run: Trajectory) -> str:
    lines = []
    for call in run.tool_calls:
        outcome = f"failed: {call.error}" if call.error is not None else f"returned {_json(call.result)}"
        lines.append(f"{call.name} with {_json(dict(call.arguments))} {outcome}")
    return "\n".join(lines)


def _page(case: Case, run: Trajectory) -> str:
    return _json(case.page) if case.page else ""


def _bullets(items: Sequence[str]) -> str:
    return "\n".join(f"- {item}" for item in dict.fromkeys(items))


def _json(value: object) -> str:
    return dumps(value).decode()


_READ: dict[Included, Callable[[Case, Trajectory], str]] = {
    "answer": _answer,
    "facts": _facts,
    "history": _history,
    "input": _input,
    "page": _page,
    "reference": _reference,
    "rules": _rules,
    "sources": _sources,
    "tool_calls": _tool_calls,
}
