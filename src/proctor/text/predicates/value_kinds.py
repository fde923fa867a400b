"""Predicates on a text that is one value: a number, a date, an address, yes or no, nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Final

from proctor.text.dates import find_dates
from proctor.text.numbers import Number, find_numbers
from proctor.text.predicates.comparable_text import stripped
from proctor.text.predicates.term import Check, Checked, Form, OutputView, no, short, unknown, verdict
from proctor.text.predicates.values import Bound

__all__ = ["FORMS"]

_LONGEST_VALUE: Final = 2_000
_URL = re.compile(r"(?:https?|ftp)://[^\s/?#]+\.?[^\s]*", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_YES_OR_NO = frozenset({"yes", "no", "はい", "いいえ", "ja", "nein", "oui", "non", "sí", "si"})
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_LABEL = re.compile(r"[\s*_#\"'(\[]*(?:[^\W\d][^\n:=\d]{0,40}[:=])?[\s*_\"'(\[]*$")


def _value(problem: Callable[[str], str], said: str) -> Callable[[], Check]:
    """Make a check that the stripped text is such a value; ``problem`` returns why it is not."""

    def make() -> Check:
        def run(view: OutputView) -> Checked:
            text = view.text.strip()
            if not text:
                return no("it is empty")
            wrong = f"it is too long to be {said}" if len(text) > _LONGEST_VALUE else problem(text)
            return verdict(not wrong, wrong or f"it is {said}", text)

        return run

    return make


def _whole_number(text: str) -> Number | None:
    """Return the number that is the whole text, except for a final full stop."""
    text = text.strip().removesuffix(".")
    found = find_numbers(text)
    if len(found) != 1 or text[: found[0].start].strip(" \t+-−$€£¥") or text[found[0].end :].strip(" \t%$€£¥"):
        return None
    return found[0]


def _no_number(text: str) -> str:
    return "" if _whole_number(text) else f"{short(text, 40)!r} is not a number"


def _no_integer(text: str) -> str:
    found = _whole_number(text)
    if found is None:
        return f"{short(text, 40)!r} is not a number"
    return "" if re.fullmatch(r"[-+−]?\d[\d,' ]*", text.strip()) else f"{short(text, 40)!r} is not a whole number"


def _no_date(text: str) -> str:
    found = find_dates(text.rstrip("."))
    # Only the date itself: a weekday and punctuation may remain.
    if len(found) != 1:
        return f"{short(text, 40)!r} is not a date"
    left = text[: found[0].start] + text[found[0].end :]
    rest = re.sub(
        r"(?i)\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b|[\s.,()月火水木金土日曜]", "", left
    )
    return f"{short(text, 40)!r} is more than a date" if rest else ""


def _no_iso_date(text: str) -> str:
    try:
        known = _ISO_DAY.fullmatch(text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        known = False
    return "" if known else f"{short(text, 40)!r} is not a date like 2025-01-31"


def _no_url(text: str) -> str:
    return "" if _URL.fullmatch(text.strip("<>")) else f"{short(text, 60)!r} is not a web address"


def _no_email(text: str) -> str:
    return "" if _EMAIL.fullmatch(text.strip("<>")) else f"{short(text, 60)!r} is not an e-mail address"


def _not_yes_or_no(text: str) -> str:
    return "" if stripped(text).casefold() in _YES_OR_NO else f"{short(text, 40)!r} is neither yes nor no"


def _empty() -> Check:
    def run(view: OutputView) -> Checked:
        text = view.text.strip()
        return verdict(not text, "it is not empty" if text else "it is empty", text)

    return run


def _number(bound: Bound) -> Check:
    def run(view: OutputView) -> Checked:
        found = find_numbers(view.text)
        if not found:
            return no("there is no number in it")
        first = found[0]
        if len(found) > 1 and not _LABEL.match(view.text[: first.start]):
            return unknown(f"{len(found)} numbers are in it, and none is where it begins")
        asked = bound.given(view.inputs)
        shown = view.text[first.start : first.end]
        return verdict(_holds(asked, first.value), f"the number is {shown} (asked: {asked.said})", shown)

    return run


def _holds(bound: Bound, value: Decimal) -> bool:
    # A bound reaches at most 1e15; a float is exact enough up to there.
    return bound.holds(float(max(min(value, Decimal(10) ** 300), -(Decimal(10) ** 300))))


FORMS = (
    Form(
        form="is number",
        meaning="all of it is a number",
        example="is number",
        make=_value(_no_number, "a number"),
        also=("is a number",),
    ),
    Form(
        form="is integer",
        meaning="all of it is a whole number",
        example="is integer",
        make=_value(_no_integer, "a whole number"),
        also=("is an integer", "is a whole number"),
    ),
    Form(
        form="number BOUND",
        meaning="its only number, or the one it begins with, is so large",
        example="number between 1 and 5",
        make=_number,
        also=("the number BOUND", "is number BOUND"),
    ),
    Form(
        form="is date",
        meaning="all of it is a date, in any common way to write one",
        example="is date",
        make=_value(_no_date, "a date"),
        also=("is a date",),
    ),
    Form(
        form="is iso date",
        meaning="all of it is a date like 2025-01-31",
        example="is iso date",
        make=_value(_no_iso_date, "a date"),
    ),
    Form(
        form="is url",
        meaning="all of it is a web address",
        example="is url",
        make=_value(_no_url, "a web address"),
        also=("is a url",),
    ),
    Form(
        form="is email",
        meaning="all of it is an e-mail address",
        example="is email",
        make=_value(_no_email, "an e-mail address"),
        also=("is an email",),
    ),
    Form(
        form="is yes or no",
        meaning="all of it is yes or no, whatever the case and the full stop",
        example="is yes or no",
        make=_value(_not_yes_or_no, "yes or no"),
    ),
    Form(
        form="is empty",
        meaning="nothing but white space is in it",
        example="not (is empty)",
        make=_empty,
        any_length=True,
    ),
)
