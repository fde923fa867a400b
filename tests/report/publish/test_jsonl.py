"""Flat lines for a warehouse."""

from __future__ import annotations

import io
import json
from dataclasses import replace

from proctor.core.report import Report
from proctor.report.publish.jsonl import JsonlSettings, file_name, write
from proctor.report.publish.published_result import Graded


def test_one_line_for_the_run_and_one_for_each_result(report: Report, results: list[Graded]) -> None:
    out = io.StringIO()
    write(report, results, out)
    run, *rows = map(json.loads, out.getvalue().splitlines())
    assert run["kind"] == "run"
    assert (run["passed"], run["failed"], run["unscored"], run["pass_rate"]) == (1, 1, 1, 0.5)
    assert run["cost"] is None  # one of the two prices is not known
    assert [row["case"] for row in rows] == ["a", "b", "c"]
    assert rows[0]["dimensions"] == {"relevance": 0.9}
    assert rows[0]["parts"] == {"relevance.intent_relevance": 0.9}
    assert rows[2]["dimensions"] == {"relevance": None}
    assert {row["run"] for row in rows} == {"run-1"}


def test_lines_hold_whatever_was_said(report: Report, results: list[Graded]) -> None:
    out = io.StringIO()
    write(report, [replace(results[0], case="a\nb\ud800")], out)
    assert len(out.getvalue().splitlines()) == 2


def test_a_file_of_its_own_for_each_run(report: Report) -> None:
    assert file_name(JsonlSettings(), report) == "published/manga--store--all-run-1.jsonl"
    assert file_name(JsonlSettings(file="x"), replace(report, name="../../etc")) == "x"
    assert file_name(JsonlSettings(file="{suite}"), replace(report, name="../..")) == "run"
