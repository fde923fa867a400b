"""Rules that are no whole request: reworded ones that are in doubt, ends of sentences, fragments and titles."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from proctor.generate.extract.draft import Draft
from proctor.generate.extract.number_words import COUNT, in_digits
from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.requests import plain
from proctor.generate.extract.statements import Statement
from proctor.text.predicates.language_guess import FUNCTION_WORDS

__all__ = ["as_whole_sentences"]

# ``Harbour Lines — Lost Property``: a name, a dash and what it is of.
_TITLE: Final = re.compile(r"\W*[^\W\d_a-z][^\s—–]*(?:\s+[A-ZÀ-ÖØ-Þ][^—–\n]*)?\s[—–-]\s[^\n.!?]+")
_LONGEST_TITLE: Final = 12  # words
_UNSPACED: Final = re.compile(r"[぀-ヿ㐀-鿿]")


def as_whole_sentences(drafts: Iterable[Draft], statements: Sequence[Statement]) -> Iterator[Draft]:
    """Yield the rules; one without a predicate that is only a piece of its sentence is that sentence, or is left out.

    A reworded rule whose predicate is in doubt goes back to the prompt's own words: the doubt is of its meaning.
    """
    drafts = list(drafts)
    told = [each for each in statements if not each.code]
    first = told[0] if told else None
    starts = [each.start for each in told]
    for draft in drafts:
        at = bisect_right(starts, draft.start) - 1
        own = told[at] if at >= 0 and draft.start < told[at].end else None
        if draft.predicate or own is None or draft.end > own.end:
            yield draft
        elif not _has_content(draft.text) or (own is first and _is_title(own.text)) or _is_no_request(own):
            continue
        elif (draft.note and not _is_verbatim(draft, own)) or _is_tail(draft, own, drafts):
            yield replace(draft, text=_sentence(own.text), start=own.start, end=own.end)
        else:
            yield draft


def _sentence(text: str) -> str:
    said = re.sub(r"\s+", " ", plain(text)).strip(" ;,；，")
    closed = re.search(r"[.!?。！？][\"”“»」』)]?$", said) is not None
    return f"{said[:1].upper()}{said[1:]}" + ("" if closed else "。" if _UNSPACED.search(said) else ".")


def _has_content(text: str) -> bool:
    """Whether a rule has a word that is neither a number, a negation nor a function word: ``Never two`` has none."""
    if _UNSPACED.search(text):
        return True
    bare = re.sub(COUNT, " ", re.sub(NEGATION, " ", in_digits(text), flags=re.IGNORECASE), flags=re.IGNORECASE)
    return any(word.lower() not in FUNCTION_WORDS for word in re.findall(r"[^\W\d_]+", bare)) or '"' in text


def _is_title(text: str) -> bool:
    return len(text.split()) <= _LONGEST_TITLE and _TITLE.match(text) is not None


def _is_no_request(own: Statement) -> bool:
    """Whether a statement is a heading in capitals, or a question to be asked."""
    said = own.text.strip(" *_#>=-–—\t")
    heading = said.isupper() and len(said.split()) > 1 and not re.search(r"[.!:：。！]$", said) and not own.item
    return heading or (own.item and said.endswith(("?", "？")) and not re.search(r"[\"“«「:：]", said))


def _is_verbatim(draft: Draft, own: Statement) -> bool:
    return _folded(draft.text) in _folded(own.text)


def _is_tail(draft: Draft, own: Statement, drafts: Sequence[Draft]) -> bool:
    """Whether a rule is what stands after a semicolon, and the words before it, which it needs, are no rule."""
    pieces = re.split(r"\s*[;；]\s*", own.text)
    if len(pieces) < 2 or draft.condition:
        return False
    said = _folded(draft.text)
    at = next((at for at, piece in enumerate(pieces) if _folded(piece).startswith(said)), 0)
    if not at:
        return False
    before = _folded(pieces[at - 1])
    return not any(
        other is not draft and own.start <= other.start < own.end and _shares(_folded(other.text), before)
        for other in drafts
    )


def _shares(one: str, other: str) -> bool:
    mine, theirs = set(one.split()), set(other.split())
    return len(mine & theirs) * 2 >= min(len(mine), len(theirs))


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))
