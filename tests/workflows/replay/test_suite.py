from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from proctor.config import Config, Environment, Settings
from proctor.core.chat import Message, Reply, ToolCall
from proctor.core.errors import InputError, NotFoundError, RejectedError
from proctor.core.trajectory import Trajectory, Turn
from proctor.models.fake import Scripted
from proctor.suites.load import open_suite
from proctor.wiring.local_models import local_model
from proctor.workflows.replay.questions import key_questions
from proctor.workflows.replay.rewordings import other_wordings
from proctor.workflows.replay.suite import ReplayJob, prepare_replay

WINDOW = "You can cancel for a full refund up to 24 hours before the tour starts."


def turn(asked: str, answer: str, *calls: ToolCall) -> Turn:
    return Turn(
        messages=(Message(role="user", content=asked), Message(role="assistant", content=answer)), tool_calls=calls
    )


def config(folder: Path) -> Config:
    return Config(settings=Settings(), folder=folder, environment=Environment(values={}))


def talk(folder: Path, *pairs: tuple[str, str], name: str = "talks.jsonl") -> str:
    messages = [
        {"role": role, "content": text}
        for pair in pairs
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    path = folder / name
    path.write_text(json.dumps({"id": "c1", "messages": messages}) + "\n")
    return str(path)


def test_questions_with_something_to_compare_are_chosen_in_their_order() -> None:
    run = Trajectory(
        turns=(
            turn("Hello!", "Hello, how can I help?"),
            turn("How late can I cancel?", WINDOW),
            turn("Is lunch included?", "Yes, lunch is included."),
            turn("Thanks a lot.", "Your tour starts at 9 am."),
            turn("Can you help me?", "The tour has a guide."),
            turn("What does it cost?", "The tour costs 80 euros."),
        )
    )
    chosen, left = key_questions(run, most=2)
    assert [each.turn for each in chosen] == [1, 5]
    assert chosen[0].history == run.turns[0].messages
    assert left["it asks nothing"] == 2
    assert left["it asks about the talk itself"] == 1
    assert left["there are more telling questions"] == 1


def test_a_turn_that_changed_something_is_not_put_again_unless_asked_for() -> None:
    write = turn("Can I cancel it?", WINDOW, ToolCall(name="cancel_booking", result="done"))
    read = turn("Can I cancel it?", WINDOW, ToolCall(name="get_booking", result="open"))
    assert key_questions(Trajectory(turns=(write,)))[1] == {"the agent changed something in that turn": 1}
    assert len(key_questions(Trajectory(turns=(write,)), writes=True)[0]) == 1
    assert len(key_questions(Trajectory(turns=(read,)))[0]) == 1


def test_the_instructions_of_the_recording_are_left_to_the_agent() -> None:
    first = Turn(messages=(Message(role="system", content="Be kind."), *turn("Hi", "Hello").messages))
    chosen, _ = key_questions(Trajectory(turns=(first, turn("How late can I cancel?", WINDOW))))
    assert [message.role for message in chosen[0].history] == ["user", "assistant"]


def _model(*replies: Any) -> Scripted:
    answers = [each if isinstance(each, Exception) else Reply(data={"wordings": each}) for each in replies]
    return Scripted(replies=answers, name="fake:model")


async def _worded(model: Scripted | None, question: str = "Can I cancel 2 days before?") -> Sequence[tuple[str, str]]:
    told = await other_wordings(question, count=2, embedder=local_model("embedder"), model=model)
    return [(each.by, each.text) for each in told.found]


async def test_a_model_rewords_and_what_drifts_is_left_out() -> None:
    good = "Is a cancellation possible 2 days before?"
    wordings = [good, "Can I cancel 5 days before?", "Can't I cancel 2 days before?", "I had soup 2 days before."]
    assert await _worded(_model(wordings)) == [("model", good)]


async def test_rules_stand_in_for_a_model_that_fails_or_says_nothing_of_use() -> None:
    for model in (None, _model(RejectedError("no")), _model(["Can I cancel 5 days before?"]), _model("none")):
        found = await _worded(model)
        assert [by for by, _ in found] == ["rules", "rules"]
    told = await other_wordings(
        "Can I cancel?", count=1, embedder=local_model("embedder"), model=_model(RejectedError("no"))
    )
    assert "fake:model gave no other wording" in told.notes[0]


async def test_the_suite_asks_again_with_what_was_said_before(tmp_path: Path) -> None:
    source = talk(tmp_path, ("Is lunch included?", "Yes, lunch is included."), ("How late can I cancel?", WINDOW))
    made = await prepare_replay(config(tmp_path), ReplayJob(source=source, wordings=1, control=True))
    assert (made.conversations, made.questions, made.cases) == (1, 2, 4)
    cases = list(open_suite(made.path).cases())
    assert [case.id for case in cases][2:] == ["c1/turn-2/control", "c1/turn-2/wording-1"]
    again = cases[-1]
    assert again.input != "How late can I cancel?"
    assert [message.content for message in again.history] == ["Is lunch included?", "Yes, lunch is included."]
    assert again.checks[0].name == "replay_consistency"
    assert again.checks[0].settings["answered_before"] == WINDOW
    assert again.metadata["replay"]["turn"] == 1


async def test_the_same_wish_makes_the_same_suite(tmp_path: Path) -> None:
    source = talk(tmp_path, ("How late can I cancel?", WINDOW))
    first = await prepare_replay(config(tmp_path), ReplayJob(source=source))
    again = await prepare_replay(config(tmp_path), ReplayJob(source=source))
    assert first.path == again.path
    assert [path.name for path in first.path.parent.iterdir()] == [first.path.name]


async def test_nothing_to_ask_and_nothing_to_read_are_said(tmp_path: Path) -> None:
    source = talk(tmp_path, ("Thanks!", "You are welcome!"))
    with pytest.raises(InputError, match="it asks nothing"):
        await prepare_replay(config(tmp_path), ReplayJob(source=source))
    with pytest.raises(NotFoundError, match="no file and no run 'nowhere'"):
        await prepare_replay(config(tmp_path), ReplayJob(source="nowhere"))
