from __future__ import annotations

from proctor.core.case import Expectation
from proctor.core.score import Score
from proctor.scorers.answer.exact import Exact
from tests.scorers.staging import BROKEN, SILENT, case, said, turns
from tests.tables import table


async def test_the_reference_is_the_default() -> None:
    score = await Exact().score(case(reference="Paris"), said(" Paris\n"))
    assert (score.value, score.name, score.version, score.producer) == (1.0, "exact", "1", "rule")
    assert (await Exact().score(case(reference="Paris"), said("Rome"))).value == 0.0
    assert (await Exact(value="Rome").score(case(reference="Paris"), said("Rome"))).value == 1.0


@table(
    ("scorer", "answer", "value"),
    [
        (Exact(value="Paris"), "paris", 0.0),
        (Exact(value="Paris", ignore_case=True), "PARIS", 1.0),
        (Exact(value="Paris", trim=False), "Paris ", 0.0),
        (Exact(value="A B"), "Ａ  B", 0.0),
        (Exact(value="A B", normalise=True), "Ａ \n B", 1.0),
        (Exact(value=""), "  ", 1.0),
        (Exact(value="x"), "", 0.0),
    ],
)
async def test_settings(scorer: Exact, answer: str, value: float) -> None:
    assert (await scorer.score(case(), said(answer))).value == value


async def test_the_reason_says_where_they_differ() -> None:
    score = await Exact(value="The shop opens at nine.").score(case(), said("The shop opens at ten."))
    assert score.reason == "differs from character 19 on: expected ' opens at nine.', found ' opens at ten.'"
    assert "found the end" in (await Exact(value="ab").score(case(), said("a"))).reason


async def test_where_chooses_the_answers() -> None:
    talk = said("yes", "no", "yes")
    assert (await Exact(value="no").score(case(), talk)).value == 0.0
    assert (await Exact(value="no", where="any").score(case(), talk)).value == 1.0
    every = await Exact(value="yes", where="every").score(case(), talk)
    assert every.value == 0.0
    assert [part.value for part in every.parts] == [1.0, 0.0, 1.0]
    assert [part.name for part in every.parts] == ["turn 1", "turn 2", "turn 3"]
    assert every.reason.startswith("turn 2: ")


async def test_a_turns_reference_is_for_that_turns_answer() -> None:
    asked = turns(Expectation(reference="one"), None, reference="three")
    good = await Exact().score(asked, said("one", "three"))
    assert good.value == 1.0
    assert {part.name for part in good.parts} == {"turn 1", "turn 2"}
    bad = await Exact().score(asked, said("two", "three"))
    assert bad.value == 0.0
    assert bad.reason.startswith("turn 1: ")
    assert {each.turn for each in bad.evidence} == {0, 1}


async def test_a_turn_that_was_not_reached_cannot_be_judged() -> None:
    score = await Exact().score(turns(None, Expectation(reference="two")), said("one"))
    assert score.status == "error"
    assert "ended before" in score.reason


async def test_what_is_certainly_wrong_needs_no_further_turn() -> None:
    asked = turns(Expectation(reference="one"), Expectation(reference="two"))
    score = await Exact().score(asked, said("wrong"))
    assert score.value == 0.0
    assert [part.status for part in score.parts] == ["ok", "error"]


async def test_nothing_to_check_and_no_answer_are_told_apart() -> None:
    nothing: Score = await Exact().score(case(), said("x"))
    assert (nothing.status, nothing.value) == ("skipped", None)
    broken = await Exact(value="x").score(case(), BROKEN)
    assert (broken.status, broken.raw) == ("error", "oops")
    assert "500" in broken.reason
    assert (await Exact(value="x").score(case(), SILENT)).status == "skipped"
