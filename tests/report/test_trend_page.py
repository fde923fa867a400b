"""Figures over time: the files, and the page in a real browser."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from proctor.report import trend_html
from proctor.report.trend_formats import TREND_REPORT
from proctor.report.trend_view import TrendMoment, TrendSeries, TrendView
from tests.tables import table

from .hostile import HOSTILE

_START = datetime(2026, 11, 1, tzinfo=UTC)


def _series(dimension: str, intent: str | None, *means: float | None, floor: float | None = None) -> TrendSeries:
    moments = tuple(
        TrendMoment(
            run=f"r{day}",
            time=_START + timedelta(days=day),
            mean=mean,
            cases=9,
            changed=("scorers",) if day == 1 else (),
        )
        for day, mean in enumerate(means)
    )
    under = floor is not None and means[-1] is not None and means[-1] < floor
    alarm = f"{intent} {dimension} under {floor:g} in the last run" if under else ""
    return TrendSeries(dimension=dimension, intent=intent, moments=moments, floor=floor, alarm=alarm)


VIEW = TrendView(
    suite="golden",
    target="agent",
    lines=(
        _series("relevance", None, 0.9, 0.9, 0.9),
        _series("relevance", "faq", 0.9, 0.9, 0.7, floor=0.8),
        _series("fluency", "faq", 1.0, None, 1.0),
        _series("relevance", "returns", 1.0),
        _series("relevance.intent_relevance", "faq", 0.2, 0.1),
    ),
    time=_START,
)


def _page(view: TrendView) -> str:
    out = io.StringIO()
    trend_html.write(view, out)
    return out.getvalue()


def test_alarms_floors_and_changes_are_on_the_page() -> None:
    text = _page(VIEW)
    assert "faq relevance under 0.8 in the last run" in text
    assert "1 of 1 figures with a floor are under it" in text
    assert "2026-11-02 00:00 r1: 0.900 of 9 cases; changed before it: scorers" in text
    assert text.count('class="floor"') == 1
    assert "1 sub-scores" in text
    assert "TREND" in _page(TrendView(suite="s", target="t"))


def test_files_by_their_ending(tmp_path: Path) -> None:
    for ending in TREND_REPORT.endings:
        TREND_REPORT.save(VIEW, tmp_path / f"trend{ending}")
    assert json.loads((tmp_path / "trend.json").read_text())["lines"][1]["floor"] == 0.8
    assert "| Relevance | faq | 0.700 | −0.200 | 0.8 | alarm | 3 |" in (tmp_path / "trend.md").read_text()


@table("text", HOSTILE.values(), ids=HOSTILE)
def test_nothing_from_outside_is_obeyed(tmp_path: Path, text: str) -> None:
    view = TrendView(suite=text, target=text, lines=(_series(text.replace(".", ""), text, 0.5, floor=0.6),))
    for ending in TREND_REPORT.endings:
        TREND_REPORT.save(view, tmp_path / f"trend{ending}")
    assert _page(view).count("<script") == _page(VIEW).count("<script")
    assert "<img" not in _page(view)


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_the_charts_are_narrowed_in_a_browser(browser: Browser, tmp_path: Path, width: int) -> None:
    path = tmp_path / "trend.html"
    path.write_text(_page(VIEW), encoding="utf-8")
    page: Page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme="dark")
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    charts = page.locator("[data-intent] .trend:visible")
    assert charts.count() == 3
    page.locator("#moved").check()
    assert charts.count() == 1
    page.locator("#moved").uncheck()
    page.locator("#intent").select_option("returns")
    assert charts.count() == 1
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    page.close()
    assert said == []
