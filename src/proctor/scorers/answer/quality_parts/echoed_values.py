"""Find a figure that an answer takes from the customer although a source has another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from proctor.text.known_values import KnownValues
from proctor.text.polarity import is_denied
from proctor.text.quantities import Quantity, comparable, find_quantities
from proctor.text.split import tokens

__all__ = ["is_echoed"]

_BESIDE_CHARS: Final = 60  # of the text on each side of a figure


def is_echoed(claim: str, source: str, known: KnownValues, told: Callable[[], KnownValues]) -> bool:
    """Whether the only figure of a claim is the customer's, and stands where a sentence of the source has another.

    "Is it 3 days?" "Yes, refunds take 3 days", where the source has 5.

    ``known`` has the customer's figures too, ``told`` those of the sources alone. The words beside both figures must be
    the same: "a bag of 20 kg" is a case of "bags up to 23 kg", not another value. A claim that denies what the source
    affirms has a value that is wrong on purpose.
    """
    numbers = find_quantities(claim)
    if len(numbers) != 1 or is_denied(claim) != is_denied(source):
        return False
    beside = _words_beside(claim, numbers[0])
    return (
        any(comparable(numbers[0], each) and _words_beside(source, each) == beside for each in find_quantities(source))
        and any(numbers[0].same(each) for each in known.stated)
        and not told().explains(numbers[0])
    )


def _words_beside(text: str, one: Quantity) -> tuple[list[str], list[str]]:
    """Return the word before and the word after a figure; a single character where words are not spaced."""
    before, after = text[max(0, one.start - _BESIDE_CHARS) : one.start], text[one.end : one.end + _BESIDE_CHARS]
    return tokens(before)[-1:], tokens(after)[:1]
