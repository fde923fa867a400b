"""How often the intervals of audit, calibration and drift contain the truth, by simulation.

Run it with ``python -m benchmarks.monitor.intervals [--times 400]``; a 95 % interval should contain it in 95 % of
simulations. It prints one table in Markdown.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from proctor.monitor.rater_agreement import estimate_over
from proctor.stats.agreement import kappa_of_table
from proctor.stats.calibration import calibration_error
from proctor.stats.distribution_shift import distribution_shift
from proctor.stats.inclusion import SampledStratum, stratified_share
from proctor.stats.two_shares import newcombe

__all__ = ["main"]

Row = tuple[str, str, float, float]


def audit_shares(times: int, source: np.random.Generator) -> Iterator[Row]:
    """Stratified samples of 100 of a week: the share that passes."""
    for name, rare, rest in (("70 % pass", 0.4, 0.75), ("95 % pass", 0.7, 0.97), ("99 % pass", 0.9, 0.995)):
        inside = width = 0.0
        for _ in range(times):
            flagged, others = source.random(300) < rare, source.random(2700) < rest
            truth = (flagged.sum() + others.sum()) / 3000
            found = stratified_share(
                [
                    SampledStratum(population=300, values=_drawn(flagged, 46, source)),
                    SampledStratum(population=2700, values=_drawn(others, 54, source)),
                ]
            )
            assert found is not None
            assert found.interval is not None
            inside += found.interval.low <= truth <= found.interval.high
            width += found.interval.high - found.interval.low
        yield "audit share, 100 of 3,000", name, inside / times, width / times


def kappas(times: int, source: np.random.Generator) -> Iterator[Row]:
    """Two raters who are right with a probability, on 100 and 400 conversations; the truth is the kappa of 200,000."""
    for right in (0.9, 0.75):
        base = np.array([0.05, 0.1, 0.15, 0.3, 0.4])
        many = _ratings(200_000, right, base, source)
        truth = _kappa(5 * (many[:, 0] - 1) + many[:, 1] - 1)
        assert truth is not None
        for count in (100, 400):
            inside = width = 0.0
            for number in range(times // 2):
                pairs = _ratings(count, right, base, source)
                codes = 5 * (pairs[:, 0] - 1) + pairs[:, 1] - 1
                found = estimate_over(count, partial(_kappa_at, codes), resamples=300, seed=number)
                low, high = found.low, found.high
                assert low is not None
                assert high is not None
                inside += low <= truth <= high
                width += high - low
            named = f"n {count}, raters right in {right:.0%}, kappa {truth:.2f}"
            yield "quadratic kappa", named, inside / (times // 2), width / (times // 2)


def calibration(times: int, source: np.random.Generator) -> Iterator[Row]:
    """The error beyond chance of agents that are calibrated, or too sure by a step or everywhere."""
    truths: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "calibrated": lambda c: c,
        "10 points over above 0.7": lambda c: c - 0.1 * (c > 0.7),
        "15 points over everywhere": lambda c: np.clip(c - 0.15, 0, 1),
    }
    for name, true in truths.items():
        for count in (100, 400, 2000):
            inside = width = 0.0
            for number in range(times // 2):
                given = np.clip(1 - source.beta(1.5, 5, count), 0.001, 0.999)
                chance = true(given)
                bins = max(2, min(15, count // 8))
                found = calibration_error(
                    given.tolist(), (source.random(count) < chance).tolist(), bins=bins, draws=400, seed=number
                )
                assert found is not None
                truth = sum(
                    each.weight * abs(float((given - chance)[(given >= each.low) & (given <= each.high)].mean()))
                    for each in found.bins
                )
                inside += found.interval.low - 1e-9 <= truth <= found.interval.high + 1e-9
                width += found.interval.high - found.interval.low
            yield "calibration error", f"n {count:,}, {name}", inside / (times // 2), width / (times // 2)


def shifts(times: int, source: np.random.Generator) -> Iterator[Row]:
    """False alarms: how often an unchanged month has p below 0.05, and how often a change's interval has the truth."""
    shares = source.dirichlet(np.full(15, 2.0))
    quiet = over = 0
    for number in range(times):
        now, before = source.multinomial(500, shares), source.multinomial(1500, shares)
        found = distribution_shift(now.tolist(), before.tolist(), shuffles=300, seed=number)
        assert found is not None
        quiet += found.p >= 0.05
        over += found.psi < 0.1
    yield "intents, no shift", "n 500 against 1,500, 15 intents: p at least 0.05", quiet / times, 0.0
    yield "intents, no shift", "the same months by the rule `PSI under 0.1`", over / times, 0.0
    inside = width = 0.0
    for _ in range(times):
        interval = newcombe(int(source.binomial(500, 0.08)), 500, int(source.binomial(1500, 0.05)), 1500)
        assert interval is not None
        inside += interval.low <= 0.03 <= interval.high
        width += interval.high - interval.low
    yield "change of an intent's share", "8 % of 500 against 5 % of 1,500", inside / times, width / times


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=400)
    times = parser.parse_args().times
    source = np.random.default_rng(22)
    print("| interval | case | contains the truth | mean width | CPU s |\n|---|---|---|---|---|")
    for part in (audit_shares, kappas, calibration, shifts):
        begun = time.process_time()
        for what, case, inside, width in part(times, source):
            spent, begun = time.process_time() - begun, time.process_time()
            print(f"| {what} | {case} | {inside:.1%} | {width:.3f} | {spent:.1f} |", flush=True)


def _drawn(values: np.ndarray, count: int, source: np.random.Generator) -> tuple[float, ...]:
    return tuple(source.choice(values, count, replace=False).astype(float).tolist())


def _ratings(count: int, right: float, base: np.ndarray, source: np.random.Generator) -> np.ndarray:
    truth = source.choice(5, count, p=base) + 1
    said = [
        np.where(source.random(count) < right, truth, np.clip(truth + source.choice((-1, 1), count), 1, 5))
        for _ in range(2)
    ]
    return np.column_stack(said)


def _kappa(codes: np.ndarray) -> float | None:
    return kappa_of_table(np.bincount(codes, minlength=25).reshape(5, 5).astype(float), weighting="quadratic")


def _kappa_at(codes: np.ndarray, at: np.ndarray) -> float | None:
    return _kappa(codes[at])


if __name__ == "__main__":
    main()
