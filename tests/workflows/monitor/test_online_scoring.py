"""Conversations are scored in the background: which, when, once, within a budget, and never with a made-up score."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from proctor.config import Config, open_config
from proctor.core.chat import Message
from proctor.core.errors import InputError, MalformedError, StoreError
from proctor.core.event import Event
from proctor.core.event_row import row_of
from proctor.core.trajectory import Turn
from proctor.monitor.scoring_sample import ScoringSample, sample_point
from proctor.project import Project
from proctor.store.event_indexer import EventIndexer
from proctor.store.event_log import FOLDER, EventLog
from proctor.store.history import History
from proctor.store.scoring_progress import SCORING_FILE, ScoringFigures, ScoringProgress
from proctor.workflows.monitor.intake import Intake
from proctor.workflows.monitor.online_scoring import SOURCE, OnlineScoring, ScoringStep, background_scoring
from proctor.workflows.monitor.scoring_settings import check_scoring, scoring_settings
from tests.tables import table

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC).timestamp()
SCORERS = "[{scorer: contains, name: window, settings: {value: 15 days}}]"


def _project(folder: Path, scoring: str, **more: str) -> Config:
    extra = "".join(f"{name}: {value}\n" for name, value in more.items())
    (folder / "proctor.yaml").write_text(f"monitor: {{scoring: {{{scoring}}}}}\n{extra}")
    return open_config(folder)


def _event(session: str, number: int, at: float, answer: str = "Within 15 days.", **more: Any) -> Event:
    said = (Message(role="user", content="Until when?"), Message(role="assistant", content=answer))
    fields: dict[str, Any] = {"kind": "turn", "turn": Turn(messages=said), "intent": "faq", "version": "1.1"}
    time = datetime.fromtimestamp(at, UTC)
    return Event(id=f"{session}.{number}", session=session, time=time, **{**fields, **more})


class _Desk:
    """A store with a log and its index, and a clock."""

    def __init__(self, config: Config) -> None:
        self.config, self.now = config, NOON
        self.indexer = EventIndexer(config.store)
        self.log = EventLog(config.store / FOLDER)

    def add(self, events: Sequence[Event]) -> None:
        self.log.append([row_of(event) for event in events])
        self.indexer.catch_up()

    def scores(self) -> list[Event]:
        from proctor.core.codec import loads
        from proctor.core.decode import decode

        return [decode(Event, loads(row.line)) for row in self.log.read() if row.kind == "score"]

    def scoring(self) -> OnlineScoring:
        settings = scoring_settings(self.config)
        assert settings is not None
        return OnlineScoring(self.config, settings, self.add, clock=lambda: self.now)

    def step(self, scoring: OnlineScoring | None = None) -> ScoringStep:
        async def once() -> ScoringStep:
            async with Project(self.config) as project:
                with ScoringProgress(self.config.store) as progress:
                    return await (scoring or self.scoring()).step(project, progress)

        return asyncio.run(once())


@pytest.fixture
def desk(tmp_path: Path) -> _Desk:
    return _Desk(_project(tmp_path, f"scorers: {SCORERS}, rate: 1"))


def test_a_conversation_is_scored_after_it_was_quiet_and_its_score_comes_back_as_an_event(desk: _Desk) -> None:
    desk.add([_event("s1", 1, NOON - 60), _event("s2", 1, NOON - 400, "Within 30 days.", customer="c2")])
    assert desk.step() == ScoringStep(queued=1, scored=1, events=1)
    (score,) = desk.scores()
    assert (score.session, score.name, score.value, score.source) == ("s2", "window", 0.0, SOURCE)
    assert (score.intent, score.version, score.customer) == ("faq", "1.1", "c2")
    assert score.metadata["passed"] is False
    assert "score/window" in row_of(score).signals
    desk.now += 300
    assert desk.step() == ScoringStep(queued=1, scored=1, events=1)
    assert desk.step() == ScoringStep()


def test_nothing_is_scored_twice_also_if_the_process_is_another_one(desk: _Desk) -> None:
    desk.add([_event("s1", 1, NOON - 400)])
    desk.step()
    for _ in range(3):
        desk.now += 1000  # the score itself is an event of the conversation, which then is quiet again
        assert desk.step() == ScoringStep()
    assert len(desk.scores()) == 1


def test_a_conversation_that_goes_on_is_scored_again(desk: _Desk) -> None:
    desk.add([_event("s1", 1, NOON - 400)])
    desk.step()
    desk.add([_event("s1", 2, NOON + 10, "Within 30 days.")])
    desk.now += 400
    assert desk.step().scored == 1
    assert [score.value for score in desk.scores()] == [1.0, 0.0]


def test_what_the_sender_scored_itself_is_not_scored_again(desk: _Desk) -> None:
    given: dict[str, Any] = {"turn": None, "kind": "score", "name": "window", "value": 1.0}
    desk.add([_event("s1", 1, NOON - 400), _event("s1", 2, NOON - 390, **given)])
    assert desk.step() == ScoringStep(queued=1, skipped=1)


def test_the_sample_is_one_hash_compared_with_each_rate_and_flagged_ones_are_all_scored(tmp_path: Path) -> None:
    desk = _Desk(_project(tmp_path, f"scorers: {SCORERS}, rate: 0.2, rates: {{billing: 0}}"))
    names = [f"s{number}" for number in range(200)]
    desk.add([_event(name, 1, NOON - 400) for name in names])
    desk.add([_event(f"b{number}", 1, NOON - 400, intent="Billing") for number in range(20)])
    desk.add([_event("b3", 2, NOON - 390, kind="escalation", turn=None, name="explicit_request")])
    while desk.step().scored:
        pass
    drawn = {name for name in names if sample_point(name) < 0.2}
    assert 20 < len(drawn) < 60
    assert {score.session for score in desk.scores()} == {*drawn, "b3"}
    why = {score.session: score.metadata["why"] for score in desk.scores()}
    assert why.pop("b3") == "flagged"
    assert set(why.values()) == {"sampled"}


def test_samples_are_nested() -> None:
    names = [f"conversation {number}" for number in range(2000)]
    small, large = ScoringSample(rate=0.1), ScoringSample(rate=0.25)
    drawn = {name for name in names if small.reason_for(name, None, ())}
    assert drawn <= {name for name in names if large.reason_for(name, None, ())}
    assert len(drawn) == pytest.approx(200, abs=50)


def test_a_late_flag_brings_a_conversation_back(tmp_path: Path) -> None:
    desk = _Desk(_project(tmp_path, f"scorers: {SCORERS}, rate: 0"))
    desk.add([_event("s1", 1, NOON - 400)])
    assert desk.step() == ScoringStep()
    desk.add([_event("s1", 2, NOON + 5, kind="csat", turn=None, value=1.0)])
    desk.now += 400
    assert desk.step().scored == 1


def test_an_error_is_unscored_and_not_a_score(desk: _Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from proctor.scorers.answer.contains import Contains

    async def away(*_: object) -> None:
        raise RuntimeError("the judge is away")

    monkeypatch.setattr(Contains, "score", away)
    desk.add([_event("s1", 1, NOON - 400)])
    scoring = desk.scoring()
    assert desk.step(scoring) == ScoringStep(queued=1, postponed=1)
    assert desk.step(scoring) == ScoringStep()
    figures = scoring.figures()
    assert figures.waiting == 1
    assert figures.lag == pytest.approx(100.0)
    desk.now += 100
    assert desk.step(scoring).postponed == 1
    desk.now += 200
    assert desk.step(scoring).unscored == 1
    assert desk.scores() == []
    assert scoring.figures() == ScoringFigures(
        unscored=1, last_reason="window: the scorer broke: RuntimeError: the judge is away"
    )


@pytest.mark.parametrize("failing", ["the delivery", "the record of it"])
def test_what_was_judged_is_kept_in_memory_until_the_disk_takes_it(
    desk: _Desk, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    from proctor.scorers.answer.contains import Contains

    judge, calls = Contains.score, list[str]()

    async def counted(self: Contains, *given: Any) -> Any:
        calls.append("call")
        return await judge(self, *given)

    def full(*_: object, **__: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(Contains, "score", counted)
    desk.add([_event("s1", 1, NOON - 400), _event("s2", 1, NOON - 400)])
    scoring = desk.scoring()
    with monkeypatch.context() as during:
        if failing == "the delivery":
            during.setattr(scoring, "_deliver", full)
        else:
            during.setattr(ScoringProgress, "finish", full)
        for _ in range(3):
            with pytest.raises(StoreError, match="the disk is full"):
                desk.step(scoring)
            desk.now += 60
    assert desk.step(scoring) == ScoringStep(scored=2, events=2)
    assert len(calls) == 2
    assert {(score.session, score.time.timestamp()) for score in desk.scores()} == {("s1", NOON), ("s2", NOON)}
    desk.add([_event("s1", 2, desk.now)])
    desk.now += 400
    assert desk.step(scoring).scored == 1
    assert len(calls) == 3


def test_what_was_judged_before_the_conversation_went_on_is_not_delivered(
    desk: _Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise StoreError("the disk is full")

    desk.add([_event("s1", 1, NOON - 400)])
    scoring = desk.scoring()
    with monkeypatch.context() as during:
        during.setattr(scoring, "_deliver", full)
        with pytest.raises(StoreError):
            desk.step(scoring)
    desk.add([_event("s1", 2, NOON + 10, "Within 30 days.")])
    desk.now += 400
    assert desk.step(scoring).scored == 1
    assert [score.value for score in desk.scores()] == [0.0]


def test_the_budget_of_a_day_postpones_the_rest_to_the_next(tmp_path: Path) -> None:
    judge = '{provider: scripted, replies: [\'{"score": 1, "reason": "fine"}\'], price: {input: 1000, output: 1000}}'
    config = _project(
        tmp_path,
        "scorers: [{judge: Is it good?}], rate: 1, budget: 0, concurrency: 1",
        models=f"{{grader: {judge}}}",
        judge="grader",
    )
    desk = _Desk(config)
    desk.add([_event(f"s{number}", 1, NOON - 400) for number in range(3)])
    scoring = desk.scoring()
    assert desk.step(scoring) == ScoringStep(queued=3, postponed=3)
    assert scoring.figures().last_reason == "today's budget is spent"
    desk.now += 3600
    assert desk.step(scoring) == ScoringStep()
    desk.now += 86_400
    assert desk.step(scoring).postponed == 3
    assert desk.scores() == []


def test_models_are_made_again_after_an_error_of_the_store_has_closed_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from proctor.models.fake import Scripted

    closed, answer = set[int](), Scripted.complete

    async def close(self: Scripted) -> None:
        closed.add(id(self))

    async def complete(self: Scripted, request: Any) -> Any:
        if id(self) in closed:
            raise RuntimeError("cannot schedule new futures after shutdown")  # as the threads of Bedrock say it
        return replace(await answer(self, request), cost=0.5)

    monkeypatch.setattr(Scripted, "close", close, raising=False)
    monkeypatch.setattr(Scripted, "complete", complete)
    reply = '{"reason": "fine", "verdict": "pass"}'
    judge = f"{{provider: scripted, replies: ['{reply}', '{reply}']}}"
    more = {"models": f"{{grader: {judge}}}", "judge": "grader"}
    desk = _Desk(_project(tmp_path, "scorers: [{judge: Is it good?}], rate: 1", **more))
    desk.add([_event("s1", 1, NOON - 400)])
    scoring = desk.scoring()
    with monkeypatch.context() as during:
        during.setattr(scoring, "_deliver", lambda _: (_ for _ in ()).throw(StoreError("the disk is full")))
        with pytest.raises(StoreError):
            desk.step(scoring)
    desk.add([_event("s2", 1, NOON - 350)])
    desk.now += 60
    assert desk.step(scoring) == ScoringStep(queued=1, scored=2, events=2)
    assert scoring.figures().spent_today == 1.0, "what the step that failed has paid is counted"


@table(
    ("scoring", "told"),
    [
        ("rate: 0.1", "scorers"),
        ("scorers: [contains], suite: first", "exactly one"),
        ("scorers: [contains], rate: 2", "rate must be from 0 to 1"),
        ("scorers: [contains], rates: {faq: -1}", "rates.faq"),
        ("scorers: [contains], quiet: soon", "length of time"),
        ("scorers: [contains], budgit: 3", "budget"),
    ],
)
def test_wrong_settings_name_the_file_and_the_field(tmp_path: Path, scoring: str, told: str) -> None:
    config = _project(tmp_path, scoring)
    with pytest.raises(MalformedError) as caught:
        scoring_settings(config)
    assert caught.value.file == str(tmp_path / "proctor.yaml")
    assert told in str(caught.value)
    assert all(problem.path[:2] == ("monitor", "scoring") for problem in caught.value.problems)


def test_an_unknown_scorer_is_an_error_at_the_start(tmp_path: Path) -> None:
    config = _project(tmp_path, "scorers: [groundedd]")
    settings = scoring_settings(config)
    assert settings is not None
    with pytest.raises(InputError, match="grounded"):
        OnlineScoring(config, settings, print)


@table(
    ("scoring", "more", "is_set"),
    [
        ("scorers: [{contains: x}, {judge: Is it good?}]", {}, False),
        ("suite: suite.yaml", {}, False),
        ("scorers: [{judge: Is it good?}]", {"judge": "openai:gpt-5"}, True),
        ("scorers: [{judge: {rubric: Is it good?, judge: 'openai:gpt-5'}}]", {}, True),
        ("scorers: [{judge: Is it good?}], light: true", {}, True),
        ("scorers: [grounded, quality]", {}, True),
    ],
)
def test_a_scorer_without_its_judge_is_an_error_at_the_start(
    tmp_path: Path, scoring: str, more: dict[str, str], is_set: bool
) -> None:
    (tmp_path / "suite.yaml").write_text("scorers: [{judge: Is it good?}]\ncases: [{input: hi}]\n")
    config = _project(tmp_path, scoring, **more)
    if is_set:
        check_scoring(config)
        return
    with pytest.raises(InputError, match="no judge is set") as caught:
        check_scoring(config)
    assert caught.value.field == "monitor.scoring"


def test_a_model_that_cannot_be_made_is_the_reason_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    desk = _Desk(_project(tmp_path, "scorers: [{judge: Is it good?}], rate: 1", judge="openai:gpt-5"))
    desk.add([_event("s", 1, NOON - 400)])
    scoring = desk.scoring()
    assert desk.step(scoring) == ScoringStep(queued=1, postponed=1)
    assert "OPENAI_API_KEY" in scoring.figures().last_reason
    assert scoring.figures().waiting == 1


def test_without_the_setting_nothing_is_scored(tmp_path: Path) -> None:
    (tmp_path / "proctor.yaml").write_text("monitor: {}\n")
    assert scoring_settings(open_config(tmp_path)) is None


def test_a_suite_names_the_scorers(tmp_path: Path) -> None:
    (tmp_path / "checks.yaml").write_text("name: checks\nscorers: [{contains: 15 days}]\n")
    desk = _Desk(_project(tmp_path, "suite: checks.yaml, rate: 1"))
    desk.add([_event("s1", 1, NOON - 400)])
    assert desk.step().scored == 1


def test_in_a_thread_it_scores_until_it_is_stopped(tmp_path: Path) -> None:
    desk = _Desk(_project(tmp_path, f"scorers: {SCORERS}, rate: 1"))
    desk.add([_event("s1", 1, time.time() - 4000)])
    settings = scoring_settings(desk.config)
    assert settings is not None
    got: list[Event] = []
    stop = OnlineScoring(desk.config, settings, got.extend).in_thread()
    try:
        for _ in range(200):
            if got:
                break
            time.sleep(0.05)
    finally:
        stop()
    assert [event.name for event in got] == ["window"]


WORKER = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.workflows.monitor.test_online_scoring import *
from tests.workflows.monitor.test_online_scoring import _Desk
desk = _Desk(open_config(Path({folder!r})))
print("ready", flush=True)
while True:
    desk.step()
"""


