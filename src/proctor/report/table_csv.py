"""One row for each result, for spreadsheets and data frames."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from typing import TextIO

from proctor.core.codec import dumps
from proctor.core.report import Report, Result
from proctor.core.score import Score
from proctor.report.safe_text import visible

__all__ = ["cell", "write"]

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
)
_TEST_COLUMNS = ("scenario", "strategy", "polarity", "valid", "aims at")
# A cell that begins so is a formula to a spreadsheet, and a formula can call out.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_CELL_LIMIT = 32_000  # a spreadsheet cell holds 32,767 characters


def write(report: Report, results: Callable[[], Iterable[Result]], out: TextIO) -> None:
    """Write a header and one row per result, with two columns for each scorer: value and verdict."""
    scorers = [tally.name for tally in report.by_scorer] or _scorers_in(results())
    table = csv.writer(out, lineterminator="\n")
    heads = [head for name in scorers for head in (f"score:{name}", f"verdict:{name}")]
    rules = list(dict.fromkeys(row.rule for row in report.overview.rules)) if report.overview else []
    heads += [*_TEST_COLUMNS, *(f"rule:{rule}" for rule in rules)] if report.overview else []
    table.writerow([*_COLUMNS, *map(cell, heads)])
    for result in results():
        of_test = [*_of_test(result), *_by_rule(result, rules)] if report.overview else []
        table.writerow([*_facts(result), *_verdicts(result, scorers), *of_test])


def _scorers_in(results: Iterable[Result]) -> list[str]:
    """The scorers' names in the order they are met, for a report that does not name them."""
    return list({score.name: None for result in results for score in result.scores})


def _facts(result: Result) -> list[str]:
    run = result.trajectory
    usage = run.usage
    told = any(turn.usage for turn in run.turns)
    return [
        cell(result.case.id),
        cell(result.target),
        str(result.sample),
        result.outcome,
        _number(result.value),
        cell(result.reason),
        cell(result.case.intent or ""),
        cell(", ".join(result.case.tags)),
        cell("\n".join(ask.text for ask in result.case.asks) or _inputs(result)),
        cell(run.answer),
        cell(run.error or ""),
        _number(run.latency),
        str(usage.input) if told else "",
        str(usage.output) if told else "",
        _number(run.cost),
        result.started.isoformat() if result.started else "",
        _number(result.duration),
    ]


def _inputs(result: Result) -> str:
    """What fills a prompt's variables, for a case that says nothing of its own."""
    return dumps(result.case.inputs).decode() if result.case.inputs else ""


def _of_test(result: Result) -> list[str]:
    """What is known of a generated test."""
    known = result.case.metadata
    aims = known.get("rules")
    texts = [str(known.get(name) or "") for name in ("scenario", "strategy", "polarity")]
    valid = "" if known.get("valid") is None else str(known["valid"] is True).lower()
    return [*map(cell, texts), valid, cell(", ".join(map(str, aims)) if isinstance(aims, (list, tuple)) else "")]


def _by_rule(result: Result, rules: list[str]) -> list[str]:
    labels = {part.name: part.label or "" for score in result.scores for part in score.parts}
    return [labels.get(rule, "") for rule in rules]


def _verdicts(result: Result, scorers: list[str]) -> list[str]:
    by_name = {score.name: score for score in reversed(result.scores)}
    cells = []
    for name in scorers:
        score = by_name.get(name)
        cells += ["", ""] if score is None else [_number(score.value), _verdict(score)]
    return cells


def _verdict(score: Score) -> str:
    if score.status != "ok":
        return score.status
    return "" if score.passed is None else "pass" if score.passed else "fail"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def cell(text: str) -> str:
    """Text from outside as a spreadsheet takes it: never a formula, never too long."""
    shown = visible(text[:_CELL_LIMIT])
    if len(text) > _CELL_LIMIT:
        shown += "…"
    return f"'{shown}" if shown.lstrip(" ").startswith(_FORMULA) else shown
