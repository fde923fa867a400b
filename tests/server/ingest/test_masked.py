"""Masking before storage: neither the log nor the waiting spans have personal data."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from proctor.core.codec import loads
from proctor.server.ingest.request_batches import json_batch, langfuse_scores_batch, otlp_batch, runs_batch
from proctor.store.mask_events import EventMasker
from proctor.workflows.monitor.intake import Intake
from tests.server.ingest.otlp_requests import chat, root, traces

MAIL = "ada.lovelace@example.com"
TRACE = "c" * 32


def _bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*.ndjson"))


def test_spans_are_masked_when_they_wait_and_turns_when_they_are_written(tmp_path: Path) -> None:
    with closing(EventMasker(tmp_path, masking="patterns")) as masker:
        with Intake(tmp_path, masker=masker, settle=0.0, late=600.0) as intake:
            asked = f"I am {MAIL} and wait for A-17"
            body = traces(root(TRACE, session="s-1"), chat(TRACE, asked=asked))
            intake.add_spans(otlp_batch(intake, "trace", body, "desk", as_json=False).spans)
            run: dict[str, Any] = {"id": "r", "trace_id": "r", "run_type": "llm", "end_time": "2026-11-17T10:00:00Z"}
            run |= {"inputs": {"messages": [{"role": "user", "content": MAIL}]}}
            intake.add_spans(runs_batch(intake, [run], "desk").spans)
            score = f'{{"name": "n", "value": 0.5, "comment": "wrote {MAIL}", "traceId": "{TRACE}"}}'
            intake.add_spans(langfuse_scores_batch(intake, score.encode(), "desk")[0].spans)
            sent = f'{{"session": "s-2", "customer": "c-1", "input": "{MAIL}"}}'.encode()
            intake.add(json_batch(intake, sent, "desk", lines=False).events)
            assert b"A-17" in _bytes(tmp_path / "spans")
            assert MAIL.encode() not in _bytes(tmp_path)
            intake.settle()
            rows = list(intake.log.read())
        assert MAIL.encode() not in _bytes(tmp_path)
    turn = next(row for row in rows if row.session == "s-1" and row.kind == "turn")
    event = loads(turn.line)
    assert event["masked"] is True
    assert (event["id"], event["model"], turn.latency) == (TRACE, "gpt-4o-mini", 0.5)
    assert "wait for A-17" in event["turn"]["messages"][0]["content"]
    assert {row.customer for row in rows if row.customer} & {"c-1"} == set()
    score_row = next(row for row in rows if row.kind == "score")
    assert (score_row.session, score_row.value) == ("s-1", 0.5)


def test_an_event_that_says_it_is_masked_stays_as_it_is(tmp_path: Path) -> None:
    with closing(EventMasker(tmp_path, masking="patterns")) as masker, Intake(tmp_path, masker=masker) as intake:
        batch = json_batch(intake, b'{"session": "s", "masked": true, "input": "[EMAIL]"}', None, lines=False)
        assert (len(batch.rows), len(batch.events)) == (1, 0)
