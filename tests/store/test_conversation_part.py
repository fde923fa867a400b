"""Parts of a conversation, and conversations by page, score and signal."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.core.event import Event
from proctor.core.event_row import row_of
from proctor.core.verdict import Verdict
from proctor.store import conversation_index
from proctor.store.conversation_part import PartRequest
from proctor.store.event_log import EventLog
from proctor.store.history import History
from proctor.store.log_lines import event_of_session, lines_of
from tests.store.event_rows import NOON, event, turn_event
from tests.tables import table


def _talk(count: int, session: str = "long") -> list[Event]:
    return [turn_event(number, session=session, text=f"question {number}") for number in range(count)]


def _store(folder: Path, events: list[Event]) -> None:
    with EventLog(folder / "events") as log:
        log.append([row_of(each) for each in events])


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path)


@pytest.mark.parametrize("is_sealed", [False, True])
def test_a_long_conversation_is_read_in_parts(tmp_path: Path, history: History, is_sealed: bool) -> None:
    decided = event(0, "gate", id="g", session="long", verdict=Verdict(action="block", by="injection"))
    late = event(0, "score", id="s", session="long", name="grounded", value=0.2, metadata={"turn": 61})
    _store(tmp_path, [*_talk(130), decided, late, *_talk(3, "other")[:0], turn_event(999, session="other")])
    if is_sealed:
        history.seal()
    else:
        history.catch_up()
    part = history.conversation_part("long", PartRequest(first=50, count=50, before=20))
    assert part is not None
    assert (part.turns, part.first) == (130, 50)
    assert [each.turn.asked for each in part.events if each.turn][::49] == ["question 50", "question 99"]
    assert [each.turn.asked for each in part.earlier if each.turn][::19] == ["question 30", "question 49"]
    assert [(each.kind, each.metadata["turn"]) for each in part.about] == [("score", 61)]
    first = history.conversation_part("long", PartRequest(count=1))
    assert first is not None
    assert [each.kind for each in first.events] == ["turn", "gate"]


def test_a_gate_decides_about_the_turn_that_ends_after_it(tmp_path: Path, history: History) -> None:
    verdict = Verdict(action="block", by="injection")
    gates = [turn_event(1, session="long", id=f"g{after}", after=after).time for after in (0.0, 0.5)]
    events = [Event(kind="gate", id=f"g{at}", session="long", time=at, verdict=verdict) for at in gates]
    _store(tmp_path, [*_talk(3), *events])
    history.catch_up()
    parts = [history.conversation_part("long", PartRequest(first=turn, count=1)) for turn in range(3)]
    assert [[each.kind for each in part.events] for part in parts if part] == [
        ["turn"],
        ["turn", "gate"],
        ["gate", "turn"],
    ]


def test_the_part_with_a_turn_is_found_by_its_time(tmp_path: Path, history: History) -> None:
    _store(tmp_path, _talk(130))
    history.catch_up()
    hit = history.search("question 77")[0]
    part = history.conversation_part("long", PartRequest(count=50, at=hit.time))
    assert part is not None
    assert part.first == 50
    assert "question 77" in [each.turn.asked for each in part.events if each.turn]


@pytest.mark.parametrize(("first", "shown", "count"), [(-5, 0, 50), (129, 129, 1), (130, 100, 30), (10_000, 100, 30)])
def test_a_part_beyond_the_end_is_the_last_page(
    tmp_path: Path, history: History, first: int, shown: int, count: int
) -> None:
    _store(tmp_path, _talk(130))
    history.catch_up()
    part = history.conversation_part("long", PartRequest(first=first))
    assert part is not None
    assert (part.first, len(part.events)) == (shown, count)


def test_an_unknown_conversation_has_no_part(history: History) -> None:
    assert history.conversation_part("nothing", PartRequest()) is None


@table(("session", "id_"), [("s", "plain"), ('odd "s"', "id \\ with"), ("会話", "x"), ("a/b c", 'q"')])
def test_a_line_is_read_only_for_its_session(session: str, id_: str) -> None:
    row = row_of(turn_event(1, session=session, id=id_))
    line = lines_of([row]).rstrip(b"\n")
    assert event_of_session(line, session) == (id_, "turn", row.time, row.line)
    assert event_of_session(line, "other") is None
    assert event_of_session(line[:-5], session) is None


@pytest.mark.parametrize("rare", [1, 5_000])
def test_conversations_are_found_by_page_score_and_signal(
    tmp_path: Path, history: History, monkeypatch: pytest.MonkeyPatch, rare: int
) -> None:
    monkeypatch.setattr(conversation_index, "_RARE", rare)  # both ways to find a signal give the same
    events = [turn_event(number, session=f"s{number:03}", intent=f"intent {number % 3}") for number in range(40)]
    events += [
        event(number, "score", id=f"score {number}", session=f"s{number:03}", name="tone.of voice", value=number / 40)
        for number in range(20)
    ]
    events += [event(number, "outcome", id=f"o{number}", session=f"s{number:03}", name="solved") for number in range(7)]
    _store(tmp_path, events)
    history.catch_up()
    pages = [history.search("", limit=15, offset=offset) for offset in (0, 15, 30, 45)]
    assert [len(page) for page in pages] == [15, 15, 10, 0]
    assert len({hit.conversation.session for page in pages for hit in page}) == 40
    found = [hit.conversation.session for hit in history.search("order", limit=5, offset=38)]
    assert found == ["s001", "s000"]
    low = history.search("", score=("tone.of voice", 0.1))
    assert [hit.conversation.session for hit in low] == ["s003", "s002", "s001", "s000"]
    assert history.search("", score=('no "such\\', 2.0)) == []
    assert len(history.search("", signal="score/tone.of voice", limit=50)) == 20
    assert len(history.search("", outcome="solved", signal="outcome/solved")) == 7
    index = history.indexer.conversations
    assert index.intents() == ["intent 0", "intent 1", "intent 2"]
    assert index.signals() == ["outcome/solved", "score/tone.of voice"]
    assert history.texts is not None
    assert history.texts.first_texts(["s003", "unknown"]) == {"s003": "Where is my order?\nIt ships in 3 days."}
    assert history.texts.first_texts([]) == {}


def test_a_search_does_not_take_a_condition_it_does_not_know(history: History) -> None:
    with pytest.raises(ValueError, match="not found by 'weather'"):
        history.search("", weather="fine")


def test_times_are_those_of_the_events(tmp_path: Path, history: History) -> None:
    _store(tmp_path, _talk(2))
    history.catch_up()
    part = history.conversation_part("long", PartRequest())
    assert part is not None
    assert part.events[0].time == NOON
