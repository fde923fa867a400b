"""The conversations page, the page of one conversation, and a regression case from it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from proctor.core.chat import Message, ToolCall
from proctor.core.errors import InputError
from proctor.core.event import Event
from proctor.core.event_row import row_of
from proctor.core.trajectory import Source, Turn
from proctor.core.verdict import Finding, Verdict
from proctor.server.pages.page import Download, Missing, Redirect, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Chip, Link, csv_lines
from proctor.server.pages.views.conversations import (
    download_conversation,
    list_conversations,
    promote_conversation,
    show_conversation,
)
from proctor.store.event_log import EventLog
from proctor.store.history import History
from proctor.suites.append import cases_in
from tests.server.pages.served import asked, open_desk, served

LATEST = datetime.now(UTC) - timedelta(hours=1)
NOW = LATEST if LATEST.hour < 23 else LATEST - timedelta(hours=1)  # the events of the hour after it are of one day
ODD = "会話 1/2?"
MARKUP = "<img src=x onerror=alert(1)> **bold** [link](http://example.com/)"


def _turn(session: str, number: int, question: str, answer: str, **more: Any) -> Event:
    said = (Message(role="user", content=question), Message(role="assistant", content=answer))
    parts = {key: more.pop(key) for key in ("tool_calls", "sources", "verdicts") if key in more}
    turn = Turn(messages=said, latency=1.2, confidence=0.8, **parts)
    time = NOW + timedelta(seconds=10 * number)
    return Event(kind="turn", id=f"{session} {number}", session=session, time=time, turn=turn, intent="returns", **more)


def _event(session: str, kind: Any, seconds: int, **more: Any) -> Event:
    return Event(kind=kind, id=f"{session} {kind}", session=session, time=NOW + timedelta(seconds=seconds), **more)


def _events() -> list[Event]:
    days = "Unopened volumes can be returned within {} days of delivery."
    source = Source(id="policy", text=days.format(30), date="2026-05-01")
    call = ToolCall(name="get_order", arguments={"order": "A-1001"}, result={"status": MARKUP})
    blocked = Verdict(action="block", by="injection", reason="asks for more", findings=(Finding(kind="injection"),))
    return [
        _turn("returns-1", 0, "How long can I return a volume?", days.format(30), sources=(source,)),
        _turn("returns-1", 1, "Where is A-1001?", "It was delivered.", tool_calls=(call,)),
        _turn("returns-1", 2, "So until when?", days.format(14)),
        _event("returns-1", "gate", 12, verdict=blocked),
        _event("returns-1", "score", 100, name="grounded", value=0.2, metadata={"passed": False, "turn": 2}),
        _event("returns-1", "score", 101, name="grounded", value=0.9, metadata={"passed": True, "turn": 0}),
        _event("returns-1", "outcome", 110, name="reopened"),
        _turn(ODD, 0, "返品は何日以内にできますか？", "到着後30日以内に返品できます。", customer=MARKUP),
        _turn("markup", 0, MARKUP, "هل يمكنني؟ " + MARKUP + "x" * 6_000, customer=MARKUP),
        _event("stopped", "gate", 5, verdict=blocked),
        *(_turn("long", number, f"Question {number}?", f"Answer {number}.") for number in range(230)),
        *(_turn(f"plain-{number:03}", number, "Where is it?", "On its way.") for number in range(60)),
    ]


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("talks")
    (folder / "proctor.yaml").write_text("", encoding="utf-8")
    with EventLog(folder / ".proctor" / "events") as log:
        log.append([row_of(each) for each in _events()])
    with History(folder / ".proctor") as history:
        history.catch_up()
    return folder


@pytest.fixture
def desk(talks: Path) -> Iterator[PageStores]:
    with open_desk(talks) as made:
        yield made


def _list(desk: PageStores, **query: str) -> View:
    found = list_conversations(desk, asked("/conversations", query=query))
    assert isinstance(found, View)
    return found


def _names(view: View) -> list[str]:
    return [cell.text for row in view.tables["conversations"].rows if isinstance(cell := row[0], Link)]


def _shown(desk: PageStores, session: str, **query: str) -> View:
    found = show_conversation(desk, asked(f"/conversations/{session}", path={"session": session}, query=query))
    assert isinstance(found, View)
    return found


def test_conversations_are_paged_and_the_file_has_all(desk: PageStores) -> None:
    table = _list(desk).tables["conversations"]
    assert (len(table.rows), table.total, table.is_last) == (50, 65, False)
    assert len(_names(_list(desk, page="2"))) == 15
    assert len(list(csv_lines(table))) == 66
    assert _list(desk, page="9").tables["conversations"].rows == []


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({"q": "返品"}, [ODD]),
        ({"q": "にできますか"}, [ODD]),
        ({"q": "UNOPENED deliver"}, ["returns-1"]),
        ({"q": "nothing of the kind"}, []),
        ({"outcome": "reopened"}, ["returns-1"]),
        ({"signal": "gate/injection"}, ["returns-1", "stopped"]),
        ({"score": "grounded", "below": "0.3"}, ["returns-1"]),
        ({"score": "grounded", "below": "0.1"}, []),
        ({"intent": "returns", "q": "A-1001"}, ["returns-1"]),
        ({"since": "2000-01-01", "until": "2000-01-02"}, []),
    ],
)
def test_conversations_are_found(desk: PageStores, query: dict[str, str], wanted: list[str]) -> None:
    assert _names(_list(desk, **query)) == wanted


def test_a_day_is_meant_to_its_end(desk: PageStores) -> None:
    today = f"{NOW:%Y-%m-%d}"
    assert len(_names(_list(desk, since=today, until=today))) == 50
    newest = [row[1].time for row in _list(desk).tables["conversations"].rows]  # type: ignore[union-attr]
    until = int(newest[10])
    found = [row[1].time for row in _list(desk, until=str(until)).tables["conversations"].rows]  # type: ignore[union-attr]
    assert found
    assert max(found) < until < newest[0], "seconds are meant to the second"


def test_the_window_of_a_link_is_shown_and_kept(desk: PageStores) -> None:
    assert _list(desk, since="1700000000").data["window"] == (1_700_000_000.0, None)
    assert _list(desk, since="2026-11-17T15:00Z", until="1795000000").data["window"][1] == 1_795_000_000.0
    assert _list(desk, since="2026-11-17").data["window"] is None, "the form shows whole days itself"
    assert _list(desk).data["window"] is None


def test_a_row_says_what_went_wrong(desk: PageStores) -> None:
    (row,) = _list(desk, q="14 days").tables["conversations"].rows
    assert row[5] == Chip("fail", "grounded 0.20"), "the lowest: another turn has 0.90"
    assert row[6] == "gate: injection"
    assert "within 14 days" in str(row[8])


@pytest.mark.parametrize("query", [{"below": "many", "score": "x"}, {"since": "yesterday"}, {"page": "0"}])
def test_wrong_filters_are_refused(desk: PageStores, query: dict[str, str]) -> None:
    with pytest.raises(InputError):
        _list(desk, **query)


def test_a_conversation_has_its_contradiction_with_both_turns(desk: PageStores) -> None:
    view = _shown(desk, "returns-1")
    assert view.data["arcs"] == [[1, 3]]
    first, second, third = view.data["cards"]
    assert [(note.other, note.is_later) for note in third.conflicts] == [(1, True)]
    assert [note.other for note in first.conflicts] == [3]
    assert [part.text for part in third.said[1].parts if part.marked] == [third.said[1].parts[0].text]
    assert (third.gates[0].words, third.gates[0].event) == ("injection: block", "returns-1 gate")  # before turn 3 ended
    assert not second.gates
    assert [score.name for score in third.scores] == ["grounded"]


def test_a_long_conversation_is_paged(desk: PageStores) -> None:
    view = _shown(desk, "long", page="3")
    assert [view.data["cards"][place].number for place in (0, -1)] == [101, 150]
    assert (view.data["pages"], view.data["is_compared_whole"]) == (5, False)
    assert _shown(desk, "long", turn="230").data["cards"][-1].number == 230
    hit = _list(desk, q="Question 177").tables["conversations"].rows[0][0]
    assert isinstance(hit, Link)
    assert "at=" in hit.to
    at = hit.to.partition("at=")[2]
    assert 178 in [card.number for card in _shown(desk, "long", at=at, q="Question 177").data["cards"]]


def test_a_message_that_was_stopped_before_any_turn(desk: PageStores) -> None:
    view = _shown(desk, "stopped")
    assert view.data["cards"] == []
    assert [each.words for each in view.data["gates"]] == ["injection: block"]


def test_a_conversation_that_is_not_there(desk: PageStores) -> None:
    for handler in (show_conversation, download_conversation):
        assert isinstance(handler(desk, asked(path={"session": "gone"})), Missing)


def test_a_conversation_as_a_file(desk: PageStores) -> None:
    found = download_conversation(desk, asked(path={"session": ODD}))
    assert isinstance(found, Download)
    assert "返品".encode() in bytes(found.body)  # type: ignore[arg-type]


def test_one_click_makes_one_case(talks: Path, desk: PageStores) -> None:
    suite = talks / "suites" / "regressions.yaml"
    for words in ("added", "asks the same"):
        form = {"must_not_say": "14 days", "must_say": ""}
        found = promote_conversation(desk, asked(path={"session": "returns-1"}, form=form))
        assert isinstance(found, Redirect)
        assert words in found.said
        assert found.to == "/ui/conversations/returns-1"
    (case,) = cases_in(suite)
    assert {"grounded", "forbidden"} <= {check.scorer for check in case.checks}
    assert case.asks
    suite.unlink()


def test_in_a_browser(browser: Browser, talks: Path) -> None:
    with served(talks) as dashboard:
        page = dashboard.page(browser, "/conversations", name="ben", role="auditor")
        page.get_by_label("Text").fill("返品")
        page.get_by_role("button", name="Search").click()
        page.get_by_role("link", name=ODD).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(ODD)
        expect(page.locator("mark").first).to_have_text("返品")
        page.goto(f"{dashboard.url}/ui/conversations/returns-1")
        expect(page.locator(".talk > svg path")).to_have_count(1)
        page.get_by_role("link", name="Decision").click()
        expect(page.get_by_role("heading", level=1)).not_to_contain_text("There is no decision")
        page.go_back()
        page.get_by_role("link", name="turn 1", exact=True).click()
        page.get_by_role("button", name="Make a regression case").click()
        expect(page.locator("p.said")).to_contain_text("suites/regressions.yaml: added")
        (talks / "suites" / "regressions.yaml").unlink()
        page.goto(f"{dashboard.url}/ui/conversations/markup")
        expect(page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
        expect(page.locator("main img")).to_have_count(0)
        page.get_by_text("more characters").click()
        viewer = dashboard.page(browser, f"/conversations/{quote(ODD, safe='')}", name="vic", role="viewer")
        expect(viewer.get_by_role("button", name="Make a regression case")).to_have_count(0)
        phone = dashboard.page(browser, "/conversations/long", viewport={"width": 390, "height": 800})
        assert phone.evaluate("document.documentElement.scrollWidth") == 390
        phone.get_by_role("link", name="Later turns").first.click()
        expect(phone.locator("#turn-51")).to_be_visible()
        dashboard.close()
        assert dashboard.problems == []
