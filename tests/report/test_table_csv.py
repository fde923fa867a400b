from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.case import Case
from proctor.report import page_data, table_csv
from proctor.report.notebook import result_row
from proctor.report.safe_text import one_line

from .conftest import Run
from .hostile import HOSTILE
from .sample import report_of, sample_results


def rows(run: Run) -> list[dict[str, str]]:
    text = run.written(table_csv.write)
    assert text.encode()
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_one_row_per_result_with_its_facts(sample: Run) -> None:
    found = rows(sample)
    assert len(found) == 60
    first, result = found[0], next(iter(sample.results()))
    assert first["case"] == result.case.id
    assert first["outcome"] == "fail"
    assert first["tags"] == "policy, en"
    assert float(first["latency_s"]) == pytest.approx(result.trajectory.latency or 0)
    assert first["answer"] == result.trajectory.answer
    assert int(first["input_tokens"]) > 0


def test_two_columns_for_each_scorer(sample: Run) -> None:
    first = rows(sample)[0]
    assert [head for head in first if head.startswith("score:")] == [f"score:{t.name}" for t in sample.report.by_scorer]
    result = next(iter(sample.results()))
    assert float(first["score:facts"]) == pytest.approx(result.scores[0].value or 0)
    assert first["verdict:facts"] == "fail"
    assert first["verdict:tone"] == ""


def test_what_has_no_value_is_empty_and_says_why(sample: Run) -> None:
    found = rows(sample)
    timed_out = next(row for row in found if row["error"])
    assert timed_out["value"] == timed_out["score:facts"] == timed_out["latency_s"] == timed_out["cost"] == ""
    assert timed_out["verdict:facts"] == "error"
    assert timed_out["input_tokens"] == ""
    assert any(row["verdict:policy"] == "skipped" for row in found)


def test_scorers_the_report_does_not_name_are_found(sample: Run) -> None:
    run = Run(report=replace(sample.report, by_scorer=()), results=sample.results)
    assert list(rows(run)[0]) == list(rows(sample)[0])


def test_no_cell_is_a_formula(hostile: Run) -> None:
    for row in rows(hostile):
        for cell in row.values():
            assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


@given(st.text(min_size=1, max_size=30))
def test_any_text_comes_back_from_its_cell(text: str) -> None:
    first = next(iter(sample_results()))
    results = [replace(first, case=replace(first.case, id=text))]
    (row,) = rows(Run(report=report_of(results), results=lambda: results))
    assert not row["case"].startswith(("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"))
    if text.isprintable():
        assert row["case"].removeprefix("'") == text.removeprefix("'") or row["case"] == text


def test_a_cell_fits_a_spreadsheet(hostile: Run) -> None:
    cells = [cell for row in rows(hostile) for cell in row.values()]
    assert max(map(len, cells)) <= 32_767
    assert any(len(cell) > 30_000 for cell in cells)


def test_japanese_is_kept(hostile: Run) -> None:
    assert any(row["question"] == HOSTILE["japanese"] for row in rows(hostile))


def test_an_empty_run_has_a_header_alone(empty: Run) -> None:
    assert rows(empty) == []
    assert empty.written(table_csv.write).startswith("case,target,sample,outcome,")


def test_a_column_tells_what_is_in_doubt_and_the_outcome_stays_a_pass(doubtful: Run) -> None:
    found = [row for row in rows(doubtful) if row["in_doubt"] == "true"]
    assert len(found) == 2
    assert {(row["outcome"], row["verdict:facts"]) for row in found} == {("pass", "pass")}
    assert {row["in_doubt"] for row in rows(doubtful)} == {"true", "false"}


def test_the_question_of_a_recorded_conversation_is_its_first_message() -> None:
    first = next(iter(sample_results()))
    recorded = replace(first, case=Case(id="c1", recorded=first.trajectory))
    prompt = replace(first, case=Case(id="c2", inputs={"text": "some words"}))
    results = [recorded, prompt]
    found = rows(Run(report=report_of(results), results=lambda: results))
    assert found[0]["question"] == first.trajectory.turns[0].asked != ""
    assert found[1]["question"] == '{"text":"some words"}'
    assert [page_data.row_of(each, 0)["question"] for each in results] == [
        one_line(first.trajectory.turns[0].asked, 240),
        "text: some words",
    ]
    assert result_row(recorded)["question"] == found[0]["question"]
