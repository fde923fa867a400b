"""The page of a decision in a real browser, opened from disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from proctor.report import release_html
from proctor.report.release_view import CaseState, CaseTurn, ComparedCase, FigureChange, HoldCause, ReleaseView
from proctor.text.word_diff import word_diff
from tests.chromium import SharedPage

from .hostile import HOSTILE

pytestmark = pytest.mark.browser

Opened = Callable[..., Page]


def _turn(question: str, before: str, after: str) -> CaseTurn:
    pieces = word_diff(before, after) if before != after else ()
    return CaseTurn(question=question, before=before, after=after, diff=tuple((each.op, each.text) for each in pieces))


def _case(name: str, state: CaseState = "same", intent: str = "faq", **more: object) -> ComparedCase:
    shown: dict[str, object] = {"turns": (_turn(f"What of {name}?", "It is 15 days.", "It is 15 days."),)}
    return ComparedCase(
        case=name,
        intent=intent,
        state=state,
        outcome_before="pass",
        outcome_after="fail" if state == "worse" else "pass",
        before=1.0,
        after=0.2 if state == "worse" else 1.0,
        **{**shown, **more},  # type: ignore[arg-type]
    )


def _view(*cases: ComparedCase, causes: tuple[HoldCause, ...] = ()) -> ReleaseView:
    quiet = [FigureChange(dimension="fluency", intent=f"i{place}", cases=9, verdict="no change") for place in range(45)]
    fell = FigureChange(dimension="relevance", intent="faq", cases=9, difference=-0.3, verdict="regression")
    return ReleaseView(
        suite="golden",
        run="r2",
        decision="hold",
        headline="one cause",
        causes=causes,
        changes=(*quiet, fell),
        cases=cases,
        cases_in_all=len(cases),
    )


WORSE = _case("faq-1", "worse", turns=(_turn("How long?", "You have 15 days.", "You have 30 days now."),))
VIEW = _view(
    WORSE,
    _case("ret-1", "worse", intent="returns"),
    _case("faq-2", "changed", turns=(_turn("And then?", "Yes.", "Yes, gladly."),)),
    *(_case(f"same-{place}") for place in range(5)),
    causes=(
        HoldCause(text="faq accuracy fell", also=("faq quality 1 → 0.2",), rules=("regression",), cases=("faq-1", "x")),
        HoldCause(text="returns accuracy fell", cases=("ret-1",)),
    ),
)


@pytest.fixture
def opened(shared_page: SharedPage, tmp_path: Path) -> Iterator[Opened]:
    """Opens a page; afterwards no error may have been logged and nothing else been asked for."""
    opened = 0
    said: list[str] = []
    asked: list[str] = []
    path = tmp_path / "gate.html"

    def open_view(view: ReleaseView, anchor: str = "", **settings: Any) -> Page:
        with path.open("w", encoding="utf-8") as out:
            release_html.write(view, out)
        nonlocal opened
        if opened:
            shared_page.given_back()
        page = shared_page.taken(
            **settings,
            request=lambda request: asked.append(request.url.split("#")[0]),
            console=lambda message: said.append(message.text),
            pageerror=lambda error: said.append(str(error)),
        )
        opened += 1
        page.goto(path.as_uri() + anchor)
        return page

    yield open_view
    shared_page.given_back()
    assert said == []
    assert asked == [path.as_uri()] * opened


def _names(page: Page) -> list[str]:
    return page.locator(".case .case-name > :first-child").all_inner_texts()


def test_each_cause_stands_once_with_its_cases_one_press_away(opened: Opened) -> None:
    page = opened(VIEW)
    assert page.locator(".causes > li").count() == 2
    assert "faq quality 1 → 0.2" in page.locator(".also").inner_text()
    page.locator(".only-cause").first.click()
    assert _names(page) == ["faq-1"]
    page.get_by_role("button", name="Clear filters").click()
    page.locator(".cause-cases summary").first.click()
    assert page.locator(".causes span.case-link").inner_text() == "x", "a case that is not on the page is no link"
    page.locator(".causes a.case-link", has_text="faq-1").click()
    expect(page.locator(".case-body del")).to_have_text("15")
    assert page.evaluate("location.hash") == "#case=faq-1"


def test_both_answers_stand_side_by_side_with_what_changed(opened: Opened) -> None:
    page = opened(VIEW, "#case=faq-1")
    body = page.locator(".case-body")
    assert body.locator(".asked").inner_text() == "How long?"
    before, after = body.locator(".side .text").all_inner_texts()
    assert (before, after) == ("You have 15 days.", "You have 30 days now.")
    assert body.locator("ins").all_inner_texts() == ["30", " now"]
    left, right = (body.locator(".side").nth(n).bounding_box() for n in (0, 1))
    assert left is not None
    assert right is not None
    assert left["y"] == right["y"]


def test_unchanged_cases_and_figures_are_folded_away(opened: Opened) -> None:
    page = opened(VIEW)
    assert _names(page) == ["faq-1", "ret-1", "faq-2"]
    page.locator("#hide-unchanged").uncheck()
    assert len(_names(page)) == 8
    assert page.locator("#figures tr:visible").count() == 2, "the head and the figure that fell"
    page.locator(".quiet-rows summary").click()
    assert page.locator("#figures tr:visible").count() == 2 + 1 + 45


def test_filters_work_together(opened: Opened) -> None:
    page = opened(VIEW)
    page.locator('[data-state="worse"]').click()
    assert _names(page) == ["faq-1", "ret-1"]
    page.get_by_label("All intents").select_option("returns")
    assert _names(page) == ["ret-1"]
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_label("Search").fill("gladly")
    expect(page.locator(".case")).to_have_count(1)
    assert _names(page) == ["faq-2"]
    page.get_by_label("Search").fill("nothing of the kind")
    expect(page.locator("#case-list .empty")).to_have_text("No case fits these filters.")


def test_light_and_dark_at_a_press(opened: Opened) -> None:
    page = opened(VIEW, color_scheme="light")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    assert page.locator("html").get_attribute("data-theme") == "dark"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_everything_without_scrolling_sideways(opened: Opened, scheme: str) -> None:
    page = opened(VIEW, "#case=faq-1", viewport={"width": 390, "height": 800}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(
        "[...document.querySelectorAll('.small-table')].every((each) => each.scrollWidth <= each.clientWidth)"
    )
    before, after = (page.locator(".case-body .side").nth(n).bounding_box() for n in (0, 1))
    assert before is not None
    assert after is not None
    assert after["y"] > before["y"], "before and after stand one above the other"
    assert page.locator("#figures .verdict").first.is_visible()


def test_two_thousand_cases_are_paged(opened: Opened) -> None:
    page = opened(_view(*(_case(f"c{place}", "worse") for place in range(2_000))))
    assert page.locator(".case").count() == 100
    page.get_by_role("button", name="Next").click()
    assert _names(page)[0] == "c100"
    page.evaluate("location.hash = '#case=c1999'")
    expect(page.locator(".case-body")).to_have_count(1)
    assert _names(page)[-1] == "c1999"


def test_nothing_to_show_is_said(opened: Opened) -> None:
    page = opened(_view(*(_case(f"c{place}") for place in range(3))))
    assert page.locator("#case-list .empty").inner_text() == "All 3 cases are unchanged."
    assert opened(ReleaseView(suite="s", run="r")).locator("h1").inner_text() == "COMPARED"


def test_hostile_texts_are_only_shown(opened: Opened) -> None:
    cases = [
        _case(f"{name} {text[:40]}", "worse", intent=text[:60], turns=(_turn(text, text, f"{text} x"),), found=(text,))
        for name, text in HOSTILE.items()
    ]
    causes = (HoldCause(text=HOSTILE["script"], cases=tuple(case.case for case in cases)),)
    page = opened(_view(*cases, causes=causes), viewport={"width": 390, "height": 800})
    for place in range(len(cases)):
        page.locator(".causes a.case-link").nth(place).dispatch_event("click")
    assert page.locator(".case-body").count() == len(cases)
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("document.documentElement.scrollWidth") == 390
