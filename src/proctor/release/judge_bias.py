"""Measure the biases of a judge: the position of an answer, and its length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from proctor.core.judge_card import Estimate, LengthBias, PositionBias
from proctor.stats.bootstrap import interval_of
from proctor.stats.correlation import partial, ranks, slope
from proctor.stats.interval import wilson
from proctor.stats.paired import sign_test

__all__ = ["length_bias", "position_bias"]

_POINTS = {"win": 1, "tie": 0, "loss": -1}
_MIN_CASES = 8


def position_bias(orders: Sequence[tuple[str, str]]) -> PositionBias | None:
    """Measure position bias from the verdicts on each answer in the first and in the second position.

    An answer that wins in the first position and loses in the second shows a preference for the first.
    """
    pairs = [(_POINTS[one], _POINTS[other]) for one, other in orders if one in _POINTS and other in _POINTS]
    if not pairs:
        return None
    # Positive if the first position was preferred over both orders.
    leaning = [one - other for one, other in pairs]
    same = sum(one == other for one, other in pairs)
    found = wilson(same, len(pairs))
    return PositionBias(
        pairs=len(pairs),
        consistent=Estimate(
            value=same / len(pairs), low=found.low if found else None, high=found.high if found else None
        ),
        first=sum(lean == 2 for lean in leaning),
        second=sum(lean == -2 for lean in leaning),
        p=sign_test(leaning),
    )


def length_bias(
    rows: Sequence[tuple[float, float, float] | None], *, resamples: int = 500, seed: int = 0
) -> LengthBias | None:
    """Measure length bias from (people's value, the judge's, length in doublings) of each answer.

    People may rightly prefer longer answers, so their scores are controlled for.
    """
    known = [row for row in rows if row is not None]
    if len(known) < _MIN_CASES:
        return None
    human, machine, length = (np.array(column) for column in zip(*known, strict=True))
    if np.ptp(length) <= 1e-12:
        return None
    places = ranks(machine), ranks(length), ranks(human)

    def figure(at: npt.NDArray[np.int64]) -> float | None:
        return partial(places[0][at], places[1][at], places[2][at])

    value = figure(np.arange(len(known)))
    interval = interval_of(len(known), figure, resamples=resamples, seed=seed) if value is not None else None
    return LengthBias(
        cases=len(known),
        correlation=Estimate(value=value, low=getattr(interval, "low", None), high=getattr(interval, "high", None)),
        doubling=slope(machine, length, human),
    )
