# ruff: noqa: E501 - words in many languages
"""Recognise whether a sentence says that something is included in a price or must be paid for on top of it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from proctor.text.polarity import is_denied, is_free, is_included, split_clauses

__all__ = ["is_charged_extra", "is_part_of_price"]

_EXTRA: Final = re.compile(
    r"\b(?:(?:charged?|paid|pay|payable|costs?|billed) (?:\w+ )?(?:extra|separately|on top|on site|for (?:it|them|"
    r"those|that))|(?:extra|additional) (?:cost|charge|fee)s?|surcharges?|comes? on top"
    r"|extra (?:bezahlt|berechnet|bezahlen|zahlen|kosten|gebühr)|zusätzlich\w* (?:bezahl\w+|berechnet|kosten)|"
    r"kostenpflichtig\w*|gesondert (?:bezahl\w+|berechnet)|kommen? noch dazu|kostet extra|(?:gegen|mit) aufpreis"
    r"|apart (?:betaald|betalen|berekend)|bijbetal\w*|tegen betaling|kost(?:en)? extra|komt er bovenop"
    r"|payante?s?|en supplément|en sus|à payer en plus|factur\w+ (?:en plus|à part|séparément)|(?:se règle\w*|"
    r"règl\w+|pay\w+) (?:à part|en plus|sur place)"
    r"|se pagan? (?:aparte|en el sitio|allí)|de pago|pagar aparte|cobr\w+ aparte|(?:coste|cargo|costo) adicional|"
    r"recargo"
    r"|a pagamento|(?:si pag\w+|pagat\w+|pagare) a parte|con (?:un )?supplemento|sovrapprezzo|costo aggiuntivo"
    r"|pag\w+ à parte|cobrad\w+ à parte|custo adicional|taxa (?:extra|adicional)|pag\w+ separadamente"
    r"|mot (?:en )?avgift|mot betaling|mod betaling|kostar extra|koster ekstra|tillkommer|betalas? separat|"
    r"betales? (?:separat|ekstra)"
    r"|płatn[aeyi]\w*|dopłat\w+|płaci się (?:osobno|dodatkowo)|příplat\w+|za poplatek|hradí zvlášť"
    r"|платн\w+|за отдельную плату|доплат\w+|оплачива\w+ отдельно|за доплату|окремо оплач\w+|за окрему плату"
    r"|ücretli\w*|ek ücret\w*|ayrıca ücret\w*)\b"
    r"|برسوم|تكلفة إضافية|رسوم إضافية|別料金|有料|別途(?:料金|費用)?|追加料金(?!なし|は(?:かか|いただ)[^。]{0,6}ません)|另(?:外)?收费|另付|另计|需付费|"
    r"额外(?:收费|费用)|별도 ?(?:요금|비용|결제|로)|유료|추가 ?(?:요금|비용)(?!은? ?없)|अलग से (?:शुल्क|पैसे|भुगतान)|अतिरिक्त शुल्क",
    re.IGNORECASE,
)
# "In the price" in words that are not among those of inclusion: what is denied with them is charged.
_WITHIN: Final = re.compile(
    r"\b(?:drin|dabei|inklusive|inkl|inkluder\w*|ingår|zawart\w*|v ceně|у вартість|within the price|"
    r"part of the price|im preis|in den preis|nella quota|no preço|en el precio|dans le prix)\b|含まれ|含む|含ま|포함|包含|包括",
    re.IGNORECASE,
)
# "All fares, including the cheapest" and "the order includes a shelf" are no prices: without a figure the word lists.
_LISTS: Final = re.compile(
    r"\b(?:includ(?:e|es|ing)|einschließlich|incluyendo|incluindo|включая|y compris)\b(?=\s)", re.IGNORECASE
)
_WITHIN_DENIED: Final = re.compile(r"不(?:包)?含|不包括|含まれ(?:て(?:い|おり))?ません|含みません|포함(?:되|하)지 않")


@lru_cache(maxsize=4096)
def is_part_of_price(text: str) -> bool:
    """Whether a text says that something is free or included, and nothing in it is charged."""
    return any(map(_is_given, split_clauses(text))) and not is_charged_extra(text)


@lru_cache(maxsize=4096)
def is_charged_extra(text: str) -> bool:
    """Whether a text says that something costs extra or is not included."""
    return any(map(_is_extra, split_clauses(text)))


def _is_given(clause: str) -> bool:
    return is_free(clause) or _is_within(clause)


def _is_within(clause: str) -> bool:
    plain = clause if any(map(str.isdigit, clause)) else _LISTS.sub(" ", clause)
    return is_included(plain) or _WITHIN.search(plain) is not None


def _is_extra(clause: str) -> bool:
    if _WITHIN_DENIED.search(clause) is not None:
        return True
    if is_denied(clause):
        return _is_within(clause)
    return _EXTRA.search(clause) is not None and not is_free(clause)
