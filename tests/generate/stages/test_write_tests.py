from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.generate.staging import NOT_ONE, NOTES, ONE, TAGS, TWO, asked, brief, prompt, says

from proctor.core.case import Expectation
from proctor.core.chat import Request
from proctor.core.errors import ReplyError
from proctor.generate.build_case import Brief, inputs_of, make_case
from proctor.generate.spec import InputSpec, Scenario, Specification
from proctor.generate.stages import expand_test, write_baseline, write_tests

LONG = "The dog that had slept under the porch all morning woke, stretched, and barked at the postman again."


def row(name: str = "R1", sentence: str = "Dogs bark.", word: str = "bark", **more: Any) -> dict[str, Any]:
    return {"rule": name, "strategy": "typical", "why": "a verb", "inputs": {"sentence": sentence, "word": word}} | more


async def test_a_test_is_a_case_that_knows_its_rule() -> None:
    (case,) = await write_tests(says({"tests": [row()]}), brief(), [ONE], count=1)
    assert case.inputs == {"sentence": "Dogs bark.", "word": "bark"}
    about = case.metadata
    assert (about["rules"], about["strategy"], about["polarity"]) == ([ONE.id], "typical", "positive")
    assert (about["origin"], about["reasoning"], about["valid"]) == ("scripted:stage", "a verb", None)
    assert case.expect == Expectation()


async def test_a_test_of_an_opposite_aims_at_the_rule_behind_it() -> None:
    (case,) = await write_tests(says({"tests": [row()]}), brief(), [NOT_ONE], count=1)
    assert (case.metadata["rules"], case.metadata["inverse_rules"]) == ([ONE.id], [NOT_ONE.id])
    assert case.metadata["polarity"] == "negative"


async def test_no_rule_gets_more_than_was_asked_for() -> None:
    reply = {"tests": [row("R1", "Cats sit."), row("R1"), row("R2", "Pigs fly.")]}
    cases = await write_tests(says(reply), brief(), [ONE, TWO], count=1)
    assert [case.inputs["sentence"] for case in cases] == ["Cats sit.", "Pigs fly."]


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (row("R1", " "), "the input sentence is empty"),
        (row("R1", "Ask [insert name here]."), "placeholder"),
        (row("R1", "Cats sit."), "there already"),
    ],
)
async def test_what_cannot_be_used_is_complained_of(bad: Mapping[str, Any], complaint: str) -> None:
    seen: list[Request] = []
    answers = iter([{"tests": [bad]}, {"tests": [row()]}])
    model = asked(lambda _: next(answers), seen)
    there = make_case(brief(), {"sentence": "Cats sit.", "word": "bark"}, origin="person")
    (case,) = await write_tests(model, brief(), [ONE], count=1, avoid=[there])
    assert case.inputs["sentence"] == "Dogs bark."
    assert complaint in seen[1].messages[-1].content


async def test_the_whole_ones_of_a_poor_answer_are_kept() -> None:
    reply = {"tests": [row(), row("R2", "")]}
    cases = await write_tests(says(*[reply] * 3), brief(), [ONE, TWO], count=1)
    assert [case.metadata["rules"] for case in cases] == [[ONE.id]]


async def test_an_answer_without_a_test_is_an_error() -> None:
    with pytest.raises(ReplyError, match="stage tests"):
        await write_tests(says(*[{"tests": []}] * 3), brief(), [ONE], count=1)


async def test_the_model_is_shown_the_rules_the_inputs_the_samples_and_what_is_there() -> None:
    seen: list[Request] = []
    model = asked(lambda _: {"tests": [row(strategy="edge"), row("R2", "Pigs fly.", strategy="edge")]}, seen)
    there = make_case(brief(), {"sentence": "Cats sit.", "word": "sit"}, origin="person")
    whole = brief(samples=({"sentence": "Snow falls.", "word": "snow"},), instructions={"tests": "Use animals."})
    await write_tests(model, whole, [ONE, NOT_ONE], count=1, avoid=[there], strategies=["edge"], sample=2)
    system, user = (message.content for message in seen[0].messages)
    for text in (f"R1: {ONE.text}", f"R2 (opposite): {NOT_ONE.text}", "Snow falls.", "Cats sit.", "sentence (string)"):
        assert text in user
    assert "edge (valid but unusual" in system
    assert "adversarial" not in system
    assert "Use animals." in system
    assert "{{" not in system
    assert seen[0].schema is not None
    item = seen[0].schema["properties"]["tests"]["items"]["properties"]
    assert item["rule"]["enum"] == ["R1", "R2"]
    assert item["strategy"]["enum"] == ["edge"]


