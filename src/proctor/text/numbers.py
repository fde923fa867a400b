"""Find numbers in a text: separators, signs, non-ASCII digits, percent, 万 and million."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import lru_cache
from typing import Final, Literal

from proctor.core.fast_dataclass import fast_constructor

__all__ = ["EXACT", "DecimalMark", "Number", "find_numbers"]

DecimalMark = Literal["auto", "point", "comma"]

# Longer than any real quantity; bounds the work on hostile digit runs.
MOST_DIGITS: Final = 300
MOST_EXPONENT: Final = 300
EXACT: Final = Context(prec=4 * (MOST_DIGITS + MOST_EXPONENT))

_NARROW = "\u00a0"
_SAME_AS = {
    "，": ",",
    "．": ".",
    "٫": ".",
    "٬": ",",
    "％": "%",
    "٪": "%",
    "－": "-",
    "−": "-",
    "＋": "+",
    "’": "'",
    "\u202f": _NARROW,
    "\u2009": _NARROW,
    "￥": "¥",
    "＄": "$",
}
_TOKEN = re.compile(
    r"(?P<sign>(?<![0-9A-Za-z_)\].,])[-+△▲])?"
    r"(?P<currency>[$€£¥₩₹]\s?)?"
    r"(?:(?<![A-Za-z_0-9])(?<![A-Za-z]-)(?P<body>[0-9]+(?:[.,'" + _NARROW + r"][0-9]+)*)"
    r"|(?<![0-9A-Za-z_.)\]])(?P<bare>\.[0-9]+))"
    r"(?P<exponent>[eE][-+]?[0-9]+(?![A-Za-z0-9]))?"
)
# Where a number can begin: a sign, a currency, a point or a run of digits. This search takes a fifth of the time.
_BEGIN = re.compile(r"[-+△▲$€£¥₩₹.0-9](?:(?<=[0-9])[0-9]*)?")
_PERCENT = re.compile(r"\s?(?:%|percent\b|per cent\b|パーセント)", re.IGNORECASE)
_PERCENT_BEFORE = re.compile(r"(?:(?<![\w%/=&?+])%|\byüzde\s|百分之)\s?$", re.IGNORECASE)
_SHORT_WORD: Final = 8
_KANJI_UNIT = re.compile(r"([百千천])?([万萬億亿兆만억])?")
_ENGLISH_UNIT = re.compile(r"\s?((?a:thousand|million|billion|trillion))\b", re.IGNORECASE)  # ASCII: ſ does not match s
# The first letters of the three patterns above: a number continues after a blank only with one of them.
_MAY_FOLLOW: Final = frozenset("百千천万萬億亿兆만억TMBtmb%Ppパ")
_BEFORE_PERCENT: Final = frozenset("%之Ee")  # the last character before a number
_POWER = {"百": 2, "千": 3, "천": 3, "만": 4, "억": 8, "万": 4, "萬": 4, "億": 8, "亿": 8, "兆": 12}
_ENGLISH_POWER = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}

_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:([.,'" + _NARROW + r"])[0-9]{3})(?:\1[0-9]{3})*")
_GROUPED_BY_LAKH = re.compile(r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}")
_PIECE = re.compile(r"[0-9.]+")
_NOT_DIGIT = re.compile(r"[^0-9]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number in a text; ``percent`` if a percent sign follows it."""

    value: Decimal
    start: int
    end: int
    percent: bool = False

    @property
    def readings(self) -> tuple[Decimal, ...]:
        """Its possible values: ``12 %`` is 12 and 0.12."""
        return (self.value, self.value.scaleb(-2, EXACT)) if self.percent else (self.value,)


_number: Final = fast_constructor(Number)  # ten of them in a policy, each read in several pieces of it


def find_numbers(text: str, *, decimal: DecimalMark = "auto") -> tuple[Number, ...]:
    """Return every number in the text, in order.

    Digits attached to a letter before them (``A4``, ``COVID-19``) and dotted versions (``1.2.3``) are skipped.
    """
    plain = text if text.isascii() else text.translate(_AS_PLAIN)
    found: list[Number] = []
    before = 0  # power of ten of the last number's unit
    for number, power in _parts(plain, decimal):
        # 3億5000万 is one number: its parts are adjacent with decreasing units. Korean puts a space there: 2만 4천.
        between = plain[found[-1].end : number.start] if before > power else "-"
        if not between or (between == " " and power):
            total = EXACT.add(found[-1].value, number.value.copy_sign(found[-1].value))
            found[-1] = _number(value=total, start=found[-1].start, end=number.end, percent=number.percent)
        else:
            found.append(number)
        before = power
    return tuple(found)


