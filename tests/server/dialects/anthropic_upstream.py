"""Answers of the Anthropic Messages API, whole and as streams."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def message(*blocks: str | dict[str, Any], reason: str = "end_turn", **more: Any) -> dict[str, Any]:
    """A whole message; a text is a block of its own."""
    content = [{"type": "text", "text": each} if isinstance(each, str) else each for each in blocks]
    if any(block["type"] == "tool_use" for block in content):
        reason = "tool_use"
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 2},
        **more,
    }


def call(name: str, input: dict[str, Any] | None = None, id: str = "toolu_1", **more: Any) -> dict[str, Any]:
    """A call of a tool."""
    return {"type": "tool_use", "id": id, "name": name, "input": input or {}, **more}


def event(body: dict[str, Any]) -> bytes:
    """One event."""
    return f"event: {body['type']}\ndata: {json.dumps(body, ensure_ascii=False)}\n\n".encode()


def events(whole: dict[str, Any], size: int = 4) -> list[bytes]:
    """The stream of a message, its texts in pieces of so many characters."""
    head = {**whole, "content": [], "stop_reason": None}
    bodies: list[dict[str, Any]] = [{"type": "message_start", "message": head}, {"type": "ping"}]
    for index, block in enumerate(whole["content"]):
        opened, deltas = _parts(block, size)
        bodies.append({"type": "content_block_start", "index": index, "content_block": opened})
        bodies += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        bodies.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    bodies.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 2}})
    bodies.append({"type": "message_stop"})
    return [event(body) for body in bodies]


def _parts(block: dict[str, Any], size: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    kind = block["type"]
    if kind in ("text", "thinking"):
        deltas = [{"type": f"{kind}_delta", kind: each} for each in _cut(block[kind], size)]
        deltas += [{"type": "citations_delta", "citation": each} for each in block.get("citations") or ()]
        opened = {**{key: each for key, each in block.items() if key != "citations"}, kind: ""}
        if "signature" in block:
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
            opened["signature"] = ""
        return opened, deltas
    if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        pieces = _cut(json.dumps(block["input"]), size)
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": each} for each in pieces]
    return block, []


def _cut(text: str, size: int) -> Sequence[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]
