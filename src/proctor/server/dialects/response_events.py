"""Events of the responses API that say a text of the guard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.server.wire.sse import encoded
from proctor.server.wire.stream_events import compact

__all__ = ["item_bodies", "spoken"]


def spoken(response: dict[str, Any], text: str) -> bytes:
    """A whole stream that says one text."""
    head = {**response, "status": "in_progress", "output": []}
    item = response["output"][0]
    bodies: list[dict[str, Any]] = [
        {"type": "response.created", "response": head},
        {"type": "response.in_progress", "response": head},
        *item_bodies(item, text, 0),
        {"type": "response.completed", "response": response},
    ]
    numbered = [{**body, "sequence_number": number} for number, body in enumerate(bodies)]
    return b"".join(encoded(compact(body), body["type"]) for body in numbered)


def item_bodies(item: Mapping[str, Any], text: str, place: int) -> list[dict[str, Any]]:
    """The events that say a message; ``text`` is what of it is new."""
    whole = item["content"][0]
    where = {"item_id": item["id"], "output_index": place, "content_index": 0}
    empty = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    opened = {**item, "status": "in_progress", "content": []}
    return [
        {"type": "response.output_item.added", "output_index": place, "item": opened},
        {"type": "response.content_part.added", **where, "part": empty},
        {"type": "response.output_text.delta", **where, "delta": text, "logprobs": []},
        {"type": "response.output_text.done", **where, "text": whole["text"], "logprobs": []},
        {"type": "response.content_part.done", **where, "part": whole},
        {"type": "response.output_item.done", "output_index": place, "item": item},
    ]
