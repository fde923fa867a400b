from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proctor.core.case import Ask, Case
from proctor.core.chat import Message, Reply, Request, ToolCall, Usage
from proctor.core.errors import InputError, MalformedError, ReplyError, TimedOutError
from proctor.core.sockets import Target
from proctor.models.fake import ReplyRule, Scripted
from proctor.targets.prompt import connect
from tests.tables import table

from .conftest import KitOf


class Listening:
    """A model that keeps what it was asked."""

    def __init__(self, reply: Reply | None = None) -> None:
        self.requests: list[Request] = []
        self._reply = reply
        self.model = ReplyRule(function=self._answer, name="m")

    def _answer(self, request: Request) -> Reply:
        self.requests.append(request)
        return self._reply or Reply(text=f"reply {len(self.requests)}", model="m")

    @property
    def said(self) -> list[list[tuple[str, str]]]:
        return [[(message.role, message.content) for message in request.messages] for request in self.requests]


async def test_a_prompt_file_on_a_model(kit_of: KitOf, tmp_path: Path) -> None:
    (tmp_path / "p.prompty").write_text(
        "---\nmodel: {parameters: {temperature: 0.7, max_tokens: 9}}\n---\n"
        "system:\nYou sell {{ what }}.\nuser:\n{{ input }}\n"
    )
    heard = Listening()
    asked: list[str | None] = []
    target = connect(
        kit_of({"prompt": "p.prompty", "model": "big", "temperature": 0.1}, model=heard.model, asked=asked)
    )
    assert isinstance(target, Target)
    assert asked == ["big"]
    case = Case(
        id="c",
        turns=(Ask(text="hello"), Ask(text="more")),
        inputs={"what": "manga"},
        history=(Message(role="user", content="before"), Message(role="assistant", content="yes?")),
    )
    made = await target.run(case, sample=3)
    assert heard.said == [
        [("system", "You sell manga."), ("user", "before"), ("assistant", "yes?"), ("user", "hello")],
        [
            ("system", "You sell manga."),
            ("user", "before"),
            ("assistant", "yes?"),
            ("user", "hello"),
            ("assistant", "reply 1"),
            ("user", "more"),
        ],
    ]
    assert [request.sample for request in heard.requests] == [3, 3]
    assert heard.requests[0].sampling.temperature == 0.1
    assert heard.requests[0].sampling.max_tokens == 9
    assert [(turn.asked, turn.answer) for turn in made.turns] == [("hello", "reply 1"), ("more", "reply 2")]
    assert [message.role for message in made.turns[0].messages] == ["system", "user", "assistant"]
    assert made.error is None


@table(
    ("prompt", "case", "said"),
    [
        ("", Case(id="c", input="q"), [("user", "q")]),
        ("Be kind.", Case(id="c", input="q"), [("system", "Be kind."), ("user", "q")]),
        ("Go to {{ city }}", Case(id="c", inputs={"city": "京都"}), [("user", "Go to 京都")]),
        ("Say {{ x }}", Case(id="c", input="q"), [("user", "Say q")]),
        ("Be kind.", Case(id="c", inputs={"a": 1}), [("system", "Be kind.")]),
        ("not a file.md here", Case(id="c", input=""), [("system", "not a file.md here"), ("user", "")]),
    ],
)
async def test_a_prompt_given_as_text(kit_of: KitOf, prompt: str, case: Case, said: list[tuple[str, str]]) -> None:
    heard = Listening()
    await connect(kit_of({"prompt": prompt}, model=heard.model)).run(case)
    assert heard.said == [said]


