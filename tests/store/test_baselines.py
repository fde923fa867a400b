from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.errors import InputError, NotFoundError, StoreError
from proctor.store.baselines import baseline_path, read_baseline, write_baseline
from tests.tables import table

HEADER = {"run": "r1", "suite": "golden"}
NAMES = st.text(st.characters(codec=None), min_size=1, max_size=20)


def _cases(*names: str, value: float = 1.0) -> list[dict[str, object]]:
    return [{"case": name, "outcome": "pass", "value": value} for name in names]


def test_a_baseline_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "baselines" / "golden.json"
    write_baseline(path, HEADER, _cases("b", "日本語"))
    assert read_baseline(path) == (HEADER, _cases("b", "日本語"))


def test_each_case_is_one_line_and_the_order_is_that_of_the_names(tmp_path: Path) -> None:
    path, other = tmp_path / "a.json", tmp_path / "b.json"
    write_baseline(path, HEADER, _cases("c", "a", "b"))
    write_baseline(other, dict(reversed(HEADER.items())), _cases("b", "c", "a"))
    assert path.read_bytes() == other.read_bytes()
    lines = [line for line in path.read_text().splitlines() if line.startswith('{"case"')]
    assert [json.loads(line.rstrip(","))["case"] for line in lines] == ["a", "b", "c"]


def test_a_case_that_changed_is_the_only_line_of_the_diff(tmp_path: Path) -> None:
    before, after = tmp_path / "a.json", tmp_path / "b.json"
    write_baseline(before, HEADER, _cases(*"abcd"))
    write_baseline(after, HEADER, [*_cases(*"abc"), *_cases("d", value=0.5)])
    old, new = before.read_text().splitlines(), after.read_text().splitlines()
    assert [(one, two) for one, two in zip(old, new, strict=True) if one != two] == [
        ('{"case": "d", "outcome": "pass", "value": 1.0}', '{"case": "d", "outcome": "pass", "value": 0.5}')
    ]


@given(names=st.lists(NAMES, unique=True, max_size=20))
def test_any_names_survive(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    path = tmp_path_factory.mktemp("b") / "x.json"
    write_baseline(path, HEADER, _cases(*names))
    assert [case["case"] for case in read_baseline(path)[1]] == sorted(names)


@table("suite", ["golden", "a/b", "../up", "目録", "a b"])
def test_a_suite_of_any_name_has_a_file_in_the_folder(tmp_path: Path, suite: str) -> None:
    path = baseline_path(tmp_path, suite, "agent@v/2")
    assert path.parent == tmp_path
    assert path.suffix == ".json"
    assert path != baseline_path(tmp_path, suite)


@table(
    "text",
    [
        "",
        "[]",
        '{"cases": 3, "format": 1}',
        '{"cases": [{"no": 1}], "format": 1}',
        '{"cases": [], "format": 9}',
        "<<<<",
    ],
)
def test_what_is_no_baseline_is_named_with_its_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_baseline(path)
    assert caught.value.file == str(path)
    assert caught.value.hint


def test_no_file_says_how_one_is_made(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no such baseline") as caught:
        read_baseline(tmp_path / "none.json")
    assert "bless" in (caught.value.hint or "")


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        write_baseline(tmp_path / "file" / "x.json", HEADER, [])
