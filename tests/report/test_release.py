from __future__ import annotations

import dataclasses
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from proctor.core.errors import InputError
from proctor.core.report import Cell, Report, Tally
from proctor.report import html, markdown, release_html, release_markdown, release_terminal, terminal
from proctor.report.dimensions import grids
from proctor.report.release_formats import DECISION_REPORT
from proctor.report.release_view import (
    CaseTurn,
    ComparedCase,
    FigureChange,
    FigurePair,
    HoldCause,
    HoldReason,
    ReleaseView,
    WorseCaseView,
    chance,
    number,
)
from tests.report.hostile import HOSTILE
from tests.tables import table


def _change(dimension: str, intent: str | None, verdict: str, **more: float) -> FigureChange:
    figures = {"before": 0.82, "after": 0.68, "difference": -0.14, "low": -0.2, "high": -0.08, "p": 0.001} | more
    return FigureChange(dimension=dimension, intent=intent, cases=40, verdict=verdict, detectable=0.05, **figures)


VIEW = ReleaseView(
    suite="golden",
    run="r2",
    target="agent",
    baseline="baselines/golden.json",
    baseline_run="r1",
    policy="gate.yaml",
    decision="hold",
    headline="1 reason to hold",
    reasons=(HoldReason(text="recommendation relevance fell from 0.82 to 0.68", rule="regression", cases=("c1",)),),
    notes=("other scorers than in the baseline",),
    changes=(
        _change("fluency", None, "no change", difference=0.0, low=-0.01, high=0.01),
        _change("fluency", "faq", "not enough data"),
        _change("relevance", "recommendation", "regression"),
    ),
    worse=(
        WorseCaseView(
            case="c1",
            intent="recommendation",
            dimension="relevance",
            part="intent_relevance",
            before=0.9,
            after=0.4,
            reason="opens with a promotion",
            quote="Our bundles are 20 % off!",
        ),
    ),
    worse_in_all=12,
    missing=("gone",),
    added=("new",),
    causes=(
        HoldCause(
            text="recommendation relevance fell from 0.82 to 0.68", also=("quality 0.9 → 0.8",), cases=("c1", "gone")
        ),
    ),
    cases=(
        ComparedCase(
            case="c1",
            intent="recommendation",
            state="worse",
            outcome_before="pass",
            outcome_after="fail",
            before=0.9,
            after=0.4,
            figures=(FigurePair(name="relevance.intent_relevance", before=0.9, after=0.4),),
            turns=(CaseTurn(question="A horror?", before="Uzumaki.", after="A bundle!", diff=(("gone", "Uzumaki."),)),),
            expected=("facts: Uzumaki",),
            found=("relevance 0.40 < 0.75: opens with a promotion",),
        ),
        ComparedCase(case="c2", outcome_before="pass", outcome_after="pass"),
    ),
    cases_in_all=2,
    time=datetime(2026, 11, 15, tzinfo=UTC),
)


def _written(view: ReleaseView) -> dict[str, str]:
    made = {}
    for name, write in (("html", release_html.write), ("md", release_markdown.write), ("term", release_terminal.write)):
        out = io.StringIO()
        write(view, out)
        made[name] = out.getvalue()
    return made


def test_every_format_says_the_decision_the_reason_and_the_cases() -> None:
    made = _written(VIEW)
    for text in made.values():
        for words in ("HOLD", "fell from 0.82 to 0.68", "c1", "promotion", "−0.140", "gone", "new", "other scorers"):
            assert words in text
        assert "Relevance · Intent relevance" in text
        assert "quality 0.9 → 0.8" in text
    assert all("1 of 12" in text for name, text in made.items() if name != "html"), "the page has every case"


def test_what_got_worse_comes_first_then_what_is_over_all_intents() -> None:
    assert [each.verdict for each in VIEW.shown] == ["regression", "no change", "not enough data"]


def test_many_figures_that_did_not_change_are_folded_in_every_format() -> None:
    quiet = tuple(_change("fluency", f"intent-{place:02d}", "no change") for place in range(40))
    made = _written(dataclasses.replace(VIEW, changes=(*VIEW.changes[1:], *quiet)))
    assert all("40 figures did not change" in text for text in made.values())
    assert "intent-07" not in made["term"]
    assert "<details>\n<summary>40 figures did not change</summary>" in made["md"]


@table("decision", ["ship", "hold", "not enough data", None])
def test_an_empty_comparison_of_any_decision_can_be_shown(decision: str | None) -> None:
    view = ReleaseView(suite="s", run="r", decision=decision)
    assert all(view.word in text for text in _written(view).values())


