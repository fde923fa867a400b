"""A run in notebooks: a small HTML table, and each result as a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import Any

from proctor.core.report import IN_DOUBT, Report, Result, Tally
from proctor.core.score import Score
from proctor.report.failure_causes import causes, label, listed_failures, troubles
from proctor.report.number_format import decision_word, percent
from proctor.report.safe_text import one_line

__all__ = ["notebook_html", "result_row"]

_MAX_RESULTS = 10  # per outcome: failed, unscored, in doubt
_MAX_TEXT = 160
# Readable on a white and on a dark page.
_COLOURS = {"passed": "#2a9d4a", "failed": "#d9484f", "unjudged": "#b07d00"}
_WORDS = {
    "fail": ("failed", "failed"),
    "unscored": ("not judged", "unjudged"),
    IN_DOUBT: (IN_DOUBT, "unjudged"),
}
# Colours follow the notebook's theme, light or dark.
_CELL = "padding:3px 10px 3px 0;text-align:left;vertical-align:top;border-top:1px solid rgba(128,128,128,.35)"
_HEAD = "padding:3px 10px 3px 0;text-align:left;font-weight:600"


def notebook_html(report: Report, results: Callable[[], Iterable[Result]]) -> str:
    """Return the decision, the figures of each scorer and the first failures and doubts, with all texts escaped."""
    colour = _COLOURS.get(report.decision or "", "inherit")
    found = troubles(report, results, _MAX_RESULTS)
    shown = (*found.failed, *found.unscored, *found.in_doubt)
    parts = [
        f'<div style="font-size:13px;line-height:1.4"><p style="margin:4px 0">'
        f'<b style="color:{colour}">{escape(decision_word(report))}</b> {_text(report.reason)}'
        f' <span style="opacity:.7">{_text(report.name)}, run {_text(report.id)}</span></p>',
        _table(("scorer", "passed", "failed", "not judged", "mean"), map(_scorer, report.by_scorer)),
    ]
    if shown:
        several = len(report.by_target) > 1
        heads = ("case", *(("target",) if several else ()), "", "why", "answer")
        parts.append(_table(heads, (_result(each, several=several) for each in shown)))
        left = listed_failures(report) + report.counts.unscored + report.counts.in_doubt - len(shown)
        if left > 0:
            parts.append(f'<p style="margin:4px 0;opacity:.7">{left:,} more: write("report.html") has all.</p>')
    return "".join(parts) + "</div>"


def _scorer(tally: Tally) -> tuple[str, ...]:
    counts = tally.counts
    rate = f" ({percent(counts.pass_rate)})" if counts.pass_rate is not None else ""
    mean = "–" if tally.mean is None else f"{tally.mean:.2f}"
    doubt = f", {counts.in_doubt} in doubt" if counts.in_doubt else ""
    return (_text(tally.name), f"{counts.passed}{rate}{doubt}", str(counts.failed), str(counts.unscored), mean)


def _result(result: Result, *, several: bool) -> tuple[str, ...]:
    word, colour = _WORDS[result.outcome_word]
    why = "<br>".join(_text(cause.text) for cause in causes(result)) or _text(result.reason)
    question = _text(" ".join(result.asked))
    return (
        f'{_text(label(result))}<br><span style="opacity:.7">{question}</span>',
        *((_text(result.target),) if several else ()),
        f'<span style="color:{_COLOURS[colour]};white-space:nowrap">{word}</span>',
        why,
        _text(result.trajectory.answer),
    )


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    def cells(tag: str, style: str, values: Iterable[str]) -> Iterator[str]:
        return (f'<{tag} style="{style}">{value}</{tag}>' for value in values)

    head = "".join(cells("th", _HEAD, heads))
    body = "".join(f"<tr>{''.join(cells('td', _CELL, row))}</tr>" for row in rows)
    style = "border-collapse:collapse;margin:4px 0 10px;color:inherit;font-size:inherit"
    return f'<table style="{style}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _text(text: str) -> str:
    return escape(one_line(text, _MAX_TEXT))


def result_row(result: Result) -> dict[str, Any]:
    """Return the result with the column names of the CSV report; ``None`` for missing values.

    Each score has two entries: ``score:NAME``, its value, and ``verdict:NAME``: pass, in doubt, fail, skipped or error.
    """
    run = result.trajectory
    row: dict[str, Any] = {
        "case": result.case.id,
        "target": result.target,
        "sample": result.sample,
        "outcome": result.outcome,
        "value": result.value,
        "reason": result.reason,
        "intent": result.case.intent,
        "tags": list(result.case.tags),
        "question": "\n".join(result.asked),
        "answer": run.answer,
        "error": run.error,
        "latency_s": run.latency,
        "cost": run.cost,
        "duration_s": result.duration,
        "in_doubt": result.in_doubt,
    }
    for score in result.scores:
        row[f"score:{score.name}"] = score.value
        row[f"verdict:{score.name}"] = _verdict(score)
    return row


def _verdict(score: Score) -> str | None:
    if score.status != "ok":
        return score.status
    return None if score.passed is None else "in doubt" if score.in_doubt else "pass" if score.passed else "fail"
