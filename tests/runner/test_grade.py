from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from hypothesis import given
from hypothesis import strategies as st

from proctor.core.case import Case
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory
from proctor.runner.grade import Grader, grade, outcome_of

CASE = Case(id="a", input="hi")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """Returns the score it was given."""

    name: ClassVar[str] = "fixed"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 0.5
    primary: ClassVar[str | None] = None
    given: Score

    async def score(self, case: Case, run: Trajectory) -> Score:
        return self.given


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken(Fixed):
    """Raises."""

    async def score(self, case: Case, run: Trajectory) -> Score:
        raise RuntimeError("no weights")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain(Fixed):
    """Is not async."""

    def score(self, case: Case, run: Trajectory) -> Score:  # type: ignore[override]
        return self.given


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting(Fixed):
    """Goes on only when another of its kind is waiting too."""

    barrier: asyncio.Barrier

    async def score(self, case: Case, run: Trajectory) -> Score:
        await self.barrier.wait()
        return self.given


def _grader(scorer: Fixed, name: str = "fixed", threshold: float | None = 0.5, asks: bool = False) -> Grader:
    return Grader(scorer=scorer, name=name, threshold=threshold, asks=asks)


def _score(value: float | None, status: str = "ok") -> Score:
    return Score(name="fixed", value=value, status=status)  # type: ignore[arg-type]


async def test_a_grader_names_the_score_and_sets_what_passes() -> None:
    graded = await grade(CASE, Trajectory(), [_grader(Fixed(given=_score(0.6)), name="kind")])
    assert (graded.outcome, graded.value) == ("pass", 0.6)
    assert (graded.scores[0].name, graded.scores[0].threshold) == ("kind", 0.5)


async def test_a_trajectory_without_an_answer_is_unscored_and_no_scorer_is_asked() -> None:
    graded = await grade(CASE, Trajectory(error="refused"), [_grader(Fixed(given=_score(1.0)))])
    assert (graded.outcome, graded.value, graded.scores) == ("unscored", None, ())
    assert "refused" in graded.reason


async def test_a_scorer_that_returns_no_score_is_one_missing_score() -> None:
    for returned, called in ((None, "NoneType"), (0.7, "float"), (True, "bool")):
        broken = _grader(Fixed(given=returned))  # type: ignore[arg-type]
        graded = await grade(CASE, Trajectory(), [_grader(Fixed(given=_score(0.9))), broken])
        assert graded.outcome == "unscored"
        assert graded.scores[0].passed
        assert graded.scores[1].reason == f"the scorer broke: TypeError: `score` returned {called}, not a Score"


async def test_a_score_that_is_not_async_is_named() -> None:
    graded = await grade(CASE, Trajectory(), [_grader(Plain(given=_score(0.9)), name="polite")])
    assert graded.outcome == "unscored"
    assert graded.reason == "polite: the scorer broke: TypeError: `score` of Plain must be `async def`"


async def test_a_broken_scorer_is_one_missing_score() -> None:
    graders = [_grader(Broken(given=_score(1.0)), name="b"), _grader(Fixed(given=_score(1.0)))]
    graded = await grade(CASE, Trajectory(), graders)
    assert graded.outcome == "unscored"
    assert graded.value is None
    assert "RuntimeError: no weights" in graded.reason
    assert [score.status for score in graded.scores] == ["error", "ok"]


async def test_a_definite_failure_counts_whatever_could_not_be_judged() -> None:
    graders = [_grader(Broken(given=_score(1.0)), name="b"), _grader(Fixed(given=_score(0.1)))]
    graded = await grade(CASE, Trajectory(), graders)
    assert graded.outcome == "fail"
    assert graded.reason.startswith("fixed 0.10 < 0.5")


async def test_scorers_that_ask_run_side_by_side_and_keep_their_order() -> None:
    barrier = asyncio.Barrier(2)
    graders = [
        _grader(Meeting(given=_score(1.0), barrier=barrier), name="one", asks=True),
        _grader(Fixed(given=_score(1.0)), name="two"),
        _grader(Meeting(given=_score(1.0), barrier=barrier), name="three", asks=True),
    ]
    async with asyncio.timeout(5):
        graded = await grade(CASE, Trajectory(), graders)
    assert [score.name for score in graded.scores] == ["one", "two", "three"]


