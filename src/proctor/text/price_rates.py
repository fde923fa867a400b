"""Read what an amount is paid for: 25 EUR per day, per person or per booking, in fifteen languages."""

from __future__ import annotations

import re
from typing import Final

from proctor.text.quantities import Quantity
from proctor.text.units import find_unit

__all__ = ["rate_of"]

_PER: Final = re.compile(
    r"[\s\u064b-\u0652]{0,2}(?:/\s?|\b(?:per|pro|je|jede[nrs]?|por cada|por|par|cada|ogni|each|every|za każd\w+|"
    r"za|na|за кажд\w+|за|в)\s+|(?:لكل|عن كل)\s+|प्रति\s+|हर\s+|每(?:个|次|人)?)"
    r"(?P<noun>[^\W\d_]+)",
    re.IGNORECASE,
)
_PERSONS: Final = re.compile(
    r"pers|passeng|travell?er|guest|adult|people|pax|gast|gäst|reisend|teilnehm|passag|voyageur|viajer|huésped|"
    r"viaggiat|ospit|osob|человек|гост|пассаж|kişi|شخص|فرد|مسافر|व्यक्ति|यात्री|人|名|位|명|인",
    re.IGNORECASE,
)
_BOOKINGS: Final = re.compile(
    r"booking|reserv|order|buchung|bestell|auftrag|boeking|command|réserv|pedido|ordin|prenot|encom|rezerw|zamów|"
    r"брон|заказ|rezerv|sipariş|حجز|طلب|बुकिंग|ऑर्डर|订单|预订|予約|注文|예약|주문",
    re.IGNORECASE,
)


def rate_of(text: str, one: Quantity) -> str | None:
    """Return what an amount is paid for: "person", "booking", a unit of time such as "hour 24", or None if unknown."""
    match = _PER.match(text, one.end)
    if match is None:
        return None
    noun = match["noun"]
    unit = find_unit(noun, 0)
    if unit is not None and unit.base in ("hour", "month", "minute") and unit.end >= len(noun) - 2:
        return f"{unit.base} {unit.size}"
    if _PERSONS.match(noun):
        return "person"
    return "booking" if _BOOKINGS.match(noun) else None
