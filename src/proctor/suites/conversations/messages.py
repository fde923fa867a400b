"""Parse messages of any tool into one form: roles, texts, tool calls and tool results."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import orjson

from proctor.core.chat import Message, Role, ToolCall, Usage
from proctor.suites.conversations.json_text import read_json
from proctor.suites.conversations.usage_fields import number, usage_of

__all__ = ["LoggedMessage", "WrongMessageError", "arguments_of", "call_of", "read_messages", "result_of", "time_of"]

_ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
_PLAIN = ("user", "assistant", "system")
_BARE = frozenset({"role", "parts", "finish_reason"})
_TEXT_KEYS = 2  # `type` and `content`
_TEXTS = ("text", "input_text", "output_text", "refusal")
_THOUGHTS = ("thinking", "reasoning", "redacted_thinking")
_READ = frozenset(
    [
        *("role", "content", "parts", "name", "type", "id", "timestamp", "created_at", "usage", "cost", "requestor"),
        "finish_reason",
        *(
            "tool_calls",
            "tool_call_id",
            "tool_call",
            "function_call",
            "call_id",
            "error",
            "errors",
            "is_error",
            "status",
        ),
    ]
)
_FAILED = ("Error:", "Error executing", "ERROR:", "Exception:", "Traceback (most recent call last)")


class WrongMessageError(Exception):
    """An invalid message; ``field`` is its position in the list."""

    def __init__(self, message: str, field: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.field, self.hint = message, field, hint


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedMessage:
    """One message with its metadata.

    ``aside`` is a message whose role is not part of a conversation (a checker's note, for example): it is kept, but not
    as a message. ``by_user`` marks a tool the user called, or its result. ``call`` is the call that a result itself
    contains.
    """

    message: Message
    error: str | None = None
    time: datetime | None = None
    usage: Usage | None = None
    cost: float | None = None
    by_user: bool = False
    aside: Mapping[str, Any] | None = None
    call: ToolCall | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


def read_messages(items: Any, where: str = "messages") -> list[LoggedMessage]:
    """Parse a list of messages in the format of any supported tool.

    Raises:
        WrongMessageError: an item of the list is not a message.
    """
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    if not isinstance(items, list):
        raise WrongMessageError("expected a list of messages", where, "write `[{role: user, content: …}, …]`")
    said: list[LoggedMessage] = []
    for index, item in enumerate(items):
        said.extend(_read(item, f"{where}[{index}]"))
    return said


def _read(item: Any, where: str) -> Iterator[LoggedMessage]:
    if isinstance(item, (list, tuple)) and len(item) == 2 and all(isinstance(part, str) for part in item):
        item = {"role": item[0], "content": item[1]}  # LangChain's tuple form
    if not isinstance(item, Mapping):
        raise WrongMessageError("expected a message: a mapping with `role` and `content`", where)
    if len(item) == 2 and item.get("role") in _PLAIN and isinstance(item.get("content"), str):
        yield LoggedMessage(
            message=Message(role=item["role"], content=item["content"])
        )  # fast path: most messages of a log
        return
    if (text := _only_text(item)) is not None:
        yield LoggedMessage(message=Message(role=item["role"], content=text))
        return
    item = _unwrapped(item)
    kind = item.get("type")
    if kind in ("function_call", "function_call_output", "reasoning") and "role" not in item:
        yield _response_item(item, str(kind))
        return
    name = item.get("role", kind)
    if not isinstance(name, str):
        raise WrongMessageError("the message has no role", f"{where}.role", "add `role`: user, assistant, system, tool")
    role = _ROLES.get(name.lower())
    if role is None:
        yield LoggedMessage(message=Message(role="system"), aside=dict(item))
        return
    yield from _spoken(item, role, where)


def _only_text(item: Mapping[str, Any]) -> str | None:
    """Return the text of a message in OpenTelemetry's form that has one part and nothing else."""
    parts = item.get("parts")
    if type(parts) is not list or len(parts) != 1 or item.get("role") not in _PLAIN or not _BARE.issuperset(item):
        return None
    part = parts[0]
    if type(part) is not dict or part.get("type") != "text" or len(part) != _TEXT_KEYS:
        return None
    text = part.get("content")
    return text if type(text) is str else None


def _unwrapped(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Unwrap a LangChain message: `{lc, id, kwargs}` or `{type, data}`."""
    if isinstance(kwargs := item.get("kwargs"), Mapping) and isinstance(names := item.get("id"), list) and names:
        kind = str(names[-1]).removesuffix("Chunk").removesuffix("Message").lower()
        return {**kwargs, "role": kwargs.get("role") or kwargs.get("type") or kind}
    if isinstance(data := item.get("data"), Mapping) and isinstance(item.get("type"), str):
        return {**data, "role": data.get("role") or item["type"]}
    if isinstance(inner := item.get("message"), Mapping) and "role" not in item and "content" not in item:
        return inner
    return item


def _response_item(item: Mapping[str, Any], kind: str) -> LoggedMessage:
    """Parse an item of the Responses API that is not a message."""
    given = item.get("call_id") or item.get("id")
    key = str(given) if given is not None else None
    if kind == "function_call":
        call = ToolCall(name=str(item.get("name", "")), arguments=arguments_of(item.get("arguments")), id=key)
        return LoggedMessage(message=Message(role="assistant", tool_calls=(call,)))
    if kind == "reasoning":
        return LoggedMessage(message=Message(role="system"), aside={"role": "reasoning", **item})
    text = _plain(item.get("output"))
    return LoggedMessage(message=Message(role="tool", content=text, tool_call_id=key), error=_error_of(item, text))


def _spoken(item: Mapping[str, Any], role: Role, where: str) -> Iterator[LoggedMessage]:
    parts = _Parts(where)
    parts.take(item.get("content"))
    parts.take(item.get("parts"))
    calls = [*parts.calls, *_calls(item, where, given=bool(parts.calls))]
    extra = {key: value for key, value in item.items() if key not in _READ and value is not None}
    extra.pop("additional_kwargs", None) if calls else None
    if parts.rest:
        extra["parts"] = parts.rest
    if parts.thoughts:
        extra["reasoning"] = "\n".join(parts.thoughts)
    if item.get("errors"):
        extra["errors"] = item["errors"]
    by_user = item.get("requestor") == "user" or (role == "user" and bool(calls))
    known = _Known(time=time_of(item.get("timestamp", item.get("created_at"))), by_user=by_user)
    for result in parts.results:
        yield known.said(result[0], error=result[1])
    text = "\n".join(parts.texts)
    if role == "tool" and (text or not parts.results):
        yield _tool_result(item, text, extra, known)
    elif role != "tool" and (text or calls or not parts.results):
        name = item.get("name") if isinstance(item.get("name"), str) else None
        message = Message(role=role, content=text, name=name, tool_calls=tuple(calls), extra=extra)
        said = known.said(message)
        taken = item.get("usage") is not None or item.get("cost") is not None
        yield replace(said, usage=usage_of(item.get("usage")), cost=number(item.get("cost"))) if taken else said


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """Fields of a message that apply to all its parts."""

    time: datetime | None
    by_user: bool

    def said(self, message: Message, *, error: str | None = None, call: ToolCall | None = None) -> LoggedMessage:
        return LoggedMessage(message=message, error=error, time=self.time, by_user=self.by_user, call=call)


def _tool_result(item: Mapping[str, Any], text: str, extra: dict[str, Any], known: _Known) -> LoggedMessage:
    inside = item.get("tool_call")
    call = call_of(inside, "tool_call") if isinstance(inside, Mapping) else None
    key = item.get("tool_call_id") or item.get("call_id") or item.get("id") or (call.id if call else None)
    name = item.get("name") if isinstance(item.get("name"), str) else call.name if call else None
    message = Message(
        role="tool", content=text, name=name, tool_call_id=str(key) if key is not None else None, extra=extra
    )
    return known.said(message, error=_error_of(item, text), call=call)


def _error_of(item: Mapping[str, Any], text: str) -> str | None:
    """Return the error of a tool result: by its flag, otherwise by how its text begins."""
    error = item.get("error", item.get("is_error"))
    if isinstance(error, str) and error:
        return error
    if error is True or item.get("status") == "error":
        return text or "the tool failed"
    if error is False:  # the tool reported success
        return None
    return text if text.startswith(_FAILED) else None


class _Parts:
    """The parts of one message's content."""

    def __init__(self, where: str) -> None:
        self.texts: list[str] = []
        self.calls: list[ToolCall] = []
        self.results: list[tuple[Message, str | None]] = []
        self.thoughts: list[str] = []
        self.rest: list[Any] = []
        self._where = where

    def take(self, content: Any) -> None:
        if content is None:
            return
        if isinstance(content, str):
            self.texts.append(content)
        elif isinstance(content, Mapping):
            self._part(content)
        elif isinstance(content, list):
            for part in content:
                self._part(part) if isinstance(part, Mapping) else self.take(part)
        else:
            what = f"expected text or a list of parts, found {type(content).__name__}"
            raise WrongMessageError(what, f"{self._where}.content")

    def _part(self, part: Mapping[str, Any]) -> None:
        kind = str(part.get("type", "text"))
        if kind in _TEXTS:
            text = next((part[key] for key in ("text", "content", "refusal") if isinstance(part.get(key), str)), "")
            self.texts.append(text)
        elif kind in _THOUGHTS:
            text = next((part[key] for key in ("thinking", "text", "content") if isinstance(part.get(key), str)), "")
            self.thoughts.append(text)
        elif kind in ("tool_use", "server_tool_use", "tool_call", "server_tool_call"):
            self.calls.append(call_of(part, self._where))
        elif kind.endswith("tool_result") or kind.endswith("tool_call_response"):
            self._result(part)
        else:
            self.rest.append(dict(part))
            self.texts.append(f"[{kind}]")

    def _result(self, part: Mapping[str, Any]) -> None:
        key = part.get("tool_use_id") or part.get("id") or part.get("tool_call_id")
        text = _plain(next((part[name] for name in ("content", "response", "result") if name in part), None))
        message = Message(role="tool", content=text, tool_call_id=str(key) if key is not None else None)
        self.results.append((message, _error_of(part, text)))


def _plain(value: Any) -> str:
    """Return a tool's result as text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(part, Mapping) and "type" in part for part in value):
        texts = [part.get("text", part.get("content")) for part in value]
        if all(isinstance(text, str) for text in texts):
            return "\n".join(texts)
    return orjson.dumps(value, default=str).decode()


def _calls(item: Mapping[str, Any], where: str, *, given: bool) -> Iterable[ToolCall]:
    """Return the calls beside the content; skip them if the content has calls, because LangChain repeats them."""
    beside = item.get("tool_calls")
    if beside is None and isinstance(more := item.get("additional_kwargs"), Mapping):
        beside = more.get("tool_calls")
    if beside is None and isinstance(call := item.get("function_call"), Mapping):
        beside = [call]
    if given or not beside:
        return ()
    if not isinstance(beside, list):
        raise WrongMessageError("expected a list of tool calls", f"{where}.tool_calls")
    return [call_of(call, f"{where}.tool_calls[{index}]") for index, call in enumerate(beside)]


def call_of(call: Any, where: str) -> ToolCall:
    """Parse a tool call of OpenAI, Anthropic, LangChain, AgentDojo or tau.

    Raises:
        WrongMessageError: it has no name.
    """
    if not isinstance(call, Mapping):
        raise WrongMessageError("expected a tool call: a mapping", where)
    inside = call.get("function")
    about = inside if isinstance(inside, Mapping) else call
    name = inside if isinstance(inside, str) else about.get("name")
    if not isinstance(name, str):
        raise WrongMessageError("the tool call has no name", where, "add `name`, or `function` with a `name`")
    given = next((about[key] for key in ("arguments", "args", "input", "kwargs") if about.get(key) is not None), None)
    key = call.get("id", call.get("call_id"))
    extra = {"requestor": "user"} if call.get("requestor") == "user" else {}
    return ToolCall(name=name, arguments=arguments_of(given), id=str(key) if key is not None else None, extra=extra)


def arguments_of(given: Any) -> dict[str, Any]:
    """Return arguments as a mapping; text that is not a mapping is kept under an empty name."""
    if given is None or given == "":
        return {}
    if isinstance(given, Mapping):
        return {str(key): value for key, value in given.items()}
    if isinstance(given, str):
        try:
            parsed = read_json(given)
        except ValueError:
            parsed = _literal(given)
        if isinstance(parsed, dict):
            return {str(key): value for key, value in parsed.items()}
    return {"": given}


def _literal(text: str) -> Any:
    """Parse arguments that an agent wrote as a Python dict literal."""
    try:
        return ast.literal_eval(text) if text.lstrip().startswith("{") and len(text) < 100_000 else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def result_of(text: str) -> Any:
    """Return a tool's result: parsed if its text is a JSON mapping or list, else the text."""
    if text[:1] in ("{", "["):
        try:
            return read_json(text)
        except ValueError:
            return text
    return text


def time_of(value: Any) -> datetime | None:
    """Parse a time from text or from (milli- or nano)seconds since 1970; None if it is neither."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, str) and not value.isdigit():
        try:
            made = datetime.fromisoformat(value.replace(" UTC", "+00:00"))
        except ValueError:
            return None
        return made if made.tzinfo else made.replace(tzinfo=UTC)
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        return None
    for _ in range(3):
        if abs(seconds) > 1e11:
            seconds /= 1000
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
