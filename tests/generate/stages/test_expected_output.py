from __future__ import annotations

from dataclasses import replace

import pytest
from tests.generate.staging import NOTES, ONE, asked, brief, says

from proctor.core.case import Case, Expectation
from proctor.core.chat import Request
from proctor.core.errors import OverloadedError
from proctor.generate.build_case import make_case
from proctor.generate.stages import find_truth

CASE = make_case(brief(), {"sentence": "Dogs bark.", "word": "bark"}, rules=[ONE], origin="m")


def grade(score: int) -> dict[str, object]:
    return {"reason": f"worth {score}", "score": score}


async def test_an_answer_that_keeps_the_predicates_and_pleases_the_judges_is_expected() -> None:
    judges = [says(grade(100), name="scripted:a"), says(grade(70), name="scripted:b")]
    case = await find_truth(says("VB"), judges, brief(), CASE)
    assert case.expect.reference == "VB"
    truth = case.metadata["groundtruth"]
    assert truth["score"] == pytest.approx(0.85)
    assert (truth["accepted"], truth["tries"], truth["model"]) == (True, 1, "scripted:stage")
    assert truth["judges"] == ["scripted:a", "scripted:b"]
    assert case.id == CASE.id


async def test_the_prompt_itself_is_put_to_the_model_with_a_fresh_sample_each_time() -> None:
    seen: list[Request] = []
    model = asked(lambda _: "VB", seen)
    await find_truth(model, [says(grade(10), grade(20), grade(30))], brief(), CASE)
    assert seen[0].messages[-1].content == "Dogs bark.\nbark"
    assert [request.sample for request in seen] == [0, 1, 2]


async def test_what_breaks_a_predicate_is_not_shown_to_a_judge() -> None:
    case = await find_truth(says("It is a verb.", "VB"), [says(grade(90))], brief(), CASE)
    assert case.expect.reference == "VB"
    assert case.metadata["groundtruth"]["tries"] == 2


async def test_below_the_threshold_it_is_marked_and_never_expected() -> None:
    case = await find_truth(says("VB", "NN", "JJ"), [says(grade(40), grade(79), grade(10))], brief(), CASE)
    assert case.expect.reference is None
    truth = case.metadata["groundtruth"]
    assert (truth["accepted"], truth["score"], truth["candidate"], truth["tries"]) == (False, 0.79, "NN", 3)


async def test_every_try_breaks_a_rule() -> None:
    case = await find_truth(says(*["a verb"] * 3), [says()], brief(), CASE)
    assert case.metadata["groundtruth"]["broken"] == [ONE.id]
    assert case.expect.reference is None


async def test_without_a_judge_nobody_knows() -> None:
    case = await find_truth(says("VB"), [], brief(), CASE)
    truth = case.metadata["groundtruth"]
    assert (truth["accepted"], truth["score"], truth["tries"], case.expect.reference) == (False, None, 1, None)


async def test_a_judge_that_does_not_answer_does_not_count() -> None:
    case = await find_truth(says("VB"), [says(OverloadedError("busy")), says(grade(90))], brief(), CASE)
    assert case.metadata["groundtruth"]["score"] == 0.9
    silent = await find_truth(says(*["VB"] * 3), [says(*[OverloadedError("busy")] * 3)], brief(), CASE)
    assert (silent.metadata["groundtruth"]["score"], silent.expect.reference) == (None, None)


async def test_what_the_author_expects_is_left_alone() -> None:
    theirs: Case = replace(CASE, expect=Expectation(reference="NN"))
    assert await find_truth(says(), [], brief(), theirs) is theirs


async def test_a_prompt_without_variables_gets_the_message() -> None:
    seen: list[Request] = []
    case = make_case(brief(NOTES, rules=()), {"input": "Shorter, please."}, origin="m")
    await find_truth(asked(lambda _: "ok", seen), [], brief(NOTES, rules=()), case)
    assert seen[0].messages[-1].content == "Shorter, please."
