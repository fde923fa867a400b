from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.tables import table

from proctor.core.case import Ask, Case, Check
from proctor.core.errors import MalformedError, SuiteError
from proctor.suites.load import open_suite

FULL = """\
name: first
description: what it is
target: agent
version: "3"
tags: [nightly]
metadata: {owner: me}
scorers:
  - forbidden
  - contains: {value: x, ignore_case: true}
  - judge: {rubric: helpful}
    threshold: 0.7
    name: helpful
    weight: 2
  - scorer: length
    settings: {at_most: 5}
defaults:
  intent: faq
  tags: [x]
  checks: [exact]
  expect: {facts: [a], forbidden: [b]}
  inputs: {lang: ja}
  metadata: {o: 1}
cases:
  - id: refund
    input: "Can I get a refund?"
    intent: returns
    tags: [y, x]
    page: {url: /a}
    expect: {facts: [c]}
    checks: [{contains: "15 days"}, {regex: {value: "[0-9]"}}, {numeric: 5}]
    metadata: {p: 2}
    description: d
  - turns: ["hi", {text: "and then?", expect: {facts: [z]}}]
    history: [{role: user, content: before}]
  - inputs: {city: 京都}
  - only text
  - id: 7
    input: ""
"""


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def told(path: Path) -> MalformedError:
    with pytest.raises(SuiteError) as caught:
        list(open_suite(path).cases())
    assert isinstance(caught.value, MalformedError)
    return caught.value


def test_a_yaml_suite_is_read_whole(tmp_path: Path) -> None:
    loaded = open_suite(write(tmp_path, "s.yaml", FULL))
    suite = loaded.suite
    assert (suite.name, suite.description, suite.target, suite.version) == ("first", "what it is", "agent", "3")
    assert suite.tags == ("nightly",)
    assert suite.metadata == {"owner": "me"}
    assert suite.scorers == (
        Check(scorer="forbidden"),
        Check(scorer="contains", settings={"value": "x", "ignore_case": True}),
        Check(scorer="judge", settings={"rubric": "helpful"}, threshold=0.7, name="helpful", weight=2),
        Check(scorer="length", settings={"at_most": 5}),
    )
    refund, turns, inputs, text, number = loaded.cases()
    assert refund.id == "refund"
    assert refund.intent == "returns"
    assert refund.tags == ("x", "y")
    assert refund.expect.facts == ("c",)
    assert refund.expect.forbidden == ("b",)
    assert refund.metadata == {"o": 1, "p": 2}
    assert refund.inputs == {"lang": "ja"}
    assert refund.checks == (
        Check(scorer="exact"),
        Check(scorer="contains", settings={"": "15 days"}),
        Check(scorer="regex", settings={"value": "[0-9]"}),
        Check(scorer="numeric", settings={"": 5}),
    )
    assert turns.intent == "faq"
    assert turns.turns[0] == Ask(text="hi")
    assert turns.history[0].content == "before"
    assert inputs.inputs == {"lang": "ja", "city": "京都"}
    assert text.input == "only text"
    assert (number.id, number.input) == ("7", "")
    assert len(list(loaded.cases())) == 5
    assert list(loaded.cases()) == [refund, turns, inputs, text, number], "cases can be asked for again"


