"""The alerts page and the page of one alert."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor.config import Config
from proctor.core.errors import InputError, NotFoundError
from proctor.core.person import Person
from proctor.server.pages.page import Missing, PageRequest, Redirect, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Chip, csv_lines
from proctor.server.pages.templates import TEMPLATES
from proctor.server.pages.views.alerts import PAGE
from proctor.store.alert_spool import AlertSpool
from tests.server.pages.production_store import add_alerts, add_traffic, alert, ask, make_project, sessions

ITEM = r"/alerts/{number:\d{1,18}}"


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Config:
    config = make_project(tmp_path_factory.mktemp("watched"))
    add_traffic(config, hours=4.0)
    names = tuple(sessions(config, 2))
    now = time.time()
    add_alerts(
        config,
        [
            alert("escalation", examples=(*names, "long-gone")),
            alert("hallucination", tier="critical", slice={"intent": "faq"}, moved=()),
            alert("latency", tier="critical", kind="p95", value=9.5, baseline=3.0),
            alert("no_traffic", tier="critical", kind="absence", value=None, baseline=None),
            alert("old", resolved=now, closed_by="bob"),
            *(alert("escalation", fingerprint=f"e{n}", slice={"intent": f"intent {n}"}) for n in range(60)),
        ],
    )
    return config


@pytest.fixture
def desk(watched: Config) -> Iterator[PageStores]:
    made = PageStores(watched)
    yield made
    made.close()


def view(desk: PageStores, **query: str) -> View:
    found = ask(desk, PAGE.routes, "/alerts", query=query)
    assert isinstance(found, View)
    return found


def test_alerts_are_paged_and_the_file_has_all(desk: PageStores) -> None:
    table = view(desk).tables["alerts"]
    assert (len(table.rows), table.total, table.pages) == (50, 64, 2)
    assert len(list(csv_lines(table))) == 65
    assert len(view(desk, page="2").tables["alerts"].rows) == 14


def test_alerts_by_state_tier_and_rule(desk: PageStores) -> None:
    assert view(desk, tier="critical").tables["alerts"].total == 3
    assert view(desk, rule="latency").tables["alerts"].total == 1
    ended = view(desk, state="resolved").tables["alerts"]
    assert ended.rows[0][1] == Chip("pass", "resolved")
    assert view(desk, rule="nothing").tables["alerts"].empty.startswith("No alert matches")
    with pytest.raises(InputError):
        view(desk, tier="worst")


def test_every_rule_says_what_it_sees(desk: PageStores) -> None:
    rows = {row[5]: row[4] for row in view(desk).tables["rules"].rows}
    assert rows["sees 4 times that in 5 min with 99 %"] == Chip("fail", "firing")
    assert rows["100 turns"] == Chip("pass", "fine")
    assert rows["nothing has been watched yet: start `proctor serve`"] == Chip("unscored", "not known")


def item(desk: PageStores, number: int) -> View:
    found = ask(desk, PAGE.routes, ITEM, at={"number": str(number)})
    assert isinstance(found, View)
    return found


def test_an_alert_shows_its_window_and_examples(desk: PageStores) -> None:
    shown = item(desk, 1)
    examples = shown.tables["examples"].rows
    assert examples[0][4]
    assert examples[2][4] == "no longer in the history"
    course = shown.charts["course"].data()
    assert course is not None
    assert [each["label"] for each in course["series"]] == ["outside the window", "in the window", "normal"]
    inside = [value for value in course["series"][1]["values"] if value is not None]
    assert len(inside) <= 6
    assert "signal=escalation&since=" in shown.data["window"], "its conversations are those with what the rule counts"
    assert "signal=" not in item(desk, 3).data["window"], "a rule about latency counts no signal"


@pytest.mark.parametrize(("number", "unit"), [(2, "share"), (3, "seconds"), (4, "count")])
def test_the_course_is_what_the_rule_counts(desk: PageStores, number: int, unit: str) -> None:
    assert item(desk, number).data["unit"] == unit


@pytest.mark.parametrize(
    ("rule", "kind", "figures", "told"),
    [
        ("ingest_lag", "lag", (128_730.5, None, 128_730.5, 120.0), ("<dd>35.8 h</dd>", "Fires at</dt><dd>2 min</dd>")),
        (
            "no_traffic",
            "absence",
            (0.0, 130.2, 1500.0, 600.0),
            ("<dd>0, normally 130.2</dd>", "25 min, fires at 10 min"),
        ),
    ],
)
def test_spans_of_time_have_their_unit(
    tmp_path: Path, rule: str, kind: str, figures: tuple[float | None, ...], told: tuple[str, ...]
) -> None:
    names = ("value", "baseline", "statistic", "threshold")
    config = make_project(tmp_path)
    add_alerts(
        config, [alert(rule, kind=kind, resolved=time.time(), moved=(), **dict(zip(names, figures, strict=True)))]
    )
    desk = PageStores(config)
    shown = item(desk, 1)
    desk.close()
    asked = PageRequest(at="/ui/x", visitor=Person(name="ann", role="viewer"), now=time.time())
    frame = {
        "nav": (),
        "page": None,
        "title": "",
        "visitor": None,
        "live": "",
        "form_token": "",
        "said": "",
        "now": 0.0,
    }
    html = TEMPLATES.render(shown.template, **frame, ask=asked, tables=shown.tables, charts=shown.charts, **shown.data)
    assert all(each in html for each in told)
    assert bool(shown.charts) is (kind == "absence"), "how late events were is not stored, so nothing can be drawn"


def test_an_alert_of_a_removed_rule_has_no_course(desk: PageStores) -> None:
    assert not item(desk, 5).charts


def test_unknown_alert(desk: PageStores) -> None:
    assert isinstance(ask(desk, PAGE.routes, ITEM, at={"number": "999"}), Missing)
    with pytest.raises(NotFoundError):
        ask(desk, PAGE.routes, f"{ITEM}/resolve", at={"number": "999"}, form={})


def test_acknowledge_then_resolve(desk: PageStores) -> None:
    at = {"number": "10"}
    done = ask(desk, PAGE.routes, f"{ITEM}/acknowledge", at=at, form={"note": "mine"}, role="auditor")
    assert isinstance(done, Redirect)
    assert done.said == "Acknowledged by ann."
    assert item(desk, 10).data["state"] == Chip("info", "acknowledged")
    ask(desk, PAGE.routes, f"{ITEM}/resolve", at=at, form={"note": "fixed"})
    ended = item(desk, 10).data["alert"]
    assert (ended.closed_by, ended.note, ended.is_open) == ("ann", "fixed", False)
    again = ask(desk, PAGE.routes, f"{ITEM}/acknowledge", at=at, form={})
    assert isinstance(again, Redirect)
    assert again.said == "It has ended already."


def test_silence_and_its_end(desk: PageStores) -> None:
    form = {"match": ["rule=escalation", "intent=intent 7"], "for": "30 min", "back": "/ui/alerts/13"}
    done = ask(desk, PAGE.routes, "/alerts/silence", form=form)
    assert isinstance(done, Redirect)
    assert done.to == "/ui/alerts/13"
    shown = view(desk)
    assert shown.data["states"]["silenced"] == 1
    number = shown.data["silences"][0][0].number
    ask(desk, PAGE.routes, "/alerts/end-silence", form={"number": str(number)})
    assert not view(desk).data["silences"]
    for wrong in ({"match": "rule=nothing"}, {"match": "rule=latency", "for": "soon"}, {"match": ""}):
        with pytest.raises(InputError):
            ask(desk, PAGE.routes, "/alerts/silence", form=wrong)


def test_a_silence_leads_nowhere_else(desk: PageStores) -> None:
    form = {"match": "rule=latency", "back": "https://example.com/ui/alerts"}
    done = ask(desk, PAGE.routes, "/alerts/silence", form=form)
    assert isinstance(done, Redirect)
    assert done.to == "/ui/alerts"


def test_examples_become_regression_cases(desk: PageStores, watched: Config) -> None:
    chosen = item(desk, 1).data["examples"][0].session
    at = {"number": "1"}
    done = ask(desk, PAGE.routes, f"{ITEM}/promote", at=at, form={"conversation": [chosen]}, role="auditor")
    assert isinstance(done, Redirect)
    assert "1 added" in done.said
    assert (watched.folder / "suites" / "regressions.yaml").exists()
    with pytest.raises(InputError, match="no conversation was chosen"):
        ask(desk, PAGE.routes, f"{ITEM}/promote", at=at, form={"conversation": ["another"]})


def test_messages_that_were_not_delivered(tmp_path: Path) -> None:
    config = make_project(tmp_path)
    desk = PageStores(config)
    spool = AlertSpool(config.store)
    message = spool.add("pager", {"status": "firing"}, 1.0)
    assert view(desk).data["undelivered"] == ""
    spool.failed(message, "refused", 10.0, final=False)
    assert view(desk).data["undelivered"] == "1 messages wait for a channel: pager: refused"
    spool.failed(message, "refused", 1e6, final=True)
    assert "1 messages were not delivered; the last to pager" in view(desk).data["undelivered"]
    desk.close()


def test_without_anything(tmp_path: Path) -> None:
    desk = PageStores(make_project(tmp_path))
    shown = view(desk)
    assert "proctor serve" in shown.tables["alerts"].empty
    assert all(row[4] == Chip("unscored", "not known") for row in shown.tables["rules"].rows)
    desk.close()
