"""Judges' prompts: Markdown files beside the code, in parts, with holes to fill.

A part begins with a line ``# name``; a hole is ``{{name}}``. What fills a hole is never searched for holes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["PromptFile", "prompt_file"]

_PART = re.compile(r"^# ([a-z ]+)\n", re.MULTILINE)
_HOLE = re.compile(r"\{\{([a-z]+)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFile:
    """One prompt: its parts, ready to be filled, and the hash of all it says."""

    parts: Mapping[str, tuple[str, ...]]  # text and the name of a hole, in turns
    hash: str

    def fill(self, part: str, **values: str) -> str:
        """The part with its holes filled."""
        pieces = self.parts[part]
        return "".join(values[piece] if index % 2 else piece for index, piece in enumerate(pieces))


@cache
def prompt_file(name: str) -> PromptFile:
    """The prompt of that name, read once."""
    text = files("proctor.scorers").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    pieces = _PART.split(text)
    parts = {title: tuple(_HOLE.split(body.strip())) for title, body in zip(pieces[1::2], pieces[2::2], strict=True)}
    return PromptFile(parts=parts, hash=hashlib.sha256(text.encode()).hexdigest()[:8])
