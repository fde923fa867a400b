"""A generation: what is asked for, what is made of the answers, and what stays when something is edited."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.generate.answering import TEXT, Answering, prompt_of
from tests.tables import table

from proctor.core.case import Case
from proctor.core.chat import Reply, Request
from proctor.core.errors import RefusedError, ReplyError
from proctor.core.rule import Rule
from proctor.generate.artefacts import Artefacts
from proctor.generate.effort import Effort
from proctor.generate.extract import invert
from proctor.generate.generation_request import Made, Makers, Order
from proctor.generate.pipeline import generate
from proctor.generate.provenance import provenance_of
from proctor.generate.spec import InputSpec, Scenario

SMALL = Effort(most_rules=None, tests_per_rule=2, rules_per_call=2, generations=2, expansions=0, baseline=0)
ORDER = Order(prompt=prompt_of(), effort=SMALL, cross_check=False)


async def make(
    order: Order = ORDER, model: Answering | None = None, present: Artefacts | None = None, **makers: Any
) -> Made:
    """A generation, with the provenance it would be written with."""
    model = model or Answering(order.prompt)
    chosen = Makers(writer=model, judge=model, **makers)
    before = present or Artefacts()
    made = await generate(order, chosen, before)
    return replace(made, artefacts=replace(made.artefacts, provenance=provenance_of(order, chosen, made, before, [])))


def positives(made: Made | Artefacts) -> list[Rule]:
    rules = made.artefacts.rules if isinstance(made, Made) else made.rules
    return [rule for rule in rules if rule.polarity == "positive"]


def aimed_at(made: Made, rule: Rule) -> list[Case]:
    return [case for case in made.artefacts.tests if rule.id in case.metadata["rules"]]


async def test_everything_is_made_from_a_prompt() -> None:
    made = await make(replace(ORDER, samples=({"sentence": "A sample."},)))
    artefacts = made.artefacts
    assert artefacts.intent.startswith("It answers")
    assert [spec.name for spec in artefacts.inputs] == ["sentence"]
    assert [rule.groundedness for rule in positives(made)] == [1.0, 1.0, 1.0]
    assert [rule.inverse_of for rule in artefacts.rules if rule.polarity == "negative"] == [
        rule.id for rule in positives(made)
    ]
    assert made.uncovered == ()
    for rule in positives(made):
        polarities = sorted(case.metadata["polarity"] for case in aimed_at(made, rule))
        assert polarities == ["negative", "negative", "positive", "positive"]
    assert sum(case.metadata["strategy"] == "sample" for case in artefacts.tests) == 1
    assert len({case.id for case in artefacts.tests}) == len(artefacts.tests)
    assert all(case.metadata["valid"] for case in artefacts.tests)


async def test_without_a_model_everything_is_made_by_code() -> None:
    made = await generate(ORDER, Makers(), Artefacts())
    assert made.artefacts.intent
    assert {rule.origin for rule in made.artefacts.rules} == {"extractor"}
    assert made.uncovered == ()
    assert {case.metadata["origin"] for case in made.artefacts.tests} == {"extractor"}


async def test_the_same_order_is_the_same_whatever_comes_first() -> None:
    class Late(Answering):
        async def complete(self, request: Request) -> Reply:
            reply = await super().complete(request)
            for _ in range(len(self.requests) * 7 % 5):
                await asyncio.sleep(0)
            return reply

    order = replace(ORDER, effort=replace(SMALL, expansions=1, baseline=3))
    assert (await make(order)).artefacts == (await make(order, Late(order.prompt))).artefacts


async def test_a_test_that_is_not_valid_is_replaced_and_counted() -> None:
    first: list[str] = []

    def odd(stage: str, request: Request, data: dict[str, Any]) -> dict[str, Any]:
        if stage == "validity" and len(first) < 2:
            first.append(request.messages[-1].content)
            return {"reason": "no sentence", "verdict": "invalid"}
        return data

    made = await make(model=Answering(odd=odd))
    assert made.invalid == 2
    assert made.uncovered == ()
    assert all(len(aimed_at(made, rule)) == 4 for rule in positives(made))


async def test_a_rule_whose_tests_are_all_invalid_gets_some_by_code() -> None:
    def odd(stage: str, request: Request, data: dict[str, Any]) -> dict[str, Any]:
        if stage == "tests":
            return {"tests": [each | {"inputs": {"sentence": "the very same words"}} for each in data["tests"]]}
        return data

    made = await make(model=Answering(odd=odd))
    assert made.uncovered == ()
    assert "extractor" in {case.metadata["origin"] for case in made.artefacts.tests}


async def test_a_rule_that_no_input_can_test_is_named() -> None:
    def odd(stage: str, request: Request, data: dict[str, Any]) -> dict[str, Any]:
        return {"reason": "never", "verdict": "invalid"} if stage == "validity" else data

    made = await make(model=Answering(odd=odd))
    assert [rule.id for rule in made.uncovered] == [rule.id for rule in positives(made)]
    assert made.artefacts.tests == ()


async def test_a_rule_the_prompt_does_not_ask_for_is_switched_off() -> None:
    def odd(stage: str, request: Request, data: dict[str, Any]) -> dict[str, Any]:
        if stage == "groundedness" and "apologise" in request.messages[-1].content.rpartition("rule")[2]:
            return {"reason": "not there", "verdict": "absent"}
        return data

    made = await make(model=Answering(odd=odd))
    off = [rule for rule in positives(made) if rule.disabled]
    assert [rule.text for rule in off] == ["The answer does not apologise in any way."]
    assert aimed_at(made, off[0]) == []
    assert made.uncovered == ()


async def test_the_opposite_of_a_reworded_rule_is_made_again() -> None:
    made = await generate(ORDER, Makers(), Artefacts())
    before = replace(made.artefacts, provenance=provenance_of(ORDER, Makers(), made, Artefacts(), []))
    old, opposite, *rest = before.rules
    assert opposite.inverse_of == old.id
    mine = replace(old, text="Return exactly one noun.", origin="person")
    carried = replace(opposite, inverse_of=mine.id)  # as the file is read back
    again = await generate(ORDER, Makers(), replace(before, rules=(mine, carried, *rest)))
    (new,) = [each for each in again.artefacts.rules if each.inverse_of == mine.id]
    assert new.text == invert(mine).text != opposite.text
    for kept in (replace(carried, locked=True), replace(carried, text="Return two nouns.", origin="person")):
        again = await generate(ORDER, Makers(), replace(before, rules=(mine, kept, *rest)))
        assert [each for each in again.artefacts.rules if each.inverse_of == mine.id] == [kept]


async def test_intent_and_inputs_of_a_person_stay_after_an_edit_of_the_prompt() -> None:
    made = await make()
    mine = InputSpec(name="sentence", description="mine")
    provenance = provenance_of(ORDER, Makers(), made, made.artefacts, [], edited=["intent.txt", "inputs.yaml"])
    assert provenance["by_person"] == ["intent.txt", "inputs.yaml"]
    present = replace(made.artefacts, intent="Mine.", inputs=(mine,), provenance=provenance)
    text = TEXT.replace("{{sentence}}", "{{sentence}} {{more}}") + "\n- Be brief."
    order = replace(ORDER, prompt=prompt_of(text))
    for start in (None, "intent"):
        again = await generate(replace(order, start=start), Makers(), present, provenance["by_person"])
        assert again.artefacts.intent == "Mine."
        assert again.artefacts.inputs[0] == mine
        assert [spec.name for spec in again.artefacts.inputs] == ["sentence", "more"]


@table("stage", ["intent", "inputs", "rules", "opposites", "tests", "validity", "groundedness"])
async def test_a_stage_without_a_usable_answer_is_noted_and_made_by_code(stage: str) -> None:
    def odd(asked: str, request: Request, data: dict[str, Any]) -> dict[str, Any] | Exception:
        return ReplyError("nothing usable") if asked == stage else data

    made = await make(model=Answering(odd=odd))
    named = "inverse" if stage == "opposites" else stage
    assert any(note.startswith(f"{named}: ") for note in made.notes)
    assert made.uncovered == ()
    assert made.artefacts.intent
    assert made.artefacts.inputs
    assert positives(made)


async def test_a_model_that_cannot_be_asked_ends_it_all() -> None:
    def odd(stage: str, request: Request, data: dict[str, Any]) -> dict[str, Any] | Exception:
        return RefusedError("the key is wrong") if stage == "validity" else data

    with pytest.raises(RefusedError, match="the key is wrong"):
        await make(model=Answering(odd=odd))


async def test_tests_are_made_longer_and_checked_again() -> None:
    model = Answering()
    made = await make(replace(ORDER, effort=replace(SMALL, expansions=1)), model)
    longer = [case for case in made.artefacts.tests if "expanded_from" in case.metadata]
    assert len(longer) == model.stages["expand"] > 0
    assert all(len(case.inputs["sentence"]) > 400 for case in longer)
    assert all(case.metadata["strategy"] not in ("boundary", "metamorphic") for case in longer)


async def test_baseline_tests_stand_apart() -> None:
    made = await make(replace(ORDER, effort=replace(SMALL, baseline=5)))
    assert len(made.artefacts.baseline) == 5
    assert not {case.id for case in made.artefacts.baseline} & {case.id for case in made.artefacts.tests}


async def test_every_scenario_has_tests_of_every_rule() -> None:
    scenarios = (Scenario(name="short"), Scenario(name="long", instructions="Long sentences."))
    made = await make(replace(ORDER, scenarios=scenarios))
    for rule in positives(made):
        names = [case.metadata["scenario"] for case in aimed_at(made, rule)]
        assert (names.count("short"), names.count("long")) == (4, 4)


async def test_expected_outputs_are_kept_only_when_they_are_accepted() -> None:
    poor: set[str] = set()

    def odd(stage: str, request: Request, data: dict[str, Any]) -> dict[str, Any]:
        if stage == "truth":
            question = request.messages[-1].content
            if len(poor) < 3:
                poor.add(question.rpartition("sentence:")[2])
            return {"reason": "hm", "score": 40 if question.rpartition("sentence:")[2] in poor else 90}
        return data

    made = await make(truth=Answering(name="scripted:truth"), truth_judges=(Answering(odd=odd),))
    given = [case.metadata["groundtruth"] for case in made.artefacts.tests]
    assert sum(each["accepted"] for each in given) == len(given) - 3
    for case in made.artefacts.tests:
        truth = case.metadata["groundtruth"]
        assert (case.expect.reference == "noun") == truth["accepted"]
        assert truth["tries"] == (1 if truth["accepted"] else 3)


async def test_several_judges_of_an_expected_output_are_averaged() -> None:
    def graded(score: int) -> Answering:
        def odd(stage: str, request: Request, data: dict[str, Any]) -> dict[str, Any]:
            return {"reason": "hm", "score": score} if stage == "truth" else data

        return Answering(odd=odd, name=f"scripted:{score}")

    made = await make(truth=Answering(name="scripted:truth"), truth_judges=(graded(100), graded(70)))
    truths = [case.metadata["groundtruth"] for case in made.artefacts.tests]
    assert {(each["score"], each["accepted"]) for each in truths} == {(0.85, True)}
    made = await make(truth=Answering(name="scripted:truth"), truth_judges=(graded(100), graded(40)))
    assert {case.expect.reference for case in made.artefacts.tests} == {None}


async def test_the_specification_is_held_against_the_prompt_where_that_is_asked() -> None:
    asked = 0

    def odd(stage: str, request: Request, data: dict[str, Any]) -> dict[str, Any]:
        nonlocal asked
        if stage == "agreement":
            asked += 1
            return {"reason": "it apologises", "verdict": "err" if asked <= 2 else "ok"}
        return data

    model = Answering(odd=odd)
    made = await make(replace(ORDER, agreement=True), model)
    told = [case.metadata["agreement"]["ok"] for case in made.artefacts.tests]
    assert told.count(False) == 2
    assert made.artefacts.provenance["counts"]["agreement"] == {"ok": len(told) - 2, "err": 2, "unknown": 0}
    # The rules stand in the prompt's place: its own words are not sent with the question.
    specified = [each for each in model.requests if each.schema is None]
    assert len(specified) == len(told)
    assert all("You tag sentences." not in message.content for each in specified for message in each.messages)
    again = Answering()
    await make(replace(ORDER, agreement=True), again, made.artefacts)
    assert "agreement" not in again.stages
    assert all("agreement" not in case.metadata for case in (await make()).artefacts.tests)


# --- going on from what is there ------------------------------------------------------------------------


async def test_nothing_is_asked_again_when_everything_is_there() -> None:
    before = await make(replace(ORDER, effort=replace(SMALL, baseline=3)))
    model = Answering()
    again = await make(replace(ORDER, effort=replace(SMALL, baseline=3)), model, before.artefacts)
    assert model.requests == []
    assert again.artefacts.tests == before.artefacts.tests
    assert again.changes.tests_added == again.changes.tests_dropped == ()


async def test_an_edited_prompt_remakes_only_what_depends_on_the_edit() -> None:
    before = (await make()).artefacts
    prompt = prompt_of(TEXT.replace("Never apologise.", "Be polite."))
    model = Answering(prompt)
    made = await make(replace(ORDER, prompt=prompt), model, before)
    gone = "The answer does not apologise in any way."
    assert made.changes.rules_dropped == (gone,)
    assert len(made.changes.rules_kept) == 2
    assert model.stages["rules"] == 1
    asked = next(request for request in model.requests if request.schema_name == "rules")
    assert "The answer is only one word." in asked.messages[-1].content  # what is known is not asked for again
    assert model.stages["tests"] == model.stages["opposites"] == 0
    stay = {rule.id for rule in before.rules if rule.polarity == "positive" and rule.text != gone}
    assert set(made.changes.tests_kept) == {case.id for case in before.tests if stay & set(case.metadata["rules"])}
    assert made.changes.tests_added == ()
    moved = next(rule for rule in positives(made) if rule.text.endswith("lower case."))
    assert moved.source is not None
    assert prompt.text[moved.source.start : moved.source.end] == moved.source.quote


async def test_kept_opposites_point_to_where_their_words_are_now() -> None:
    before = (await generate(ORDER, Makers(), Artefacts())).artefacts
    prompt = prompt_of(TEXT.replace("Never apologise.", "Be polite to everybody. Never apologise."))
    made = await generate(replace(ORDER, prompt=prompt), Makers(), before)
    kept = [rule for rule in made.artefacts.rules if rule.polarity == "negative" and rule.source is not None]
    assert {rule.id for rule in before.rules if rule.polarity == "negative"} <= {rule.id for rule in kept}
    assert any(old.source != new.source for new in kept for old in before.rules if old.id == new.id)
    for rule in kept:
        assert rule.source is not None
        assert prompt.text[rule.source.start : rule.source.end] == rule.source.quote


async def test_a_rule_that_comes_gets_its_tests_and_the_others_none() -> None:
    without = prompt_of(TEXT.replace("Never apologise. ", ""))
    before = (await make(replace(ORDER, prompt=without), Answering(without))).artefacts
    model = Answering()
    made = await make(ORDER, model, before)
    assert made.changes.rules_added == ("The answer does not apologise in any way.",)
    assert set(made.changes.tests_kept) == {case.id for case in before.tests}
    assert len(made.changes.tests_added) == 4
    assert model.stages["tests"] == 2


async def test_locked_rules_and_a_persons_stay_whatever_becomes_of_the_prompt() -> None:
    before = (await make()).artefacts
    first, *rest = before.rules
    mine = Rule(text="The answer is kind to everybody.", origin="person")
    before = replace(before, rules=(replace(first, locked=True), *rest, mine))
    made = await make(replace(ORDER, prompt=prompt_of("Say something.\n\n{{sentence}}\n")), present=before)
    assert {first.text, mine.text} <= {rule.text for rule in positives(made)}
    assert aimed_at(made, mine)


@pytest.mark.parametrize("start", ["intent", "rules"])
async def test_what_a_person_said_of_a_rule_holds_when_it_is_found_again(start: Any) -> None:
    before = (await make()).artefacts
    changed = tuple(replace(rule, disabled=True, weight=3.0) if "lower" in rule.text else rule for rule in before.rules)
    made = await make(replace(ORDER, start=start), present=replace(before, rules=changed))
    rule = next(each for each in positives(made) if "lower" in each.text)
    assert (rule.disabled, rule.weight) == (True, 3.0)
    assert not [case for case in made.artefacts.tests if case.metadata["rules"] == [rule.id]]


async def test_a_tentative_predicate_that_a_person_confirmed_stays_confirmed() -> None:
    order = replace(ORDER, prompt=prompt_of("Answer in at most 20 words. If it is rude, say no.\n\n{{sentence}}\n"))
    before = (await generate(order, Makers(), Artefacts())).artefacts
    assert [rule.predicate for rule in before.rules if rule.tentative] == ["words <= 20"]
    again = (await generate(replace(order, start="rules"), Makers(), before)).artefacts
    assert any(rule.tentative for rule in again.rules)
    confirmed = tuple(replace(rule, tentative=False) if rule.tentative else rule for rule in before.rules)
    present = replace(before, rules=confirmed)
    again = (await generate(replace(order, start="rules"), Makers(), present)).artefacts
    assert [rule.predicate for rule in again.rules if rule.tentative is False] == ["words <= 20"]


@pytest.mark.parametrize("start", [None, "rules"])
async def test_a_predicate_becomes_tentative_when_the_prompt_gets_cases_and_decides_without_them(start: Any) -> None:
    plain = replace(ORDER, prompt=prompt_of("Answer in at most 20 words. Never use emoji.\n\n{{sentence}}\n"))
    cased = "Answer in at most 20 words. Never use emoji. If it is rude, say no.\n\n{{sentence}}\n"
    cased_order = replace(plain, prompt=prompt_of(cased))
    made = await generate(plain, Makers(), Artefacts())
    before = replace(made.artefacts, provenance=provenance_of(plain, Makers(), made, Artefacts(), []))
    assert not any(rule.tentative for rule in before.rules)
    made = await generate(replace(cased_order, start=start), Makers(), before)
    assert [rule.predicate for rule in made.artefacts.rules if rule.tentative] == ["words <= 20"]
    present = replace(made.artefacts, provenance=provenance_of(cased_order, Makers(), made, before, []))
    again = (await generate(replace(plain, start=start), Makers(), present)).artefacts
    assert "words <= 20" in [rule.predicate for rule in again.rules if rule.tentative is None]


async def test_a_persons_tests_stay_and_one_they_removed_does_not_come_back() -> None:
    before = (await make()).artefacts
    edited = replace(before.tests[0], inputs={"sentence": "Mine now."})
    own = Case(id="mine", inputs={"sentence": "My own."})
    removed = before.tests[1]
    present = replace(before, tests=(edited, *before.tests[2:], own))
    made = await make(replace(ORDER, prompt=prompt_of("Say it.\n\n{{sentence}}\n")), present=present)
    by_id = {case.id: case for case in made.artefacts.tests}
    assert by_id[edited.id].inputs == {"sentence": "Mine now."}
    assert by_id[edited.id].metadata["origin"] == by_id["mine"].metadata["origin"] == "person"
    again = await make(present=present)
    ids = {case.id for case in again.artefacts.tests}
    assert removed.id not in ids
    assert len(ids) == len(before.tests) + 1


async def test_a_rule_that_a_person_removed_does_not_come_back_with_the_next_edit() -> None:
    before = (await make()).artefacts
    out = next(rule for rule in before.rules if "apologise" in rule.text)
    present = replace(before, rules=tuple(r for r in before.rules if out.id not in (r.id, r.inverse_of)))
    made = await make(replace(ORDER, prompt=prompt_of(TEXT.replace("You tag", "You always tag"))), present=present)
    assert out.id not in {rule.id for rule in made.artefacts.rules}
    again = await make(replace(ORDER, prompt=prompt_of(TEXT.replace("You tag", "You do tag"))), present=made.artefacts)
    assert out.id not in {rule.id for rule in again.artefacts.rules}
    anew = await make(replace(ORDER, start="rules"), present=again.artefacts)
    assert out.id in {rule.id for rule in anew.artefacts.rules}


async def test_an_expected_output_made_from_other_words_is_made_again() -> None:
    model = Answering(name="scripted:truth")
    before = (await make(truth=model, truth_judges=(model,))).artefacts
    assert all(case.expect.reference == "noun" for case in before.tests)
    prompt = prompt_of(TEXT.replace("You tag sentences.", "You label sentences."))
    made = await make(replace(ORDER, prompt=prompt), Answering(prompt), before)
    assert made.changes.tests_kept
    assert all(case.expect.reference is None for case in made.artefacts.tests)


async def test_more_effort_adds_and_keeps() -> None:
    before = (await make()).artefacts
    made = await make(replace(ORDER, effort=replace(SMALL, tests_per_rule=3)), present=before)
    assert set(made.changes.tests_kept) == {case.id for case in before.tests}
    assert len(made.changes.tests_added) == 6


async def test_a_model_takes_the_place_of_code() -> None:
    coded = await generate(ORDER, Makers(), Artefacts())
    before = replace(coded.artefacts, provenance=provenance_of(ORDER, Makers(), coded, Artefacts(), []))
    made = await make(present=before)
    assert {case.metadata["origin"] for case in made.artefacts.tests} == {"scripted:tests"}
    assert made.artefacts.intent.startswith("It answers")


async def test_code_does_not_take_the_place_of_a_model() -> None:
    before = (await make()).artefacts
    made = await generate(ORDER, Makers(), before)
    assert made.artefacts.tests == before.tests
    assert provenance_of(ORDER, Makers(), made, before, [])["mode"] == "model"


async def test_rules_that_only_one_of_the_two_found_are_told_apart() -> None:
    prompt = prompt_of(TEXT.replace("You tag sentences.", "You tag sentences. The answer must end with a full stop."))
    made = await make(replace(ORDER, prompt=prompt, cross_check=True), Answering(prompt))
    assert any("full stop" in rule.text or "." in (rule.predicate or "") for rule in made.only_code)
    assert {rule.origin for rule in made.only_code} == {"extractor"}
    assert {rule.id for rule in made.only_code} <= {rule.id for rule in positives(made)}
    alone = await make(replace(ORDER, prompt=prompt), Answering(prompt))
    assert alone.only_code == ()
    assert {rule.origin for rule in positives(alone)} == {"scripted:tests"}


async def test_more_rules_than_were_asked_for_are_left_out_and_said() -> None:
    made = await make(replace(ORDER, effort=replace(SMALL, most_rules=2), cross_check=True))
    assert len(positives(made)) == 2


async def test_a_prompt_without_variables_has_one_input() -> None:
    prompt = prompt_of("Return only one word. Never apologise.")
    made = await make(replace(ORDER, prompt=prompt), Answering(prompt))
    assert made.artefacts.tests
    assert all(case.input and not case.inputs for case in made.artefacts.tests)


@table(
    ("stage", "asked"),
    [
        ("intent", "intent"),
        ("inputs", "inputs"),
        ("rules", "rules"),
        ("opposites", "opposites"),
        ("tests", "tests"),
        ("expansion", "expand"),
        ("baseline", "baseline"),
        ("groundtruth", "truth"),
    ],
)
async def test_the_authors_words_for_a_stage_reach_that_stage_alone(stage: str, asked: str) -> None:
    model = Answering()
    effort = replace(SMALL, expansions=1, baseline=2)
    await make(
        replace(ORDER, effort=effort, instructions={stage: "Mind the gap."}), model, truth=model, truth_judges=(model,)
    )
    told = {each.schema_name for each in model.requests if any("Mind the gap." in m.content for m in each.messages)}
    assert told == {asked}
