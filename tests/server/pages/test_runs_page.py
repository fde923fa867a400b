"""The pages of runs: the table, one run, one result, two runs side by side; as functions, then in a browser."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proctor.core.errors import InputError, NotFoundError
from proctor.server.pages.page import Download, Missing, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Chip, Link, csv_lines
from proctor.server.pages.templates import TEMPLATES
from proctor.server.pages.views.overview import PAGE as OVERVIEW
from proctor.server.pages.views.runs import PAGE
from proctor.store.decisions import keep_decision
from proctor.store.runs import RunStore
from tests.server.pages.accessibility import violations
from tests.server.pages.production_store import ask
from tests.server.pages.run_project import HOSTILE, make_run_project
from tests.server.pages.served import ServedDashboard, open_desk, served
from tests.store.recorded_runs import add_run, keep_results, result

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CASE = "/runs/{id}/cases/{key:.+}"


@pytest.fixture(scope="module")
def made_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "project"
    folder.mkdir()
    make_run_project(folder)
    return folder


@pytest.fixture
def folder(made_project: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_project, tmp_path / "project"))


@pytest.fixture
def desk(folder: Path) -> Iterator[PageStores]:
    with open_desk(folder) as opened:
        yield opened


@pytest.fixture
def site(folder: Path) -> Iterator[ServedDashboard]:
    with served(folder) as running:
        yield running
        running.close()
        assert running.problems == []


def view(desk: PageStores, path: str, at: dict[str, str] | None = None, **query: str) -> View:
    found = ask(desk, PAGE.routes, path, at=at, query=query)
    assert isinstance(found, View)
    return found


def run_view(desk: PageStores, run: str, **query: str) -> View:
    return view(desk, "/runs/{id}", {"id": run}, **query)


def case_view(desk: PageStores, run: str, key: str, **query: str) -> View:
    return view(desk, CASE, {"id": run, "key": key}, **query)


def test_the_table_has_every_run_with_its_state_and_gate(desk: PageStores) -> None:
    table = view(desk, "/runs").tables["runs"]
    assert table.total == 5
    row = next(row for row in table.rows if isinstance(row[2], Link) and row[2].text == "run-b")
    assert row[3] == Chip("fail", "failed")
    assert row[4] == Chip("fail", "hold")
    assert row[8] == Link("12", "/ui/runs/run-b?outcome=fail")
    assert len(list(csv_lines(table))) == 6
    assert view(desk, "/runs", suite="word").tables["runs"].total == 1
    assert view(desk, "/runs", suite="shop").charts["rates"].data() is not None
    assert "`proctor run" not in view(desk, "/runs", q="nothing").tables["runs"].empty
    with pytest.raises(InputError):
        view(desk, "/runs", status="odd")


def test_a_run_has_its_results_page_by_page(desk: PageStores) -> None:
    shown = run_view(desk, "run-b")
    table = shown.tables["results"]
    assert (len(table.rows), table.total, table.pages) == (50, 60, 2)
    assert len(list(csv_lines(table))) == 61
    assert run_view(desk, "run-b", outcome="fail").tables["results"].total == 12
    assert run_view(desk, "run-b", failing="factual_accuracy", intent="faq").tables["results"].total == 6
    assert run_view(desk, "run-b", q="case-001").tables["results"].total == 1
    assert len(run_view(desk, "run-b", page="2").tables["results"].rows) == 10
    assert shown.tables["by_check"].rows[1][3] == Link("12", "/ui/runs/run-b?failing=factual_accuracy")
    assert shown.data["gates"][0]["reasons"] == ("12 fell",)
    assert shown.live == ()
    with pytest.raises(NotFoundError):
        run_view(desk, "no-such-run")


def test_a_decision_leads_only_to_a_baseline_that_can_be_compared(desk: PageStores) -> None:
    kept: dict[str, Any] = {"suite": "shop", "target": "assistant", "decision": "hold", "reasons": []}
    for baseline in ("run-a", "made-elsewhere"):
        keep_decision(desk.runs, run="run-a", baseline=baseline, **kept)
    beside = "/ui/runs/compare?a=run-a&b=run-b&target=assistant"
    assert {each["baseline"]: each["to"] for each in run_view(desk, "run-a").data["gates"]} == {
        "run-a": "",
        "made-elsewhere": "",
    }
    assert [each["to"] for each in run_view(desk, "run-b").data["gates"]] == [beside]
    overview = ask(desk, OVERVIEW.routes, "/")
    assert isinstance(overview, View)
    shown = {row[3] for row in overview.tables["decisions"].rows}
    assert shown == {"run-a", "made-elsewhere", Link("run-a", beside)}


def test_a_run_of_several_targets_has_its_cases_by_target(desk: PageStores) -> None:
    mixed = [
        result("both", target="a"),
        result("both", target="b"),
        result("one", target="a"),
        result("one", "fail", target="b"),
        result("flaky", target="a"),
        result("flaky", "fail", target="a", sample=1),
    ]
    with RunStore(desk.config.store) as store:
        add_run(store, "run-matrix", mixed)
    table = run_view(desk, "run-matrix").tables["matrix"]
    assert [column.label for column in table.columns] == ["Case", "a", "b"]
    rows = [[getattr(cell, "text", None) or getattr(cell, "label", None) for cell in row] for row in table.rows]
    assert rows == [["one", "pass", "fail"], ["flaky", "1 of 2 pass", None], ["both", "pass", "pass"]]
    failed = table.rows[0][2]
    assert isinstance(failed, Chip)
    assert failed.state == "fail"
    assert case_view(desk, "run-matrix", failed.to.rsplit("/", 1)[-1]).data["result"].target == "b"
    assert "matrix" not in run_view(desk, "run-a").tables


def test_a_running_run_is_live(desk: PageStores) -> None:
    add_run(desk.runs, "run-live", [result("a")], is_finished=False)
    shown = run_view(desk, "run-live")
    assert shown.live == ("runs",)
    assert shown.data["chip"].state == "info"


def test_a_result_has_its_evidence_marked_in_answer_and_source(desk: PageStores) -> None:
    shown = case_view(desk, "run-b", "case-000")
    turn = shown.data["turns"][0]
    answer, source = turn.entries[-1], turn.entries[1]
    assert [(piece.state, piece.names) for piece in answer.text.pieces] == [("fail", ("e1",))]
    assert source.is_open
    assert source.more[0][1].is_marked
    failed = shown.data["scores"][0]
    assert (failed.name, failed.chip) == ("factual_accuracy", Chip("fail", "fail"))
    assert failed.evidence[0].to.endswith("#e1")
    only = case_view(desk, "run-b", "1", score="relevance")
    assert only.data["marked"] == 0
    assert case_view(desk, "run-b", "1", score="unknown").data["marked"] == 2


def test_a_result_leads_to_its_neighbours_and_its_file(desk: PageStores) -> None:
    shown = case_view(desk, "run-b", "12", outcome="fail")
    assert shown.data["before"] == "/ui/runs/run-b/cases/11?outcome=fail"
    assert shown.data["after"] == ""
    file = ask(desk, PAGE.routes, CASE, at={"id": "run-b", "key": "12"}, query={"file": "json"})
    assert isinstance(file, Download)
    assert b'"case-011"' in bytes(file.body)  # type: ignore[arg-type]
    assert case_view(desk, "run-odd", "path/with/slashes").data["result"].case.id == "path/with/slashes"
    for wrong in ("nothing", "99", str(2**70), "-1"):
        with pytest.raises(NotFoundError):
            case_view(desk, "run-b", wrong)


def test_a_held_out_attack_is_not_shown_anywhere(desk: PageStores) -> None:
    pages = [run_view(desk, "run-attack"), case_view(desk, "run-attack", "held")]
    for shown in pages:
        assert "secret attack" not in rendered(shown, desk)
    assert run_view(desk, "run-attack", q="secret").tables["results"].total == 0
    file = ask(desk, PAGE.routes, CASE, at={"id": "run-attack", "key": "held"}, query={"file": "json"})
    assert isinstance(file, Download)
    assert b"secret attack" not in bytes(file.body)  # type: ignore[arg-type]


def test_two_runs_have_the_statistics_of_the_command_and_the_cases_that_changed(desk: PageStores) -> None:
    shown = view(desk, "/runs/compare", a="run-a", b="run-b")
    overall = {row[0]: row for row in shown.tables["every_change"].rows if row[1] == "all"}
    assert overall["Pass rate"][3:6] == ("1.000", "0.800", "−0.200")
    assert overall["Pass rate"][-1] == Chip("fail", "regression")
    cases = shown.tables["cases"]
    assert cases.total == 12
    assert shown.data["kinds"] == [("newly failing", 12, "fail")]
    assert view(desk, "/runs/compare", a="run-a", b="run-b", intent="faq").tables["cases"].total == 6
    swapped = view(desk, "/runs/compare", a="run-b", b="run-a")
    assert swapped.data["kinds"] == [("newly passing", 12, "pass")]
    assert "<svg" in shown.charts["differences"].svg(inline=False)
    before = view(desk, "/runs/compare", b="run-b")
    assert before.data["a"] == "run-a"
    assert view(desk, "/runs/compare").data["problem"]
    assert view(desk, "/runs/compare", b="run-a").data["problem"]
    with pytest.raises(InputError, match="same as itself"):
        view(desk, "/runs/compare", a="run-a", b="run-a")


def test_one_case_stands_side_by_side(desk: PageStores) -> None:
    shown = view(desk, "/runs/compare/case", a="run-a", b="run-b", case="case-000")
    before, now = shown.data["sides"]
    assert (before["result"].outcome, now["result"].outcome) == ("pass", "fail")
    assert isinstance(ask(desk, PAGE.routes, "/runs/compare/case"), Missing)


def rendered(shown: View, desk: PageStores) -> str:
    from proctor.core.person import Person
    from proctor.server.pages.page import PageRequest

    asked = PageRequest(at="/ui/x", visitor=Person(name="ann", role="viewer"), now=time.time())
    frame: dict[str, Any] = {
        "nav": (), "page": None, "title": shown.title, "visitor": None, "live": "", "form_token": "", "said": "",
        "now": time.time(), "ask": asked, "tables": shown.tables, "charts": shown.charts,
    }  # fmt: skip
    return TEMPLATES.render(shown.template, **frame, **shown.data)


def test_from_a_run_to_the_evidence_and_to_what_changed(site: ServedDashboard, browser: Browser) -> None:
    page = site.page(browser, "/runs")
    page.get_by_role("link", name="run-b").click()
    assert page.locator("h1").inner_text().startswith("shop")
    page.get_by_role("link", name="Failed 12").click()
    assert page.locator("#table-results tbody tr").count() == 12
    page.get_by_role("link", name="case-000", exact=True).click()
    mark = page.locator("mark#e1")
    assert mark.inner_text() == "Unopened manga can be returned within 60 days."
    page.locator(".score blockquote a").first.click()
    assert page.url.endswith("#e1")
    page.get_by_role("link", name="Next →").click()
    assert "case-001" in page.locator("h1").inner_text()
    page.goto(f"{site.url}/ui/runs/run-b")
    page.get_by_role("button", name="Side by side").click()
    assert page.locator("#table-cases tbody tr").count() == 12
    page.get_by_role("link", name="newly failing 12").click()
    page.get_by_role("link", name="case-003").click()
    assert page.locator("h2").all_inner_texts()[:2] == ["Before pass", "Now fail"]


def test_a_running_run_shows_new_results_by_itself(site: ServedDashboard, browser: Browser) -> None:
    with RunStore(site.store) as store:
        run = add_run(store, "run-live", [result("first")], is_finished=False)
        page = site.page(browser, "/runs/run-live")
        assert page.locator("#table-results tbody tr").count() == 1
        keep_results(store, run, [result("second", "fail")], first=2)
        page.get_by_role("link", name="second").wait_for(timeout=20_000)
        assert page.locator(".tile", has_text="Failed").locator(".tile-value").inner_text() == "1"


def test_pages_of_runs_are_accessible_fit_a_phone_and_show_markup_as_text(
    site: ServedDashboard, browser: Browser
) -> None:
    page = site.page(browser, "/runs", viewport={"width": 390, "height": 800})
    addresses = ["/runs", "/runs/run-b", "/runs/run-b/cases/case-000", "/runs/compare?a=run-a&b=run-b", "/runs/run-odd"]
    addresses += ["/runs/run-odd/cases/1", "/runs/compare/case?a=run-a&b=run-b&case=case-000", "/runs/compare"]
    for address in addresses:
        page.goto(f"{site.url}/ui{address}")
        assert violations(page) == [], address
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, address
    page.goto(f"{site.url}/ui/runs/run-odd/cases/1")
    assert HOSTILE in page.locator(".message.assistant .words").inner_text()


def test_an_empty_store_says_what_to_do(empty_dashboard: ServedDashboard, browser: Browser) -> None:
    page = empty_dashboard.page(browser, "/runs")
    assert "proctor run SUITE" in page.locator("main").inner_text()
    page.goto(f"{empty_dashboard.url}/ui/prompts")
    assert "proctor generate" in page.locator("main").inner_text()
    page.goto(f"{empty_dashboard.url}/ui/runs/compare")
    assert "Choose two runs" in page.locator("main").inner_text()
