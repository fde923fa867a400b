"""One row per result, for spreadsheets and data frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

from proctor.core.codec import dumps
from proctor.core.generated_test import GeneratedTest
from proctor.core.report import Report, Result
from proctor.core.score import Score
from proctor.report.csv_rows import number_cell, text_cell, write_rows

__all__ = ["write"]

_COLUMNS = (
    "case",
    "target",
    "sample",
    "outcome",
    "value",
    "reason",
    "intent",
    "tags",
    "question",
    "answer",
    "error",
    "latency_s",
    "input_tokens",
    "output_tokens",
    "cost",
    "started",
    "duration_s",
    "in_doubt",
)
_TEST_COLUMNS = ("scenario", "strategy", "polarity", "valid", "aims at")


def write(report: Report, results: Callable[[], Iterable[Result]], out: TextIO) -> None:
    """Write a header and one row per result, with two columns for each scorer: value and verdict."""
    write_rows(_rows(report, results), out)


def _rows(report: Report, results: Callable[[], Iterable[Result]]) -> Iterator[list[str]]:
    scorers = [tally.name for tally in report.by_scorer] or _scorers_in(results())
    heads = [head for name in scorers for head in (f"score:{name}", f"verdict:{name}")]
    rules = list(dict.fromkeys(row.rule for row in report.overview.rules)) if report.overview else []
    heads += [*_TEST_COLUMNS, *(f"rule:{rule}" for rule in rules)] if report.overview else []
    yield [*_COLUMNS, *map(text_cell, heads)]
    for result in results():
        of_test = [*_of_test(result), *_by_rule(result, rules)] if report.overview else []
        yield [*_facts(result), *_verdicts(result, scorers), *of_test]


def _scorers_in(results: Iterable[Result]) -> list[str]:
    """Return the scorers' names in order of appearance, for a report that does not name them."""
    return list({score.name: None for result in results for score in result.scores})


def _facts(result: Result) -> list[str]:
    run = result.trajectory
    usage = run.usage
    told = any(turn.usage for turn in run.turns)
    return [
        text_cell(result.case.id),
        text_cell(result.target),
        str(result.sample),
        result.outcome,
        number_cell(result.value),
        text_cell(result.reason),
        text_cell(result.case.intent or ""),
        text_cell(", ".join(result.case.tags)),
        text_cell("\n".join(result.asked) or _inputs(result)),
        text_cell(run.answer),
        text_cell(run.error or ""),
        number_cell(run.latency),
        str(usage.input) if told else "",
        str(usage.output) if told else "",
        number_cell(run.cost),
        result.started.isoformat() if result.started else "",
        number_cell(result.duration),
        str(result.in_doubt).lower(),
    ]


def _inputs(result: Result) -> str:
    """Return the values of a prompt's variables, for a case without a message."""
    return dumps(result.case.inputs).decode() if result.case.inputs else ""


def _of_test(result: Result) -> list[str]:
    """Return the facts about a generated test."""
    test = GeneratedTest.of(result.case)
    valid = "" if test.valid is None else str(test.valid).lower()
    texts = (test.scenario, test.strategy, test.polarity)
    return [*map(text_cell, texts), valid, text_cell(", ".join(test.rules))]


def _by_rule(result: Result, rules: list[str]) -> list[str]:
    labels = {part.name: part.label or "" for score in result.scores for part in score.parts}
    return [labels.get(rule, "") for rule in rules]


def _verdicts(result: Result, scorers: list[str]) -> list[str]:
    by_name = {score.name: score for score in reversed(result.scores)}
    cells = []
    for name in scorers:
        score = by_name.get(name)
        cells += ["", ""] if score is None else [number_cell(score.value), _verdict(score)]
    return cells


def _verdict(score: Score) -> str:
    if score.status != "ok":
        return score.status
    return "" if score.passed is None else "pass" if score.passed else "fail"
