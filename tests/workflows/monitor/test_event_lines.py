"""Events that are sent as JSON: what is filled in, what is refused, and that the row is the one of the noun."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from proctor.core.codec import loads
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.core.event import Event
from proctor.core.event_row import EventRow, row_of
from proctor.monitor.ingest import read_events
from proctor.workflows.monitor.event_lines import row_of_data
from tests.tables import table

NOW = datetime(2026, 11, 17, 12, 0, tzinfo=UTC)


def _row(**data: Any) -> EventRow:
    made = row_of_data(data, received=NOW)
    assert isinstance(made, EventRow)
    return made


EVENTS: list[dict[str, Any]] = [
    {"kind": "turn", "id": "1", "time": "2026-11-17T10:00:00Z", "session": "s", "turn": {"latency": 1.5, "cost": 0.1}},
    {"kind": "turn", "id": "2", "time": "2026-11-17T10:00:00", "turn": {"intents": ["refund"], "error": "timeout"}},
    {"kind": "turn", "id": "3", "time": "2026-11-17T10:00:00Z", "turn": {"escalation": {"category": "legal"}}},
    {"kind": "score", "id": "4", "time": "2026-11-17T10:00:00Z", "name": "safe", "value": 0.2},
    {"kind": "score", "id": "5", "time": "2026-11-17T10:00:00Z", "name": "safe", "metadata": {"passed": False}},
    {"kind": "csat", "id": "6", "time": "2026-11-17T10:00:00Z", "value": 1},
    {"kind": "outcome", "id": "7", "time": "2026-11-17T10:00:00Z", "name": "resolved"},
    {
        "kind": "gate",
        "id": "8",
        "time": "2026-11-17T10:00:00Z",
        "verdict": {"action": "block", "gate": "injection", "findings": [{"kind": "override"}]},
    },
]


@table("data", EVENTS, ids=lambda each: each["id"])
def test_a_row_is_that_of_the_noun(data: dict[str, Any]) -> None:
    wanted = row_of(decode(Event, dict(data)))
    made = _row(**data)
    assert made._replace(line=b"") == wanted._replace(line=b"")
    assert decode(Event, loads(made.line)) == decode(Event, data)


@table("data", EVENTS, ids=lambda each: each["id"])
def test_an_event_without_an_id_gets_the_same_one_from_a_file_and_from_a_request(
    data: dict[str, Any], tmp_path: Path
) -> None:
    sent = {name: value for name, value in data.items() if name != "id"}
    file = tmp_path / "events.ndjson"
    moved = {"customer": None, **dict(reversed(sent.items())), "time": "2026-11-17T11:00:00+01:00", "source": "shop"}
    file.write_text(f"{json.dumps(sent)}\n{json.dumps(moved)}\n")
    read = [placed.event.id for placed in read_events(file, with_ids=True)]
    made = row_of_data(dict(sent), received=NOW, source="shop")
    assert isinstance(made, EventRow)
    assert read == [_row(**sent).id, made.id]
    assert read[0] != read[1], "of another sender"


def test_the_short_form_of_a_turn_is_the_same_event() -> None:
    said = [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Hi!"}]
    time = "2026-11-17T10:00:00Z"
    assert _row(time=time, input="Hello?", output="Hi!").id == _row(kind="turn", time=time, turn={"messages": said}).id


def test_what_is_left_out_is_filled_in() -> None:
    made = _row(session="s", input="Hello?", output="Hi!", latency=0.5, intent="greet")
    event = decode(Event, loads(made.line))
    assert (made.kind, made.time, made.latency, made.intent) == ("turn", NOW.timestamp(), 0.5, "greet")
    assert event.turn is not None
    assert (event.turn.asked, event.turn.answer) == ("Hello?", "Hi!")
    assert made.id == _row(session="s", input="Hello?", output="Hi!", latency=0.5, intent="greet").id
    assert made.id != _row(session="s", input="Hello?", output="Ho!", latency=0.5, intent="greet").id


def test_an_id_of_null_is_none() -> None:
    assert _row(kind="note", id=None, session="s").id == _row(kind="note", session="s").id


def test_times_may_be_numbers() -> None:
    assert _row(kind="note", id="1", time=1_794_900_000).time == 1_794_900_000
    assert _row(kind="note", id="1", time=1_794_900_000_500).time == 1_794_900_000.5


def test_the_token_names_the_source_and_unknown_keys_are_kept() -> None:
    made = row_of_data({"kind": "note", "id": "1", "source": "me", "ticket": 7}, received=NOW, source="desk")
    assert isinstance(made, EventRow)
    assert (made.source, loads(made.line)["ticket"]) == ("desk", 7)


@table(
    ("data", "field"),
    [
        ([], ""),
        ("text", ""),
        ({"kind": "trun"}, "kind"),
        ({"kind": "turn", "time": "yesterday"}, "time"),
        ({"kind": "turn", "time": True}, "time"),
        ({"kind": "score", "value": "high"}, "value"),
        ({"kind": "turn", "turn": {"messages": [{"role": "robot"}]}}, "turn.messages[0].role"),
        ({"kind": "note", "id": ""}, "id"),
        ({"kind": "note", "id": "x" * 201}, "id"),
        ({"kind": "note", "id": 7}, "id"),
    ],
)
def test_what_is_wrong_is_named(data: Any, field: str) -> None:
    with pytest.raises(MalformedError) as caught:
        row_of_data(data, received=NOW)
    assert caught.value.problems[0].where == field


def test_with_masking_only_what_is_masked_already_is_a_row() -> None:
    plain = row_of_data({"kind": "note", "id": "1"}, received=NOW, masking=True)
    assert isinstance(plain, Event)
    assert isinstance(row_of_data({"kind": "note", "id": "1", "masked": True}, received=NOW, masking=True), EventRow)
