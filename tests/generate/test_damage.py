from __future__ import annotations

import pytest

from proctor.generate.damage import DAMAGES, damage_output
from proctor.text.predicates import parse


def test_an_output_is_damaged_in_every_way() -> None:
    assert set(damage_output("The harbour is calm. The day is over.")) == set(DAMAGES)


@pytest.mark.parametrize("output", ["", "x", "I'm sorry, but I can't help with that."])
def test_no_damage_leaves_the_output_as_it_was(output: str) -> None:
    assert all(text.strip() != output.strip() for text in damage_output(output).values())


def test_the_other_language_is_found_to_be_another() -> None:
    damaged = damage_output("Yes.")["in another language"]
    assert parse("language is de").check(damaged).ok
