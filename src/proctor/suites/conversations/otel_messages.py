"""Read the messages of an OpenTelemetry span: current GenAI attributes, older events, numbered attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from proctor.suites.conversations.build_case import logged_messages
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.messages import LoggedMessage
from proctor.suites.conversations.trace_spans import parsed

__all__ = ["MESSAGE_EVENTS", "numbered", "numbered_documents", "span_messages"]

_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_CHOICE = "gen_ai.choice"
_DETAILS = "gen_ai.client.inference.operation.details"
MESSAGE_EVENTS = frozenset({*_EVENTS, _CHOICE, _DETAILS})
_NUMBERED = re.compile(r"^(gen_ai\.prompt|gen_ai\.completion|llm\.input_messages|llm\.output_messages)\.(\d+)\.(.+)$")


def span_messages(entry: Entry, told: Mapping[str, Any]) -> tuple[list[LoggedMessage], list[LoggedMessage]]:
    """Return the messages sent and received: from current attributes, older events, or numbered attributes."""
    sent, got = parsed(told.get("gen_ai.input.messages")), parsed(told.get("gen_ai.output.messages"))
    system = parsed(told.get("gen_ai.system_instructions"))
    for event in entry.data["events"]:  # the attributes may be on an event
        more = event["attributes"]
        sent = sent or parsed(more.get("gen_ai.input.messages"))
        got = got or parsed(more.get("gen_ai.output.messages"))
        system = system or parsed(more.get("gen_ai.system_instructions"))
    if not sent and not got:
        sent, got = _from_events(entry.data["events"])
    if not sent and not got:
        sent, got = (
            _numbered_messages(told, "gen_ai.prompt", "llm.input_messages"),
            _numbered_messages(told, "gen_ai.completion", "llm.output_messages"),
        )
    if system:
        content = system if isinstance(system, (str, list)) else str(system)
        sent = [{"role": "system", "content": content}, *(sent or [])]
    return logged_messages(entry, sent or [], "gen_ai.input.messages"), logged_messages(
        entry, (got or [])[:1], "gen_ai.output.messages"
    )


def _from_events(events: list[Mapping[str, Any]]) -> tuple[list[Any], list[Any]]:
    sent: list[Any] = []
    got: list[Any] = []
    for event in events:
        body = {**event["attributes"], **(event["body"] if isinstance(event.get("body"), Mapping) else {})}
        body = {key: _body_value(key, value) for key, value in body.items() if not key.startswith("gen_ai.")}
        if event.get("name") in _EVENTS:
            sent.append({"role": _EVENTS[str(event["name"])], **body})
        elif event.get("name") == _CHOICE:
            message = body.get("message", body)
            got.append(
                {"role": "assistant", **message}
                if isinstance(message, Mapping)
                else {"role": "assistant", "content": message}
            )
    return sent, got


def _body_value(key: str, value: Any) -> Any:
    """Parse data that was written as text; the content of a tool's result stays the text that it is."""
    made = parsed(value)
    is_parts = isinstance(made, list) and all(isinstance(part, Mapping) and "type" in part for part in made)
    return made if key != "content" or is_parts else value


def _numbered_messages(told: Mapping[str, Any], *stems: str) -> list[Any]:
    """Return messages spread over attributes: `gen_ai.prompt.0.role`, `llm.input_messages.0.message.tool_calls.0.…`."""
    tree: dict[str, Any] = {}
    for name, value in told.items():
        match = _NUMBERED.match(name)
        if match and match[1] in stems:
            _grow(tree, [match[2], *match[3].split(".")], value)
    return [_shaped(tree[key]) for key in sorted(tree, key=_position)]


def numbered(told: Mapping[str, Any], stem: str) -> list[Any]:
    """Return the values under `stem.0.…`, `stem.1.…` as mappings, in order."""
    tree: dict[str, Any] = {}
    for name, value in told.items():
        if name.startswith(stem):
            _grow(tree, name[len(stem) + 1 :].split("."), value)
    return [tree[key] for key in sorted(tree, key=_position)]


def _grow(tree: dict[str, Any], path: list[str], value: Any) -> None:
    for step in path[:-1]:
        inside = tree.setdefault(step, {})
        if not isinstance(inside, dict):
            return
        tree = inside
    tree[path[-1]] = value


def _position(key: str) -> tuple[int, str]:
    return (int(key), "") if key.isdigit() else (1_000_000, key)


def _shaped(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    message = message.get("message", message)
    calls = message.pop("tool_calls", None)
    if isinstance(calls, dict):
        each = [calls[key] for key in sorted(calls, key=_position)]
        message["tool_calls"] = [call.get("tool_call", call) if isinstance(call, dict) else call for call in each]
    return message


def numbered_documents(told: Mapping[str, Any]) -> list[Any]:
    """Return the documents spread over attributes: `retrieval.documents.0.document.content`."""
    tree: dict[str, Any] = {}
    for name, value in told.items():
        if name.startswith("retrieval.documents."):
            _grow(tree, name.removeprefix("retrieval.documents.").split("."), parsed(value))
    return [tree[key] for key in sorted(tree, key=_position)]
