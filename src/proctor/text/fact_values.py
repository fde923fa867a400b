# ruff: noqa: E501 - rows of words in many languages
"""Read the values of a fact in any wording: numbers in words, ranges as two ends, halves, times of day, codes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Final

from proctor.text.clock_times import find_clock_times, find_weekdays
from proctor.text.number_words import find_number_words
from proctor.text.numbers import find_numbers
from proctor.text.pattern_prefilter import Haystack
from proctor.text.quantities import Quantity, find_quantities
from proctor.text.taken_spans import TakenSpans

__all__ = ["FactValue", "fact_values", "has_value"]

_NOON: Final = re.compile(
    r"\b(?:noon|midday|mittags?|midi|mediodía|mezzogiorno|meio-dia|middaguur|południe)\b|正午|お昼の12時|полдень",
    re.IGNORECASE,
)
_LATE: Final = re.compile(
    r"^[^.;,\d]{0,12}?(?:in the (?:afternoon|evening)|at night|tonight|\bpm\b|p\.m|abends|nachmittags|am (?:abend|"
    r"nachmittag)"
    r"|du soir|de l[’']après-midi|de la (?:tarde|noche)|di sera|del pomeriggio|da (?:tarde|noite)"
    r"|[’']s (?:middags|avonds|namiddags)|po południu|wieczorem|вечера|дня|öğleden sonra|akşam)",
    re.IGNORECASE,
)
_EARLY: Final = re.compile(
    r"^[^.;,\d]{0,12}?(?:in the morning|\bam\b|a\.m|morgens|vormittags|früh|du matin|de la mañana|di mattina|"
    r"del mattino"
    r"|da manhã|[’']s (?:ochtends|morgens)|rano|утра|sabah)",
    re.IGNORECASE,
)
_EVENING_BEFORE: Final = re.compile(
    r"(?:abends?|nachmittags?|heute abend|tonight|this evening|akşam|öğleden sonra|wieczorem|вечером)\b[^.;,]{0,12}$",
    re.IGNORECASE,
)
_HOUR_WORD: Final = re.compile(
    r"^\s?(?:o[’']clock|uhr|heures?|uur|h\b|ore|horas?|godzin\w*|час\w*|saat)\b", re.IGNORECASE
)
_AT: Final = re.compile(
    r"(?:\b(?:at|by|until|till|from|between|um|ab|bis|gegen|zwischen|à|vers|dès|jusqu[’']à|a las?|hasta las?|"
    r"desde las?|alle|dalle|fino alle"
    r"|às|até às|om|tot|vanaf|rond|o|do|od|в|до|с|and|et|y|e|en|und)\s)$",
    re.IGNORECASE,
)
_QUARTER: Final = re.compile(
    r"^[^.;,\d]{0,9}?\b(?:et quart|y cuarto|e un quarto|e quart|e um quarto|kwartier over|a quarter past)\b",
    re.IGNORECASE,
)
_HALF_PAST: Final = re.compile(r"^[^.;,\d]{0,9}?\b(?:et demie?|y media|e mezz[ao]|e meia|thirty)\b", re.IGNORECASE)
_LESS_QUARTER: Final = re.compile(r"^[^.;,\d]{0,9}?\b(?:moins le quart|menos cuarto|meno un quarto)\b", re.IGNORECASE)
_HALF_TO: Final = re.compile(r"\b(?:halb|half)\s$", re.IGNORECASE)  # German and Dutch: half seven is 6:30
_PAST: Final = re.compile(
    r"\b(?:half past|quarter past|quarter to|halb|half|viertel nach|viertel vor|kwart over|kwart voor)\s$",
    re.IGNORECASE,
)
# What is said in a word of its own: pattern, value, unit in base units.
_WORDS: Final = (
    (r"\b(?:half a dozen|ein halbes dutzend|une demi-douzaine|media docena|mezza dozzina|meia dúzia|half dozijn)\b", "6", ""),
    (r"(?<!half )(?<!halbes )(?<!demi-)(?<!media )(?<!mezza )(?<!meia )\b(?:a dozen|ein dutzend|une douzaine|una docena|una dozzina|uma dúzia|een dozijn)\b", "12", ""),
    (r"\ban hour and a half\b|\b(?:one and a half|1\.5|1½) hours?\b|\banderthalb stunden\b|\beineinhalb stunden\b|\bune heure et demie\b|\bhora y media\b|\bun[’']ora e mezza\b|\buma hora e meia\b|\banderhalf uur\b|1時間半|一時間半|半小时多?|一个半小时|полтора часа|bir buçuk saat|półtorej godziny", "90", "minute"),
    (r"\ban hour and a quarter\b", "75", "minute"),
    (r"\bthree[- ]quarters of an hour\b|\bdreiviertelstunde\b|\btrois quarts d[’']heure\b|\btres cuartos de hora\b|\btre quarti d[’']ora\b", "45", "minute"),
    (r"(?<!and )\b(?:half an hour|a half[- ]hour)\b|\bhalbe[n]? stunde\b|\bune demi-heure\b|(?<!y )\bmedia hora\b|\bmezz[’']?ora\b|\bmeia hora\b|\bhalf uur(?:tje)?\b|30分間?|半時間|半小时|半个小时|полчаса|yarım saat|pół godziny|반 ?시간", "30", "minute"),
    (r"\ba quarter of an hour\b|\bviertelstunde\b|\bun quart d[’']heure\b|\bcuarto de hora\b|\bun quarto d[’']ora\b|\bkwartier(?:tje)?\b|一刻钟", "15", "minute"),
    (r"\b(?:half a year|six months)\b|\bhalbes jahr\b|\bhalbjahr\b|\bune demi-année\b|\bmedio año\b|\bmezzo anno\b|\bmeio ano\b|\bhalf jaar\b|半年|полгода|pół roku|yarım yıl|반년", "6", "month"),
    (r"\bein(?:e)?einhalb jahre?\b|\banderthalb jahre?\b|\ba year and a half\b", "18", "month"),
    (r"\b(?:a fortnight|quinze jours|quindici giorni|quince días)\b", "20160", "minute"),
    (r"\b(?:half a kilo|halbes kilo|un demi-kilo|medio kilo|mezzo chilo|meio quilo|half kilo)\b|半公斤|一斤|полкило|yarım kilo|pół kilo", "500", "gram"),
    (r"\b(?:a quarter of a kilo|viertelkilo|un quart de kilo|un cuarto de kilo|un quarto di chilo)\b", "250", "gram"),
    (r"\b(?:half a metre|halben meter|demi-mètre|medio metro|mezzo metro|meio metro|halve meter)\b", "500", "millimetre"),
    (r"\b(?:half (?:the )?price|halber preis|moitié prix|mitad de precio|metà prezzo|metade do preço|halve prijs)\b|半額|半价|полцены|yarı fiyat", "50", "percent"),
)  # fmt: skip
_WORD_PATTERNS: Final = Haystack(tuple(pattern for pattern, _, _ in _WORDS))
_CODE: Final = re.compile(r"\b(?=[\w-]{2,20}\b)[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\b")
_LETTER: Final = re.compile(r"[A-Za-z]")
_DIGIT: Final = re.compile(r"[0-9]")
_MEASURE: Final = re.compile(r"^\d+(?:st|nd|rd|th|cm|mm|km|kg|g|h|m|am|pm|px|gb|mp|er|e|x|min)$", re.IGNORECASE)
# Number words of one language that are ordinary words of another.
_NO_NUMBER: Final = frozenset(("on", "once", "sei", "bin", "alt", "네", "한", "두", "세", "석", "넉", "영"))
_WRITTEN_UNIT: Final = re.compile(r"[^\W\d_]+$")
_COUNTED: Final = frozenset({"", "person", "item", "volume", "time", "page"})


@dataclass(frozen=True, slots=True)
class FactValue:
    """A value with its possible readings, its unit in base units, and its place."""

    readings: frozenset[Decimal]
    unit: str
    start: int
    end: int
    quote: str
    code: str = ""
    written: Decimal | None = None  # the number as it is written: 2 in "2 weeks"

    def same(self, other: FactValue) -> bool:
        """Whether two values agree: one reading in common, and units that fit each other."""
        if self.code or other.code:
            return self.code == other.code
        if not other.unit and self.written is not None and self.written in other.readings:
            return True  # "two hours at least, three at most"
        if not self.readings & other.readings:
            return False
        if self.unit == other.unit or {self.unit, other.unit} == {"clock", "minute"}:
            return True
        # A number without a unit may leave out what is clear; a count is no price or length.
        return (not other.unit) or (not self.unit and other.unit in _COUNTED)

    def same_kind(self, other: FactValue) -> bool:
        """Whether one could stand in the place of the other: both are times, or euros, or weights.

        "15 h" may be a time or a length, and words around it tell only sometimes: with the same unit behind it, two
        values are of the same kind whatever each was read as.
        """
        if self.unit == other.unit:
            return bool(self.unit) and not self.code
        if {self.unit, other.unit} != {"clock", "minute"}:
            return False
        units = [_WRITTEN_UNIT.search(each.quote) for each in (self, other)]
        return units[0] is not None and units[1] is not None and units[0].group() == units[1].group()


def has_value(wanted: FactValue, given: Sequence[FactValue]) -> bool:
    """Whether one of the values agrees with the wanted one."""
    return any(wanted.same(each) for each in given)


@lru_cache(maxsize=2048)
def fact_values(text: str) -> tuple[FactValue, ...]:
    """Return the values of a text, in order; each end of a range is one."""
    found = list(_clocks(text))
    for number, hit in _WORD_PATTERNS.find(text):
        _, value, unit = _WORDS[number]
        found.append(_value({Decimal(value)}, unit, hit.start(), hit.end(), text))
    found += [
        FactValue(frozenset(), "code", hit.start(), hit.end(), hit.group(), hit.group().casefold())
        for hit in _CODE.finditer(text)
        if _LETTER.search(hit.group()) and _DIGIT.search(hit.group()) and not _MEASURE.match(hit.group())
    ]
    for one in find_weekdays(text):
        found.append(_value({one.value}, "weekday", one.start, one.end, text))
    taken = TakenSpans(text)
    for each in found:
        taken.add(each.start, each.end)
    for quantity in find_quantities(text):
        if not taken.overlaps(quantity.start, quantity.end):
            found += _of(quantity, text)
            taken.add(quantity.start, quantity.end)
    for spelled in find_number_words(text):
        word = text[spelled.start : spelled.end].lower()
        if spelled.value > 1 and word not in _NO_NUMBER and not taken.overlaps(spelled.start, spelled.end):
            found.append(_value({spelled.value}, "", spelled.start, spelled.end, text))
    return tuple(_joined(sorted(found, key=lambda each: each.start), text))


def _joined(found: Sequence[FactValue], text: str) -> list[FactValue]:
    """Join what belongs together: "a hundred and forty" and "-eight", "zwei Euro" and "fünfzig"."""
    made: list[FactValue] = []
    for one in found:
        last = made[-1] if made else None
        gap = text[last.end : one.start] if last is not None else ""
        if last is not None and len(last.readings) == len(one.readings) == 1 and not one.code and not last.code:
            first, second = next(iter(last.readings)), next(iter(one.readings))
            if gap == "-" and second < 10 and first >= 20 and first % 10 == 0:
                made[-1] = _value({first + second}, one.unit or last.unit, last.start, one.end, text)
                continue
            if gap == " " and not one.unit and last.unit.isupper() and 10 <= second < 100:
                made[-1] = _value({first + second / 100}, last.unit, last.start, one.end, text)
                continue
        made.append(one)
    return made


def _of(quantity: Quantity, text: str) -> Iterator[FactValue]:
    if quantity.day is not None:
        for part in (quantity.day.month, quantity.day.day):
            if part is not None:
                yield _value({Decimal(part)}, "", quantity.start, quantity.end, text)
        return
    unit, times = ("minute", 60) if quantity.unit == "hour" else (quantity.unit, 1)
    for end in (quantity.value, quantity.high):
        if end is not None:
            made = _value({end * times}, unit, quantity.start, quantity.end, text)
            yield replace(made, written=end / quantity.size) if unit else made


def _value(readings: set[Decimal], unit: str, start: int, end: int, text: str) -> FactValue:
    return FactValue(frozenset(readings), unit, start, end, text[start:end])


def _clocks(text: str) -> Iterator[FactValue]:
    seen: list[FactValue] = []
    for one in find_clock_times(text):
        seen.append(
            _value({one.value} | ({one.high} if one.high is not None else set()), "clock", one.start, one.end, text)
        )
    for hit in _NOON.finditer(text):
        seen.append(_value({Decimal(720)}, "clock", hit.start(), hit.end(), text))
    taken = TakenSpans(text)
    for each in seen:
        taken.add(each.start, each.end)
    numbers = [(each.value, each.start, each.end) for each in find_number_words(text)]
    numbers += [(each.value, each.start, each.end) for each in find_numbers(text)]
    for value, start, end in numbers:
        if 1 <= value <= 24 and value == int(value) and not taken.overlaps(start, end):
            made = _spoken(text, int(value), start, end)
            if made is not None:
                seen.append(made)
                taken.add(made.start, made.end)
    yield from seen


def _spoken(text: str, hour: int, start: int, end: int) -> FactValue | None:
    """Return a time of day in words: "halb sieben", "deux heures et quart de l'après-midi", "three in the afternoon"."""
    before, after = text[max(0, start - 24) : start], text[end : end + 44]
    marked = _HOUR_WORD.match(after)
    rest = after[marked.end() :] if marked else after
    half_to = _HALF_TO.search(before) is not None
    at = _AT.search(before) is not None
    minutes = 0
    for pattern, extra in ((_QUARTER, 15), (_HALF_PAST, 30), (_LESS_QUARTER, -15)):
        if (hit := pattern.match(rest)) is not None:
            minutes, rest = extra, rest[hit.end() :]
            break
    late = _LATE.match(rest) is not None or _EVENING_BEFORE.search(_PAST.sub("", before)) is not None
    early = _EARLY.match(rest) is not None
    if not (half_to or late or early or (marked and at) or (minutes and marked)):
        return None
    value = hour * 60 + minutes - (30 if half_to else 0)
    if late and hour < 12:
        readings = {Decimal(value + 720)}
    elif early or hour > 12:
        readings = {Decimal(value)}
    else:
        readings = {Decimal(value), Decimal(value + 720)}
    return _value(readings | set(), "clock", start, end + (marked.end() if marked else 0), text)