@lru_cache(maxsize=4096)
def _plain(code: int) -> str:
    """Return the equivalent ASCII character; always one, so that offsets stay the same."""
    digit = unicodedata.decimal(chr(code), None)
    return str(digit) if digit is not None else _SAME_AS.get(chr(code), chr(code))


class _AsPlain:
    """A table for ``str.translate`` that caches only recent characters."""

    def __getitem__(self, code: int) -> str:
        return _plain(code)


_AS_PLAIN: Final = _AsPlain()


def _parts(plain: str, decimal: DecimalMark) -> Iterator[tuple[Number, int]]:
    """Yield each number with the power of ten of its unit."""
    for token in _tokens(plain):
        body = token["body"] or token["bare"]
        exponent = token["exponent"] or ""
        if len(exponent) > 9 or (exponent and abs(int(exponent[1:])) > MOST_EXPONENT):
            continue
        begin = token.start("body") if token["body"] else token.start("bare")
        pieces = _read(body, decimal)
        for index, (digits, start, end) in enumerate(pieces):
            value = Decimal(digits)
            if index == 0 and token["sign"] and token["sign"] in "-△▲":
                value = -value
            first = token.start() if index == 0 else begin + start
            if index == len(pieces) - 1:
                if exponent:
                    value = EXACT.multiply(value, Decimal("1" + exponent))
                yield _with_unit(plain, value, first, token.end())
            else:
                yield _number(value=value, start=first, end=begin + end), 0


def _tokens(plain: str) -> Iterator[re.Match[str]]:
    """Yield candidate numbers in order, without overlaps."""
    after = 0
    for begin in _BEGIN.finditer(plain):
        if begin.start() >= after and (token := _TOKEN.match(plain, begin.start())) is not None:
            after = token.end()
            yield token


def _with_unit(plain: str, value: Decimal, start: int, end: int) -> tuple[Number, int]:
    power = 0
    sign = plain[end : end + 1]
    if (plain[end + 1 : end + 2] if sign.isspace() else sign) in _MAY_FOLLOW:
        if (unit := _KANJI_UNIT.match(plain, end)) and unit.end() > end:
            power = sum(_POWER[sign] for sign in unit.groups() if sign)
            end = unit.end()
            value = value.scaleb(power, EXACT)
        if not power and (word := _ENGLISH_UNIT.match(plain, end)):
            value = value.scaleb(_ENGLISH_POWER[word[1].lower()], EXACT)
            end = word.end()
        if percent := _PERCENT.match(plain, end):
            return _number(value=value, start=start, end=percent.end(), percent=True), power
    before = None
    if start and plain[max(0, start - _SHORT_WORD) : start].rstrip()[-1:] in _BEFORE_PERCENT:
        before = _PERCENT_BEFORE.search(plain, max(0, start - _SHORT_WORD), start)  # Turkish and Chinese: %20, 百分之20
    first = start if before is None else before.start()
    return _number(value=value, start=first, end=end, percent=before is not None), power


def _read(body: str, decimal: DecimalMark) -> list[tuple[str, int, int]]:
    """Parse a run of digits and separators: one number, several, or (for a version) none."""
    if (digits := _one(body, decimal)) is not None:
        return [(digits, 0, len(body))]
    pieces = [(_one(piece.group(), decimal), piece) for piece in _PIECE.finditer(body)]
    return [(digits, piece.start(), piece.end()) for digits, piece in pieces if digits is not None]


def _one(body: str, decimal: DecimalMark) -> str | None:
    """Return the run as one plain number, if possible."""
    if len(body) > MOST_DIGITS:
        return None
    if body.isdigit() or body[0] == ".":
        return body
    if _is_grouped(body, decimal):
        return _NOT_DIGIT.sub("", body)
    last = max(body.rfind("."), body.rfind(","))
    head, mark, tail = body[:last], body[last : last + 1], body[last + 1 :]
    if last < 0 or mark in head or (decimal == "point" and mark == ",") or (decimal == "comma" and mark == "."):
        return None
    if not tail.isdigit() or not (head.isdigit() or _GROUPED.fullmatch(head) or _GROUPED_BY_LAKH.fullmatch(head)):
        return None
    return f"{_NOT_DIGIT.sub('', head)}.{tail}"


def _is_grouped(body: str, decimal: DecimalMark) -> bool:
    """Whether every separator groups thousands."""
    if decimal != "comma" and _GROUPED_BY_LAKH.fullmatch(body):
        return True
    grouped = _GROUPED.fullmatch(body)
    if not grouped:
        return False
    mark = grouped[1]
    if decimal == "auto":
        return mark != "." or body.count(".") > 1  # 1.234 is read as in English
    return mark != ("." if decimal == "point" else ",")
