from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples

from proctor.core.case import Ask, Case, Check, Expectation
from proctor.core.chat import Message, ToolCall
from proctor.core.errors import SuiteError
from proctor.suites.append import append_cases, cases_in
from proctor.suites.golden import freeze
from proctor.suites.load import open_suite

CASE = Case(
    id="c1",
    turns=(Ask(text="a"), Ask(text="b", expect=Expectation(facts=("c",)))),
    history=(Message(role="assistant", content="Hi!"),),
    expect=Expectation(tool_calls=(ToolCall(name="look", arguments={"n": 1}),)),
    checks=(
        Check(scorer="conversation"),
        Check(scorer="contains", settings={"": "14 days"}),
        Check(scorer="contains", settings={"": "x", "ignore_case": True}, name="loose", threshold=0.5),
        Check(scorer="latency", threshold=0.5),
    ),
    tags=("regression",),
)
KEPT = """\
# what we learned the hard way
name: regressions   # never remove one
scorers:
  - fluency

cases:
  - {id: old, input: "hello"}   # the first of them
# the end
"""


@pytest.mark.parametrize("name", ["new.yaml", "deep/new.jsonl"])
def test_a_file_is_begun_and_added_to(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert cases_in(path) == []
    append_cases(path, [CASE])
    append_cases(path, [Case(id="c2", input="c")])
    assert cases_in(path) == [CASE, Case(id="c2", input="c")]
    append_cases(path, [])
    assert len(cases_in(path)) == 2


def test_comments_and_layout_stay(tmp_path: Path) -> None:
    path = tmp_path / "regressions.yaml"
    path.write_text(KEPT)
    append_cases(path, [CASE])
    text = path.read_text()
    for line in KEPT.splitlines():
        assert line in text
    loaded = open_suite(path)
    assert [case.id for case in loaded.cases()] == ["old", "c1"]
    assert loaded.suite.scorers == (Check(scorer="fluency"),)


def test_a_list_and_a_header_alone_are_added_to(tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text("- id: a\n  input: x\n")
    (tmp_path / "head.yaml").write_text("name: later\n")
    (tmp_path / "only.yaml").write_text("# nothing yet\n")
    for name, count in (("list.yaml", 2), ("head.yaml", 1), ("only.yaml", 1)):
        append_cases(tmp_path / name, [CASE])
        assert len(cases_in(tmp_path / name)) == count


def test_what_cannot_be_added_to_is_told_and_left_alone(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"\.csv"):
        append_cases(tmp_path / "a.csv", [CASE])
    freeze([Case(id="a", input="x")], tmp_path / "frozen.jsonl")
    before = (tmp_path / "frozen.jsonl").read_bytes()
    with pytest.raises(SuiteError, match="frozen"):
        append_cases(tmp_path / "frozen.jsonl", [CASE])
    assert (tmp_path / "frozen.jsonl").read_bytes() == before


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).filter(str.strip)


@settings(max_examples=examples(40))
@given(st.lists(TEXTS, min_size=1, max_size=3), st.sampled_from(["a.yaml", "a.jsonl"]))
def test_any_words_come_back(tmp_path_factory: pytest.TempPathFactory, texts: list[str], name: str) -> None:
    path = tmp_path_factory.mktemp("suite") / name
    made = Case(
        id="c",
        turns=tuple(Ask(text=text) for text in texts),
        checks=(Check(scorer="contains", settings={"": texts[0]}),),
    )
    append_cases(path, [Case(id="first", input="x")])
    append_cases(path, [made])
    assert cases_in(path)[1] == made


def test_lines_stay_one_case_each(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "old", "input": "x"}')  # no end of line
    append_cases(path, [Case(id="c", input="one\ntwo")])
    rows: list[Any] = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["id"] for row in rows] == ["old", "c"]
