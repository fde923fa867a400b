"""The other brain: a chat model that calls the desk's tools itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from proctor.core.chat import Message, Reply, Request, Sampling, ToolCall, Usage
from proctor.core.codec import dumps
from proctor.core.sockets import Model
from proctor.core.trajectory import Escalation, Intent, MemoryRead, Source, Turn

from .memory import Memory
from .office import Office
from .reading import read
from .tools import TOOLS, Toolbox
from .written_steps import step_reply, step_request

__all__ = ["PROMPT", "ModelBrain", "house_prompt"]

PROMPT = Path(__file__).parent.parent / "prompts" / "desk.prompty"
MOST_ROUNDS = 6
MOST_TOKENS = 600


def house_prompt() -> str:
    """The system message out of the prompt file, so that the rules that are checked are the rules that are given."""
    body = PROMPT.read_text(encoding="utf-8").split("\n---\n", 1)[1]
    return body.split("user:\n", 1)[0].removeprefix("system:\n").strip()


class ModelBrain:
    """Answers one conversation on a model: it is shown the tools, calls them, and words the answer.

    Settings: ``max_tokens`` of a reply, ``rounds`` of calls a turn, and ``steps: written`` for a small model
    (``written_steps.py``).
    """

    def __init__(
        self,
        office: Office,
        memory: Memory,
        model: Model,
        described: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.office, self.memory, self.model = office, memory, model
        chosen = settings or {}
        self._rounds, self._max_tokens = (
            int(chosen.get("rounds", MOST_ROUNDS)),
            int(chosen.get("max_tokens", MOST_TOKENS)),
        )
        self._written = chosen.get("steps") == "written"
        self.described = {} if described is None else described
        self._said: list[Message] = []

    async def answer(self, text: str, history: Sequence[Mapping[str, Any]]) -> Turn:
        """The turn that one message leads to."""
        if not self._said:
            self._said = [Message(role=each["role"], content=each["content"]) for each in history]
        reading = read(text, self.office.products())
        self.memory.note(reading)
        toolbox = Toolbox(office=self.office, intents=tuple(name for name, _confidence in reading.intents))
        added = [Message(role="user", content=text)]
        calls: list[ToolCall] = []
        usage, reply = Usage(), Reply()
        cost: float | None = 0.0
        for number in range(1, self._rounds + 1):
            reply = await self._ask(added, last=number == self._rounds)
            usage += reply.usage
            cost = None if cost is None or reply.cost is None else cost + reply.cost  # unknown is not zero
            named = [replace(call, id=call.id or f"call-{len(calls) + n}") for n, call in enumerate(reply.tool_calls)]
            added.append(Message(role="assistant", content=reply.text, tool_calls=tuple(named)))
            if not named:
                break
            for call in named:
                made = self._use(toolbox, call)
                calls.append(made)
                told = {"error": made.error} if made.error else made.result
                added.append(Message(role="tool", content=dumps(told).decode(), tool_call_id=call.id, name=call.name))
        if not reply.text:
            added.append(
                Message(role="assistant", content="I could not finish that. Shall I hand you over to a person?")
            )
        self._said += added
        return self._told(added, calls, toolbox, reading.intents, usage, cost)

    async def _ask(self, added: list[Message], *, last: bool) -> Reply:
        who = f"\nThe customer who is logged in is {self.memory.customer or 'not known'}."
        when = f"\nIt is {self.office.now:%Y-%m-%d %H:%M}."
        left = "".join(f"\nAn earlier session left this note: {note}" for note in self.memory.notes.values())
        tools = tuple(replace(tool, description=self.described.get(tool.name, tool.description)) for tool in TOOLS)
        sampling = Sampling(temperature=0.0, max_tokens=self._max_tokens)
        if self._written:
            # Rules and tools come first: a server that keeps the beginning of a prompt reads them once.
            head = (house_prompt(), (when + who + left).lstrip())
            told = (*(Message(role="system", content=text) for text in head), *self._said, *added)
            return step_reply(await self.model.complete(step_request(told, tools, sampling, answer_only=last)))
        system = Message(role="system", content=house_prompt() + when + who + left)
        return await self.model.complete(
            Request(messages=(system, *self._said, *added), tools=tools, sampling=sampling)
        )

    def _use(self, toolbox: Toolbox, call: ToolCall) -> ToolCall:
        made = toolbox.call(call.name, call.arguments)
        return replace(call, result=made.get("result"), error=made.get("error"))

    def _told(
        self,
        added: list[Message],
        calls: list[ToolCall],
        toolbox: Toolbox,
        intents: tuple[tuple[str, float], ...],
        usage: Usage,
        cost: float | None,
    ) -> Turn:
        handed = next((call for call in calls if call.name == "escalate" and not call.error), None)
        best = max((float(each["score"]) for each in toolbox.sources if "score" in each), default=None)
        known = {str(source["id"]): source for source in toolbox.sources}
        return Turn(
            messages=tuple(added),
            intents=tuple(Intent(name=name, confidence=confidence) for name, confidence in intents),
            tool_calls=tuple(calls),
            sources=tuple(Source(**source) for source in known.values()),
            confidence=None if best is None else round(min(0.97, 0.3 + best), 2),
            usage=usage,
            cost=cost,
            escalation=Escalation(reason=str(handed.arguments.get("reason", "")), to="desk") if handed else None,
            memory=tuple(MemoryRead(key=key, value=note) for key, note in self.memory.notes.items()),
            extra={"brain": self.model.name, **({"tools": dict(self.described)} if self.described else {})},
        )
