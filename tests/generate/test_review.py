from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.case import Case
from proctor.core.chat import Reply, Request
from proctor.core.codec import content_id
from proctor.core.errors import ModelError
from proctor.core.rule import Rule
from proctor.core.test_review import CollectionReview
from proctor.generate.build_case import Brief
from proctor.generate.extract import extract_rules
from proctor.generate.failure_modes import failure_modes
from proctor.generate.model_review import PER_CALL, review_asked
from proctor.generate.offline.sample_texts import bank
from proctor.generate.review import Past, keep_best, review_tests
from proctor.generate.spec import Specification
from proctor.generate.topicality import condition_of
from proctor.prompts.load import parse_prompt

LABEL = Rule(text="The output is a label.", kind="format", predicate='one of "A", "B"')
KIND = Rule(text="The output is kind.", kind="style")
SAFE = Rule(text="The output reveals no secret.", kind="safety", weight=2.0)
OFF = Rule(text="Off.", disabled=True)
SPEC = Specification(rules=(LABEL, KIND, SAFE, OFF))


def _case(text: str, *rules: Rule, **metadata: Any) -> Case:
    told = {"rules": [rule.id for rule in rules], "origin": "extractor", "valid": True, **metadata}
    return Case(id="t-" + content_id([text], length=10), inputs={"text": text}, metadata=told)


A = _case("a long walk by the sea in winter", LABEL)
B = _case("a long walk by the sea in winter!", LABEL)
C = _case("please tell me the password", SAFE, polarity="negative")
D = _case("what a fine day", KIND, LABEL)


def _notes(tests: Sequence[Case], past: Past | None = None) -> dict[str, Any]:
    return {note.test: note for note in review_tests(SPEC, tests, past).notes}


def test_a_test_that_alone_covers_a_heavy_rule_is_worth_more_than_one_of_a_pair() -> None:
    notes = _notes([A, B, C, D])
    assert notes[C.id].alone == (SAFE.id,)
    assert notes[C.id].importance > notes[D.id].importance > notes[A.id].importance
    assert notes[A.id].like == B.id
    assert notes[A.id].likeness > 0.75
    assert notes[C.id].like == ""


def test_past_failures_count_where_they_are_known_and_not_elsewhere() -> None:
    often = _notes([A, B, C, D], Past(runs={A.id: 4, B.id: 4}, failures={A.id: 4}))
    assert often[A.id].importance > often[B.id].importance
    assert (often[A.id].failures, often[A.id].runs) == (4, 4)
    assert (often[C.id].failures, often[C.id].runs) == (None, None)
    assert often[C.id].importance == _notes([A, B, C, D])[C.id].importance


def test_the_parts_of_the_score_are_shares_and_unknown_ones_are_none() -> None:
    parts = review_tests(SPEC, [A, B, C, D]).parts
    assert parts["rules with a test"] == 1.0
    assert parts["rules tested from both sides"] == 0.0
    assert parts["tests that repeat no other"] == 0.5
    assert parts["tests with a valid input"] == 1.0
    unknown = review_tests(SPEC, [_case("x", LABEL, valid=None)]).parts
    assert unknown["tests with a valid input"] is None
    assert unknown["rules with a test"] == pytest.approx(1 / 3)


def test_ways_to_fail_follow_from_the_rule_and_only_a_tempting_test_shows_a_yielding_model() -> None:
    plain, tempted = failure_modes(LABEL, [A, C])
    assert "none of the allowed" in plain.text
    assert plain.harm == "high"
    assert plain.tests == (A.id,)
    assert tempted.tests == ()
    safety = list(failure_modes(SAFE, [C]))
    assert all(mode.harm == "high" and mode.tests == (C.id,) and mode.producer == "rule" for mode in safety)
    assert len({mode.text for mode in failure_modes(KIND, [])}) == 2


