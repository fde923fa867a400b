"""Requests of the Anthropic Messages API: who said what, and where each text stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from proctor.server.conversation import Kind, Said, digest
from proctor.server.wire.stream_events import Slot, listed
from proctor.server.wire.text_walk import check_keys, leaves, walk

__all__ = ["CALLS", "THOUGHTS", "answer_digests", "made_digest", "result_digest", "said_in"]

CALLS: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
THOUGHTS: Final = frozenset({"thinking", "redacted_thinking"})
# Whoever is not known is taken for the user: what cannot be placed is looked at.
_KINDS: Final[Mapping[str, Kind]] = {"assistant": "assistant", "system": "other"}


def said_in(body: Mapping[str, Any]) -> list[Said]:
    """The system prompt and the messages of a request; a block that is no text of its own is one entry.

    Raises:
        ValueError: something cannot be read whole; says what, as what follows "the body".
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise ValueError("has no list of messages")
    found: list[Said] = []
    if body.get("system") is not None:
        _check_content(body["system"], "system")
        found.append(Said(kind="other", digest=digest("system", body["system"])))
    names: dict[str, str] = {}
    for place, message in enumerate(messages):
        _check_content(message.get("content"), f"messages[{place}].content")
        kind = _KINDS.get(str(message.get("role")).lower())
        for block in listed(message.get("content")):
            # What a call is made with has the keys of its tool, and the developer may write what they like.
            if kind is None or (kind == "assistant" and block.get("type") not in CALLS):
                check_keys(block)
        found += _message(message, names)
    return found


def answer_digests(message: Mapping[str, Any]) -> list[bytes]:
    """What tells an answer from others when the next request repeats it."""
    return [each.digest for each in _message({"role": "assistant", "content": message.get("content")}, {})]


def made_digest(text: str, calls: list[Any]) -> bytes:
    """What tells the words and calls of an assistant from others; clients change the space around them."""
    return digest("assistant", " ".join(text.split()), calls)


def result_digest(text: str) -> bytes:
    """The same for what a tool of the provider answered within a message."""
    return digest("result", text)


def _check_content(content: Any, where: str) -> None:
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list) or not all(isinstance(each, dict) for each in content):
        raise ValueError(f"has something at {where} that is neither a text nor a list of blocks")


def _message(message: dict[str, Any], names: dict[str, str]) -> Iterator[Said]:
    """The entries of a message: its own words last for the assistant, first for anybody else.

    So what stands in a message of the assistant is never taken for news, and what comes with a question can be what
    the answer rests on.
    """
    kind = _KINDS.get(str(message.get("role")).lower(), "user")
    words, blocks, calls = _parted(message, kind)
    for call in calls:
        names[str(call.get("id") or "")] = str(call.get("name") or "")
    others = [_other(block, names, repeated=kind == "assistant") for block in blocks]
    if kind == "assistant":
        yield from others
        yield _answer(message, words, calls)
        return
    if words or not others:
        yield Said(kind=kind, slots=words, digest=digest(message.get("role"), [slot.text for slot in words]))
    yield from others


def _parted(message: dict[str, Any], kind: Kind) -> tuple[list[Slot], list[dict[str, Any]], list[dict[str, Any]]]:
    """The texts of a message, the blocks that are no words of the one who speaks, and the calls."""
    words = [Slot("content", message, "content")] if isinstance(message.get("content"), str) else []
    words += walk("content", message, "content", "role")  # whatever else stands beside the content
    blocks: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    for block in listed(message.get("content")):
        name = block.get("type")
        if name == "text" or (kind == "assistant" and name in THOUGHTS):
            words += walk("content", block)
        elif kind == "assistant" and name in CALLS:
            calls.append(block)
            words += leaves("content", block.get("input"))
        elif kind == "other":
            continue  # the developer's own
        else:
            blocks.append(block)
    return words, blocks, calls


def _other(block: dict[str, Any], names: Mapping[str, str], *, repeated: bool) -> Said:
    """A block that is looked at as the result of a tool: one, a document, or whatever else is not known.

    ``repeated``: it stands in an answer, so it must be known again by what was sent of it.
    """
    id = str(block.get("tool_use_id") or "")
    slots = list(walk("content", block))
    name = names.get(id, "") if id else str(block.get("type") or "tool")[:60]
    told = result_digest("".join(slot.text for slot in slots)) if repeated else digest("block", block)
    return Said(kind="tool", slots=slots, digest=told, name=name, call_id=id or None)


def _answer(message: Mapping[str, Any], words: list[Slot], calls: list[dict[str, Any]]) -> Said:
    content = message.get("content")
    texts = [content] if isinstance(content, str) else [
        block["text"] for block in listed(content) if block.get("type") == "text" and isinstance(block.get("text"), str)
    ]  # fmt: skip
    made = [[str(call.get("name") or ""), call.get("input") or {}] for call in calls]
    return Said(kind="assistant", slots=words, digest=made_digest("".join(texts), made))