def test_the_same_suite_in_every_format(tmp_path: Path) -> None:
    rows = [{"id": "a", "input": "q", "tags": ["t"]}, {"input": "日本語"}]
    files = [
        write(tmp_path, "s.json", json.dumps({"cases": rows})),
        write(tmp_path, "list.json", json.dumps(rows)),
        write(tmp_path, "s.jsonl", "\n".join(json.dumps(row) for row in rows) + "\n\n"),
        write(tmp_path, "s.ndjson", "\ufeff" + "\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows)),
        write(tmp_path, "s.YML", "- {id: a, input: q, tags: [t]}\n- {input: 日本語}\n"),
        write(tmp_path, "s.csv", "id,input,tags\r\na,q,t\r\n,日本語,\r\n"),
    ]
    loaded = [list(open_suite(file).cases()) for file in files]
    assert all(cases == loaded[0] for cases in loaded)
    assert loaded[0][1].id.startswith("c-")
    assert open_suite(files[1]).suite.name == "list"


def test_a_recorded_answer_stands_beside_its_question(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "s.yaml",
        """\
- input: q
  recorded: an answer
- turns: [one, {text: two}]
  recorded: [first, {answer: second, latency: 0.5, own_key: kept}]
- input: q2
  recorded: {turns: [{messages: [{role: assistant, content: a}]}], session: s}
- input: q3
  recorded: {error: it broke}
""",
    )
    one, two, three, four = (case.recorded for case in open_suite(path).cases())
    assert one is not None
    assert two is not None
    assert three is not None
    assert four is not None
    assert (one.turns[0].asked, one.answer) == ("q", "an answer")
    assert [(turn.asked, turn.answer) for turn in two.turns] == [("one", "first"), ("two", "second")]
    assert two.turns[1].latency == 0.5
    assert two.turns[1].extra == {"own_key": "kept"}
    assert (three.answer, three.session) == ("a", "s")
    assert four.error == "it broke"


BAD = """\
nmae: x
cases:
  - id: a
    inptu: x
    input: q
  - id: b
    input: z
    expect: {facts: foo, referense: r}
  - id: c
    input: 5
  - input: ok
    checks:
      - contains: x
        regex: y
      - 5
      - contains: x
        threshold: high
  - description: nothing
  - input: a
    turns: [b]
  - input: a
    recorded: 5
  - input: a
    recorded: {truns: []}
  - input: b
    recorded: {turns: [{anwser: x}]}
  - id: " "
    input: q
  - [1]
"""


def test_every_problem_is_told_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, "s.yaml", BAD.removeprefix("nmae: x\n"))
    error = told(path)
    found = {(problem.line, problem.where): problem.message for problem in error.problems}
    assert list(found) == [
        (3, "cases[0].inptu"),
        (7, "cases[1].expect.facts"),
        (7, "cases[1].expect.referense"),
        (9, "cases[2].input"),
        (12, "cases[3].checks[0]"),
        (14, "cases[3].checks[1]"),
        (16, "cases[3].checks[2].threshold"),
        (17, "cases[4]"),
        (19, "cases[5].turns"),
        (21, "cases[6].recorded"),
        (23, "cases[7].recorded"),
        (25, "cases[8].recorded.turns[0]"),
        (26, "cases[9].id"),
        (28, "cases[10]"),
    ]
    assert error.problems[0].hint == "did you mean `input`?"
    assert (error.file, error.line, error.field) == (str(path), 3, "cases[0].inptu")
    assert error.exit_code == 2
    assert "and 13 more" in error.message


def test_a_wrong_header_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(SuiteError) as caught:
        open_suite(write(tmp_path, "s.yaml", BAD))
    assert (caught.value.line, caught.value.field, caught.value.hint) == (1, "nmae", "did you mean `name`?")


@table(
    ("text", "line", "where"),
    [
        ("name: x\ncases: 5\n", 2, "cases"),
        ("cases: [a]\nscorers:\n  - contains\n  - {a: 1, b: 2}\n", 4, "scorers[1]"),
        ("cases: [a]\nscorers: contains\n", 2, "scorers"),
        ("cases: [a]\ndefaults:\n  tags: x\n", 3, "defaults.tags"),
        ("cases: [a]\ndefaults:\n  id: x\n", 3, "defaults.id"),
        ("cases: [a]\ndefaults:\n  checks:\n    - 7\n", 4, "defaults.checks[0]"),
        ("cases: [a]\ncases_from:\n  - a.jsonl\n  - nowhere.csv\n", 4, "cases_from[1]"),
        ("cases: [a]\ncases_from: [s.yaml]\n", 2, "cases_from[0]"),
        ("cases: [a]\nscorers:\n  - contains: x\n    threshold: high\n", 4, "scorers[0].threshold"),
        ("cases: [a]\nscorers: [{threshold: 1}]\n", 2, "scorers[0]"),
        ("cases: [a]\ndefaults: {checks: exact}\n", 2, "defaults.checks"),
    ],
)
def test_wrong_headers(tmp_path: Path, text: str, line: int, where: str) -> None:
    write(tmp_path, "a.jsonl", '{"input": "x"}\n')
    with pytest.raises(SuiteError) as caught:
        open_suite(write(tmp_path, "s.yaml", text))
    assert (caught.value.line, caught.value.field) == (line, where)
    assert caught.value.hint or "expected" in caught.value.message


