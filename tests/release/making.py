"""Runs for the tests: cases with the scores that a test wants to see."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from proctor.core.report import Outcome
from proctor.release.measures import Baseline, CaseMeasure


def case(name: str, intent: str = "faq", *, outcome: Outcome = "pass", **figures: float | None) -> CaseMeasure:
    """One case; figures are dimensions, or parts where two underscores stand for the dot."""
    dimensions = {key: value for key, value in figures.items() if "__" not in key}
    parts = {key.replace("__", "."): value for key, value in figures.items() if "__" in key and value is not None}
    known = [value for value in dimensions.values() if value is not None]
    return CaseMeasure(
        case=name,
        intent=intent,
        outcome=outcome,
        value=sum(known) / len(known) if known else None,
        dimensions=dimensions,
        parts=parts,
    )


def run(name: str, cases: Sequence[CaseMeasure]) -> Baseline:
    return Baseline(run=name, cases=tuple(cases))


def even(
    count: int,
    intents: Sequence[str] = ("faq",),
    change: Callable[[int, str], Mapping[str, float]] = lambda place, intent: {},
) -> list[CaseMeasure]:
    """So many good cases over some intents; ``change`` says what is other in one of them."""
    made = []
    for place in range(count):
        intent = intents[place % len(intents)]
        figures: dict[str, float | None] = {"relevance": 0.9, "factual_accuracy": 0.95, "relevance__intent": 0.9}
        figures |= dict(change(place, intent))
        lowest = min(value for value in figures.values() if value is not None)
        made.append(case(f"{intent}-{place:03d}", intent, outcome="pass" if lowest >= 0.7 else "fail", **figures))
    return made
