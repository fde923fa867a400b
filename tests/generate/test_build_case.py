from __future__ import annotations

from tests.generate.staging import NOT_ONE, NOTES, ONE, TWO, brief, prompt

from proctor.core.codec import content_id
from proctor.generate.build_case import input_specs, inputs_of, make_case, open_inputs, refill
from proctor.generate.spec import InputSpec, Scenario

DEFAULTS = """\
---
inputs:
  joke: {type: string}
  locale: {type: string, default: en-us}
---
Rate {{joke}} in {{locale}}.
"""


def test_the_id_is_of_the_inputs_and_the_scenario() -> None:
    inputs = {"sentence": "Dogs bark.", "word": "bark"}
    case = make_case(brief(), inputs, rules=[ONE], origin="m")
    assert case.id == "t-" + content_id([inputs, ""], length=10)
    assert make_case(brief(), inputs, rules=[TWO], origin="other", strategy="edge").id == case.id
    assert make_case(brief(scenario=Scenario(name="s")), inputs, origin="m").id != case.id


def test_defaults_and_what_the_scenario_fixes_are_filled_in() -> None:
    assert make_case(brief(DEFAULTS), {"joke": "Ha."}, origin="m").inputs == {"joke": "Ha.", "locale": "en-us"}
    french = brief(DEFAULTS, scenario=Scenario(name="French", parameters={"locale": "fr-FR"}))
    assert make_case(french, {"joke": "Ha.", "locale": "x"}, origin="m").inputs["locale"] == "fr-FR"
    assert [spec.name for spec in open_inputs(french)] == ["joke"]


def test_a_prompt_without_variables_has_one_input() -> None:
    (spec,) = input_specs(prompt(NOTES))
    assert spec.name == "input"
    case = make_case(brief(NOTES), {"input": "Hi."}, origin="m")
    assert (case.input, case.inputs, inputs_of(case)) == ("Hi.", {}, {"input": "Hi."})


def test_what_is_known_of_an_input_beats_what_is_declared() -> None:
    sentence, word = input_specs(prompt(), [InputSpec(name="word", values=("a",))])
    assert (sentence.type, word.values) == ("string", ("a",))


def test_an_opposite_is_remembered_beside_the_rule_it_contradicts() -> None:
    about = make_case(brief(), {"sentence": "x", "word": "x"}, rules=[NOT_ONE], origin="m").metadata
    assert (about["rules"], about["inverse_rules"], about["polarity"]) == ([ONE.id], [NOT_ONE.id], "negative")


def test_other_inputs_make_another_test_of_the_same_rules() -> None:
    case = make_case(brief(), {"sentence": "x", "word": "x"}, rules=[ONE], origin="m")
    other = refill(brief(), case, {"sentence": "x y"})
    assert other.inputs == {"sentence": "x y", "word": "x"}
    assert other.id != case.id
    assert other.metadata == case.metadata