@table(
    ("row", "where"),
    [
        ({"input": "q", "recorded": {"turns": [{"answer": "a", "latency": "long"}]}}, "recorded.turns[0].latency"),
        ({"input": "q", "checks": "exact"}, "checks"),
        ({"id": "x" * 501, "input": "q"}, "id"),
        ({"id": "two\nlines", "input": "q"}, "id"),
        ({"id": 1.5, "input": "q"}, "id"),
        ({"input": "q", "extra": {"a": 1}}, "extra"),
    ],
)
def test_wrong_cases(tmp_path: Path, row: dict[str, object], where: str) -> None:
    error = told(write(tmp_path, "s.jsonl", json.dumps(row) + "\n"))
    assert [(problem.line, problem.where) for problem in error.problems] == [(1, where)]


def test_the_first_line_of_a_stream_may_describe_it(tmp_path: Path) -> None:
    path = write(tmp_path, "s.jsonl", '{"suite": {"name": "n", "scorers": ["exact"]}}\n{"input": "q"}\n')
    loaded = open_suite(path)
    assert (loaded.suite.name, loaded.suite.scorers, len(list(loaded.cases()))) == ("n", (Check(scorer="exact"),), 1)
    for header, where in (({"nmae": 1}, "nmae"), ({"cases": []}, "suite.cases")):
        path.write_text(json.dumps({"suite": header}) + '\n{"input": "q"}\n')
        with pytest.raises(SuiteError) as caught:
            open_suite(path)
        assert (caught.value.line, caught.value.field) == (1, where)


def test_json_problems_have_lines_too(tmp_path: Path) -> None:
    error = told(write(tmp_path, "s.json", '{\n"cases": [\n {"input": "a"},\n {"input": "b",\n  "tag": []}\n]}'))
    assert [(problem.line, problem.where) for problem in error.problems] == [(5, "cases[1].tag")]


@table(
    ("name", "data", "line", "what"),
    [
        ("s.yaml", b"", None, "empty"),
        ("s.yaml", b"# nothing but a comment\n", None, "empty"),
        ("s.jsonl", b"", None, "empty"),
        ("s.csv", b"", None, "empty"),
        ("s.yaml", b"name: x\n", None, "no cases"),
        ("s.json", b"[]", None, "no cases"),
        ("s.jsonl", b"\n\n", None, "no cases"),
        ("s.csv", b"id,input\n", None, "no cases"),
        ("s.yaml", b"just text", 1, "expected a mapping"),
        ("s.json", b"5", 1, "expected a mapping"),
        ("s.yaml", b"cases:\n  - input: caf\xe9\n", 2, "0xe9 at offset 21"),
        ("s.jsonl", b'{"input": "a"}\n{"input": "\xff"}\n', 2, "0xff at offset 26"),
        ("s.csv", b"id,input\n1,a\n2,\xff\n", 3, "0xff at offset 15"),
        ("s.csv", b"id,inp\xffut\n1,a\n", 1, "0xff at offset 6"),
        ("s.yaml", b"\xff\xfec\x00", 1, "UTF-16"),
        ("s.yaml", b"\x7fELF\x00\x00", None, "zero byte at offset 4"),
        ("s.jsonl", b"PK\x03\x04\x00\x00", 1, "zero byte at offset 4"),
        ("s.csv", b"id,input\n1,a\0b\n", 2, "zero byte at offset 12"),
        ("s.yaml", b"cases: [\n", 2, "not valid YAML"),
        ("s.json", b'{"cases": [\n1,\n}', 3, "not valid JSON"),
        ("s.json", b'{"cases": [], "cases": []}', None, "twice"),
        ("s.jsonl", b'{"input": "a"}\n{"input": \n', 2, "not valid JSON"),
        ("s.jsonl", b'{"input": "a", "input": "b"}\n', 1, "twice"),
        ("s.jsonl", b'{"input": "a", "inputs": {"x": NaN}}\n', 1, "NaN"),
        ("s.jsonl", b'{"input": "a", "inputs": {"x": ' + b"9" * 5000 + b"}}\n", 1, "too large"),
        ("s.jsonl", b"[" * 100_000, 1, "deep"),
        ("s.txt", b"hello", None, "cannot end in .txt"),
        ("a.prompt.yml", b"messages: []", None, "prompt file"),
    ],
)
def test_unusable_files(tmp_path: Path, name: str, data: bytes, line: int | None, what: str) -> None:
    path = write(tmp_path, name, data)
    with pytest.raises(SuiteError) as caught:
        list(open_suite(path).cases())
    assert what in caught.value.message
    assert caught.value.line == line
    assert caught.value.file == str(path)
    assert caught.value.hint or "expected" in caught.value.message


