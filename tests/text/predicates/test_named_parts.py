"""Parts of an answer with a name or a number; a part that is not there is no fault of its own."""

from __future__ import annotations

import pytest
from tests.tables import table

from proctor.text.predicates import PredicateError, parse

MARKDOWN = "## SUMMARY\n\nOne line.\n\n### Details\n\nMore.\n\n## TOOLS\nsaw, plane\n"
CAPITALS = "SUMMARY\nOne line.\n\nTOOLS\nsaw, plane\nglue"
BOLD = "**Summary**\nOne line.\n**Tools:**\nsaw, plane"
COLON = "Summary:\nOne line.\nTools:\nsaw"
LABELS = "DJUR: hund\n**RÅD:** vila, vatten\n- Grund： ingen\n"
CODE = "```sql\nSELECT 1;\n```\nNote: none.\n```sql\nSELECT 2\n```"


def ok(predicate: str, text: str) -> bool | None:
    return parse(predicate).check(text, inputs={}).ok


@table(
    "text, predicate, holds",
    [
        (MARKDOWN, 'section "TOOLS": lines = 1', True),
        (MARKDOWN, 'section "tools": contains "glue"', False),
        (MARKDOWN, 'section "SUMMARY": contains "More"', True),  # a smaller heading belongs to it
        (MARKDOWN, 'section "Details": is "More."', True),
        (MARKDOWN, 'section "RATING": lines = 1', None),
        (CAPITALS, 'section "SUMMARY": sentences = 1', True),
        (CAPITALS, 'section "TOOLS": lines = 1', False),
        (BOLD, 'section "Summary": is "One line."', True),
        (BOLD, 'section "Tools": lines = 1', True),
        (COLON, 'section "Summary": is "One line."', True),
        ("SUMMARY stays inside a sentence.", 'section "SUMMARY": lines = 1', None),
    ],
)
def test_a_section_ends_at_the_next_heading_of_its_kind(text: str, predicate: str, holds: bool | None) -> None:
    assert ok(predicate, text) is holds


@table(
    "predicate, holds",
    [
        ('labelled "DJUR": is "hund"', True),
        ('labelled "RÅD:": words <= 1', False),
        ('labelled "grund": is "ingen"', True),
        ('labelled "ORSAK": words <= 1', None),
        ('labelled "DJ": words <= 1', None),
    ],
)
def test_a_label_is_followed_by_a_colon_and_its_line(predicate: str, holds: bool | None) -> None:
    assert ok(predicate, LABELS) is holds


@table(
    "predicate, holds",
    [
        ('line 2: is "b"', True),
        ('line 3: is "b"', False),
        ('line 4: is "b"', None),
        ('paragraph 2: is "c"', True),
        ('paragraph 3: is "c"', None),
        ('last paragraph: is "c"', True),
    ],
)
def test_lines_and_paragraphs_have_numbers(predicate: str, holds: bool | None) -> None:
    assert ok(predicate, "a\nb\n\nc") is holds


@table(
    "text, predicate, holds",
    [
        (CODE, 'each code block: starts with "SELECT"', True),
        (CODE, 'each code block: ends with ";"', False),
        (CODE, 'outside code blocks: is "Note: none."', True),
        ("```\nx\n```", "outside code blocks: is empty", True),
        ("plain", 'each code block: ends with ";"', None),
        ("plain", "outside code blocks: is empty", None),
        ("```\nnever closed", "each code block: lines = 1", None),
        ("<a>1</a> <b>2</b>\n", 'outside tags "a", "b": is empty', True),
        ("<a>1</a> so", 'outside tags "a": is empty', False),
        ("nothing", 'outside tags "a": is empty', None),
    ],
)
def test_code_and_tags_have_an_outside(text: str, predicate: str, holds: bool | None) -> None:
    assert ok(predicate, text) is holds


@pytest.mark.parametrize("predicate", ["line 0: words = 1", "line 1.5: words = 1", 'section "#": words = 1'])
def test_a_part_needs_a_name_or_a_whole_number(predicate: str) -> None:
    with pytest.raises(PredicateError):
        parse(predicate)


def test_an_open_part_stays_open_and_a_failing_one_fails() -> None:
    text = "A: hola\nA: this is quite clearly an English sentence about the weather in the north"
    assert ok('labelled "A": language is en', text) is None
    assert ok('labelled "A": language is de', text) is False
