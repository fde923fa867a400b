from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.errors import InputError, MalformedError, NotFoundError
from proctor.monitor.ingest import Placed, in_order, read_events
from tests.monitor.logs import other
from tests.tables import table

LINE = '{"kind": "note", "time": "2026-11-15T09:00:00Z"}\n'


def _read(path: Path, data: bytes) -> list[Placed]:
    path.write_bytes(data)
    return list(read_events(path))


def test_lines_are_events_with_their_place(tmp_path: Path) -> None:
    found = _read(tmp_path / "e.jsonl", b"\xef\xbb\xbf" + LINE.encode() + b"\n" + LINE.encode())
    assert [placed.line for placed in found] == [1, 3]
    packed = _read(tmp_path / "e.jsonl.gz", gzip.compress(LINE.encode() * 3))
    assert len(packed) == 3


@table(
    ("line", "told"),
    [
        (b'{"kind": "turn"}', "is missing"),
        (b'{"kind": "trun", "time": "2026-11-15T09:00:00Z"}', "did you mean 'turn'"),
        (b'{"kind": "note", "time": "yesterday"}', "expected a time"),
        (b"[1]", "expected a mapping"),
        (b"{", "is not JSON"),
        (b"\xff{}", "UTF-8"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: bytes, told: str) -> None:
    with pytest.raises(MalformedError) as error:
        _read(tmp_path / "e.jsonl", LINE.encode() + line + b"\n")
    assert error.value.line == 2
    assert error.value.file == str(tmp_path / "e.jsonl")
    problem = error.value.problems[0]
    assert told in f"{problem.message} {problem.hint}"


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        list(read_events(tmp_path / "none.jsonl"))
    with pytest.raises(InputError, match="no events"):
        _read(tmp_path / "empty.jsonl", b"\n\n")
    with pytest.raises(InputError, match="cannot be read"):
        _read(tmp_path / "cut.jsonl.gz", gzip.compress(LINE.encode() * 500)[:-12])


def _placed(*minutes: float) -> list[Placed]:
    return [Placed(event=other("note", each), file="e.jsonl", line=at) for at, each in enumerate(minutes, 1)]


def test_a_small_delay_is_put_right_and_a_great_one_told() -> None:
    found = [placed.line for placed in in_order(_placed(0, 3, 1, 20), late=300)]
    assert found == [1, 3, 2, 4]
    with pytest.raises(MalformedError, match="allow more under `late:`") as error:
        list(in_order(_placed(0, 30, 60, 20), late=300))
    assert error.value.line == 4


@given(st.lists(st.integers(0, 10_000), max_size=40), st.integers(0, 3))
def test_order_is_put_right_within_the_delay_and_nothing_is_lost(minutes: list[int], jitter: int) -> None:
    written = sorted(minutes)
    for at in range(0, len(written) - jitter, jitter + 1):
        if written[at + jitter] - written[at] <= 60:
            written[at], written[at + jitter] = written[at + jitter], written[at]
    found = [placed.event.time for placed in in_order(_placed(*written), late=3600)]
    assert found == sorted(found)
    assert len(found) == len(minutes)
