"""Tables as pages and as files."""

from __future__ import annotations

import csv
import io
import math

from proctor.server.pages.table import Chip, Column, Link, Moment, Share, Table, csv_lines
from tests.tables import table


def _read(table: Table) -> list[list[str]]:
    return list(csv.reader(io.StringIO(b"".join(csv_lines(table)).decode())))


def test_a_file_has_every_row_and_plain_values() -> None:
    columns = [Column("a"), Column("b"), Column("c"), Column("d"), Column("e"), Column("f")]
    row = (Link("one", "/ui/x"), Moment(0.0), Chip("pass", "good"), Share(0.25, 0.1, 0.4, 8), None, 1.5)
    table = Table(columns=columns, rows=[row], every=lambda: [row] * 3)
    assert _read(table) == [list("abcdef"), *[["one", "1970-01-01T00:00:00Z", "good", "0.25", "", "1.5"]] * 3]


@table("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0"])
def test_a_spreadsheet_takes_no_text_for_a_formula(text: str) -> None:
    assert (
        _read(Table(columns=[Column("a")], rows=[[text], [Link(text, "")], [Chip("info", text)]]))[1:]
        == [[f"'{text}"]] * 3
    )


def test_quotes_lines_and_other_scripts_survive() -> None:
    texts = ['say "hi", then go', "two\nlines", "日本語", "مرحبا", "\u202eoverride"]
    assert _read(Table(columns=[Column("a")], rows=[[each] for each in texts]))[1:] == [[each] for each in texts]


def test_numbers_that_are_negative_stay_numbers() -> None:
    assert _read(Table(columns=[Column("a")], rows=[[-1], [-0.5], [True]]))[1:] == [["-1"], ["-0.5"], ["True"]]


def test_a_time_that_is_none_is_empty() -> None:
    assert _read(Table(columns=[Column("a")], rows=[[Moment(math.inf)], [Moment(math.nan)]]))[1:] == [[""], [""]]


def test_pages() -> None:
    columns = [Column("a")]
    assert Table(columns=columns, rows=[], total=0).pages == 1
    assert Table(columns=columns, rows=[], total=101, page=2).is_last is False
    assert Table(columns=columns, rows=[], total=101, page=3).is_last is True
    assert Table(columns=columns, rows=[], has_next=True).is_last is False
    assert Table(columns=columns, rows=[]).is_last is True
