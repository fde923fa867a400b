from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from proctor.core.chat import Message, ToolCall
from proctor.core.codec import loads
from proctor.core.decode import decode
from proctor.core.entity import Entity
from proctor.core.errors import ConfigError
from proctor.core.event import Event
from proctor.core.event_row import row_of
from proctor.core.trajectory import Escalation, Source, Turn
from proctor.core.verdict import Finding, Verdict
from proctor.store.event_log import EventLog
from proctor.store.history import History
from proctor.store.mask_events import EventMasker
from tests.store.event_rows import NOON, turn_event

MAIL, PHONE, CARD = "anna.berg@example.com", "+44 20 7946 0958", "4111 1111 1111 1111"
TEXT = f"I am Anna Berg, write to {MAIL} or call {PHONE}. My card is {CARD}."


@dataclass
class _Tagger:
    names: tuple[str, ...] = ("Anna Berg",)
    broken: bool = False

    async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        if self.broken:
            raise RuntimeError("no model")
        await asyncio.sleep(0)
        return [
            [
                Entity(start=at, end=at + len(name), kind="person", text=name, score=1.0)
                for name in self.names
                if (at := text.find(name)) >= 0
            ]
            for text in texts
        ]


def _full() -> Event:
    turn = Turn(
        messages=(Message(role="user", content=TEXT), Message(role="assistant", content="Dear Anna Berg, done.")),
        tool_calls=(ToolCall(name="find", arguments={"email": MAIL, "password": "hunter2"}, result={"phone": PHONE}),),
        sources=(Source(id="faq", text=f"Call {PHONE}."),),
        verdicts=(Verdict(action="redact", gate="pii", findings=(Finding(kind="person", text="Bergson"),)),),
        escalation=Escalation(reason=f"Bergson said {MAIL}", category="anger"),
        latency=1.0,
        time=NOON,
    )
    return Event(
        kind="turn", time=NOON, id="e1", session="s1", customer=MAIL, intent="refund", model="m-1", turn=turn,
        metadata={"note": f"Bergson, {CARD}"}, extra={"ip": "mail " + MAIL},
    )  # fmt: skip


def test_patterns_mask_every_text_of_an_event(tmp_path: Path) -> None:
    (row,) = EventMasker(tmp_path).rows([_full()])
    for secret in (MAIL, PHONE, CARD, "hunter2", "Bergson"):
        assert secret.encode() not in row.line
    event = decode(Event, loads(row.line))
    assert event.masked
    assert event.turn is not None
    assert event.turn.asked == "I am Anna Berg, write to [EMAIL] or call [PHONE]. My card is [CARD]."
    assert (event.turn.latency, event.turn.time, event.model, event.intent) == (1.0, NOON, "m-1", "refund")
    assert (row.id, row.session, row.intent, row.latency) == ("e1", "s1", "refund", 1.0)
    assert row.customer == event.customer
    assert row.customer != MAIL
    assert row.signals == ("escalation", "escalation/anger", "gate/pii", "finding/person")


def test_names_mask_what_the_tagger_finds(tmp_path: Path) -> None:
    masker = EventMasker(tmp_path, masking="names", tagger=_Tagger())
    (row,) = masker.rows([_full()])
    masker.close()
    assert b"Anna" not in row.line
    event = decode(Event, loads(row.line))
    assert event.turn is not None
    assert event.turn.answer == "Dear [PERSON], done."


def test_a_text_that_no_tagger_could_read_is_left_out(tmp_path: Path) -> None:
    masker = EventMasker(tmp_path, masking="names", tagger=_Tagger(broken=True))
    (row,) = masker.rows([_full()])
    masker.close()
    assert b"Anna" not in row.line
    event = decode(Event, loads(row.line))
    assert event.turn is not None
    assert "left out" in event.turn.asked
    assert (event.turn.latency, event.turn.messages[0].role, row.signals[0]) == (1.0, "user", "escalation")


def test_a_long_text_is_read_in_pieces(tmp_path: Path) -> None:
    masker = EventMasker(tmp_path, masking="names", tagger=_Tagger(names=("Zed Quux",)))
    (row,) = masker.rows([turn_event(0, text="word " * 6_000 + "Zed Quux said so")])
    masker.close()
    assert b"Zed" not in row.line
    assert len(row.line) > 30_000


def test_without_masking_events_are_stored_as_sent(tmp_path: Path) -> None:
    event = turn_event(0, text=TEXT)
    assert EventMasker(tmp_path, masking="none").rows([event]) == [row_of(event)]


def test_an_event_that_is_masked_is_not_masked_again(tmp_path: Path) -> None:
    event = turn_event(0, text="[PERSON] has the order 4111 1111 1111 1111", customer="pseudonym", masked=True)
    assert EventMasker(tmp_path).rows([event]) == [row_of(event)]


def test_what_was_masked_once_stays_the_same(tmp_path: Path) -> None:
    masker = EventMasker(tmp_path)
    (row,) = masker.rows([_full()])
    (again,) = masker.rows([decode(Event, loads(row.line))])
    assert (loads(again.line), again[1:]) == (loads(row.line), row[1:])


def test_a_customer_has_one_pseudonym_and_can_be_forgotten_by_name(tmp_path: Path) -> None:
    masker = EventMasker(tmp_path)
    rows = masker.rows([turn_event(n, customer=MAIL, session=MAIL) for n in range(3)])
    assert len({row.customer for row in rows}) == 1
    assert {row.session for row in rows} == {rows[0].customer}, "an address is no name of a session"
    with EventLog(tmp_path / "events") as log:
        log.append(rows)
    with History(tmp_path) as history:
        done = history.forget(MAIL)
        assert (done.events, done.conversations) == (3, 1)
        assert list(history.events()) == []


def test_a_repeated_text_is_masked_from_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.store.mask_events._MAX_HELD", 10)
    masker = EventMasker(tmp_path)
    rows = masker.rows([turn_event(n, text=f"call {PHONE} about {n % 30}") for n in range(90)])
    assert all(b"[PHONE]" in row.line and PHONE.encode() not in row.line for row in rows)


@pytest.mark.parametrize(("masking", "message"), [("all", "no masking"), ("names", "needs a tagger")])
def test_a_masking_that_cannot_be_is_refused(tmp_path: Path, masking: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        EventMasker(tmp_path, masking=masking)
