"""A target that runs a prompt on a model."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.core.attack import Observation, Plant
from proctor.core.case import Case
from proctor.core.chat import Message, Reply, Request, Sampling, Tool
from proctor.core.codec import content_id, encode
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, Problem, PromptError
from proctor.core.generated_test import GeneratedTest
from proctor.core.sockets import Conversation, Kit, Model
from proctor.core.trajectory import MemoryRead, Trajectory, Turn
from proctor.core.world import Snapshot
from proctor.prompts.load import ENDINGS, load_prompt, parse_prompt
from proctor.prompts.prompt import Prompt
from proctor.prompts.render import CompiledPrompt, compile_prompt
from proctor.targets.play_case import drive

__all__ = ["PromptSettings", "PromptTarget", "connect"]


_METADATA_LENGTH = 512  # characters per value, the limit of providers that store answers


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSettings:
    """A prompt file, or the prompt itself, and its model.

    ``prompt`` is a path, or the text of the prompt. ``model`` is the name of a model; by default the default
    model. ``tools`` are definitions of tools that the model may call; they are not run. ``schema`` is a JSON
    schema for the answer, or a file with one. Settings that are not set here come from the prompt file.
    """

    prompt: str
    model: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    tools: tuple[Mapping[str, Any], ...] = ()
    schema: Mapping[str, Any] | str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTarget:
    """A prompt on a model, rendered for each case.

    With ``stored`` the provider is asked to store each answer with this metadata and that of its test.
    """

    name: str
    compiled: CompiledPrompt = field(repr=False)
    model: Model
    sampling: Sampling = field(default_factory=Sampling)
    tools: tuple[Tool, ...] = ()
    schema: Mapping[str, Any] | None = None
    stored: Mapping[str, str] | None = None

    @property
    def prompt(self) -> Prompt:
        """The prompt under test."""
        return self.compiled.prompt

    @property
    def shows(self) -> tuple[Observation, ...]:
        """Words, and the calls of tools where it has any; they are not run, so there is no state."""
        return ("words", "tools") if self.tools else ("words",)

    @property
    def spec(self) -> Mapping[str, Any]:
        """The prompt's hash, the model, and all request settings."""
        return {
            "prompt": self.prompt.hash,
            "model": self.model.name,
            "sampling": encode(self.sampling),
            "tools": [encode(tool) for tool in self.tools],
            "schema": self.schema,
        }

    async def run(self, case: Case, *, sample: int = 0) -> Trajectory:
        """Run the case turn by turn."""
        return await drive(case, lambda: self.begin(case, sample=sample), target=self.name)

    def begin(self, case: Case, *, sample: int = 0) -> Conversation:
        """Begin a conversation turn by turn."""
        return _Conversation(self, case, sample)

    def sampling_for(self, case: Case, sample: int) -> Sampling:
        """Return the sampling for this case, with metadata if answers are stored by the provider."""
        if self.stored is None:
            return self.sampling
        test = GeneratedTest.of(case)
        known = {
            **self.stored,
            "prompt": self.prompt.name,
            "test": case.id,
            "scenario": test.scenario,
            "rules": " ".join(test.rules),
            "baseline": str("baseline" in case.tags).lower(),
            "sample": str(sample),
            # By the test's id and not its position, so that a test stays in its set when others change.
            "dataset": "test" if int(content_id(case.id, length=8), 16) % 4 == 0 else "training",
        }
        told = {name: value[:_METADATA_LENGTH] for name, value in known.items() if value}
        return dataclasses.replace(self.sampling, extra={**self.sampling.extra, "store": True, "metadata": told})


