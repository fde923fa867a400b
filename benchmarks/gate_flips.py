"""Measures the gate on checks by rules: how often it holds a target compared with itself, by how its answers vary.

Run ``python -m benchmarks.gate_flips``; it writes the table of flips in docs/release.md.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from proctor.release.compare import compare
from proctor.release.compare_settings import CompareSettings
from proctor.release.decide import Outcome, decide
from proctor.release.measures import Baseline, CaseMeasure, CheckCount
from proctor.release.policy import Policy
from proctor.stats.interval import wilson

__all__ = ["main"]

PAGE = Path(__file__).resolve().parent.parent / "docs" / "release.md"
CASES = 200
SAMPLES = (1, 3, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wobble:
    """How a target's answers vary: ``cases`` of the 200 fail a check with probability ``share``."""

    name: str
    cases: int
    share: float
    sampled: bool = True

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """The probability to fail, by case."""
        return np.where(np.arange(CASES) < self.cases, self.share, 0.0)


WOBBLES = (
    Wobble(name="no answer varies, no model", cases=0, share=0.0, sampled=False),
    Wobble(name="no answer varies, a model", cases=0, share=0.0),
    Wobble(name="10 cases fail half the time", cases=10, share=0.5),
    Wobble(name="20 cases fail 1 time in 10", cases=20, share=0.1),
    Wobble(name="every case fails 1 time in 50", cases=CASES, share=0.02),
    Wobble(name="every case fails 1 time in 10", cases=CASES, share=0.1),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=400, help="comparisons for each row and number of samples")
    times = parser.parse_args().times
    text = _table(times)
    print(text)
    page = PAGE.read_text(encoding="utf-8")
    marked = re.compile(r"(<!-- flips -->\n).*?\n?(<!-- /flips -->)", re.DOTALL)
    PAGE.write_text(marked.sub(lambda found: f"{found[1]}{text}\n{found[2]}", page), encoding="utf-8")


def _table(times: int) -> str:
    heads = " | ".join(f"held, -k {samples} | left open" for samples in SAMPLES)
    same = [f"| compared with itself | {heads} |", f"|---|{'---|' * (2 * len(SAMPLES))}"]
    heads = " | ".join(f"held, -k {samples} | left open" for samples in SAMPLES)
    broken = [f"| five of 200 cases broken for good | {heads} |", f"|---|{'---|' * (2 * len(SAMPLES))}"]
    for place, wobble in enumerate(WOBBLES):
        for lines, count, seed in ((same, 0, place), (broken, 5, 100 + place)):
            cells = []
            for samples in SAMPLES:
                found = _outcomes(wobble, samples, times, seed=seed, broken=count)
                cells += [_share(found["hold"], times, span=not count), _share(found["not enough data"], times)]
            lines.append(f"| {wobble.name} | {' | '.join(cells)} |")
    return "\n".join([*same, "", *broken])


def _share(count: int, times: int, *, span: bool = False) -> str:
    around = wilson(count, times)
    assert around is not None
    return f"**{count / times:.1%}** (at most {around.high:.1%})" if span else f"{count / times:.0%}"


def _outcomes(wobble: Wobble, samples: int, times: int, *, seed: int, broken: int = 0) -> Counter[Outcome]:
    source = np.random.default_rng([seed, samples])
    # The intervals are for the reader and decide nothing, so few draws will do for them here.
    settings = CompareSettings(resamples=100, flips=999)
    found: Counter[Outcome] = Counter()
    for _ in range(times):
        before = _run("before", wobble, samples, source)
        after = _run("after", wobble, samples, source, broken)
        found[decide(compare(before, after, settings), Policy(), sampled=wobble.sampled).outcome] += 1
    return found


def _run(name: str, wobble: Wobble, samples: int, source: np.random.Generator, broken: int = 0) -> Baseline:
    shares = wobble.shares
    if broken:
        shares[-broken:] = 1.0
    failed = source.binomial(samples, shares)
    return Baseline(
        run=name, suite="drawn", cases=tuple(_case(place, int(n), samples) for place, n in enumerate(failed))
    )


def _case(place: int, failed: int, samples: int) -> CaseMeasure:
    passed = samples - failed
    return CaseMeasure(
        case=f"c{place:03d}",
        outcome="pass" if passed > failed else "fail",
        value=passed / samples,
        dimensions={"contains": passed / samples},
        samples=samples,
        checks={"contains": CheckCount(passed=passed, failed=failed, exact=True)},
    )


if __name__ == "__main__":
    main()
