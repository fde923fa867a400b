"""Check the prices, stock and attributes in an answer against the live catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from proctor.core.score import Evidence, Score
from proctor.scorers.answer.quality_parts.products import Product
from proctor.scorers.checked_answers import MOST_EVIDENCE, quoted
from proctor.text.content_words import negated
from proctor.text.money import CURRENCIES, Money, find_money
from proctor.text.quantities import find_quantities
from proctor.text.titles import mentions, same_title

__all__ = ["NAME", "amounts_in", "price_accuracy", "prices_of"]

NAME: Final = "price_accuracy"
_PRICE_FIELD = re.compile(r"price|cost|amount|msrp|値段|価格", re.IGNORECASE)
_STOCK_FIELD = re.compile(r"^(?:stock|in_?stock|available|availability|quantity|inventory|在庫)\w*$", re.IGNORECASE)
_AUTHOR_FIELD = re.compile(r"^(?:author|writer|creator|artist|mangaka|作者|著者)\w*$", re.IGNORECASE)
_VOLUMES_FIELD = re.compile(r"^(?:\w+_)?(?:volumes?|vols?|volume_count|巻数)$", re.IGNORECASE)
_IN_STOCK = re.compile(
    r"\bin stock\b|\bavailable\b|\bavailability\b|在庫|品切れ|売り切れ|\bsold out\b|\bout of stock\b|\bunavailable\b",
    re.I,
)
_BY = re.compile(
    r"\b(?:by|author(?: is)?:?|written by|drawn by|created by)\s+((?:[A-Z][\w'’.-]+)(?:\s+[A-Z][\w'’.-]+){0,3})"
)
# Amounts that are not product prices: thresholds, fees, savings.
_NO_PRICE = re.compile(
    r"\b(?:shipping|delivery|postage|fee|over|above|more than|at least|minimum|orders? of|off|save|discount|coupon"
    r"|gift card|points?|total|refund\w*|deposit|per month)\b"
    r"|送料|配送|手数料|以上|割引|引き|クーポン|ポイント|合計|返金",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Check:
    kind: str
    right: bool
    quote: str
    note: str


def prices_of(row: Mapping[str, Any]) -> list[tuple[Decimal, str | None]]:
    """Return every price in a row, with its currency if given."""
    told = next(
        (str(row[key]).upper() for key in row if str(key).lower() in ("currency", "price_currency") and row[key]), None
    )
    found: list[tuple[Decimal, str | None]] = []
    for key, value in row.items():
        if not _PRICE_FIELD.search(str(key)) or isinstance(value, bool):
            continue
        if isinstance(value, Mapping):
            found += [
                (amount, code or _code(str(inner))) for inner, each in value.items() for amount, code in _amount(each)
            ]
            continue
        found += [(amount, code or _code(str(key)) or told) for amount, code in _amount(value)]
    return found


def amounts_in(texts: Sequence[str]) -> list[Money]:
    """Return every amount of money in the texts."""
    return [money for text in texts for money in find_money(text)]


def price_accuracy(answer: str, products: Sequence[Product]) -> Score:
    """Return the share of the stated prices, stock and attributes that the catalogue confirms."""
    checks = [check for piece, named in _pieces(answer, products) for check in _checks(piece, named)]
    if not checks:
        return Score(name=NAME, status="skipped", reason="the answer gives no price, stock or attribute of a product")
    wrong = [check for check in checks if not check.right]
    kinds = ", ".join(f"{sum(c.kind == kind for c in checks)} {kind}" for kind in dict.fromkeys(c.kind for c in checks))
    parts = []
    for kind in dict.fromkeys(check.kind for check in checks):
        some = [check for check in checks if check.kind == kind]
        value = sum(check.right for check in some) / len(some)
        bad = next((check.note for check in some if not check.right), "as in the catalogue")
        parts.append(Score(name=kind, value=value, reason=bad, producer="catalogue", weight=float(len(some))))
    return Score(
        name=NAME,
        value=1 - len(wrong) / len(checks),
        reason=f"checked {kinds}" + (f"; wrong: {wrong[0].note}" if wrong else "; all as in the catalogue"),
        confidence=0.95,
        producer="catalogue",
        parts=tuple(parts),
        evidence=tuple(
            Evidence(quote=quoted(check.quote), note=f"{check.kind}: {check.note}")
            for check in sorted(checks, key=lambda check: check.right)
        )[:MOST_EVIDENCE],
    )


def _pieces(answer: str, products: Sequence[Product]) -> Iterator[tuple[str, Product]]:
    """Split the answer into stretches about one product each: from one product's name to the next."""
    answer = answer[:50_000]
    marks = sorted(
        (hit.start, hit.end, index)
        for index, product in enumerate(products)
        for name in product.names
        for hit in mentions(name, answer, most=10)
    )
    runs: list[tuple[int, int]] = []  # start of the text about a product, index of the product
    before = 0  # end of the last name
    for start, end, index in marks:
        if not runs or runs[-1][1] != index:
            # "For ¥770 you get Uzumaki": text before a name in its sentence belongs to it, unless another name
            # precedes.
            runs.append((_sentence_start(answer, start) if _sentence_start(answer, start) >= before else start, index))
        before = max(before, end)
    for number, (start, index) in enumerate(runs):
        end = runs[number + 1][0] if number + 1 < len(runs) else len(answer)
        yield answer[start : max(end, start)], products[index]


