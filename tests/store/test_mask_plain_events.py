"""An event that is masked as it was sent is stored as one that was read into an object and masked."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from proctor.core.codec import loads
from proctor.core.decode import decode
from proctor.core.event import Event
from proctor.core.event_row import EventRow
from proctor.store.guard_secrets import mask_data
from proctor.store.mask_decisions import Masker, _plain
from proctor.store.mask_events import EventMasker, is_plain
from proctor.workflows.monitor.event_lines import row_of_data
from tests.store.event_rows import NOON
from tests.text.pii.test_pii_prefilter import FRAGMENTS

NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)
KEYS = ("note", "api_key", "password", "token", "sortKey", "phone", "a@b.co", "vault", "masked", "x", "pin", "key")


def _text(rng: random.Random) -> str:
    return rng.choice((" ", ", ", "")).join(rng.choices(FRAGMENTS, k=rng.randrange(4)))


def _data(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(9 if depth < 4 else 6)
    if kind < 3:
        return _text(rng)
    if kind < 6:
        return rng.choice((None, True, False, 0, 1, 0.5, 7, 4111111111111111, 5551234567, -12345678, 1.5e9))
    if kind < 8:
        return {rng.choice(KEYS): _data(rng, depth + 1) for _ in range(rng.randrange(4))}
    return [_data(rng, depth + 1) for _ in range(rng.randrange(4))]


def _sent(rng: random.Random) -> dict[str, Any]:
    """Return an event as a sender may write it, with empty fields and fields of its own."""
    call = {
        "name": "find",
        "arguments": {rng.choice(KEYS): _data(rng)},
        "result": _data(rng),
        "latency": rng.choice((1, 2e7)),
    }
    turn: dict[str, Any] = {
        "messages": [
            {"role": "user", "content": _text(rng)},
            {"role": "assistant", "content": _text(rng), "name": None},
        ],
        "intents": rng.choice(([], ["order"], [{"name": _text(rng) or "a", "confidence": 1}])),
        "tool_calls": rng.choice(([], [call])),
        "sources": rng.choice(([], [{"id": "1", "text": _text(rng), "score": 3}])),
        "latency": rng.choice((None, 1, 0.25, 12345678)),
        "error": rng.choice((None, "", _text(rng))),
        "usage": {"input": 3, "output": 20_000_000},
        "escalation": rng.choice((None, {"reason": _text(rng), "category": "billing"})),
        "more": _data(rng),
    }
    if rng.random() < 0.1:
        turn["time"] = "2026-11-17T11:59:00Z"
    if rng.random() < 0.1:
        turn["verdicts"] = [{"action": "block", "gate": "pii", "findings": [{"kind": "person", "text": "Anna Berg"}]}]
    event: dict[str, Any] = {
        "id": f"e-{rng.randrange(10**9)}",
        "kind": rng.choice(("turn", "turn", "note", "score", "outcome")),
        "time": rng.choice(("2026-11-17T12:00:00Z", "2026-11-17T12:00:00.5+01:00")),
        "session": rng.choice((None, "", "s-123456789", "anna@b.co", "0123456789abcdef0123456789abcdef")),
        "customer": rng.choice((None, "c-1", "anna@b.co")),
        "intent": rng.choice((None, "order", "call 555-123-4567")),
        "name": rng.choice((None, "grounded", "a@b.co")),
        "value": rng.choice((None, 0, 1, 0.2)),
        "metadata": rng.choice(
            ({}, {"note": _data(rng)}, {"call": {"arguments": {"password": "hunter22"}}, "x": "hunter22"})
        ),
        "own": _data(rng),
    }
    if event["kind"] in ("turn", "note"):
        event["turn"] = turn
    return event


@pytest.mark.parametrize("seed", range(3))
def test_a_plain_event_is_stored_the_same(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    at_once, by_object = EventMasker(tmp_path), EventMasker(tmp_path)
    plain = 0
    for _ in range(300):
        data = _sent(rng)
        plain += is_plain(data)
        (expected,) = by_object.rows([decode(Event, data)])
        found = row_of_data(data, received=NOW, masking=True, masker=at_once)
        if isinstance(found, Event):
            assert not is_plain(data)
            continue
        assert isinstance(found, EventRow)
        assert found._replace(line=b"") == expected._replace(line=b"")
        assert decode(Event, loads(found.line)) == decode(Event, loads(expected.line))
    assert plain > 100


@pytest.mark.parametrize("seed", range(3))
def test_one_walk_masks_what_three_do(seed: int) -> None:
    rng = random.Random(seed)
    masker, other = Masker(Event(kind="note", time=NOON)), Masker(Event(kind="note", time=NOON))
    for _ in range(300):
        data = _data(rng)
        assert masker.data(data) == other._walk(mask_data(_plain(data)))


def test_deep_data_and_odd_keys_are_masked_as_before() -> None:
    masker, other = Masker(Event(kind="note", time=NOON)), Masker(Event(kind="note", time=NOON))
    deep: Any = {"password": ["a@b.co"], "note": "a@b.co", "n": 5551234567, "key": {"a": 1}}
    for depth in range(24):
        assert masker.data(deep) == other._walk(mask_data(_plain(deep))), depth
        deep = [deep] if depth % 2 else {"x": deep, "token": ["a"], "credentials": {"b": 1}, "file": "a@b.co"}
    odd = {1: "a@b.co", None: {2.5: "x"}, "1": ("a@b.co", {"b"}), "vault": 1, "at": NOON, "token": {"a"}}
    assert masker.data(odd) == other._walk(mask_data(_plain(odd)))
