"""Find encoded values that are not language, so that no other view shows them: a card's digits in base64."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final
from urllib.parse import unquote

from proctor.text.base64_data import unpack_base64
from proctor.text.chunked_regex import finditer

__all__ = ["Coded", "coded_values"]

_MAX_CODE_CHARS: Final = 4_096
_MAX_HITS: Final = 64
_BASE64: Final = re.compile(r"(?<![\w+/-])(?=[A-Za-z0-9+/_-]{0,40}[A-Z])[A-Za-z0-9+/_-]{11,4096}={0,2}(?![\w+/=-])")
_HEX: Final = re.compile(r"(?<![0-9A-Za-z])(?:0x)?((?:[0-9A-Fa-f]{2}[ :]?){8,2048})(?![0-9A-Za-z])")
_PERCENT: Final = re.compile(  # the lookahead saves forty steps per character of a text that contains "%"
    r"(?=[\w@.+-]{0,40}%)(?:%[0-9A-Fa-f]{2}|[\w@.+-]){0,40}(?:%[0-9A-Fa-f]{2}){3,2048}[\w@.+-]{0,40}"
)
_ENTITIES: Final = re.compile(r"(?:&#(?:x[0-9A-Fa-f]{1,6}|\d{1,7});){5,2048}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coded:
    """A span of a text and its decoded content."""

    start: int
    end: int
    kind: str
    text: str


def coded_values(text: str) -> Iterator[Coded]:
    """Yield the runs of a text that decode to printable ASCII; at most 64 of each kind."""
    for kind, sign, pattern, decode in _CODES:
        for hit in islice(finditer(pattern, text) if sign in text else (), _MAX_HITS):
            decoded = decode(hit.group()[:_MAX_CODE_CHARS])
            if decoded and decoded != hit.group() and decoded.isascii() and decoded.isprintable():
                yield Coded(start=hit.start(), end=hit.end(), kind=kind, text=decoded)


def _base64(run: str) -> str:
    data = unpack_base64(run)
    return data.decode() if data is not None and data.isascii() else ""


def _hex(run: str) -> str:
    try:
        return bytes.fromhex(run.removeprefix("0x").replace(":", " ")).decode("ascii")
    except ValueError:
        return ""


# name of the code, characters it must contain, pattern, decoder
_CODES: Final[tuple[tuple[str, str, re.Pattern[str], Callable[[str], str]], ...]] = (
    ("base64", "", _BASE64, _base64),
    ("hex", "", _HEX, _hex),
    ("percent", "%", _PERCENT, unquote),
    ("html", "&#", _ENTITIES, html.unescape),
)
