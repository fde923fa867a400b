"""What the techniques share that rewrite a payload character by character or as a whole."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from proctor.core.attack import AttackDraft
from proctor.redteam.technique_registry import Family
from proctor.redteam.techniques.change_draft import with_payload

__all__ = ["Encoding", "without_accents"]

_LATIN: Final = re.compile("[A-Za-z]")
_LETTER: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """Rewrites the payload so that it can be read back.

    ``encode`` returns the text in this encoding. ``undone`` states whether our own normaliser reads it back, ``latin``
    whether only Latin letters can be written so.
    """

    name: str
    title: str
    encode: Callable[[str, Random], str]
    version: str = "1"
    delivers: bool = False
    family: Family = "encoding"
    undone: bool = True
    latin: bool = False

    def __call__(self) -> Encoding:
        """Return itself, as the factory of a registered technique."""
        return self

    def apply(self, draft: AttackDraft, random: Random) -> AttackDraft | None:
        """Encode the whole payload; a payload in another script does not fit an encoding of Latin letters."""
        if not draft.payload.strip() or (self.latin and not _is_latin(draft.payload)):
            return None
        return with_payload(draft, self.name, self.encode(draft.payload, random))


def _is_latin(text: str) -> bool:
    """Whether nearly all letters are Latin; a few accents are lost by encodings of plain letters, a script is not."""
    return len(_LATIN.findall(text)) * 10 >= len(_LETTER.findall(text)) * 9 > 0


def without_accents(text: str) -> str:
    """Return the text with plain letters, for encodings that have no others."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).replace("ß", "ss")
