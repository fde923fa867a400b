"""Fit mappings from confidence to the frequency of being right, and compare them by cross-validation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from proctor.stats.interval import Interval
from proctor.stats.student import student_quantile

__all__ = [
    "CalibrationMethod",
    "FittedMap",
    "MethodComparison",
    "compare_methods",
    "cross_fitted",
    "fit_isotonic",
    "fit_map",
    "fit_platt",
    "fit_temperature",
]

Numbers = npt.NDArray[np.float64]
CalibrationMethod = Literal["identity", "temperature", "platt", "isotonic"]
_METHODS: tuple[CalibrationMethod, ...] = ("identity", "temperature", "platt", "isotonic")
_EDGE = 1e-6  # as in proctor.calibration
_MAX_STEPS = 200


@dataclass(frozen=True, slots=True)
class FittedMap:
    """A mapping: a line on the logit (``slope``, ``intercept``), or points (``x``, ``y``) joined by straight lines."""

    method: CalibrationMethod
    slope: float = 1.0
    intercept: float = 0.0
    x: tuple[float, ...] = ()
    y: tuple[float, ...] = ()

    def apply(self, confidence: Sequence[float] | Numbers) -> Numbers:
        """Return the corrected confidences."""
        given = np.asarray(confidence, dtype=np.float64)
        if self.method == "identity":
            return given
        if self.method == "isotonic":
            return np.interp(given, self.x, self.y)
        return _sigmoid(self.slope * _logits(given) + self.intercept)


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodComparison:
    """A method by cross-validation: squared error, log loss, and the gain in squared error over no mapping."""

    method: CalibrationMethod
    brier: float
    log_loss: float
    gain: float
    interval: Interval


def fit_map(
    method: CalibrationMethod,
    confidence: Sequence[float] | Numbers,
    correct: Sequence[bool] | Numbers,
    weights: Sequence[float] | Numbers | None = None,
) -> FittedMap:
    """Fit one method."""
    if method == "identity":
        return FittedMap("identity")
    given = np.asarray(confidence, dtype=np.float64)
    right = np.asarray(correct, dtype=np.float64)
    mass = np.ones(len(given)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not len(given):
        raise ValueError("there is nothing to fit")
    fits: dict[str, Callable[[Numbers, Numbers, Numbers], FittedMap]] = {
        "temperature": fit_temperature,
        "platt": fit_platt,
        "isotonic": fit_isotonic,
    }
    return fits[method](given, right, mass)


def fit_temperature(confidence: Numbers, correct: Numbers, weights: Numbers) -> FittedMap:
    """Fit one number: the logit divided by a temperature, by maximum likelihood."""
    slope = _logistic(_logits(confidence)[:, None], correct, weights)[0]
    return FittedMap("temperature", slope=max(0.0, float(slope)))


def fit_platt(confidence: Numbers, correct: Numbers, weights: Numbers) -> FittedMap:
    """Fit a line on the logit by maximum likelihood; a falling one becomes flat."""
    logits = _logits(confidence)
    ones = np.ones_like(logits)
    slope, intercept = _logistic(np.column_stack([logits, ones]), correct, weights)
    if slope < 0:
        return FittedMap("platt", slope=0.0, intercept=float(_logistic(ones[:, None], correct, weights)[0]))
    return FittedMap("platt", slope=float(slope), intercept=float(intercept))


def fit_isotonic(confidence: Numbers, correct: Numbers, weights: Numbers) -> FittedMap:
    """Fit the rising steps nearest to the outcomes (pool adjacent violators)."""
    x, group = np.unique(confidence, return_inverse=True)
    mass = np.bincount(group, weights=weights)
    mean = np.bincount(group, weights=weights * correct) / mass
    blocks: list[list[float]] = []  # value, weight, number of points
    for value, weight in zip(mean.tolist(), mass.tolist(), strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            last = blocks.pop()
            total = blocks[-1][1] + last[1]
            blocks[-1] = [
                (blocks[-1][0] * blocks[-1][1] + last[0] * last[1]) / total,
                total,
                blocks[-1][2] + last[2],
            ]
    y = np.concatenate([np.full(int(size), min(1.0, max(0.0, value))) for value, _, size in blocks])
    # The inner points of a flat part say nothing.
    needed = np.ones(len(x), dtype=bool)
    needed[1:-1] = (y[1:-1] != y[:-2]) | (y[1:-1] != y[2:])
    return FittedMap("isotonic", x=tuple(x[needed].tolist()), y=tuple(y[needed].tolist()))


def compare_methods(
    confidence: Sequence[float],
    correct: Sequence[bool],
    *,
    weights: Sequence[float] | None = None,
    folds: int = 5,
    repeats: int = 4,
    seed: int = 0,
) -> list[MethodComparison] | None:
    """Compare all methods on cases that they were not fitted to; ``None`` for fewer than two cases a fold.

    The interval of the gain is Student's over cases, of each case's mean over the repeats.
    """
    given = np.asarray(confidence, dtype=np.float64)
    right = np.asarray(correct, dtype=np.float64)
    mass = np.ones(len(given)) if weights is None else np.asarray(weights, dtype=np.float64)
    if len(given) < 2 * folds:
        return None
    source = np.random.default_rng(seed)
    squares = {method: np.zeros(len(given)) for method in _METHODS}
    losses = {method: np.zeros(len(given)) for method in _METHODS}
    for _ in range(repeats):
        fold = source.permutation(len(given)) % folds
        for held in range(folds):
            train, test = fold != held, fold == held
            for method in _METHODS:
                said = fit_map(method, given[train], right[train], mass[train]).apply(given[test])
                inside = np.clip(said, _EDGE, 1 - _EDGE)
                chance = np.where(right[test] > 0, inside, 1 - inside)
                squares[method][test] += (said - right[test]) ** 2 / repeats
                losses[method][test] -= np.log(chance) / repeats
    return [
        MethodComparison(
            method=method,
            brier=float(np.average(squares[method], weights=mass)),
            log_loss=float(np.average(losses[method], weights=mass)),
            gain=float(np.average(gains := squares["identity"] - squares[method], weights=mass)),
            interval=_weighted_interval(gains, mass),
        )
        for method in _METHODS
    ]


def cross_fitted(
    method: CalibrationMethod,
    confidence: Sequence[float],
    correct: Sequence[bool],
    *,
    weights: Sequence[float] | None = None,
    folds: int = 5,
    seed: int = 0,
) -> Numbers:
    """Return each confidence mapped by a fit to the other folds."""
    given = np.asarray(confidence, dtype=np.float64)
    right = np.asarray(correct, dtype=np.float64)
    mass = np.ones(len(given)) if weights is None else np.asarray(weights, dtype=np.float64)
    fold = np.random.default_rng(seed).permutation(len(given)) % folds
    mapped = np.empty(len(given))
    for held in range(folds):
        train, test = fold != held, fold == held
        if test.any():
            mapped[test] = fit_map(method, given[train], right[train], mass[train]).apply(given[test])
    return mapped


def _weighted_interval(values: Numbers, weights: Numbers) -> Interval:
    share = weights / weights.sum()
    mean = float((share * values).sum())
    spread = math.sqrt(float((share**2 * (values - mean) ** 2).sum()))
    reach = student_quantile(0.975, len(values) - 1) * spread
    return Interval(low=mean - reach, high=mean + reach)


def _logistic(features: Numbers, correct: Numbers, weights: Numbers) -> Numbers:
    """Return the coefficients of a logistic regression by Newton's method, with a trace of shrinkage.

    Without it, cases that are separated perfectly would have no finite solution.
    """
    coefficients = np.zeros(features.shape[1])
    shrink = 1e-6 * np.eye(features.shape[1])
    scale = weights / weights.mean()

    def loss(at: Numbers) -> float:
        values = features @ at
        return float((scale * (np.logaddexp(0.0, values) - correct * values)).sum() + 0.5 * at @ shrink @ at)

    current = loss(coefficients)
    for _ in range(_MAX_STEPS):
        chance = _sigmoid(features @ coefficients)
        slope = features.T @ (scale * (chance - correct)) + shrink @ coefficients
        curve = (features * (scale * chance * (1 - chance))[:, None]).T @ features + shrink
        step = np.linalg.solve(curve, slope)
        size = 1.0
        while (new := loss(coefficients - size * step)) > current + 1e-12 and size > 1e-9:
            size /= 2
        coefficients = coefficients - size * step
        if abs(current - new) < 1e-13 * (1 + abs(current)) and np.abs(step).max() < 1e-9:
            break
        current = new
    return coefficients


def _logits(confidence: Numbers) -> Numbers:
    inside = np.clip(confidence, _EDGE, 1 - _EDGE)
    found: Numbers = np.log(inside / (1 - inside))
    return found


def _sigmoid(values: Numbers) -> Numbers:
    found: Numbers = np.exp(-np.logaddexp(0.0, -values))
    return found
