"""Compute the overview of a run over a prompt's tests from streamed results."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from proctor.core.case import Case
from proctor.core.compliance import (
    Compliance,
    FlakyTest,
    MetricFigure,
    PromptCompliance,
    RuleCompliance,
    TargetCompliance,
)
from proctor.core.generated_test import GeneratedTest, is_baseline
from proctor.core.report import Result
from proctor.core.score import Evidence, Score
from proctor.stats.flakiness import entropy, pass_hat
from proctor.stats.interval import wilson_of_share

__all__ = ["overview_of"]

_KINDS = ("tests", "positive", "negative", "valid", "invalid", "baseline")
_WAVERING = 20  # number of listed cases, worst first; all are counted
_NOTHING = Evidence()
_MOST_ROWS = 5_000  # limit of rules or scenarios times targets


def overview_of(results: Iterable[Result], *, repeat: int = 1) -> PromptCompliance | None:
    """Return the overview; ``None`` if no answer was judged by rules.

    All results of one case and target must be consecutive: only these are kept at a time. ``repeat`` is the number of
    samples per test.
    """
    gathering = _Gathering(repeat)
    for _, group in groupby(results, key=lambda result: (result.case.id, result.target)):
        gathering.add(list(group))
    return gathering.overview()


@dataclass(slots=True)
class _Sum:
    """A compliance figure that is updated test by test."""

    tests: int = 0
    counts: list[int] = field(default_factory=lambda: [0, 0, 0])
    rated: int = 0
    tried: int = 0
    steady: float = 0.0

    def add(self, ok: int, err: int, unknown: int, repeat: int) -> None:
        if not ok + err + unknown:
            return
        self.tests += 1
        for place, count in enumerate((ok, err, unknown)):
            self.counts[place] += count
        if not ok + err:
            return
        self.rated += 1
        if (steady := pass_hat(ok, ok + err, repeat)) is not None:
            self.tried += 1
            self.steady += steady

    def figure(self) -> Compliance:
        ok, err, unknown = self.counts
        rate = ok / (ok + err) if ok + err else None
        interval = wilson_of_share(rate, self.rated) if rate is not None else None
        return Compliance(
            tests=self.tests,
            ok=ok,
            err=err,
            unknown=unknown,
            rate=rate,
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            steady=self.steady / self.tried if self.tried else None,
        )


@dataclass(slots=True)
class _Metric:
    """A running mean of scores."""

    count: int = 0
    missing: int = 0
    total: float = 0.0
    several: int = 0
    apart: float = 0.0

    def add(self, score: Score) -> None:
        if score.value is None:
            self.missing += score.status == "error"  # not applicable is not missing
            return
        self.count += 1
        self.total += score.value
        judged = [part.value for part in score.parts if part.value is not None]
        if len(judged) > 1:
            self.several += 1
            self.apart += max(judged) - min(judged)

    def figure(self, name: str) -> MetricFigure:
        return MetricFigure(
            name=name,
            count=self.count,
            missing=self.missing,
            mean=self.total / self.count if self.count else None,
            apart=self.apart / self.several if self.several else None,
        )


@dataclass(slots=True)
class _Row:
    errors: int = 0
    sums: dict[str, _Sum] = field(default_factory=lambda: {kind: _Sum() for kind in _KINDS})
    metrics: dict[str, _Metric] = field(default_factory=dict)


@dataclass(slots=True)
class _Rule:
    text: str
    predicate: str = ""
    kept: _Sum = field(default_factory=_Sum)
    covered: int = 0
    failed: int = 0
    na: int = 0
    judged_by: Counter[str] = field(default_factory=Counter)
    asked: int = 0
    agreement: float = 0.0

    def add(self, parts: Sequence[Score], repeat: int) -> None:
        """Add the verdicts on one test."""
        found = Counter(part.label for part in parts)
        self.kept.add(found["ok"], found["err"], found["unknown"], repeat)
        self.covered += any(_words(part).note for part in parts)
        self.failed += found["err"] > 0
        self.na += found["na"]
        for part in parts:
            if part.label != "unknown":
                self.judged_by[part.producer] += 1
            if part.parts and part.confidence is not None:
                self.asked += 1
                self.agreement += part.confidence

    def row(self, target: str, rule: str) -> RuleCompliance:
        return RuleCompliance(
            target=target,
            rule=rule,
            text=self.text,
            predicate=self.predicate,
            covered=self.covered,
            failed=self.failed,
            na=self.na,
            kept=self.kept.figure(),
            judged_by=dict(self.judged_by.most_common()),
            agreement=self.agreement / self.asked if self.asked else None,
        )


class _Gathering:
    """All figures so far; their size grows with rules, scenarios and targets, not with results."""

    def __init__(self, repeat: int) -> None:
        self._repeat = repeat
        self._rows: dict[tuple[str, str | None], _Row] = {}
        self._rules: dict[tuple[str, str], _Rule] = {}
        self._flaky = 0
        self._worst: list[tuple[tuple[float, int, str, str], FlakyTest]] = []

    def add(self, samples: Sequence[Result]) -> None:
        """Add all answers of one target to one test."""
        case, target = samples[0].case, samples[0].target
        answered = [result for result in samples if not _no_answer(result)]
        judged = [score for result in answered if (score := _rules_score(result)) is not None]
        verdicts = Counter(_verdict(score) for score in judged)
        for row in self._rows_of(target, case):
            row.errors += len(samples) - len(answered)
            for kind in _kinds_of(case):
                row.sums[kind].add(verdicts["ok"], verdicts["err"], verdicts["unknown"], self._repeat)
            for result in answered:
                for score in result.scores:
                    if not _is_rules(score):
                        row.metrics.setdefault(score.name, _Metric()).add(score)
        by_rule: dict[str, list[Score]] = {}
        for part in (part for score in judged for part in score.parts):
            by_rule.setdefault(part.name, []).append(part)
        for name, parts in by_rule.items():
            if (rule := self._rule(target, name, parts[0])) is not None:
                rule.add(parts, self._repeat)
        if verdicts["ok"] and verdicts["err"]:
            self._waver(case.id, target, verdicts, by_rule)

    def overview(self) -> PromptCompliance | None:
        if not self._rules and not any(row.metrics for row in self._rows.values()):
            return None
        return PromptCompliance(
            repeat=self._repeat,
            rows=tuple(self._figures()),
            rules=tuple(rule.row(*name) for name, rule in sorted(self._rules.items(), key=lambda each: each[0][0])),
            flaky=self._flaky,
            wavering=tuple(found for _, found in sorted(self._worst, key=lambda each: each[0], reverse=True)),
        )

    def _rows_of(self, target: str, case: Case) -> Iterator[_Row]:
        for key in ((target, None), (target, GeneratedTest.of(case).scenario)):
            if key in self._rows or len(self._rows) < _MOST_ROWS:
                yield self._rows.setdefault(key, _Row())

    def _rule(self, target: str, name: str, part: Score) -> _Rule | None:
        key = (target, name)
        if key not in self._rules and len(self._rules) < _MOST_ROWS:
            words = _words(part)
            self._rules[key] = _Rule(text=words.quote, predicate=words.predicate)
        return self._rules.get(key)

    def _waver(self, case: str, target: str, verdicts: Counter[str], by_rule: dict[str, list[Score]]) -> None:
        self._flaky += 1
        bits = entropy(verdicts["ok"], verdicts["err"])
        rules = [name for name, parts in by_rule.items() if {"ok", "err"} <= {part.label for part in parts}]
        found = FlakyTest(
            case=case, target=target, ok=verdicts["ok"], err=verdicts["err"], entropy=bits, rules=tuple(rules)
        )
        heapq.heappush(self._worst, ((bits, verdicts["err"], case, target), found))
        if len(self._worst) > _WAVERING:
            heapq.heappop(self._worst)

    def _figures(self) -> Iterator[TargetCompliance]:
        """Yield a row per target, followed by one per scenario if there are several."""
        names: dict[str, Any] = {}
        for target, scenario in self._rows:
            names.setdefault(target, []).append(scenario)
        for target in sorted(names):
            several = len(names[target]) > 2
            for scenario in sorted(names[target], key=lambda name: (name is not None, name or "")):
                if scenario is None or several:
                    yield _figure(self._rows[target, scenario], target, scenario)


def _figure(row: _Row, target: str, scenario: str | None) -> TargetCompliance:
    return TargetCompliance(
        target=target,
        scenario=scenario,
        errors=row.errors,
        metrics=tuple(metric.figure(name) for name, metric in row.metrics.items()),
        **{kind: total.figure() for kind, total in row.sums.items()},
    )


def _no_answer(result: Result) -> bool:
    """Return whether the target gave no answer; then nothing is scored."""
    return result.trajectory.error is not None or not result.scores


def _is_rules(score: Score) -> bool:
    return any(_words(part).quote for part in score.parts[:1]) or score.name == "rules"


def _words(part: Score) -> Evidence:
    """Return the words of the rule behind a verdict, with a note if the test was made for it."""
    return next((each for each in part.evidence if each.where == "rule"), _NOTHING)


def _rules_score(result: Result) -> Score | None:
    return next((score for score in result.scores if _is_rules(score)), None)


def _verdict(score: Score) -> str:
    return "unknown" if score.passed is None else "ok" if score.passed else "err"


def _kinds_of(case: Case) -> Iterator[str]:
    """Yield the figures that include a test; baseline tests are only in their own."""
    if is_baseline(case):
        yield "baseline"
        return
    test = GeneratedTest.of(case)
    yield "tests"
    if test.polarity in ("positive", "negative"):
        yield test.polarity
    if test.valid is not None:
        yield "valid" if test.valid else "invalid"
