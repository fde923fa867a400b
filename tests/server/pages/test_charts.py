"""Drawings of the server: whole SVG pictures, whatever the values and names are."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.server.pages.charts import BarChart, BarRow, Drawing, Series, TimeChart, value_text
from proctor.server.pages.templates import _data, _moment, _number, _percent
from tests.tables import table

_MARKUP = "\"><script>alert(1)</script><b onload=x> & '日本"


def _whole(chart: TimeChart | BarChart) -> ET.Element:
    for inline in (True, False):
        drawn = chart.svg(inline=inline)
        assert "nan" not in drawn
        assert "<script" not in drawn
        if inline:
            assert "style=" not in drawn  # the policy of the pages refuses it
    return ET.fromstring(chart.svg(inline=False))


@given(st.lists(st.one_of(st.none(), st.floats()), max_size=30), st.booleans())
def test_any_values_can_be_drawn(values: list[float | None], is_share: bool) -> None:
    chart = TimeChart(
        title="t", times=[float(n) for n in range(len(values))], series=[Series(label="a", values=values)],
        unit="share" if is_share else "count",
    )  # fmt: skip
    _whole(chart)
    json.loads(str(_data(chart.data())))
    bars = BarChart(title="t", rows=[BarRow(label="a", value=each, low=each, high=each) for each in values])
    _whole(bars)


def test_names_are_text() -> None:
    series = [Series(label=_MARKUP, values=[1.0, 2.0], colour=_MARKUP)]
    _whole(TimeChart(title=_MARKUP, times=[0.0, 1.0], series=series))
    _whole(BarChart(title=_MARKUP, rows=[BarRow(label=_MARKUP, value=0.5, note=_MARKUP)]))


def test_data_cannot_end_its_element() -> None:
    made = str(_data({"a": "</script><script>alert(1)</script><!-- &amp; \u2028"}))
    assert not {"<", "&", "\u2028"} & set(made)
    assert json.loads(made) == {"a": "</script><script>alert(1)</script><!-- &amp; \u2028"}


def test_a_bar_below_zero_leads_to_the_left() -> None:
    rows = [BarRow(label="a", value=-0.4, low=-0.8, high=0.1), BarRow(label="b", value=0.5)]
    drawn = BarChart(title="t", rows=rows, unit="score", top=1.0).svg()
    below, above = (
        (float(x), float(width)) for x, width in re.findall(r'<rect[^>]* x="([\d.]+)"[^>]* width="([\d.]+)"', drawn)
    )
    assert below[0] + below[1] == pytest.approx(above[0], abs=0.1), "both begin at zero"
    assert "-0.40" in drawn


def test_what_is_unknown_is_a_dash() -> None:
    row = BarRow(label="a", value=None)
    assert ">–<" in BarChart(title="t", rows=[row]).svg()
    assert (_number(None), _number(math.nan), _percent(None), _percent(math.inf)) == ("–",) * 4
    assert str(_moment(math.inf)) == str(_moment(None)) == "–"


@table(
    ("value", "unit", "text"),
    [(0.123, "share", "12.3 %"), (0.02, "seconds", "20 ms"), (12, "seconds", "12 s"), (1234.5, "count", "1,234"),
     (3.5, "money", "$3.50"), (0.5, "score", "0.50")],
)  # fmt: skip
def test_values_are_short(value: float, unit: str, text: str) -> None:
    assert value_text(value, unit) == text  # type: ignore[arg-type]


def test_a_drawing_of_another_part_is_kept() -> None:
    assert Drawing(title="t", inline_svg="<svg/>").svg(inline=False) == "<svg/>"
    assert Drawing(title="t", inline_svg="<svg/>", file_svg="<svg a=''/>").svg(inline=False) == "<svg a=''/>"
