"""Tokens and money beside a message, by whichever names a tool gives them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from proctor.core.chat import Usage

__all__ = ["number", "usage_of"]

_NAMES: Mapping[str, tuple[str, ...]] = {
    "input": ("input_tokens", "prompt_tokens", "input", "promptTokens", "inputTokens"),
    "output": ("output_tokens", "completion_tokens", "output", "completionTokens", "outputTokens"),
    "cached_input": ("cache_read_input_tokens", "cached_input", "cached_tokens", "input_cached_tokens"),
    "reasoning": ("reasoning_tokens", "reasoning", "output_reasoning_tokens"),
}


def number(value: Any) -> float | None:
    """A number that is one: not true or false, not NaN; text is read, because some exports write money as text."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        made = float(value)
    except (ValueError, OverflowError):
        return None
    return made if math.isfinite(made) else None


def usage_of(value: Any) -> Usage | None:
    """Tokens, where any are told."""
    if not isinstance(value, Mapping):
        return None
    made: dict[str, int] = {}
    for ours, theirs in _NAMES.items():
        found = next((amount for name in theirs if (amount := number(value.get(name))) is not None), None)
        if found is not None and found >= 0:
            made[ours] = int(found)
    return Usage(**made) if made else None
