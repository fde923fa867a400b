from __future__ import annotations

import pytest
from tests.generate.staging import prompt, says

from proctor.core.errors import ReplyError
from proctor.generate.stages import find_inputs, find_intent

TYPED = """\
---
inputs:
  text: {type: string, description: What to sort.}
  size: {type: integer, minimum: 1}
  kind: {type: string, enum: [a, b]}
---
Sort {{text}} {{size}} {{kind}}.
"""


def said(name: str, *statements: str, values: tuple[str, ...] = ()) -> dict[str, object]:
    return {"name": name, "description": f"the {name}", "statements": list(statements), "values": list(values)}


async def test_the_intent_is_one_line() -> None:
    assert await find_intent(says({"intent": " Tags a\n word. "}), prompt()) == "Tags a word."


async def test_an_essay_is_no_intent() -> None:
    with pytest.raises(ReplyError, match="100 words"):
        await find_intent(says(*[{"intent": "word " * 100}] * 3), prompt())


async def test_every_input_is_specified_and_samples_become_examples() -> None:
    reply = {"inputs": [said("word", "It is one word.", "It is one word."), said("sentence", "It is a sentence.")]}
    sentence, word = await find_inputs(says(reply), prompt(), [{"sentence": "Snow falls.", "word": "falls", "more": 1}])
    assert (sentence.name, sentence.examples) == ("sentence", ("Snow falls.",))
    assert (word.statements, word.description) == (("It is one word.",), "the word")


async def test_the_prompts_own_sample_serves_where_no_other_is_given() -> None:
    reply = {"inputs": [said("word", "x."), said("sentence", "y.")]}
    _, word = await find_inputs(says(reply), prompt(), [])
    assert word.examples == ("jumps",)


async def test_what_was_declared_wins() -> None:
    reply = {
        "inputs": [said("text", "x.", values=("p", "q")), said("size", "A number.", values=("3",)), said("kind", "z.")]
    }
    text, size, kind = await find_inputs(says(reply), prompt(TYPED), [])
    assert (text.description, text.values) == ("What to sort.", ("p", "q"))
    assert (size.type, size.values) == ("integer", ())
    assert kind.values == ("a", "b")


async def test_an_input_left_out_is_complained_of_and_stays_as_declared() -> None:
    reply = {"inputs": [said("word", "It is one word.")]}
    sentence, word = await find_inputs(says(*[reply] * 3), prompt(), [])
    assert (sentence.statements, word.statements) == ((), ("It is one word.",))
    with pytest.raises(ReplyError, match="nothing is said of the input"):
        await find_inputs(says(*[{"inputs": []}] * 3), prompt(), [])
