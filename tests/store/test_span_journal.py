"""Spans on disk: durable, taken over after a crash, removed when released."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.core.errors import StoreError
from proctor.store import span_journal
from proctor.store.span_journal import FOLDER, SpanJournal, WaitingSpan


def _span(number: int, trace: str = "t") -> WaitingSpan:
    return WaitingSpan(trace, "otel", "desk", 5.0, b'{"n":%d,"s":",\\"r\\":"}' % number, is_root=number == 0)


def _files(store: Path) -> list[Path]:
    return sorted((store / FOLDER).rglob("*.ndjson"))


def test_spans_are_read_where_they_were_written(tmp_path: Path) -> None:
    journal = SpanJournal(tmp_path)
    spans = [_span(number) for number in range(3)]
    places = journal.append(spans)
    assert journal.read(places) == spans
    assert journal.read(places[2:4]) == [spans[1]]
    assert journal.waiting == 3
    assert [oct(path.stat().st_mode & 0o777) for path in _files(tmp_path)] == ["0o600"]
    journal.release(places)
    assert (_files(tmp_path), journal.waiting) == ([], 0)
    again = journal.append(spans)
    assert journal.read(again) == spans
    journal.close()


def test_another_process_takes_over_what_was_not_released(tmp_path: Path) -> None:
    first = SpanJournal(tmp_path)
    places = first.append([_span(0), _span(1)])
    living = SpanJournal(tmp_path)
    assert list(living.take_over()) == []  # the first one lives
    first.release(places[:2])
    first.close()
    with _files(tmp_path)[0].open("ab") as file:
        file.write(b'{"h":["t","otel"')  # torn: never acknowledged
    found = list(living.take_over())
    assert [span for span, _, _ in found] == [_span(0), _span(1)]  # released, but its file was not removed
    assert living.read(found[1][1]) == [_span(1)]
    for _, place, _ in found:
        living.release(place)
    assert list((tmp_path / FOLDER).iterdir()) == []
    living.close()


def test_marks_are_taken_over_with_the_spans(tmp_path: Path) -> None:
    first = SpanJournal(tmp_path)
    places = first.append([_span(number) for number in range(3)])
    first.mark_written(places[:4])
    first.close()
    second = SpanJournal(tmp_path)
    found = list(second.take_over())
    assert [is_written for _, _, is_written in found] == [True, True, False]
    second.mark_written(found[2][1])  # of a segment that another process began
    second.close()
    third = SpanJournal(tmp_path)
    assert all(is_written for _, _, is_written in third.take_over())
    third.close()


def test_segments_are_removed_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(span_journal, "_MAX_SEGMENT_BYTES", 1)
    journal = SpanJournal(tmp_path)
    places = [journal.append([_span(number)]) for number in range(3)]
    assert len(_files(tmp_path)) == 3
    journal.release(places[1])
    assert len(_files(tmp_path)) == 2
    assert journal.read(places[2]) == [_span(2)]
    journal.release(places[0])
    journal.release(places[2])
    assert _files(tmp_path) == []
    journal.close()


def test_a_disk_that_fails_is_an_error_and_the_next_write_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = SpanJournal(tmp_path)
    journal.append([_span(0)])
    with monkeypatch.context() as patched:

        def full(file: int) -> None:
            raise OSError(28, "No space left on device")

        patched.setattr("os.fdatasync", full)
        with pytest.raises(StoreError, match="No space"):
            journal.append([_span(1)])
    assert journal.read(journal.append([_span(2)])) == [_span(2)]
    journal.close()


@pytest.mark.parametrize("call", ["private_folder", "open_private"])
def test_a_first_write_that_fails_leaves_nothing_in_the_way_of_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    journal = SpanJournal(tmp_path)
    with monkeypatch.context() as patched:

        def full(*_: object) -> int:
            raise OSError(28, "No space left on device")

        patched.setattr(span_journal, call, full)
        with pytest.raises(StoreError, match="No space"):
            journal.append([_span(0)])
    assert journal.read(journal.append([_span(1)])) == [_span(1)]
    assert list(SpanJournal(tmp_path).take_over()) == []  # the folder that is written is locked
    journal.close()
