"""Addresses that a text writes with places to fill in: ``https://shop.example/track/<order number>``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["filled_places"]

_BRACKETS: Final = ("<>", "{}", "[]", "()", "〈〉", "【】", "＜＞", "｛｝", "［］", "（）")
_CAPITALS: Final = "A-ZÀ-ÖØ-ÞΑ-ΩЁА-Я"
_MAX_NAME_CHARS: Final = 60  # of the name of a place
_MAX_PLACES: Final = 3
_MAX_USES: Final = 20  # of a host in one text
_PLACE: Final = re.compile(
    "|".join(
        rf"{re.escape(left)}[^{re.escape(left + right)}\n]{{1,{_MAX_NAME_CHARS}}}{re.escape(right)}"
        for left, right in _BRACKETS
    )
    + rf"|(?<=[/=])[{_CAPITALS}][{_CAPITALS}_]{{2,30}}(?![\w-])"  # NUMBER
    + r"|(?<=/):[A-Za-z_]\w{0,30}|(?<=[/=])(?:…|\.{3}|_{3,}|[Xx]{3,}|#{3,})(?![\w…])"
)
_TEMPLATE: Final = re.compile(rf"(?:{_PLACE.pattern}|[^\s\"'|{re.escape(''.join(_BRACKETS))}]){{1,300}}")
_AT_END: Final = re.compile(r"(?:(?<!\.)\.|[,;:!?。、，；：！？])+$")  # three dots are a place
_FILLED: Final = r"([^/?&#=\s]{1,64})"


def filled_places(host: str, rest: str, text: str) -> tuple[str, ...]:
    """Return what stands in the places of an address that a text writes with places; nothing if it writes none such.

    ``rest`` is what follows the host in the address, decoded.
    """
    for template in _templates(host, text):
        literals = _PLACE.split(template)
        if not 1 < len(literals) <= _MAX_PLACES + 1 or not all(literals[1:-1]):  # places without anything between
            continue
        if (found := re.fullmatch(_FILLED.join(map(re.escape, literals)), rest)) is not None:
            return found.groups()
    return ()


def _templates(host: str, text: str) -> Iterator[str]:
    """Yield what follows each use of a host in a text, up to the end of the address."""
    folded = text.casefold()
    at = folded.find(host) if host and len(folded) == len(text) else -1
    for _ in range(_MAX_USES):
        if at < 0:
            return
        end = at + len(host)
        whole = at == 0 or not (text[at - 1].isalnum() or text[at - 1] in ".-@")
        if whole and (written := _TEMPLATE.match(text, end)):
            yield _AT_END.sub("", written.group())
        at = folded.find(host, end)
