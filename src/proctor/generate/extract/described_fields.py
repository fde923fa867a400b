"""What a description in any language asks of the value of a JSON key: allowed values, type, range, length, items."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from proctor.generate.extract.asked_amounts import find_amounts
from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.limit_subject import is_of_whole
from proctor.generate.extract.number_words import COUNT, ONE, count_of, in_digits
from proctor.generate.extract.predicate_text import quoted
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.quantity_words import AFTER, BEFORE
from proctor.generate.extract.quoted_literals import find_runs
from proctor.generate.extract.spotted_checks import find_checks
from proctor.text.lazy_pattern import Lazy

__all__ = ["bounded_count", "item_keys", "value_checks"]

_WHOLE_NUMBER: Final = Lazy(
    r"\binteger\b|\bwhole number\b|\bganze zahl\b|\bganzzahl\b|\b(?:nombre )?entier\b|\b(?:número )?entero\b|"
    r"\b(?:número )?inteiro\b|\b(?:numero )?intero\b|\bgeheel getal\b|整数|целое",
    re.IGNORECASE,
)
_NUMBER: Final = Lazy(
    r"\bnumber\b(?! of)|\bzahl\b|\bnombre\b(?! de\b)|\bnúmero\b(?! de\b)|\bnumero\b(?! di\b)|\bfloat\b|"
    r"\bdecimal\w*|数字|数値",
    re.IGNORECASE,
)
_RANGE: Final = Lazy(
    r"(?<![\d.,])(?P<low>-?\d+(?:[.,]\d+)?)\s*(?:\([^()]*\)\s*)?(?:to|through|-|–|bis|und|and|à|et|al?|y|e|do|tot|到|"
    r"至|~|から)\s*(?:le |the )?(?P<high>\d+(?:[.,]\d+)?)(?![\d%])",
    re.IGNORECASE,
)
_TRUTH: Final = Lazy(
    r"\btrue (?:or|oder|ou|o|/) false\b|\btrue/false\b|\bbool\w*|\bbooléen\w*|\bwahrheitswert\b|布尔|真偽",
    re.IGNORECASE,
)
_ARRAY: Final = Lazy(
    r"\b(?:array|list|liste|tableau|lista|arreglo|matriz|elenco|lijst|vetor)\b|数组|列表|配列|リスト", re.IGNORECASE
)
_PER_ITEM: Final = Lazy(
    r"\b(?:each|every|chacune?|jede[rs]?|je|cada un[oa]?|cada|ciascun[oa]|ognun[oa]|ogni|elk|każd\w+)\b|每[项条个]|各",
    re.IGNORECASE,
)
_KEYS_OF_ITEMS: Final = Lazy(
    r"(?:\b(?:each|every|chacune?|jede[rs]?|cada|ciascun[oa]|ogni|elk|objects?|objekte?n?|objets|objetos|oggetti)\b|"
    r"每[项条个]|各)[^.;；。]{0,40}?(?P<list>[A-Za-z_][A-Za-z0-9_]*(?:\s*(?:,|、|，|和|与|及|\band\b|\bund\b|\bet\b|"
    r"\by\b|\be\b)\s*[A-Za-z_][A-Za-z0-9_]*)+)",
    re.IGNORECASE,
)
_DATE: Final = Lazy(r"\b(?:YYYY|AAAA|JJJJ|RRRR)-MM-(?:DD|TT|JJ|GG)\b(?!\s*T?HH)|\bISO[- ]?8601\b")
_ALONE: Final = r"^\W*(?:in |en |em |all )?(?:{names})\W*$"
_UPPER: Final = r"upper[- ]?case|capitals|großbuchstaben|majuscules|mayúsculas|maiúsculas|maiuscolo|hoofdletters|大写"
_LOWER: Final = r"lower[- ]?case|kleinbuchstaben|minuscules|minúsculas|minuscolo|kleine letters|小写"
_CASES: Final = (
    ("snake", Lazy(r"snake[_ -]?case", re.IGNORECASE)),
    ("kebab", Lazy(r"kebab-?case", re.IGNORECASE)),
    ("upper", Lazy(_ALONE.format(names=_UPPER), re.IGNORECASE)),
    ("lower", Lazy(_ALONE.format(names=_LOWER), re.IGNORECASE)),
)
_MAYBE_EMPTY: Final = Lazy(
    r"\bempty\b|\bnull\b|\bleer\w*\b|\bvide\b|\bvac[íi][oa]\b|\bvazi[oa]\b|\bvuot[oa]\b|\bleeg\b|空|なし", re.IGNORECASE
)
# The words of a list that is all of a description, or of its first clause; a column with the type may stand before it.
_BARE_VALUES: Final = Lazy(
    r"\W*(?:(?:string|text|enum)\s*[,:(]?\s*)?(?P<one>(?:one of|either|eine[rs]? (?:von|der)|l['’]une? (?:de|des)|"
    r"un[oa]? de|um de|uno tra|een van)\s*:?\s*)?(?P<list>[\w-]+(?:\s*[,、，/|]\s*(?:(?:or|oder|ou|o|of)\s+)?[\w-]+|"
    r"\s+(?:or|oder|ou|o|of|lub)\s+[\w-]+|\s*或\s*[\w-]+)+)\s*(?:$|[;.(（]|,\s+see\b)",
    re.IGNORECASE,
)
_ONE_OF: Final = Lazy(r"\W*(?:one of|either)\s*:?\s+(?P<list>[A-Z0-9][^.;:()]*?,[^.;:()]+)\s*\.?\s*$")
_BARE_JOINT: Final = re.compile(r"\s*[,、，/|]\s*(?:(?:or|oder|ou|o|of)\s+)?|\s+(?:or|oder|ou|o|of|lub)\s+|\s*或\s*")
_TYPE: Final = Lazy(
    r"string|text|integer|int|number|float|decimal|boolean|bool|array|list|object|null|date|optional|required",
    re.IGNORECASE,
)
_SURE: Final = 3  # words joined by ``or`` that are values, not descriptions
_AT_START: Final = 4
_EMPTY_TEXT: Final = ("", "null", "[]")


def value_checks(said: str, scope: PromptScope) -> Iterator[str]:
    """Yield the predicates for a value that is described in these words; a value that may be missing is excused."""
    for predicate in _asked(said, scope):
        inner = f"({predicate})" if re.search(r"\b(?:and|or)\b", predicate) else predicate
        excused = [f'is "{each}"' if each else "is empty" for each in _blanks(said, scope)]
        yield f"({' or '.join([inner, *excused])})" if excused else inner


def _blanks(said: str, scope: PromptScope) -> tuple[str, ...]:
    if _MAYBE_EMPTY.search(said):
        return _EMPTY_TEXT
    return scope.blank


def _asked(said: str, scope: PromptScope) -> Iterator[str]:
    if values := _values(said):
        if len(values) == 2 and set(map(str.lower, values)) == {"true", "false"}:
            values = ("true", "false")
        yield f"one of {quoted(values)}"
        return
    if _TRUTH.search(said):
        yield 'one of "true", "false"'
        return
    array = _ARRAY.search(said)
    if array and not re.search(r"(?:comma|komma|virgule|coma)", said, re.IGNORECASE):
        yield from _of_array(said, scope)
        return
    if _DATE.search(said):
        yield "is iso date"
        return
    if numeric := list(_of_number(said)):
        yield from numeric
        return
    yield from _of_text(said, scope)


def _of_number(said: str) -> Iterator[str]:
    """Yield what is asked of a number; nothing if the value is no number."""
    said = ";".join(piece for piece in re.split(r"[;；]", said) if not is_conditional(piece.strip()))
    whole = _WHOLE_NUMBER.search(said)
    ranged = _RANGE.search(said)
    alone = (
        ranged is not None
        and re.fullmatch(r"\W*(?:each |je(?:weils)? |各|각\s?)?", said[: ranged.start()]) is not None
        and re.match(r"\s*(?:$|[,;|(（，점分点]|points?\b|pts\b|punkte)", said[ranged.end() :]) is not None
    )
    if whole or alone or (_NUMBER.search(said) and ranged):
        if whole:
            yield "is integer"
        if limits := ranged:
            low, high = (limits[each].replace(",", ".") for each in ("low", "high"))
            yield f"number between {low} and {high}"
        elif (count := bounded_count(said)).startswith("between"):
            yield f"number {count}"
        return
    if _NUMBER.match(said):
        yield "is number"


def _of_text(said: str, scope: PromptScope) -> Iterator[str]:
    """Yield what is asked of a text: its letter case, its language, its size and its words."""
    yield from (f"case is {name}" for name, pattern in _CASES if pattern.search(said))
    lone = replace(scope, structured=False, fields=(), array=False)
    sized = list(described_amounts(said, scope.language))
    yield from sized
    for check in find_checks(said, lone):
        if check.predicate not in sized and not re.search(r"json|table|code block|extra text", check.predicate):
            yield check.predicate


def described_amounts(said: str, code: str) -> Iterator[str]:
    """Yield the amounts that a description gives for the whole of what it describes: ``one sentence of 20 words``."""
    for number, piece in enumerate(re.split(r"[,;，；]", said)):
        if is_conditional(piece) or _PER_ITEM.search(piece):
            continue
        first = re.match(rf"\W*(?P<one>{COUNT})[\s-]*(?P<rest>\S+)", piece, re.IGNORECASE)
        if number == 0 and first and first["one"].lower() in ONE:
            for each in find_amounts(f"in {piece.strip()}", code):
                if each.low == 1 and each.form == "=" and each.start <= _AT_START:
                    yield f"{each.measure} = 1"
        for each in find_amounts(piece, code):
            single = each.form == "=" and each.low == 1
            if not single and (number == 0 or is_of_whole(piece, each.start, each.end)):
                yield f"{each.measure} {each.bound}"


def _of_array(said: str, scope: PromptScope) -> Iterator[str]:
    yield "is json array"
    parts = re.split(r"(?<=[,;，；、])", said)
    for part in parts:
        per_item = _PER_ITEM.search(part)
        sized = [each for each in find_amounts(part, scope.language) if each.measure in ("words", "characters")]
        if sized and not per_item:
            yield from (f"each json item: {each.measure} {each.bound}" for each in sized)
        elif per_item:
            lone = replace(scope, structured=False, fields=(), array=False)
            bare = part[: per_item.start()] + " " * (per_item.end() - per_item.start()) + part[per_item.end() :]
            for check in find_checks(bare, lone):
                yield f"each json item: {check.predicate}"
            yield from (f"each json item: case is {name}" for name, pattern in _CASES if pattern.search(bare))
        elif amount := bounded_count(part):
            yield f"json array length {amount}"
    if keys := item_keys(said):
        yield f"json has {quoted(keys)} or json array length = 0"


def item_keys(said: str) -> tuple[str, ...]:
    """Return the keys that a description names for each object of an array."""
    per_item = _PER_ITEM.search(said)
    if per_item:
        for run in find_runs(said[per_item.start() :]):
            if len(run.texts) >= 2 and not run.either and all(re.fullmatch(r"\w+", each) for each in run.texts):
                return run.texts
    match = _KEYS_OF_ITEMS.search(said)
    if match and not re.search(r"obje[ck]t|objet|oggett|对象", said, re.IGNORECASE):
        return ()
    return (
        tuple(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", re.sub(r"\b(?:and|und|et|y|e)\b", ",", match["list"])))
        if match
        else ()
    )


def bounded_count(part: str) -> str:
    """Return the bound of the first count in a part: ``at most five items``."""
    part = in_digits(part)
    range_ = re.search(rf"(?P<low>{COUNT})\s*(?:to|bis|à|a|-|–|到|至)\s*(?P<high>{COUNT})", part, re.IGNORECASE)
    if range_:
        low, high = count_of(range_["low"]), count_of(range_["high"])
        return f"between {low} and {high}" if low < high else ""
    for match in re.finditer(COUNT, part, re.IGNORECASE):
        after = dict(AFTER)
        for form, before in BEFORE:
            ahead = re.search(rf"(?:{before})\s*$", part[: match.start()], re.IGNORECASE)
            behind = form in after and re.match(
                rf"\s*(?:[^\W\d_]+\s+){{0,2}}(?:{after[form]})", part[match.end() :], re.IGNORECASE
            )
            if ahead or behind:
                return f"{form} {count_of(match.group())}"
    return ""


def _values(said: str) -> Sequence[str]:
    """Return the allowed values: quoted texts that are nearly all of the description, or said to be the choice."""
    for run in find_runs(said):
        if len(run.texts) < 2:
            continue
        left = re.findall(r"[^\W\d_]{2,}", said[: run.start] + " " + said[run.end :])
        chosen = re.search(
            r"\b(?:one of|either|eine[rs]?(?: der| von)?|soit|l['’]une? de|un[oa]? de|uno tra|een van)\b|之一|"
            r"只能|いずれか|のどれか",
            said[: run.start] + said[run.end : run.end + 6],
            re.IGNORECASE,
        )
        if chosen or len(left) <= 2:
            return run.texts
    return _bare_values(said)


def _bare_values(said: str) -> Sequence[str]:
    """Return allowed values without quotes: ``P1, P2 or P3``, ``one of RED, GREEN``; types of a value are none."""
    match = _BARE_VALUES.match(said)
    if match is None:
        named = _ONE_OF.match(said)
        pieces = [piece.strip() for piece in re.split(r",\s*(?:or\s+)?|\s+or\s+", named["list"])] if named else []
        return pieces if len(pieces) > 1 and all(0 < len(piece.split()) <= _SURE for piece in pieces) else ()
    values = _BARE_JOINT.split(match["list"].strip())
    if any(_TYPE.fullmatch(value) for value in values) or len(set(values)) != len(values):
        return ()
    coded = all(re.fullmatch(r"[A-Z0-9][A-Z0-9_-]*", value) for value in values)
    joined = re.search(r"\s(?:or|oder|ou|o|of|lub)\s|或", match["list"]) is not None
    return values if coded or (match["one"] and len(values) > 1) or (joined and len(values) >= _SURE) else ()
