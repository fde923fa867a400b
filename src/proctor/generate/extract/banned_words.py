"""Extract named words that an output must not contain: listed ones, names, and code words in capitals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.aspects import Aspect, quoted
from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy

__all__ = ["find_banned", "pattern_of"]

_NO: Final = r"\b(?:do not|don[’']t|never|must not|should not|may not|cannot|avoid|no|without|not)\b"
# ``NO AI vocabulary: seamlessly, elevate, delve``: three single words or more after a colon.
_AFTER_COLON: Final = Lazy(
    _NO + r"[^.:;\n]{0,60}\b(?:vocabulary|words?|terms?|phrases?|jargon|buzzwords?|language|"
    r"clich[ée]s|fillers?|expressions?)"
    r"[^.:;\n]{0,30}[:：]\s*(?P<list>[\w'’-]+(?:\s*,\s*(?:or |and )?[\w'’-]+){2,60})\s*[.;]?\s*$",
    re.IGNORECASE,
)
# ``Never write INSERT, UPDATE or DELETE``; ``Do not use SELECT *``.
_CODE: Final = r"[A-Z][A-Z_]{2,20}(?:\s\*)?"
_CODE_LIST: Final = Lazy(
    r"\b(?i:do not|don[’']t|never|must not|should not|avoid|without)\b(?:\s+(?i:ever|use|"
    r"using|write|writing|emit|output|"
    r"generate|include|including|produce|run|any|the|a|an|statements?|keywords?|like))*\s+"
    rf"(?P<list>{_CODE}(?:(?:\s*,\s*(?:or |and |nor )?|\s+or\s+|\s+and\s+|\s+nor\s+|\s*/\s*){_CODE})*)(?![\w-])"
    r"(?!\s*[A-Z]{2})(?!\s+(?:is|are|counts?|means?|must|should|will)\b)",
)
# ``Do not mention competitors such as Velora or BikeBay``.
_NAME: Final = r"[A-Z][\w'’&.-]*[\w](?:\s[A-Z][\w'’&.-]*){0,2}"
_NAMED: Final = Lazy(
    r"\b(?i:do not|don[’']t|never|must not|should not|avoid)\b(?:\s+(?i:ever|"
    r"please))?\s+(?i:mention(?:ing)?|nam(?:e|ing)|"
    r"discuss(?:ing)?|recommend(?:ing)?|refer(?:ring)? to|talk(?:ing)? about|"
    r"compar\w+(?: \w+){0,3})\s+(?:[a-z][\w-]*\s+){1,5}"
    rf"(?i:such as|like|including|e\.g\.?,?|for example|namely|"
    rf"\()\s*(?P<list>{_NAME}(?:(?:\s*,\s*(?:or |and )?|\s+or\s+|\s+and\s+){_NAME})*)",
)
_ALL_CAPS: Final = worded(
    "MUST NOT NEVER ONLY ALWAYS ANY ALL THE AND JSON HTML XML CSV YAML API URL FAQ PII USD EUR GBP"
)
_JOIN: Final = re.compile(r"\s*[,/]\s*(?:or |and |nor )?|\s+(?:or|and|nor)\s+")


def find_banned(clause: str) -> Iterator[Aspect]:
    """Yield the named words that must not occur, each list as one aspect."""
    if re.search(r"\b(?:unless|except|if|when)\b", clause, re.IGNORECASE):
        return
    for pattern, whole_words in ((_AFTER_COLON, True), (_CODE_LIST, True), (_NAMED, True)):
        match = pattern.search(clause)
        words = [word for word in _JOIN.split(match["list"]) if word] if match else []
        shouted = match is not None and pattern is _CODE_LIST and re.match(r"[A-Z]{2,}\b", match.group()) is not None
        if not match or not words or shouted or (pattern is _CODE_LIST and set(words) & _ALL_CAPS):
            continue
        whole = whole_words and not any(word.endswith("*") for word in words)
        yield Aspect(
            text=f"The output has none of these words: {quoted(words)}.",
            predicate=f"contains none {quoted(words)}{' as words' if whole else ''} ignoring case",
            start=match.start("list") if pattern is _NAMED else match.start(),
            end=match.end(),
            kind="content",
        )
        return


def pattern_of(example: str) -> str:
    """Return a regular expression for texts like an example: ``C-1234`` is a C, a hyphen and four digits."""
    pieces = re.split(r"(\d+)", example)
    return "".join(
        rf"\d{{{len(piece)}}}" if piece.isdigit() else re.sub(r"([^\w\s:;,!\"'-])", r"\\\1", piece) for piece in pieces
    )