class _Conversation:
    """The messages so far."""

    def __init__(self, target: PromptTarget, case: Case, sample: int) -> None:
        self._target, self._case, self._sample = target, case, sample
        self._messages: list[Message] = []
        self._tools = target.tools
        self._recalled: tuple[MemoryRead, ...] = ()

    async def plant(self, plant: Plant) -> None:
        """Put a text into an input, into what was said before, or into the description of a tool."""
        room, _, name = plant.at.partition("/")
        if room == "inputs" and name in self._target.prompt.inputs:
            self._case = dataclasses.replace(self._case, inputs={**self._case.inputs, name: plant.text})
        elif room == "history" and name in ("", "user", "assistant"):
            said = Message(role="assistant" if name == "assistant" else "user", content=plant.text)
            self._case = dataclasses.replace(self._case, history=(*self._case.history, said))
            self._recalled += (MemoryRead(key=plant.at, value=plant.text),)
        elif any(plant.at == _described_at(tool) for tool in self._tools):
            changed = {plant.at: plant.text}
            self._tools = tuple(
                dataclasses.replace(tool, description=changed.get(_described_at(tool), tool.description))
                for tool in self._tools
            )
        else:
            places = [*(f"inputs/{each}" for each in self._target.prompt.inputs), "history", "history/assistant"]
            places += [_described_at(tool) for tool in self._tools]
            raise KeyError(f"the prompt has no such place; it has: {', '.join(places)}")

    async def snapshot(self) -> Snapshot | None:
        """Return nothing: a prompt has no state."""
        return None

    async def new_session(self) -> None:
        """Begin again with the prompt alone."""
        self._messages, self._recalled = [], ()
        self._case = dataclasses.replace(self._case, history=())

    async def say(self, text: str) -> Turn:
        if self._messages:
            said: tuple[Message, ...] = (Message(role="user", content=text),)
            self._messages += said
        else:
            said = self._begin(text if self._case.asks else None)
        request = Request(
            messages=tuple(self._messages),
            tools=self._tools,
            schema=self._target.schema,
            schema_name=self._target.prompt.schema_name,
            sampling=self._target.sampling_for(self._case, self._sample),
            sample=self._sample,
        )
        reply = await self._target.model.complete(request)
        if reply.text:
            # Tool calls are not sent on: they were not run, and providers reject a call without its result.
            self._messages.append(Message(role="assistant", content=reply.text))
        recalled, self._recalled = self._recalled, ()
        described = {tool.name: tool.description for tool in self._tools if tool not in self._target.tools}
        return _turn(said, reply, recalled, {"tools": described} if described else {})

    def _begin(self, text: str | None) -> tuple[Message, ...]:
        """Render the prompt; the history goes before its last user message."""
        rendered = list(self._target.compiled.render(self._case.inputs, text))
        last = rendered.pop() if rendered and rendered[-1].role == "user" else None
        self._messages = [*rendered, *self._case.history]
        system = [message for message in rendered if message.role == "system"]
        if last is None:
            return tuple(system)
        self._messages.append(last)
        return (*system, last)


def _described_at(tool: Tool) -> str:
    return f"tools/{tool.name}/description"


def _turn(said: tuple[Message, ...], reply: Reply, recalled: tuple[MemoryRead, ...], more: Mapping[str, Any]) -> Turn:
    answer = Message(role="assistant", content=reply.text, tool_calls=reply.tool_calls)
    extra: dict[str, Any] = {**more, "model": reply.model} if reply.model else {**more}
    if reply.finish != "stop":
        extra["finish"] = reply.finish
    if reply.cached:
        extra["cached"] = True
    return Turn(
        messages=(*said, answer),
        tool_calls=reply.tool_calls,
        memory=recalled,
        latency=reply.latency,
        usage=reply.usage,
        cost=reply.cost,
        extra=extra,
    )


def connect(kit: Kit) -> PromptTarget:
    """A prompt file, or the text of a prompt, on a model."""
    settings = decode(PromptSettings, kit.settings, strict=True)
    prompt = _prompt(settings.prompt, Path(kit.folder))
    return PromptTarget(
        name=kit.name,
        compiled=compile_prompt(prompt),
        model=kit.model(settings.model),
        sampling=_sampling(settings, prompt.sampling),
        tools=tuple(_tool(raw, index) for index, raw in enumerate(settings.tools)),
        schema=prompt.schema if settings.schema is None else _schema(settings.schema, Path(kit.folder)),
    )


def _prompt(given: str, folder: Path) -> Prompt:
    """Load or parse a prompt: text with variables or line breaks is a prompt, an existing file is a file."""
    if "\n" in given or "{{" in given or not given.strip():
        return parse_prompt(given)
    path = folder / given
    looks_like_one = given.lower().endswith(ENDINGS) and " " not in given
    return load_prompt(path) if looks_like_one or path.is_file() else parse_prompt(given)


def _sampling(settings: PromptSettings, wished: Sampling) -> Sampling:
    names = ("temperature", "top_p", "max_tokens", "seed")
    chosen: dict[str, Any] = {name: getattr(settings, name) for name in names if getattr(settings, name) is not None}
    if settings.stop:
        chosen["stop"] = settings.stop
    return dataclasses.replace(wished, **chosen)


def _tool(raw: Mapping[str, Any], index: int) -> Tool:
    function = raw.get("function") if raw.get("type") == "function" else raw
    try:
        return decode(Tool, function, strict=True)
    except MalformedError as error:
        raise MalformedError(
            [Problem(("tools", index, *each.path), each.message, each.hint) for each in error.problems]
        ) from None


def _schema(given: Mapping[str, Any] | str, folder: Path) -> Mapping[str, Any]:
    if not isinstance(given, str):
        return given
    path = folder / given
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise PromptError(f"the schema cannot be read: {error.strerror}", file=str(path), field="schema") from None
    except (ValueError, RecursionError) as error:
        raise PromptError(f"the schema is not JSON: {error}", file=str(path), field="schema") from None
    if not isinstance(data, dict):
        raise PromptError("a JSON schema is a mapping", file=str(path), field="schema")
    return data
