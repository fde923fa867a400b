"""Replace placeholders by values for the client, and values by placeholders for the model."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from proctor.server.wire.stream_events import compact
from proctor.server.wire.strict_json import read_object
from proctor.text.pii.placeholders import unmask

__all__ = ["LOOKED_BACK", "changed_in", "hidden", "restored"]

LOOKED_BACK: Final = 2_000  # characters before a text that are searched for the start of a URL

_PLACEHOLDER: Final = re.compile(r"\[~{0,64}[A-Z][A-Z0-9_]{0,63}\]")
_BREAK: Final = re.compile(r"[ \n]")  # ends a URL; other white space may be part of one
_HOST: Final = re.compile(  # precedes a host name (browsers accept both slashes), or the name itself
    r"[/\\]{2}|https?:|www\.|[\w-]\.[a-z]{2,}(?::[0-9]+)?[/\\?#]", re.IGNORECASE
)
_OPEN: Final = re.compile(  # an open tag, or an open URL in a tag or style sheet
    r"""<[a-z/!][^>]*\Z|\]\(\s*<[^>]*\Z|(?:src|srcset|href)\s*=\s*(?:"[^"]*|'[^']*|[^ \n>]*)\Z"""
    r"""|\burl\(\s*(?:"[^"]*|'[^']*|[^)]*)\Z""",
    re.IGNORECASE,
)


def restored(text: str, values: Mapping[str, str], before: str = "") -> str:
    """Return the text with placeholders replaced by values; ``before`` is the text before it.

    A placeholder inside a URL stays: an injected image or link would send the value to its host.
    """
    if "[" not in text:
        return text
    parts: list[str] = []
    at, line = 0, before[-LOOKED_BACK - 1 :]
    for hit in _PLACEHOLDER.finditer(text):
        line = (line + text[at : hit.start()])[-LOOKED_BACK - 1 :]
        parts.append(text[at : hit.start()])
        parts.append(hit.group() if _in_address(line) else unmask(hit.group(), values))
        line += hit.group()
        at = hit.end()
    return "".join((*parts, text[at:]))


def _in_address(line: str) -> bool:
    """Return whether the end of the line may be inside a URL, or a tag or link with one.

    A run longer than the searched part counts as a URL.
    """
    word = _BREAK.split(line)[-1]
    if len(word) > LOOKED_BACK or _HOST.search(html.unescape(word)):
        return True
    return any(_OPEN.search(read) or _in_link(read) for read in {line, html.unescape(line)})


def _in_link(line: str) -> bool:
    """Return whether the last Markdown link, ``[name](address)``, is still open."""
    _, begun, rest = line.rpartition("](")
    depth = 1 if begun else 0
    for sign in re.findall(r"[()]", rest) if begun else ():
        depth += 1 if sign == "(" else -1
        if not depth:
            return False
    return bool(begun)


def hidden(text: str, values: Mapping[str, str]) -> str:
    """Return the text with values replaced by placeholders."""
    found = {value: placeholder for placeholder, value in values.items() if value and value in text}
    if not found:
        return text
    every = "|".join(re.escape(value) for value in sorted(found, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{every})(?!\w)", lambda hit: found[hit.group()], text)


def changed_in(arguments: str, change: Callable[[str], str]) -> str:
    """Return JSON arguments with every text in them changed; the original if none changes."""
    try:
        data = read_object(arguments)
        made = _changed(data, change)
        return arguments if made == data else compact(made)
    except (ValueError, RecursionError):  # such a call is not readable, or nested too deeply
        return arguments


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _changed(each, change) for key, each in value.items()}
    return [_changed(each, change) for each in value] if isinstance(value, list) else value