def test_a_killed_process_loses_and_doubles_nothing(tmp_path: Path) -> None:
    desk = _Desk(_project(tmp_path, f"scorers: {SCORERS}, rate: 1"))
    count = 150
    desk.add([_event(f"s{number}", 1, NOON - 400) for number in range(count)])
    desk.indexer.close()
    code = textwrap.dedent(WORKER).format(root=str(Path(__file__).parents[3]), folder=str(tmp_path))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    while len(desk.scores()) < 20:
        assert process.poll() is None
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    done = len(desk.scores())
    again = _Desk(desk.config)
    while again.step().scored:
        pass
    sessions = [score.session for score in again.scores()]
    assert done <= count
    assert sorted(map(str, sessions)) == sorted(f"s{number}" for number in range(count))


def test_beside_a_server_it_scores_what_arrives(tmp_path: Path) -> None:
    config = _project(tmp_path, f"scorers: {SCORERS}, rate: 1, quiet: 1 s")
    with closing(Intake(config.store)) as intake, background_scoring(config, intake.add, every=0.1) as scoring:
        assert scoring is not None
        intake.add([_event("s1", 1, time.time() - 60)])
        for _ in range(200):
            intake.index()
            if intake.figures().by_kind.get("score"):
                break
            time.sleep(0.05)
    assert intake.figures().by_kind == {"turn": 1, "score": 1}


def test_without_settings_a_server_scores_nothing(tmp_path: Path) -> None:
    (tmp_path / "proctor.yaml").write_text("monitor: {}\n")
    with background_scoring(open_config(tmp_path), print) as scoring:
        assert scoring is None


def test_a_customer_who_is_forgotten_is_not_in_the_queue(desk: _Desk) -> None:
    desk.add([_event("s1", 1, NOON - 400, customer="c1"), _event("s2", 1, NOON - 400, customer="c2")])
    desk.step()
    desk.indexer.close()
    with History(desk.config.store) as history:
        assert history.forget("c1").sessions == ("s1",)
    left = sqlite3.connect(desk.config.store / SCORING_FILE)
    with closing(left):
        assert [row[0] for row in left.execute("SELECT session FROM conversations")] == ["s2"]
