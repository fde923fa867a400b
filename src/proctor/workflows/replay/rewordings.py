"""Other wordings of a question: from a model where there is one, else by rules; each is checked before it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal

from proctor.core.chat import Message, Request
from proctor.core.errors import ModelError
from proctor.core.sockets import Embedder, Model
from proctor.text.delimiters import fence
from proctor.text.paraphrase import keeps_meaning, paraphrases
from proctor.text.prompt_parts import PromptParts, prompt_parts

__all__ = ["Rewording", "Wordings", "other_wordings"]

# Under this another wording has drifted; a frame around the same words stays well above it.
NEAR: Final = 0.72
_MORE: Final = 2  # asked for beside what is wanted, since some will not do


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewording:
    """A question in other words, who made them, and how near they are to the first."""

    text: str
    by: Literal["model", "rules"]
    near: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Wordings:
    """What can be used, and why something could not."""

    found: tuple[Rewording, ...] = ()
    notes: tuple[str, ...] = ()


async def other_wordings(question: str, *, count: int, embedder: Embedder, model: Model | None = None) -> Wordings:
    """The question in at most ``count`` other ways that mean the same."""
    notes: list[str] = []
    found: list[Rewording] = []
    if model is not None:
        try:
            told = await _told(question, count + _MORE, model)
        except ModelError as error:
            told = []
            notes.append(f"{model.name} gave no other wording ({error.message}): rules were used")
        found = await _checked(question, told, "model", embedder)
        if told and len(found) < min(count, len(told)):
            notes.append("wordings of the model that changed a name, a number, a denial or the meaning were left out")
    if not found:
        found = await _checked(question, paraphrases(question, most=count + _MORE), "rules", embedder)
    if not found:
        notes.append("no other wording was found that means the same")
    return Wordings(found=tuple(found[:count]), notes=tuple(notes))


async def _told(question: str, count: int, model: Model) -> list[str]:
    material, code = fence([("message", question)])
    prompt = _prompt()
    shape = {
        "type": "object",
        "properties": {"wordings": {"type": "array", "items": {"type": "string"}}},
        "required": ["wordings"],
        "additionalProperties": False,
    }
    request = Request(
        messages=(
            Message(role="system", content=prompt.fill("system", count=str(count))),
            Message(role="user", content=prompt.fill("user", code=code, material=material)),
        ),
        schema=shape,
        schema_name="wordings",
    )
    reply = await model.complete(request)
    given = reply.data.get("wordings") if isinstance(reply.data, Mapping) else None
    if not isinstance(given, list):
        return []
    return [each.strip() for each in given if isinstance(each, str) and each.strip() and code not in each]


async def _checked(
    question: str, wordings: Sequence[str], by: Literal["model", "rules"], embedder: Embedder
) -> list[Rewording]:
    kept = [each for each in dict.fromkeys(wordings) if each != question.strip() and keeps_meaning(question, each)]
    if not kept:
        return []
    first, *others = await embedder.embed([question, *kept])
    near = [float(sum(a * b for a, b in zip(first, other, strict=True))) for other in others]
    return [
        Rewording(text=text, by=by, near=round(value, 3))
        for text, value in zip(kept, near, strict=True)
        if value >= NEAR
    ]


@cache
def _prompt() -> PromptParts:
    return prompt_parts(files("proctor.workflows.replay").joinpath("prompt.md").read_text(encoding="utf-8"))