async def test_nothing_to_judge_is_unscored_not_passed() -> None:
    assert (await grade(CASE, Trajectory(), [])).outcome == "unscored"
    assert (await grade(CASE, Trajectory(), [_grader(Fixed(given=_score(None, "skipped")))])).outcome == "unscored"


async def test_nothing_to_judge_names_why_each_scorer_that_decides_was_skipped() -> None:
    why = Score(name="fixed", status="skipped", reason="the agent was never given the payload")
    graders = [_grader(Fixed(given=why), name="attack"), _grader(Fixed(given=why), name="tone", threshold=None)]
    told = "nothing to judge: attack: the agent was never given the payload"
    assert (await grade(CASE, Trajectory(), graders)).reason == told
    assert (await grade(CASE, Trajectory(), graders[1:])).reason == "nothing to judge: no scorer applied to this case"


def test_nothing_to_judge_says_why_each_scorer_skipped_it() -> None:
    scores = [
        Score(
            name="grounded", status="skipped", threshold=0.5, reason="no claim is critical, and the rules settle none"
        ),
        Score(name="long", status="skipped", threshold=0.5, reason="x" * 500),
        *(Score(name=f"more{n}", status="skipped", threshold=0.5, reason="no source") for n in range(3)),
    ]
    outcome, reason = outcome_of(scores)
    assert outcome == "unscored"
    assert reason.startswith("nothing to judge: grounded: no claim is critical, and the rules settle none; long: xxx")
    assert reason.endswith("…; more0: no source; and 2 more")
    assert len(reason) < 300
    assert outcome_of([]) == ("unscored", "nothing to judge: no scorer applied to this case")


async def test_a_score_that_only_informs_decides_nothing() -> None:
    graders = [_grader(Fixed(given=_score(0.0)), threshold=None), _grader(Fixed(given=_score(0.9)))]
    graded = await grade(CASE, Trajectory(), graders)
    assert (graded.outcome, graded.value) == ("pass", 0.9)
    only = await grade(CASE, Trajectory(), [_grader(Broken(given=_score(0.0)), threshold=None), graders[1]])
    assert only.outcome == "pass"


_any_score = st.builds(
    lambda status, value, threshold: Score(
        name="x", status=status, value=value if status == "ok" else None, threshold=threshold
    ),
    st.sampled_from(["ok", "skipped", "error"]),
    st.floats(0, 1),
    st.none() | st.floats(0, 1),
)


@given(st.lists(_any_score, max_size=6))
def test_a_pass_needs_one_that_passed_and_none_that_failed_or_broke(scores: list[Score]) -> None:
    outcome, reason = outcome_of(scores)
    if outcome == "pass":
        assert any(score.passed for score in scores)
        assert not any(score.passed is False for score in scores)
        assert not any(score.status == "error" and score.threshold is not None for score in scores)
    else:
        assert reason


async def test_a_score_keeps_its_own_threshold_when_the_suite_names_none() -> None:
    own = Score(name="fixed", value=0.6, threshold=0.9)
    by_suite = await grade(CASE, Trajectory(), [_grader(Fixed(given=own))])
    assert (by_suite.outcome, by_suite.scores[0].threshold) == ("pass", 0.5)
    unnamed = Grader(scorer=Fixed(given=own), name="fixed", threshold=0.5, named=False)
    by_itself = await grade(CASE, Trajectory(), [unnamed])
    assert (by_itself.outcome, by_itself.scores[0].threshold) == ("fail", 0.9)
    without = Grader(scorer=Fixed(given=_score(0.6)), name="fixed", threshold=0.5, named=False)
    assert (await grade(CASE, Trajectory(), [without])).scores[0].threshold == 0.5
    broken = Grader(scorer=Broken(given=own), name="fixed", threshold=0.5, named=False)
    assert (await grade(CASE, Trajectory(), [broken])).outcome == "unscored"


def test_a_pass_in_doubt_says_so_and_a_failure_beside_it_decides() -> None:
    doubtful = Score(name="talk", value=0.5, threshold=0.5, reason="in doubt, to be reviewed: a day", in_doubt=True)
    assert outcome_of([doubtful]) == ("pass", "in doubt, to be reviewed: a day")
    assert outcome_of([doubtful, Score(name="exact", value=0.0, threshold=1.0)])[0] == "fail"
