"""The request of a batch, as its workers receive it, and what is kept of a finished shard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from proctor.core.record import dataclass
from proctor.core.report import Counts
from proctor.suites.conversations.shards import Shard

__all__ = ["BatchJob", "BatchPlaces", "ScoreTally", "ShardEnd", "ShardFacts", "ShardTally", "ShardTask"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchJob:
    """What is scored by what. ``config`` and ``folder`` are paths that every worker can read."""

    out: str
    scorers: tuple[str, ...] = ()
    suite: str = ""
    format: str = "auto"
    judges: tuple[str, ...] = ()
    light: bool = False
    allow_commands: bool = False
    concurrency: int = 50
    config: str | None = None
    folder: str = ""
    log_calls: bool = True


class BatchPlaces:
    """The files of a batch's output folder."""

    def __init__(self, out: str | Path) -> None:
        self.out = Path(out)
        self.lock = self.out / "batch.lock"
        self.manifest = self.out / "batch.json"
        self.summary = self.out / "summary.json"
        self.scores = self.out / "scores"
        self._facts = self.out / "facts"
        self._calls = self.out / "calls"

    def scores_of(self, shard: str) -> Path:
        """Return the output file of a shard; it exists when the shard is finished."""
        return self.scores / f"{shard}.scores.jsonl"

    def facts_of(self, shard: str) -> Path:
        """Return the file with a shard's counts."""
        return self._facts / f"{shard}.json"

    def calls_of(self, shard: str) -> Path:
        """Return the log of a shard's calls of models, so that a repeated shard pays for none twice."""
        return self._calls / f"{shard}.calls.ndjson"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTally:
    """One scorer's figures over a shard or a batch."""

    passed: int = 0
    failed: int = 0
    informative: int = 0
    skipped: int = 0
    errors: int = 0
    total: float = 0.0

    @property
    def scored(self) -> int:
        """The number of scores with a value."""
        return self.passed + self.failed + self.informative

    @property
    def mean(self) -> float | None:
        """The mean value; ``None`` if nothing was scored."""
        return self.total / self.scored if self.scored else None

    def plus(self, other: ScoreTally) -> ScoreTally:
        """Return the figures of both."""
        return ScoreTally(
            passed=self.passed + other.passed,
            failed=self.failed + other.failed,
            informative=self.informative + other.informative,
            skipped=self.skipped + other.skipped,
            errors=self.errors + other.errors,
            total=self.total + other.total,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardTally:
    """Counts of a shard or a batch: of conversations, by scorer, and by intent."""

    counts: Counts = field(default_factory=Counts)
    scorers: Mapping[str, ScoreTally] = field(default_factory=dict)
    intents: Mapping[str, Counts] = field(default_factory=dict)

    def plus(self, other: ShardTally) -> ShardTally:
        """Return the counts of both."""
        scorers = dict(self.scorers)
        for name, tally in other.scorers.items():
            scorers[name] = scorers.get(name, ScoreTally()).plus(tally)
        intents = dict(self.intents)
        for name, counts in other.intents.items():
            intents[name] = _sum((intents.get(name, Counts()), counts))
        return ShardTally(counts=_sum((self.counts, other.counts)), scorers=scorers, intents=intents)


def _sum(counts: Iterable[Counts]) -> Counts:
    several = tuple(counts)
    return Counts(
        passed=sum(each.passed for each in several),
        failed=sum(each.failed for each in several),
        unscored=sum(each.unscored for each in several),
        in_doubt=sum(each.in_doubt for each in several),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardFacts:
    """What is kept beside a finished shard: its input's fingerprint, its counts, and what it took."""

    shard: str
    content: str
    tally: ShardTally = field(default_factory=ShardTally)
    seconds: float = 0.0
    cost: float = 0.0
    unpriced: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardTask:
    """One attempt to score a shard; ``allowance`` is the money it may spend, including what its log has paid."""

    shard: Shard
    attempt: int = 1
    allowance: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardEnd:
    """How an attempt ended: scored, out of its allowance, broken by its input, or with a dead worker."""

    task: ShardTask
    kind: Literal["scored", "budget", "broken", "died"]
    facts: ShardFacts | None = None
    reason: str = ""
    spent: float = 0.0
