"""Recorded conversations whose last step is a tool call, played into a session of the guard."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from proctor.wiring.guard import Guard

__all__ = ["calls"]

Item = dict[str, Any]


async def calls(items: Sequence[Item]) -> list[tuple[str, str]]:
    """Whether the gate ``provenance`` lets the last call go; baseline: whether a user gave the value as it stands."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        settings = "guard: {mode: enforce, input: [], tool_call: [provenance], tool_result: [], output: []}\n"
        (Path(folder) / "proctor.yaml").write_text(settings, "utf-8")
        async with Guard.from_config(folder, record=False) as guard:
            for item in items:
                said = await _played(guard, item["steps"])
                found.append((said, _by_the_users_words(item)))
    return found


async def _played(guard: Guard, steps: Sequence[Item]) -> str:
    """``go`` or ``stop`` for the last call; the calls before it were made."""
    session = guard.session()
    pending: Item = {}
    for step in steps[:-1]:
        if step["role"] == "user":
            await session.input(step["text"])
        elif step["role"] == "agent":
            await session.output(step["text"])
        elif step["role"] == "call":
            pending = step
            await session.tool_call(step["tool"], step["arguments"], confirmed=True)
        else:
            await session.tool_result(step["tool"], _data(step["text"]), pending.get("arguments", {}))
    verdict = await session.tool_call(steps[-1]["tool"], steps[-1]["arguments"])
    guard.end(session)
    return "go" if verdict.action in ("allow", "redact") else "stop"


def _by_the_users_words(item: Item) -> str:
    said = " ".join(step["text"] for step in item["steps"] if step["role"] == "user")
    return "go" if str(item["value"]) in said else "stop"


def _data(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
