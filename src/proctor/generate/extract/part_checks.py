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
from proctor.generate.extract.asked_amounts import find_amounts
from proctor.generate.extract.checked_marks import find_denied
from proctor.generate.extract.conditions import is_open, split_condition
from proctor.generate.extract.fixed_replies import opens_with_case
from proctor.generate.extract.labels import listed
from proctor.generate.extract.limit_subject import names_answer, unknown_words
from proctor.generate.extract.number_words import COUNT, count_of, in_digits
from proctor.generate.extract.predicate_text import checkable, quoted
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.quantity_words import BEFORE, CASES, NEGATION
from proctor.generate.extract.quoted_literals import find_runs, literal_role
from proctor.generate.extract.reply_words import ONLY
from proctor.generate.extract.spotted_shapes import find_spotted_shapes
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement, protected
from proctor.text.lazy_pattern import Lazy
from proctor.text.predicates.language_guess import FUNCTION_WORDS

__all__ = ["PartCheck", "part_checks"]

_MARK: Final = re.compile(r"\n|\||[,;:，；：、。.!](?=\s|$|[一-鿿ぁ-ヿ가-힣])|\s[–—-]\s")
_NEAR: Final = 3  # characters between a sentence and the next one of its paragraph
# Words by which a limit is for every answer (``per question``), or which may be a part of it.
_PRONOUN: Final = re.compile(r"\b(?:it|questions?|requests?|customers?|users?|times?)\b", re.IGNORECASE)
_OF_LINES: Final = ("lines", "paragraphs", "items", "bullets", "numbered", "each")  # of more than one line
_OF_TEXT: Final = ("not (ends", "case is", "ends with")
# ``Each technique``, ``each of them``: a limit of the items of a part.
_PER_ITEM: Final = Lazy(
    r"\b(?:each|every|je(?:de[rsnm]?)?|jeweils|chaque|chacune?|cada|ogni|ciascun[oa]|elke?|ieder\w*|każd\w+|кажд\w+|"
    r"varje|hver|každ\w+|her)\b|\b(?:bullets?|points?|items?|puces?|viñetas?|punti|punto|(?:stich)?punkte?n?|marcadores|"
    r"punten|punkt\w*)\s+(?:of|with|mit|de|à|z|av|von|di|van|con|com|met)\b|每[项条个]?|各|마다|각",
    re.IGNORECASE,
)
# ``one of: a, b, c``; the list is all that follows.
_ONE_OF: Final = Lazy(
    r"(?:\b(?:one of|either|eine[rsm]? (?:der|von|aus)|l['’]une? des?|un[oa]? (?:de|entre|tra)|uma? d[eo]s?|[eé]én van|"
    r"jed(?:en|na|no|ną) z[e]?|од(?:ин|на|но) из|e[nt]t? av|en af|jeden z)\b[^:：.;]{0,40}|다음 중[^:：.;]{0,20}|(?:之一|のいずれか|"
    r"どれか)[^:：.;]{0,12})(?P<mark>[:：]\s*)",
    re.IGNORECASE,
)
# ``only g, ml or pieces``, ``only from this list: a, b, c``
_ONLY_LIST: Final = Lazy(rf"(?<!\w){ONLY}(?:\s[^:：.;,]{{3,40}}[:：])?\s+(?P<list>[^.;:：\n\"“„«]+?,[^.;:：\n\"“„«]+)(?=[.;\n]|$)", re.IGNORECASE)
_KEY: Final = re.compile(r"[a-z][A-Za-z0-9]*_?[a-z0-9_]*")
_LEAST_LISTED: Final = 3
_AND_OR: Final = Lazy(r"\s(?:oder|ou|o|u|of|lub|albo|или|або|eller|veya|nebo)\s|或|または", re.IGNORECASE)
_CEILING: Final = re.compile(r"\w+ <")  # may hold in the other cases, too
_DATES: Final = (
    ("matches /\\d{4}-\\d{2}-\\d{2}/", Lazy(r"\b[YAJRĂГР]{4}-MM-[DTJGR]{2}\b|ГГГГ-ММ-ДД|年-月-日")),
    ("matches /\\d{2}\\/\\d{2}\\/\\d{4}/", Lazy(r"\b(?:[DTJG]{2}/MM|MM/[DTJG]{2})/[YAJR]{4}\b")),
    ("matches /\\d{2}\\.\\d{2}\\.\\d{4}/", Lazy(r"\b[DTJG]{2}\.MM\.[YAJR]{4}\b|ДД\.ММ\.ГГГГ")),
)
# ``no tip is longer than``, ``nessun passo supera``
_NO_ITEM: Final = Lazy(
    r"\b(?:no|kein(?:e[rns]?)?|aucune?|ning[uú]na?|nenhuma?|nessun[oa]?|geen|żad(?:en|na|ne)|ни один|ни одна|ing(?:en|et)|"
    r"žádn\w+|hiçbir)\s+(?:single\s+)?[^\W\d_]{3,}\b",
    re.IGNORECASE,
)
_COUNTED: Final = Lazy(
    rf"(?:(?P<between>\b(?:between|from|zwischen|von|entre|de|da|tra|fra|tussen|van|от|od)\s+)?(?P<low>{COUNT})\s*"
    r"(?:-|–|—|~|to|and|bis|und|à|et|a|y|e|tot|en|i|do|до|à|til|till|到|至)\s*"
    rf"(?P<high>{COUNT})|(?P<bound>{BEFORE[0][1]})\s*(?P<most>{COUNT}))\s*(?:개|个|個|つ)?(?=\s+[^\W\d_]{{2,}}|\s*[,，、.;。]|\s*$)",
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
        own = _described(each.start, each.end, outline) or (before if near and not _is_of_answer(each.text, made) else None)
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
        match.start()
        for match in _MARK.finditer(text)
        if not any(low <= match.start() < high for low, high in safe)
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
    described = any(
        low < statement.end and statement.start < high for part in outline for low, high in part.places
    )
    if not mentions and own is None and not described:
        return
    cased = bool(split_condition(text)[0]) or opens_with_case(text)
    clauses = _clauses(text)
    seen: set[str] = set()
    for asked, start, end in _asked(text, scope):
        low, high = next(((low, high) for low, high in clauses if low <= start <= high), (0, len(text)))
        clause = text[low : max(high, end)]
        part = _described(statement.start + start, statement.start + end, outline)
        part = part or _part_of(start, low, high, mentions, own)
        if cased and not (_CEILING.match(asked) and any(low <= at <= start for at, _ in mentions)):
            continue
        if part is None or _is_of_other(part, own, mentions, text[low:start], made) or is_open(clause) or (_is_of_answer(clause, made) and not mentions):
            continue
        inner = checkable(_fitting(asked, part, text[low:start], clause)) if asked else None
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
    return part is own and not mentions and not _PER_ITEM.search(before) and bool(unknown_words(before, made))


def _fitting(asked: str, part: OutlinePart, before: str, clause: str) -> str:
    """Return what is asked in the form that fits the kind of part; nothing if none does."""
    if asked.startswith("(") and part.many and not _PER_ITEM.search(before):
        most = re.search(r"(\d+) or", asked)
        return f"json array length <= {most[1]}" if most else ""
    if asked.startswith("(") and part.kind != "section":
        return ""  # so many things
    if (_PER_ITEM.search(before) or _NO_ITEM.search(before)) and part.kind != "place":
        return f"each item: {asked}" if part.kind == "section" and not asked.startswith("(") else _of_list(asked, part)
    if part.many:
        return _of_list(asked, part)
    if part.kind == "field" and asked.startswith(_OF_LINES):
        return ""
    if asked.startswith("json has"):
        return ""
    if part.kind in ("label", "place") and asked.startswith(_OF_LINES):
        return ""
    if part.kind == "place" and asked.startswith(("case is", "matches", "one of")):
        return ""
    return asked


def _of_list(asked: str, part: OutlinePart) -> str:
    """Return what is asked of each value of a field that holds a list; the number of its values is another matter."""
    if asked.startswith("json has"):
        return f"each json item: {asked}"
    sized = re.match(r"(?:words|characters) (?:<=?|between)|case is|ends with|starts with|contains none|one of", asked)
    return f"each json item: {asked}" if part.many and sized else ""


def _part_of(
    at: int, low: int, high: int, mentions: Sequence[tuple[int, OutlinePart]], own: OutlinePart | None
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
    return lasting[0][1] if len(names) == 1 else None


def _asked(text: str, scope: PromptScope) -> Iterator[tuple[str, int, int]]:
    """Yield what a sentence asks, whatever it is of."""
    amounts = list(find_amounts(text, scope.language))
    for each in amounts:
        bare_many = each.bare and each.low > 1 and each.measure in ("words", "characters")
        exact = each.form == "=" and each.low > 1 and each.measure in ("words", "characters")
        if not bare_many and not exact and each.measure != "headings":
            upper = each.measure == "sentences" and each.form == "=" and each.low == 1
            yield f"{each.measure} {'<= 1' if upper else each.bound}", each.start, each.end
    for match in _COUNTED.finditer(in_digits(text, scope.language or "en")):
        if not any(each.start < match.end() and match.start() < each.end for each in amounts):
            yield from _counted(match)
    yield from find_denied(text)
    for run in find_runs(text):
        if scope.structured and len(run.texts) > 1 and not run.either and all(map(_KEY.fullmatch, run.texts)):
            if not set(run.texts) & set(scope.fields):
                yield f"json has {quoted(run.texts)}", run.start, run.end
            continue
        role = literal_role(text, run)
        if role is None or role.loose:
            continue
        forms = {
            "start": f"starts with {quoted([text.rstrip('~～…') for text in run.texts])}",
            "end": f"ends with {quoted([text.lstrip('~～…') for text in run.texts])}",
        }
        if role.role in forms:
            yield forms[role.role], role.start, run.end
    for predicate, start, end in find_spotted_shapes(text, scope):
        if predicate.startswith(_OF_TEXT):
            yield predicate, start, end
    for predicate, pattern in (*CASES, *_DATES):
        for match in pattern.finditer(text):
            if not re.search(rf"{NEGATION}[^,;]{{0,20}}$", text[: match.start()], re.IGNORECASE):
                yield predicate, match.start(), match.end()
    yield from _choices(text)


def _choices(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the list that a sentence says a value is one of."""
    for match in _ONE_OF.finditer(text):
        if found := listed(_AND_OR.sub(" or ", text[match.end("mark") :].rstrip(". "))):
            yield f"one of {quoted(found)} ignoring case", match.start(), len(text)
            return
    for match in _ONLY_LIST.finditer(text):
        found = listed(_AND_OR.sub(" or ", match["list"]))
        if len(found) >= _LEAST_LISTED and found[0].split()[0].lower() not in FUNCTION_WORDS:
            yield f"one of {quoted(found)} ignoring case", match.start(), match.end()


def _counted(match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the number of things of a section: ``5 to 12 of the most useful techniques``."""
    if match["most"]:
        bound = f"<= {count_of(match['most'])}"
    else:
        low, high = count_of(match["low"]), count_of(match["high"])
        if not 0 < low < high:
            return
        bound = f"between {low} and {high}"
    yield f"(items {bound} or lines {bound})", match.start(), match.end()
