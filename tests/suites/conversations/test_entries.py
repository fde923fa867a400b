from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.tables import table

from proctor.core.errors import SuiteError
from proctor.suites.conversations.entries import entries_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def held(path: Path) -> list[Any]:
    return [entry.data for entry in entries_of(path)]


@settings(max_examples=examples(60))
@given(st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=3), min_size=1, max_size=5), st.booleans())
def test_lines_and_arrays_hold_the_same(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], packed: bool
) -> None:
    folder = tmp_path_factory.mktemp("log")
    as_lines = "\n".join(json.dumps(row) for row in rows).encode()
    as_array = json.dumps(rows, indent=1, ensure_ascii=False).encode("utf-8", "surrogatepass")
    for name, data in (("a.jsonl", as_lines), ("a.json", as_array)):
        try:
            data.decode()
        except UnicodeDecodeError:  # half of a surrogate pair cannot be in a UTF-8 file
            continue
        path = folder / (name + ".gz" if packed else name)
        path.write_bytes(gzip.compress(data) if packed else data)
        assert held(path) == rows


def test_an_array_larger_than_a_piece_is_read_value_by_value(tmp_path: Path) -> None:
    rows = [{"n": number, "text": "é" * 700_000} for number in range(4)]
    path = tmp_path / "big.json"
    path.write_text(json.dumps(rows, indent=2, ensure_ascii=False))
    entries = list(entries_of(path))
    assert [entry.data for entry in entries] == rows
    assert [entry.line for entry in entries] == [2, 6, 10, 14]
    assert entries[2].path == (2,)


def test_the_messages_of_one_conversation_are_one_value(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    (tmp_path / "one.json").write_text(json.dumps(chat))
    (tmp_path / "wide.json").write_text(json.dumps(chat, indent=2))
    (tmp_path / "two.jsonl").write_text(json.dumps(chat) + "\n" + json.dumps(chat) + "\n")
    assert held(tmp_path / "one.json") == [chat]
    assert held(tmp_path / "wide.json") == [chat]
    assert held(tmp_path / "two.jsonl") == [chat, chat]


def test_a_document_over_many_lines_is_one_value(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"messages": [], "n": 1}, indent=2))
    assert held(path) == [{"messages": [], "n": 1}]


@table(
    ("name", "data", "line", "what"),
    [
        ("a.jsonl", b'{"a": 1}\n{"a": \n', 2, "not valid JSON"),
        ("a.jsonl", b'\n\n{"a" 1}\n', 3, "not valid JSON"),
        ("a.json", b'[\n{"a": 1},\n{"a" 2}]', 3, "not valid JSON"),
        ("a.json", b'[\n{"a": 1}\n{"a": 2}]', 3, "expected ','"),
        ("a.json", b'[\n{"a": 1},', 2, "not valid JSON"),
        ("a.json", b'[\n{"a": 1}\n', 3, "ends early"),
        ("a.json", b'[\n{"a": "\xff"}]', 2, "not UTF-8"),
        ("a.jsonl", b'{"a": "\xff"}\n', 1, "not UTF-8"),
        ("a.jsonl", b" \n \n", None, "empty"),
        ("a.jsonl.gz", gzip.compress(b'{"a": 1}\n{"a": 2}\n' * 99, mtime=0)[:40], None, "damaged"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, name: str, data: bytes, line: int | None, what: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(SuiteError, match=what) as caught:
        held(path)
    assert caught.value.file == str(path)
    assert caught.value.line == line


def test_rows_of_a_csv_file_are_objects_of_texts(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text('\ufeffconversation_id,role,text\n7,user,"a, b\nc"\n7,assistant,d\n', encoding="utf-8")
    found = [(entry.data, entry.line) for entry in entries_of(path)]
    assert found == [
        ({"conversation_id": "7", "role": "user", "text": "a, b\nc"}, 3),
        ({"conversation_id": "7", "role": "assistant", "text": "d"}, 4),
    ]


@table(
    ("name", "content", "message", "line"),
    [
        ("a.csv", b"", "the file is empty", None),
        ("a.csv", b"role,text\nuser\n", "another number of columns", 2),
        ("a.csv", b'role,text\nuser,"open', "not valid CSV", None),
        ("a.csv", b"role,text\nuser,\xff\n", "not UTF-8", None),
        ("a.log", b"user: hello\n", "is not JSON, and ends in '.log'", 1),
    ],
)
def test_what_is_no_log_is_refused_with_its_place(
    tmp_path: Path, name: str, content: bytes, message: str, line: int | None
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(SuiteError, match=message) as failed:
        list(entries_of(path))
    assert failed.value.file == str(path)
    assert line is None or failed.value.line == line
