"""Asking a model for one artefact: its prompt file, the shape of the reply, and asking again when it will not do.

A reply that has the shape may still say nonsense: name a rule that is not there, leave an input empty. Each stage
reads its reply and says what is wrong with it; the model is told once, and then a fresh sample is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Generic, TypeVar

from proctor.core.chat import Message, Reply, Request
from proctor.core.codec import dumps
from proctor.core.errors import ReplyError
from proctor.core.sockets import Model
from proctor.text.delimiters import Section, fence
from proctor.text.prompt_parts import PromptParts, prompt_parts

__all__ = ["Question", "ReplyReading", "ask", "stage_prompt", "stage_version"]

T = TypeVar("T")

# A fresh draw must not meet the cache entry of another sample of the same question.
_FRESH_SAMPLES_FROM = 1_000
_MOST_COMPLAINTS = 8
_RAW_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyReading(Generic[T]):
    """What a reply came to: what of it can be used, if anything, and what is wrong with the rest."""

    value: T | None = None
    complaints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question to a model: which prompt file, what fills its holes, the material, the shape of the answer."""

    stage: str
    material: Sequence[Section]
    schema: Mapping[str, Any]
    holes: Mapping[str, str]
    instructions: str = ""
    sample: int = 0

    @property
    def request_and_code(self) -> tuple[Request, str]:
        """The question as it is sent and the code on its marker lines.

        What to do is said in the system's words, the material fenced in the user's.
        """
        prompt = stage_prompt(self.stage)
        material, code = fence([(title, text) for title, text in self.material if text.strip()])
        wishes = self.instructions.strip()
        system = prompt.fill("system", **self.holes)
        if wishes:
            system += f"\n\nThe author of the prompt wants this as well:\n{wishes}"
        request = Request(
            messages=(
                Message(role="system", content=f"{_frame().fill('system')}\n\n{system}"),
                Message(role="user", content=_frame().fill("user", code=code, material=material)),
            ),
            schema=self.schema,
            schema_name=self.stage,
            sample=self.sample,
        )
        return request, code


async def ask(model: Model, question: Question, read: Callable[[Any], ReplyReading[T]], *, draws: int = 2) -> T:
    """Ask until a reply can be used whole: once more with the complaint, then with a fresh sample.

    When none is whole, the one with the fewest complaints is used for what it has.

    Raises:
        ModelError: the model did not answer, or nothing in its answers can be used.
    """
    best: ReplyReading[T] = ReplyReading(complaints=("nothing was answered",) * (_MOST_COMPLAINTS + 1))
    last = Reply()
    request, code = question.request_and_code
    for draw in range(draws):
        asking = replace(request, sample=request.sample + draw * _FRESH_SAMPLES_FROM)
        for _ in range(2 if draw == 0 else 1):
            last = await model.complete(asking)
            reading = _read(last, read, code)
            if reading.value is not None and not reading.complaints:
                return reading.value
            if best.value is None or (reading.value is not None and len(reading.complaints) < len(best.complaints)):
                best = reading
            asking = _complain(asking, last, reading.complaints)
    if best.value is not None:
        return best.value
    raise _unusable(model.name, question.stage, last, best.complaints)


@cache
def stage_prompt(name: str) -> PromptParts:
    """The prompt of that stage, read once."""
    return prompt_parts(files("proctor.generate.stages").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8"))


def stage_version(name: str) -> str:
    """A hash of what a stage is told, for the provenance of what it made."""
    return f"{stage_prompt(name).hash}-{_frame().hash}"


def _frame() -> PromptParts:
    return stage_prompt("frame")


def _read(reply: Reply, read: Callable[[Any], ReplyReading[T]], code: str) -> ReplyReading[T]:
    if not isinstance(reply.data, Mapping):
        return ReplyReading(complaints=("the answer is not a JSON object",))
    if code in dumps(dict(reply.data)).decode():
        return ReplyReading(complaints=("the answer has a marker line of the material in it",))
    return read(reply.data)


def _complain(asked: Request, reply: Reply, complaints: Sequence[str]) -> Request:
    """The same question with the failed answer and what is wrong with it."""
    listed = "\n".join(f"- {complaint}" for complaint in complaints[:_MOST_COMPLAINTS])
    complaint = f"Your answer cannot be used as it is:\n{listed}\nGive the whole answer again, fixed."
    said = (Message(role="assistant", content=reply.text or "{}"), Message(role="user", content=complaint))
    return replace(asked, messages=(*asked.messages, *said))


def _unusable(name: str, stage: str, last: Reply, complaints: Sequence[str]) -> ReplyError:
    wrong = "; ".join(complaints[:3])
    error = ReplyError(
        f"{name}: nothing usable for the stage {stage}: {wrong}",
        hint="a stronger model may do; or generate without a model",
    )
    error.raw = last.text[:_RAW_CHARACTERS]
    return error
