"""Bernoulli CUSUM charts: find the moment from which bad events come more often than they normally do.

A chart adds up the evidence (the log-likelihood ratio) that the rate is ``ratio`` times its normal one, starts again
at zero when the evidence is negative, and rings at a threshold. No rule with as few false alarms finds a change of
that size sooner in the worst case (Lorden 1971, Moustakides 1986). The threshold comes from the run-length formula with
Cramér's constant as the correction for the overshoot, which is exact in the limit for a walk that falls in small steps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["RATIOS", "Chart", "chart", "detection_probability", "run_length", "smallest_spike", "thresholds"]

RATIOS = (2.0, 3.0, 5.0, 10.0)  # the sizes of spikes that the charts of a bank are tuned for
_MAX_SHARE = 0.95  # of bad events under a spike; a rate cannot reach 1
# Charts of one bank ring together. Four of them ring about this many times as often as one alone, not four times;
# set by simulation, and tests hold the bank to 0.7 to 1.1 times the alarms that were asked for.
_TOGETHER = {1: 1.0, 2: 1.6, 3: 2.0, 4: 2.3}
_LARGEST = 700.0


@dataclass(frozen=True, slots=True)
class Chart:
    """The evidence in one event: ``up`` for a bad one, ``-down`` for a good one."""

    normal: float
    spiked: float
    up: float
    down: float

    @property
    def fall(self) -> float:
        """Mean loss of evidence in one event at the normal rate."""
        return (1 - self.normal) * self.down - self.normal * self.up

    @property
    def rise(self) -> float:
        """Mean gain of evidence in one event at the spiked rate."""
        return self.spiked * self.up - (1 - self.spiked) * self.down


def chart(normal: float, ratio: float) -> Chart:
    """Return the chart for a rate that is normally ``normal`` and ``ratio`` times that in a spike."""
    if not 0.0 < normal < 1.0:
        raise ValueError(f"a normal rate lies between 0 and 1, not {normal}")
    if not ratio > 1.0:
        raise ValueError(f"a spike is more than 1 times the normal rate, not {ratio}")
    spiked = normal * ratio
    if spiked > _MAX_SHARE:  # half way to certainty, if the ratio itself cannot be reached
        spiked = max(min(spiked, _MAX_SHARE), (1 + normal) / 2)
    return Chart(
        normal=normal,
        spiked=spiked,
        up=math.log(spiked / normal),
        down=-math.log1p(-spiked) + math.log1p(-normal),
    )


def run_length(of: Chart, threshold: float) -> float:
    """Return how many events at the normal rate pass on average until the chart rings without a cause.

    The logarithm corrects for the overshoot above the threshold, the last factor for the steps by which it falls.
    """
    reach = min(_LARGEST, threshold + math.log(of.rise / of.fall))
    return max(1.0, (math.exp(reach) - reach - 1) / of.fall * math.expm1(of.down) / of.down)


def thresholds(
    hours: Sequence[tuple[float, float]], false_alarms: float, *, ratios: Sequence[float] = RATIOS
) -> tuple[float, ...]:
    """Return a threshold for each ratio, so that the charts together ring ``false_alarms`` times without a cause.

    ``hours`` are the events and the normal rate of each hour of the period that ``false_alarms`` counts in.
    """
    if not false_alarms > 0:
        raise ValueError(f"a chart that never rings without a cause never rings; false_alarms is {false_alarms}")
    kept = [(count, rate) for count, rate in hours if count > 0 and 0 < rate < 1]
    share = false_alarms / _TOGETHER.get(len(ratios), float(len(ratios)))
    return tuple(_threshold([(count, chart(rate, ratio)) for count, rate in kept], share) for ratio in ratios)


def _threshold(hours: Sequence[tuple[float, Chart]], false_alarms: float) -> float:
    """Return the threshold at which these hours give ``false_alarms``; one bad event alone never rings."""
    if not hours:
        return math.inf
    # The run length of each hour as a function of the threshold alone.
    terms = [
        (count * each.fall * each.down / math.expm1(each.down), math.log(each.rise / each.fall))
        for count, each in hours
    ]
    level = math.log(sum(weight * math.exp(-more) for weight, more in terms) / false_alarms)
    least = max(each.up for _, each in hours) * (1 + 1e-9)
    for _ in range(20):  # Newton's method on the logarithm, which is nearly a straight line
        level = max(level, least)
        alarms = slope = 0.0
        for weight, more in terms:
            grown = math.exp(level + more)
            part = 1.0 / max(1e-9, grown - level - more - 1)
            alarms += weight * part
            slope += weight * (grown - 1) * part * part
        step = math.log(alarms / false_alarms) * alarms / slope
        level += step
        if abs(step) < 1e-6:
            break
    return max(level, least)


def detection_probability(
    bad: float, spike: float, minutes: float, levels: Sequence[float], *, ratios: Sequence[float] = RATIOS
) -> float:
    """Return how probably the best of some charts rings within ``minutes`` of a spike that starts at zero evidence.

    ``bad`` is the normal number of bad events a minute, ``spike`` the factor it grows by. Bad events are rare among all
    events here (a Poisson process), so only their number counts. It is exact for one chart: none rings as long as
    each k-th bad event comes later than the line of the threshold allows.
    """
    if bad <= 0 or minutes <= 0:
        return 0.0
    found = [_crosses(bad, spike, minutes, ratio, level) for ratio, level in zip(ratios, levels, strict=True)]
    return max(found, default=0.0)


@lru_cache(maxsize=4_096)  # rules with the same signals' traffic ask the same
def _crosses(bad: float, spike: float, minutes: float, ratio: float, level: float) -> float:
    import numpy as np  # noqa: PLC0415 - 0.1 s, and only limits need it

    up, fall = math.log(ratio), bad * (ratio - 1)
    if not math.isfinite(level):
        return 0.0
    first = max(1, math.ceil(level / up - 1e-12))  # fewest bad events that can ring
    start, step = (first * up - level) / fall, up / fall
    if start >= minutes:
        return _enough(bad * spike * minutes, first)
    last = first + math.ceil((minutes - start) / step)
    if last > 4_000:  # so many events that the mean decides
        return 1.0 if spike * up > ratio - 1 else 0.0
    left = _poisson(bad * spike * start, first)  # how many bad events there were when the line is at `first`
    passed = start
    grown = np.asarray(_poisson(bad * spike * step, _enough_terms(bad * spike * step)))
    state = np.asarray(left)
    for _ in range(first, last):
        length = min(step, minutes - passed)
        if length < step:
            grown = np.asarray(_poisson(bad * spike * length, _enough_terms(bad * spike * length)))
        size = len(state) + (1 if length >= step else 0)
        # The line moves up by one event; a walk that reached it before has alarmed.
        state = np.convolve(state, grown)[:size]
        passed += length
        if passed >= minutes:
            break
    return float(min(1.0, max(0.0, 1.0 - state.sum())))


def _poisson(mean: float, size: int) -> list[float]:
    """Return the probabilities of 0 to ``size - 1`` events."""
    if mean <= 0:
        return [1.0] + [0.0] * (size - 1)
    log_mean = math.log(mean)
    return [math.exp(k * log_mean - mean - math.lgamma(k + 1)) for k in range(size)]


def _enough_terms(mean: float) -> int:
    """Return how many counts hold all of a Poisson distribution that a double can show."""
    return int(mean + 12 * math.sqrt(mean)) + 20


def _enough(mean: float, count: int) -> float:
    return max(0.0, 1.0 - sum(_poisson(mean, count)))


def smallest_spike(
    bad: float, minutes: float, levels: Sequence[float], *, share: float = 0.99, ratios: Sequence[float] = RATIOS
) -> float | None:
    """Return the smallest factor that the charts find within ``minutes`` with this ``share``; none below 1,000."""
    low, high = 1.0, 1_000.0
    if detection_probability(bad, high, minutes, levels, ratios=ratios) < share:
        return None
    for _ in range(16):
        middle = math.sqrt(low * high)
        found = detection_probability(bad, middle, minutes, levels, ratios=ratios)
        low, high = (low, middle) if found >= share else (middle, high)
    return high
