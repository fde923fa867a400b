from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from proctor.core.chat import Message, Reply, Request
from proctor.core.codec import encode
from proctor.core.errors import ConfigError, OverloadedError, RejectedError
from proctor.core.sockets import HttpReply, Kit, Model
from proctor.models.fake import ReplyRule, Scripted, replay, rule, scripted
from tests.tables import table


class NoNetwork:
    async def request(self, method: str, url: str, **_: Any) -> HttpReply:
        raise AssertionError("a fake has no network")


def make_kit(settings: Mapping[str, Any], folder: Path, cache: Path | None = None) -> Kit:
    def no_model(name: str | None) -> Model:
        raise AssertionError(name)

    return Kit(
        name="m",
        settings=settings,
        folder=str(folder),
        env=lambda name: None,
        http=NoNetwork(),
        model=no_model,
        cache=str(cache or folder),
    )


def _ask(text: str, sample: int = 0) -> Request:
    return Request(messages=(Message(role="user", content=text),), sample=sample)


async def test_a_script_is_followed_to_its_end_and_then_says_so() -> None:
    model = Scripted(replies=["one", Reply(text="two"), OverloadedError("busy")])
    assert (await model.complete(_ask("a"))).text == "one"
    assert (await model.complete(_ask("a"))).text == "two"
    with pytest.raises(OverloadedError):
        await model.complete(_ask("a"))
    with pytest.raises(RejectedError, match="has 3 replies; this would be number 4"):
        await model.complete(_ask("a"))


async def test_a_rule_is_asked_for_each_reply() -> None:
    async def later(request: Request) -> str:
        return request.messages[0].content.upper()

    assert (await ReplyRule(function=lambda request: "fixed").complete(_ask("a"))).text == "fixed"
    assert (await ReplyRule(function=later).complete(_ask("a"))).text == "A"


async def test_a_recording_answers_what_was_recorded_and_nothing_else(tmp_path: Path) -> None:
    rows = [{"request": encode(_ask("hi", sample)), "reply": {"text": f"answer {sample}"}} for sample in (0, 1)]
    (tmp_path / "calls.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    model = replay(make_kit({"model": "calls.jsonl"}, tmp_path))
    assert (await model.complete(_ask("hi", 1))).text == "answer 1"
    assert model.name == "replay:calls.jsonl"
    with pytest.raises(RejectedError, match="no answer to 'bye'"):
        await model.complete(_ask("bye"))


@table("text", ["not json", '{"request": 1}', '{"request": {"messages": []}}', "[]"])
def test_a_file_that_is_no_recording_is_named_with_its_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "calls.jsonl").write_text(text)
    with pytest.raises(ConfigError) as caught:
        replay(make_kit({"model": "calls.jsonl"}, tmp_path))
    assert caught.value.line == 1
    with pytest.raises(ConfigError, match="cannot be read"):
        replay(make_kit({"model": "missing.jsonl"}, tmp_path))


async def test_fakes_are_made_from_settings_and_named_as_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "brain.py").write_text("def answer(request):\n    return 'from ' + request.messages[0].content\n")
    made = rule(make_kit({"model": "brain.py:answer"}, tmp_path))
    assert made.name == "rule:brain.py:answer"
    assert (await made.complete(_ask("file"))).text == "from file"
    assert scripted(make_kit({"replies": ["x"]}, tmp_path)).name == "scripted:m"


@table("written", ["brain.py:missing", "nothere.py:answer", "no_such_module:answer", "", "x"])
def test_a_function_that_cannot_be_loaded_is_named(tmp_path: Path, written: str) -> None:
    (tmp_path / "brain.py").write_text("")
    with pytest.raises(ConfigError, match="cannot be loaded"):
        rule(make_kit({"model": written}, tmp_path))
    with pytest.raises(ConfigError, match="list of texts"):
        scripted(make_kit({"replies": "x"}, tmp_path))
