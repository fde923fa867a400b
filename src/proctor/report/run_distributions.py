"""Collect distributions that the report does not contain, in one pass over the results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from proctor.core.report import Result
from proctor.core.score import Score
from proctor.stats.histogram import RatioHistogram, linear_bin

__all__ = ["BINS", "RunDistributions", "run_distributions"]

BINS = 10
_TARGETS = 50  # maximum number of histograms, one per target
_SCORERS = 500


@dataclass(slots=True)
class RunDistributions:
    """Distributions over a run, collected from streamed results; its size is constant."""

    total: int = 0
    troubled: int = 0
    latency: dict[str, RatioHistogram] = field(default_factory=dict)
    first_token: dict[str, RatioHistogram] = field(default_factory=dict)
    histograms: dict[str, list[int]] = field(default_factory=dict)
    thresholds: dict[str, tuple[float, float]] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        """Count one result."""
        self.total += 1
        self.troubled += result.outcome_word != "pass"
        latency = result.trajectory.latency
        room = result.target in self.latency or len(self.latency) < _TARGETS
        if room and latency is not None and latency >= 0:
            self.latency.setdefault(result.target, RatioHistogram()).add(latency)
        for turn in result.trajectory.turns if room else ():
            if turn.first_token is not None and turn.first_token >= 0:
                self.first_token.setdefault(result.target, RatioHistogram()).add(turn.first_token)
        for score in result.scores:
            if score.name in self.histograms or len(self.histograms) < _SCORERS:
                self._add_score(score)

    def _add_score(self, score: Score) -> None:
        bins = self.histograms.setdefault(score.name, [0] * BINS)
        if score.value is not None:
            bins[linear_bin(score.value, BINS)] += 1
        if score.threshold is not None:
            low, high = self.thresholds.get(score.name, (score.threshold, score.threshold))
            self.thresholds[score.name] = (min(low, score.threshold), max(high, score.threshold))


def run_distributions(results: Iterable[Result]) -> RunDistributions:
    """Read the whole stream once."""
    made = RunDistributions()
    for result in results:
        made.add(result)
    return made
