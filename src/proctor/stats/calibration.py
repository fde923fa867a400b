"""Whether confidences are frequencies: calibration error without the part that chance alone would show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from proctor.stats.calibration_fit import fit_map
from proctor.stats.interval import Interval, wilson_of_share

__all__ = ["CalibrationBin", "CalibrationError", "brier", "calibration_error", "minimum_shift"]

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
_EXACT = 3_000  # up to this many pairs every pair is drawn; above, sums of a bin are drawn from a normal distribution
_CHUNK = 4_000_000
_SCALES = np.concatenate([np.linspace(0.0, 2.0, 13), [2.4, 3.0, 4.0]])


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin:
    """Pairs of similar confidence: their mean confidence, and the share that was right with its interval.

    ``expected`` is the range that the share of a calibrated model has nineteen times of twenty.
    """

    low: float
    high: float
    count: int
    weight: float
    confidence: float
    accuracy: float
    interval: Interval
    expected: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationError:
    """The expected calibration error over bins of equal mass.

    ``ece`` is the raw one, ``chance`` what a calibrated model would show on average with these confidences, and
    ``chance_high`` what it exceeds in one case of twenty. ``excess`` is the raw one less chance, never below 0.
    ``debiased`` is the true error, with its ``interval``, that would show the raw one on average: 0 where the raw one
    is within chance, and more than ``excess`` where the error is real, since chance then adds less. ``p`` is how often
    a calibrated model shows at least the raw error. ``gap`` is the mean confidence less the share that was right: above
    0 is overconfident.
    """

    count: int
    bins: tuple[CalibrationBin, ...]
    ece: float
    highest: float
    chance: float
    chance_high: float
    excess: float
    debiased: float
    interval: Interval
    p: float
    gap: float
    brier: float


def calibration_error(
    confidence: Sequence[float],
    correct: Sequence[bool],
    *,
    weights: Sequence[float] | None = None,
    bins: int = 15,
    draws: int = 1000,
    seed: int = 0,
) -> CalibrationError | None:
    """Measure the calibration of pairs of a confidence and whether it was right; ``None`` without any pair.

    Chance and p-value come from consistency resampling (Bröcker and Smith 2007): outcomes drawn from the confidences
    themselves. The interval is that of all true errors of the observed pattern, made larger and smaller, under which
    the observed error is not extreme; so it includes 0 if and only if the error is not significant.
    """
    data = _data(confidence, correct, weights)
    if data is None:
        return None
    starts = _starts(data, bins)
    found = _bins(data, starts)
    share = np.array([each.weight for each in found])
    gaps = np.array([each.confidence - each.accuracy for each in found])
    ece = float((share * np.abs(gaps)).sum())
    source = np.random.default_rng(seed)
    null = _errors(data, starts, data.confidence, draws, source)
    chance = float(null.mean())
    point, interval = _true_error(data, starts, (ece, chance), draws=max(200, draws // 3), source=source)
    return CalibrationError(
        count=len(data.confidence),
        bins=found,
        ece=ece,
        highest=float(np.abs(gaps).max()),
        chance=chance,
        chance_high=float(np.quantile(null, 0.95)),
        excess=max(0.0, ece - chance),
        debiased=point,
        interval=interval,
        p=(1 + int((null >= ece - 1e-12).sum())) / (1 + draws),
        gap=float((share * gaps).sum()),
        brier=brier(confidence, correct, weights=weights),
    )


def brier(confidence: Sequence[float], correct: Sequence[bool], *, weights: Sequence[float] | None = None) -> float:
    """Return the mean squared difference of confidence and outcome; lower is better."""
    squares = (np.asarray(confidence, dtype=np.float64) - np.asarray(correct, dtype=np.float64)) ** 2
    return float(np.average(squares, weights=None if weights is None else np.asarray(weights, dtype=np.float64)))


def minimum_shift(
    confidence: Sequence[float],
    *,
    weights: Sequence[float] | None = None,
    bins: int = 15,
    power: float = 0.8,
    draws: int = 400,
    seed: int = 0,
) -> float | None:
    """Return the smallest overconfidence, the same everywhere, whose error is significant with this ``power``.

    It says what these numbers can show at all. ``None`` if not even 0.5 could be seen.
    """
    data = _data(confidence, [True] * len(confidence), weights)
    if data is None:
        return None
    starts = _starts(data, bins)
    source = np.random.default_rng(seed)
    limit = float(np.quantile(_errors(data, starts, data.confidence, draws * 2, source), 0.95))
    low, high = 0.0, 0.5

    def seen(shift: float) -> float:
        true = np.clip(data.confidence - shift, 0.0, 1.0)
        return float((_errors(data, starts, true, draws, source) > limit).mean())

    if seen(high) < power:
        return None
    for _ in range(9):
        middle = (low + high) / 2
        low, high = (low, middle) if seen(middle) >= power else (middle, high)
    return high


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs in order of confidence; the weights add to 1."""

    confidence: Numbers
    correct: Numbers
    weights: Numbers


