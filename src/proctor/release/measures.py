"""The figures of one run by case, for comparisons, baselines and trends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from math import fsum

from proctor.core.case import INCIDENT_TAG, Case
from proctor.core.codec import content_id, encode
from proctor.core.errors import InputError
from proctor.core.record import dataclass
from proctor.core.report import Fingerprint, Outcome, Result
from proctor.core.score import Score

__all__ = [
    "ALL",
    "DIMENSIONS",
    "PASS_RATE",
    "QUALITY",
    "Baseline",
    "CaseMeasure",
    "CheckCount",
    "cells",
    "measure",
    "measures",
]

DIMENSIONS = ("relevance", "factual_accuracy", "consistency", "fluency")
QUALITY = "quality"
PASS_RATE = "pass_rate"  # noqa: S105 - a share, not a secret
ALL = "all"
_NO_INTENT = "other"
_EXACT = frozenset({"rule", "predicate"})  # producers with a deterministic verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCount:
    """How many samples of one case passed and failed one check.

    ``exact`` means that only rules decide it: the same answer always gets the same verdict.
    """

    passed: int = 0
    failed: int = 0
    exact: bool = False

    @property
    def total(self) -> int:
        """How many samples have a verdict of the check."""
        return self.passed + self.failed

    @property
    def holds(self) -> bool | None:
        """Whether the majority of the samples passed; ``None`` without a verdict."""
        return self.passed > self.failed if self.total else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseMeasure:
    """The figures of one case in one run.

    A dimension without a value (``None``) could not be scored; one that did not apply is absent.
    ``parts`` are the sub-scores, named ``dimension.part``. ``content`` is a hash of the question and the expectation: a
    case rewritten under its old name is another case. ``samples`` is how many answers the figures are a mean of.
    ``checks`` are the verdicts of the deciding checks, by name; ``checks_hash`` is a hash of the case's own checks.
    ``is_incident`` marks a case that was made from a conversation behind an alert.
    """

    case: str
    intent: str = _NO_INTENT
    outcome: Outcome
    value: float | None = None
    dimensions: Mapping[str, float | None] = field(default_factory=dict)
    parts: Mapping[str, float] = field(default_factory=dict)
    content: str = ""
    samples: int = 1
    checks: Mapping[str, CheckCount] = field(default_factory=dict)
    checks_hash: str = ""
    is_incident: bool = False

    def figure(self, name: str) -> float | None:
        """Return one figure by name: a dimension, a part, ``quality`` or ``pass_rate``; ``None`` without a value."""
        if name == PASS_RATE:
            return None if self.outcome == "unscored" else float(self.outcome == "pass")
        if name == QUALITY and QUALITY not in self.dimensions:
            return self.value
        if name in self.dimensions:
            return self.dimensions[name]
        return self.parts.get(name)

    @property
    def unscored(self) -> bool:
        """Whether the case, or a dimension of it, has no value."""
        return self.outcome == "unscored" or any(value is None for value in self.dimensions.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The figures of one run by case: used for the baseline and for the run compared with it.

    ``answers`` is the hash of the file of recorded answers beside a baseline; empty if there is none.
    """

    name: str = ""
    run: str
    suite: str = ""
    created: datetime | None = None
    fingerprint: Fingerprint = field(default_factory=Fingerprint)
    answers: str = ""
    cases: tuple[CaseMeasure, ...] = ()

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for each in self.cases:
            if each.case in seen:
                raise ValueError(f"case {each.case!r} is there twice")
            seen.add(each.case)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of all dimensions, the four standard ones first."""
        found = {name for case in self.cases for name in case.dimensions}
        return (*(name for name in DIMENSIONS if name in found), *sorted(found - set(DIMENSIONS)))

    @property
    def intents(self) -> tuple[str, ...]:
        """The names of all intents, sorted."""
        return tuple(sorted({case.intent for case in self.cases}))


def measure(result: Result) -> CaseMeasure:
    """Return the figures of one result.

    The dimensions are the parts of the score named ``quality``; without it, the scores named like dimensions; without
    these, every scorer is its own dimension.
    """
    whole = next((score for score in result.scores if score.name == QUALITY), None)
    if whole is not None and whole.parts:
        scores: Sequence[Score] = whole.parts
    else:
        scores = [score for score in result.scores if score.name in DIMENSIONS] or result.scores
    applied = [score for score in scores if score.status != "skipped"]
    return CaseMeasure(
        case=result.case.id,
        # The row over all intents already has this name.
        intent=f"{ALL} (intent)" if result.case.intent == ALL else result.case.intent or _NO_INTENT,
        outcome=result.outcome,
        value=result.value if whole is None else whole.value,
        dimensions={score.name: score.value for score in applied},
        parts={
            f"{score.name}.{part.name}": part.value
            for score in applied
            for part in score.parts
            if part.value is not None
        },
        content=_content(result.case),
        checks=_verdicts(result.scores),
        checks_hash=_checks_hash(result.case),
        is_incident=INCIDENT_TAG in result.case.tags,
    )


def _verdicts(scores: Sequence[Score]) -> dict[str, CheckCount]:
    """Return the verdict of each check; of several checks with one name, all must pass."""
    found: dict[str, CheckCount] = {}
    for score in scores:
        passed = score.passed
        if passed is None:
            continue
        exact = _EXACT.issuperset(score.producer.split("+"))
        if (other := found.get(score.name)) is not None:
            passed, exact = passed and bool(other.passed), exact and other.exact
        found[score.name] = CheckCount(passed=int(passed), failed=int(not passed), exact=exact)
    return found


def measures(results: Iterable[Result], *, target: str | None = None) -> tuple[CaseMeasure, ...]:
    """Return the figures of each case of a run, sorted by id; several samples of a case become their mean.

    Raises:
        InputError: the run had several targets, and none is named.
    """
    by_case: dict[str, list[CaseMeasure]] = {}
    targets: set[str] = set()
    for result in results:
        if target is not None and result.target != target:
            continue
        targets.add(result.target)
        if len(targets) > 1:
            names = ", ".join(sorted(targets))
            raise InputError(f"the run had several targets ({names})", hint="name the one to compare")
        by_case.setdefault(result.case.id, []).append(measure(result))
    return tuple(_mean(by_case[name]) for name in sorted(by_case))


def cells(cases: Sequence[CaseMeasure]) -> dict[str, tuple[CaseMeasure, ...]]:
    """Return the cases by intent, and all of them under ``all``."""
    found: dict[str, list[CaseMeasure]] = {ALL: list(cases)}
    for each in cases:
        found.setdefault(each.intent, []).append(each)
    return {name: tuple(found[name]) for name in (ALL, *sorted(found.keys() - {ALL}))}


def _content(case: Case) -> str:
    """Return a hash of the case's identity; tags, checks and notes may change without changing it."""
    data = encode(case)
    said = ("input", "turns", "inputs", "history", "page", "expect")
    kept = {name: data[name] for name in said if name in data}
    if any(ask.checks for ask in case.turns):
        kept["turns"] = encode(tuple(replace(ask, checks=()) for ask in case.turns))
    return content_id(kept, length=12)


