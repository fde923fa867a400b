"""Answers of the responses API, whole and as streams."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def response(output: Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A whole response."""
    usage: dict[str, Any] = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "m",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage,
        **more,
    }


def message(text: str) -> dict[str, Any]:
    """A message of the assistant."""
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}


def call(name: str, arguments: str, id: str = "call_1") -> dict[str, Any]:
    """A call of a function."""
    told = {"name": name, "arguments": arguments, "call_id": id}
    return {"id": f"fc_{id}", "type": "function_call", "status": "completed", **told}


def events(output: Sequence[dict[str, Any]], size: int = 4) -> list[bytes]:
    """The stream of a response, its texts in pieces of so many letters."""
    whole = response(output)
    head = {**whole, "status": "in_progress", "output": [], "usage": None}
    bodies: list[dict[str, Any]] = [
        {"type": f"response.{kind}", "response": head} for kind in ("created", "in_progress")
    ]
    for place, item in enumerate(output):
        where = {"item_id": item["id"], "output_index": place}
        empty: dict[str, Any] = {"content": []} if item["type"] == "message" else {"arguments": ""}
        opened = {**item, "status": "in_progress", **empty}
        bodies.append({"type": "response.output_item.added", "output_index": place, "item": opened})
        bodies += _message(item, where, size) if item["type"] == "message" else _call(item, where, size)
        bodies.append({"type": "response.output_item.done", "output_index": place, "item": item})
    bodies.append({"type": "response.completed", "response": whole})
    numbered = [{**body, "sequence_number": number} for number, body in enumerate(bodies)]
    return [f"event: {body['type']}\ndata: {json.dumps(body)}\n\n".encode() for body in numbered]


def _message(item: dict[str, Any], where: dict[str, Any], size: int) -> list[dict[str, Any]]:
    part = item["content"][0]
    text, where = part["text"], {**where, "content_index": 0}
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return [
        {"type": "response.content_part.added", **where, "part": {**part, "text": ""}},
        *({"type": "response.output_text.delta", **where, "delta": each, "logprobs": []} for each in pieces),
        {"type": "response.output_text.done", **where, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **where, "part": part},
    ]


def _call(item: dict[str, Any], where: dict[str, Any], size: int) -> list[dict[str, Any]]:
    told = item["arguments"]
    pieces = [told[at : at + size] for at in range(0, len(told), size)]
    kind = "response.function_call_arguments"
    return [
        *({"type": f"{kind}.delta", **where, "delta": each} for each in pieces),
        {"type": f"{kind}.done", **where, "arguments": told, "name": item["name"]},
    ]
