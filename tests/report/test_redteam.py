"""Pages of a campaign and its retest: the label stays beside the rate, and what is held out stays out."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from playwright.sync_api import Browser, Page

from proctor.core.attack import TwinResult
from proctor.core.campaign import CampaignFacts, CampaignSummary, DetectorError, RetestSummary
from proctor.core.errors import InputError
from proctor.redteam.retest import compare_campaigns
from proctor.redteam.summary import summarise_campaign
from proctor.report.redteam_campaign import CAMPAIGN_REPORT, campaign_sheet
from proctor.report.redteam_retest import RETEST_REPORT, retest_sheet
from tests.redteam.attempts import attacked, campaign
from tests.tables import table

LABEL = "obedient by construction"
SECRET = "ZEBRA-QUARTZ"
EVIL = '=HYPERLINK("x")|<script>alert(1)</script>\n| a | [b](c) \x1b[31m \ud800 ]]> {{styles}}'
DETECTOR = DetectorError(
    sensitivity=0.9, sensitivity_count=100, specificity=0.95, specificity_count=200, name="lexicon"
)
FACTS = CampaignFacts(name="desk", target="naive", note=LABEL, runs=("r1",), rotation="q4", detector=DETECTOR, seed=0)
ENDINGS = ("html", "md", "json", "csv", "xml")


@pytest.fixture(scope="module")
def summary() -> CampaignSummary:
    return summarise_campaign(campaign(), FACTS)


@pytest.fixture(scope="module")
def retest() -> RetestSummary:
    return compare_campaigns(
        campaign(guard=0.0), campaign(guard=0.8), FACTS, after_facts=replace(FACTS, guarded=True), mitigation="a gate"
    )


def _saved(thing: CampaignSummary, folder: Path, ending: str) -> str:
    path = folder / f"report.{ending}"
    CAMPAIGN_REPORT.save(thing, path)
    return path.read_text(encoding="utf-8")


def _printed(thing: CampaignSummary) -> str:
    out = io.StringIO()
    CAMPAIGN_REPORT.write(thing, out)
    return out.getvalue()


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_label_is_beside_the_rate_in_every_format(summary: CampaignSummary, tmp_path: Path, ending: str) -> None:
    assert LABEL in _saved(summary, tmp_path, ending)
    assert LABEL in campaign_sheet(summary).headline
    assert LABEL in _printed(summary)


def test_the_label_is_beside_the_rate_of_a_retest(retest: RetestSummary, tmp_path: Path) -> None:
    for ending in ("html", "md", "json"):
        RETEST_REPORT.save(retest, tmp_path / f"r.{ending}")
        assert LABEL in (tmp_path / f"r.{ending}").read_text(encoding="utf-8")
    assert "held-out goals: " in retest_sheet(retest).headline
    assert retest_sheet(retest).state == "pass"


@table("ending", ENDINGS)
def test_nothing_of_a_held_out_goal_is_written(tmp_path: Path, ending: str) -> None:
    fields: dict[str, Any] = {"held_out": True, "goal": SECRET, "title": SECRET, "payload": SECRET, "tags": ()}
    judged = {"evidence": SECRET, "reason": SECRET}
    rows = [
        attacked(f"{SECRET}-1", "executed", judgement=judged, **fields),
        attacked(f"{SECRET}-2", "unscored", judgement={"reason": SECRET}, **fields),
    ]
    made = summarise_campaign(rows, FACTS)
    text = _saved(made, tmp_path, ending)
    assert SECRET not in text
    assert SECRET not in _printed(made)
    assert ending == "csv" or "held-out-" in text
    change = compare_campaigns(rows, rows, FACTS)
    RETEST_REPORT.save(change, tmp_path / f"r.{ending}")
    assert SECRET not in (tmp_path / f"r.{ending}").read_text(encoding="utf-8")


@table("ending", ENDINGS)
def test_words_from_outside_stay_words(tmp_path: Path, ending: str) -> None:
    judged = {"evidence": EVIL, "reason": EVIL, "stopped_by": EVIL}
    twin = TwinResult(effect=False, stopped_by=EVIL)
    rows = [
        attacked(
            "a", "executed", judgement=judged, goal=EVIL, title=EVIL, payload=EVIL, techniques=(EVIL,), tags=(EVIL,)
        ),
        attacked("b", "stopped", judgement=judged, twin=twin, goal=EVIL, language=EVIL),
        attacked("c", "unscored", judgement=judged, goal="x"),
    ]
    made = summarise_campaign(rows, replace(FACTS, name=EVIL, note=EVIL, target=EVIL))
    text = _saved(made, tmp_path, ending)
    if ending in ("html", "md"):
        assert "<script>" not in text
    if ending in ("csv", "md"):
        assert not any(line.startswith("=") for line in text.splitlines())
    if ending == "md":
        assert not any(line.startswith("| a |") for line in text.splitlines())
    if ending == "json":
        assert json.loads(text)["total"]["executed"] == 1
    if ending == "xml":
        Xml.fromstring(text)
    assert "\x1b" not in text
    assert "\x1b" not in _printed(made)


def test_small_cells_are_grey(summary: CampaignSummary, tmp_path: Path) -> None:
    languages = {row.name: row for row in summary.margins["language"]}
    assert languages["hi"].is_small
    assert not languages["en"].is_small
    table = next(table for table in campaign_sheet(summary).tables if table.title == "By language")
    states = {row[0].text: {cell.state for cell in row} for row in table.cells()}
    assert states["hi"] == {"muted"}
    assert states["en"] == {""}
    page = _saved(summary, tmp_path, "html")
    assert '<tr class="small-cell"><td class="name">hi</td>' in page
    assert '<tr class=""><td class="name">en</td>' in page


def test_every_goal_is_a_test_for_ci(tmp_path: Path) -> None:
    rows = [
        attacked("a", "executed", goal="reached", severity="critical", judgement={"reason": "row changed"}),
        attacked("b", "unscored", goal="reached"),
        attacked("c", "ignored", goal="resisted"),
        attacked("d", "unscored", goal="resisted"),
        attacked("e", "unscored", goal="broken", judgement={"reason": "timeout"}),
        attacked("f", "not_reached", goal="broken"),
        attacked("g", "not_reached", goal="elsewhere", scope="extraction"),
    ]
    root = Xml.fromstring(_saved(summarise_campaign(rows, FACTS), tmp_path, "xml"))
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4",
        "failures": "1",
        "errors": "1",
        "skipped": "1",
    }
    cases = {case.get("name"): case for case in root.iter("testcase")}
    failure = cases["reached"].find("failure")
    assert failure is not None
    assert failure.get("type") == "critical"
    assert "row changed" in (failure.text or "")
    assert cases["resisted"].find("error") is None, "one attempt was judged"
    error = cases["broken"].find("error")
    assert error is not None
    assert error.get("message") == "timeout"
    assert cases["elsewhere"].find("skipped") is not None
    assert cases["elsewhere"].get("classname") == "redteam.desk.extraction"


def test_what_the_retest_still_executes_fails_in_ci(retest: RetestSummary, tmp_path: Path) -> None:
    RETEST_REPORT.save(retest, tmp_path / "r.xml")
    root = Xml.fromstring((tmp_path / "r.xml").read_text(encoding="utf-8"))
    assert int(root.get("failures", "")) == len(retest.remaining) + len(retest.new)


def test_the_table_has_every_group_and_the_retest_every_change(
    summary: CampaignSummary, retest: RetestSummary, tmp_path: Path
) -> None:
    rows = list(csv.DictReader(io.StringIO(_saved(summary, tmp_path, "csv"))))
    assert {row["group"] for row in rows} == {"part", "scope", "technique", "language", "channel", "severity", "tag"}
    whole = next(row for row in rows if row["name"] == "all")
    assert float(whole["rate"]) == pytest.approx(summary.total.rate.value, rel=1e-5)
    assert whole["note"] == LABEL
    RETEST_REPORT.save(retest, tmp_path / "r.csv")
    changes = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text(encoding="utf-8"))))
    assert [row["name"] for row in changes][-3:] == ["open", "held out", "all"]
    assert float(changes[-2]["difference"]) == pytest.approx(retest.held_out.difference, rel=1e-4)


def test_the_json_is_the_summary(summary: CampaignSummary, tmp_path: Path) -> None:
    data = json.loads(_saved(summary, tmp_path, "json"))
    assert data["total"]["executed"] == summary.total.executed
    assert data["facts"]["note"] == LABEL
    assert [goal["goal"] for goal in data["goals"]] == [goal.goal for goal in summary.goals]


def test_a_detectors_part_has_its_error_beside_it(summary: CampaignSummary) -> None:
    text = _printed(summary)
    assert "a detector, its errors corrected" in text
    assert "sensitivity 0.90 of 100" in text
    assert "its errors corrected" not in _printed(summarise_campaign(campaign(), replace(FACTS, detector=None)))


def test_many_findings_are_cut_on_the_terminal_only(summary: CampaignSummary, tmp_path: Path) -> None:
    assert len(summary.findings) > 15
    assert "the first 15 are shown" in _printed(summary)
    last = summary.findings[-1].goal
    assert last not in _printed(summary)
    assert last in _saved(summary, tmp_path, "md")
    assert last in _saved(summary, tmp_path, "html")


@table("ending", ENDINGS)
def test_an_empty_campaign_can_be_written(tmp_path: Path, ending: str) -> None:
    empty = summarise_campaign([], CampaignFacts(name="none"))
    assert _saved(empty, tmp_path, ending)
    assert "no attempt was run" in _printed(empty)
    nothing = compare_campaigns([], [], CampaignFacts(name="none"))
    out = io.StringIO()
    RETEST_REPORT.write(nothing, out)
    assert "nothing to compare" in out.getvalue()
    RETEST_REPORT.save(nothing, tmp_path / f"r.{ending}")


def test_an_unknown_ending_is_refused(summary: CampaignSummary) -> None:
    with pytest.raises(InputError, match="no campaign can be written"):
        CAMPAIGN_REPORT.check_name(Path("report.pdf"))
    with pytest.raises(InputError, match="no retest can be written"):
        RETEST_REPORT.check_name(Path("report.txt"))


@pytest.fixture
def pages(summary: CampaignSummary, retest: RetestSummary, tmp_path: Path) -> list[Path]:
    CAMPAIGN_REPORT.save(summary, tmp_path / "campaign.html")
    RETEST_REPORT.save(retest, tmp_path / "retest.html")
    return [tmp_path / "campaign.html", tmp_path / "retest.html"]


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_the_pages_fit_a_browser_and_ask_for_nothing(browser: Browser, pages: list[Path], width: int) -> None:
    for path in pages:
        for dark in (False, True):
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light")
            asked, said = _opened(page, path)
            assert (asked, said) == ([path.as_uri()], [])
            assert page.evaluate("document.documentElement.scrollWidth") == width
            if width == 1280:
                wide = "[...document.querySelectorAll('.small-table')].filter(t => t.scrollWidth > t.clientWidth)"
                assert page.evaluate(f"{wide}.length") == 0, "no table needs to be scrolled on a desk"
            page.close()


def _opened(page: Page, path: Path) -> tuple[list[str], list[str]]:
    """Open the page; return what it asked for, and what the console said."""
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(path.as_uri())
    return asked, said
