# ruff: noqa: E501 - patterns of words in fifteen languages
"""Find a source that gives another value for the same thing: 48 hours where the claim has 24."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from proctor.scorers.answer.quality_parts.source_passages import Ready, SourcePassage
from proctor.text.clock_times import find_clock_times, find_times
from proctor.text.facts import Piece
from proctor.text.filtered_pattern import FilteredPattern
from proctor.text.known_values import KnownValues
from proctor.text.money import CURRENCIES
from proctor.text.polarity import find_opposite, is_denied, is_free, is_included, root_words, split_clauses
from proctor.text.price_rates import rate_of
from proctor.text.quantities import Quantity, comparable, find_quantities

__all__ = ["EXACT_UNITS", "ValueConflict", "find_conflict", "has_times", "is_exact"]

# Units whose figures are copied or computed, never reworded.
EXACT_UNITS: Final = frozenset(
    {
        *("percent", "minute", "hour", "business day", "month", "date", "clock", "weekday"),
        *("volume", "gram", "millimetre", "megabyte", "millilitre"),
    }
)
_SAME_WORDS: Final = 0.75  # share of a clause's words in a clause of the source that says the opposite
_SHORT_DAYS: Final = re.compile(r"(?<!\w)[^\W\d_]{1,3}\.?\s?[-–]\s?[^\W\d_]{1,3}(?!\w)")
_DAY_BEFORE: Final = FilteredPattern(
    r"\b(?:the day before|the previous day|(?:am|bis zum) (?:vortag|tag davor)|la veille|(?:el|"
    r"al) día (?:anterior|antes)|il giorno prima"
    r"|(?:na|a) véspera|o dia anterior|de dag (?:ervoor|tevoren)|dzień wcześniej|накануне|bir gün önce(?:si)?)\b|"
    r"前日|前一天|전날|قبل يوم",
    re.IGNORECASE,
)
_PER_ANY: Final = re.compile(
    r"\s?(?:/|\b(?:per|pro|je|a|al|alla|la|por|par|cada|ogni|each|monthly|daily|monatlich|täglich|na|za|за|в|"
    r"каждый|ежемесячно)\b"
    r"|毎|每|につき|매|당|كل|प्रति|हर)",
    re.IGNORECASE,
)
_FROM: Final = re.compile(
    r"\b(?:from|over|above|starting|more than|ab|über|vanaf|boven|dès|à partir|au-delà|plus de|desde|a partir|"
    r"más de|superior\w*"
    r"|oltre|da|sopra|acima|mais de|od|powyżej|от|свыше|более|üzeri\w*|üstü\w*)\b|以上|满|滿|超过|超過|이상|से ऊपर|से अधिक|"
    r"فوق|أكثر من",
    re.IGNORECASE,
)
_LEAST_FOR_FREE: Final = 2  # words that a clause on what is free shares with the claim
_CODE: Final = re.compile(r"\b[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\b")  # T-301
_DAY_MINUTES: Final = 1440
_FEW_FIELDS: Final = 3  # comparable values of a record about one thing
_MANY_VALUES: Final = 8  # comparable values of a passage from which one shared word is too little


def is_exact(one: Quantity) -> bool:
    """Whether the figure is of a kind that is copied or computed from a source."""
    return (one.unit in EXACT_UNITS or one.unit in CURRENCIES) and not one.is_article


@dataclass(frozen=True, slots=True)
class ValueConflict:
    """What a claim says, and what a source says for the same thing; without a source, nothing confirms the figure."""

    said: str
    told: str = ""
    passage: SourcePassage | None = None
    in_words: bool = False  # found by words of denial, not by a figure


def find_conflict(claim: str, known: KnownValues, ready: Sequence[Ready]) -> ValueConflict | None:
    """Return the first conflict of a claim with the sources: a figure, a rate, a charge, or a denial."""
    figures = (*find_quantities(claim), *find_times(claim), *_days_before(claim))
    lonely: ValueConflict | None = None
    for one in figures:
        if not is_exact(one) or known.explains(one, [each for each in figures if each is not one]):
            continue
        if _is_factor(one, figures, known):
            continue
        rivals = _rivals(claim, one, figures, ready)
        rival = next((each for each in rivals if not _lies_within(one, each[1])), None)
        if rival is not None:
            return ValueConflict(one.quote.strip(), rival[1].quote.strip(), rival[0])
        if one.unit in CURRENCIES and (free := _free_clause(claim, ready)) is not None:
            return ValueConflict(one.quote.strip(), free[1], free[0])
        lonely = lonely or ValueConflict(one.quote.strip())
    return (
        _other_rate(claim, figures, ready)
        or _other_total(claim, ready)
        or _other_charge(claim, figures, ready)
        or _below_threshold(claim, ready)
        or _denial(claim, ready)
        or lonely
    )


def _other_rate(claim: str, figures: Sequence[Quantity], ready: Sequence[Ready]) -> ValueConflict | None:
    """Find an amount that is paid for something else: per day in the claim, per booking in the source."""
    for one in figures:
        if one.unit not in CURRENCIES or (rate := rate_of(claim, one)) is None:
            continue
        said = [
            (each.passage, rate_of(each.passage.text, other))
            for each in ready
            for other in each.read.figures
            if other.same(one)
        ]
        if said and all(other not in (None, rate) for _, other in said):
            return ValueConflict(
                f"{one.quote.strip()} per {rate.split()[0]}", f"per {str(said[0][1]).split()[0]}", said[0][0]
            )
    return None


def _other_total(claim: str, ready: Sequence[Ready]) -> ValueConflict | None:
    """Find a total for several days or months that is not the rate times their number: 5 x 11 EUR are not 99 EUR.

    The wrong total is the rate itself, or a higher amount of the same sentence, such as the cap.
    """
    found = find_quantities(claim)
    spans = [one for one in found if one.unit in ("hour", "month") and one.value_written >= 2 and one.high is None]
    totals = [one for one in found if one.unit in CURRENCIES and _PER_ANY.match(claim, one.end) is None]
    if len(spans) != 1 or len(totals) != 1:
        return None
    (span,), (total,) = spans, totals
    for each in ready:
        for piece in _sentences(each):
            prices = [one for one in piece.quantities if one.unit == total.unit]
            rates = [one.value for one in prices if rate_of(piece.text, one) == f"{span.unit} {span.size}"]
            if len(rates) != 1 or not any(one.same(total) for one in prices):
                continue
            right = rates[0] * span.value_written
            if total.value == rates[0] or total.value > right:
                return ValueConflict(f"{total.quote.strip()} for {span.quote.strip()}", f"{right:f}", each.passage)
    return None


def _below_threshold(claim: str, ready: Sequence[Ready]) -> ValueConflict | None:
    """Find something called free for an amount below the one from which it is free."""
    if not is_free(claim) or is_denied(claim) or _FROM.search(claim):
        return None
    amounts = [one for one in find_quantities(claim) if one.unit in CURRENCIES and one.value > 0]
    for each in ready if len(amounts) == 1 else ():
        for clause in split_clauses(each.passage.text):
            if not is_free(clause) or not _FROM.search(clause):
                continue
            for limit in find_quantities(clause):
                if limit.unit == amounts[0].unit and limit.value > amounts[0].value:
                    return ValueConflict(f"free for {amounts[0].quote.strip()}", clause, each.passage)
    return None


def _other_charge(claim: str, figures: Sequence[Quantity], ready: Sequence[Ready]) -> ValueConflict | None:
    """Find a charge for what the claim calls free, if no source calls anything free or included."""
    if not is_free(claim) or any(one.unit in CURRENCIES and one.value > 0 for one in figures):
        return None
    if any(is_free(each.passage.text) or is_included(each.passage.text) for each in ready):
        return None
    words = root_words(claim)
    for each in ready:
        for piece in _sentences(each):
            price = next((one for one in piece.quantities if one.unit in CURRENCIES and one.value > 0), None)
            if price is not None and words & _piece_roots(piece):
                return ValueConflict("free of charge", price.quote.strip(), each.passage)
    return None


def _free_clause(claim: str, ready: Sequence[Ready]) -> tuple[SourcePassage, str] | None:
    """Return a clause that calls free what the claim gives a price for."""
    words = root_words(claim)
    for each in ready:
        for piece in each.read.pieces.levels[0] if each.read.pieces.levels else ():
            if is_free(piece.text) and len(words & _piece_roots(piece)) >= _LEAST_FOR_FREE:
                return each.passage, piece.text
    return None


def _denial(claim: str, ready: Sequence[Ready]) -> ValueConflict | None:
    """Find a clause that denies what the claim affirms in nearly the same words, or the reverse."""
    for each in ready:
        if not each.passage.data and (found := find_opposite(claim, [each.passage.text], _SAME_WORDS)) is not None:
            return ValueConflict(found.clause, found.source, each.passage, in_words=True)
    return None


def _lies_within(one: Quantity, other: Quantity) -> bool:
    """Whether a figure is one of those that a range allows: five years of "4 to 6 years"."""
    return one.high is None and other.high is not None and other.value <= one.value <= other.high


def _days_before(claim: str) -> Iterator[Quantity]:
    """Yield the time that "the day before" is: one day."""
    for match in _DAY_BEFORE.finditer(claim):
        yield Quantity(value=Decimal(24), unit="hour", start=match.start(), end=match.end(), quote=match.group())


def _is_factor(one: Quantity, figures: Sequence[Quantity], known: KnownValues) -> bool:
    """Whether a count is an example that another figure was computed with: "with 4 months left, 40 EUR"."""
    count = one.value_written
    prices = [each.value for each in known.stated if each.unit in CURRENCIES]
    return one.unit not in CURRENCIES and any(
        each.unit in CURRENCIES and any(price * count == each.value for price in prices) for each in figures
    )


def _rivals(
    claim: str, one: Quantity, figures: Sequence[Quantity], ready: Sequence[Ready]
) -> Iterator[tuple[SourcePassage, Quantity]]:
    """Yield comparable values of sentences that share words with the claim and a value the claim does not repeat."""
    words = root_words(claim)
    for each in ready:
        pieces = _sentences(each)
        if one.unit == "weekday" and _SHORT_DAYS.search(each.passage.text):
            continue  # abbreviations such as Mo-Fr are not read
        values = [(piece, other) for piece in pieces for other in _values(piece, one.unit) if _is_alike(one, other)]
        # The fields of a small record are about one thing, which its name and its other fields say.
        if each.passage.data and len(values) <= _FEW_FIELDS and _is_about(claim, words, one, figures, each):
            alike = (other for _, other in values if other.unit == one.unit)
            told = next((other for other in alike if not any(other.same(figure) for figure in figures)), None)
            if told is not None:
                yield each.passage, told
                continue
        least = 1 if len(values) < _MANY_VALUES else 2
        near = sorted(values, key=lambda pair: -len(words & _piece_roots(pair[0])))
        for piece, other in near:
            # Days and working days are of one kind only if the sentences clearly are of one topic.
            wanted = least if one.unit == other.unit else max(least, 2)
            if len(words & _piece_roots(piece)) >= wanted and not any(other.same(figure) for figure in figures):
                yield each.passage, other
                break


def _is_about(claim: str, words: frozenset[str], one: Quantity, figures: Sequence[Quantity], ready: Ready) -> bool:
    """Whether a claim is about a record: they share a word, or in any two languages a code or another value."""
    passage = ready.passage
    if words & root_words(f"{passage.name.replace('_', ' ')} {passage.text}"):
        return True
    if not _codes(claim).isdisjoint(_codes(passage.text)):
        return True
    others = [each for each in figures if each is not one and is_exact(each)]
    times = [each for each in others if each.unit == "clock"]
    if any(has_times(ready, [each]) for each in times):
        return True
    return any(each.same(told) for each in others if each.unit != "clock" for told in ready.read.figures)


def _codes(text: str) -> frozenset[str]:
    """Return the words of letters and digits; a word of either alone is no code."""
    return frozenset(each for each in _CODE.findall(text) if re.search(r"\d", each) and re.search(r"[A-Za-z]", each))


def has_times(ready: Ready, times: Sequence[Quantity]) -> bool:
    """Whether a passage has these times of day; one without am or pm may be of either half of the day."""
    if not times:
        return True
    told = [_readings(each) for each in find_clock_times(ready.passage.text)]
    return all(any(_readings(one) & each for each in told) for one in times)


def _readings(time: Quantity) -> frozenset[Decimal]:
    return frozenset(each % _DAY_MINUTES for each in (time.value, time.high) if each is not None)


def _sentences(ready: Ready) -> tuple[Piece, ...]:
    levels = ready.read.pieces.levels
    return levels[min(1, len(levels) - 1)] if levels else ()


def _values(piece: Piece, unit: str) -> tuple[Quantity, ...]:
    return (*find_times(piece.text), *piece.quantities) if unit in ("clock", "weekday") else piece.quantities


def _is_alike(one: Quantity, other: Quantity) -> bool:
    """Whether two values are of one kind; a time of day is also computed from minutes before another one."""
    if one.unit == "clock":
        return other.unit in ("clock", "minute", "hour")
    return comparable(one, other) or {one.unit, other.unit} == {"hour", "business day"}


def _piece_roots(piece: Piece) -> frozenset[str]:
    return root_words(piece.text)
