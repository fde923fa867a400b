"""What the default guard decides about the messages and documents of the blind set ``messages``."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.blind.networks_used import networks_line
from proctor.core.step import Point
from proctor.core.verdict import STOPS
from proctor.guard.step import Step
from proctor.wiring.guard import Guard

__all__ = ["messages"]

_WORDS = re.compile(r"ignore|system prompt|instructions|jailbreak|lawyer|court|newspaper|hurt|suicide", re.IGNORECASE)


async def messages(items: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """Whether the default guard stops each message, or cuts an instruction out of the document.

    Every item is in a session of its own. Masked personal data is no stop. Baseline: some words of attacks and threats.
    """
    found: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "proctor.yaml").write_text(networks_line() + "guard: {mode: enforce, timeout: 10}\n", "utf-8")
        guard = Guard.from_config(folder, record=False, reload=False)
        try:
            for item in items:
                found.append((await _judged(guard, item), "stop" if _WORDS.search(item["text"]) else "pass"))
        finally:
            guard.close()
    return found


async def _judged(guard: Guard, item: dict[str, Any]) -> str:
    session = guard.session()
    point: Point = "input" if item["channel"] == "user" else "tool_result"
    decision = await session.decide(Step(point=point, text=item["text"], memory=session.memory))
    cut = any(part.gate == "injection" and part.action == "redact" for part in decision.parts)
    guard.end(session)
    return "stop" if decision.verdict.action in STOPS or cut else "pass"
