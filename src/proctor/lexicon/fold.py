"""Arabic and Hindi letters in their plain forms: both are written with and without some signs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from proctor.text.chunked_regex import translated

__all__ = ["fold", "has_folding", "places"]

_PLAIN: Final[Mapping[int, str]] = {
    **dict.fromkeys((*range(0x64B, 0x660), 0x640, 0x670, 0x93C, 0x200C, 0x200D), ""),  # vowels, strokes, nukta, joiners
    **dict(zip(map(ord, "أإآٱىیکةؤئ\u0901"), "ااااييكهوي\u0902", strict=True)),
    **dict(zip(range(0x958, 0x960), "कखगजडढफय", strict=True)),  # letters that have their nukta in them
}
_SCRIPTS: Final = re.compile("[\u0600-\u06ff\u0900-\u097f]")


def fold(text: str) -> str:
    """The text with Arabic and Hindi letters in their plain forms; signs that carry no letter are left out."""
    return translated(text, _PLAIN)


def has_folding(text: str) -> bool:
    """Whether a text has letters of these scripts at all."""
    return _SCRIPTS.search(text) is not None


def places(text: str) -> list[int]:
    """Where each character of the folded text stands in the text."""
    return [at for at, letter in enumerate(text) if _PLAIN.get(ord(letter), letter)]
