"""Labels from files as people write them."""

from __future__ import annotations

import contextlib
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.errors import InputError, MalformedError, NotFoundError
from proctor.workflows.judge.labels import read_labels, value_of
from tests.tables import table


def _file(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_every_way_to_say_it(tmp_path: Path) -> None:
    found = read_labels(
        _file(
            tmp_path,
            '{"case": "a", "score": 4}',
            "",
            '{"id": "b", "label": "pass", "target": "t", "sample": 2, "rater": "ann"}',
            '{"case": "c", "scores": [1, 0.5]}',
            '{"case": "d", "label": true}',
            '{"case": "e", "label": "fail", "input": "Hi", "answer": "Ho", "expect": {"reference": "Hello"}}',
        )
    )
    assert [each.said for each in found] == [(4.0,), ("pass",), (1.0, 0.5), (1.0,), ("fail",)]
    assert (found[1].target, found[1].sample) == ("t", 2)
    given_case = found[4].given
    assert given_case is not None
    assert given_case.recorded is not None
    assert given_case.recorded.answer == "Ho"
    assert given_case.expect.reference == "Hello"


def test_gzip_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"case": "a", "score": 1}\n'))
    assert read_labels(path)[0].case == "a"


@table(
    "line",
    [
        "nonsense",
        "[]",
        '{"score": 1}',
        '{"case": "a"}',
        '{"case": "a", "score": null}',
        '{"case": "a", "score": NaN}',
        '{"case": "a", "score": []}',
        '{"case": "a", "score": 1e400}',
        '{"case": "a", "score": 1, "sample": "x"}',
        '{"case": "a", "score": 1, "answer": 7}',
        '{"case": "a", "score": 1, "input": "Hi", "answer": "Ho", "expekt": {}}',
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(MalformedError) as caught:
        read_labels(_file(tmp_path, '{"case": "ok", "score": 1}', line))
    assert caught.value.line == 2


def test_no_labels_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no labels"):
        read_labels(_file(tmp_path, ""))
    with pytest.raises(NotFoundError):
        read_labels(tmp_path / "none.jsonl")
    broken = tmp_path / "x.jsonl.gz"
    broken.write_bytes(b"no gzip")
    with pytest.raises(InputError, match="cannot be read"):
        read_labels(broken)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.sampled_from(["case", "score", "label", "answer", "input"]), x),
        max_leaves=8,
    )
)
def test_anything_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: object) -> None:
    path = tmp_path_factory.mktemp("labels") / "x.jsonl"
    path.write_text(json.dumps(data), encoding="utf-8", errors="replace")
    with contextlib.suppress(InputError):
        read_labels(path)


def test_words_and_scales() -> None:
    assert value_of("Pass", {}, None) == 1
    assert value_of("meh", {"Meh": 0.4}, None) == 0.4
    assert value_of(3, {}, (1, 5)) == 0.5
    with pytest.raises(ValueError, match="--scale"):
        value_of(3, {}, None)
    with pytest.raises(ValueError, match="--value"):
        value_of("meh", {}, None)
