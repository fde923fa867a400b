"""A recorded conversation as one line of steps: who said what, which tool was called, what came of it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Trajectory, Turn

__all__ = ["READING", "Step", "failed", "hands_off", "reads_only", "result_text", "steps"]

# Names of tools that look and change nothing: the verb is the first word, or any word for those that can only look.
READING: Final = [
    "get",
    "list",
    "search",
    "find",
    "lookup",
    "look",
    "read",
    "fetch",
    "check",
    "view",
    "show",
    "calculate",
    "compute",
    "think",
    "query",
    "describe",
    "count",
    "retrieve",
    "verify",
    "can",
    "is",
    "has",
    "browse",
    "compare",
    "estimate",
    "validate",
    "respond",
    "inspect",
    "run",
    "select",
    "summarize",
    "summarise",
    "explain",
    "test",
    "consultar",
    "buscar",
    "obtener",
    "listar",
    "ver",
    "verificar",
    "calcular",
    "revisar",
    "leer",
    "mostrar",
    "validar",
]
_HAND_OFF: Final = re.compile(r"transfer|escalat|hand_?off|handover|human|derivar|connect_to_agent|live_agent", re.I)
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ERROR: Final = re.compile(
    r"""^(?:#\s*\w+\s*=)?[\s"'\[{(]*(?:error|exception|traceback|failed|failure|invalid|unauthori[sz]ed|forbidden|\w*error:)""",
    re.I,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that happened: words by the customer or the agent, or a call by either."""

    kind: Literal["user", "agent", "call"]
    turn: int
    text: str = ""
    call: ToolCall | None = None
    by_user: bool = False


def steps(run: Trajectory) -> tuple[Step, ...]:
    """Every step in order. A call stands where its message stands, with the result that is known of it."""
    return tuple(step for index, turn in enumerate(run.turns) for step in _of_turn(index, turn))


def _of_turn(index: int, turn: Turn) -> Iterator[Step]:
    known = list(turn.tool_calls)
    told = {message.tool_call_id: message for message in turn.messages if message.role == "tool"}
    placed = any(message.tool_calls for message in turn.messages if message.role != "user")
    last_answer = max((i for i, m in enumerate(turn.messages) if m.role == "assistant"), default=None)
    for place, message in enumerate(turn.messages):
        if not placed and place == last_answer:
            yield from _rest(index, known)
        if message.role in ("user", "assistant") and message.content:
            yield Step(kind="user" if message.role == "user" else "agent", turn=index, text=message.content)
        for call in message.tool_calls:
            mine = [] if message.role == "user" else known
            yield _call(index, _with_result(call, mine, told), by_user=message.role == "user")
    if placed or last_answer is None:
        yield from _rest(index, known)


def _rest(index: int, known: list[ToolCall]) -> Iterator[Step]:
    """The calls that no message tells of."""
    for call in known:
        yield _call(index, call, by_user=False)
    known.clear()


def _call(index: int, call: ToolCall, *, by_user: bool) -> Step:
    return Step(kind="call", turn=index, call=call, by_user=by_user or call.extra.get("requestor") == "user")


def _with_result(call: ToolCall, known: list[ToolCall], told: Mapping[str | None, Message]) -> ToolCall:
    """The call with its result: as the turn keeps it, or from the tool's own message."""
    for place, other in enumerate(known):
        same = other.id == call.id if call.id and other.id else other.name == call.name
        if same:
            return known.pop(place)
    answer = told.get(call.id) if call.id else None
    if call.result is None and call.error is None and answer is not None:
        return ToolCall(name=call.name, arguments=call.arguments, id=call.id, result=answer.content, extra=call.extra)
    return call


def result_text(call: ToolCall) -> str:
    """What the tool answered, as text."""
    if isinstance(call.result, str):
        return call.result
    return "" if call.result is None else json.dumps(call.result, ensure_ascii=False, default=str)


def failed(call: ToolCall) -> bool:
    """Whether the call came to nothing: the tool says so by an error, or in its answer."""
    if call.error:
        return True
    result = call.result
    if isinstance(result, str):
        if _ERROR.match(result):
            return True
        result = loosely(result) if result[:1] == "{" and len(result) < 2000 else None
    if not isinstance(result, Mapping):
        return False
    status = str(result.get("status", "")).casefold()
    return bool(result.get("error")) or result.get("success") is False or status in ("error", "failed", "failure")


def loosely(text: str) -> Any:
    """What the text says as JSON or as a Python literal; the text itself when it is neither."""
    if text.lstrip()[:1] not in ("[", "{"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def reads_only(name: str, reading: Sequence[str] = READING) -> bool:
    """Whether a tool of this name looks and changes nothing."""
    words = [word.casefold() for word in _WORDS.findall(name)]
    return bool(words) and words[0] in reading


def hands_off(name: str) -> bool:
    """Whether a tool of this name gives the conversation to a person."""
    return _HAND_OFF.search(name) is not None
