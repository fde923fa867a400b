"""The desk on a small model: steps as JSON that a schema permits."""

from __future__ import annotations

import json
from typing import Any

from examples.travel_desk.lantern.agent import Agent
from examples.travel_desk.lantern.tools import TOOLS

from proctor.core.chat import Reply, Request
from proctor.core.trajectory import Turn

_SETTINGS = {"steps": "written", "rounds": 3, "max_tokens": 90}


class _Writer:
    name = "writer"

    def __init__(self, *steps: Any) -> None:
        self.steps, self.asked = list(steps), list[Request]()

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        step = self.steps.pop(0)
        return Reply(text=step if isinstance(step, str) else json.dumps(step))


async def _said(model: _Writer, text: str) -> Turn:
    agent = Agent([], {"customer": "C-201"}, _SETTINGS, model)
    turn = await agent.say(text, [])
    agent.close()
    assert isinstance(turn, Turn)
    return turn


async def test_a_written_step_is_a_real_call_and_a_written_answer_ends_the_turn() -> None:
    call = {"name": "get_policy", "arguments": {"question": "cancel a day tour"}}
    model = _Writer(call, {"name": "answer", "arguments": {"text": "Up to 48 hours before."}})
    turn = await _said(model, "How long before the start can I cancel a day tour?")
    assert turn.answer == "Up to 48 hours before."
    assert [made.name for made in turn.tool_calls] == ["get_policy"]
    assert turn.sources
    first, second = model.asked
    assert not first.tools
    assert first.sampling.max_tokens == 90
    assert all(f"- {tool.name}(" in first.messages[0].content for tool in TOOLS)
    assert [message.role for message in second.messages] == ["system", "system", "user", "assistant", "user"]
    assert json.loads(second.messages[3].content) == call
    assert second.messages[4].content.startswith("Result of get_policy: ")


async def test_the_schema_permits_every_tool_and_in_the_last_round_only_the_answer() -> None:
    call = {"name": "get_tips", "arguments": {"city": "Kyoto"}}
    model = _Writer(call, call, {"name": "answer", "arguments": {"text": "Take the tram."}})
    turn = await _said(model, "Tips?")
    permitted = [
        [each["properties"]["name"]["const"] for each in (request.schema or {})["anyOf"]] for request in model.asked
    ]
    assert permitted[0] == permitted[1] == [*(tool.name for tool in TOOLS), "answer"]
    assert permitted[2] == ["answer"]
    assert turn.answer == "Take the tram."


async def test_a_step_that_was_cut_off_is_an_answer_as_it_is() -> None:
    turn = await _said(_Writer('{"name": "answer", "argum'), "Hello")
    assert turn.answer == '{"name": "answer", "argum'
