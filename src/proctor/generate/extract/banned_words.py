"""Words without quotes that an English sentence forbids: listed ones, names, and code words in capitals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.predicate_text import quoted
from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy

__all__ = ["find_banned", "find_form"]

_NO: Final = r"\b(?i:do not|don[’']t|dont|never|must not|should not|avoid|without|no)\b"
_JOIN: Final = r"(?:\s*[,/]\s*(?:or |and |nor )?|\s+or\s+|\s+and\s+|\s+nor\s+)"
_CODE: Final = r"[A-Z][A-Z_]{2,20}(?:\s\*)?"
_NAME: Final = r"[A-Z][\w'’&.-]*[\w](?:\s[A-Z][\w'’&.-]*){0,2}"
_LISTS: Final = (
    # ``NO AI vocabulary: seamlessly, elevate, delve``
    Lazy(
        _NO + r"[^.:;\n]{0,60}\b(?:vocabulary|words?|terms?|phrases?|jargon|"
        r"expressions?)[^.:;\n]{0,30}[:：]\s*(?P<list>[\w'’-]+(?:\s*,\s*[\w'’-]+){2,60})\s*[.;]?\s*$"
    ),
    # ``Never write INSERT, UPDATE or DELETE``, ``Do not use SELECT *``
    Lazy(
        rf"{_NO}(?:\s+(?i:ever|use|using|write|writing|emit|output|generate|include|produce|run|any|"
        rf"the))*\s+(?P<list>{_CODE}(?:{_JOIN}{_CODE})*)(?![\w-])(?!\s+(?:is|are|means?|must)\b)"
    ),
    # ``Do not mention competitors such as Velora or BikeBay``
    Lazy(
        rf"{_NO}\s+(?i:mention|name|discuss|recommend|refer to|talk about)\s+(?:[a-z][\w-]*\s+){{1,5}}(?i:such "
        rf"as|like|including|namely)\s*(?P<list>{_NAME}(?:{_JOIN}{_NAME})*)"
    ),
)
_ALL_CAPS: Final = worded(
    "MUST NOT NEVER ONLY ALWAYS ANY ALL THE AND JSON HTML XML CSV YAML API URL FAQ PII USD EUR GBP"
)
# ``End every answer with the ticket number in the form “Ticket: C-1234”``
_FORM: Final = Lazy(
    r"\b(?:ends?|conclude|finish|close)\b[^.;\"“`]{0,60}?\b(?:in|of|using) the (?:form|format|pattern)(?: of)?:?\s+"
    r"[\"“`](?P<form>[^\"”`\n]{1,200})[\"”`]",
    re.IGNORECASE,
)


def find_banned(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the predicates of the words that must not occur, with where they stand."""
    for pattern in _LISTS:
        match = pattern.search(text)
        words = [word for word in re.split(_JOIN, match["list"]) if word] if match else []
        if match and not set(words) & _ALL_CAPS and not (match.group().isupper() and len(words) < 2):
            whole = "" if any(word.endswith("*") for word in words) else " as words"
            yield f"contains none {quoted(words)} ignoring case{whole}", match.start(), match.end()
            return


def find_form(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the predicate of a form at the end of which the sentence shows an example: ``Ticket: C-1234``."""
    if (match := _FORM.search(text)) and not re.search(r"\b[A-Z]\b\W*$", match["form"]):
        pieces = re.split(r"(\d+)", match["form"])
        pattern = "".join(
            rf"\d{{{len(piece)}}}" if piece.isdigit() else re.sub(r"([^\w\s:;,!\"'-])", r"\\\1", piece)
            for piece in pieces
        )
        yield f"matches /{pattern}\\W*$/", match.start(), match.end()
