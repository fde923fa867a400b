"""The report of a review of tests: terminal, Markdown, HTML and JSON."""

from __future__ import annotations

import dataclasses
from typing import Any

from proctor.core.test_review import HARMS, TOPIC, VALID, CollectionReview, FailureMode
from proctor.report.number_format import moment, percent, total_spend
from proctor.report.report_kind import sheet_kind
from proctor.report.report_table import ReportTable, columns, figures
from proctor.report.sheet import Sheet

__all__ = ["REVIEW_REPORT", "review_sheet"]


def review_sheet(review: CollectionReview) -> Sheet:
    """Return the review as a sheet."""
    tables = [_parts(review), _modes(review), _tests(review)]
    kept = f"; {len(review.keep)} of {review.tests} would be kept" if review.keep is not None else ""
    return Sheet(
        title=f"Review of the tests of {review.prompt}",
        headline=f"{_score(review)}{kept}",
        facts=[
            ("tests", str(review.tests)),
            ("rules", str(len(review.rules))),
            ("by", review.model or "rule, no model"),
            ("stored runs", str(review.runs)),
            *([("spend", total_spend(review.spend))] if review.spend else []),
            *([("made", moment(review.created))] if review.created else []),
        ],
        tables=[table for table in tables if table.rows],
        notes=review.remarks,
    )


def _parts(review: CollectionReview) -> ReportTable:
    rows = [(name, percent(value), str(review.unknown.get(name) or "–")) for name, value in review.parts.items()]
    return ReportTable(
        title="Score",
        columns=(*columns("part"), *figures("share", "unknown")),
        rows=rows,
        hint="the mean of what is known",
    )


def _score(review: CollectionReview) -> str:
    if review.score is not None:
        return f"score {percent(review.score)}"
    if not review.rules:
        return "no score: the prompt has no rule"
    open_ones = max(review.unknown.get(TOPIC, 0), review.unknown.get(VALID, 0))
    return f"no score: whether {open_ones} of {review.tests} tests are valid and on topic is not known"


def _modes(review: CollectionReview) -> ReportTable:
    texts = {rule.id: rule.text for rule in review.rules}
    ordered = sorted(review.modes, key=lambda mode: (-HARMS.index(mode.harm), bool(mode.tests)))
    rows = [(mode.harm, mode.text, texts.get(mode.rule, "–"), _shown_by(mode)) for mode in ordered]
    open_ones = sum(not mode.tests for mode in review.modes)
    return ReportTable(
        title="Ways to fail",
        columns=columns("harm", "how", "rule", "shown by"),
        rows=rows,
        hint=f"{open_ones} of {len(review.modes)} with no test",
    )


def _shown_by(mode: FailureMode) -> str:
    if not mode.tests:
        return "no test"
    return mode.tests[0] if len(mode.tests) == 1 else f"{len(mode.tests)} tests"


def _tests(review: CollectionReview) -> ReportTable:
    keep = set(review.keep or ())
    rows = []
    for note in sorted(review.notes, key=lambda note: -note.importance):
        mark = () if review.keep is None else ("kept" if note.test in keep else "–",)
        rows.append((*mark, note.test, f"{note.importance:.2f}", "; ".join(note.reasons)))
    kept = columns("keep") if review.keep is not None else ()
    heads = (*kept, *columns("test"), *figures("importance"), *columns("why"))
    return ReportTable(title="Tests", columns=heads, rows=rows)


def _data(review: CollectionReview) -> dict[str, Any]:
    data = {**dataclasses.asdict(review), "score": review.score}
    data["rules"] = [{**rule, "id": noun.id} for rule, noun in zip(data["rules"], review.rules, strict=True)]
    return data


REVIEW_REPORT = sheet_kind("review", review_sheet, data=_data)
