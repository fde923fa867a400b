"""Prompts of our own: Markdown in parts, with holes to fill.

A part begins with a line ``# name``; a hole is ``{{name}}``. What fills a hole is never searched for holes.
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
    """One prompt: its parts, ready to be filled, and the hash of all it says."""

    parts: Mapping[str, tuple[str, ...]]  # text and the name of a hole, in turns
    hash: str

    def fill(self, part: str, **values: str) -> str:
        """The part with its holes filled."""
        pieces = self.parts[part]
        return "".join(values[piece] if index % 2 else piece for index, piece in enumerate(pieces))


def prompt_parts(text: str) -> PromptParts:
    """The parts of a prompt from the text of its file."""
    pieces = _PART.split(text)
    parts = {title: tuple(_HOLE.split(body.strip())) for title, body in zip(pieces[1::2], pieces[2::2], strict=True)}
    return PromptParts(parts=parts, hash=hashlib.sha256(text.encode()).hexdigest()[:8])
