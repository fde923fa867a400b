"""Parse token counts and costs of a message under any tool's field names."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from proctor.core.chat import Usage

__all__ = ["number", "usage_of"]

_NAMES: Mapping[str, tuple[str, ...]] = {
    "input": ("input_tokens", "prompt_tokens", "input", "promptTokens", "inputTokens"),
    "output": ("output_tokens", "completion_tokens", "output", "completionTokens", "outputTokens"),
    "cached_input": (
        "cache_read_input_tokens",
        "cache_read.input_tokens",
        "cached_input",
        "cached_tokens",
        "input_cached_tokens",
    ),
    "reasoning": ("reasoning_tokens", "reasoning.output_tokens", "reasoning", "output_reasoning_tokens"),
}


def number(value: Any) -> float | None:
    """Return a finite number, not a boolean; text is parsed because some exports write costs as text."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        made = float(value)
    except (ValueError, OverflowError):
        return None
    return made if math.isfinite(made) else None


def usage_of(value: Any) -> Usage | None:
    """Return the token usage, if any is given."""
    if not isinstance(value, Mapping):
        return None
    made: dict[str, int] = {}
    for ours, theirs in _NAMES.items():
        found = next((amount for name in theirs if (amount := number(value.get(name))) is not None), None)
        if found is not None and found >= 0:
            made[ours] = int(found)
    return Usage(**made) if made else None
