"""Find amounts of money in a text: currency before or after, full-width digits, grouping, ranges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from proctor.core.fast_dataclass import fast_constructor
from proctor.text.first_letters import first_letters
from proctor.text.numbers import Number, find_numbers
from proctor.text.script_ranges import EAST_ASIAN

__all__ = ["CURRENCIES", "Money", "currency_after", "find_money", "same_amount"]

CURRENCIES: Final = (
    "JPY",
    "USD",
    "EUR",
    "GBP",
    "CNY",
    "KRW",
    "INR",
    "TWD",
    "CAD",
    "AUD",
    "CHF",
    "PLN",
    "RUB",
    "TRY",
    "BRL",
    "SAR",
    "AED",
    "EGP",
    "SEK",
)
_SIGNS = {
    "¥": "JPY",
    "￥": "JPY",
    "$": "USD",
    "＄": "USD",
    "€": "EUR",
    "£": "GBP",
    "₩": "KRW",
    "₹": "INR",
    "₽": "RUB",
    "₺": "TRY",
}
_WORDS = {
    "円": "JPY",
    "えん": "JPY",
    "yen": "JPY",
    "jpy": "JPY",
    "ドル": "USD",
    "米ドル": "USD",
    "dollar": "USD",
    "dollars": "USD",
    "bucks": "USD",
    "us dollars": "USD",
    "us dollar": "USD",
    "usd": "USD",
    "us$": "USD",
    "ユーロ": "EUR",
    "euro": "EUR",
    "euros": "EUR",
    "eur": "EUR",
    "ポンド": "GBP",
    "pounds": "GBP",
    "gbp": "GBP",
    "元": "CNY",
    "人民元": "CNY",
    "yuan": "CNY",
    "rmb": "CNY",
    "cny": "CNY",
    "ウォン": "KRW",
    "won": "KRW",
    "krw": "KRW",
    "rupees": "INR",
    "inr": "INR",
    "twd": "TWD",
    "nt$": "TWD",
    "cad": "CAD",
    "ca$": "CAD",
    "c$": "CAD",
    "aud": "AUD",
    "a$": "AUD",
    "r$": "BRL",
    "rs": "INR",
    "chf": "CHF",
    "pln": "PLN",
    "rub": "RUB",
    "try": "TRY",
    "tl": "TRY",
    "brl": "BRL",
    "sar": "SAR",
    "aed": "AED",
    "egp": "EGP",
    "sek": "SEK",
}
# Words of other languages, which take endings.
_INFLECTED: Final = tuple(
    (re.compile(words, re.IGNORECASE), currency)
    for words, currency in (
        (r"евро|avro\w*|يورو|欧元|歐元|유로|यूरो|eurós?|euro\w{0,2}", "EUR"),
        (r"доллар\w*|dólar(?:es)?|dollar[io]?|dolar\w*|دولار\w*|美元|달러|डॉलर", "USD"),
        (r"zł(?:ot\w+)?", "PLN"),
        (r"руб(?:л\w+|\.)?|рублей", "RUB"),
        (r"lira\w*|liray\w*", "TRY"),
        (r"rea(?:l|is)", "BRL"),
        (r"franken|francs? suisses?|franchi(?: svizzeri)?", "CHF"),
        (r"ريال\w*", "SAR"),
        (r"درهم\w*|دراهم", "AED"),
        (r"جنيه\w*", "EGP"),
        (r"रुपय\w*|रुपए|रु\.?|rupay\w+|rupees?", "INR"),
        (r"원(?!래|하|칙|인|본|형)", "KRW"),
        (r"日元|日圆", "JPY"),
        (r"块钱?", "CNY"),
        (r"libras?|livres?|pfund|sterline|funtów", "GBP"),
        (r"kronor|kr(?![a-z])", "SEK"),
    )
)
_ANY_INFLECTED: Final = re.compile("|".join(pattern.pattern for pattern, _ in _INFLECTED), re.IGNORECASE)
_BEFORE = re.compile(
    r"(?:(?P<code>(?<![A-Za-zＡ-Ｚａ-ｚ])(?:us\$|nt\$|ca\$|c\$|a\$|r\$|jp[¥￥]|usd|jpy|eur|gbp|cny|rmb|krw|inr|twd|cad|"
    r"aud|chf|pln|rub|brl|sar"
    r"|aed|egp|sek|rs\.?):?)"
    r"|(?P<sign>[¥￥$＄€£₩₹₽₺]))\s{0,2}$",
    re.IGNORECASE,
)
_LAST: Final = frozenset(
    (*_SIGNS, *"dyrpbwfnlskDYRPBWFNLSK.:")
)  # last characters of what may be a currency before a number
_CODES: Final = frozenset("usd jpy eur gbp cny rmb krw inr twd cad aud chf pln rub brl sar aed egp sek".split())  # noqa: SIM905
_BEHIND = re.compile(
    r"[\s-]{0,2}(米ドル|ドル|円|えん|人民元|元|ユーロ|ポンド|ウォン|[¥￥€£₩₹₽₺$]"
    r"|(?:us dollars?|dollars?|bucks|yen|euros?|pounds|yuan|won|rupees"
    r"|usd|jpy|eur|gbp|cny|rmb|krw|inr|twd|cad|aud|chf|pln|rub|try|tl|brl|sar|aed|egp|sek)(?![A-Za-z]))",
    re.IGNORECASE,
)
_CENTS = re.compile(
    r"\s{0,2}(?:(?:(?-i:c)(?!['’/])|(?:cents?|céntimos?|centimes?|centesimi|cêntimos?|centavos?|grosz[ye]?|kuruş))(?![^\W\d_])|セント|"
    r"коп\w*)",
    re.IGNORECASE,
)
_TO = re.compile(r"\s{0,2}(?:-|–|—|~|〜|～|to|から)\s{0,2}(?:us)?[¥￥$＄€£₩₹]?\s?", re.IGNORECASE)
# The characters with which a currency or a hundredth of one begins after a number.
_BEGINNINGS: Final = frozenset({*_SIGNS, *(word[0] for word in _WORDS), *"cgk"}) | (
    first_letters(_ANY_INFLECTED.pattern) or frozenset()
)
_LONGEST_TO: Final = 10  # characters: blanks, a word, blanks, a currency
_LOOK = 14
_MOST_GAP = 2  # blanks and hyphens between a number and its currency
_EASTERN: Final = re.compile(f"[{EAST_ASIAN}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """An amount in a text; of a range, ``amount`` is the lower end and ``high`` the upper."""

    amount: Decimal
    currency: str
    start: int
    end: int
    quote: str
    high: Decimal | None = None

    def covers(self, amount: Decimal, currency: str) -> bool:
        """Whether this equals that amount, or is a range that contains it."""
        if currency != self.currency:
            return False
        if self.high is not None:
            return self.amount <= amount <= self.high
        return self.amount == amount


_made: Final = fast_constructor(Money)


@dataclass(slots=True)
class _Found:
    number: Number
    currency: str | None
    start: int
    end: int
    cents: bool = False


def find_money(text: str, numbers: Sequence[Number] | None = None) -> tuple[Money, ...]:
    """Return every amount of money in the text, in order. A number without a currency is skipped.

    ``numbers`` are those of the text, if already known.
    """
    found = [_look(text, number) for number in (find_numbers(text) if numbers is None else numbers)]
    made: list[Money] = []
    skip = False
    for index, one in enumerate(found):
        if skip:
            skip = False
            continue
        after = found[index + 1] if index + 1 < len(found) else None
        currency = one.currency
        if after is not None and _is_range(text, one, after):
            currency = currency or after.currency
            if currency and after.number.value >= one.number.value:
                made.append(_money(text, one, currency, end=after.end, high=after.number.value))
                skip = True
                continue
        if currency:
            made.append(_money(text, one, currency))
    return tuple(made)


def currency_after(text: str, end: int) -> tuple[str, int, bool] | None:
    """Return the currency after a number that ends at ``end``, its own end, and whether it is a hundredth."""
    found = _look(text, Number(value=Decimal(1), start=end, end=end))
    return None if found.currency is None or found.end == end else (found.currency, found.end, found.cents)


def same_amount(one: Money, others: Sequence[Money]) -> bool:
    """Whether an amount is among others, or within one of their ranges."""
    return any(other.covers(one.amount, one.currency) for other in others)


def _look(text: str, number: Number) -> _Found:
    start, end = number.start, number.end
    # The number's span includes its sign and currency; the text before may specify the dollar.
    inside = start
    if not text[start : start + 1].isdigit():
        inside = next((at + 1 for at in range(start, min(start + 3, end)) if text[at] in _SIGNS), start)
    ahead = text[max(0, start - _LOOK) : inside]
    before = _BEFORE.search(ahead) if _may_be_currency(ahead) else None
    if before and not number.percent:
        word = (before["code"] or "").lower().rstrip(":.").replace("￥", "¥")
        currency = _WORDS.get(word) or ("JPY" if "¥" in word else _SIGNS.get(before["sign"] or ""))
        first = max(0, start - _LOOK) + before.start()
        behind = _BEHIND.match(text, end)
        if behind and _WORDS.get(behind[1].lower()) and before["sign"] in ("$", "＄", None):
            currency, end = _WORDS[behind[1].lower()], behind.end()  # $12.99 USD
        return _Found(number, currency, first, end)
    if number.percent:
        return _Found(number, None, start, end)
    if not _may_name_currency(text, end):
        return _Found(number, None, start, end)
    if cents := _CENTS.match(text, end):
        return _Found(number, "USD", start, cents.end(), cents=True)
    if behind := _BEHIND.match(text, end):
        word = behind[1].lower()
        return _Found(number, _WORDS.get(word) or _SIGNS.get(behind[1]), start, behind.end())
    if not text.isascii() or text[end : end + 3].strip()[:1].isalpha():
        first = end + len(text[end : end + 2]) - len(text[end : end + 2].lstrip())
        for pattern, currency in _INFLECTED if _ANY_INFLECTED.match(text, first) else ():
            if (match := pattern.match(text, first)) and _is_whole(text, match):
                return _Found(number, currency, start, match.end())
    return _Found(number, None, start, end)


def _may_be_currency(ahead: str) -> bool:
    """Whether the text before a number may end with a currency."""
    tail = ahead.rstrip()
    if (last := tail[-1:]) not in _LAST:
        return False
    if last == "$" or last in _SIGNS or not tail.isascii():
        return True
    word = tail.rstrip(".:")[-3:].lower()
    return word in _CODES or word[-2:] == "rs" or word[-1:] == "$"


def _may_name_currency(text: str, end: int) -> bool:
    """Whether the first letter or the sign of a currency follows a number, after up to two blanks or hyphens."""
    sign = text[end : end + 1]
    for _ in range(_MOST_GAP):
        if sign != "-" and not sign.isspace():
            break
        end += 1
        sign = text[end : end + 1]
    return sign.lower() in _BEGINNINGS if sign.isascii() else sign.isalpha() or sign in _SIGNS


def _is_whole(text: str, word: re.Match[str]) -> bool:
    """Whether a word ends where its match ends; Korean and Chinese write what follows without a space: 2만 원입니다."""
    return not text[word.end() : word.end() + 1].isalpha() or _EASTERN.match(word.group()) is not None


def _is_range(text: str, one: _Found, after: _Found) -> bool:
    if after.start - one.end > _LONGEST_TO:
        return False
    between = _TO.fullmatch(text[one.end : after.number.start] or " ")
    if between is None and after.number.start > after.start:
        between = _TO.fullmatch(text[one.end : after.start])
    same = (
        one.currency is None or after.currency is None or one.currency == after.currency
    ) and not after.number.percent
    return between is not None and same and not one.cents and not after.cents


def _money(text: str, one: _Found, currency: str, *, end: int | None = None, high: Decimal | None = None) -> Money:
    end = one.end if end is None else end
    value = one.number.value.scaleb(-2) if one.cents else one.number.value
    return _made(amount=value, currency=currency, start=one.start, end=end, quote=text[one.start : end], high=high)
