"""Limits on formatted text: a short format can print a long value many times, or pad it without limit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from string import Formatter
from typing import Any, Final

from proctor.prompts.limits import TooMuchError, bear, measure

__all__ = ["check_braces", "check_percent", "check_width"]

WIDEST: Final = 10_000
_DIGITS: Final = re.compile(r"\d+")
# A width or precision of five digits, or a computed one. Keys in brackets may contain anything.
_WIDE_PERCENT: Final = re.compile(r"[%)\-#+ .]\d{5,}[.\w]")
_COMPUTED_PERCENT: Final = re.compile(r"[%)][-#0 +\d.]{0,20}\*")


def check_width(*widths: Any) -> None:
    """Reject a very large width, indentation or count.

    Raises:
        TooMuchError: one is.
    """
    if any(isinstance(width, (int, float)) and abs(width) > WIDEST for width in widths):
        raise TooMuchError(f"the template asks for a width of more than {WIDEST:,}")


def check_percent(text: str, values: Any) -> None:
    """Check that the result of ``text % values`` has an acceptable size.

    Raises:
        TooMuchError: it pads a value very far, to a computed width, or prints too much.
    """
    if _WIDE_PERCENT.search(text):
        raise TooMuchError(f"the template pads a value to {WIDEST:,} characters or more")
    if _COMPUTED_PERCENT.search(text):
        raise TooMuchError("the template pads a value to a width that is computed")
    given = values.values() if isinstance(values, Mapping) else values if isinstance(values, tuple) else (values,)
    _bear(text.count("%"), text, [*given, values] if isinstance(values, Mapping) else given, _widest(text))


def check_braces(text: str, values: Iterable[Any]) -> None:
    """Check that the result of ``text.format(values)`` has an acceptable size.

    Raises:
        TooMuchError: it pads a value very far, to a computed width, or prints too much.
    """
    fields = widest = 0
    for _, field, spec, _ in Formatter().parse(text):
        if field is None:
            continue
        fields += 1
        if spec and "{" in spec:
            raise TooMuchError("the template pads a value to a width that is computed")
        widest = max(widest, _widest(spec or ""))
    if widest >= WIDEST:
        raise TooMuchError(f"the template pads a value to {WIDEST:,} characters or more")
    _bear(fields, text, values, widest)


def _widest(text: str) -> int:
    return max((int(run) if len(run) < len(str(WIDEST)) else WIDEST for run in _DIGITS.findall(text)), default=0)


def _bear(fields: int, text: str, values: Iterable[Any], widest: int) -> None:
    largest = max((measure(value) for value in values), default=0)
    bear(len(text) + fields * max(largest, widest if fields else 0))
