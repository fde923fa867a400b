"""A rate counted by a fallible detector, corrected for its known errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from proctor.stats.interval import Interval

__all__ = ["CorrectedRate", "corrected_rate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedRate:
    """The true rate behind an apparent one, with its interval."""

    value: float
    interval: Interval


def corrected_rate(
    share: float,
    count: float,
    *,
    sensitivity: tuple[float, int],
    specificity: tuple[float, int],
    confidence: float = 0.95,
) -> CorrectedRate | None:
    """Return the rate by Rogan and Gladen (1978), with the interval by Lang and Reiczigel (2014).

    Args:
        share: the share that the detector reported.
        count: the number of independent results behind it; fewer if they are clustered.
        sensitivity: of true successes, the share that the detector reports, and how many it was measured on.
        specificity: of failures, the share that the detector does not report, and how many it was measured on.
        confidence: of the interval, which includes the uncertainty of all three shares.

    Returns:
        The corrected rate; ``None`` if there are no results, or if the detector is no better than chance.
    """
    _check(share, sensitivity, specificity)
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    if count <= 0 or sensitivity[0] + specificity[0] <= 1.0:
        return None
    value = _unit((share + specificity[0] - 1.0) / (sensitivity[0] + specificity[0] - 1.0))
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    # Pseudo-counts keep the variances above 0 at 0 % and 100 %.
    number = count + z * z
    apparent = (share * count + z * z / 2) / number
    sense, sense_number = _padded(*sensitivity)
    spec, spec_number = _padded(*specificity)
    power = sense + spec - 1.0
    if power <= 0.0:
        return None
    middle = (apparent + spec - 1.0) / power
    of_sense, of_spec = sense * (1 - sense) / sense_number, spec * (1 - spec) / spec_number
    variance = apparent * (1 - apparent) / number + middle * middle * of_sense + (1 - middle) ** 2 * of_spec
    centre = middle + 2 * z * z * (middle * of_sense - (1 - middle) * of_spec)
    reach = z * math.sqrt(variance) / power
    low, high = _unit(centre - reach), _unit(centre + reach)
    return CorrectedRate(value=value, interval=Interval(low=min(low, value), high=max(high, value)))


def _check(share: float, *measured: tuple[float, int]) -> None:
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"a share of {share} cannot be")
    for value, number in measured:
        if not 0.0 <= value <= 1.0 or number < 1:
            raise ValueError(f"a detector's share of {value} in {number} cannot be")


def _padded(value: float, number: int) -> tuple[float, int]:
    return (value * number + 1) / (number + 2), number + 2


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))
