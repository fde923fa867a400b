from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from xml.sax.saxutils import escape

from hypothesis import given
from hypothesis import strategies as st

from proctor.report.safe_text import clip, one_line, visible, xml_text

any_text = st.text(alphabet=st.characters(exclude_categories=()), max_size=300)


@given(any_text)
def test_visible_text_holds_no_control_and_is_utf8(text: str) -> None:
    shown = visible(text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert shown.encode() is not None


@given(any_text, st.integers(1, 80))
def test_one_line_is_one_line_and_short(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


@given(any_text)
def test_xml_text_is_xml(text: str) -> None:
    ET.fromstring(f"<a>{escape(xml_text(text))}</a>".encode())


def test_ordinary_text_is_left_alone() -> None:
    text = "返品は30日以内です。 Größe £45, عربي 👨‍👩‍👧"
    assert visible(text) == one_line(text) == xml_text(text) == text


def test_controls_become_pictures_of_themselves() -> None:
    assert visible("\x1b[31m\x07\x00\x7f") == "␛[31m␇␀␡"


def test_white_space_becomes_one_blank() -> None:
    assert one_line("a\r\n\tb \n\n c\u2028d") == "a b c d"


def test_a_cut_is_marked() -> None:
    assert clip("abcdef", 4) == "abc…"
    assert one_line("word " * 1_000, 10).endswith("…")