def _checks_hash(case: Case) -> str:
    by_turn = [ask.checks for ask in case.turns]
    own = [case.checks, by_turn] if any(by_turn) else case.checks
    return content_id(own, length=12) if own else ""


def _mean(samples: Sequence[CaseMeasure]) -> CaseMeasure:
    """Merge several samples of one case: means, and the majority outcome of those that were scored."""
    if len(samples) == 1:
        return samples[0]
    first = samples[0]
    passed = sum(each.outcome == "pass" for each in samples)
    failed = sum(each.outcome == "fail" for each in samples)
    outcome: Outcome = "unscored" if not passed + failed else "pass" if passed > failed else "fail"
    names = dict.fromkeys(name for each in samples for name in each.dimensions)
    parts = dict.fromkeys(name for each in samples for name in each.parts)
    return CaseMeasure(
        case=first.case,
        intent=first.intent,
        outcome=outcome,
        value=_present([each.value for each in samples]),
        dimensions={name: _present([each.dimensions.get(name) for each in samples]) for name in names},
        parts={name: _average([each.parts[name] for each in samples if name in each.parts]) for name in parts},
        content=first.content,
        samples=len(samples),
        checks=_added(samples),
        checks_hash=first.checks_hash,
        is_incident=first.is_incident,
    )


def _added(samples: Sequence[CaseMeasure]) -> dict[str, CheckCount]:
    """Return the verdicts of all samples together, by check."""
    names = dict.fromkeys(name for each in samples for name in each.checks)
    found = {}
    for name in names:
        counts = [each.checks[name] for each in samples if name in each.checks]
        found[name] = CheckCount(
            passed=sum(each.passed for each in counts),
            failed=sum(each.failed for each in counts),
            exact=all(each.exact for each in counts),
        )
    return found


def _average(values: Sequence[float]) -> float:
    """Return the mean, as `statistics.fmean` does; that module loads decimals and fractions."""
    return fsum(values) / len(values)


def _present(values: Sequence[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return _average(present) if present else None
