"""What a sender and a reader are told: repeated, cut, misspelled and impossible input, and a disk that is full."""

from __future__ import annotations

import asyncio
import errno
import gzip
import json
import logging
import os
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from proctor.core.errors import StoreError
from proctor.store.mask_events import EventMasker
from tests.server.ingest.otlp_requests import chat, traces, traces_json
from tests.server.ingest.test_app import JSON, NDJSON, PROTOBUF, T1, T2, door
from tests.tables import table


async def test_an_event_that_the_log_has_is_told_as_a_duplicate(tmp_path: Path) -> None:
    body = b'{"session": "s1", "input": "yes", "output": "ok"}'
    async with door(tmp_path) as here:
        told = [json.loads((await here.post("/v1/turns", body, JSON))[1]) for _ in range(3)]
        assert told == [{"accepted": 1, "rejected": 0}, *([{"accepted": 1, "rejected": 0, "duplicates": 1}] * 2)]
        other = b'{"session": "s1", "input": "no", "output": "ok"}'
        _, answer, _ = await here.post("/v1/turns", b"\n".join([body, other, other]), NDJSON)
        assert json.loads(answer) == {"accepted": 3, "rejected": 0, "duplicates": 2}
        assert len(await here.rows(2)) == 2


AHEAD = (datetime.now(UTC) + timedelta(days=2)).isoformat()
WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({}, "session", "at least"),
    ({"metadata": {"a": 1}}, "session", "at least"),
    ({"session": "s", "input": "a", "outptu": "b"}, "outptu", "did you mean `output`?"),
    ({"session": "s", "turn": {}, "custmer": "b"}, "custmer", "did you mean `customer`?"),
    ({"session": "s", "input": "a", "zzz": 1}, "zzz", "`metadata`"),
    ({"session": "s", "turn": {}, "latency": 1}, "latency", "in `turn`"),
    ({"session": "s", "input": "a", "latency": -5}, "latency", "seconds"),
    ({"session": "s", "turn": {"cost": -1}}, "cost", "leave it out"),
    ({"session": "s", "kind": "csat", "value": 99}, "value", "scale"),
    ({"session": "s", "kind": "csat", "value": 0}, "value", "scale"),
    ({"session": "s", "kind": "csat", "value": 3, "metadata": {"scale": "ten"}}, "metadata.scale", "best mark"),
    ({"session": "s", "kind": "score", "name": "grounded", "value": 7}, "value", "0 to 1"),
    ({"session": "s", "kind": "score", "name": "grounded", "value": -0.1}, "value", "0 to 1"),
    ({"session": "s", "kind": "score", "value": 0.3}, "name", "scorer's name"),
    ({"session": "s", "input": "a", "time": "2099-01-01T00:00:00Z"}, "time", "UTC"),
    ({"session": "s", "input": "a", "time": 4_070_908_800_000}, "time", "UTC"),
    ({"session": "s", "kind": "note", "time": AHEAD}, "time", "UTC"),
]


@table(("event", "field", "hint"), WRONG, ids=[f"{n}-{each[1]}" for n, each in enumerate(WRONG)])
@table("masking", ["none", "patterns"])
async def test_what_cannot_be_is_named_and_the_others_are_kept(
    tmp_path: Path, event: dict[str, Any], field: str, hint: str, masking: Any
) -> None:
    good = {"session": "s", "kind": "csat", "value": 9, "metadata": {"scale": 10, "ticket": 7}}
    async with door(tmp_path) as here:
        here.intake.masker = EventMasker(tmp_path, masking=masking) if masking != "none" else None
        _, answer, _ = await here.post("/v1/turns", json.dumps([event, good]).encode(), JSON)
        told = json.loads(answer)
        assert (told["accepted"], told["rejected"]) == (1, 1)
        (problem,) = told["problems"]
        assert (problem["index"], problem["field"]) == (0, field)
        assert hint in problem["hint"]
        (row,) = await here.rows(1)
    assert row.value == 9


MANY = b"\n".join(b'{"session": "s%d", "input": "Hello number %d"}' % (at, at * 7919) for at in range(300))
RAW = zlib.compressobj(wbits=-15)


