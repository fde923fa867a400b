"""Whatever the text: no crash, spans that are right, and names that do not depend on the order."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples, scaled
from tests.tables import table

from proctor.generate.extract import extract_inputs, extract_intent, extract_rules, invert
from proctor.prompts.load import parse_prompt
from proctor.prompts.prompt import Prompt, PromptMessage

_SAID = """
Return only the tag. You must not exceed 80 words, If unsure, return "Unknown". - * 1. ## Rules: Example: Input:
Output: ``` {{text}} {% if x %} <p> </p> as JSON with keys "a" and "b" each every one of: A, B or C; never always do
not please in English 200文字以内で書いてください。 「その他」と答えてください。 場合は 、 ( ) [ ] { } " ' ` ** __ : ;
at most three sentences between 3 and 5 starting with the title should be and then ensuring using
"""
_WORDS = st.sampled_from(_SAID.split())
_TEXTS = st.one_of(
    st.text(max_size=400),
    st.lists(st.tuples(_WORDS, st.sampled_from([" ", "\n", "\n\n", "  ", "\t"])), max_size=60).map(
        lambda pieces: "".join(word + gap for word, gap in pieces)
    ),
)
_ROLES = st.sampled_from(["system", "user", "assistant"])
# Statements that do not lean on each other, so that they may stand in any order.
_STATEMENTS = (
    "Answer in at most 50 words.",
    "Always thank the customer.",
    "Never mention competitors.",
    "Respond in English.",
    "If the question is about prices, send the price list.",
    "Do not use emojis.",
    "Cite the section number.",
    "Be polite.",
)


def _prompt(*texts: str) -> Prompt:
    return Prompt(name="p", messages=tuple(PromptMessage(role="system", text=text) for text in texts))


@settings(max_examples=examples(300))
@given(st.lists(st.tuples(_ROLES, _TEXTS), min_size=1, max_size=3))
def test_any_text_gives_rules_with_right_spans(messages: list[tuple[str, str]]) -> None:
    prompt = Prompt(name="p", messages=tuple(PromptMessage(role=role, text=text) for role, text in messages))  # type: ignore[arg-type]
    rules = extract_rules(prompt)
    for rule in rules:
        assert rule.source is not None
        assert rule.text.strip()
        assert prompt.text[rule.source.start : rule.source.end] == rule.source.quote
        opposite = invert(rule)
        assert opposite.inverse_of == rule.id
        assert opposite.polarity == "negative"
        assert opposite.text != rule.text
    assert len({rule.id for rule in rules}) == len(rules)
    assert extract_rules(prompt) == rules
    extract_intent(prompt)
    assert len(extract_inputs(prompt)) >= 1


@settings(max_examples=examples(60))
@given(st.permutations(_STATEMENTS), st.sampled_from(["{}\n", "- {}\n", "{} ", "{}\n\n"]))
def test_the_order_of_statements_does_not_rename_rules(order: list[str], form: str) -> None:
    told = extract_rules(_prompt("".join(form.format(each) for each in order)))
    usual = extract_rules(_prompt("\n".join(_STATEMENTS)))
    assert {rule.id for rule in told} == {rule.id for rule in usual}
    assert {rule.predicate for rule in told} == {rule.predicate for rule in usual}


def test_a_rule_keeps_its_name_in_another_message() -> None:
    one = extract_rules(_prompt("You are a bot.\n\n" + "\n".join(_STATEMENTS)))
    several = extract_rules(_prompt("You are a bot.", *_STATEMENTS))
    assert [rule.id for rule in one] == [rule.id for rule in several]


def test_a_long_prompt_is_read_to_its_end() -> None:
    filler = "The company sells bicycles in many towns. " * scaled(1000)
    rules = extract_rules(parse_prompt(filler + "\nAlways answer in English."))
    assert [rule.predicate for rule in rules] == ["language is en"]


@table("piece", ["then ", "first,  ", "please  then, ", "*", "(", "\n", "in a, ", "one of A, ", "{{a}} "])
def test_the_same_thing_over_and_over_comes_to_an_end(piece: str) -> None:
    rules = extract_rules(_prompt(piece * scaled(1500)))
    assert len(rules) <= 1
