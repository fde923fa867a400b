"""One live conversation under guard."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import AsyncIterable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import uuid4

from proctor.core.chat import ToolCall
from proctor.core.decode import decode
from proctor.core.trajectory import Source
from proctor.core.verdict import Verdict
from proctor.guard.answer_stream import AnswerStream, ReleasePolicy
from proctor.guard.chain import Decision
from proctor.guard.engine import REPLIES, Watch
from proctor.guard.fast_dataclass import swift
from proctor.guard.ledger import result_text, write
from proctor.guard.prefetch import Errand, begin, readers
from proctor.guard.sentence_buffer import StreamMode
from proctor.guard.session_memory import Memory
from proctor.guard.step import Step
from proctor.guard.sync_bridge import Door
from proctor.guard.vault import Vault

__all__ = ["Session", "passed"]

_log = logging.getLogger(__name__)
_step: Final = swift(Step)
_call: Final = swift(ToolCall)
_making: Final = threading.Lock()
_LAST: Final = 8  # calls whose results are read ahead: those of this turn, as a rule


def passed(verdict: Verdict) -> bool:
    """Whether the step may go on, be it with a changed text."""
    return verdict.action in ("allow", "redact")


class Session:
    """One live conversation: each step is put before the gates, and what was let through is remembered.

    What goes on is ``verdict.text``, or the original where that is ``None``. ``intents`` are those of the running
    turn; a tool call that names none is judged by them. With a ``vault`` the caller can restore placeholders.
    """

    __slots__ = ("_calling", "_errand", "_vault", "_watch", "memory")

    def __init__(
        self, watch: Watch, *, id: str | None = None, customer: str | None = None, vault: Vault | None = None
    ) -> None:
        self._watch, self._vault = watch, vault
        self._calling = threading.Lock()
        self._errand: Errand | None = None
        self.memory = Memory(session=id or uuid4().hex, customer=customer)

    @property
    def id(self) -> str:
        """The name of the session."""
        return self.memory.session

    @property
    def customer(self) -> str | None:
        """Whose session it is."""
        return self.memory.customer

    @property
    def vault(self) -> Vault:
        """The way back from the placeholders of this session; made when it was begun without one."""
        with _making:
            if self._vault is None:
                held = Vault()
                self._fill(held)
                self._vault = held
            return self._vault

    @property
    def door(self) -> Door:
        """The way for plain code to wait for a step."""
        return self._watch.door

    @property
    def intents(self) -> tuple[str, ...]:
        """What the customer is taken to want in the running turn."""
        return self.memory.intents

    @intents.setter
    def intents(self, intents: Iterable[str]) -> None:
        self.memory.intents = (intents,) if intents and isinstance(intents, str) else tuple(intents)

    async def input(self, text: str, *, metadata: Mapping[str, Any] | None = None) -> Verdict:
        """Words of the customer, before the agent reads them."""
        step = _step(point="input", text=text, memory=self.memory, metadata=metadata or {})
        self.memory.intents = ()
        return (await self.decide(step)).verdict

    async def tool_call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        intents: Iterable[str] = (),
        confirmed: bool = False,
        id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Verdict:
        """A tool the agent wants to call, before it is called."""
        step = _step(
            point="tool_call",
            call=_call(name=name, arguments=arguments or {}, id=id),
            intents=(intents,) if intents and isinstance(intents, str) else tuple(intents) or self.memory.intents,
            confirmed=confirmed,
            memory=self.memory,
            metadata=metadata or {},
        )
        # Two calls at once must not both be the last that a limit allows. They may be on two loops: one of an async
        # agent, one of the door that its plain tools go through.
        while not self._calling.acquire(blocking=False):  # noqa: ASYNC110 - an asyncio.Event is of one loop
            await asyncio.sleep(0.001)
        try:
            return (await self.decide(step)).verdict
        finally:
            self._calling.release()

    async def tool_result(
        self,
        name: str,
        result: Any,
        arguments: Mapping[str, Any] | None = None,
        *,
        id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Verdict:
        """What a tool or a document says, before the agent reads it."""
        step = _step(
            point="tool_result",
            text=result_text(result),
            call=_call(name=name, arguments=arguments or {}, result=result, id=id),
            intents=self.memory.intents,
            memory=self.memory,
            metadata=metadata or {},
        )
        return (await self.decide(step)).verdict

    async def output(
        self,
        draft: str,
        *,
        sources: Iterable[Source | Mapping[str, Any] | str] = (),
        section: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Verdict:
        """A draft answer, before the customer reads it; ``sources`` are what it rests on."""
        return (await self.decide(self._draft(draft, sources, section, metadata))).verdict

    async def glimpse(
        self,
        draft: str,
        *,
        sources: Iterable[Source | Mapping[str, Any] | str] = (),
        section: str | None = None,
    ) -> Verdict:
        """A part of an answer that is still being written; the verdict is neither on record nor remembered."""
        self._stop_reading()
        return (await self._watch.decide(self._draft(draft, sources, section), record=False)).verdict

    def stream(
        self,
        pieces: AsyncIterable[str],
        *,
        sources: Iterable[Source | Mapping[str, Any] | str] = (),
        section: str | None = None,
        mode: StreamMode = "sentence",
    ) -> AnswerStream:
        """An answer that is still being written: an async iterator over the text that may leave, sentence by sentence.

        Nothing leaves before the gates have seen it. When they stop the answer, its last text is the configured reply.
        ``mode="whole"`` holds everything back until the answer is complete.
        """
        return AnswerStream(self.drafts(sources, section), pieces, mode=mode)

    def drafts(
        self, sources: Iterable[Source | Mapping[str, Any] | str] = (), section: str | None = None
    ) -> ReleasePolicy:
        """Decides on the parts of one answer and on the whole of it."""
        listed = (sources,) if isinstance(sources, (str, Mapping, Source)) else tuple(sources)
        return _Drafts(self, listed, section)

    def _draft(
        self,
        draft: str,
        sources: Iterable[Source | Mapping[str, Any] | str],
        section: str | None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Step:
        if isinstance(sources, (str, Mapping, Source)):  # one of them is a list of one, never one of letters
            sources = (sources,)
        return _step(
            point="output",
            text=draft,
            intents=self.memory.intents,
            sources=tuple(_source(each, place) for place, each in enumerate(sources)),
            section=section,
            memory=self.memory,
            metadata=metadata or {},
        )

    async def decide(self, step: Step) -> Decision:
        """What is decided about any step of this session, and what each gate had said."""
        if step.memory is not self.memory:
            step = replace(step, memory=self.memory)
        if step.point == "output":
            self._stop_reading()
        decision = await self._watch.decide(step)
        if passed(decision.verdict):
            try:
                write(self.memory, step, step.text if decision.verdict.text is None else decision.verdict.text)
            except Exception as error:
                decision = replace(decision, verdict=self._unwritten(decision.verdict, error))
            else:
                if step.point == "tool_result":
                    self._read_ahead()
        if self._vault is not None and decision.verdict.text is not None:
            self._fill(self._vault)
        return decision

    def reply(self, verdict: Verdict) -> str | None:
        """What the customer is told instead of a step that is stopped; ``None`` when the step goes on."""
        return None if passed(verdict) else self.refusal(verdict)

    def refusal(self, verdict: Verdict) -> str:
        """The configured words for a step that the caller does not let go on, whatever the verdict says of it."""
        return self._watch.plan.replies.get(verdict.action, self._watch.plan.replies.get("block", REPLIES["block"]))

    def restore(self, text: str, vault: Vault) -> str:
        """A text with the customer's own data in place of the placeholders, for whoever holds the vault."""
        return vault.restore(text)

    def _read_ahead(self) -> None:
        """Have the gates of the output read what the tools said, while the agent writes.

        The step is decided and written down: whatever fails here is left to the gates of the output.
        """
        try:
            self._begin_reading()
        except Exception as error:
            _log.debug("what the tools said is not read ahead: %s", type(error).__name__)

    def _begin_reading(self) -> None:
        chain = self._watch.plan.chains.get("output")
        if chain is not None and (read := readers(post.gate for post in chain.posts)):
            self._stop_reading()  # what it has not read yet is read by the new one
            last = Memory(calls=deque(list(self.memory.calls)[-_LAST:]))
            step = _step(point="output", memory=last)
            self._errand = begin(lambda: (each for reader in read for each in reader(step)))

    def _stop_reading(self) -> None:
        """The draft is there: its gates do the rest, and nobody should take the interpreter from them."""
        errand, self._errand = self._errand, None
        if errand is not None:
            errand.cancel()

    def own(self) -> dict[str, str]:
        """What the placeholders for the customer's own data stand for; it must never be logged or stored."""
        return self._values("customer")

    def _fill(self, vault: Vault) -> None:
        # What only a draft said is left out: the answer that it was kept from must not get it back.
        vault.fill(self._values(None, without="output"))

    def _values(self, source: str | None, without: str | None = None) -> dict[str, str]:
        while True:
            try:
                return self.memory.placeholders.vault(source=source, without=without)
            except RuntimeError:  # a gate of another step gave out a placeholder at this very moment
                continue

    def _unwritten(self, verdict: Verdict, error: Exception) -> Verdict:
        """A step that cannot be remembered would not be counted either, so it does not go on."""
        reason = f"the step could not be written down ({type(error).__name__})"
        self._watch.note("step_not_written", session=self.id, error=type(error).__name__)
        return replace(verdict, action=self._watch.plan.on_failure, broken=True, text=None, reason=reason)


@dataclass(frozen=True, slots=True)
class _Drafts:
    """Puts the parts of one answer before the gates of a session."""

    session: Session
    sources: tuple[Source | Mapping[str, Any] | str, ...]
    section: str | None

    async def glimpse(self, text: str) -> Verdict:
        return await self.session.glimpse(text, sources=self.sources, section=self.section)

    async def output(self, text: str) -> Verdict:
        return await self.session.output(text, sources=self.sources, section=self.section)

    def stops(self, verdict: Verdict) -> bool:
        return not passed(verdict)

    def reply(self, verdict: Verdict) -> str:
        return self.session.refusal(verdict)


def _source(given: Source | Mapping[str, Any] | str, place: int) -> Source:
    """A source, however the caller has it: as ours, as a mapping, or as bare text."""
    if isinstance(given, Source):
        return given
    if isinstance(given, str):
        return Source(id=f"source-{place + 1}", text=given)
    made: Source = decode(Source, {"id": f"source-{place + 1}", **given})
    return made