async def test_what_the_scenario_fixes_is_not_asked_for_and_is_in_every_test() -> None:
    fixed = brief(scenario=Scenario(name="fox", parameters={"sentence": "A fox runs."}))
    reply = {"tests": [{"rule": "R1", "strategy": "edge", "why": "", "inputs": {"word": "runs"}}]}
    (case,) = await write_tests(says(reply), fixed, [ONE], count=1)
    assert case.inputs == {"sentence": "A fox runs.", "word": "runs"}
    assert (case.metadata["scenario"], case.tags) == ("fox", ("fox",))


async def test_declared_values_are_held_to() -> None:
    spec = Specification(inputs=(InputSpec(name="word", values=("yes", "no")),), rules=(ONE,))
    whole = Brief(prompt=prompt(), spec=spec)
    (case,) = await write_tests(says({"tests": [row(word="no")]}), whole, [ONE], count=1)
    assert case.inputs["word"] == "no"
    with pytest.raises(ReplyError):
        await write_tests(says(*[{"tests": [row(word="perhaps")]}] * 3), whole, [ONE], count=1)


async def test_a_prompt_without_variables_is_asked_by_its_message() -> None:
    reply = {"tests": [{"rule": "R1", "strategy": "typical", "why": "", "inputs": {"input": "Say it shorter."}}]}
    (case,) = await write_tests(says(reply), brief(NOTES), [ONE], count=1)
    assert (case.input, case.inputs) == ("Say it shorter.", {})


async def test_nothing_asked_for_needs_no_question() -> None:
    assert await write_tests(says(), brief(), [], count=3) == ()
    assert await write_tests(says(), brief(), [ONE], count=0) == ()
    assert await write_baseline(says(), prompt(), count=0) == ()


async def test_an_expanded_test_is_longer_and_forgets_what_was_expected() -> None:
    case = make_case(brief(), {"sentence": "Dogs bark.", "word": "bark"}, rules=[ONE], origin="m", strategy="edge")
    short = replace(case, expect=Expectation(reference="VB"))
    model = says({"inputs": {"sentence": LONG, "word": "barked"}})
    longer = await expand_test(model, brief(), short)
    assert longer.inputs["sentence"] == LONG
    assert longer.expect.reference is None
    assert longer.metadata["expanded_from"] == short.id != longer.id
    assert longer.metadata["rules"] == [ONE.id]


async def test_an_expansion_that_is_no_longer_is_an_error() -> None:
    case = make_case(brief(), {"sentence": LONG, "word": "dog"}, rules=[ONE], origin="m")
    with pytest.raises(ReplyError, match="three times"):
        await expand_test(says(*[{"inputs": {"sentence": LONG, "word": "dog"}}] * 3), brief(), case)


async def test_what_has_no_text_cannot_be_expanded() -> None:
    fixed = brief(scenario=Scenario(parameters={"sentence": "A fox runs.", "word": "fox"}))
    case = make_case(fixed, {}, rules=[ONE], origin="m")
    assert await expand_test(says(), fixed, case) is case


async def test_baseline_tests_come_from_the_prompt_alone() -> None:
    seen: list[Request] = []
    same = {"inputs": {"sentence": "Dogs bark.", "word": "bark"}}
    other = {"inputs": {"sentence": "Cats sit.", "word": "sit"}}
    model = asked(lambda _: {"tests": [same, same, other]}, seen)
    cases = await write_baseline(model, prompt(TAGS), count=2)
    assert [inputs_of(case)["word"] for case in cases] == ["bark", "sit"]
    assert {case.tags for case in cases} == {("baseline",)}
    assert cases[0].metadata["strategy"] == "baseline"
    assert ONE.text not in str(seen[0])
