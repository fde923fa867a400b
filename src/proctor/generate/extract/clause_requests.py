"""What a sentence asks, whatever part of the answer it is of: amounts, marks, quoted texts, case, dates, lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.asked_amounts import find_amounts
from proctor.generate.extract.checked_marks import find_denied
from proctor.generate.extract.labels import listed
from proctor.generate.extract.number_words import COUNT, count_of, in_digits
from proctor.generate.extract.predicate_text import quoted
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.quantity_words import BEFORE, CASES, NEGATION
from proctor.generate.extract.quoted_literals import find_runs, literal_role
from proctor.generate.extract.reply_words import ONLY
from proctor.generate.extract.spotted_shapes import find_spotted_shapes
from proctor.text.lazy_pattern import Lazy
from proctor.text.predicates.language_guess import FUNCTION_WORDS

__all__ = ["find_requests"]

# of more than one line
_OF_TEXT: Final = ("not (ends", "case is", "ends with")
# ``one of: a, b, c``; the list is all that follows.
_ONE_OF: Final = Lazy(
    r"(?:\b(?:one of|either|eine[rsm]? (?:der|von|aus)|l['’]une? des?|un[oa]? (?:de|entre|tra)|uma? d[eo]s?|[eé]én van|"
    r"jed(?:en|na|no|ną) z[e]?|од(?:ин|на|но) из|e[nt]t? av|en af|jeden z)\b[^:：.;]{0,40}|다음 중[^:：.;]{0,20}|"
    r"(?:之一|"
    r"のいずれか|"
    r"どれか)[^:：.;]{0,12})(?P<mark>[:：]\s*)",
    re.IGNORECASE,
)
# ``only g, ml or pieces``, ``only from this list: a, b, c``
_ONLY_LIST: Final = Lazy(
    rf"(?<!\w){ONLY}(?:\s[^:：.;,]{{3,40}}[:：])?\s+(?P<list>[^.;:：\n\"“„«]+?,[^.;:：\n\"“„«]+)(?=[.;\n]|$)",
    re.IGNORECASE,
)
_KEY: Final = re.compile(r"[a-z][A-Za-z0-9]*_?[a-z0-9_]*")
_LEAST_LISTED: Final = 3
_AND_OR: Final = Lazy(r"\s(?:oder|ou|o|u|of|lub|albo|или|або|eller|veya|nebo)\s|或|または", re.IGNORECASE)
# may hold in the other cases, too
_DATES: Final = (
    ("matches /\\d{4}-\\d{2}-\\d{2}/", Lazy(r"\b[YAJRĂГР]{4}-MM-[DTJGR]{2}\b|ГГГГ-ММ-ДД|年-月-日")),
    ("matches /\\d{2}\\/\\d{2}\\/\\d{4}/", Lazy(r"\b(?:[DTJG]{2}/MM|MM/[DTJG]{2})/[YAJR]{4}\b")),
    ("matches /\\d{2}\\.\\d{2}\\.\\d{4}/", Lazy(r"\b[DTJG]{2}\.MM\.[YAJR]{4}\b|ДД\.ММ\.ГГГГ")),
)
_COUNTED: Final = Lazy(
    rf"(?:(?P<between>\b(?:between|from|zwischen|von|entre|de|da|tra|fra|tussen|van|от|od)\s+)?(?P<low>{COUNT})\s*"
    r"(?:-|–|—|~|to|and|bis|und|à|et|a|y|e|tot|en|i|do|до|à|til|till|到|至)\s*"
    rf"(?P<high>{COUNT})|(?P<bound>{BEFORE[0][1]})\s*(?P<most>{COUNT}))\s*(?:개|个|個|つ)?(?=\s+[^\W\d_]{{2,}}|"
    rf"\s*[,，、.;。]|\s*$)",
    re.IGNORECASE,
)


# ``a score of 1-10 for``: no number of things
_SCORE: Final = re.compile(
    r"\b(?:scores?|scale|rat(?:e|es|ing)|grades?|levels?|points?|skala|note|bewert\w+|escala|puntuación|nota|voto)\b[^.;:]{0,20}$",
    re.IGNORECASE,
)
_NOT_THINGS: Final = re.compile(
    r"\s*(?:for|to|based|scale|according|depending|scores?|ratings?|points?)\b", re.IGNORECASE
)


def find_requests(text: str, scope: PromptScope) -> Iterator[tuple[str, int, int]]:
    """Yield what a sentence asks, whatever it is of: a predicate, and where its words stand."""
    yield from _amounts(text, scope)
    yield from find_denied(text)
    yield from _quoted(text, scope)
    for predicate, start, end in find_spotted_shapes(text, scope):
        if predicate.startswith(_OF_TEXT):
            yield predicate, start, end
    for predicate, pattern in (*CASES, *_DATES):
        for match in pattern.finditer(text):
            if not re.search(rf"{NEGATION}[^,;]{{0,20}}$", text[: match.start()], re.IGNORECASE):
                yield predicate, match.start(), match.end()
    yield from _choices(text)


def _amounts(text: str, scope: PromptScope) -> Iterator[tuple[str, int, int]]:
    amounts = list(find_amounts(text, scope.language))
    for each in amounts:
        exact = each.form == "=" and each.low > 1 and each.measure in ("words", "characters")
        if not exact and each.measure != "headings":
            single = each.measure == "sentences" and each.form == "=" and each.low == 1
            yield f"{each.measure} {'<= 1' if single else each.bound}", each.start, each.end
    for match in _COUNTED.finditer(in_digits(text, scope.language)):
        scored = _SCORE.search(text[: match.start()]) or _NOT_THINGS.match(text, match.end())
        if not scored and not any(each.start < match.end() and match.start() < each.end for each in amounts):
            yield from _counted(match)


def _quoted(text: str, scope: PromptScope) -> Iterator[tuple[str, int, int]]:
    """Yield what is asked of quoted texts: keys of objects, beginnings and ends."""
    for run in find_runs(text):
        if scope.structured and len(run.texts) > 1 and not run.either and all(map(_KEY.fullmatch, run.texts)):
            if not set(run.texts) & set(scope.fields):
                yield f"json has {quoted(run.texts)}", run.start, run.end
            continue
        role = literal_role(text, run)
        if role is not None and not role.loose and role.role in ("start", "end"):
            yield f"{role.role}s with {quoted(run.texts)}", role.start, run.end


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
