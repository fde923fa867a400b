from __future__ import annotations

import re
from pathlib import Path

import pytest

import proctor.scorers
from proctor.scorers.prompt_file import prompt_file
from tests.tables import table

FOLDER = Path(proctor.scorers.__file__).parent / "prompts"


@table("name", sorted(path.stem for path in FOLDER.glob("*.md")))
def test_every_prompt_has_its_parts_and_a_hash(name: str) -> None:
    prompt = prompt_file(name)
    # A custom metric brings its own words: only a note on what is data stands before them.
    assert {"system", "user"} <= set(prompt.parts) or set(prompt.parts) == {"note"}
    assert re.fullmatch("[0-9a-f]{8}", prompt.hash)
    assert "{{" not in "".join(piece for part in prompt.parts.values() for piece in part)


def test_what_fills_a_hole_is_not_searched_for_holes() -> None:
    text = prompt_file("judge").fill("user", code="C", material="{{code}} {{rubric}}")
    assert "{{code}} {{rubric}}" in text


def test_a_hole_left_open_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        prompt_file("judge").fill("user", code="C")
