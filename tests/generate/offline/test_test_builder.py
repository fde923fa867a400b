from __future__ import annotations

import re
from collections import Counter
from typing import Any

from tests.tables import table

from proctor.core.case import Case
from proctor.core.rule import Rule
from proctor.generate.build_case import Brief, inputs_of
from proctor.generate.deduplicate import without_duplicates
from proctor.generate.extract import invert
from proctor.generate.offline import offline_tests, offline_validity
from proctor.generate.spec import InputSpec, Scenario, Specification
from proctor.prompts.load import parse_prompt

SHORT = Rule(text="The answer has at most 30 words.", kind="format", predicate="words <= 30")
LABEL = Rule(text="The answer is one of Good or Bad.", kind="format", predicate='one of "Good", "Bad"')
ENGLISH = Rule(text="The answer is in English.", kind="style", predicate="language is en")
THREE = Rule(text="The answer has at least 3 <p> tags.", kind="format", predicate='tags "p" >= 3')
GENTLE = Rule(text="The answer is gentle.", kind="style")
MISSING = Rule(text="If nothing is found, the answer is NA.", kind="refusal")
RULES = (SHORT, LABEL, ENGLISH, THREE, GENTLE, MISSING)
PAIR = """\
---
sample:
  pair: "The quick brown fox jumps over the lazy dog.; jumps"
---
Tag the word of {{pair}}.
"""
TWO_INPUTS = """\
---
inputs:
  sentence: {type: string}
  word: {type: string}
sample: {sentence: Snow falls on cedars., word: falls}
---
Tag {{word}} in {{sentence}}.
"""
TYPED = """\
---
inputs:
  size: {type: integer, minimum: 1, maximum: 5}
  loud: {type: boolean}
  mode: {type: string, enum: [fast, slow]}
---
Say {{size}} {{loud}} {{mode}}.
"""


def brief(text: str = "Summarise {{text}}.", rules: tuple[Rule, ...] = RULES, **more: Any) -> Brief:
    prompt = parse_prompt(text, name="p")
    samples = more.pop("samples", (prompt.sample,) if prompt.sample else ())
    inputs = more.pop("inputs", ())
    both = (*rules, *(invert(rule) for rule in rules))
    return Brief(prompt=prompt, spec=Specification(rules=both, inputs=inputs), samples=samples, **more)


def made(whole: Brief, *rules: Rule, count: int = 3, **more: Any) -> tuple[Case, ...]:
    return offline_tests(whole, rules or whole.spec.rules, count=count, **more)


def text_of(case: Case) -> str:
    return "\n".join(str(value) for value in inputs_of(case).values())


def by(strategy: str, cases: tuple[Case, ...]) -> list[Case]:
    return [case for case in cases if case.metadata["strategy"] == strategy]


def test_every_rule_and_every_opposite_gets_its_tests_and_none_is_there_twice() -> None:
    whole = brief()
    cases = made(whole, count=4)
    aims = Counter((case.metadata.get("inverse_rules") or case.metadata["rules"])[0] for case in cases)
    assert aims == {rule.id: 4 for rule in whole.spec.rules}
    assert without_duplicates(cases) == (cases, ())
    assert {case.metadata["valid"] for case in cases} == {True}
    assert {case.metadata["origin"] for case in cases} == {"extractor"}
    assert {"typical", "boundary", "edge", "adversarial", "metamorphic"} <= {
        case.metadata["strategy"] for case in cases
    }


def test_the_same_seed_makes_the_same_tests_and_another_seed_others() -> None:
    assert made(brief(), seed=7) == made(brief(), seed=7)
    assert made(brief(), seed=7) != made(brief(), seed=8)


def test_tests_of_rules_worked_on_apart_are_seldom_the_same() -> None:
    whole = brief()
    apart = [case for rule in whole.spec.rules for case in made(whole, rule)]
    new, _ = without_duplicates(apart)
    assert len(new) >= 0.9 * len(apart)


def test_what_is_there_is_not_made_again() -> None:
    first = made(brief(), SHORT, count=3)
    more = made(brief(), SHORT, count=3, avoid=first)
    assert len(more) == 3
    assert without_duplicates(more, kept=first)[1] == ()


def test_a_limit_is_pressed_by_much_material_and_a_minimum_by_little() -> None:
    long = by("boundary", made(brief(), SHORT))[0]
    assert len(text_of(long).split()) > 60
    short = by("boundary", made(brief(), THREE))[0]
    assert len(text_of(short).split()) <= 8


def test_labels_are_mixed_and_an_opposite_asks_for_something_else() -> None:
    assert any("Good" in text_of(case) and "Bad" in text_of(case) for case in by("boundary", made(brief(), LABEL)))
    wishes = [text_of(case) for case in by("adversarial", made(brief(), invert(LABEL)))]
    assert any("None of the usual answers fits" in wish for wish in wishes)


def test_a_rule_about_language_meets_another_language() -> None:
    cases = made(brief(), ENGLISH, invert(ENGLISH), count=3)
    assert any(not text_of(case).isascii() for case in by("boundary", cases))
    assert any(re.search("Deutsch|français|日本語", text_of(case)) for case in made(brief(), invert(ENGLISH), count=6))


def test_a_rule_for_nothing_found_meets_nothing() -> None:
    assert "nothing" in by("boundary", made(brief(), MISSING))[0].metadata["reasoning"]


def test_the_opposite_of_a_rule_no_code_can_check_is_asked_for_in_words() -> None:
    whole = brief(rules=(GENTLE,))
    (case,) = made(whole, whole.spec.rules[1], count=1)
    assert (case.metadata["polarity"], case.metadata["rules"]) == ("negative", [GENTLE.id])
    assert "gentle" in text_of(case)


