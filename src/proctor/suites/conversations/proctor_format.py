"""Import Proctor's own conversations: results of `proctor export`, recordings and trajectories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proctor.core.case import Case
from proctor.core.codec import content_id
from proctor.core.errors import MalformedError, Problem
from proctor.suites.case_shorthand import make_case
from proctor.suites.conversations.build_case import text_at
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.importer import Importer

__all__ = ["PROCTOR", "is_own", "read_own"]

_CASE = ("expect", "tags", "intent", "description", "checks", "page", "history")


def is_own(data: Any) -> bool:
    """Whether it is a result with its trajectory, a case with a recording, or a conversation with `turns`."""
    if not isinstance(data, Mapping):
        return False
    if isinstance(data.get("trajectory"), Mapping) or data.get("recorded") is not None:
        return True
    turns = data.get("turns")
    return isinstance(turns, list) and bool(turns) and isinstance(turns[0], Mapping) and bool(_TURN & set(turns[0]))


_TURN = {"messages", "answer", "tool_calls"}


def read_own(entries: Iterator[Entry]) -> Iterator[Case]:
    """Yield one case per conversation, with everything that was recorded."""
    for entry in entries:
        data = entry.data
        if not isinstance(data, Mapping):
            raise entry.wrong("expected a conversation: a mapping with `turns`")
        try:
            yield _case(data)
        except MalformedError as error:
            first = error.problems[0]
            raise entry.wrong(first.message, first.where, first.hint) from None


def _case(data: Mapping[str, Any]) -> Case:
    if isinstance(inside := data.get("trajectory"), Mapping):
        case = data.get("case")
        about = dict(case) if isinstance(case, Mapping) else {"id": str(case or data.get("id") or "")}
        about["id"] = about.get("id") or "c-" + content_id(dict(inside), length=12)
        about.pop("recorded", None)
        return make_case({**about, "recorded": dict(inside)}, {}, strict=False)
    if data.get("recorded") is not None:
        return make_case(dict(data), {}, strict=False)
    if not isinstance(data.get("turns"), list):
        raise MalformedError([Problem(("turns",), "the conversation has no list of turns", "write `turns: [{…}]`")])
    about = {name: data[name] for name in _CASE if name in data}
    rest = {key: value for key, value in data.items() if key not in _CASE}
    rest["turns"] = [_turn(turn) for turn in rest["turns"]]
    name = text_at(data, "id", "session")
    metadata = data.get("metadata")
    made: dict[str, Any] = {**about, "recorded": rest, "metadata": metadata if isinstance(metadata, Mapping) else {}}
    made["id"] = name or "c-" + content_id(rest, length=12)
    return make_case(made, {}, strict=False)


def _turn(turn: Any) -> Any:
    """Move an answer that is beside a turn's messages into them."""
    if not isinstance(turn, Mapping) or not isinstance(turn.get("messages"), list) or "answer" not in turn:
        return turn
    said = {"role": "assistant", "content": turn["answer"]}
    rest = {key: value for key, value in turn.items() if key != "answer"}
    return {**rest, "messages": [*turn["messages"], said]}


PROCTOR = Importer(title="Proctor's own results and recordings", fits=is_own, read=read_own, order=60, by_entry=is_own)
