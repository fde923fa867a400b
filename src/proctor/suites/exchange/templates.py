"""Variables of prompts in the words of other tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from proctor.prompts.prompt import Prompt

__all__ = ["filled", "is_simple", "renamed", "rendered", "variables"]

_VARIABLE = re.compile(r"\{\{-?\s*([A-Za-z_][\w.-]*)\s*-?\}\}")
_RAW = re.compile(r"\{%-?\s*raw\s*-?%\}(.*?)\{%-?\s*endraw\s*-?%\}", re.DOTALL)
_MARK = re.compile(r"\{\{|\{%|\{#")


def is_simple(prompt: Prompt) -> bool:
    """Whether the prompt only puts values in places: no conditions, loops, filters or comments."""
    if prompt.syntax == "plain":
        return True
    return all(not _MARK.search(_VARIABLE.sub("", message.text)) for message in prompt.messages)


def renamed(text: str, name: Callable[[str], str | None]) -> str:
    """The text with each ``{{variable}}`` replaced by what ``name`` says; ``None`` leaves it as it is."""
    return _VARIABLE.sub(lambda match: new if (new := name(match.group(1))) is not None else match.group(), text)


def filled(text: str, values: Mapping[str, Any]) -> str:
    """The text with the variables filled in that have a value."""
    return renamed(text, lambda name: str(values[name]) if name in values else None)


def rendered(text: str, values: Mapping[str, Any]) -> str:
    """The text with its variables filled in, and with what is marked as raw left as it is, without the marks."""
    pieces = _RAW.split(text)
    return "".join(piece if index % 2 else filled(piece, values) for index, piece in enumerate(pieces))


def variables(text: str) -> tuple[str, ...]:
    """The names in double braces, each once, in order; what is marked as raw has none."""
    return tuple(dict.fromkeys(_VARIABLE.findall(_RAW.sub("", text))))