def _sentence_start(text: str, at: int) -> int:
    marks = (". ", "! ", "? ", "; ", "\n", "。", "！", "？")
    return max(place + len(mark) if (place := text.rfind(mark, 0, at)) >= 0 else 0 for mark in marks)


def _checks(piece: str, product: Product) -> Iterator[_Check]:
    row = product.row or {}
    name = product.key
    for sentence in re.split(r"(?<=[.!?])\s+|[。！？\n]", piece):
        if sentence.strip():
            yield from _price_checks(sentence, row, name)
            yield from _stock_checks(sentence, row, name)
            yield from _attribute_checks(sentence, row, name)


def _price_checks(sentence: str, row: Mapping[str, Any], name: str) -> Iterator[_Check]:
    known = prices_of(row)
    if not known or _NO_PRICE.search(sentence):
        return
    for money in find_money(sentence):
        same = [(amount, code) for amount, code in known if code in (None, money.currency)]
        if not same:
            continue  # the catalogue has no price in this currency
        right = any(money.covers(amount, code or money.currency) for amount, code in same)
        truth = " / ".join(f"{amount.normalize():f} {code or money.currency}" for amount, code in same[:3])
        yield _Check(
            kind="price",
            right=right,
            quote=sentence.strip(),
            note=f"{name}: {money.quote} ({'as' if right else 'not'} {truth})",
        )


def _stock_checks(sentence: str, row: Mapping[str, Any], name: str) -> Iterator[_Check]:
    known = next((_stocked(row[key]) for key in row if _STOCK_FIELD.match(str(key))), None)
    hit = _IN_STOCK.search(sentence)
    if known is None or hit is None or "?" in sentence or "？" in sentence or sentence.strip().endswith("か"):
        return
    # "Available in English" is about an edition, not about stock.
    if hit.group().lower().startswith("availab") and re.match(r"\s+(?:in|as|on|for|from)\b", sentence[hit.end() :]):
        return
    says = not negated(sentence)
    note = f"{name}: {'in stock' if says else 'not in stock'} ({'as' if says == known else 'not as'} in the catalogue)"
    yield _Check(kind="availability", right=says == known, quote=sentence.strip(), note=note)


def _attribute_checks(sentence: str, row: Mapping[str, Any], name: str) -> Iterator[_Check]:
    authors = [str(row[key]) for key in row if _AUTHOR_FIELD.match(str(key)) and row[key]]
    if authors and (said := _BY.search(sentence)):
        who = said[1].rstrip(".")
        right = any(
            same_title(who, author) or mentions(who, author, most=1) or mentions(author, who, most=1)
            for author in authors
        )
        yield _Check(
            kind="attribute",
            right=right,
            quote=sentence.strip(),
            note=f"{name}: by {who} ({'as' if right else 'not'} {authors[0]})",
        )
    volumes = {str(row[key]).strip() for key in row if _VOLUMES_FIELD.match(str(key)) and row[key] not in (None, "")}
    if not volumes:
        return
    for quantity in find_quantities(sentence):
        if quantity.unit == "volume" and quantity.high is None:
            right = any(_decimal(value) == quantity.value for value in volumes)
            note = f"{name}: {quantity.quote.strip()} ({'as' if right else 'not'} {', '.join(sorted(volumes))})"
            yield _Check(kind="attribute", right=right, quote=sentence.strip(), note=note)


def _stocked(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float, Decimal)):
        return value > 0
    text = str(value).strip().lower()
    if (number := _decimal(text)) is not None:
        return number > 0
    if text in ("yes", "true", "in stock", "available", "instock", "あり", "在庫あり"):
        return True
    return False if text in ("no", "false", "out of stock", "sold out", "unavailable", "なし", "在庫切れ") else None


def _amount(value: Any) -> list[tuple[Decimal, str | None]]:
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        return [(Decimal(str(value)), None)]
    text = str(value or "").strip()
    if (number := _decimal(text.replace(",", ""))) is not None:
        return [(number, None)]
    return [(money.amount, money.currency) for money in find_money(text)]


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _code(name: str) -> str | None:
    upper = name.upper()
    if "円" in name or "YEN" in upper:
        return "JPY"
    return next((code for code in CURRENCIES if code in upper), None)