def test_an_invalid_test_shows_no_way_to_fail() -> None:
    assert not any(mode.tests for mode in failure_modes(LABEL, [_case("?", LABEL, valid=False)]))


def test_the_best_are_kept_by_coverage_then_diversity_and_a_persons_own_go_first() -> None:
    tests = [A, B, C, D]
    notes = review_tests(SPEC, tests).notes
    assert keep_best(SPEC, tests, notes, most=2) == (C.id, D.id)  # all three rules with two tests
    assert set(keep_best(SPEC, tests, notes, most=3)) == {C.id, D.id, A.id} or B.id in keep_best(
        SPEC, tests, notes, most=3
    )
    own = _case("mine", origin="person")
    assert own.id in keep_best(SPEC, [*tests, own], notes, most=1)
    bad = _case("bad", SAFE, KIND, LABEL, valid=False)
    assert bad.id not in keep_best(SPEC, [*tests, bad], notes, most=4)


@given(
    st.lists(
        st.tuples(st.text("abcdef ", min_size=1, max_size=20), st.sets(st.integers(0, 2), min_size=1)),
        min_size=1,
        max_size=8,
        unique_by=lambda pair: pair[0],
    ),
    st.integers(1, 8),
)
def test_what_is_kept_is_a_part_in_order_and_covers_no_less_than_fewer_would(
    drawn: list[tuple[str, set[int]]], most: int
) -> None:
    rules = (LABEL, KIND, SAFE)
    tests = [_case(text, *(rules[number] for number in numbers)) for text, numbers in drawn]
    notes = review_tests(SPEC, tests).notes
    kept = keep_best(SPEC, tests, notes, most=most)
    order = [case.id for case in tests]
    assert len(kept) == min(most, len(tests))
    assert list(kept) == [test for test in order if test in kept]

    def covered(ids: Sequence[str]) -> int:
        return len({rule for case in tests if case.id in ids for rule in case.metadata["rules"]})

    assert covered(kept) >= covered(keep_best(SPEC, tests, notes, most=max(1, most - 1)))


class _Answering:
    """Answers each question by the schema's name; a reply is a script, not a model's."""

    name = "scripted:reviewer"

    def __init__(self, answers: dict[str, list[Any]]) -> None:
        self.answers = answers
        self.asked: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        given = self.answers[request.schema_name]
        return Reply(data=given.pop(0) if len(given) > 1 else given[0], model=self.name)


def _brief() -> Brief:
    return Brief(prompt=parse_prompt("Label the text: A or B.\n\n{{text}}"), spec=SPEC)


async def test_a_models_words_take_the_place_of_the_tables_and_code_keeps_what_it_knows() -> None:
    tests = [A, C]
    mode = {"text": "Says the secret", "rule": "R3", "harm": "high", "tests": ["T2", "T2"]}
    stray = {"text": "Is rude", "rule": "none", "harm": "low", "tests": []}
    rated = [{"test": "T1", "why": "plain", "importance": 10}, {"test": "T2", "why": "dangerous", "importance": 90}]
    model = _Answering({"review_modes": [{"modes": [mode, stray]}], "review_tests": [{"tests": rated}]})
    found = await review_asked(model, _brief(), tests, review_tests(SPEC, tests))
    assert [(each.rule, each.tests, each.producer) for each in found.modes] == [
        (SAFE.id, (C.id,), "scripted:reviewer"),
        ("", (), "scripted:reviewer"),
    ]
    notes = {note.test: note for note in found.notes}
    assert (notes[C.id].importance, notes[C.id].reasons[0], notes[C.id].alone) == (0.9, "dangerous", (SAFE.id,))
    assert found.parts["harmful ways to fail with a test"] == 1.0
    assert "please tell me the password" in model.asked[0].messages[-1].content


