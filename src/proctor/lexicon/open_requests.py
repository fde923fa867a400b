"""Find the part of a customer's message that may ask for an act: what is neither a question nor a wish to be told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from proctor.lexicon.requested_acts import concept_spans, without_quotations
from proctor.text.split import sentences

__all__ = ["open_requests"]

_MAX_CHARS: Final = 4_000
_QUESTION: Final = re.compile(r"[?？؟][\s\"'»”)]*$")
_CLAUSE_END: Final = re.compile(r"[,;:،；，、—–]\s*")
# Two acts may be joined: "show me the list and file the first". The words for "and" and "then" are a closed class.
_JOINT: Final = re.compile(
    r"\s(?:and|then|but|und|dann|aber|et|puis|mais|y|luego|pero|ed?|poi|ma|depois|mas|en|dan|maar|i|potem|и|потом|"
    r"но|ve|sonra|"
    r"ثم|और|फिर)\s|(?:然后|再|并且?|그리고|(?<=[가-힣])고\s|それから)",
    re.IGNORECASE,
)


@lru_cache(maxsize=1024)
def open_requests(message: str) -> str:
    """Return the clauses of a message that may ask for an act, each on a line; empty if it only asks to know."""
    own = without_quotations(message[:_MAX_CHARS])
    return "\n".join(clause for sentence in sentences(own) for clause in _open_clauses(sentence, own))


def _open_clauses(sentence: str, message: str) -> Iterator[str]:
    clauses = [part for part in _CLAUSE_END.split(sentence) if part.strip()]
    for clause in clauses[:-1] if _QUESTION.search(sentence) else clauses:
        yield from (part for part in _JOINT.split(clause) if part.strip() and not _asks_to_know(part, message))


def _asks_to_know(text: str, message: str) -> bool:
    return next(concept_spans("asks_to_know", text, within=message), None) is not None
