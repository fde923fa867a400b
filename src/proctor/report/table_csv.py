"""One row for each result, for spreadsheets and data frames."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from typing import TextIO

from proctor.core.report import Report, Result
from proctor.core.score import Score
from proctor.report.safe_text import visible

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
)
# A cell that begins so is a formula to a spreadsheet, and a formula can call out.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_CELL_LIMIT = 32_000  # a spreadsheet cell holds 32,767 characters


def write(report: Report, results: Callable[[], Iterable[Result]], out: TextIO) -> None:
    """Write a header and one row per result, with two columns for each scorer: value and verdict."""
    scorers = [tally.name for tally in report.by_scorer] or _scorers_in(results())
    table = csv.writer(out, lineterminator="\n")
    heads = [head for name in scorers for head in (f"score:{name}", f"verdict:{name}")]
    table.writerow([*_COLUMNS, *map(_text, heads)])
    for result in results():
        table.writerow([*_facts(result), *_verdicts(result, scorers)])


def _scorers_in(results: Iterable[Result]) -> list[str]:
    """The scorers' names in the order they are met, for a report that does not name them."""
    return list({score.name: None for result in results for score in result.scores})


def _facts(result: Result) -> list[str]:
    run = result.trajectory
    usage = run.usage
    told = any(turn.usage for turn in run.turns)
    return [
        _text(result.case.id),
        _text(result.target),
        str(result.sample),
        result.outcome,
        _number(result.value),
        _text(result.reason),
        _text(result.case.intent or ""),
        _text(", ".join(result.case.tags)),
        _text("\n".join(ask.text for ask in result.case.asks)),
        _text(run.answer),
        _text(run.error or ""),
        _number(run.latency),
        str(usage.input) if told else "",
        str(usage.output) if told else "",
        _number(run.cost),
        result.started.isoformat() if result.started else "",
        _number(result.duration),
    ]


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


def _text(text: str) -> str:
    cell = visible(text[:_CELL_LIMIT])
    if len(text) > _CELL_LIMIT:
        cell += "…"
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA) else cell
