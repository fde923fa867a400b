from __future__ import annotations

import pytest

from proctor.text.prompt_parts import prompt_parts

TEXT = "# system\n\nSay {{what}} to {{whom}}.\n\n# second part\n\nNothing.\n"


def test_parts_are_filled_by_name() -> None:
    prompt = prompt_parts(TEXT)
    assert prompt.fill("system", what="hello", whom="you") == "Say hello to you."
    assert prompt.fill("second part") == "Nothing."


def test_what_fills_a_hole_is_not_searched_for_holes() -> None:
    assert prompt_parts(TEXT).fill("system", what="{{whom}}", whom="you") == "Say {{whom}} to you."


def test_an_open_hole_and_a_part_that_is_not_there_are_mistakes() -> None:
    with pytest.raises(KeyError):
        prompt_parts(TEXT).fill("system", what="hello")
    with pytest.raises(KeyError):
        prompt_parts(TEXT).fill("third")


def test_the_hash_is_of_every_word() -> None:
    assert prompt_parts(TEXT).hash == prompt_parts(TEXT).hash
    assert prompt_parts(TEXT).hash != prompt_parts(TEXT.replace("Nothing", "Something")).hash
