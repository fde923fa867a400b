"""Template variables in the notation of other tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from proctor.prompts.prompt import Prompt

__all__ = ["filled", "is_simple", "renamed", "rendered", "resolved", "variables"]

_VARIABLE = re.compile(r"\{\{-?\s*([A-Za-z_][\w.-]*)\s*-?\}\}")
_RAW = re.compile(r"\{%-?\s*raw\s*-?%\}(.*?)\{%-?\s*endraw\s*-?%\}", re.DOTALL)
_MARK = re.compile(r"\{\{|\{%|\{#")


def is_simple(prompt: Prompt) -> bool:
    """Whether the prompt only substitutes values: no conditions, loops, filters or comments."""
    if prompt.syntax == "plain":
        return True
    return all(not _MARK.search(_VARIABLE.sub("", message.text)) for message in prompt.messages)


def renamed(text: str, name: Callable[[str], str | None]) -> str:
    """Replace each ``{{variable}}`` by the result of ``name``; ``None`` leaves it unchanged."""
    return _VARIABLE.sub(lambda match: new if (new := name(match.group(1))) is not None else match.group(), text)


def filled(text: str, values: Mapping[str, Any]) -> str:
    """Fill in the variables that have a value."""
    return renamed(text, lambda name: str(values[name]) if name in values else None)


def resolved(text: str, names: Collection[str], form: Callable[[str], str]) -> str:
    """Return text for another tool: an input in double braces in that tool's form, other marks of templates disarmed.

    A rule may name an input (``{{count}}``); braces that name none must not be filled in there, nor be an error.
    """
    pieces: list[str] = []
    end = 0
    for match in _VARIABLE.finditer(text):
        pieces.append(_MARK.sub(_apart, text[end : match.start()]))
        name = match.group(1)
        pieces.append(form(name) if name in names else _MARK.sub(_apart, match.group()))
        end = match.end()
    return "".join([*pieces, _MARK.sub(_apart, text[end:])])


def _apart(match: re.Match[str]) -> str:
    return f"{match.group()[0]} {match.group()[1]}"


def rendered(text: str, values: Mapping[str, Any]) -> str:
    """Fill in the variables; raw sections stay unchanged, without their markers."""
    pieces = _RAW.split(text)
    return "".join(piece if index % 2 else filled(piece, values) for index, piece in enumerate(pieces))


def variables(text: str) -> tuple[str, ...]:
    """Return the names in double braces outside raw sections, in order and without duplicates."""
    return tuple(dict.fromkeys(_VARIABLE.findall(_RAW.sub("", text))))
