from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proctor.core.codec import dumps, encode
from proctor.core.decode import decode
from proctor.core.event import Event
from proctor.core.verdict import Edit, Finding, Verdict, with_typed_fields
from tests.tables import table

# Lines of a guard's log from before `by`, `borderline` and `shadow` were fields of a verdict.
KEPT = Path(__file__).parent / "data" / "guard_log_0_1.ndjson"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in KEPT.read_text(encoding="utf-8").splitlines()]


@table("row", ROWS, ids=lambda row: f"{row['metadata']['mode']} {row['verdict']['action']}")
def test_a_log_of_the_version_before_decodes_and_encodes_to_the_same_json(row: dict[str, Any]) -> None:
    event = decode(Event, row)
    assert event.verdict is not None
    assert (event.verdict.by, event.verdict.extra) == ("words", {})
    assert event.verdict.borderline is row["verdict"].get("borderline", False)
    assert isinstance(event.verdict.shadow, Verdict) is (row["metadata"]["mode"] == "shadow")
    assert event.verdict.decided.action in ("redact", "block")
    assert json.loads(dumps(event.verdict)) == row["verdict"]
    for told in row["metadata"]["parts"]:
        part = decode(Verdict, told)
        assert (part.shadow, part.borderline) == (told.get("shadow", False), told.get("borderline", False))
        assert set(part.extra) <= {"tool"}


def test_every_field_comes_back_from_json() -> None:
    inner = Verdict(action="block", gate="input", by="words")
    edit = Edit(start=0, end=4, text="[…]")
    verdict = Verdict(
        action="redact",
        by="pii",
        borderline=True,
        busy=True,
        shadow=inner,
        unrecorded=True,
        edits=(edit,),
        masked="[EMAIL]",
        personal=(("email", "a@b.c"),),
        extra={"tool": "pay"},
    )
    assert decode(Verdict, json.loads(dumps(verdict))) == verdict
    assert decode(Verdict, {"action": "allow", "by": None}).by is None
    assert encode(Verdict(action="allow")) == {"action": "allow"}


def test_what_was_in_extra_moves_to_its_field_with_a_warning() -> None:
    edit = Edit(start=0, end=4, text="[…]")
    old = Verdict(action="redact", gate="mine", extra={"by": "x", "edits": [edit], "borderline": 1, "tool": "pay"})
    with pytest.warns(DeprecationWarning, match="the gate mine puts borderline, by, edits into Verdict.extra"):
        new = with_typed_fields(old)
    assert (new.by, new.edits, new.borderline, new.extra) == ("x", (edit,), True, {"tool": "pay"})
    assert with_typed_fields(new) is new


def test_without_words_nothing_is_left_that_quotes_the_conversation() -> None:
    found = Finding(kind="card", text="4111", reason="4111 is a card", extra={"value": "4111"})
    inner = Verdict(action="redact", reason="4111 masked", text="4111", findings=(found,), by="pii", busy=True)
    personal = (("card", "4111"),)
    verdict = Verdict(
        action="allow", reason="4111", findings=(found,), shadow=inner, masked="4111", personal=personal, by="pii"
    )
    quiet = verdict.without_words()
    assert b"4111" not in dumps(quiet)
    assert (quiet.by, quiet.findings[0].kind, quiet.decided.by, quiet.decided.busy) == ("pii", "card", "pii", True)