async def test_what_the_model_says_is_in_the_turn(kit_of: KitOf) -> None:
    calls = (ToolCall(name="search", arguments={"q": "x"}, id="1"),)
    reply = Reply(
        text="", tool_calls=calls, usage=Usage(input=5), cost=0.01, latency=0.3, finish="tool_calls", cached=True
    )
    heard = Listening(reply)
    target = connect(
        kit_of(
            {
                "prompt": "x",
                "tools": [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}],
                "schema": {"type": "object"},
                "stop": ["END"],
                "seed": 7,
            },
            model=heard.model,
        )
    )
    made = await target.run(Case(id="c", turns=(Ask(text="a"), Ask(text="b"))))
    turn = made.turns[0]
    assert (turn.tool_calls, turn.cost, turn.latency, turn.usage) == (calls, 0.01, 0.3, Usage(input=5))
    assert turn.extra == {"finish": "tool_calls", "cached": True}
    assert heard.requests[0].tools[0].name == "search"
    assert heard.requests[0].schema == {"type": "object"}
    assert (heard.requests[0].sampling.stop, heard.requests[0].sampling.seed) == (("END",), 7)
    assert heard.said[1] == [("system", "x"), ("user", "a"), ("user", "b")], "a call that was not run is not sent on"


async def test_a_schema_from_a_file_or_from_the_prompt(kit_of: KitOf, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps({"type": "array"}))
    heard = Listening()
    await connect(kit_of({"prompt": "x", "schema": "s.json"}, model=heard.model)).run(Case(id="c", input="q"))
    assert heard.requests[0].schema == {"type": "array"}
    (tmp_path / "p.prompt.yml").write_text(
        'responseFormat: json_schema\njsonSchema: \'{"name": "n", "schema": {}}\'\n'
        'messages: [{role: user, content: "{{input}}"}]'
    )
    await connect(kit_of({"prompt": "p.prompt.yml"}, model=heard.model)).run(Case(id="c", input="q"))
    assert (heard.requests[1].schema, heard.requests[1].schema_name) == ({}, "n")


async def test_what_goes_wrong_is_in_the_trajectory(kit_of: KitOf) -> None:
    made = await connect(kit_of({"prompt": "Go to {{ city }} by {{ how }}"})).run(Case(id="c", inputs={"city": "x"}))
    assert "'how' has no value" in (made.error or "")
    assert made.error_kind == "target"
    bad = ReplyError("not JSON")
    bad.raw = "<html>"
    model = Scripted(replies=("fine", bad))
    made = await connect(kit_of({"prompt": ""}, model=model)).run(Case(id="c", turns=(Ask(text="a"), Ask(text="b"))))
    assert (len(made.turns), made.error_kind, made.raw) == (1, "model", "<html>")
    made = await connect(kit_of({"prompt": ""}, model=Scripted(replies=(TimedOutError("late"),)))).run(
        Case(id="c", input="a")
    )
    assert made.error_kind == "timeout"


def test_the_spec_tells_prompts_and_models_apart(kit_of: KitOf) -> None:
    def spec(settings: dict[str, Any], name: str = "m") -> str:
        return json.dumps(connect(kit_of(settings, model=Scripted(replies=(), name=name))).spec, sort_keys=True)

    specs = [
        spec({"prompt": "a"}),
        spec({"prompt": "b"}),
        spec({"prompt": "a"}, "other"),
        spec({"prompt": "a", "temperature": 1}),
        spec({"prompt": "a", "schema": {}}),
        spec({"prompt": "a", "tools": [{"name": "t"}]}),
    ]
    assert len(set(specs)) == len(specs)
    assert specs[0] == spec({"prompt": "a"})


@table(
    ("settings", "what"),
    [
        ({}, "prompt"),
        ({"prompt": "x", "temprature": 1}, "temperature"),
        ({"prompt": "x", "temperature": "hot"}, "expected a number"),
        ({"prompt": "nowhere.prompty"}, "no such file"),
        ({"prompt": "{{ x"}, "not valid"),
        ({"prompt": "x", "schema": "nowhere.json"}, "cannot be read"),
        ({"prompt": "x", "tools": [{"nmae": "t"}]}, r"tools\[0\]"),
    ],
)
def test_wrong_settings_are_told_at_once(kit_of: KitOf, settings: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        connect(kit_of(settings))


def test_wrong_settings_all_at_once(kit_of: KitOf) -> None:
    with pytest.raises(MalformedError) as caught:
        connect(kit_of({"prompt": 5, "seed": "x", "odd": 1}))
    assert len(caught.value.problems) == 3