def test_a_missing_file_names_those_near_it(tmp_path: Path) -> None:
    write(tmp_path, "refunds.yaml", "- a")
    with pytest.raises(SuiteError, match=r"did you mean .*refunds\.yaml"):
        open_suite(tmp_path / "refund.yaml")
    with pytest.raises(SuiteError, match=r"holds: refunds\.yaml"):
        open_suite(tmp_path / "something-else.csv")
    with pytest.raises(SuiteError, match="no folder"):
        open_suite(tmp_path / "nowhere" / "a.yaml")


def test_a_line_that_never_ends_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with path.open("wb") as handle:
        handle.write(b'{"input": "a"}\n{"input": "')
        for _ in range(17):
            handle.write(b"x" * 1_000_000)
    with pytest.raises(SuiteError) as caught:
        list(open_suite(path).cases())
    assert (caught.value.line, "longer than 16 MB" in caught.value.message) == (2, True)


def test_an_id_twice_is_told_with_both_places(tmp_path: Path) -> None:
    error = told(write(tmp_path, "s.yaml", "- id: a\n  input: q\n- id: b\n  input: q\n- id: a\n  input: r\n"))
    assert error.line == 5
    assert "line 1" in error.message
    error = told(write(tmp_path, "s.jsonl", '{"input": "q"}\n{"id": "1", "input": "x"}\n{"input": "q"}\n'))
    assert (error.line, "the same case is at line 1" in error.message) == (3, True)
    error = told(write(tmp_path, "s.csv", 'id,input\na,"two\nlines"\nb,x\na,y\n'))
    assert (error.line, "line 2" in error.message) == (5, True)


def test_at_most_twenty_problems_are_told(tmp_path: Path) -> None:
    error = told(write(tmp_path, "s.jsonl", "not json\n" * 500))
    assert len(error.problems) == 20


def test_nothing_is_yielded_after_a_problem(tmp_path: Path) -> None:
    path = write(tmp_path, "s.jsonl", '{"id": "a", "input": "q"}\n{"bad": 1}\n{"id": "c", "input": "q"}\n{"bad": 2}\n')
    seen: list[str] = []
    with pytest.raises(MalformedError) as caught:
        seen.extend(case.id for case in open_suite(path).cases())
    assert seen == ["a"]
    assert {problem.line for problem in caught.value.problems} == {2, 4}


def test_cases_from_other_files(tmp_path: Path) -> None:
    write(tmp_path, "more/b.jsonl", '{"id": "b", "input": "q"}\n')
    write(
        tmp_path, "more/c.yaml", "scorers: [exact]\ntags: [inner]\ndefaults: {intent: own}\ncases: [{id: c, input: q}]"
    )
    path = write(
        tmp_path,
        "s.yaml",
        "scorers: [forbidden]\ndefaults: {intent: faq, tags: [outer]}\ncases_from: [more/b.jsonl, more/c.yaml]\n",
    )
    loaded = open_suite(path)
    b, c = loaded.cases()
    assert (b.intent, b.tags, b.checks) == ("faq", ("outer",), ())
    assert (c.intent, c.tags, c.checks) == ("own", ("outer", "inner"), (Check(scorer="exact"),))
    assert [file.name for file in loaded.files] == ["s.yaml", "b.jsonl", "c.yaml"]
    assert loaded.suite.scorers == (Check(scorer="forbidden"),)


