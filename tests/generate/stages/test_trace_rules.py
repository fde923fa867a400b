"""Rules of an agent's prompt as a model finds them: a predicate is kept only if it can be read."""

from __future__ import annotations

from typing import Any

import pytest
from tests.generate.staging import says

from proctor.core.errors import ReplyError
from proctor.core.rule import Rule
from proctor.generate.stages.trace_rules import find_trace_rules
from proctor.prompts.load import parse_prompt

PROMPT = parse_prompt("Look at the booking before you change it. Be kind to the customer.")


def rule(**more: Any) -> dict[str, str]:
    return {"text": "The agent looks before it changes.", "quote": "Look at the booking", "predicate": "", **more}


async def found(*said: dict[str, Any], known: tuple[Rule, ...] = ()) -> tuple[Rule, ...]:
    model = says(*[{"rules": list(said)}] * 3)
    return await find_trace_rules(
        model, PROMPT, readable=lambda text: text if text == "a before b" else None, forms=["a before b"], known=known
    )


async def test_a_rule_has_its_place_and_its_predicate() -> None:
    (only,) = await found(rule(predicate="`a before b`"))
    assert only.predicate == "a before b"
    assert only.source is not None
    assert only.source.quote == "Look at the booking"
    assert only.origin == "scripted:stage"


async def test_a_predicate_that_cannot_be_read_is_dropped_and_the_rule_stays() -> None:
    (only,) = await found(rule(predicate="import os"))
    assert only.predicate is None


async def test_what_is_known_is_not_found_again_and_nothing_new_is_no_mistake() -> None:
    known = Rule(text="The agent looks before it changes.")
    assert await found(rule(), known=(known,)) == ()


async def test_nothing_usable_is_an_error() -> None:
    with pytest.raises(ReplyError):
        await found(rule(text="No."))
