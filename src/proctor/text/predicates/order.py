"""Predicates on lists: pieces between separators, no duplicates, in order, rows of equal width."""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter
from collections.abc import Sequence

from proctor.text.predicates.comparable_text import plain
from proctor.text.predicates.json_shape import read, said
from proctor.text.predicates.term import Check, Checked, Form, OutputView, no, plural, short, skipped, verdict, yes
from proctor.text.predicates.values import Bound
from proctor.text.split import lines

__all__ = ["FORMS", "entries", "list_items", "pieces"]

_MARKER = re.compile(r"[ \t]*(?:[-*+•・▪●‣◦–][ \t]+|\(?\d{1,3}[.)．、](?!\d)[ \t]*)")


def pieces(text: str, mark: str) -> list[str]:
    """Split the text at the separator and trim the pieces; empty for an empty text."""
    return [piece.strip() for piece in text.strip().split(mark)] if text.strip() else []


def list_items(text: str) -> list[str]:
    """Return the lines that begin with a bullet or a number, without it."""
    found = ((_MARKER.match(line), line) for line in lines(text))
    return [line[hit.end() :] for hit, line in found if hit]


def entries(text: str) -> Sequence[str]:
    """Return the entries of a text that is a list: a JSON array, list items, lines, or comma-separated."""
    value = read(text)
    if isinstance(value, list):
        return [said(item) for item in value]
    if items := list_items(text):
        return items
    rows = lines(text)
    return rows if len(rows) > 1 else pieces(text, ",")


def _pieces(mark: str, bound: Bound) -> Check:
    if not mark:
        raise ValueError("the mark is empty")

    def run(view: OutputView) -> Checked:
        asked = bound.given(view.inputs)
        found = len(pieces(view.text, mark))
        return verdict(asked.holds(found), f"{plural(found, 'pieces')} between {mark!r} (asked: {asked.said})")

    return run


def _no_duplicates() -> Check:
    def run(view: OutputView) -> Checked:
        twice = next((entry for entry, count in Counter(map(plain, entries(view.text))).items() if count > 1), None)
        return yes("nothing is there twice") if twice is None else no(f"{short(twice, 40)!r} is there twice", twice)

    return run


def _in_order() -> Check:
    def run(view: OutputView) -> Checked:
        found = list(map(plain, entries(view.text)))
        if len(found) < 2:
            return skipped("it is no list")
        late = next((after for before, after in itertools.pairwise(found) if after < before), None)
        return yes("it is in order") if late is None else no(f"{short(late, 40)!r} comes too late", late)

    return run


def _is_csv() -> Check:
    def run(view: OutputView) -> Checked:
        try:
            rows = [row for row in csv.reader(view.text.strip().splitlines(), strict=True) if row]
        except csv.Error as error:
            return no(f"it is not CSV: {error}")
        widths = {len(row) for row in rows}
        if len(widths) != 1 or widths == {1}:
            return no("its rows have no columns" if widths <= {1} else "its rows differ in their number of columns")
        return yes(f"{plural(len(rows), 'rows')} of {widths.pop()} columns")

    return run


FORMS = (
    Form(
        form="pieces TEXT BOUND",
        meaning="how many pieces the mark cuts it into",
        example='pieces "," = 5',
        make=_pieces,
        also=("pieces by TEXT BOUND",),
    ),
    Form(
        form="no duplicates",
        meaning="no member of its list (JSON array, list items, lines, or between commas) is there twice",
        example="no duplicates",
        make=_no_duplicates,
    ),
    Form(
        form="in alphabetical order",
        meaning="the members of its list are in alphabetical order",
        example="in alphabetical order",
        make=_in_order,
        also=("is in alphabetical order", "is sorted"),
    ),
    Form(
        form="is csv",
        meaning="comma-separated rows, at least two columns and as many in each",
        example="is csv",
        make=_is_csv,
    ),
)
