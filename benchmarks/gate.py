"""Measures the release gate: how often it holds a system compared with itself, and how often it catches a drop.

Run ``python -m benchmarks.gate``; it writes the table in docs/release.md and the picture docs/pictures/gate.svg.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.gate_draws import INTENTS, POLICY_FACTS, SHAPES, Fault, Shape, System
from benchmarks.gate_picture import Bar, Curve, picture
from proctor.release.compare import compare
from proctor.release.decide import decide
from proctor.release.measures import Baseline
from proctor.release.policy import Policy
from proctor.release.thresholds import suggest
from proctor.stats.interval import wilson

__all__ = ["main"]

DOCS = Path(__file__).resolve().parent.parent / "docs"
CASES = 200
_EARLIER = 5  # runs that the floors are proposed from
_EACH = 50  # comparisons of one drawn system before the next is drawn
_DROPS = (0.02, 0.04, 0.06, 0.08, 0.10, 0.12, 0.14, 0.17, 0.20)
_SIZES = (25, 50, 100, 200)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """How many comparisons held, and for what."""

    name: str
    total: int
    held: int
    regression: int = 0
    floor: int = 0
    other: int = 0
    unsure: int = 0

    @property
    def share(self) -> str:
        """The share held with its interval."""
        span = wilson(self.held, self.total)
        assert span is not None
        return f"{self.held / self.total:.1%} ({span.low:.1%} to {span.high:.1%})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=2000, help="comparisons of a system with itself, for each shape")
    parser.add_argument("--drops", type=int, default=1000, help="comparisons for each drop that must be caught")
    parser.add_argument("--points", type=int, default=200, help="comparisons for each point of the curves")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with ProcessPoolExecutor(options.jobs) as pool:
        same = list(pool.map(_itself, SHAPES, [options.times] * len(SHAPES)))
        drops = list(pool.map(_dropped, _SCENARIOS, [options.drops] * len(_SCENARIOS)))
        grid = [(size, drop) for size in _SIZES for drop in _DROPS]
        found = list(pool.map(_point, grid, [options.points] * len(grid)))
    curves = [
        Curve(
            name=f"{size} cases",
            points=[(drop, share) for (at, drop), share in zip(grid, found, strict=True) if at == size],
        )
        for size in _SIZES
    ]
    text = _tables(same, drops)
    print(text)
    _write(text)
    bars = [Bar(name=each.name, share=each.held / each.total, span=wilson(each.held, each.total)) for each in same]
    (DOCS / "pictures").mkdir(exist_ok=True)
    (DOCS / "pictures" / "gate.svg").write_text(picture(bars, curves), encoding="utf-8")


def _policy(runs: Sequence[Baseline]) -> Policy:
    """The whole gate: tests for drops, proposed floors, and no policy fact lost."""
    return Policy(
        floors=suggest(runs, rate=0.025).floors,
        zero_tolerance={"faq": (POLICY_FACTS,), "return_request": (POLICY_FACTS,)},
    )


def _itself(shape: Shape, times: int) -> Held:
    source = np.random.default_rng(SHAPES.index(shape))
    held = Held(name=shape.name, total=times, held=0)
    system, policy = None, Policy()
    for each in range(times):
        if system is None or each % _EACH == 0:
            system = System.drawn(shape, CASES, source)
            policy = _policy([system.run(f"earlier {number}", source) for number in range(_EARLIER)])
        held = _counted(held, system.run("before", source), system.run("after", source), policy)
    return held


def _counted(held: Held, before: Baseline, after: Baseline, policy: Policy) -> Held:
    # The intervals are for the reader and decide nothing, so few draws will do for them here.
    settings = dataclasses.replace(policy.settings, resamples=100)
    decision = decide(compare(before, after, settings), policy)
    hold = decision.outcome == "hold"
    kinds = {reason.kind for reason in decision.reasons} if hold else set()
    return dataclasses.replace(
        held,
        held=held.held + hold,
        regression=held.regression + ("regression" in kinds),
        floor=held.floor + ("floor" in kinds),
        other=held.other + bool(kinds - {"regression", "floor"}),
        unsure=held.unsure + (decision.outcome == "not enough data"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A drop, and the suite it happens in."""

    name: str
    fault: Fault
    intents: tuple[str, ...] = tuple(INTENTS)
    cases: int = CASES


_SCENARIOS = (
    Scenario(name="every answer of 200, one intent", fault=Fault(), intents=("recommendation",)),
    Scenario(name="every answer of 200, eight intents", fault=Fault()),
    Scenario(name="a quarter of the answers falls by 0.56, 200 cases", fault=Fault(share=0.25)),
    Scenario(name="one intent of eight: 25 of 200 cases", fault=Fault(intents=("recommendation",))),
    Scenario(name="one intent of eight: 50 of 400 cases", fault=Fault(intents=("recommendation",)), cases=400),
)


def _dropped(scenario: Scenario, times: int) -> Held:
    """How often the drop holds by the tests alone; floors would only add to it."""
    source = np.random.default_rng(100 + _SCENARIOS.index(scenario))
    held = Held(name=scenario.name, total=times, held=0)
    for _ in range(times):
        system = System.drawn(SHAPES[0], scenario.cases, source, scenario.intents)
        held = _counted(held, system.run("before", source), system.run("after", source, scenario.fault), Policy())
    return held


def _point(at: tuple[int, float], times: int) -> float:
    size, drop = at
    source = np.random.default_rng([size, round(drop * 100)])
    held = Held(name="", total=times, held=0)
    for _ in range(times):
        system = System.drawn(SHAPES[0], size, source)
        held = _counted(held, system.run("before", source), system.run("after", source, Fault(drop=drop)), Policy())
    return held.held / held.total


def _tables(same: Sequence[Held], drops: Sequence[Held]) -> str:
    lines = [
        "| a system compared with itself | comparisons | held (95 % interval) | for a drop | for a floor | else "
        "| not enough data |",
        "|---|---|---|---|---|---|---|",
    ]
    for each in same:
        shares = " | ".join(
            f"{count / each.total:.1%}" for count in (each.regression, each.floor, each.other, each.unsure)
        )
        lines.append(f"| {each.name} | {each.total:,} | **{each.share}** | {shares} |")
    total, held = sum(each.total for each in same), sum(each.held for each in same)
    lines += [f"| all shapes | {total:,} | **{Held(name='', total=total, held=held).share}** | | | | |", ""]
    lines += ["| relevance 0.82 → 0.68 | comparisons | held (95 % interval) |", "|---|---|---|"]
    lines += [f"| {each.name} | {each.total:,} | **{each.share}** |" for each in drops]
    return "\n".join(lines)


def _write(text: str) -> None:
    path = DOCS / "release.md"
    if path.is_file():
        page = path.read_text(encoding="utf-8")
        marked = re.compile(r"(<!-- measured -->\n).*?\n?(<!-- /measured -->)", re.DOTALL)
        path.write_text(marked.sub(lambda found: f"{found[1]}{text}\n{found[2]}", page), encoding="utf-8")


if __name__ == "__main__":
    main()
