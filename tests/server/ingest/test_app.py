"""The ingest server: every door, limits, tokens, partial success."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from proctor.core.codec import loads
from proctor.core.event_row import EventRow
from proctor.server.ingest.app import make_app
from proctor.store.event_log import EventLog
from proctor.wiring.ingest_settings import IngestSettings
from proctor.workflows.monitor.intake import Intake
from tests.server.ingest.otlp_requests import chat, evaluation, root, tool, traces, traces_json
from tests.server.upstream import running
from tests.tables import table

T1, T2 = "a" * 32, "b" * 32
PROTOBUF = {"Content-Type": "application/x-protobuf"}
JSON = {"Content-Type": "application/json"}
NDJSON = {"Content-Type": "application/x-ndjson"}


class Door:
    """A client of a running server, and what the server has written."""

    def __init__(self, client: aiohttp.ClientSession, intake: Intake) -> None:
        self.client, self.intake = client, intake

    async def post(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes, Any]:
        async with self.client.post(path, data=body, headers=headers) as answer:
            return answer.status, await answer.read(), answer.headers

    async def json(self, path: str, **headers: str) -> Any:
        async with self.client.get(path, headers=headers) as answer:
            assert answer.status == 200, await answer.text()
            return await answer.json()

    async def rows(self, count: int) -> list[EventRow]:
        """Return the log when it has so many rows."""
        for _ in range(200):
            found = list(self.intake.log.read())
            if len(found) >= count:
                return found
            await asyncio.sleep(0.05)
        raise AssertionError(found)


@asynccontextmanager
async def door(folder: Path, **settings: Any) -> AsyncIterator[Door]:
    chosen = IngestSettings(**{"settle": 0.1, "patience": 0.5, "late": 5.0, **settings})
    with Intake(folder, settle=chosen.settle, patience=chosen.patience, late=chosen.late) as intake:
        intake.recover()
        async with running(make_app(intake, chosen)) as url, aiohttp.ClientSession(url) as client:
            yield Door(client, intake)


async def test_protobuf_json_and_gzip_become_the_same_turn(tmp_path: Path) -> None:
    async with door(tmp_path) as here:
        spans = (root(T1), chat(T1), tool(T1))
        assert (await here.post("/v1/traces", traces(*spans), PROTOBUF))[:2] == (200, b"")
        (first,) = await here.rows(1)
        again = [{**each, "trace": T2} for each in spans]
        packed = gzip.compress(traces_json(*again))
        told = await here.post("/v1/traces", packed, {**JSON, "Content-Encoding": "gzip"})
        assert told[:2] == (200, b"{}")
        _, second = await here.rows(2)
    one, other = loads(first.line), loads(second.line)
    assert (one.pop("id"), other.pop("id")) == (T1, T2)
    assert one == other
    assert one["turn"]["tool_calls"][0]["result"] == {"status": "packed"}
    assert (first.session, first.customer, first.model) == ("s-1", "c-1", "gpt-4o-mini")


async def test_spans_in_several_requests_out_of_order_and_again_are_one_turn(tmp_path: Path) -> None:
    async with door(tmp_path) as here:
        for span in (tool(T1), root(T1), chat(T1), tool(T1)):
            await here.post("/v1/traces", traces(span), PROTOBUF)
        (row,) = await here.rows(1)
        assert len(loads(row.line)["turn"]["tool_calls"]) == 1
        await here.post("/v1/traces", traces(root(T1), chat(T1), tool(T1)), PROTOBUF)  # after it was written
        await asyncio.sleep(0.6)
        assert len(await here.rows(1)) == 1
        assert here.intake.figures().duplicates == 1


async def test_a_late_part_of_a_trace_adds_only_what_is_new(tmp_path: Path) -> None:
    async with door(tmp_path) as here:
        await here.post("/v1/traces", traces(root(T1), chat(T1, asked="One?", answered="1.")), PROTOBUF)
        await here.rows(1)
        later = chat(T1, "3" * 16, asked="Two?", answered="2.", at=10_000_000_000)
        await here.post("/v1/traces", traces(later), PROTOBUF)
        rows = await here.rows(2)
    assert [row.id for row in rows] == [T1, f"{T1}.2"]
    assert [loads(row.line)["turn"]["messages"][0]["content"] for row in rows] == ["One?", "Two?"]


async def test_a_trace_without_a_root_is_written_after_a_while(tmp_path: Path) -> None:
    async with door(tmp_path) as here:
        await here.post("/v1/traces", traces(chat(T1)), PROTOBUF)
        (row,) = await here.rows(1)
    assert row.session == T1


async def test_waiting_spans_survive_a_restart(tmp_path: Path) -> None:
    async with door(tmp_path, patience=600) as here:
        await here.post("/v1/traces", traces(chat(T1)), PROTOBUF)
    async with door(tmp_path, patience=600) as here:
        assert here.intake.figures().waiting_traces == 1
        await here.post("/v1/traces", traces(root(T1), tool(T1)), PROTOBUF)
        (row,) = await here.rows(1)
    assert (row.session, len(loads(row.line)["turn"]["tool_calls"])) == ("s-1", 1)
    async with door(tmp_path) as here:
        assert len(await here.rows(1)) == 1


async def test_evaluation_results_become_scores_of_the_conversation(tmp_path: Path) -> None:
    async with door(tmp_path) as here:
        await here.post("/v1/logs", evaluation(T1, "1" * 16, "grounded", 0.2), PROTOBUF)
        await here.post("/v1/traces", traces(root(T1), chat(T1)), PROTOBUF)
        rows = await here.rows(2)
        await here.post("/v1/logs", evaluation(T1, "1" * 16, "polite", 7.0), PROTOBUF)
        rows = await here.rows(3)
    turn, grounded, polite = rows
    assert (grounded.kind, grounded.session, grounded.value, grounded.signals) == (
        "score",
        "s-1",
        0.2,
        ("score/grounded",),
    )
    assert (polite.session, polite.value, loads(polite.line)["metadata"]["raw"]) == ("s-1", None, 7.0)
    assert turn.kind == "turn"


async def test_partial_success_keeps_the_good_part(tmp_path: Path) -> None:
    async with door(tmp_path) as here:
        bad = {**chat(T1), "trace": "00" * 16}
        status, body, _ = await here.post("/v1/traces", traces(bad, root(T2), chat(T2)), PROTOBUF)
        told = ExportTraceServiceResponse.FromString(body).partial_success
        assert (status, told.rejected_spans) == (200, 1)
        assert "neither may be zero" in told.error_message
        _, body, _ = await here.post("/v1/traces", traces_json({**bad, "trace": "no"}), JSON)
        assert json.loads(body)["partialSuccess"]["rejectedSpans"] == "1"
        (row,) = await here.rows(1)
    assert row.id == T2


@table(
    ("path", "body", "headers", "status"),
    [
        ("/v1/traces", b"\xff\xff\xff", PROTOBUF, 400),
        ("/v1/traces", b"[", JSON, 400),
        ("/v1/traces", b"[]", JSON, 400),
        ("/v1/traces", b"x", {"Content-Type": "text/plain"}, 415),
        ("/v1/traces", b"x", {**PROTOBUF, "Content-Encoding": "snappy"}, 415),
        ("/v1/traces", b"not gzip", {**PROTOBUF, "Content-Encoding": "gzip"}, 400),
        ("/v1/logs", b"\xff\xff\xff", PROTOBUF, 400),
        ("/v1/turns", b"{", JSON, 400),
        ("/v1/turns", b'{"kind": "trun"}', JSON, 400),
        ("/v1/turns", b"", JSON, 400),
        ("/runs/multipart", b"x", {"Content-Type": "multipart/form-data; boundary=b"}, 400),
        ("/runs/batch", b"[]", JSON, 400),
        ("/feedback", b"{}", JSON, 400),
        ("/api/public/scores", b'[{"value": 1}]', JSON, 400),
        ("/nothing", b"", JSON, 404),
    ],
)
async def test_a_wrong_request_is_named(
    tmp_path: Path, path: str, body: bytes, headers: dict[str, str], status: int
) -> None:
    async with door(tmp_path) as here:
        assert (await here.post(path, body, headers))[0] == status
        assert (await here.json("/healthz"))["status"] == "ok"


async def test_metrics_are_answered_and_ignored(tmp_path: Path) -> None:
    async with door(tmp_path) as here:
        assert (await here.post("/v1/metrics", b"anything", PROTOBUF))[0] == 200
        figures = await here.json("/api/figures")
    assert figures["requests"]["metrics"] == {"ignored": 1}


async def test_plain_json_keeps_the_good_events_and_names_the_others(tmp_path: Path) -> None:
    lines = [
        b'{"session": "s1", "input": "Hello?", "output": "Hi!", "latency": 0.4}',
        b'{"session": "s1", "kind": "csat", "value": 1, "time": "2026-11-17T10:00:00Z"}',
        b'{"session": "s1", "kind": "trun"}',
        b"{broken",
        b'{"session": "s1", "kind": "score", "name": "safe", "value": "high"}',
    ]
    async with door(tmp_path) as here:
        status, body, _ = await here.post("/v1/turns", b"\n".join(lines), NDJSON)
        told = json.loads(body)
        assert (status, told["accepted"], told["rejected"]) == (200, 2, 3)
        assert [each["index"] for each in told["problems"]] == [2, 3, 4]
        assert told["problems"][0]["field"] == "kind"
        await here.post("/v1/turns", b"\n".join(lines), NDJSON)  # sent again
        turn, csat = await here.rows(2)
        assert here.intake.figures().duplicates == 2
    assert (turn.latency, csat.signals) == (0.4, ("csat/low",))
    assert loads(turn.line)["turn"]["messages"][1] == {"role": "assistant", "content": "Hi!"}


async def test_tokens_name_the_source_and_readers_need_their_own(tmp_path: Path) -> None:
    tokens = {"desk": "token-of-desk", "shop": "token-of-shop"}
    async with door(tmp_path, tokens=tokens, read_token="token-of-reader") as here:
        body = b'{"session": "s1", "input": "Hello?", "source": "desk"}'
        assert (await here.post("/v1/turns", body, JSON))[0] == 401
        assert (await here.post("/v1/turns", body, {**JSON, "Authorization": "Bearer wrong-token"}))[0] == 401
        assert (await here.post("/v1/turns", body, {**JSON, "X-Proctor-Token": "token-of-shop"}))[0] == 200
        (row,) = await here.rows(1)
        assert row.source == "shop"
        async with here.client.get("/api/conversations", headers={"X-Proctor-Token": "token-of-shop"}) as answer:
            assert answer.status == 401
            assert "token-of" not in await answer.text()
        assert await here.json("/api/alerts", Authorization="Bearer token-of-reader") == {"alerts": []}
        await here.json("/healthz")


async def test_body_and_rate_are_limited(tmp_path: Path) -> None:
    async with door(tmp_path, max_bytes=10_000, rate=5) as here:
        bomb = gzip.compress(b" " * 5_000_000)
        status, _, _ = await here.post("/v1/turns", bomb, {**JSON, "Content-Encoding": "gzip"})
        assert status == 413
        many = b"\n".join(b'{"session": "s%d", "input": "Hello?"}' % at for at in range(20))
        assert (await here.post("/v1/turns", many, NDJSON))[0] == 200
        status, _, headers = await here.post("/v1/turns", many, NDJSON)
        assert (status, int(headers["Retry-After"]) >= 1) == (429, True)


async def test_overload_asks_the_sender_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with door(tmp_path, max_waiting_bytes=100) as here:
        hold = asyncio.Event()
        loop = asyncio.get_running_loop()
        add_rows = here.intake.add_rows

        def slow(rows: Any) -> Any:
            asyncio.run_coroutine_threadsafe(hold.wait(), loop).result()
            return add_rows(rows)

        monkeypatch.setattr(here.intake, "add_rows", slow)
        body = b'{"session": "s%d", "input": "Hello?", "output": "What can I do for you today?"}'
        sent = [asyncio.create_task(here.post("/v1/turns", body % at, JSON)) for at in range(8)]
        await asyncio.sleep(0.3)
        hold.set()
        answers = [await each for each in sent]
        refused = [headers for status, _, headers in answers if status == 503]
        assert refused
        assert all(int(headers["Retry-After"]) >= 1 for headers in refused)
        kept = sum(status == 200 for status, _, _ in answers)
        assert len(await here.rows(kept)) == kept


async def test_a_full_disk_acknowledges_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from proctor.core.errors import StoreError

    async with door(tmp_path) as here:

        def full(self: EventLog, rows: Any) -> Any:
            raise StoreError("no space left", file="log", hint="free some")

        with monkeypatch.context() as patched:
            patched.setattr(EventLog, "append", full)
            status, _, headers = await here.post("/v1/turns", b'{"session": "s1", "input": "a"}', JSON)
            assert (status, "Retry-After" in headers) == (503, True)
        assert (await here.post("/v1/turns", b'{"session": "s1", "input": "a"}', JSON))[0] == 200
        await here.rows(1)


async def test_the_api_shows_what_is_stored(tmp_path: Path) -> None:
    async with door(tmp_path) as here:
        body = b'{"session": "s/1", "customer": "c1", "intent": "refund", "input": "Hello?", "latency": 0.4}'
        await here.post("/v1/turns", body, JSON)
        for _ in range(100):
            found = (await here.json("/api/conversations?intent=refund"))["conversations"]
            if found:
                break
            await asyncio.sleep(0.05)
        assert (found[0]["session"], found[0]["turns"]) == ("s/1", 1)
        assert (await here.json("/api/conversations/s%2F1"))["summary"]["customer"] == "c1"
        async with here.client.get("/api/conversations/none") as answer:
            assert answer.status == 404
        windows = (await here.json("/api/windows"))["windows"]
        assert sum(each["turns"] for each in windows) == 1
        assert await here.json("/api/rules") == {"rules": [], "limits": []}
        for wrong in ("limit=0", "limit=x", "since=yesterday"):
            async with here.client.get(f"/api/conversations?{wrong}") as answer:
                assert answer.status == 400
        async with here.client.get("/metrics") as answer:
            assert 'proctor_ingest_events_total{kind="turn"} 1' in await answer.text()
