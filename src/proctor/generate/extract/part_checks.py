"""Checks for the parts of an answer: what sentences ask of a tag, a section, a labelled line or a field.

A sentence is cut at its marks. What a clause asks is of the part that the clause names, else of the part that the
sentence named before, else of the part that the words before the sentence are about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from proctor.generate.extract.answer_outline import OutlinePart
from proctor.generate.extract.answer_parts import LINE_OF_TEXT
from proctor.generate.extract.clause_requests import find_requests
from proctor.generate.extract.conditions import is_open, split_condition
from proctor.generate.extract.fixed_replies import opens_with_case
from proctor.generate.extract.limit_subject import names_answer, unknown_words
from proctor.generate.extract.number_words import in_digits
from proctor.generate.extract.predicate_text import checkable, quoted
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement, protected
from proctor.text.lazy_pattern import Lazy

__all__ = ["PartCheck", "part_checks"]

_MARK: Final = re.compile(r"\n|\||[,;:，；：、。.!](?=\s|$|[一-鿿ぁ-ヿ가-힣])|\s[–—-]\s")
_NEAR: Final = 3  # characters between a sentence and the next one of its paragraph
# Words by which a limit is for every answer (``per question``), or which may be a part of it.
_PRONOUN: Final = re.compile(r"\b(?:it|they|them|questions?|requests?|customers?|users?|times?)\b", re.IGNORECASE)
_NOT_OF_PLACES: Final = ("case is", "matches", "one of")
_OF_LINES: Final = (
    "json has",
    "lines",
    "paragraphs",
    "items",
    "bullets",
    "numbered",
    "each",
)  # ``Each technique``, ``each of them``: a limit of the items of a part.
_PER_ITEM: Final = Lazy(
    r"\b(?:each|every|je(?:de[rsnm]?)?|jeweils|chaque|chacune?|cada|ogni|ciascun[oa]|elke?|ieder\w*|każd\w+|кажд\w+|"
    r"varje|hver|každ\w+|her)\b|\b(?:bullets?|points?|items?|puces?|viñetas?|punti|punto|(?:stich)?punkte?n?|"
    r"marcadores|"
    r"punten|punkt\w*)\s+(?:of|with|mit|de|à|z|av|von|di|van|con|com|met)\b|每[项条个]?|各|마다|각",
    re.IGNORECASE,
)
# ``12 words or less each``, ``at most 16 words per bullet``
_EACH_AFTER: Final = Lazy(
    r"\W*(?:(?:or|oder|ou|o) (?:less|fewer|weniger|moins|menos|meno)\s+)?(?:each\b|apiece|per\s|pro\s|par\s|por\s|"
    r"jeweils|chacune?|cada un[oa]|ciascun[oa]|elk\b)|\s*(?:bullets?|bullet points?|items?|points?)\b|"
    r"(?<=word)\s+[^\W\d_]+s\b",
    re.IGNORECASE,
)
# ``up to 5 questions of no more than 15 words``
_MANY_OF: Final = re.compile(r"\d\s+(?:[^\W\d_-]+\s+){0,2}[^\W\d_]+s,?\s+(?:of|with|each)\b[^.;]*$", re.IGNORECASE)
# ``the INSIGHTS bullets as 10 to 25 words``
_ITEMS: Final = Lazy(
    r"\b(?:bullets|bullet points|items|points|entries|puces|viñetas|marcadores|punkte|stichpunkte|punten)\b",
    re.IGNORECASE,
)
_CEILING: Final = re.compile(r"\w+ <")  # ``no tip is longer than``, ``nessun passo supera``
_NO_ITEM: Final = Lazy(
    r"\b(?:no|kein(?:e[rns]?)?|aucune?|ning[uú]na?|nenhuma?|nessun[oa]?|geen|żad(?:en|na|ne)|ни один|ни одна|"
    r"ing(?:en|et)|"
    r"žádn\w+|hiçbir)\s+(?:single\s+)?[^\W\d_]{3,}\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartCheck:
    """What is asked of a part, and the words of a statement that ask for it."""

    asked: str  # empty where no predicate can say it of the part
    whole: str  # the same, if it were asked of the whole answer
    part: OutlinePart
    start: int
    end: int


def part_checks(
    statements: Sequence[Statement], outline: Sequence[OutlinePart], scope: PromptScope, made: Sequence[str]
) -> Iterator[tuple[Statement, tuple[PartCheck, ...]]]:
    """Yield the statements that ask something of a part, each with its checks."""
    before: OutlinePart | None = None
    last: Statement | None = None
    for each in statements if outline else ():
        if each.code or each.section in ASIDE_SECTIONS:
            continue
        asking = last is not None and last.text.rstrip().endswith(("?", "？")) and each.start - last.end <= _NEAR
        if asking and not each.opens:  # ``Breaking change? Then …``
            continue
        mentions = _mentions(each.text, outline)
        near = last is not None and each.start - last.end <= _NEAR and not each.opens
        own = _described(each.start, each.end, outline) or (
            before if near and not _is_of_answer(each.text, made) else None
        )
        named = tuple(dict.fromkeys(part.name for _, part in mentions))
        found = tuple(_checks(each, mentions, own, outline, scope, made))
        if found:
            yield each, found
        before = mentions[-1][1] if len(named) == 1 else own if not named else None
        before = None if before is not None and before.kind == "place" else before
        last = each


def _is_of_answer(said: str, made: Sequence[str]) -> bool:
    """Whether some words name the whole answer; ``it`` may be a part of it."""
    return names_answer(_PRONOUN.sub(" ", said), made)


def _mentions(text: str, outline: Sequence[OutlinePart]) -> list[tuple[int, OutlinePart]]:
    found: list[tuple[int, int, OutlinePart]] = []
    for part in outline:
        for match in part.named.finditer(text):
            found.append((match.start(), match.end(), part))
    kept = [
        (start, part)
        for start, end, part in found
        if not any(low <= start and end <= high and high - low > end - start for low, high, _ in found)
    ]
    return sorted(kept, key=lambda each: each[0])


def _described(start: int, end: int, outline: Sequence[OutlinePart]) -> OutlinePart | None:
    """Return the part whose description stands at these offsets."""
    for part in outline:
        if any(low <= start and end <= high + 1 for low, high in part.places):
            return part
    return None


def _clauses(text: str) -> list[tuple[int, int]]:
    safe = protected(text)
    cuts = [
        match.start() for match in _MARK.finditer(text) if not any(low <= match.start() < high for low, high in safe)
    ]
    return list(zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(text)], strict=True))


def _checks(
    statement: Statement,
    mentions: Sequence[tuple[int, OutlinePart]],
    own: OutlinePart | None,
    outline: Sequence[OutlinePart],
    scope: PromptScope,
    made: Sequence[str],
) -> Iterator[PartCheck]:
    text = statement.text
    described = any(low < statement.end and statement.start < high for part in outline for low, high in part.places)
    if not mentions and own is None and not described:
        return
    cased = bool(split_condition(text)[0]) or opens_with_case(text)
    clauses = _clauses(text)
    seen: set[str] = set()
    for asked, start, end in find_requests(text, scope):
        low, high = next(((low, high) for low, high in clauses if low <= start <= high), (0, len(text)))
        clause = text[low : max(high, end)]
        part = _described(statement.start + start, statement.start + end, outline)
        part = part or _part_of(text, start, low, high, mentions, own)
        if any(quoted([one.name]) in asked for one in outline):
            continue  # ``at the end, under the heading "Sources"``
        if cased and not (_CEILING.match(asked) and any(low <= at <= start for at, _ in mentions)):
            continue
        if (
            part is None
            or _is_of_other(part, own, mentions, text[low:start], made)
            or is_open(clause)
            or (_is_of_answer(clause, made) and not mentions)
        ):
            continue
        inner = checkable(_fitting(asked, part, text, low, start, end)) if asked else None
        if inner and inner not in seen:
            seen.add(inner)
            yield PartCheck(asked=inner, whole=asked, part=part, start=start, end=end)
        elif not inner:
            yield PartCheck(asked="", whole=checkable(asked) or asked, part=part, start=start, end=end)


def _is_of_other(
    part: OutlinePart,
    own: OutlinePart | None,
    mentions: Sequence[tuple[int, OutlinePart]],
    before: str,
    made: Sequence[str],
) -> bool:
    """Whether a limit in a sentence that names no part has a subject of its own: ``The rule has 12 words at most``."""
    if part is not own or mentions or _PER_ITEM.search(before):
        return False
    said = before.strip(' *_"“„«')
    return bool(unknown_words(before, made)) or (bool(said) and not _PRONOUN.search(said))  # ``Use at most 80 words.``


def _fitting(asked: str, part: OutlinePart, text: str, low: int, start: int, end: int) -> str:
    """Return what is asked in the form that fits the kind of part; nothing if none does."""
    before = text[low:start]
    counted = asked.startswith("(")  # so many things
    sized = asked.startswith(("words", "characters", "sentences"))
    of_items = part.kind != "place" and bool(
        _PER_ITEM.search(before)
        or _NO_ITEM.search(before)
        or (
            sized
            and (_EACH_AFTER.match(text, end) or _ITEMS.search(before) or _MANY_OF.search(in_digits(before, "en")))
        )
    )
    if part.kind == "section":
        each = "each line" if LINE_OF_TEXT.search(before) else "each item"
        return asked if not of_items else "" if counted else f"{each}: {asked}"
    if counted:
        most = re.search(r"(\d+) or", asked) if part.many and not of_items else None
        return f"json array length <= {most[1]}" if most else ""
    if part.many or of_items:
        return _of_list(asked, part)
    if asked.startswith(_OF_LINES if part.kind in ("field", "label", "place") else "json has"):
        return ""
    return "" if part.kind == "place" and asked.startswith(_NOT_OF_PLACES) else asked


def _of_list(asked: str, part: OutlinePart) -> str:
    """Return what is asked of each value of a field that holds a list; the number of its values is another matter."""
    if asked.startswith("json has"):
        return f"each json item: {asked}"
    sized = re.match(r"(?:words|characters) (?:<=?|between)|case is|ends with|starts with|contains none|one of", asked)
    return f"each json item: {asked}" if part.many and sized else ""


def _part_of(
    text: str, at: int, low: int, high: int, mentions: Sequence[tuple[int, OutlinePart]], own: OutlinePart | None
) -> OutlinePart | None:
    """Return the part that a place of a sentence is about: that of its clause, else the last one before it.

    A place such as the first line is meant in its own clause only.
    """
    inside = [(start, part) for start, part in mentions if low <= start < high]
    if inside:
        before = [part for start, part in inside if start <= at]
        return before[-1] if before else inside[0][1]
    lasting = [(start, part) for start, part in mentions if part.kind != "place"]
    if len(lasting) < len(mentions):
        return None
    earlier = [part for start, part in lasting if start < at]
    if earlier:
        return earlier[-1]
    if own is not None:
        return own
    names = {part.name for _, part in lasting}
    between = text[at : lasting[0][0]] if lasting else ""
    apart = re.search(NEGATION, between, re.IGNORECASE)  # ``at most 80 words, without the notes``
    return lasting[0][1] if len(names) == 1 and not apart else None
