"""Find all figures of a text: quantities, and times of day, whose digits are no numbers of their own."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from proctor.text.clock_times import find_clock_times
from proctor.text.quantities import Quantity, find_quantities

__all__ = ["agree", "find_figures"]


def find_figures(text: str) -> tuple[Quantity, ...]:
    """Return the quantities and times of day of a text, in order."""
    times = tuple(find_clock_times(text))
    found = find_quantities(text)
    if not times:
        return found
    begins = [time.start for time in times]
    rest = (one for one in found if not _is_in_one(one, times, begins))
    return tuple(sorted((*times, *rest), key=lambda each: each.start))


def _is_in_one(one: Quantity, times: Sequence[Quantity], begins: Sequence[int]) -> bool:
    """Whether a quantity overlaps one of the times, which follow each other from left to right."""
    last = bisect_left(begins, one.end) - 1  # the last that begins before its end
    return last >= 0 and one.start < times[last].end


def agree(one: Quantity, other: Quantity) -> bool:
    """Whether two figures are equal; a time of day without am or pm may be of either half of the day."""
    if one.unit == other.unit == "clock":
        return bool({one.value, one.high} & {other.value, other.high} - {None})
    return one.same(other)
