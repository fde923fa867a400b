from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.generate.staging import ONE, TWO, asked, prompt, says
from tests.tables import table

from proctor.core.chat import Request
from proctor.core.errors import ReplyError
from proctor.core.rule import Rule
from proctor.generate.stages.rules import find_opposites, find_rules, locate

QUOTE = "Return only the tag of the word: NN, VB or JJ."


def rule(text: str = "The answer is one of NN, VB or JJ.", **more: Any) -> dict[str, Any]:
    return {"text": text, "quote": QUOTE, "kind": "format", "predicate": "", **more}


def opposite(name: str, text: str = "The answer is a whole sentence.") -> dict[str, str]:
    return {"rule": name, "text": text}


async def found(*rules: dict[str, Any], **more: Any) -> tuple[Rule, ...]:
    return await find_rules(says(*[{"rules": list(rules)}] * 3), prompt(), **more)


async def test_a_rule_has_its_place_in_the_prompt_its_kind_and_its_predicate() -> None:
    (only,) = await found(rule(predicate='one of "NN","VB"'))
    assert only.source is not None
    assert prompt().text[only.source.start : only.source.end] == QUOTE == only.source.quote
    assert (only.kind, only.origin, only.groundedness) == ("format", "scripted:stage", None)
    assert only.predicate == 'one of "NN", "VB"'


@table("predicate", ["words is few", "import os", 'input contains "x"', "", "words <="])
async def test_a_predicate_that_does_not_parse_or_is_about_the_input_is_dropped_and_the_rule_stays(
    predicate: str,
) -> None:
    (only,) = await found(rule(predicate=predicate))
    assert only.predicate is None


async def test_a_guard_on_the_input_is_about_the_output() -> None:
    (only,) = await found(rule(predicate='when input contains "?": words = 1'))
    assert only.predicate is not None


@pytest.mark.parametrize("text", ["The input must be a sentence.", "The user's message should be in English.", "Nouns"])
async def test_a_rule_about_the_input_or_no_sentence_at_all_is_left_out(text: str) -> None:
    kept = await found(rule(), rule(text))
    assert [each.text for each in kept] == ["The answer is one of NN, VB or JJ."]


async def test_a_rule_whose_quote_is_not_there_is_complained_of_and_kept_without_a_place() -> None:
    (only,) = await found(rule(quote="Never said."))
    assert only.source is None


async def test_the_complaint_reaches_the_model_and_the_mended_answer_counts() -> None:
    answers = iter([{"rules": [rule(quote="Never said.")]}, {"rules": [rule()]}])
    seen: list[Request] = []
    model = asked(lambda _: next(answers), seen)
    (only,) = await find_rules(model, prompt())
    assert only.source is not None
    assert "not in the prompt letter by letter" in seen[1].messages[-1].content


async def test_known_rules_are_shown_and_not_found_again() -> None:
    seen: list[Request] = []
    model = asked(lambda _: {"rules": [rule(ONE.text.upper()), rule("The answer is short.")]}, seen)
    kept = await find_rules(model, prompt(), known=[ONE])
    assert [each.text for each in kept] == ["The answer is short."]
    assert ONE.text in str(seen[0])


async def test_nothing_new_is_an_answer_when_some_are_known_and_none_when_not() -> None:
    assert await found(known=[ONE]) == ()
    with pytest.raises(ReplyError, match="no rule is listed"):
        await found()


async def test_at_most_as_many_as_asked_for() -> None:
    kept = await found(rule("The answer is short."), rule("The answer is a tag."), most=1)
    assert [each.text for each in kept] == ["The answer is short."]


async def test_each_rule_gets_one_opposite_that_is_linked_to_it() -> None:
    model = says({"opposites": [opposite("R2"), opposite("R1", "The answer is a tag of its own making.")]})
    one, two = await find_opposites(model, [ONE, TWO])
    assert (one.inverse_of, two.inverse_of) == (ONE.id, TWO.id)
    assert one.text == "The answer is a tag of its own making."
    assert {one.polarity, two.polarity} == {"negative"}


async def test_an_opposite_that_is_left_out_is_made_by_code_and_says_so() -> None:
    reply = {"opposites": [opposite("R1"), opposite("R1"), opposite("R2", TWO.text)]}
    one, two = await find_opposites(says(*[reply] * 3), [ONE, TWO])
    assert (one.origin, two.origin) == ("scripted:stage", "extractor")
    assert two.inverse_of == TWO.id
    assert two.text != TWO.text


async def test_no_rules_need_no_question() -> None:
    assert await find_opposites(says(), []) == ()


def test_a_quote_is_found_however_it_was_copied() -> None:
    text = 'Say  "thou"\nand never   “you”.'
    for quote in ('Say "thou" and never "you".', "  say 'thou' and NEVER “you”. ", "never"):
        span = locate(quote, text)
        assert span is not None
        assert text[span.start : span.end] == span.quote
    assert locate("thee", text) is None
    assert locate("  ", text) is None


@given(st.text(max_size=80), st.data())
def test_any_stretch_of_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    span = locate(quote, text)
    bare = quote.strip().strip("\"'“”‘’`…")
    if bare.split():
        assert span is not None
        assert span.quote.split() == text[span.start : span.end].split()
    else:
        assert span is None


async def test_the_example_of_the_question_is_no_rule() -> None:
    """A small model copies it: `The answer ...`."""
    echo = {"text": "The answer ...", "quote": "...", "kind": "format", "predicate": ""}
    with pytest.raises(ReplyError, match="not written out"):
        await find_rules(says(*[{"rules": [echo]}] * 3), prompt())
