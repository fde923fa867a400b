"""Find all figures of a text: quantities, and times of day, whose digits are no numbers of their own."""

from __future__ import annotations

from proctor.text.clock_times import find_clock_times
from proctor.text.quantities import Quantity, find_quantities

__all__ = ["agree", "find_figures"]


def find_figures(text: str) -> tuple[Quantity, ...]:
    """Return the quantities and times of day of a text, in order."""
    times = tuple(find_clock_times(text))
    found = find_quantities(text)
    if not times:
        return found
    rest = (one for one in found if not any(time.start < one.end and one.start < time.end for time in times))
    return tuple(sorted((*times, *rest), key=lambda each: each.start))


def agree(one: Quantity, other: Quantity) -> bool:
    """Whether two figures are equal; a time of day without am or pm may be of either half of the day."""
    if one.unit == other.unit == "clock":
        return bool({one.value, one.high} & {other.value, other.high} - {None})
    return one.same(other)
