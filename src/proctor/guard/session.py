"""A guarded live conversation."""

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
from proctor.core.errors import MalformedError, Problem
from proctor.core.fast_dataclass import fast_constructor
from proctor.core.step import Point
from proctor.core.trajectory import Source
from proctor.core.verdict import Verdict
from proctor.guard.answer_stream import AnswerStream, ReleasePolicy
from proctor.guard.chain import Decision
from proctor.guard.engine import REPLIES, Watch
from proctor.guard.ledger import result_text, write
from proctor.guard.prefetch import PrefetchJob, begin, readers
from proctor.guard.sentence_buffer import StreamMode
from proctor.guard.session_memory import Memory
from proctor.guard.step import Step
from proctor.guard.sync_bridge import SyncBridge
from proctor.guard.vault import Vault

__all__ = ["Session", "passed"]

_log = logging.getLogger(__name__)
_step: Final = fast_constructor(Step)
_call: Final = fast_constructor(ToolCall)
_making: Final = threading.Lock()
_PREFETCHED_CALLS: Final = 8  # usually those of this turn


def passed(verdict: Verdict) -> bool:
    """Return whether the step may go on, possibly with a changed text."""
    return verdict.action in ("allow", "redact")


class Session:
    """A live conversation: each step passes the gates, and the steps that pass are remembered.

    The text to use is ``verdict.text``, or the original if that is ``None``. ``intents`` are those of the running turn;
    a tool call without intents is checked against them. With a ``vault`` the caller can restore placeholders.
    """

    __slots__ = ("_calling", "_prefetch", "_vault", "_watch", "memory")

    def __init__(
        self, watch: Watch, *, id: str | None = None, customer: str | None = None, vault: Vault | None = None
    ) -> None:
        self._watch, self._vault = watch, vault
        self._calling = threading.Lock()
        self._prefetch: PrefetchJob | None = None
        self.memory = Memory(session=id or uuid4().hex, customer=customer)

    @property
    def id(self) -> str:
        """The id of the session."""
        return self.memory.session

    @property
    def customer(self) -> str | None:
        """The customer of the session."""
        return self.memory.customer

    @property
    def vault(self) -> Vault:
        """The vault that restores this session's placeholders; created on first use if none was given."""
        with _making:
            if self._vault is None:
                held = Vault()
                self._fill(held)
                self._vault = held
            return self._vault

    @property
    def door(self) -> SyncBridge:
        """The bridge that lets synchronous code wait for a step."""
        return self._watch.door

    @property
    def intents(self) -> tuple[str, ...]:
        """The customer's intents in the running turn."""
        return self.memory.intents

    @intents.setter
    def intents(self, intents: Iterable[str] | None) -> None:
        self.memory.intents = _intents(intents)

    async def input(self, text: str, *, metadata: Mapping[str, Any] | None = None) -> Verdict:
        """Check a customer's message before the agent reads it."""
        step = _step(point="input", text=text, memory=self.memory, metadata=metadata or {})
        self.memory.intents = ()
        return (await self.decide(step)).verdict

    async def tool_call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        intents: Iterable[str] | None = (),
        confirmed: bool = False,
        id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Verdict:
        """Check a tool call before it is made."""
        step = _step(
            point="tool_call",
            call=_call(name=name, arguments=arguments or {}, id=id),
            intents=_intents(intents) or self.memory.intents,
            confirmed=confirmed,
            memory=self.memory,
            metadata=metadata or {},
        )
        # Two concurrent calls must not both use up the last one that a limit allows. They may be on two event loops:
        # that of an async agent, and that of the bridge for its synchronous tools.
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
        """Check a tool's result or a document before the agent reads it."""
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
        """Check a draft answer before the customer reads it; ``sources`` are what it is based on."""
        return (await self.decide(self._draft(draft, sources, section, metadata))).verdict

    async def glimpse(
        self,
        draft: str,
        *,
        sources: Iterable[Source | Mapping[str, Any] | str] = (),
        section: str | None = None,
    ) -> Verdict:
        """Check a part of an answer that is still being written; the verdict is not recorded."""
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
        """Return an async iterator over the releasable text of an answer that is still being written, by sentences.

        Text is released only after the gates have checked it. If they stop the answer, its last text is the configured
        reply. ``mode="whole"`` holds everything back until the answer is complete.
        """
        return AnswerStream(self.drafts(sources, section), pieces, mode=mode)

    def drafts(
        self, sources: Iterable[Source | Mapping[str, Any] | str] = (), section: str | None = None
    ) -> ReleasePolicy:
        """Return the judge for the parts of one answer and the whole of it."""
        return _Drafts(self, _listed(sources), section)

    def _draft(
        self,
        draft: str,
        sources: Iterable[Source | Mapping[str, Any] | str],
        section: str | None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Step:
        return _step(
            point="output",
            text=draft,
            intents=self.memory.intents,
            sources=tuple(_source(each, place) for place, each in enumerate(_listed(sources))),
            section=section,
            memory=self.memory,
            metadata=metadata or {},
        )

    async def decide(self, step: Step) -> Decision:
        """Return the decision about any step of this session, and the verdict of each gate."""
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
                if step.point in ("input", "tool_result"):
                    self._read_ahead(step.point)
        if self._vault is not None and decision.verdict.text is not None:
            self._fill(self._vault)
        return decision

    def reply(self, verdict: Verdict) -> str | None:
        """Return the reply to the customer for a stopped step; ``None`` if the step goes on."""
        return None if passed(verdict) else self.refusal(verdict)

    def refusal(self, verdict: Verdict) -> str:
        """Return the configured reply for a step that the caller stops, whatever its verdict."""
        return self._watch.plan.replies.get(verdict.action, self._watch.plan.replies.get("block", REPLIES["block"]))

    def restore(self, text: str, vault: Vault) -> str:
        """Return a text with the placeholders replaced by the values in the vault."""
        return vault.restore(text)

    def _read_ahead(self, point: Point) -> None:
        """Have the gates of the next steps read what is new while the agent thinks and writes.

        Errors are ignored here: the gates read the same text again.
        """
        try:
            self._begin_reading(point)
        except Exception as error:
            _log.debug("what the tools said is not read ahead: %s", type(error).__name__)

    def _begin_reading(self, point: Point) -> None:
        chains, steps = self._watch.plan.chains, []
        chain = chains.get("output") if point == "tool_result" else None
        if chain is not None and (read := readers(post.gate for post in chain.posts)):
            last = Memory(calls=deque(list(self.memory.calls)[-_PREFETCHED_CALLS:]))
            steps.append((_step(point="output", memory=last), read))
        if (chain := chains.get("tool_call")) is not None and (read := readers(post.gate for post in chain.posts)):
            steps.append((_step(point="tool_call", memory=self.memory), read))
        if steps:
            self._stop_reading()  # the new job reads what is left
            self._prefetch = begin(lambda: (each for step, read in steps for reader in read for each in reader(step)))

    def _stop_reading(self) -> None:
        """Cancel prefetching when the draft arrives, so that it does not compete with the gates."""
        job, self._prefetch = self._prefetch, None
        if job is not None:
            job.cancel()

    def own(self) -> dict[str, str]:
        """Return the values of the placeholders for the customer's own data; they must never be logged or stored."""
        return self._values("customer")

    def _fill(self, vault: Vault) -> None:
        # Values from a draft are left out: an answer must not get back what was masked in it.
        vault.fill(self._values(None, without="output"))

    def _values(self, source: str | None, without: str | None = None) -> dict[str, str]:
        while True:
            try:
                return self.memory.placeholders.vault(source=source, without=without)
            except RuntimeError:  # a gate of another step added a placeholder at the same time
                continue

    def _unwritten(self, verdict: Verdict, error: Exception) -> Verdict:
        """Stop a step that could not be recorded, since limits would not count it."""
        reason = f"the step could not be written down ({type(error).__name__})"
        self._watch.note("step_not_written", session=self.id, error=type(error).__name__)
        return replace(verdict, action=self._watch.plan.on_failure, broken=True, text=None, reason=reason)


@dataclass(frozen=True, slots=True)
class _Drafts:
    """Checks the parts of one answer with the gates of a session."""

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


def _intents(given: Any) -> tuple[str, ...]:
    """Return the intents as a tuple; a single one needs no list, and ``None`` is none.

    Raises:
        MalformedError: they are something else.
    """
    if given is None or given == "":
        return ()
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Iterable):
        hint = "`intents` is the name of an intent or a list of them"
        raise MalformedError([Problem(("intents",), f"this is {type(given).__name__}, not an intent", hint)])
    return tuple(given)


def _listed(
    sources: Iterable[Source | Mapping[str, Any] | str] | Source | Mapping[str, Any] | str,
) -> tuple[Source | Mapping[str, Any] | str, ...]:
    """Return the sources as a tuple; a single one, also a text, is one source.

    Raises:
        MalformedError: they are something else.
    """
    if isinstance(sources, (str, Mapping, Source)):
        return (sources,)
    if not isinstance(sources, Iterable):
        raise _no_source(("sources",), sources)
    return tuple(sources)


def _no_source(path: tuple[str | int, ...], given: object) -> MalformedError:
    hint = "a source is a text, a mapping with `text`, or a Source; `sources` is one of them or a list of them"
    return MalformedError([Problem(path, f"this is {type(given).__name__}, not a source", hint)])


def _source(given: Source | Mapping[str, Any] | str, place: int) -> Source:
    """Convert a ``Source``, a mapping or bare text to a source."""
    if isinstance(given, Source):
        return given
    if isinstance(given, str):
        return Source(id=f"source-{place + 1}", text=given)
    if not isinstance(given, Mapping):
        raise _no_source(("sources", place), given)
    made: Source = decode(Source, {"id": f"source-{place + 1}", **given})
    return made