@table("text", HOSTILE.values(), ids=HOSTILE)
def test_nothing_from_outside_is_obeyed(tmp_path: Path, text: str) -> None:
    worse = dataclasses.replace(VIEW.worse[0], case=text, intent=text, reason=text, quote=text, part=text)
    view = dataclasses.replace(
        VIEW,
        suite=text,
        target=text,
        reasons=(HoldReason(text=text, cases=(text,)),),
        notes=(text,),
        worse=(worse,),
        missing=(text,),
        changes=(dataclasses.replace(VIEW.changes[0], dimension=text, intent=text),),
        causes=(HoldCause(text=text, also=(text,), rules=(text,), cases=(text,)),),
        cases=(
            ComparedCase(
                case=text,
                intent=text,
                state="worse",
                turns=(CaseTurn(question=text, before=text, after="x", diff=(("gone", text), ("new", "x"))),),
                expected=(text,),
                found=(text,),
            ),
        ),
    )
    for ending in DECISION_REPORT.endings:
        DECISION_REPORT.save(view, tmp_path / f"gate{ending}")
    made = _written(view)
    plain = _written(VIEW)
    assert made["html"].count("<script") == plain["html"].count("<script") - 1
    assert made["html"].count("<img") == 0
    assert made["html"].count("<tr") == plain["html"].count("<tr") - 4, "one table of one row instead of three"
    assert "\x1b" not in made["term"]
    assert "\x1b" not in made["md"]


def test_files_by_their_ending(tmp_path: Path) -> None:
    for ending in DECISION_REPORT.endings:
        DECISION_REPORT.save(VIEW, tmp_path / f"deep/gate{ending}")
    data = json.loads((tmp_path / "deep/gate.json").read_text())
    assert data["word"] == "HOLD"
    assert data["worse"][0]["part"] == "intent_relevance"
    with pytest.raises(InputError, match="no decision"):
        DECISION_REPORT.save(VIEW, tmp_path / "gate.pdf")


def _cell(dimension: str, intent: str | None, mean: float | None, target: str = "agent", unscored: int = 0) -> Cell:
    return Cell(dimension=dimension, intent=intent, target=target, cases=4, unscored=unscored, mean=mean)


CELLS = (
    _cell("fluency", "faq", 0.9),
    _cell("fluency", "chitchat", 0.7),
    _cell("fluency", None, 0.8),
    _cell("relevance", "faq", None, unscored=4),
    _cell("relevance", None, 0.6, unscored=1),
    _cell("relevance.intent_relevance", "faq", 0.1),
    _cell("pass_rate", None, 0.75),
)


def test_the_grid_has_the_known_dimensions_in_their_order_and_all_intents_last() -> None:
    (grid,) = grids(Report(id="r", by_dimension=CELLS))
    assert grid.dimensions == ("pass_rate", "relevance", "fluency")
    assert [row.intent for row in grid.rows] == ["chitchat", "faq", None]
    assert grid.rows[0].cells[:2] == (None, None)
    assert grid.lowest == (None, None, 0.7)
    assert grid.target == ""


def test_each_target_has_its_grid() -> None:
    both = (*CELLS, *(dataclasses.replace(cell, target="other") for cell in CELLS))
    assert [grid.target for grid in grids(Report(id="r", by_dimension=both))] == ["agent", "other"]


def test_a_run_without_intents_and_dimensions_of_its_own_has_no_grid() -> None:
    cells = (_cell("exact", "other", 1.0), _cell("exact", None, 1.0), _cell("quality", None, 1.0))
    assert grids(Report(id="r", by_dimension=cells, by_scorer=(Tally(name="exact"),))) == []
    assert grids(Report(id="r")) == []


def test_the_grid_stands_on_the_terminal_in_markdown_and_on_the_page() -> None:
    report = Report(id="r", name="golden", by_dimension=CELLS)
    out = io.StringIO()
    terminal.write(report, list, out, width=120)
    assert "Fluency" in out.getvalue()
    assert "0.60 *" in out.getvalue()
    out = io.StringIO()
    markdown.write(report, list, out)
    assert "| chitchat | 4 | – | – | 0.70 |" in out.getvalue()
    assert "0.60 \\*" in out.getvalue()
    out = io.StringIO()
    html.write(report, list, out)
    page = out.getvalue().partition('id="page-data">')[2].partition("</script>")[0]
    assert json.loads(page)["dimensions"][0]["rows"][0]["intent"] == "chitchat"


def test_a_chance_is_never_shown_as_nothing() -> None:
    assert chance(0.0) == chance(0.0004) == "<0.001"
    assert chance(0.0123) == "0.012"
    assert chance(None) == number(None, 3)


def test_a_folder_is_no_name_for_a_decision(tmp_path: Path) -> None:
    folder = tmp_path / "gate.md"
    folder.mkdir()
    with pytest.raises(InputError, match="folder"):
        DECISION_REPORT.check_name(folder)