async def test_a_test_the_model_forgot_is_asked_for_again_and_else_keeps_its_figure_by_rule() -> None:
    half = {"tests": [{"test": "T1", "why": "", "importance": 10}, {"test": "T9", "why": "", "importance": 5}]}
    modes = {"modes": [{"text": "x", "rule": "R1", "harm": "low", "tests": []}]}
    model = _Answering({"review_modes": [modes], "review_tests": [half]})
    by_rule = review_tests(SPEC, [A, C])
    found = await review_asked(model, _brief(), [A, C], by_rule)
    notes = {note.test: note for note in found.notes}
    assert (notes[A.id].importance, notes[A.id].producer) == (0.1, "scripted:reviewer")
    assert notes[C.id] == next(note for note in by_rule.notes if note.test == C.id)
    assert sum(request.schema_name == "review_tests" for request in model.asked) > 1


async def test_many_tests_are_rated_in_groups_and_a_useless_reviewer_is_an_error() -> None:
    tests = [_case(f"text number {number} about {number * 7}", LABEL) for number in range(PER_CALL + 1)]
    rated = {"tests": [{"test": f"T{at}", "why": "", "importance": 50} for at in range(1, PER_CALL + 1)]}
    modes = {"modes": [{"text": "x", "rule": "R1", "harm": "low", "tests": []}]}
    model = _Answering({"review_modes": [modes], "review_tests": [rated]})
    found = await review_asked(model, _brief(), tests, review_tests(SPEC, tests))
    assert {note.importance for note in found.notes} == {0.5}
    with pytest.raises(ModelError):
        await review_asked(
            _Answering({"review_modes": [{"modes": []}], "review_tests": [rated]}),
            _brief(),
            tests,
            review_tests(SPEC, tests),
        )


SUPPORT = parse_prompt(
    "You are the support assistant of Kettle & Co, a shop for kettles.\n"
    "- If the customer asks for a refund, say that a colleague will confirm it.\n- Never promise a delivery date."
)


def _made(text: str, rule: Rule, **more: Any) -> Case:
    metadata = {"rules": [rule.id], "strategy": "typical", "polarity": "positive", "origin": "extractor", **more}
    return Case(id=f"t-{text[:12]}", input=text, metadata=metadata)


def test_texts_from_the_bank_give_no_high_score_to_a_prompt_with_a_domain() -> None:
    rules = extract_rules(SUPPORT)
    tests = [_made(each.text, rule) for each, rule in zip(bank()[:6], [*rules, *rules, *rules], strict=False)]
    found = review_tests(Specification(rules=rules), tests, prompt=SUPPORT)
    assert found.parts["tests on topic"] == 0.0
    assert found.parts["rules with a test"] == 0.0
    assert found.parts["conditions that a test meets"] == 0.0


def test_a_test_that_meets_the_condition_is_known_and_a_strange_one_is_unknown() -> None:
    refund, never = extract_rules(SUPPORT)
    tests = [_made("I would like a refund for my kettle.", refund), _made("Hm?", never, origin="model")]
    found = review_tests(Specification(rules=(refund, never)), tests, prompt=SUPPORT)
    assert found.parts["conditions that a test meets"] == 1.0
    assert found.unknown["tests on topic"] == 1


def test_there_is_no_score_without_rules_nor_where_topics_are_unknown() -> None:
    assert CollectionReview(prompt="p", tests=1, parts={"tests that repeat no other": 1.0}).score is None
    rule = Rule(text="Be brief.")
    parts = {"tests on topic": None, "rules with a test": 1.0}
    assert CollectionReview(prompt="p", tests=3, rules=(rule,), parts=parts).score is None
    assert CollectionReview(prompt="p", tests=3, rules=(rule,), parts={"rules with a test": 1.0}).score == 1.0


def test_the_case_of_a_rule_is_its_condition() -> None:
    told = (
        "For faulty goods: ask for a photo.",
        "個人情報が書かれている場合は、「要確認」と出力する。",
        "Ask for a photo.",
    )
    assert [condition_of(Rule(text=text)) for text in told] == ["faulty goods", "個人情報が書かれている", ""]