def test_a_folder_is_one_suite(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    write(folder, "suite.yaml", "name: the shop\ntarget: agent\nscorers: [exact]\ndefaults: {tags: [all]}\n")
    write(folder, "b.yaml", "- {id: b, input: q}")
    write(folder, "a/x.csv", "id,input\nx,q\n")
    write(folder, ".hidden/y.csv", "id,input\ny,q\n")
    write(folder, "agent.prompt.yml", "messages: []")
    write(folder, "proctor.yaml", "model: x")
    write(folder, "README.md", "hello")
    loaded = open_suite(folder)
    assert (loaded.suite.name, loaded.suite.target) == ("the shop", "agent")
    assert [(case.id, case.tags) for case in loaded.cases()] == [("x", ("all",)), ("b", ("all",))]
    write(folder, "z.jsonl", '{"id": "x", "input": "again"}\n')
    with pytest.raises(SuiteError, match=r"taken by the case at .*x\.csv:2"):
        list(open_suite(folder).cases())


def test_folders_that_are_no_suite(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="no suite files"):
        open_suite(tmp_path)
    write(tmp_path, "a.yaml", "target: other\ncases: [q]")
    with pytest.raises(SuiteError, match="its own target"):
        open_suite(tmp_path)
    write(tmp_path, "suite.yaml", "target: other\n")
    assert len(list(open_suite(tmp_path).cases())) == 1


def test_large_documents_are_read_again_instead_of_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.suites.load._KEPT_BYTES", 10)
    loaded = open_suite(write(tmp_path, "s.yaml", FULL))
    assert len(list(loaded.cases())) == len(list(loaded.cases())) == 5


def test_the_place_of_a_case_and_of_things_in_it(tmp_path: Path) -> None:
    path = write(tmp_path, "s.yaml", FULL)
    loaded = open_suite(path)
    assert loaded.place("refund") == (path, 24)
    assert loaded.place("refund", ("checks", 1)) == (path, 30)
    assert loaded.place("7") == (path, 37)
    assert loaded.place("nobody") is None


def test_many_cases_take_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with path.open("w") as handle:
        for number in range(5_000):
            handle.write(json.dumps({"id": f"case-{number}", "input": "x" * 200}) + "\n")
    loaded = open_suite(path)
    next(loaded.cases())  # what is made once, at the first case
    tracemalloc.start()
    assert sum(1 for _ in loaded.cases()) == 5_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000  # the cases themselves are more than 5 MB


TEXT = st.text(max_size=30)
CASES = st.builds(
    Case,
    id=st.uuids().map(str),
    input=st.none() | TEXT,
    inputs=st.dictionaries(st.text(min_size=1, max_size=5), TEXT, min_size=1, max_size=3),
    intent=st.none() | TEXT,
    tags=st.lists(TEXT, max_size=3, unique=True).map(tuple),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(50))
@given(st.lists(CASES, min_size=1, max_size=5, unique_by=lambda case: case.id))
def test_what_is_written_is_read_back(tmp_path: Path, cases: list[Case]) -> None:
    from proctor.core.codec import dumps

    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(dumps(case) + b"\n" for case in cases))
    assert list(open_suite(path).cases()) == cases


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(80))
@given(st.binary(max_size=120), st.sampled_from([".yaml", ".json", ".jsonl", ".csv"]))
def test_any_bytes_are_a_suite_or_an_error_of_ours(tmp_path: Path, data: bytes, ending: str) -> None:
    path = tmp_path / f"s{ending}"
    path.write_bytes(data)
    try:
        cases = list(open_suite(path).cases())
    except SuiteError:
        return
    assert all(isinstance(case, Case) for case in cases)
