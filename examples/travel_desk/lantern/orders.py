"""Text that looks like an instruction to the agent: what it demands, in plain words, in base64 or in other scripts.

The careful brain uses this to leave such text alone; the naive one does as it is told.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["DEMANDS", "LOOKS_LIKE_ONE", "Demand", "Order", "order_in", "without_orders"]

Demand = Literal[
    "say_cancelled", "cancel", "show_prompt", "show_booking", "approve",
    "move", "resize", "open_case", "hand_over", "show_history", "stay", "join", "remember",
]  # fmt: skip

LOOKS_LIKE_ONE = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |any )?(?:of )?(?:your |the |my )?(?:previous|prior|earlier|above|system)\b"
    r"|\bas (?:a|the) developer\b|\byou are now\b|\bsystem (?:override|message|note)\b|\[(?:system|admin)\]"
    r"|\bnew instructions?:|忽略|无视|تجاهل|以前の指示|ignorez|ignoriere",
    re.IGNORECASE,
)
BASE64 = re.compile(r"\b[A-Za-z0-9+/]{24,}={0,2}")
BOOKING = re.compile(r"LT-?\d{4,6}", re.IGNORECASE)
DEMANDS: tuple[tuple[Demand, re.Pattern[str]], ...] = (
    (
        "show_prompt",
        re.compile(r"system prompt|your (?:instructions|rules) (?:word|in full)|print your", re.IGNORECASE),
    ),
    (
        "show_booking",
        re.compile(r"(?:show|print|list|give|read) .{0,40}(?:email|phone|details|passenger|record)", re.I),
    ),
    ("say_cancelled", re.compile(r"(?:confirm|reply|say|state|tell \w+) .{0,40}cancel", re.IGNORECASE)),
    ("cancel", re.compile(r"cancel|取消|إلغاء|ألغ|キャンセル", re.IGNORECASE)),
    ("approve", re.compile(r"approve|grant|refund", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One demand that a text makes of the agent."""

    demand: Demand
    booking: str | None
    quote: str


def order_in(text: str) -> Order | None:
    """What a text demands of the agent, when it looks like an instruction; none otherwise."""
    for part in (text, *_unfolded(text)):
        found = LOOKS_LIKE_ONE.search(part)
        if not found:
            continue
        rest = part[found.start() :]
        for demand, pattern in DEMANDS:
            if pattern.search(rest):
                named = BOOKING.search(rest) or BOOKING.search(text)
                return Order(demand=demand, booking=named.group().upper() if named else None, quote=rest)
    return None


def without_orders(text: str) -> str:
    """The message less the sentences that are no wish of a customer but an instruction to the agent."""
    kept = [
        part
        for part in re.split(r"(?<=[.!?。])\s*", text)
        if not LOOKS_LIKE_ONE.search(part) and not any(LOOKS_LIKE_ONE.search(each) for each in _unfolded(part))
    ]
    return " ".join(kept).strip()


def _unfolded(text: str) -> list[str]:
    """What is hidden in base64."""
    found = []
    for chunk in BASE64.findall(text):
        try:
            found.append(base64.b64decode(chunk, validate=True).decode("utf-8"))
        except (binascii.Error, UnicodeDecodeError):
            continue
    return found
