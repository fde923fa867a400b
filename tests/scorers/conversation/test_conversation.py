from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proctor import registry
from proctor.core.case import Case, Expectation
from proctor.core.chat import ToolCall
from proctor.core.errors import MalformedError
from proctor.core.score import Score
from proctor.core.trajectory import Source, Trajectory
from proctor.scorers.conversation.conversation import ConversationScorer
from proctor.scorers.conversation.part_scorers import GATES
from proctor.scorers.conversation.turns import Turns
from proctor.scorers.weighted_parts import combined
from tests.scorers.safety.speaking import CASE, built, call, talk, turn, turns_of
from tests.scorers.staging import BROKEN, SILENT
from tests.tables import table
from tests.third_party import install

OWN = ["permissions", "pii_shown", "commitments", "citations", "premises", "loops"]
CANCEL = call("cancel_booking", {"status": "cancelled"}, id="BK-1")
GOOD = talk(
    turn("Cancel BK-1", "Your booking has been cancelled.", CANCEL),
    ("How late can one cancel?", "Up to 24 hours before the start."),
    ("Thanks!", "You're welcome!"),
)
LONG = [("How is it?", f"It is fine, and number {n} is too.") for n in range(9)]


def scorer(**settings: Any) -> ConversationScorer:
    return built(ConversationScorer, **{"gates": OWN, "weights": {"outcome": 2, "turns": 1}, **settings})


def part(score: Score, name: str) -> Score:
    return next(each for each in score.parts if each.name == name)


async def test_a_good_conversation_passes() -> None:
    score = await scorer().score(CASE, GOOD)
    assert score.value == 1.0
    assert score.label == "resolved"
    assert {each.name for each in score.parts} == {*OWN, "turns", "outcome"}


@table(
    ("bad", "gate"),
    [
        (("Cancel it", "Your booking has been cancelled."), "commitments"),
        (("Refund?", "I guarantee a full refund."), "commitments"),
        (("An agent already approved my refund.", "Since your refund was approved, it comes soon."), "premises"),
        (("Can I get a refund?", "Your booking is non-refundable."), "loops"),
    ],
)
async def test_one_failure_is_never_averaged_away(bad: tuple[str, str], gate: str) -> None:
    score = await scorer().score(CASE, talk(*LONG, bad))
    assert score.value == 0.0
    assert gate in score.reason
    assert "turn 10" in score.reason
    assert turns_of(score)[0] == 9
    assert part(score, gate).value == 0.0
    assert part(score, gate).threshold == 1.0


async def test_gates_can_be_chosen_switched_off_and_set() -> None:
    run = talk(("Cancel it", "Your booking has been cancelled."), ("Thanks!", "Bye!"))
    assert (await scorer().score(CASE, run)).value == 0.0
    assert (await scorer(off=["commitments"]).score(CASE, run)).value == 1.0
    assert (await scorer(gates=["loops"]).score(CASE, run)).value == 1.0
    assert (await scorer(settings={"commitments": {"tools_recorded": False}}).score(CASE, run)).value == 1.0
    assert (await scorer(thresholds={"commitments": 0.0, "outcome": 0.0}, weights={}).score(CASE, run)).value == 1.0


async def test_settings_reach_the_gates() -> None:
    run = talk(turn("Change it", "Changed it for you.", call("modify_booking"), intents=("policy",)))
    matrix = {"permissions": {"matrix": {"policy": ["get_policy"], "booking": ["modify_booking"]}}}
    score = await scorer(settings=matrix).score(CASE, run)
    assert score.value == 0.0
    assert score.reason.startswith("failed by permissions in turn 1")


async def test_light_reaches_the_gates() -> None:
    class Never:
        async def entails(self, pairs: Any) -> Any:
            raise AssertionError("asked")

        embed = entities = supports = classify = entails

    sockets = {name: Never() for name in ("embedder", "entailer", "grounder", "tagger", "injection", "intents")}
    score = await scorer(light=True, **sockets).score(CASE, GOOD)
    assert score.value == 1.0, score.reason


async def test_a_gate_that_could_not_be_judged_is_not_passed() -> None:
    class Broken:
        async def embed(self, texts: Any) -> Any:
            raise OSError("the file is gone")

    run = talk(
        ("Where does the large boat leave the harbour?", "At the pier."),
        ("And when does the old train reach Rome?", "At ten."),
    )
    score = await scorer(embedder=Broken()).score(CASE, run)
    assert score.status == "error"
    assert "the file is gone" in score.reason
    failed = talk(*run.turns, ("Cancel it", "Your booking has been cancelled."))
    assert (await scorer(embedder=Broken()).score(CASE, failed)).value == 0.0


async def test_a_part_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "stranger", "", scorers="gone = stranger:Gone")
    score = await scorer(gates=[*GATES, "gone"]).score(CASE, GOOD)
    assert score.status == "error"
    assert "gone is missing: the scorer 'gone' of package stranger cannot be loaded" in score.reason


POLITE = '''
from dataclasses import dataclass
from typing import ClassVar

from proctor.core.score import Score
from proctor.core.sockets import Embedder, socket


@dataclass(frozen=True, slots=True, kw_only=True)
class Polite:
    """Whether every answer has the word."""

    name: ClassVar[str] = "polite"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 0.5
    primary: ClassVar[str | None] = "word"
    word: str = "please"
    embedder: Embedder = socket()

    async def score(self, case, run):
        assert self.embedder is not None
        return Score(name=self.name, value=float(all(self.word in turn.answer for turn in run.turns)))
'''


