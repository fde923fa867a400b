"""The red team's pages: campaigns, findings, triage, attempts before and after."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proctor.core.attack_finding import AttackFinding
from proctor.core.case import Case
from proctor.core.errors import InputError, NotFoundError
from proctor.server.pages.page import Redirect, Reply, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import csv_lines
from proctor.server.pages.views.redteam import PAGE
from proctor.server.pages.views.run_case import case_origins
from proctor.store.findings import add_findings, find_finding, findings
from proctor.store.runs import RunStore
from proctor.workflows.redteam.stopped_attacks import stopped_attacks
from tests.server.pages.accessibility import violations
from tests.server.pages.guarded_store import attacked_project
from tests.server.pages.served import ServedDashboard, asked, open_desk, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ONE = "/redteam/{campaign}"


@pytest.fixture(scope="module")
def attacked_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return attacked_project(tmp_path_factory.mktemp("attacked") / "project")


@pytest.fixture
def attacked(attacked_once: Path, tmp_path: Path) -> Path:
    """A copy of an attacked project, with a finding that another tool has reported."""
    folder = Path(shutil.copytree(attacked_once, tmp_path / "project"))
    with open_desk(folder) as desk:
        imported = AttackFinding(
            id="imp0000001", campaign="garak", goal="dan", scope="policy_bypass", target="shop", source="garak",
            title="<script>alert(1)</script> DAN", severity="high", extra={"payload": "You are <i>DAN</i>"},
        )  # fmt: skip
        held = AttackFinding(
            id="held000001", campaign="shop", goal="secret-goal", scope="extraction", target="shop", held_out=True,
            title="a secret title", severity="low",
        )  # fmt: skip
        add_findings(desk.runs, [imported, held])
    return folder


@pytest.fixture
def desk(attacked: Path) -> Iterator[PageStores]:
    with open_desk(attacked) as opened:
        yield opened


def ask(desk: PageStores, at: str, method: str = "GET", /, **more: Any) -> Reply:
    route = next(each for each in PAGE.routes if each.path == at and each.method == method)
    return route.answer(desk, asked(at, **more))


def view(desk: PageStores, at: str = "/redteam", *, parts: dict[str, str] | None = None, **query: str) -> View:
    found = ask(desk, at, path=parts or {}, query=query)
    assert isinstance(found, View)
    return found


def shop_findings(desk: PageStores) -> dict[str, AttackFinding]:
    return {each.goal: each for each in findings(desk.runs, "shop")}


def test_the_board_and_the_campaigns(desk: PageStores) -> None:
    shown = view(desk)
    columns = {each.status: each for each in shown.data["board"]}
    assert columns["retested"].total == 2
    assert columns["open"].total == 3
    assert all("secret" not in card.title for card in columns["open"].cards)
    rows = shown.tables["campaigns"].rows
    assert [row[1] for row in rows] == [2, 1, None]
    assert rows[0][7].value < rows[1][7].value  # type: ignore[union-attr, operator]
    assert view(desk, status="retested").tables["findings"].total == 2
    with pytest.raises(InputError):
        view(desk, status="nonsense")


def test_a_campaign_in_figures_before_and_after(desk: PageStores) -> None:
    shown = view(desk, ONE, parts={"campaign": "shop"})
    assert shown.data["against"].n == 1
    assert {"technique", "language", "channel", "severity", "change"} <= shown.charts.keys()
    assert len(shown.tables["changed"].rows) == 3
    assert shown.data["stops"]
    alone = view(desk, ONE, parts={"campaign": "shop"}, run="1", against="none")
    assert alone.data["retest"] is None
    assert "<svg" in alone.charts["technique"].svg(inline=False)
    with pytest.raises(NotFoundError):
        view(desk, ONE, parts={"campaign": "shop"}, run="99")
    with pytest.raises(NotFoundError):
        view(desk, ONE, parts={"campaign": "none"})


def test_attempts_are_chosen_by_what_they_are(desk: PageStores) -> None:
    def attempts(**query: str) -> View:
        return view(desk, ONE, parts={"campaign": "shop"}, **query)

    everything = attempts(tab="attempts").tables["attempts"]
    assert everything.total == 18
    assert len(list(csv_lines(everything))) == 19
    assert attempts(run="1", outcome="executed").tables["attempts"].total
    stopped = attempts(gate="banned").tables["attempts"]
    assert 0 < (stopped.total or 0) < 18
    assert attempts(tab="goals").tables["goals"].total == 4
    assert attempts(tab="findings").tables["findings"].total == 4
    (found,) = stopped_attacks(desk.config, desk.runs, "banned")
    assert (found.campaign, found.stopped, found.attempts) == ("shop", stopped.total, 18)


def test_a_finding_shows_the_attack_before_and_after_and_where_it_leads(desk: PageStores) -> None:
    finding = shop_findings(desk)["stop-other-order"]
    place = {"campaign": "shop", "finding": finding.id}
    shown = view(desk, f"{ONE}/findings/{{finding}}", parts=place)
    before, after = shown.data["sides"]
    assert (before["outcome"].label, after["outcome"].label) == ("executed", "stopped")
    assert after["stopped_by"] == "banned"
    assert dict(shown.data["gates"]) == {"banned": "input"}
    assert shown.data["raised"].tier == "critical"
    assert shown.data["cases"] == []
    assert before["case_to"].startswith("/ui/runs/")
    attempt = view(desk, f"{ONE}/attempts/{{case}}", parts={"campaign": "shop", "case": finding.attempts[0]})
    assert attempt.data["finding_to"].endswith(finding.id)
    with pytest.raises(NotFoundError):
        view(desk, f"{ONE}/attempts/{{case}}", parts={"campaign": "shop", "case": "none"})


def test_a_decision_about_a_finding_is_kept_and_the_next_open_one_follows(desk: PageStores) -> None:
    finding = shop_findings(desk)["stop-by-note"]
    place = {"campaign": "shop", "finding": finding.id}
    route = f"{ONE}/findings/{{finding}}"
    form = {"decision": "accept", "severity": "medium", "owner": "kim", "note": "known", "mitigation": ""}
    done = ask(desk, route, "POST", path=place, form=form, name="ben")
    assert isinstance(done, Redirect)
    assert "held000001" in done.to
    kept = find_finding(desk.runs, "shop", finding.id)
    assert (kept.status, kept.severity, kept.owner, kept.note, kept.person) == (
        "accepted",
        "medium",
        "kim",
        "known",
        "ben",
    )
    with pytest.raises(InputError):
        ask(desk, route, "POST", path=place, form={"decision": "burn"})
    with pytest.raises(InputError):
        ask(desk, route, "POST", path=place, form={})
    reopened = ask(desk, route, "POST", path=place, form={"decision": "reopen"})
    assert isinstance(reopened, Redirect)
    assert find_finding(desk.runs, "shop", finding.id).status == "open"


def test_the_attempts_of_a_finding_become_cases_once(desk: PageStores) -> None:
    finding = shop_findings(desk)["name-the-word"]
    place = {"campaign": "shop", "finding": finding.id}
    done = ask(desk, f"{ONE}/findings/{{finding}}/promote", "POST", path=place)
    assert isinstance(done, Redirect)
    assert " added" in done.said
    again = ask(desk, f"{ONE}/findings/{{finding}}/promote", "POST", path=place)
    assert isinstance(again, Redirect)
    assert " 0 added" in again.said
    shown = view(desk, f"{ONE}/findings/{{finding}}", parts=place)
    assert shown.data["cases"]
    assert shown.data["cases"][0].file == "suites/attacks.yaml"


def test_a_held_out_finding_is_shown_in_clear_only_to_an_admin_who_asks(desk: PageStores) -> None:
    place = {"campaign": "shop", "finding": "held000001"}
    route = f"{ONE}/findings/{{finding}}"
    assert "secret" not in view(desk, route, parts=place).title
    assert view(desk, route, parts=place, reveal="1").title == "a secret title"
    shown = ask(desk, route, path=place, query={"reveal": "1"}, role="auditor")
    assert isinstance(shown, View)
    assert "secret" not in shown.title


def test_imported_findings_have_a_page_without_runs(desk: PageStores) -> None:
    shown = view(desk, ONE, parts={"campaign": "garak"})
    assert (shown.data["tab"], shown.tables["findings"].total) == ("findings", 1)
    finding = view(desk, f"{ONE}/findings/{{finding}}", parts={"campaign": "garak", "finding": "imp0000001"})
    assert finding.data["imported"] == {"payload": "You are <i>DAN</i>"}


def test_an_empty_project_says_what_to_do(empty_dashboard: ServedDashboard) -> None:
    with open_desk(empty_dashboard.folder) as desk:
        assert "proctor redteam run" in view(desk).tables["campaigns"].empty


def test_a_case_leads_back_to_where_it_came_from() -> None:
    def origins(**metadata: Any) -> list[str]:
        return [to for _, to in case_origins(Case(id="c/1", input="x", metadata=metadata))]

    assert origins(attack={"campaign": "a b"}) == ["/ui/redteam/a%20b/attempts/c%2F1"]
    assert origins(attack={"campaign": "a", "held_out": True}) == []
    assert origins(promoted={"decision": "abc"}) == ["/ui/guard?event=abc"]
    assert origins(promoted={"alert": 7, "session": "s/1"}) == ["/ui/alerts/7", "/ui/conversations/s%2F1"]
    assert origins(promoted={"run": "r1", "session": "s1"}) == ["/ui/runs/r1"]
    assert origins(promoted="odd", attack=3) == []


# --- in a browser ------------------------------------------------------------------------------------


@pytest.fixture
def running(attacked: Path) -> Iterator[ServedDashboard]:
    with served(attacked) as made:
        yield made
        made.close()
        assert made.problems == []


def test_a_finding_is_settled_in_the_browser(running: ServedDashboard, browser: Browser) -> None:
    page = running.page(browser, "/redteam/garak/findings/imp0000001", name="ben", role="auditor")
    assert page.get_by_role("heading", level=1).inner_text() == "<script>alert(1)</script> DAN"
    page.get_by_label("Owner").fill("kim")
    page.get_by_label("Note").fill("not ours")
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    page.get_by_role("status").filter(has_text="false positive").wait_for()
    with RunStore(running.store) as store:
        kept = find_finding(store, "garak", "imp0000001")
    assert (kept.status, kept.owner, kept.person) == ("false_positive", "kim", "ben")


def test_attack_gate_alert_and_case_are_one_click_apart(running: ServedDashboard, browser: Browser) -> None:
    page = running.page(browser, "/redteam")
    page.get_by_role("link", name="A customer stops the order of another customer").first.click()
    trail = page.locator(".trail")
    assert "critical raised" in " ".join(trail.inner_text().split())
    page.get_by_role("button", name="Make cases").click()
    page.get_by_role("status").filter(has_text="suites/attacks.yaml").wait_for()
    assert "not run yet" in trail.inner_text()
    trail.get_by_role("link", name="banned at input, in production").click()
    page.get_by_role("heading", name="Guard", level=1).wait_for()
    assert "gate=banned" in page.url
    page.go_back()
    page.locator(".trail").get_by_role("link", name="its case").first.click()
    page.get_by_role("link", name="the attack, before and after").click()
    page.get_by_role("heading", name="Before and after").wait_for()


def test_pages_fit_a_phone_and_break_no_rule_of_accessibility(running: ServedDashboard, browser: Browser) -> None:
    with RunStore(running.store) as store:
        finding = next(each for each in findings(store, "shop") if each.goal == "stop-other-order")
    paths = ["/redteam", "/redteam/shop", "/redteam/shop?tab=attempts", f"/redteam/shop/findings/{finding.id}"]
    page = running.page(browser, "/redteam")
    for number, path in enumerate(paths):
        width = 390 if number % 2 else 1280
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{running.url}/ui{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert violations(page) == [], path
