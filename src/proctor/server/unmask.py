"""Placeholders and the values they stand for: put back on the way to the client, taken out on the way to the model."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from proctor.server.wire.stream_events import compact
from proctor.server.wire.strict_json import read_object
from proctor.text.pii.placeholders import unmask

__all__ = ["LOOKED_BACK", "changed_in", "hidden", "restored"]

LOOKED_BACK: Final = 2_000  # letters before a text that may be the beginning of an address in it

_PLACEHOLDER: Final = re.compile(r"\[~{0,64}[A-Z][A-Z0-9_]{0,63}\]")
_BREAK: Final = re.compile(r"[ \n]")  # all that ends an address; other spaces may stand in one
_HOST: Final = re.compile(  # what a host's name follows, browsers take either slash; or the name itself
    r"[/\\]{2}|https?:|www\.|[\w-]\.[a-z]{2,}(?::[0-9]+)?[/\\?#]", re.IGNORECASE
)
_OPEN: Final = re.compile(  # a tag, or the place of an address in it or in a style sheet, that is not closed
    r"""<[a-z/!][^>]*\Z|\]\(\s*<[^>]*\Z|(?:src|srcset|href)\s*=\s*(?:"[^"]*|'[^']*|[^ \n>]*)\Z"""
    r"""|\burl\(\s*(?:"[^"]*|'[^']*|[^)]*)\Z""",
    re.IGNORECASE,
)


def restored(text: str, values: Mapping[str, str], before: str = "") -> str:
    """The text with the values in place of their placeholders; ``before`` is what stands before it.

    One inside an address stays: a picture or a link that a model was talked into would carry the value to its host.
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
    """Whether what ends here may be the beginning of an address, or of a tag or a link that has one.

    Of a run that is longer than what is looked at nobody knows, so it counts as one.
    """
    word = _BREAK.split(line)[-1]
    if len(word) > LOOKED_BACK or _HOST.search(html.unescape(word)):
        return True
    return any(_OPEN.search(read) or _in_link(read) for read in {line, html.unescape(line)})


def _in_link(line: str) -> bool:
    """Whether the last link in Markdown, ``[name](address)``, is not closed yet."""
    _, begun, rest = line.rpartition("](")
    depth = 1 if begun else 0
    for sign in re.findall(r"[()]", rest) if begun else ():
        depth += 1 if sign == "(" else -1
        if not depth:
            return False
    return bool(begun)


def hidden(text: str, values: Mapping[str, str]) -> str:
    """The text with placeholders where the values stand."""
    found = {value: placeholder for placeholder, value in values.items() if value and value in text}
    if not found:
        return text
    every = "|".join(re.escape(value) for value in sorted(found, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{every})(?!\w)", lambda hit: found[hit.group()], text)


def changed_in(arguments: str, change: Callable[[str], str]) -> str:
    """The arguments of a call, an object in JSON, with every text in them changed; as they are if none is."""
    try:
        data = read_object(arguments)
        made = _changed(data, change)
        return arguments if made == data else compact(made)
    except (ValueError, RecursionError):  # nobody can judge such a call, or it is nested too deeply to be changed
        return arguments


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _changed(each, change) for key, each in value.items()}
    return [_changed(each, change) for each in value] if isinstance(value, list) else value
