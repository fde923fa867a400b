from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.tables import table

from proctor.core.case import Case, Check
from proctor.core.errors import SuiteError
from proctor.suites.load import open_suite


def cases_of(folder: Path, text: str) -> list[Case]:
    path = folder / "s.csv"
    path.write_bytes(text.encode())
    return list(open_suite(path).cases())


def error_of(folder: Path, text: str) -> SuiteError:
    with pytest.raises(SuiteError) as caught:
        cases_of(folder, text)
    return caught.value


def test_our_columns(tmp_path: Path) -> None:
    header = "id,input,reference,intent,tags,description,expect.facts,expect.escalation,expect.tool_calls,"
    header += "inputs.a,metadata.m,page.url,city"
    row = 'c1,"Hello, ""you""",ref,faq,a; b ;,d,one;two,yes,search;book,A,M,/x,京都'
    (case,) = cases_of(tmp_path, f"{header}\n{row}\n")
    assert case.id == "c1"
    assert case.input == 'Hello, "you"'
    assert case.expect.reference == "ref"
    assert case.expect.facts == ("one", "two")
    assert case.expect.escalation is True
    assert [call.name for call in case.expect.tool_calls] == ["search", "book"]
    assert case.intent == "faq"
    assert case.tags == ("a", "b")
    assert case.description == "d"
    assert case.inputs == {"a": "A", "city": "京都"}
    assert case.metadata == {"m": "M"}
    assert case.page == {"url": "/x"}


def test_json_in_a_cell(tmp_path: Path) -> None:
    rows = 'input,expect.tool_calls,expect.facts\nq,"[{""name"": ""f"", ""arguments"": {""x"": 1}}]","[""a;b""]"\n'
    (case,) = cases_of(tmp_path, rows)
    assert case.expect.tool_calls[0].arguments == {"x": 1}
    assert case.expect.facts == ("a;b",)


def test_empty_cells_are_left_out_but_variables_are_empty_text(tmp_path: Path) -> None:
    (case,) = cases_of(tmp_path, "input,reference,intent,tags,city\nq,,,,\n")
    assert case.expect.reference is None
    assert case.intent is None
    assert case.inputs == {"city": ""}


@pytest.mark.parametrize("mark", [";", "\t"])
def test_other_delimiters_are_seen(tmp_path: Path, mark: str) -> None:
    (case,) = cases_of(tmp_path, f"id{mark}input\na{mark}b, c\n")
    assert (case.id, case.input) == ("a", "b, c")


def test_empty_rows_are_nothing(tmp_path: Path) -> None:
    assert len(cases_of(tmp_path, "id,input\n\na,b\n,\n\n")) == 1


def test_a_cell_may_be_longer_than_the_csv_module_allows(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    (case,) = cases_of(tmp_path, f"input\n{'x' * 300_000}\n")
    assert len(case.input or "") == 300_000
    assert csv.field_size_limit() == before


@table(
    ("text", "line", "field", "what"),
    [
        ("id,input\na,b,c\n", 2, None, "3 cells and the header has 2"),
        ("id,input\na\n", 2, None, "1 cells"),
        ('id,input\n1,a\n2,"never closed\n3,x\n', 3, None, "not valid CSV"),
        ('id,input\n1,"a"b\n', 2, None, "not valid CSV"),
        ("id,id\na,b\n", 1, "id", "twice"),
        ("id,,input\na,b,c\n", 1, None, "column 2 has no name"),
        ("\nid,input\n", 1, None, "names no columns"),
        ("input,expect.fact\nq,x\n", 1, "expect.fact", "unknown column"),
        ("input,expect.escalation\nq,maybe\n", 2, "expect.escalation", "true or false"),
        ("input,expect.facts\nq,[broken\n", 2, "expect.facts", "not valid JSON"),
        ("input,_expected\nq,x\n", 1, "_expected", "unknown column"),
        ("input,__expectd\nq,x\n", 1, "__expectd", "unknown column"),
        ("input,__nothing_like_it\nq,x\n", 1, "__nothing_like_it", "unknown column"),
        ("input,__expected\nq,javascript: true\n", 2, "__expected", "'javascript' is not supported"),
        ("input,__expected\nq,not-contains-all: a\n", 2, "__expected", "'not-contains-all' is not supported"),
        ("input,__expected\nq,contians: a\n", 2, "__expected", "unknown expectation"),
        ("input,__expected\nq,contains:\n", 2, "__expected", "nothing to look for"),
        ("input,__expected\nq,latency\n", 2, "__expected", "no limit"),
        ("input,__expected\nq,word-count: many\n", 2, "__expected", "needs a number"),
        ("input,__expected\nq,is-json: {\n", 2, "__expected", "not JSON"),
        ("input,__expected,__threshold\nq,a,high\n", 2, "__threshold", "from 0 to 1"),
        ("input,__expected,__expected2,__threshold\nq,a,b,0.5\n", 2, "__threshold", "several"),
        ("input,__config:__expected2:threshold\nq,0.5\n", 2, "__config:__expected2:threshold", "no __expected2"),
        ("city,__prefix\nq,x\n", 2, "__prefix", "no `input`"),
        ("id,reference\na,b\n", 2, None, "asks nothing"),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, line: int, field: str | None, what: str) -> None:
    error = error_of(tmp_path, text)
    assert what in error.message
    assert (error.line, error.field) == (line, field)


def test_a_broken_row_does_not_hide_the_others(tmp_path: Path) -> None:
    error = error_of(tmp_path, "id,input,expect.escalation\na,b,x\nc,d\ne,f,y\n")
    assert [problem.line for problem in error.problems] == [2, 3, 4]  # type: ignore[attr-defined]


def test_promptfoos_columns(tmp_path: Path) -> None:
    header = "question,input,__expected,__expected2,__prefix,__suffix,__description,__metric,__providerOutput,"
    header += "__metadata:src,__metadata:list[],__config:__expected:threshold"
    row = 'x,say,"icontains-any: a, ""b, c""",similar(0.9): reference,pre-,-post,about,quality,an answer,web,"p, q",0.4'
    (case,) = cases_of(tmp_path, f"{header}\n{row}\n")
    assert case.input == "pre-say-post"
    assert case.inputs == {"question": "x"}
    assert case.description == "about"
    assert case.recorded is not None
    assert case.recorded.answer == "an answer"
    assert case.metadata == {"src": "web", "list": ["p", "q"]}
    assert case.checks == (
        Check(
            scorer="contains",
            settings={"value": ["a", "b, c"], "mode": "any", "ignore_case": True},
            name="quality",
            threshold=0.4,
        ),
        Check(scorer="similar", settings={"reference": "reference"}, name="quality", threshold=0.9),
    )


def test_one_threshold_for_one_expectation(tmp_path: Path) -> None:
    (case,) = cases_of(tmp_path, "input,__expected,__threshold\nq,llm-rubric: is kind,0.6\n")
    assert case.checks == (Check(scorer="judge", settings={"rubric": "is kind"}, threshold=0.6),)
