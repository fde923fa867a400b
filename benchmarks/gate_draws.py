"""Runs of an invented system: cases that differ in difficulty, answers that differ from run to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proctor.release.measures import DIMENSIONS, Baseline, CaseMeasure

__all__ = ["INTENTS", "POLICY_FACTS", "SHAPES", "Fault", "Shape", "System"]

Numbers = npt.NDArray[np.float64]

# Weights and pass thresholds by intent, as the manga store has them.
INTENTS: Mapping[str, tuple[tuple[float, float, float, float], float]] = {
    "chitchat": ((0.30, 0.10, 0.30, 0.30), 0.70),
    "checkout_help": ((0.20, 0.40, 0.25, 0.15), 0.85),
    "faq": ((0.20, 0.40, 0.25, 0.15), 0.85),
    "order_tracking": ((0.15, 0.50, 0.25, 0.10), 0.90),
    "product_question": ((0.25, 0.40, 0.20, 0.15), 0.80),
    "promotion": ((0.30, 0.35, 0.20, 0.15), 0.80),
    "recommendation": ((0.40, 0.20, 0.20, 0.20), 0.75),
    "return_request": ((0.15, 0.50, 0.25, 0.10), 0.90),
}
POLICY_FACTS = "factual_accuracy.fact_coverage"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How scores lie: ``middle`` is their mean, ``between`` how far cases differ, ``within`` how far answers do.

    ``steps`` rounds scores to so many levels, as rubrics and counts of facts do; ``flaky`` is the share of answers that
    fall to almost nothing, whatever the case.
    """

    name: str
    middle: float = 0.82
    between: float = 0.12
    within: float = 0.12
    steps: int | None = None
    flaky: float = 0.0
    unscored: float = 0.01


SHAPES = (
    Shape(name="smooth"),
    Shape(name="near the top", middle=0.96, between=0.08, within=0.06),
    Shape(name="five levels", steps=4),
    Shape(name="right or wrong", steps=1, within=0.2),
    Shape(name="one in 20 answers fails", flaky=0.05),
    Shape(name="very noisy", within=0.3),
    Shape(name="hardly any noise", within=0.01),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A drop of one dimension's mean: in some intents, in a share of their cases."""

    dimension: str = "relevance"
    drop: float = 0.14
    intents: Sequence[str] = ()
    share: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """One system under test, drawn once; each run of it draws its answers anew."""

    shape: Shape
    intents: Sequence[str]
    talent: Numbers
    facts: Numbers

    @classmethod
    def drawn(cls, shape: Shape, cases: int, source: np.random.Generator, intents: Sequence[str] = ()) -> System:
        """A system with so many cases, spread evenly over the intents."""
        names = tuple(intents or INTENTS)
        talent = shape.middle + shape.between * source.standard_normal((cases, len(DIMENSIONS)))
        # A policy fact is looked up, not phrased: for one case it is right in every run, or wrong in every run.
        facts = (source.random(cases) < 0.97).astype(np.float64)
        return cls(shape=shape, intents=[names[case % len(names)] for case in range(cases)], talent=talent, facts=facts)

    def run(self, name: str, source: np.random.Generator, fault: Fault | None = None) -> Baseline:
        """One run: what each case came to this time."""
        values = self.talent + self.shape.within * source.standard_normal(self.talent.shape)
        if self.shape.flaky:
            values = np.where(source.random(values.shape) < self.shape.flaky, 0.05, values)
        if fault is not None:
            column = DIMENSIONS.index(fault.dimension)
            hit = np.array([not fault.intents or intent in fault.intents for intent in self.intents])
            hit &= source.random(hit.size) < fault.share
            values[hit, column] -= fault.drop / fault.share
        values = np.clip(values, 0.0, 1.0)
        if self.shape.steps:
            values = np.round(values * self.shape.steps) / self.shape.steps
        lost = source.random(len(values)) < self.shape.unscored
        return Baseline(run=name, suite="drawn", cases=tuple(map(self._case, range(len(values)), values, lost)))

    def _case(self, place: int, values: Numbers, lost: bool) -> CaseMeasure:
        intent = self.intents[place]
        case = f"{intent}-{place:03d}"
        if lost:
            return CaseMeasure(case=case, intent=intent, outcome="unscored")
        weights, threshold = INTENTS[intent]
        whole = float(values @ np.array(weights))
        return CaseMeasure(
            case=case,
            intent=intent,
            outcome="pass" if whole >= threshold else "fail",
            value=whole,
            dimensions={name: float(value) for name, value in zip(DIMENSIONS, values, strict=True)},
            parts={POLICY_FACTS: float(self.facts[place])},
        )
