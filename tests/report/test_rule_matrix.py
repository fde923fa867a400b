"""Rules by targets on the HTML page: sorted by breakage, and a way to the results of each rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from proctor.core.chat import Message
from proctor.core.report import Fingerprint, Report, Result
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.report import html
from proctor.report.overview import overview_of
from proctor.report.page_data import page_of, rule_matrix, rule_states
from proctor.report.run_distributions import run_distributions
from tests.chromium import SharedPage
from tests.report.test_overview import judged, part, result

LARGE, SMALL = "own-support-bot@provider:large-model-2026-06", "own-support-bot@provider:large-model-2026-11"


def with_predicate(score: Score, predicate: str) -> Score:
    words = replace(score.evidence[0], predicate=predicate)
    return replace(score, evidence=(words, Evidence(quote="!", turn=0)))


def made() -> list[Result]:
    answer = Trajectory(turns=(Turn(messages=(Message(role="assistant", content="Hello!"),)),))
    found = []
    for number in range(4):
        for target in (LARGE, SMALL):
            bad = target == SMALL
            parts = (
                part("seldom", "err" if bad and number == 0 else "ok"),
                with_predicate(part("often", "err" if bad else "ok"), 'count "!" = 0'),
                part("never", "ok"),
            )
            found.append(replace(result(f"c{number}", judged(*parts), target=target), trajectory=answer))
    return sorted(found, key=lambda each: (each.case.id, each.target))


@pytest.fixture
def report() -> Report:
    return Report(id="r", name="tags", overview=overview_of(made()), fingerprint=Fingerprint())


def test_the_most_broken_rule_is_first_with_a_figure_for_each_target(report: Report) -> None:
    matrix = rule_matrix(report)
    assert matrix is not None
    assert matrix["targets"] == [LARGE, SMALL]
    assert [row["rule"] for row in matrix["rows"]] == ["often", "seldom", "never"]
    assert matrix["rows"][0]["predicate"] == 'count "!" = 0'
    assert [(cell["ok"], cell["err"]) for cell in matrix["rows"][0]["cells"]] == [(4, 0), (0, 4)]
    assert [(cell["ok"], cell["err"]) for cell in matrix["rows"][1]["cells"]] == [(4, 0), (3, 1)]


def test_a_run_without_rules_has_none() -> None:
    assert rule_matrix(Report(id="r", name="x")) is None


def test_a_result_knows_what_was_found_of_each_rule() -> None:
    both = result("a", judged(part("one", "err"), part("two", "unknown"), part("three", "na")))
    assert rule_states(both) == {"one": "err", "two": "unknown"}


def test_the_page_has_one_matrix_and_no_table_per_target(report: Report) -> None:
    page = page_of(report, run_distributions(made()), [])
    assert page["rules"]["rows"]
    assert not [table for table in page["overview"] if table["heads"][0] == "Rule"]


@pytest.fixture
def opened(shared_page: SharedPage, tmp_path: Path, report: Report) -> Iterator[Callable[..., Page]]:
    def open_page(**settings: Any) -> Page:
        path = tmp_path / "report.html"
        with path.open("w", encoding="utf-8") as out:
            html.write(report, made, out)
        page = shared_page.taken(**settings)
        page.goto(path.as_uri())
        return page

    yield open_page
    shared_page.given_back()


@pytest.mark.browser
def test_a_click_on_a_rule_shows_what_broke_it(opened: Callable[..., Page]) -> None:
    page = opened()
    expect(page.locator("#rules .predicate")).to_have_text('count "!" = 0')
    page.locator("#rules .rule-name").first.click()
    expect(page.locator(".rows tbody tr")).to_have_count(4)
    expect(page.locator(".rule-filter")).to_contain_text("Rule often.")
    page.locator("#rules tr", has_text="Rule seldom.").locator(".rule-cell").last.click()
    expect(page.locator(".rows tbody tr")).to_have_count(1)
    page.locator(".rule-filter").click()
    page.locator("#rules tr", has_text="Rule never.").locator(".rule-name").click()
    expect(page.locator(".rows tbody tr")).to_have_count(8)  # nothing broke it: every result it was judged in


@pytest.mark.browser
def test_failures_stand_under_their_rule_and_open_their_result(opened: Callable[..., Page]) -> None:
    page = opened()
    groups = page.locator("#failures details")
    expect(groups).to_have_count(2)
    expect(groups.first.locator("summary")).to_contain_text("4 results")
    groups.last.locator(".failure").first.click()
    sections = page.locator("dialog section h3")
    expect(sections.first).to_have_text("Input")
    expect(page.locator("dialog .inputs dd").first).to_have_text("hello")
    expect(page.locator("dialog .parts .predicate")).to_have_text('count "!" = 0')


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_names_that_do_not_fit_keep_their_end(opened: Callable[..., Page], width: int) -> None:
    page = opened(viewport={"width": width, "height": 900})
    ends = page.locator(".middle > .back").all_inner_texts()
    assert {"-model-2026-06", "-model-2026-11"} <= set(ends)
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_long_rule_is_read_whole_beside_its_figures(opened: Callable[..., Page]) -> None:
    page = opened(viewport={"width": 1280, "height": 800})
    name = page.locator(".rule-matrix .rule-name").first
    name.evaluate("each => { each.textContent = 'Answer with these four elements, in this order, alone. '.repeat(6); }")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        box, cell = name.bounding_box(), name.locator("xpath=ancestor::th").bounding_box()
        assert box is not None
        assert cell is not None
        assert box["x"] + box["width"] <= cell["x"] + cell["width"]
        assert box["height"] > 30  # more than a line
