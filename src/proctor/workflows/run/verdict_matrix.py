"""The verdicts of one run as a matrix: tests by rules by models, one page of tests at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from proctor.core.attack_mask import masked_result
from proctor.core.case import Case
from proctor.core.generated_test import GeneratedTest
from proctor.core.record import dataclass
from proctor.core.report import Result
from proctor.core.score import Score
from proctor.store.run_reader import RunReader

__all__ = ["MatrixRow", "RuleCount", "VerdictMatrix", "every_row", "verdict_matrix"]

_RULES: Final = "rules"  # the scorer that judges rules
_RULE: Final = "rule"  # the ``where`` of the evidence with the words of a rule
_BLOCK: Final = 200
_LONGEST: Final = 200
Shown = Literal["all", "broken", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCount:
    """The verdicts on one rule over the samples of one test and model; ``reason`` is of the worst one."""

    ok: int = 0
    err: int = 0
    na: int = 0
    unknown: int = 0
    reason: str = ""

    @property
    def worst(self) -> str:
        """The verdict that decides: err, then unknown, then ok, then na."""
        return next((name for name in ("err", "unknown", "ok", "na") if getattr(self, name)), "")

    @property
    def judged(self) -> int:
        """How many samples have a verdict that the rule was kept or broken."""
        return self.ok + self.err


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One test: its input, how it was made, the rules it aims at, and the verdicts by rule and model."""

    case: str
    text: str
    strategy: str
    scenario: str
    aims: frozenset[str]
    verdicts: Mapping[tuple[str, str], RuleCount]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictMatrix:
    """One page of tests; ``rules`` are ids with their texts as far as these tests have verdicts on them."""

    rows: tuple[MatrixRow, ...]
    rules: Mapping[str, str]
    targets: tuple[str, ...]
    total: int


def verdict_matrix(
    reader: RunReader, *, target: str = "", shown: Shown = "all", limit: int = 50, offset: int = 0
) -> VerdictMatrix:
    """Return one page of the matrix; only the results of its tests are read."""
    cases, total = reader.case_page(
        outcome={"broken": "fail", "unknown": "unscored"}.get(shown, ""), target=target, limit=limit, offset=offset
    )
    texts: dict[str, str] = {}
    rows = list(_rows(reader, cases, target, texts))
    targets = tuple(each for each in reader.targets() if not target or each == target)
    return VerdictMatrix(rows=tuple(rows), rules=texts, targets=targets, total=total)


def every_row(reader: RunReader, *, target: str = "", shown: Shown = "all") -> Iterator[MatrixRow]:
    """Yield every test of the matrix."""
    offset = 0
    while page := verdict_matrix(reader, target=target, shown=shown, limit=_BLOCK, offset=offset).rows:
        yield from page
        offset += len(page)


def _rows(reader: RunReader, cases: Sequence[str], target: str, texts: dict[str, str]) -> Iterator[MatrixRow]:
    by_case: dict[str, list[Result]] = {case: [] for case in cases}
    for result in reader.graded(target=target or None, cases=True, only=cases):
        by_case[result.case.id].append(masked_result(result))
    for case, results in by_case.items():
        if results:
            yield _row(case, results, texts)


def _row(case: str, results: Sequence[Result], texts: dict[str, str]) -> MatrixRow:
    test = GeneratedTest.of(results[0].case)
    aims = set(test.rules)
    parts: dict[tuple[str, str], list[Score]] = {}
    for result in results:
        for score in result.scores:
            if score.name != _RULES:
                continue
            for part in score.parts:
                parts.setdefault((part.name, result.target), []).append(part)
                words = next((each for each in part.evidence if each.where == _RULE), None)
                if words is not None:
                    texts.setdefault(part.name, words.quote)
                    if words.note:
                        aims.add(part.name)
    return MatrixRow(
        case=case,
        text=_text(results[0].case),
        strategy=test.strategy,
        scenario=test.scenario,
        aims=frozenset(aims),
        verdicts={place: _count(found) for place, found in parts.items()},
    )


def _text(case: Case) -> str:
    """Return the input of a test: what the user says, or the values of the prompt's variables."""
    said = [ask.text for ask in case.asks] or [str(value) for value in case.inputs.values()]
    return " / ".join(said)[:_LONGEST]


def _count(parts: Sequence[Score]) -> RuleCount:
    labels = [part.label for part in parts]
    counts = {name: labels.count(name) for name in ("ok", "err", "na", "unknown")}
    worst = next((name for name in ("err", "unknown", "ok", "na") if counts[name]), "")
    return RuleCount(
        ok=counts["ok"],
        err=counts["err"],
        na=counts["na"],
        unknown=counts["unknown"],
        reason=next((part.reason for part in parts if part.label == worst), ""),
    )
