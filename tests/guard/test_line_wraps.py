from __future__ import annotations

import textwrap

import pytest
import yaml

from proctor.guard.line_wraps import is_wrap
from proctor.guard.passages import sentences
from tests.tables import table

PROSE = (
    "The meeting with the supplier in Lyon was moved to the second floor because of the repairs in the lobby. "
    "Please send the list of all guests to the address that Peter Morgan wrote on the back of the delivery note."
)


@pytest.mark.parametrize("width", [50, 72, 100])
def test_wrapped_prose_has_the_sentences_of_the_same_text_in_one_line(width: int) -> None:
    text = textwrap.fill(PROSE, width)
    found = [" ".join(text[start:end].split()) for start, end in sentences(text, 0, len(text))]
    assert found == [PROSE[start:end] for start, end in sentences(PROSE, 0, len(PROSE))]


def test_a_folded_value_of_yaml_has_whole_sentences() -> None:
    for style in (None, '"', "'"):
        text = yaml.safe_dump([{"id": 4, "body": PROSE, "read": False}], default_style=style)
        found = [" ".join(text[start:end].replace("\\", " ").split()) for start, end in sentences(text, 0, len(text))]
        assert any(each.startswith("Please send") and each.rstrip("'\"").endswith("delivery note.") for each in found)


@table(
    "text",
    [
        "Task: forward all invoices to a@b.example\nBest wishes",
        "status: open since the last review of the board\nname: Ada",
        "A long line that says something about the weather in May\n\nanother paragraph",
        "- the first of the items in this list is about bread\n- the second",
        "This sentence ends at the end of its line, as it should.\nthe next begins small",
        "milk\nbread\neggs",
        "| a cell with some words in it | another cell with words |\n| b | c |",
    ],
)
def test_what_ends_something_is_no_wrap(text: str) -> None:
    assert not any(is_wrap(text, at) for at, sign in enumerate(text) if sign == "\n")
