"""Ask a model for one artefact: its prompt file, the reply schema, and retries.

A reply that matches the schema may still be wrong: name an unknown rule, or leave an input empty. Each stage validates
its reply. An invalid reply is retried once with the errors, then a new sample is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Generic, TypeVar

from proctor.core.chat import Message, Reply, Request, Sampling
from proctor.core.codec import dumps
from proctor.core.errors import ReplyError
from proctor.core.sockets import Model
from proctor.generate.stages.answer_size import answer_limit
from proctor.text.delimiters import Section, fence
from proctor.text.prompt_parts import PromptParts, prompt_parts

__all__ = ["Question", "ReplyReading", "ask", "stage_prompt", "stage_version"]

T = TypeVar("T")

# A new sample must not hit the cache entry of another sample of the same question.
_FRESH_SAMPLES_FROM = 1_000
_MOST_COMPLAINTS = 8
_RAW_CHARACTERS = 20_000
_CAUSE_CHARACTERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyReading(Generic[T]):
    """A parsed reply: the usable value, if any, and what is wrong with the rest."""

    value: T | None = None
    complaints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question to a model: the prompt file, its placeholders, the material and the reply schema.

    ``items`` is how many things are asked for; the limit on the answer's length follows from it.
    """

    stage: str
    material: Sequence[Section]
    schema: Mapping[str, Any]
    holes: Mapping[str, str]
    instructions: str = ""
    sample: int = 0
    items: int = 1

    @property
    def request_and_code(self) -> tuple[Request, str]:
        """The request and the code on its marker lines.

        The task is in the system message, the material is fenced in the user message.
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
            sampling=Sampling(max_tokens=answer_limit(self.stage, self.items)),
            sample=self.sample,
        )
        return request, code


async def ask(model: Model, question: Question, read: Callable[[Any], ReplyReading[T]], *, draws: int = 2) -> T:
    """Ask until a reply is completely usable: retry once with the errors, then with a new sample.

    If none is, the one with the fewest errors is used for what it has.

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
    """Return the prompt of that stage, cached."""
    return prompt_parts(files("proctor.generate.stages").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8"))


def stage_version(name: str) -> str:
    """Return a hash of a stage's prompt, for provenance."""
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
    """Return the same question with the failed answer and its errors."""
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
    error.cause = complaints[0][:_CAUSE_CHARACTERS] if complaints else "nothing usable"
    return error
