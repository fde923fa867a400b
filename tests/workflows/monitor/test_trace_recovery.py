"""A server that starts again writes no trace twice, forgets no late span, and comes to an end when it is stopped."""

from __future__ import annotations

import time
from pathlib import Path

from proctor.server.ingest.request_batches import otlp_batch, runs_batch
from proctor.store.span_journal import FOLDER
from proctor.workflows.monitor.intake import Intake
from tests.server.ingest.otlp_requests import chat, root, traces

T1, T2 = "a" * 32, "b" * 32
LATE = 30.0


class Clock:
    """The time, and some seconds more."""

    def __init__(self) -> None:
        self.more = 0.0

    def __call__(self) -> float:
        return time.time() + self.more


def _intake(store: Path, clock: Clock) -> Intake:
    return Intake(store, settle=1.0, patience=2.0, late=LATE, clock=clock)


def _send(intake: Intake, body: bytes) -> None:
    intake.add_spans(otlp_batch(intake, "trace", body, None, as_json=False).spans)


def _ids(intake: Intake) -> list[str]:
    return [row.id for row in intake.log.read()]


def test_what_was_written_is_not_written_again_after_a_crash(tmp_path: Path) -> None:
    clock = Clock()
    with _intake(tmp_path, clock) as first:
        _send(first, traces(root(T1), chat(T1)))
        clock.more += 2
        assert first.settle() == 1
        _send(first, traces(root(T2), chat(T2)))
    with _intake(tmp_path, clock) as second:
        second.recover()
        assert second.figures().waiting_traces == 1, "the other one is written"
        clock.more += 2
        assert second.settle() == 1
        assert (second.figures().duplicates, second.figures().waiting_spans) == (0, 4)
        clock.more += LATE + 1
        assert second.settle() == 0
        assert second.figures().waiting_spans == 0
        assert sorted(_ids(second)) == [T1, T2]
    assert list((tmp_path / FOLDER).rglob("*.*")) == [], "the marks leave with the spans"


def test_waiting_for_late_spans_does_not_begin_again_with_every_crash(tmp_path: Path) -> None:
    clock = Clock()
    with _intake(tmp_path, clock) as first:
        _send(first, traces(root(T1), chat(T1)))
        clock.more += 2
        first.settle()
    for _ in range(3):
        clock.more += LATE / 2
        with _intake(tmp_path, clock) as again:
            again.recover()
            again.settle()
            left = again.figures().waiting_spans
    assert left == 0


def test_a_late_span_before_or_after_the_crash_adds_what_is_new(tmp_path: Path) -> None:
    clock = Clock()
    with _intake(tmp_path, clock) as first:
        for trace in (T1, T2):
            _send(first, traces(root(trace), chat(trace, asked="One?", answered="1.")))
        clock.more += 2
        assert first.settle() == 2
        _send(first, traces(chat(T1, "3" * 16, asked="Two?", answered="2.", at=10_000_000_000)))
    with _intake(tmp_path, clock) as second:
        second.recover()
        _send(second, traces(chat(T2, "3" * 16, asked="Two?", answered="2.", at=10_000_000_000)))
        clock.more += 2
        assert second.settle() == 2
        assert sorted(_ids(second)) == [T1, f"{T1}.2", T2, f"{T2}.2"]


def test_marks_that_were_lost_cut_or_zeroed_lose_nothing(tmp_path: Path) -> None:
    clock = Clock()
    with _intake(tmp_path, clock) as first:
        _send(first, traces(root(T1), chat(T1)))
        clock.more += 2
        first.settle()
        _send(first, traces(root(T2), chat(T2)))
    (marks,) = (tmp_path / FOLDER).rglob("*.written")
    assert marks.stat().st_mode & 0o777 == 0o600
    marks.write_bytes(bytes(20))
    with _intake(tmp_path, clock) as second:
        second.recover()
        clock.more += 2
        assert second.settle() == 1
        assert second.figures().duplicates == 1
    assert marks.stat().st_size % 8 == 0
    with _intake(tmp_path, clock) as third:
        third.recover()
        assert third.figures().waiting_traces == 0
        assert sorted(_ids(third)) == [T1, T2]


def test_a_stop_does_not_wait_for_a_step_that_never_ended(tmp_path: Path) -> None:
    clock = Clock()
    ended = {"id": "r1", "trace_id": "r1", "run_type": "chain", "end_time": "2026-11-15T09:30:01Z", "inputs": {}}
    open_step = {"id": "r2", "trace_id": "r1", "run_type": "llm", "inputs": {}}
    with _intake(tmp_path, clock) as intake:
        intake.add_spans(runs_batch(intake, [ended, open_step], None).spans)
        _send(intake, traces(root(T1), chat(T1)))
        assert intake.settle(at_once=True) == 1
        assert intake.figures().waiting_traces == 1
