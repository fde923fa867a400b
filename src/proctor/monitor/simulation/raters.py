"""Simulated raters: labels on conversations whose truth is known, by people whose agreement is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import Final

from proctor.core.event import Label
from proctor.monitor.simulation.traffic_truth import ConversationTruth

__all__ = ["DIMENSION", "QUALITY", "RaterProfile", "rated", "true_quality"]

DIMENSION: Final = "quality"
QUALITY: Final = ("bad", "poor", "good")  # in order, the worst first
_WEEK: Final = 7 * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterProfile:
    """A person who rates: right with ``accuracy``, else mostly one step off.

    ``lenient`` is the share of mistakes that are too good. ``drift`` is lost of the accuracy each week.
    """

    name: str
    accuracy: float = 0.9
    lenient: float = 0.5
    drift: float = 0.0

    def confusion(self, labels: int = len(QUALITY), *, week: int = 0) -> tuple[tuple[float, ...], ...]:
        """Return the probability of each label given the true one, in the order of the labels."""
        right = max(0.0, self.accuracy - self.drift * week)
        rows = []
        for true in range(labels):
            row = [0.0] * labels
            row[true] = right
            steps = [(true + 1, self.lenient), (true - 1, 1.0 - self.lenient)]
            inside = [(at, weight) for at, weight in steps if 0 <= at < labels]
            total = sum(weight for _, weight in inside)
            for at, weight in inside:
                row[at] += (1.0 - right) * (weight / total if total else 1.0 / len(inside))
            rows.append(tuple(row))
        return tuple(rows)


def true_quality(told: ConversationTruth) -> str:
    """Return the true label of a conversation: bad with a wrong answer or an obeyed attack, good if it was solved."""
    if told.wrong or told.followed:
        return "bad"
    return "good" if told.solved else "poor"


def rated(
    conversations: Iterable[ConversationTruth], raters: Sequence[RaterProfile], *, seed: int = 1, since: float = 0.0
) -> list[Label]:
    """Return a label of every rater on every conversation; weeks of a drift count from ``since``."""
    rng = Random(f"raters/{seed}")  # noqa: S311 - the same seed gives the same traffic
    found = []
    for told in conversations:
        true = QUALITY.index(true_quality(told))
        week = int((told.time - since) // _WEEK) if since else 0
        for rater in raters:
            row = rater.confusion(week=max(0, week))[true]
            said = rng.choices(QUALITY, weights=row)[0]
            time = datetime.fromtimestamp(told.time, UTC)
            found.append(Label(subject=told.id, dimension=DIMENSION, value=said, by=rater.name, time=time))
    return found
