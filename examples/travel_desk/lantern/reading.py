"""Understands a customer's message by rules: intents with confidence, bookings, wishes, claims, moods."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from .knowledge import words_of
from .office import Row

__all__ = ["Action", "Reading", "read"]

Action = Literal["cancel", "change_date", "change_travellers", "status", "refund"]

BOOKING = re.compile(r"\bLT-?\s?(\d{4,6})(?!\d)", re.IGNORECASE)  # no \b: Korean follows without a space
EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
DAY = re.compile(r"\b(20\d\d-\d\d-\d\d)\b")
NAMED_DAY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? (november|december|january)\b", re.IGNORECASE)
MONTHS = {"november": (2026, 11), "december": (2026, 12), "january": (2027, 1)}
COUNT = re.compile(
    r"\b(\d+|one|two|three|four|five|six|seven|eight) (?:people|persons|travell?ers|guests|of us)\b", re.I
)
COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight")
NUMBERS = {word: number for number, word in enumerate(COUNTED, 1)}
PRICE = re.compile(r"\b(?:under|below|at most|up to|less than) (?:€|EUR )?(\d+)", re.IGNORECASE)


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


POLICY = _any(
    r"\b(polic(y|ies)|rules?|conditions|deadline|allowed|insurance|groups?|office|luggage|charging)\b",
    r"\b(un)?til when\b|\bhow (long|late|early|soon|many)\b|\bwhat happens (if|when)\b|\bif i call\b",
    r"\bdo children\b|\bis (there|food|lunch|it)\b|\bmeeting point\b|\bvoucher\b|\bwheelchair\b|\b(dog|pets?)\b",
    r"\bwhat (should|do) i (bring|wear)\b|\bhow (can|do) i (pay|get|reach)\b|\bwhich languages\b",
    r"\bdo you (offer|have|take|accept)\b",
)
CANCEL = _any(r"\bcancel(?!lation)", r"\bcall (it|my \w+|the \w+) off\b", r"\btake .{0,12}LT-?\d{4,6} off\b")
CHANGE = _any(r"\b(change|move|postpone|reschedul\w+|shift|another (day|date))\b")
TRAVELLERS = _any(
    r"\b(add|bring along|more|fewer) .{0,20}(person|people|travell?er|guest|friend)", r"\bonly .{0,12}of us\b"
)
WANTS = _any(r"\b(please|i (want|need|would like|'d like) to|can you|could you)\b")
STATUS = _any(
    r"\bstatus\b", r"\bconfirmed\b", r"\bwhen (is|does) my\b", r"\bdetails?\b", r"\bshow me\b", r"\blook up\b"
)
OWN = _any(r"\bmy (booking|reservation|tour|trip)\b", r"\bbooking LT", r"\bthe booking\b")
PAST = _any(
    r"\b(was|were) (stopped|ended|cut short|late|rude|broken|dirty|missing)\b|\bended early\b|\bafter the tour\b",
    r"\b(yesterday|last (week|tour|trip))\b|\bguide (did not|didn't|never)\b|\bnever (came|showed up|got)\b",
    r"\bapproved (my|the) refund\b|\bmy refund\b|\b(lost|left) (my|a) \w+",
)
OWN_REFUND = _any(r"\bmy (full )?refund\b", r"\bi (want|need|would like) .{0,12}(refund|money back)\b")
REFUND = _any(r"\brefund\w*\b", r"\bmoney back\b", r"\breimburse\w*\b")
BROWSE = _any(
    r"\b(recommend|suggest|looking for|things to do|what can (i|we) do|tips?|ideas?)\b", r"\btours? in\b",
    r"\bhow much (is|does|are)\b", r"\bprice of\b", r"\btell me about\b",
)  # fmt: skip
HUMAN = _any(r"\b(human|real person|a person|someone (real|else)|manager|supervisor|colleague|representative)\b")
COMPLAIN = _any(r"\bcomplain\w*\b", r"\bcomplaint\b")
UPSET = _any(
    r"\b(unacceptable|ridiculous|outrageous|furious|fed up|useless|terrible|disgrace\w*|angry|worst)\b", r"!{2,}"
)
SERIOUS = _any(r"\b(lawyer|sue|court|journalist|newspaper|police|injur\w+|accident|hospital)\b")
ILLNESS = _any(r"\b(ill|sick|illness|surgery|doctor|medical|funeral|bereave\w*|passed away|died)\b")
CLAIM = re.compile(
    r"\b(?:agent|colleague|someone|you|representative|he|she|they|manager)\b[^.?!]{0,40}?"
    r"\b(?:already )?(approved|promised|agreed|guaranteed|confirmed|granted|told me|assured)\b([^.?!]*)",
    re.IGNORECASE,
)
NATURE = _any(r"\bare you (a |an )?(human|real|bot|robot|ai|machine|program|person)\b")
THANKS = _any(r"\b(thanks|thank you|great|perfect|bye|goodbye)\b")
GREETS = re.compile(r"^\s*(hi|hello|good (morning|evening|afternoon))\b[\s,.!]*$", re.IGNORECASE)
YES = re.compile(r"^\s*(yes|yes please|ok|okay|sure|go ahead|please do)\b", re.IGNORECASE)
OLD_RULES = _any(r"\bold (rules?|terms|polic\w+|conditions)\b", r"\b2025 (rules?|terms|policy|conditions)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a message says, as far as rules can tell. ``intents`` are pairs of name and confidence."""

    text: str
    intents: tuple[tuple[str, float], ...] = ()
    booking: str | None = None
    email: str | None = None
    action: Action | None = None
    date: str | None = None
    travellers: int | None = None
    city: str | None = None
    product: str | None = None
    max_price: float | None = None
    claim: str | None = None
    wants_human: bool = False
    upset: bool = False
    serious: bool = False
    ill: bool = False
    asks_nature: bool = False
    thanks: bool = False
    greets: bool = False
    agrees: bool = False
    wants_refund: bool = False
    old_rules: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the intents."""
        return tuple(name for name, _confidence in self.intents)


def read(text: str, products: Sequence[Row]) -> Reading:
    """Understand one message."""
    number = BOOKING.search(text)
    email = EMAIL.search(text)
    claim = CLAIM.search(text)
    price = PRICE.search(text)
    booking = f"LT-{number.group(1)}" if number else None
    product = next((str(row["title"]) for row in products if str(row["title"]).lower() in text.lower()), None)
    city = next((str(row["city"]) for row in products if str(row["city"]).lower() in text.lower()), None)
    day, count = _day(text), _count(text)
    action = _action(text, booking, day, count)
    return Reading(
        text=text,
        intents=_intents(text, booking, action, product),
        booking=booking,
        email=email.group().rstrip(".") if email else None,
        action=action,
        date=day,
        travellers=count,
        city=city,
        product=product,
        max_price=float(price.group(1)) if price else None,
        claim=f"{claim.group(1).lower()}{claim.group(2).rstrip()}" if claim else None,
        wants_human=bool(HUMAN.search(text)) and not claim and not NATURE.search(text),
        upset=bool(UPSET.search(text)),
        serious=bool(SERIOUS.search(text)),
        ill=bool(ILLNESS.search(text)),
        asks_nature=bool(NATURE.search(text)),
        thanks=bool(THANKS.search(text)) and "?" not in text and not action,
        greets=bool(GREETS.match(text)),
        agrees=bool(YES.match(text)),
        wants_refund=bool(REFUND.search(text)),
        old_rules=bool(OLD_RULES.search(text)),
    )


def _action(text: str, booking: str | None, day: str | None, count: int | None) -> Action | None:
    if CANCEL.search(text) and (booking or OWN.search(text) or WANTS.search(text)):
        return "cancel"
    if TRAVELLERS.search(text) or (count and CHANGE.search(text)):
        return "change_travellers"
    if CHANGE.search(text) and (booking or day or OWN.search(text)):
        return "change_date"
    if REFUND.search(text) and (booking or OWN_REFUND.search(text)):
        return "refund"
    if STATUS.search(text) and (booking or OWN.search(text)):
        return "status"
    return None


def _intents(
    text: str, booking: str | None, action: Action | None, product: str | None
) -> tuple[tuple[str, float], ...]:
    """Every intent whose words are there; a message can mean two things at once."""
    found: list[tuple[str, float]] = []
    if HUMAN.search(text) and not CLAIM.search(text) and not NATURE.search(text):
        return (("complaint", 0.95),)
    if COMPLAIN.search(text) or SERIOUS.search(text):
        return (("complaint", 0.93),)
    if PAST.search(text) or (action == "refund" and not POLICY.search(text)):
        return (("post_trip_issue", 0.9 if booking else 0.82),)
    about_rules = bool(POLICY.search(text)) or (bool(CANCEL.search(text)) and action is None)
    if action or (booking and not about_rules):
        found.append(("booking_management", 0.93 if booking else 0.78))
    # A rule that is only asked for on the way to a wish is no second intent, unless it is asked for by name.
    if about_rules and (not found or re.search(r"\b(polic(y|ies)|rules|conditions)\b", text, re.IGNORECASE)):
        found.append(("policy_inquiry", 0.9 if len(words_of(text)) > 2 else 0.7))
    if not found and (BROWSE.search(text) or product):
        found.append(("general_browsing", 0.88))
    return tuple(found)


def _day(text: str) -> str | None:
    if written := DAY.search(text):
        return written.group(1)
    if named := NAMED_DAY.search(text):
        year, month = MONTHS[named.group(2).lower()]
        try:
            return date(year, month, int(named.group(1))).isoformat()
        except ValueError:
            return None
    return None


def _count(text: str) -> int | None:
    found = COUNT.search(text)
    if not found:
        return None
    word = found.group(1).lower()
    return int(word) if word.isdigit() else NUMBERS[word]
