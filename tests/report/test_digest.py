"""A digest as text, Markdown and page: every figure with its interval, texts escaped."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime

from proctor.core.digest import (
    Difference,
    DigestExample,
    DigestFigure,
    DigestSection,
    FigureTable,
    Measured,
    Period,
    PeriodDigest,
    TimeSlot,
    Unit,
)
from proctor.report.digest_charts import figure_bar, scale_of, slot_columns
from proctor.report.digest_report import DIGEST_REPORT
from proctor.report.digest_text import change_text, measured_text, short_text, value_text
from tests.tables import table

DAY = Period(
    kind="daily",
    name="2026-11-15",
    begin=datetime(2026, 11, 15, tzinfo=UTC),
    end=datetime(2026, 11, 16, tzinfo=UTC),
)
REPEATS = DigestFigure(
    name="repeat contact",
    unit="share",
    now=Measured(value=0.12, low=0.1, high=0.145, count=900),
    before=Measured(value=0.08, low=0.06, high=0.1, count=800),
    change=Difference(value=0.04, low=0.01, high=0.07),
    better="lower",
)
HOSTILE = '<script>alert("x")</script> | **bold** \x1b[31m'


def _digest() -> PeriodDigest:
    section = DigestSection(
        name="completion",
        title="Task completion",
        tables=(FigureTable(title="Repeat contact", figures=(REPEATS, replace(REPEATS, name=HOSTILE))),),
        examples=(DigestExample(what=HOSTILE, where="s1", intent="faq", detail=HOSTILE),),
        notes=(HOSTILE,),
    )
    missing = DigestSection(name="audit", title="Human audit", missing="nobody has rated")
    return PeriodDigest(
        period=DAY,
        before=replace(DAY, name="2026-11-14"),
        headline=(REPEATS,),
        sections=(section, missing),
        slots=(TimeSlot(begin=DAY.begin, turns=3, conversations=2, handed_over=1),),
        events=17,
        source="events.jsonl",
        notes=("a note",),
    )


def _written(ending: str) -> str:
    out = io.StringIO()
    DIGEST_REPORT.writers[ending](_digest(), out)
    return out.getvalue()


def test_text_has_value_interval_number_and_change() -> None:
    out = io.StringIO()
    DIGEST_REPORT.write(_digest(), out)
    shown = out.getvalue()
    assert "12.0 % (10.0–14.5 %)" in shown
    assert "900" in shown
    assert "+4.0 points (+1.0 to +7.0)" in shown
    assert "worse" in shown
    assert "not measured" in shown
    assert "nobody has rated" in shown
    assert "\x1b[31m" not in shown


def test_a_page_is_one_file_without_scripts_and_with_texts_escaped() -> None:
    page = _written(".html")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "http" not in page.replace("http-equiv", "")
    assert page.count("<svg") >= 3
    assert 'class="tile fail"' in page
    assert "not measured: nobody has rated" in page
    assert "\x1b" not in page


def test_markdown_is_escaped() -> None:
    text = _written(".md")
    assert "<script>" not in text
    assert "| repeat contact | 12\\.0 % " in text
    assert "clearly worse than before: repeat contact" in text


def test_an_empty_digest_says_so() -> None:
    empty = PeriodDigest(period=DAY, before=DAY)
    out = io.StringIO()
    DIGEST_REPORT.writers[".html"](empty, out)
    assert "nothing was measured in this period" in out.getvalue()
    assert short_text(empty).startswith("Daily digest 2026-11-15: nothing was measured")


def test_a_short_text_for_channels_has_the_headline() -> None:
    lines = short_text(_digest()).splitlines()
    assert lines[1].startswith("- repeat contact: 12.0 % (10.0–14.5 %), n = 900, before 8.0 %, change +4.0 points")
    assert lines[1].endswith("[worse]")
    assert lines[2] == "- Human audit: not measured (nobody has rated)"


@table(
    ("unit", "value", "shown"),
    [
        ("share", 0.5, "50.0 % (40.0–60.0 %)"),
        ("rating", 3.5, "3.50 (0.40 to 0.60)"),
        ("score", 0.5, "0.500 (0.400 to 0.600)"),
        ("money", 2.0, "$2.00 ($0.4000 to $0.6000)"),
        ("seconds", 1.5, "1.5 s (400 ms to 600 ms)"),
    ],
)
def test_units(unit: Unit, value: float, shown: str) -> None:
    assert measured_text(Measured(value=value, low=0.4, high=0.6, count=9), unit) == shown
    assert measured_text(Measured(), unit) == "–"


def test_a_change_is_better_or_worse_only_if_it_is_clear() -> None:
    assert REPEATS.trend == "worse"
    assert replace(REPEATS, better="higher").trend == "better"
    assert replace(REPEATS, better=None).trend == ""
    unclear = replace(REPEATS, change=Difference(value=0.04, low=-0.01, high=0.09))
    assert unclear.trend == ""
    assert change_text(replace(REPEATS, change=None)) == "–"
    assert change_text(replace(REPEATS, unit="count", change=Difference(value=-1200))) == "−1,200"


def test_small_shares_are_drawn_on_a_shorter_scale() -> None:
    assert scale_of([REPEATS]) == (0.0, 0.25)
    assert scale_of([replace(REPEATS, unit="money")]) is None
    assert scale_of([replace(REPEATS, unit="rating")]) == (1.0, 5.0)
    drawn = figure_bar(REPEATS, (0.0, 0.25))
    assert drawn.count("<circle") == 2
    assert figure_bar(replace(REPEATS, now=Measured()), (0.0, 1.0)) == ""
    assert slot_columns("turns", [TimeSlot(begin=DAY.begin)], [0], hourly=True) == ""


def test_costs_below_a_cent_keep_two_digits() -> None:
    shown = [value_text(cost, "money") for cost in (0.0, 0.0004, 0.00003912, 0.012, 12.5)]
    assert shown == ["$0.00", "$0.00040", "$0.000039", "$0.0120", "$12.50"]
