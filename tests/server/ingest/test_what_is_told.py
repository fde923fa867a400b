"""What a sender and a reader are told: repeated, cut, misspelled and impossible input, and a disk that is full."""

from __future__ import annotations

import json
from pathlib import Path

from tests.server.ingest.test_app import JSON, NDJSON, door


async def test_an_event_that_the_log_has_is_told_as_a_duplicate(tmp_path: Path) -> None:
    body = b'{"session": "s1", "input": "yes", "output": "ok"}'
    async with door(tmp_path) as here:
        told = [json.loads((await here.post("/v1/turns", body, JSON))[1]) for _ in range(3)]
        assert told == [{"accepted": 1, "rejected": 0}, *([{"accepted": 1, "rejected": 0, "duplicates": 1}] * 2)]
        other = b'{"session": "s1", "input": "no", "output": "ok"}'
        _, answer, _ = await here.post("/v1/turns", b"\n".join([body, other, other]), NDJSON)
        assert json.loads(answer) == {"accepted": 3, "rejected": 0, "duplicates": 2}
        assert len(await here.rows(2)) == 2