def test_a_varied_test_names_the_one_it_varies() -> None:
    cases = made(brief(), count=6)
    varied = by("metamorphic", cases)
    assert {case.metadata["relation"]["kind"] for case in varied} <= {"noise", "order", "locale", "paraphrase"}
    ids = {case.id for case in cases}
    for case in varied:
        assert case.metadata["relation"]["of"] in ids
        assert case.metadata["relation"]["of"] != case.id


def test_a_structured_input_keeps_the_shape_of_its_sample() -> None:
    cases = made(brief(PAIR), count=5)
    assert len(cases) == 5 * 2 * len(RULES)
    for case in cases:
        sentence, separator, word = case.inputs["pair"].partition("; ")
        assert separator
        assert ";" not in word
        assert re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sentence), case.inputs["pair"]


def test_an_input_that_is_a_word_of_another_stays_one() -> None:
    for case in made(brief(TWO_INPUTS), count=5):
        assert case.inputs["word"] in case.inputs["sentence"]


def test_inputs_that_are_no_text_take_declared_values_to_their_edges() -> None:
    cases = made(brief(TYPED, rules=(SHORT, LABEL)), count=5)
    assert len(cases) == 20
    sizes = {case.inputs["size"] for case in cases}
    assert {1, 5} <= sizes <= {1, 2, 3, 4, 5}
    assert {case.inputs["loud"] for case in cases} == {True, False}
    assert {case.inputs["mode"] for case in cases} == {"fast", "slow"}


def test_there_are_no_more_tests_than_there_are_values() -> None:
    text = "---\ninputs:\n  loud: {type: boolean}\n---\nSay {{loud}}."
    assert len(made(brief(text), count=5)) == 2


def test_what_the_scenario_fixes_stays_and_its_language_is_spoken() -> None:
    text = (
        "---\ninputs:\n  joke: {type: string}\n  locale: {type: string, default: en-us}\n---\nRate {{joke}} {{locale}}."
    )
    scenario = Scenario(name="French", instructions="The user writes in French.", parameters={"locale": "fr-FR"})
    cases = made(brief(text, scenario=scenario), SHORT, count=3)
    assert {case.inputs["locale"] for case in cases} == {"fr-FR"}
    assert {case.tags for case in cases} == {("French",)}
    assert re.search("[éèêçàô]|est|une", by("typical", cases)[0].inputs["joke"])


def test_a_japanese_prompt_gets_japanese_inputs() -> None:
    cases = made(brief("次の文章を三十字以内で要約してください。{{text}}"), SHORT, count=2)
    assert re.search("[ぁ-ん]", by("typical", cases)[0].inputs["text"])


def test_the_authors_samples_are_tests_once_with_the_answers_they_gave() -> None:
    samples = ({"text": "It was fine.", "output": "Good"}, {"text": "It was dreadful.", "expected": "Bad"})
    cases = by("sample", made(brief(samples=samples), count=2))
    assert [(case.inputs["text"], case.expect.reference) for case in cases] == [
        ("It was fine.", "Good"),
        ("It was dreadful.", "Bad"),
    ]
    assert {case.metadata["origin"] for case in cases} == {"sample"}


def test_a_prompt_without_variables_gets_messages() -> None:
    cases = made(brief("system:\nYou answer questions briefly."), count=2)
    assert all(case.input and not case.inputs for case in cases)


def test_nothing_asked_for_is_nothing_made() -> None:
    assert made(brief(), SHORT, count=0) == ()
    assert offline_tests(brief(), (), count=3) == ()
    fixed = brief(scenario=Scenario(parameters={"text": "always this"}))
    assert made(fixed, SHORT) == ()


def test_requests_stay_requests() -> None:
    text = "---\nsample:\n  request: GET https://example.com/users/{id}\n---\nName {{request}}."
    for case in made(brief(text), count=4):
        assert re.match(r"\s*(get|post|put|patch|delete|head) \s*https?://", case.inputs["request"], re.IGNORECASE)


@table(
    ("inputs", "wrong"),
    [
        ({"size": 3, "loud": True, "mode": "fast"}, ""),
        ({"size": 3, "loud": True}, "mode is missing"),
        ({"size": 9, "loud": True, "mode": "fast"}, "over the maximum"),
        ({"size": True, "loud": True, "mode": "fast"}, "type integer"),
        ({"size": 3, "loud": 1, "mode": "fast"}, "type boolean"),
        ({"size": 3, "loud": True, "mode": "odd"}, "none of the values"),
    ],
)
def test_validity_by_declaration(inputs: dict[str, Any], wrong: str) -> None:
    ok, why = offline_validity(brief(TYPED), Case(id="t", inputs=inputs))
    assert ok is (wrong == "")
    assert wrong in why


def test_validity_of_texts_and_shapes() -> None:
    def valid(whole: Brief, **inputs: Any) -> tuple[bool | None, str]:
        return offline_validity(whole, Case(id="t", inputs=inputs))

    assert valid(brief(), text="x")[0] is True
    assert valid(brief(), text=" \n")[0] is False
    assert valid(brief(inputs=(InputSpec(name="text", examples=("",)),)), text="")[0] is True
    assert valid(brief(PAIR), pair="Snow falls.; falls")[0] is True
    assert valid(brief(PAIR), pair="Snow falls.")[0] is False
    assert "does not occur" in valid(brief(PAIR), pair="Snow falls.; rain")[1]
    fixed = brief(scenario=Scenario(parameters={"text": "this"}))
    assert valid(fixed, text="that") == (False, "text: it is not what the scenario fixes")
