"""A review of tests to read: on a terminal, as Markdown, as a page and as JSON."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TextIO

from proctor.core.test_review import HARMS, CollectionReview, FailureMode
from proctor.report.formats import check_ending, save_by_ending
from proctor.report.number_format import moment, percent, total_spend
from proctor.report.sheet import Section, Sheet, write_html, write_markdown, write_terminal

__all__ = ["ENDINGS", "check_name", "collection_sheet", "save_review", "write"]


def write(review: CollectionReview, out: TextIO | None = None) -> None:
    """Print it."""
    write_terminal(collection_sheet(review), out)


def collection_sheet(review: CollectionReview) -> Sheet:
    """Return the review as a sheet."""
    sections = [_parts(review), _modes(review), _tests(review)]
    kept = f"; {len(review.keep)} of {review.tests} would be kept" if review.keep is not None else ""
    return Sheet(
        title=f"Review of the tests of {review.prompt}",
        headline=f"score {percent(review.score)}{kept}",
        facts=[
            ("tests", str(review.tests)),
            ("rules", str(len(review.rules))),
            ("by", review.model or "rule, no model"),
            ("stored runs", str(review.runs)),
            *([("spend", total_spend(review.spend))] if review.spend else []),
            *([("made", moment(review.created))] if review.created else []),
        ],
        sections=[section for section in sections if section.rows],
        notes=review.remarks,
    )


def _parts(review: CollectionReview) -> Section:
    rows = [(name, percent(value)) for name, value in review.parts.items()]
    return Section(
        title="Score",
        columns=("part", "share"),
        rows=rows,
        figures=frozenset({"share"}),
        hint="the mean of what is known",
    )


def _modes(review: CollectionReview) -> Section:
    texts = {rule.id: rule.text for rule in review.rules}
    ordered = sorted(review.modes, key=lambda mode: (-HARMS.index(mode.harm), bool(mode.tests)))
    rows = [(mode.harm, mode.text, texts.get(mode.rule, "–"), _shown_by(mode)) for mode in ordered]
    open_ones = sum(not mode.tests for mode in review.modes)
    return Section(
        title="Ways to fail",
        columns=("harm", "how", "rule", "shown by"),
        rows=rows,
        hint=f"{open_ones} of {len(review.modes)} with no test",
    )


def _shown_by(mode: FailureMode) -> str:
    if not mode.tests:
        return "no test"
    return mode.tests[0] if len(mode.tests) == 1 else f"{len(mode.tests)} tests"


def _tests(review: CollectionReview) -> Section:
    keep = set(review.keep or ())
    rows = []
    for note in sorted(review.notes, key=lambda note: -note.importance):
        mark = () if review.keep is None else ("kept" if note.test in keep else "–",)
        rows.append((*mark, note.test, f"{note.importance:.2f}", "; ".join(note.reasons)))
    columns = (*(("keep",) if review.keep is not None else ()), "test", "importance", "why")
    return Section(title="Tests", columns=columns, rows=rows, figures=frozenset({"importance"}))


def _write_json(review: CollectionReview, out: TextIO) -> None:
    data = {**dataclasses.asdict(review), "score": review.score}
    data["rules"] = [{**rule, "id": noun.id} for rule, noun in zip(data["rules"], review.rules, strict=True)]
    json.dump(data, out, ensure_ascii=False, indent=1, default=str)
    out.write("\n")


_WRITERS = {
    ".json": _write_json,
    ".md": lambda review, out: write_markdown(collection_sheet(review), out),
    ".html": lambda review, out: write_html(collection_sheet(review), out),
}
ENDINGS = tuple(_WRITERS)


def check_name(path: Path) -> None:
    """Say before anything is asked whether a review can be written under this name.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
    """
    check_ending("review", path, ENDINGS)


def save_review(review: CollectionReview, path: Path) -> None:
    """Write it in the format the file's name asks for; the file is whole or is not there.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
        StoreError: the disk or the folder refused.
    """
    save_by_ending("review", review, path, _WRITERS)
