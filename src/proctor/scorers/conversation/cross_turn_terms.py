# ruff: noqa: E501 - words in many languages
"""Find terms that two answers state differently: opening hours of a day, a price or none, a condition or none.

Each is compared as a value, in any language: the last hour of a day, closed against open, free against an amount, "only
by appointment" against "without an appointment". What both speak of is compared by the words beside the value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Final, TypeVar

from proctor.scorers.conversation.cross_turn_conflicts import other_things
from proctor.scorers.conversation.cross_turn_opposites import is_case, saying_of
from proctor.scorers.conversation.cross_turn_statements import Pair, Spoken
from proctor.text.charges import is_charged_extra, is_part_of_price
from proctor.text.claims import statements
from proctor.text.clock_times import find_clock_times, find_weekdays
from proctor.text.content_words import content
from proctor.text.money import CURRENCIES
from proctor.text.normalise.language_likeness import common_words
from proctor.text.polarity import denied_root, is_denied, is_free, is_included, root_words, split_clauses
from proctor.text.quantities import find_quantities
from proctor.text.script import language_of
from proctor.text.units import find_unit

__all__ = ["changed_hours", "changed_terms", "is_charged_otherwise"]

Kind = TypeVar("Kind")
_BACK: Final = 8  # answers
# The two ends of opening hours, and a day without any: a closed class.
_END: Final = re.compile(
    r"\b(?:until|till|up to|clos\w+|ends?|bis|schlie(?:ß|ss)\w*|jusqu\w+|ferm\w+|hasta|cierra\w*|fino|chiud\w+|"
    r"até|fecha\w*|tot|sluit\w*|till|stänger|do|zamyka\w*"
    r"|до|закрыва\w+|kadar|kapan\w+)\b|まで|閉|关门|关闭|까지|닫|حتى",
    re.IGNORECASE,
)
_START: Final = re.compile(
    r"\b(?:from|opens?|starts?|begins?|ab|von|öffne\w*|à partir|dès|ouvre\w*|desde|abre\w*|da(?:lle|l)?|apre|"
    r"a partir|das|vanaf|van|opent|från|öppnar|od|otwiera\w*"
    r"|с|открыва\w+|açıl\w+)\b|から|開|开门|부터|열|من",
    re.IGNORECASE,
)
_CLOSED: Final = re.compile(
    r"\b(?:clos(?:ed|es?)|geschlossen|zu|fermée?s?|ferme|cerrad\w+|cierra\w*|chius\w+|chiude|fechad\w+|fecha|"
    r"gesloten|dicht|stängt|zamknię\w+|nieczynn\w+|закрыт\w*|не работает|kapalı)\b"
    r"|休業|定休|休み|休館|关门|不营业|休息|휴무|닫|مغلق",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(
    r"\s?(?:[-–—~〜～]|から|到|至|부터)\s?|\s(?:to|till|until|bis|tot|à|a|alle|às|até|do|do|till|до|ile)\s(?:(?:las?|os|"
    r"le)\s)?",
    re.IGNORECASE,
)
_NEAR: Final = 24  # characters before a time in which a word says which end it is
_ONLY: Final = re.compile(
    r"\b(?:only|required|nur|ausschließlich|seulement|uniquement|que sur|sólo|solo|únicamente|soltanto|solamente|"
    r"apenas|só|somente|alleen|uitsluitend|endast|bara|tylko|wyłącznie|только|sadece|yalnızca)\b|のみ|だけ|只|仅|만 ",
    re.IGNORECASE,
)
_COST: Final = root_words(
    "free charge costs price amount kostenlos kostenfrei kostet kosten gebühr preis gratis gratuit gratuite coûte coût prix gratuito gratuita cuesta precio costa costo prezzo custa custo preço kost prijs kostar pris kosztuje cena бесплатно стоит цена ücretsiz fiyat é"
)
_COST_STEMS: Final = content(
    "free charge charges cost costs price amount fee fees pay paid euro dollar pound eur usd gbp"
)
_NAME: Final = re.compile(r"(?<=[^\W\d_] )[^\W\d_a-zß-öø-ÿ][^\W\d_]+|[\w-]*\d[\w-]*")
_TOKEN: Final = re.compile(r"[^\W_]+|[^\w\s]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_LEAST_SHARED: Final = 2
_SHORT_WORD: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hours:
    """What an answer says of opening hours: the days, which end ("closed" has no time), and the readings of the time."""

    sentence: str
    days: frozenset[Decimal]
    end: str
    times: frozenset[Decimal]


def changed_hours(said: Sequence[Spoken]) -> Iterator[tuple[Pair, str]]:
    """Yield pairs of answers with another opening or closing time for the same day, or a day both open and closed."""
    for earlier, later in _answers(said):
        found = _first(_hours(earlier.answer), _hours(later.answer), _hours_differ)
        if found is not None:
            yield _pair(earlier, later, *found), f"other hours for the same day: {found[0]!r}"


def changed_terms(said: Sequence[Spoken]) -> Iterator[tuple[Pair, str, frozenset[str]]]:
    """Yield pairs of answers of which one calls free what costs something in the other, or drops its condition.

    The third value is what both speak of: news of something else is no reason for another term.
    """
    for earlier, later in _answers(said):
        one, two = _clauses(earlier.answer), _clauses(later.answer)
        found = _first(one, two, lambda a, b: _is_priced_and_free(a, b) or _is_priced_and_free(b, a))
        if found is not None:
            pair = _pair(earlier, later, *found)
            clauses = replace(pair, one=replace(pair.one, text=found[0]), two=replace(pair.two, text=found[1]))
            happened = pair.one.changed or pair.two.changed  # what was refunded or charged once is no price
            if not happened and (language_of(found[1]) != "en" or not other_things(clauses, same_question=True)):
                about = _subject(found[0]) & _subject(found[1])
                yield pair, f"free in one answer, for an amount in the other: {found[0]!r}", about
        found = _first(_claims(earlier.answer), _claims(later.answer), is_charged_otherwise)
        if found is not None and (language_of(found[1]) != "en" or not other_things(_pair(earlier, later, *found))):
            about = _subject(found[0]) & _subject(found[1])
            yield _pair(earlier, later, *found), f"included in one answer, extra in the other: {found[0]!r}", about
        found = _first(one, two, lambda a, b: _is_condition_dropped(a, b) or _is_condition_dropped(b, a))
        if found is not None:
            about = frozenset(each for each in map(denied_root, found) if each)
            why = f"a condition in one answer, without it in the other: {found[0]!r}"
            yield _pair(earlier, later, *found), why, about


def _answers(said: Sequence[Spoken]) -> Iterator[tuple[Spoken, Spoken]]:
    for place, later in enumerate(said):
        for earlier in said[max(0, place - _BACK) : place]:
            yield earlier, later


def _first(one: Sequence[Kind], two: Sequence[Kind], differ: Callable[[Kind, Kind], bool]) -> tuple[str, str] | None:
    for later in two:
        for earlier in one:
            if differ(earlier, later):
                return _text(earlier), _text(later)
    return None


def _text(one: object) -> str:
    return one.sentence if isinstance(one, _Hours) else str(one)


def _pair(earlier: Spoken, later: Spoken, one: str, two: str) -> Pair:
    return Pair(earlier=earlier, later=later, one=saying_of(earlier, one), two=saying_of(later, two))


@lru_cache(maxsize=512)
def _hours(answer: str) -> tuple[_Hours, ...]:
    """Return the opening and closing times that an answer gives for named days."""
    made: list[_Hours] = []
    for each in statements(answer, most=40):
        if each.kind != "claim":
            continue
        for clause in _day_clauses(each.text):
            days = frozenset(one.value for one in find_weekdays(clause))
            times = list(find_clock_times(clause))
            if not days:
                continue
            if not times and _CLOSED.search(clause) and not is_denied(clause):
                made.append(_Hours(sentence=clause, days=days, end="closed", times=frozenset()))
            for place, time in enumerate(times):
                after = times[place + 1] if place + 1 < len(times) else None
                first = after is not None and _BETWEEN.fullmatch(clause[time.end : after.start]) is not None
                last = place > 0 and _BETWEEN.fullmatch(clause[times[place - 1].end : time.start]) is not None
                before = clause[max(0, time.start - _NEAR) : time.start]
                end = "last" if last else "first" if first else _end_of(before)
                readings = frozenset(each % 1440 for each in (time.value, time.high) if each is not None)
                if end:
                    made.append(_Hours(sentence=clause, days=days, end=end, times=readings))
    return tuple(made)


def _day_clauses(sentence: str) -> Sequence[str]:
    """Return the clauses of a sentence if each names its own days, else the sentence."""
    parts = split_clauses(sentence)
    named = [each for each in parts if any(True for _ in find_weekdays(each))]
    return named if len(named) > 1 else [sentence] if len(parts) == 1 or not named else named


def _end_of(before: str) -> str:
    """Return which end of the hours a time is, by the last word before it that says so."""
    last = max((match.start() for match in _END.finditer(before)), default=-1)
    first = max((match.start() for match in _START.finditer(before)), default=-1)
    return "" if last == first else "last" if last > first else "first"


def _hours_differ(one: _Hours, two: _Hours) -> bool:
    if not one.days & two.days or not _is_same_place(one.sentence, two.sentence):
        return False
    if "closed" in (one.end, two.end):
        return one.end != two.end
    return one.days == two.days and one.end == two.end and not one.times & two.times


def _is_same_place(one: str, two: str) -> bool:
    """Whether both share a word beside days and times, and do not name different things."""
    left, right = _subject(one), _subject(two)
    names = _names(one) - _plain_words(two), _names(two) - _plain_words(one)
    shares = left & right or _names(one) & _plain_words(two) or _names(two) & _plain_words(one)
    return bool(shares) and not (names[0] and names[1])


def _subject(text: str) -> frozenset[str]:
    """Return the roots of a clause without days, hours, prices and everyday words."""
    plain = text
    for one in sorted((*find_weekdays(text), *find_clock_times(text)), key=lambda each: -each.start):
        plain = f"{plain[: one.start]} {plain[one.end :]}"
    for pattern in (_END, _START, _CLOSED):
        plain = pattern.sub(" ", plain)
    plain = _WORD.sub(lambda word: " " if _is_unit(word.group().lower()) else word.group(), plain)
    if language_of(text) == "en":
        return content(plain) - _COST_STEMS
    return root_words(plain) - _COST - _everyday()


@lru_cache(maxsize=4096)
def _is_unit(word: str) -> bool:
    """Whether a word counts something: days, Stunden, personnes are no things of which two answers speak."""
    found = find_unit(f"1 {word}", 1)
    return found is not None and found.end == len(word) + 2


@lru_cache(maxsize=1)
def _everyday() -> frozenset[str]:
    return frozenset[str]().union(*(root_words(f"{each} é") for each in common_words()))


def _names(text: str) -> frozenset[str]:
    days = {one.quote.casefold() for one in find_weekdays(text)} | {
        one.quote.casefold() for one in find_clock_times(text)
    }
    return frozenset(each for each in map(str.casefold, _NAME.findall(text)) if not any(each in day for day in days))


def _plain_words(text: str) -> frozenset[str]:
    return frozenset(each.casefold() for each in _TOKEN.findall(text))


@lru_cache(maxsize=512)
def _clauses(answer: str) -> tuple[str, ...]:
    return tuple(
        clause for each in statements(answer, most=40) if each.kind == "claim" for clause in split_clauses(each.text)
    )


@lru_cache(maxsize=512)
def _claims(answer: str) -> tuple[str, ...]:
    return tuple(each.text for each in statements(answer, most=40) if each.kind == "claim")


def is_charged_otherwise(one: str, two: str) -> bool:
    """Whether one sentence calls a thing free or included that is charged extra in the other."""
    if not (is_part_of_price(one) and is_charged_extra(two)) and not (is_charged_extra(one) and is_part_of_price(two)):
        return False
    shared = frozenset(each for each in _subject(one) & _subject(two) if not is_included(each))
    if len(shared) >= _LEAST_SHARED:
        return True
    return len(shared) == 1 and not any(_is_qualified(next(iter(shared)), text) for text in (one, two))


def _is_priced_and_free(priced: str, free: str) -> bool:
    """Whether one clause names an amount for what the other calls free."""
    if not is_free(free) or is_free(priced) or is_case(free) or is_case(priced) or is_denied(free) or is_denied(priced):
        return False
    amounts = [one for one in find_quantities(priced) if one.unit in CURRENCIES]
    if len(amounts) != 1 or amounts[0].value <= 0 or any(one.unit for one in find_quantities(free)):
        return False
    shared = _subject(priced) & _subject(free)
    if _names(priced) - _plain_words(free) - _plain_words(amounts[0].quote) and _names(free) - _plain_words(priced):
        return False
    if len(shared) >= _LEAST_SHARED:
        return True
    return len(shared) == 1 and not any(_is_qualified(next(iter(shared)), text) for text in (priced, free))


def _is_qualified(root: str, clause: str) -> bool:
    """Whether a content word stands right beside the only shared word: "express delivery" is another delivery."""
    tokens = [each.casefold() for each in _TOKEN.findall(clause)]
    for place, token in enumerate(tokens):
        if not token.startswith(root):
            continue
        beside = [tokens[at] for at in (place - 1, place + 1) if 0 <= at < len(tokens)]
        if any(len(each) > _SHORT_WORD and root_words(f"{each} é") - _everyday() - _COST for each in beside):
            return True
    return False


def _is_condition_dropped(bound: str, free: str) -> bool:
    """Whether one clause allows something only with a thing, and the other without it: only by appointment."""
    missing = denied_root(free)
    if not missing or not _ONLY.search(bound) or is_denied(_ONLY.sub(" ", bound)):
        return False
    return missing in root_words(bound) and missing not in _everyday()