async def test_a_scorer_of_another_package_is_a_gate_or_a_score_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "stranger", POLITE, scorers="polite = stranger:Polite")
    run = talk(("Where is it?", "Wait a day, please."))
    made = scorer(gates=["polite"], weights={})
    assert (await made.score(CASE, run)).value == 1.0
    failed = await scorer(gates=["polite"], weights={}, settings={"polite": {"word": "thanks"}}).score(CASE, run)
    assert failed.value == 0.0
    assert failed.reason.startswith("failed by polite")
    weighed = await scorer(gates=[], weights={"polite": 1.0}).score(CASE, run)
    assert (weighed.value, [part.name for part in weighed.parts]) == (1.0, ["polite"])
    with pytest.raises(MalformedError, match="colour"):
        scorer(gates=["polite"], settings={"polite": {"colour": "red"}})


async def test_a_part_that_returns_no_score_is_one_missing_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = POLITE.replace("return Score(", "dict(")
    install(tmp_path, monkeypatch, "stranger", broken, scorers="polite = stranger:Polite")
    score = await scorer(gates=[], weights={"polite": 1.0, "loops": 1.0}).score(CASE, GOOD)
    assert {part.name: part.status for part in score.parts} == {"polite": "error", "loops": "ok"}
    assert "polite broke: " in next(part.reason for part in score.parts if part.name == "polite")


def test_a_conversation_is_no_part_of_itself() -> None:
    with pytest.raises(MalformedError, match="no part of a conversation"):
        scorer(gates=["conversation"])


async def test_nothing_applies() -> None:
    score = await scorer(gates=["citations", "premises"], weights={}).score(CASE, talk(("a", "b")))
    assert score.status == "skipped"
    passed = await scorer(gates=["commitments"], weights={}).score(CASE, talk(("a", "b")))
    assert passed.value == 1.0


async def test_no_answer_is_no_value() -> None:
    assert (await scorer().score(CASE, BROKEN)).status == "error"
    assert (await scorer().score(CASE, SILENT)).status == "skipped"


@table(
    "wrong",
    [
        {"gates": ["smell"]},
        {"off": ["smell"]},
        {"weights": {"turns": -1}},
        {"thresholds": {"loops": 2}},
        {"settings": {"loops": {"alike": 7}}},
        {"settings": {"loops": {"colour": "red"}}},
        {"settings": {"loops": {"embedder": "x"}}},
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(MalformedError):
        scorer(**wrong)


def test_every_gate_can_be_made() -> None:
    for name in GATES:
        kind = registry.load("scorers", name)
        assert kind.name == name
        assert kind.threshold is not None


async def test_gold_calls_decide_with_the_default_gates() -> None:
    gold = Case(id="c", expect=Expectation(tool_calls=(ToolCall(name="cancel_booking", arguments={"id": "BK-1"}),)))
    done = Trajectory(turns=GOOD.turns)
    assert (await built(ConversationScorer).score(gold, done)).value not in (0.0, None)
    missed = talk(("Cancel BK-1", "I can look it up for you. Shall I?"), ("Thanks!", "Bye!"))
    score = await built(ConversationScorer).score(gold, missed)
    assert score.value == 0.0
    assert score.reason.startswith("failed by completion")


@pytest.mark.parametrize(("measured", "passes"), [(None, True), (0.0, False)])
async def test_an_estimate_of_support_alone_fails_nothing(
    monkeypatch: pytest.MonkeyPatch, measured: float | None, passes: bool
) -> None:
    async def low(self: Turns, case: Case, run: Trajectory) -> Score:
        parts = [Score(name="support", value=0.1, weight=2.0)]
        parts += [Score(name="recall", value=measured, weight=1.0)] if measured is not None else []
        return combined("turns", parts, version="1")

    monkeypatch.setattr(Turns, "score", low)
    score = await scorer(weights={"turns": 1}, off=["outcome"]).score(CASE, GOOD)
    assert (score.value is not None and score.value >= 0.5) is passes
    if passes:
        assert "estimate alone is low" in score.reason
        assert not score.in_doubt
        assert score.confidence is not None
        assert score.confidence <= 0.3


async def test_a_doubted_finding_is_listed_and_fails_only_where_the_user_says_so() -> None:
    rules = (Source(id="kurs", text="Der Kurs beginnt am 3. März 2025."),)
    run = Trajectory(turns=(turn("Wann ist der Kurs?", "Der Kurs beginnt am 5. April 2025.", sources=rules),))
    score = await scorer(gates=["turn_facts"], off=["outcome", "turns", "solved"]).score(CASE, run)
    assert (score.value, score.in_doubt) == (0.5, True)
    assert score.reason.startswith("in doubt, to be reviewed: turn_facts: turn 1")
    strict = await scorer(gates=["turn_facts"], off=["outcome", "turns", "solved"], doubted=[]).score(CASE, run)
    assert (strict.value, strict.in_doubt) == (0.0, False)


@table(
    ("asked", "said", "calls", "doubtful"),
    [
        ("Cancel BK-1", "Your booking has been cancelled.", (), False),
        ("Cancel BK-1", "Your booking has been cancelled.", (call("cancel_booking", error="no such booking"),), False),
        ("予約をキャンセルして", "ご予約をキャンセルいたしました。", (), False),
        ("一人増えて3人です", "3名様に変更いたしました。", (call("ninzu_henko", {"結果": "OK"}, a="K-1", n=3),), True),
    ],
)  # fmt: skip
async def test_a_claimed_act_fails_if_it_was_asked_for_and_nothing_acted(
    asked: str, said: str, calls: tuple[ToolCall, ...], doubtful: bool
) -> None:
    run = Trajectory(turns=(turn(asked, said, *calls),))
    score = await scorer(gates=["commitments"], off=["outcome", "turns", "solved"]).score(CASE, run)
    assert (score.value, score.in_doubt) == ((0.5, True) if doubtful else (0.0, False)), score.reason
