"""Ask a model for the intent of a prompt, in one sentence."""

from __future__ import annotations

from typing import Any

from proctor.core.sockets import Model
from proctor.generate.stages.model_stage import Question, ReplyReading, ask
from proctor.generate.stages.schemas import object_of, text_of
from proctor.prompts.prompt import Prompt

__all__ = ["find_intent"]

_SCHEMA = object_of({"intent": text_of()})
_MOST_WORDS = 60


async def find_intent(model: Model, prompt: Prompt, *, instructions: str = "") -> str:
    """Ask the model what the prompt is for.

    Raises:
        ModelError: the reply has no usable sentence.
    """
    material = [("prompt under test", prompt.text), ("its name", prompt.name), ("its description", prompt.description)]
    question = Question(stage="intent", material=material, schema=_SCHEMA, holes={}, instructions=instructions)
    return await ask(model, question, _read)


def _read(data: Any) -> ReplyReading[str]:
    intent = " ".join(str(data.get("intent") or "").split())
    if len(intent.split()) < 3 and intent.isascii():
        return ReplyReading(complaints=("that is no sentence",))
    if len(intent.split()) > _MOST_WORDS:
        return ReplyReading(
            complaints=(f"it has {len(intent.split())} words; one sentence of at most 30 was asked for",)
        )
    return ReplyReading(value=intent)
