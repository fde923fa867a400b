"""Import OpenAI and Anthropic message logs: conversations, and requests with their responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proctor.core.case import Case
from proctor.core.trajectory import Trajectory
from proctor.suites.conversations.build_case import SESSION_KEYS, build_case, logged_messages, text_at
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.group_entries import group_entries
from proctor.suites.conversations.importer import Importer
from proctor.suites.conversations.merge_calls import CallMerger
from proctor.suites.conversations.messages import LoggedMessage
from proctor.suites.conversations.usage_fields import usage_of

__all__ = ["ANTHROPIC", "OPENAI", "is_anthropic", "is_openai", "read_chat"]

_ANTHROPIC_PARTS = ("tool_use", "tool_result", "thinking", "server_tool_use")
_BODIES = ("body", "request", "kwargs")
_ANSWERS = ("response", "completion", "output")
_CUSTOMER = ("user_id", "customer_id", "customer")
_READ = frozenset(
    (
        *_BODIES,
        *_ANSWERS,
        *SESSION_KEYS,
        *_CUSTOMER,
        "messages",
        "id",
        "system",
        "input",
        "choices",
        "custom_id",
        "intent",
    )
)


def is_openai(data: Any) -> bool:
    """Whether it is a list of messages, a mapping with `messages`, a chat completion, or a response with `input`."""
    if isinstance(data, list):
        return bool(data) and isinstance(data[0], Mapping) and "role" in data[0]
    if not isinstance(data, Mapping):
        return False
    request = _request(data)
    return any(isinstance(request.get(key), list) for key in ("messages", "input")) or isinstance(
        data.get("choices"), list
    )


def is_anthropic(data: Any) -> bool:
    """Like ``is_openai``, with Anthropic features: `system` beside the messages, `tool_use` or `tool_result` blocks."""
    if not is_openai(data):
        return False
    if isinstance(data, list):
        return _has_blocks(data)
    request, response = _request(data), _response(data)
    return "system" in request or response.get("type") == "message" or _has_blocks(request.get("messages"))


def _has_blocks(messages: Any) -> bool:
    return any(
        isinstance(part, Mapping) and part.get("type") in _ANTHROPIC_PARTS
        for message in (messages if isinstance(messages, list) else ())
        if isinstance(message, Mapping) and isinstance(message.get("content"), list)
        for part in message["content"]
    )


def read_chat(entries: Iterator[Entry]) -> Iterator[Case]:
    """Yield one case per conversation; requests of the same conversation are merged."""
    for name, group in group_entries(entries, _session):
        if name is None:
            for entry in group:
                yield _case(entry, _said(entry), None)
        else:
            yield _woven(list(group), name)


def _session(entry: Entry) -> str | None:
    return _session_in(entry.data)


def _names_no_session(data: Any) -> bool:
    """Whether each value is a conversation: without a session's name, requests are not merged."""
    return _session_in(data) is None


def _session_in(data: Any) -> str | None:
    if not isinstance(data, Mapping):
        return None
    places = (data, _request(data), data.get("metadata"), _request(data).get("metadata"))
    return next((found for at in places if isinstance(at, Mapping) and (found := text_at(at, *SESSION_KEYS))), None)


def _woven(group: list[Entry], name: str) -> Case:
    if len(group) == 1:
        return _case(group[0], _said(group[0]), name)
    weaving = CallMerger()
    for entry in group:
        weaving.add(_said(entry))
    return _case(group[0], weaving.said, name)


def _case(entry: Entry, said: list[LoggedMessage], session: str | None) -> Case:
    data: Mapping[str, Any] = entry.data if isinstance(entry.data, Mapping) else {}
    rest = {key: value for key, value in data.items() if key not in _READ and value is not None}
    model = text_at(_request(data), "model") or text_at(_response(data), "model")
    own = data.get("metadata")
    about = {**(own if isinstance(own, Mapping) else {}), "model": model}
    rest.pop("metadata", None)
    rest.pop("model", None)
    return build_case(
        entry,
        said,
        name=session or text_at(data, "id", "custom_id") or text_at(_response(data), "id"),
        about=about,
        intent=text_at(data, "intent"),
        session=session,
        customer=text_at(data, *_CUSTOMER),
        extra=_unclaimed(rest),
    )


def _unclaimed(rest: Mapping[str, Any]) -> dict[str, Any]:
    """Return unknown keys; one that is also a trajectory field is prefixed so that it is not mistaken for it."""
    return {f"log_{key}" if key in Trajectory.__dataclass_fields__ else key: value for key, value in rest.items()}


def _said(entry: Entry) -> list[LoggedMessage]:
    data = entry.data
    if isinstance(data, list):
        return logged_messages(entry, data, "")
    if not isinstance(data, Mapping):
        raise entry.wrong("expected a conversation: a mapping with `messages`, or a list of them")
    request = _request(data)
    said: list[LoggedMessage] = []
    if system := request.get("system") or request.get("instructions"):
        said += logged_messages(entry, [{"role": "system", "content": system}], "system")
    where = "messages" if "messages" in request else "input"
    if where in request:
        said += logged_messages(entry, request[where], where)
    return said + _answered(entry, _response(data))


def _answered(entry: Entry, response: Mapping[str, Any]) -> list[LoggedMessage]:
    """Return the messages of a response, with its token usage."""
    if isinstance(choices := response.get("choices"), list):
        items = [choice.get("message") for choice in choices[:1] if isinstance(choice, Mapping)]
        said = logged_messages(entry, [item for item in items if item], "choices")
    elif isinstance(output := response.get("output"), list):
        said = logged_messages(entry, output, "output")
    elif response.get("content") is not None:
        said = logged_messages(
            entry, [{"role": response.get("role", "assistant"), "content": response["content"]}], "response"
        )
    else:
        return []
    return CallMerger.measured(said, usage=usage_of(response.get("usage")))


def _request(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the request: the row itself, or the request it contains."""
    for name in _BODIES:
        if isinstance(inside := data.get(name), Mapping) and ("messages" in inside or "input" in inside):
            return inside
    return data


def _response(data: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in _ANSWERS:
        if isinstance(inside := data.get(name), Mapping):
            body = inside.get("body")
            return body if isinstance(body, Mapping) else inside
    return data if "choices" in data or (isinstance(data.get("output"), list) and "input" in data) else {}


ANTHROPIC = Importer(
    title="Anthropic message logs", fits=is_anthropic, read=read_chat, order=80, by_entry=_names_no_session
)
OPENAI = Importer(title="OpenAI message logs", fits=is_openai, read=read_chat, order=90, by_entry=_names_no_session)
