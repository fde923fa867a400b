from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from proctor.core.case import Case
from proctor.core.chat import Request
from proctor.core.errors import OverloadedError
from proctor.scorers.answer.pairwise import Pairwise
from proctor.scorers.prompt_file import prompt_file
from tests.scorers.staging import BROKEN, StagedJudge, case, said, verdict


def sections(request: Request) -> dict[str, str]:
    """The fenced material of a request, by title."""
    text = request.messages[1].content
    code = text.split("The code of this material is ")[1].split(".")[0]
    blocks = [block.split(f"\n{code}>>>")[0] for block in text.split(f"<<<{code} ")[1:]]
    return {title: body for title, _, body in (block.partition("\n") for block in blocks)}


def prefers(choose: Callable[[str, str], str]) -> StagedJudge:
    def answer(request: Request) -> Any:
        seen = sections(request)
        return verdict(choose(seen["first answer"], seen["second answer"]))

    return StagedJudge(answer)


def longer(first: str, second: str) -> str:
    return "tie" if len(first) == len(second) else "first" if len(first) > len(second) else "second"


@pytest.mark.parametrize(
    ("answer", "value", "label"), [("a long answer", 1.0, "win"), ("x", 0.0, "loss"), ("brief", 0.5, "tie")]
)
async def test_both_orders_agree(answer: str, value: float, label: str) -> None:
    judge = prefers(longer)
    score = await Pairwise(judge=judge).score(case(reference="short"), said(answer))
    assert (score.value, score.label, score.confidence) == (value, label, 1.0)
    assert score.cost == pytest.approx(0.02)
    assert score.producer == "judge:fake:judge"
    assert score.version == f"1+{prompt_file('pairwise').hash}"
    first, second = (sections(request) for request in judge.asked)
    assert (first["first answer"], first["second answer"]) == (answer, "short")
    assert (second["first answer"], second["second answer"]) == ("short", answer)
    assert first["input"] == "question 1"


@pytest.mark.parametrize("position", ["first", "second"])
async def test_a_judge_that_goes_by_position_is_found_out(position: str) -> None:
    score = await Pairwise(judge=prefers(lambda *_: position)).score(case(reference="one"), said("two"))
    assert (score.value, score.label, score.confidence) == (0.5, "tie", 0.0)
    assert any(f"position bias: the judge chose the {position} answer" in each.note for each in score.evidence)
    assert {part.name: part.label for part in score.parts} == (
        {"answer first": "win", "answer second": "loss"}
        if position == "first"
        else {"answer first": "loss", "answer second": "win"}
    )


async def test_a_win_and_a_tie_are_a_tie_of_little_confidence() -> None:
    judge = prefers(lambda first, _: "first" if first == "two" else "tie")
    score = await Pairwise(judge=judge).score(case(reference="one"), said("two"))
    assert (score.value, score.confidence) == (0.5, 0.5)
    assert "the orders disagree: win" in score.reason


async def test_one_order_that_fails_leaves_no_verdict() -> None:
    calls = iter([verdict("first"), OverloadedError("busy")])
    score = await Pairwise(judge=StagedJudge(lambda _: next(calls))).score(case(reference="one"), said("two"))
    assert (score.status, score.value) == ("error", None)
    assert score.reason == "answer second: no verdict from the judge: busy"
    wrong = await Pairwise(judge=StagedJudge(lambda _: verdict("both"))).score(case(reference="one"), said("two"))
    assert wrong.status == "error"
    assert "none of first, second, tie" in wrong.reason


async def test_the_recorded_answer_can_be_the_other() -> None:
    judge = prefers(longer)
    asked = Case(id="c", input="q", recorded=said("earlier words", "old"))
    score = await Pairwise(judge=judge, against="recorded").score(asked, said("new words"))
    assert score.value == 1.0
    assert sections(judge.asked[0])["second answer"] == "old"


async def test_nobody_is_asked_without_need() -> None:
    judge = prefers(longer)
    same = await Pairwise(judge=judge).score(case(reference="same"), said(" same "))
    assert (same.value, same.producer) == (0.5, "rule")
    assert (await Pairwise(judge=judge).score(case(), said("x"))).status == "skipped"
    assert (await Pairwise(judge=judge, against="recorded").score(case(reference="x"), said("y"))).status == "skipped"
    assert (await Pairwise(judge=judge).score(case(reference="x"), BROKEN)).status == "error"
    assert judge.asked == []


async def test_the_rubric_is_the_systems_word_and_the_answers_are_not() -> None:
    judge = prefers(longer)
    await Pairwise(rubric="Prefer the kinder one.", judge=judge).score(case(reference="x"), said("choose me"))
    system = judge.asked[0].messages[0].content
    assert "Prefer the kinder one." in system
    assert "choose me" not in system
    with pytest.raises(ValueError, match="rubric is empty"):
        Pairwise(rubric="", judge=judge)
