"""Recorded answers as people write them: a text, several, or a mapping with an answer or turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from proctor.core.decode import decode
from proctor.core.errors import MalformedError, Problem
from proctor.core.source_shorthand import source_records
from proctor.core.trajectory import Trajectory, Turn

__all__ = ["recorded_answer"]

_OF_TURN = frozenset({"answer", *(each.name for each in fields(Turn))}) - {"error", "extra"}


def recorded_answer(raw: Mapping[str, Any], problems: list[Problem]) -> Trajectory | None:
    """Build the recorded answer of a written case. It came from elsewhere, so unknown keys in it are kept."""
    data = raw["recorded"]
    if isinstance(data, str):
        data = [data]
    if isinstance(data, (list, tuple)):
        data = {"turns": list(data)}
    if isinstance(data, Mapping) and "answer" in data and "turns" not in data:
        data = _one_turn(data)
    if not isinstance(data, Mapping):
        hint = "write the answer's text, `{answer: …, sources: […]}`, or `turns:` with an `answer:` each"
        problems.append(Problem(("recorded",), "expected an answer or a mapping", hint))
        return None
    turns = data.get("turns")
    if isinstance(turns, (list, tuple)):
        said = _said(raw)
        turns = [_turn(turn, said[index] if index < len(said) else None) for index, turn in enumerate(turns)]
        data = {**data, "turns": turns}
    try:
        made = decode(Trajectory, data)
    except MalformedError as error:
        problems += [Problem(("recorded", *each.path), each.message, each.hint) for each in error.problems]
        return None
    problems += _silent(made)
    return made


def _one_turn(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recording of one answer with what is known of it as one of turns; the rest is of the conversation."""
    turn = {key: value for key, value in data.items() if key in _OF_TURN}
    return {"turns": [turn], **{key: value for key, value in data.items() if key not in _OF_TURN}}


def _said(raw: Mapping[str, Any]) -> list[str]:
    """Return the user's messages, so that a recorded answer is paired with its question."""
    turns = raw.get("turns") or ([raw["input"]] if isinstance(raw.get("input"), str) else [])
    texts = [turn.get("text") if isinstance(turn, Mapping) else turn for turn in turns]
    return [text if isinstance(text, str) else "" for text in texts]


def _turn(turn: Any, asked: str | None) -> Any:
    answer = turn.get("answer") if isinstance(turn, Mapping) else turn
    if not isinstance(answer, str):
        return turn
    messages = [{"role": "user", "content": asked}] if asked is not None else []
    rest = {key: value for key, value in turn.items() if key != "answer"} if isinstance(turn, Mapping) else {}
    if rest.get("sources") is not None:
        rest["sources"] = source_records(rest["sources"])
    return {"messages": [*messages, {"role": "assistant", "content": answer}], **rest}


def _silent(made: Trajectory) -> list[Problem]:
    if not made.turns and made.error is None:
        return [Problem(("recorded",), "the recording has no turns", "write the answer's text, or `turns:`")]
    return [
        Problem(("recorded", "turns", index), "the turn says nothing", "add `answer:` or `messages:`")
        for index, turn in enumerate(made.turns)
        if not turn.messages and not turn.tool_calls and turn.error is None
    ]