@pytest.mark.parametrize("path", ["/v1/turns", "/v1/traces"])
@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(MANY)[: len(gzip.compress(MANY)) // 2], "gzip"),
        (gzip.compress(MANY)[:-4], "gzip"),
        (gzip.compress(MANY)[:500] + b"xxxxxxxx" + gzip.compress(MANY)[508:], "gzip"),
        (gzip.compress(MANY) + b"more", "gzip"),
        (zlib.compress(MANY)[:-9], "deflate"),
        (b"", "gzip"),
    ],
    ids=["half", "no-end", "corrupt", "more-behind", "deflate", "empty"],
)
async def test_a_body_that_is_not_whole_is_refused_whole(
    tmp_path: Path, body: bytes, encoding: str, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    kind = NDJSON if path == "/v1/turns" else JSON
    with caplog.at_level(logging.WARNING):
        async with door(tmp_path) as here:
            status, answer, _ = await here.post(path, body, {**kind, "Content-Encoding": encoding})
            assert (status, "cannot be unpacked" in answer.decode()) == (400, True)
            assert not list(here.intake.log.read())
    assert not caplog.records  # a sender cannot fill the log with tracebacks


@table(
    ("body", "encoding"),
    [
        (gzip.compress(MANY[:9000]) + gzip.compress(MANY[9000:]), "gzip"),
        (zlib.compress(MANY), "deflate"),
        (RAW.compress(MANY) + RAW.flush(), "deflate"),
        (gzip.compress(MANY, 0) + gzip.compress(b" " * 60_000, 0), "gzip"),
        (MANY, "identity"),
    ],
    ids=["two-members", "deflate", "raw-deflate", "large", "plain"],
)
async def test_a_whole_body_is_unpacked(tmp_path: Path, body: bytes, encoding: str) -> None:
    async with door(tmp_path) as here:
        _, answer, _ = await here.post("/v1/turns", body, {**NDJSON, "Content-Encoding": encoding})
        assert json.loads(answer) == {"accepted": 300, "rejected": 0}


async def test_health_says_that_nothing_is_taken_until_the_disk_takes_data_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async with door(tmp_path) as here:
        with monkeypatch.context() as patched:
            patched.setattr(os, "fdatasync", full)
            assert (await here.post("/v1/turns", b'{"session": "s1", "input": "a"}', JSON))[0] == 503
            for _ in range(2):
                async with here.client.get("/healthz") as answer:
                    told = await answer.json()
                    assert (answer.status, told["status"]) == (503, "trouble")
                    assert "No space left" in told["trouble"]
                    assert str(tmp_path) not in told["trouble"]
        assert (await here.json("/healthz"))["status"] == "ok"  # though nobody has sent anything since
        assert not [name for name in os.listdir(tmp_path) if "probe" in name]
        assert (await here.post("/v1/turns", b'{"session": "s1", "input": "a"}', JSON))[0] == 200


async def test_a_state_that_is_away_is_told_as_such_by_readers_and_health(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise StoreError("the connection to the database was lost")

    async with door(tmp_path) as here:
        with monkeypatch.context() as patched:
            patched.setattr(here.intake, "index", away)
            patched.setattr(here.intake.history, "conversation", away)
            async with here.client.get("/api/conversations/s1") as answer:
                told = await answer.text()
                assert answer.status == 503
                assert "cannot be read: the connection to the database was lost" in told
                assert "send again" not in told
            for _ in range(20):  # the other work in the background goes well meanwhile
                await asyncio.sleep(0.25)
                if (told_health := await here.json("/healthz"))["status"] == "trouble":
                    break
            assert told_health["trouble"] == "the connection to the database was lost"
            await asyncio.sleep(0.6)
            assert (await here.json("/healthz"))["status"] == "trouble", "until the same work succeeds"
            assert (await here.post("/v1/turns", b'{"session": "s1", "input": "a"}', JSON))[0] == 200
        for _ in range(20):
            await asyncio.sleep(0.25)
            if (await here.json("/healthz"))["status"] == "ok":
                return
        raise AssertionError("it stays in trouble")


@table(
    ("asked", "field", "hint"),
    [
        ("conversations?intnet=x", "intnet", "did you mean `intent`?"),
        ("conversations?q=refund&signla=x", "signla", "did you mean `signal`?"),
        ("conversations?q=refund&customer=x", "customer", "intent, outcome, signal"),
        ("conversations/s1?limit=5", "limit", "no parameters"),
        ("alerts?stat=open", "stat", "did you mean `state`?"),
        ("alerts?state=opne", "state", "`open`"),
        ("windows?setp=60", "setp", "did you mean `step`?"),
        ("rules?x=1", "x", "no parameters"),
        ("figures?x=1", "x", "no parameters"),
    ],
)
async def test_a_parameter_that_would_be_ignored_is_refused(tmp_path: Path, asked: str, field: str, hint: str) -> None:
    async with door(tmp_path) as here, here.client.get(f"/api/{asked}") as answer:
        error = (await answer.json())["error"]
        assert (answer.status, error["field"]) == (400, field)
        assert hint in error["hint"]


@pytest.mark.parametrize(
    "asked", ["alerts?state=open&limit=5", "windows?by=intent&step=60", "conversations?q=a&intent=b"]
)
async def test_known_parameters_are_taken(tmp_path: Path, asked: str) -> None:
    async with door(tmp_path) as here:
        await here.json(f"/api/{asked}")


@table(
    ("path", "body", "status"),
    [
        ("/v1/traces", {"resourceSpans": 3}, 400),
        ("/v1/traces", {"resourceSpans": [3]}, 400),
        ("/v1/traces", {"resourceSpans": [{"scopeSpans": {}}]}, 400),
        ("/v1/traces", {"resource_spans": [{"scope_spans": [{"spans": "x"}]}]}, 400),
        ("/v1/logs", {"resourceLogs": "x"}, 400),
        ("/v1/logs", {"resourceLogs": [{"scopeLogs": [{"logRecords": [1]}]}]}, 400),
        ("/v1/traces", {"resourceSpans": []}, 200),
        ("/v1/traces", {"resourceSpans": [{"resource": {}, "scopeSpans": None}]}, 200),
    ],
)
async def test_otlp_of_the_wrong_form_is_refused(tmp_path: Path, path: str, body: Any, status: int) -> None:
    async with door(tmp_path) as here:
        got, answer, _ = await here.post(path, json.dumps(body).encode(), JSON)
    assert got == status
    assert status == 200 or "must be a list of objects" in json.loads(answer)["message"]


@pytest.mark.parametrize(("pack", "kind"), [(traces, PROTOBUF), (traces_json, JSON)], ids=["protobuf", "json"])
async def test_a_span_of_the_future_is_rejected_and_the_others_are_kept(tmp_path: Path, pack: Any, kind: Any) -> None:
    ahead = 100 * 365 * 86_400 * 1_000_000_000
    async with door(tmp_path) as here:
        status, answer, _ = await here.post("/v1/traces", pack(chat(T1, at=ahead), chat(T2)), kind)
        assert (status, b"a day ahead" in answer) == (200, True)
        (row,) = await here.rows(1)
    assert row.id == T2
