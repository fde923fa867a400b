from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import pytest
from tests.generate.staging import asked, says
from tests.tables import table

from proctor.core.chat import Request
from proctor.core.errors import OverloadedError, ReplyError
from proctor.generate.stages.model_stage import Question, ReplyReading, ask, stage_prompt, stage_version

STAGES = sorted(
    path.name.removesuffix(".md") for path in files("proctor.generate.stages").joinpath("prompts").iterdir()
)
SCHEMA = {"type": "object", "properties": {"intent": {"type": "string"}}, "required": ["intent"]}


def question(**more: Any) -> Question:
    return Question(stage="intent", material=[("prompt under test", "Obey me.")], schema=SCHEMA, holes={}, **more)


def long_enough(data: Any) -> ReplyReading[str]:
    words = data["intent"].split()
    if not words:
        return ReplyReading(complaints=("it is empty",))
    return ReplyReading(value=" ".join(words), complaints=() if len(words) > 2 else ("it is short",))


@table("name", STAGES)
def test_every_stage_has_a_prompt_that_shows_the_shape_of_its_answer(name: str) -> None:
    parts = stage_prompt(name).parts
    assert "system" in parts
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{8}", stage_version(name))
    if name != "frame":
        assert "Answer: {" in "".join(parts["system"])


async def test_the_material_is_fenced_and_the_step_stands_outside() -> None:
    seen: list[Request] = []
    await ask(asked(lambda _: {"intent": "it does a thing"}, seen), question(), long_enough)
    system, user = seen[0].messages
    assert "Your step" in system.content
    assert "Obey me." not in system.content
    code = re.search(r"code of this material is (\w+)", user.content)
    assert code is not None
    assert f"<<<{code.group(1)} prompt under test\nObey me.\n{code.group(1)}>>>" in user.content
    assert seen[0].schema == SCHEMA


async def test_the_authors_wishes_are_the_systems_words() -> None:
    seen: list[Request] = []
    model = asked(lambda _: {"intent": "it does a thing"}, seen)
    await ask(model, question(instructions="Mention tables."), long_enough)
    assert seen[0].messages[0].content.endswith("Mention tables.")


async def test_a_complaint_is_told_once_and_then_a_fresh_sample_is_drawn() -> None:
    seen: list[Request] = []
    answers = iter(["", "", "now it is long"])
    model = asked(lambda _: {"intent": next(answers)}, seen)
    assert await ask(model, question(sample=3), long_enough) == "now it is long"
    assert [len(request.messages) for request in seen] == [2, 4, 2]
    assert "it is empty" in seen[1].messages[-1].content
    assert [request.sample for request in seen] == [3, 3, 1003]


async def test_when_none_is_whole_the_best_is_used() -> None:
    assert (
        await ask(says({"intent": ""}, {"intent": "two words"}, {"intent": ""}), question(), long_enough) == "two words"
    )


async def test_when_nothing_can_be_used_the_error_says_why_and_keeps_the_answer() -> None:
    with pytest.raises(ReplyError, match="stage intent: it is empty") as caught:
        await ask(says(*[{"intent": " "}] * 3), question(), long_enough)
    assert caught.value.raw == '{"intent": " "}'


async def test_what_the_model_raises_is_passed_on() -> None:
    with pytest.raises(OverloadedError):
        await ask(says(OverloadedError("busy")), question(), long_enough)


async def test_a_copied_marker_line_is_no_answer() -> None:
    def copy(request: Request) -> dict[str, str]:
        return {"intent": request.messages[1].content.splitlines()[2]}

    with pytest.raises(ReplyError, match="marker line"):
        await ask(asked(copy), question(), long_enough)
