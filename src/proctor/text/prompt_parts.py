"""Load built-in prompts: Markdown in parts, with placeholders.

A part begins with a line ``# name``; a placeholder is ``{{name}}``. Inserted values are not searched for placeholders.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["PromptParts", "prompt_parts"]

_PART = re.compile(r"^# ([a-z ]+)\n", re.MULTILINE)
_HOLE = re.compile(r"\{\{([a-z]+)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptParts:
    """One prompt: its parsed parts and the hash of its text."""

    parts: Mapping[str, tuple[str, ...]]  # alternating text and placeholder name
    hash: str

    def fill(self, part: str, **values: str) -> str:
        """Return the part with its placeholders filled."""
        pieces = self.parts[part]
        return "".join(values[piece] if index % 2 else piece for index, piece in enumerate(pieces))


def prompt_parts(text: str) -> PromptParts:
    """Parse the text of a prompt file into parts."""
    pieces = _PART.split(text)
    parts = {title: tuple(_HOLE.split(body.strip())) for title, body in zip(pieces[1::2], pieces[2::2], strict=True)}
    return PromptParts(parts=parts, hash=hashlib.sha256(text.encode()).hexdigest()[:8])
