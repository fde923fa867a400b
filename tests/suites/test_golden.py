from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.tables import table

from proctor.core.case import Ask, Case, Check, Expectation, Suite
from proctor.core.chat import Message, Usage
from proctor.core.errors import StoreError, SuiteError
from proctor.core.trajectory import Trajectory, Turn
from proctor.suites.golden import FieldChange, diff, freeze
from proctor.suites.load import open_suite

CASES = [
    Case(id="b", input="日本語 \u2028 text", tags=("t",), checks=(Check(scorer="exact", settings={"": "x"}),)),
    Case(id="a", turns=(Ask(text="one", expect=Expectation(facts=("f",))), Ask(text="two"))),
    Case(
        id="c",
        input="q",
        recorded=Trajectory(
            turns=(
                Turn(
                    messages=(Message(role="assistant", content="a"),),
                    usage=Usage(input=3),
                    extra={"from_elsewhere": 1},
                ),
            )
        ),
    ),
]
SUITE = Suite(name="shop", description="d", scorers=(Check(scorer="contains", settings={"": "x"}, threshold=0.5),))


def test_a_frozen_suite_reads_back_the_same(tmp_path: Path) -> None:
    out = tmp_path / "golden.jsonl"
    frozen = freeze(CASES, out, suite=SUITE)
    assert (frozen.name, frozen.version, frozen.cases) == ("shop", "1", 3)
    loaded = open_suite(out)
    assert loaded.suite.name == "shop"
    assert loaded.suite.version == "1"
    assert loaded.suite.scorers == SUITE.scorers
    assert list(loaded.cases()) == sorted(CASES, key=lambda case: case.id)


def test_the_file_depends_on_the_content_alone(tmp_path: Path) -> None:
    one = freeze(CASES, tmp_path / "one.jsonl", suite=SUITE)
    two = freeze(reversed(CASES), tmp_path / "two.jsonl", suite=SUITE)
    assert one.hash == two.hash
    assert one.path.read_bytes() == two.path.read_bytes()
    lines = one.path.read_text().split("\n")
    assert len(lines) == 5, "a header, a line for each case, an end"
    assert json.loads(lines[0])["suite"]["hash"] == one.hash
    assert "日本語" in one.path.read_text(), "readable in a diff"


def test_versions_count_changes(tmp_path: Path) -> None:
    out = tmp_path / "golden.jsonl"
    assert freeze(CASES, out).version == "1"
    assert freeze(CASES, out).version == "1", "nothing changed"
    assert freeze(CASES[:2], out).version == "2"
    assert freeze(CASES[:2], out, suite=SUITE).version == "3", "the scorers are part of it"
    assert freeze(CASES, out, version="2026-01").version == "2026-01"
    assert freeze(CASES[:1], out).version == "2026-01+1"
    out.write_text("not a suite\n")
    assert freeze(CASES, out).version == "1"


@table(
    "change",
    [
        lambda text: text.replace("日本語", "中国語"),
        lambda text: "\n".join(text.split("\n")[:-2]) + "\n",
        lambda text: text + '{"id": "d", "input": "new"}\n',
        lambda text: text + "\n",
        lambda text: text.replace("0.5", "0.1"),
        lambda text: text.replace('"shop"', '"shopp"'),
    ],
)
def test_a_changed_file_is_found(tmp_path: Path, change: object) -> None:
    out = tmp_path / "golden.jsonl"
    freeze(CASES, out, suite=SUITE)
    assert callable(change)
    out.write_text(change(out.read_text()))
    with pytest.raises(SuiteError, match="does not match its hash") as caught:
        list(open_suite(out).cases())
    assert caught.value.line == 1
    with pytest.raises(SuiteError, match="does not match its hash"):
        diff(out, out)


def test_an_id_twice_cannot_be_frozen(tmp_path: Path) -> None:
    out = tmp_path / "golden.jsonl"
    freeze(CASES, out)
    before = out.read_bytes()
    with pytest.raises(SuiteError, match="'a' is there twice"):
        freeze([*CASES, Case(id="a", input="other")], out)
    assert out.read_bytes() == before, "the file is replaced whole or not at all"
    assert list(tmp_path.iterdir()) == [out]


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    with pytest.raises(StoreError, match="cannot be written"):
        freeze([Case(id="a", input="b")], tmp_path / "taken" / "golden.jsonl")
    with pytest.raises(SuiteError, match=r"golden\.jsonl"):
        freeze(CASES, tmp_path / "golden.yaml")


def test_the_folder_is_made(tmp_path: Path) -> None:
    assert freeze([Case(id="a", input="b")], tmp_path / "new" / "golden.jsonl").cases == 1


def test_a_stream_that_breaks_leaves_the_file(tmp_path: Path) -> None:
    out = tmp_path / "golden.jsonl"
    freeze(CASES, out)
    before = out.read_bytes()

    def broken() -> object:
        yield CASES[0]
        raise SuiteError("broken")

    with pytest.raises(SuiteError, match="broken"):
        freeze(broken(), out)  # type: ignore[arg-type]
    assert out.read_bytes() == before


def test_what_changed_is_named_by_field(tmp_path: Path) -> None:
    old = tmp_path / "old.yaml"
    new = tmp_path / "new.jsonl"
    old.write_text(
        "- {id: same, input: q}\n- {id: gone, input: q}\n"
        "- {id: other, input: q, expect: {reference: r, facts: [a]}, tags: [x]}\n"
    )
    freeze(
        [
            Case(id="other", input="q2", expect=Expectation(reference="r", facts=("a", "b")), intent="i"),
            Case(id="same", input="q"),
            Case(id="came", input="q"),
        ],
        new,
    )
    found = diff(old, new)
    assert found
    assert (found.added, found.removed) == (("came",), ("gone",))
    (change,) = found.changed
    assert change.id == "other"
    assert change.fields == (
        FieldChange(field="expect.facts", old=["a"], new=["a", "b"]),
        FieldChange(field="input", old="q", new="q2"),
        FieldChange(field="intent", new="i"),
        FieldChange(field="tags", old=["x"]),
    )
    assert not diff(old, old)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(40))
@given(
    st.dictionaries(
        st.text(min_size=1, max_size=5).filter(lambda text: text.isprintable() and text.strip()),
        st.text(max_size=20),
        min_size=1,
        max_size=6,
    )
)
def test_any_suite_freezes_and_compares(tmp_path: Path, texts: dict[str, str]) -> None:
    cases = [Case(id=name, input=text) for name, text in texts.items()]
    out, other = tmp_path / "g.jsonl", tmp_path / "h.jsonl"
    out.unlink(missing_ok=True)
    freeze(cases, out)
    assert {case.id: case.input for case in open_suite(out).cases()} == texts
    freeze([*cases[1:], Case(id=cases[0].id, input=cases[0].input, intent="new")], other)
    assert [change.id for change in diff(out, other).changed] == [cases[0].id]