def _data(confidence: Sequence[float], correct: Sequence[bool], weights: Sequence[float] | None) -> _Pairs | None:
    given: Numbers = np.asarray(confidence, dtype=np.float64)
    right: Numbers = np.asarray(correct, dtype=np.float64)
    mass: Numbers = np.ones(len(given)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not len(given) == len(right) == len(mass):
        raise ValueError(f"{len(given)} confidences beside {len(right)} outcomes and {len(mass)} weights")
    if not len(given):
        return None
    if not ((given >= 0) & (given <= 1)).all():
        raise ValueError("a confidence lies in [0, 1]")
    if not (mass > 0).all() or not np.isfinite(mass).all():
        raise ValueError("a weight is a number above 0")
    order = np.argsort(given, kind="stable")
    return _Pairs(given[order], right[order], mass[order] / mass.sum())


def _starts(data: _Pairs, bins: int) -> Places:
    """Return the place of the first pair of each bin."""
    if bins < 1:
        raise ValueError(f"there is at least 1 bin, not {bins}")
    before = np.cumsum(data.weights) - data.weights
    wanted = np.minimum((before * bins + 1e-9).astype(np.int64), bins - 1)
    # All pairs of one confidence go to the bin of the first of them.
    first = np.concatenate([[True], np.diff(data.confidence) > 0])
    place = wanted[np.maximum.accumulate(np.where(first, np.arange(len(first)), 0))]
    return np.flatnonzero(np.concatenate([[True], np.diff(place) > 0])).astype(np.int64)


def _bins(data: _Pairs, starts: Places) -> tuple[CalibrationBin, ...]:
    mass = np.add.reduceat(data.weights, starts)
    confidence = np.add.reduceat(data.weights * data.confidence, starts) / mass
    accuracy = np.add.reduceat(data.weights * data.correct, starts) / mass
    effective = mass**2 / np.add.reduceat(data.weights**2, starts)
    ends = np.append(starts[1:], len(data.confidence))
    found = []
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        share = min(1.0, max(0.0, float(accuracy[place])))
        interval = wilson_of_share(share, float(effective[place]))
        usual = wilson_of_share(min(1.0, float(confidence[place])), float(effective[place]))
        assert interval is not None
        assert usual is not None
        found.append(
            CalibrationBin(
                low=float(data.confidence[start]),
                high=float(data.confidence[end - 1]),
                count=int(end - start),
                weight=float(mass[place]),
                confidence=float(confidence[place]),
                accuracy=share,
                interval=interval,
                expected=usual,
            )
        )
    return tuple(found)


def _errors(data: _Pairs, starts: Places, chances: Numbers, draws: int, source: np.random.Generator) -> Numbers:
    """Return the calibration errors of outcomes drawn with these chances."""
    expected = np.add.reduceat(data.weights * data.confidence, starts)
    if len(chances) > _EXACT:
        middle = np.add.reduceat(data.weights * chances, starts)
        spread = np.sqrt(np.add.reduceat(data.weights**2 * chances * (1 - chances), starts))
        sums = source.normal(middle, spread, size=(draws, len(starts)))
        found: Numbers = np.abs(sums - expected).sum(axis=1)
        return found
    errors = np.empty(draws)
    step = max(1, _CHUNK // len(chances))
    for begin in range(0, draws, step):
        size = min(step, draws - begin)
        drawn = (source.random((size, len(chances))) < chances) * data.weights
        errors[begin : begin + size] = np.abs(np.add.reduceat(drawn, starts, axis=1) - expected).sum(axis=1)
    return errors


def _true_error(
    data: _Pairs, starts: Places, seen: tuple[float, float], *, draws: int, source: np.random.Generator
) -> tuple[float, Interval]:
    """Return the true error that shows the observed one on average, and those under which it is not extreme.

    Extreme is outside the 2.5 % and the 97.5 % point. The true errors are those of Platt's curve through the outcomes,
    drawn nearer to the diagonal and further from it: the gaps of the bins themselves are mostly noise.
    """
    ece, chance = seen
    pattern = data.confidence - fit_map("platt", data.confidence, data.correct, data.weights).apply(data.confidence)
    size = float(np.abs(np.add.reduceat(data.weights * pattern, starts)).sum())
    # Without a curve to enlarge, the alternative is the same overconfidence everywhere.
    pattern = pattern / size if size > 1e-6 else np.ones(len(pattern))
    lows, means, highs = [], [], []
    for scale in _SCALES * max(ece, chance):
        true = np.clip(data.confidence - scale * pattern, 0.0, 1.0)
        size = float(np.abs(np.add.reduceat(data.weights * (true - data.confidence), starts)).sum())
        drawn = _errors(data, starts, true, draws, source)
        low, high = np.quantile(drawn, (0.025, 0.975))
        lows.append((size, float(low)))
        means.append((size, float(drawn.mean())))
        highs.append((size, float(high)))
        if low > ece:
            break
    bottom = _crossing(highs, ece)
    # Smaller than even a calibrated model would show: luck, so what chance shows is not excluded.
    top = max(bottom, _crossing(lows, ece + 1e-9) if lows[0][1] <= ece else chance)
    return min(top, max(bottom, _crossing(means, ece))), Interval(low=bottom, high=top)


def _crossing(curve: list[tuple[float, float]], ece: float) -> float:
    """Return the true error at which a figure of drawn errors reaches the observed one; the first if it is above it."""
    if curve[0][1] >= ece:
        return curve[0][0]
    for (size, figure), (larger, higher) in pairwise(curve):
        if higher >= ece:
            return size + (larger - size) * (ece - figure) / (higher - figure)
    return curve[-1][0]
