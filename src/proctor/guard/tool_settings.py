"""Settings by tool name, where a name may be a pattern."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import translate
from typing import Final, Generic, TypeVar

from proctor.core.chat import ToolCall
from proctor.guard.step import Step
from proctor.text.secret_names import is_secret_name

__all__ = ["LONGEST_NAME", "MOST_REMEMBERED", "ByTool", "call_of", "call_text", "shown"]

Setting = TypeVar("Setting")
MOST_REMEMBERED: Final = 1024  # cache size; invented names must not fill the memory
LONGEST_NAME: Final = 512  # characters of a name that is cached
_MAX_SHOWN_CHARS: Final = 60
_MAX_SHOWN_BITS: Final = 8 * _MAX_SHOWN_CHARS  # of a whole number; Python refuses to print very long ones


class ByTool(Generic[Setting]):
    """The settings of a tool: by its exact name and by each pattern (``refund_*``) that matches."""

    __slots__ = ("_exact", "_known", "_patterns")

    def __init__(self, settings: Mapping[str, Setting]) -> None:
        self._exact = {name: value for name, value in settings.items() if not _is_pattern(name)}
        self._patterns = [
            (name, re.compile(translate(name)), value) for name, value in settings.items() if _is_pattern(name)
        ]
        self._known: dict[str, tuple[tuple[str, Setting], ...]] = {}

    def of(self, tool: str) -> tuple[tuple[str, Setting], ...]:
        """Return every setting for the tool, each with its name or pattern."""
        found = self._known.get(tool)
        if found is None:
            found = self._looked_up(tool)
            if len(self._known) < MOST_REMEMBERED and len(tool) <= LONGEST_NAME:
                self._known[tool] = found
        return found

    def _looked_up(self, tool: str) -> tuple[tuple[str, Setting], ...]:
        exact = ((tool, self._exact[tool]),) if tool in self._exact else ()
        return (*exact, *((name, value) for name, pattern, value in self._patterns if pattern.match(tool)))


def _is_pattern(name: str) -> bool:
    return any(sign in name for sign in "*?[")


def call_of(step: Step) -> ToolCall:
    """Return the call of the step.

    Raises:
        ValueError: there is none, so nothing can be decided.
    """
    if step.call is None:
        raise ValueError(f"a step at {step.point} without a call cannot be checked")
    return step.call


def call_text(call: ToolCall, most: int = 160) -> str:
    """Return the call as code, shortened to fit a finding."""
    given = ", ".join(
        f"{str(name)[:40]}={shown(value, name=str(name))}" for name, value in list(call.arguments.items())[:8]
    )
    text = f"{call.name[:80]}({given})"
    return text if len(text) <= most else text[: most - 1] + "…"


def shown(value: object, *, name: str = "") -> str:
    """Return a value shortened to fit a sentence, without printing a large one; ``***`` if its ``name`` is secret."""
    if name and value is not None and is_secret_name(name):
        return "***"
    if isinstance(value, str):
        return repr(value) if len(value) <= _MAX_SHOWN_CHARS else repr(value[:_MAX_SHOWN_CHARS]) + "…"
    if isinstance(value, int) and value.bit_length() > _MAX_SHOWN_BITS:
        return "a number too long to be written"
    if isinstance(value, (bool, int, float)) or value is None:
        return repr(value)[:_MAX_SHOWN_CHARS]
    return "[…]" if isinstance(value, (list, tuple)) else "{…}" if isinstance(value, Mapping) else type(value).__name__
