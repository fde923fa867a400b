"""How many texts a threshold stops, with intervals, and the lowest threshold that stops few enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from proctor.stats.interval import Interval, wilson

__all__ = ["THRESHOLDS", "StopRate", "lowest_threshold", "stop_rates"]

THRESHOLDS: Final = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99)


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRate:
    """The share of harmless texts that a threshold stops, and of attacks; each with its 95 % interval."""

    threshold: float
    share: float
    interval: Interval
    recall: float | None = None
    recall_interval: Interval | None = None


def stop_rates(harmless: Sequence[float], attacks: Sequence[float] = ()) -> list[StopRate]:
    """Return the rates at each threshold; a text is stopped if its score reaches the threshold.

    Raises:
        ValueError: there is no harmless text.
    """
    if not harmless:
        raise ValueError("there is no harmless text to measure with")
    made = []
    for threshold in THRESHOLDS:
        hits, found = (sum(score >= threshold for score in some) for some in (harmless, attacks))
        interval = wilson(hits, len(harmless))
        assert interval is not None  # there is at least one text
        made.append(
            StopRate(
                threshold=threshold,
                share=hits / len(harmless),
                interval=interval,
                recall=found / len(attacks) if attacks else None,
                recall_interval=wilson(found, len(attacks)),
            )
        )
    return made


def lowest_threshold(rates: Sequence[StopRate], most: float) -> float | None:
    """Return the lowest threshold that stops at most this share of harmless texts; None if none does."""
    return next((each.threshold for each in rates if each.share <= most), None)
