"""Sessions for synchronous code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from proctor.core.trajectory import Source
from proctor.core.verdict import Verdict
from proctor.guard.answer_stream import SyncAnswerStream
from proctor.guard.sentence_buffer import StreamMode
from proctor.guard.session import Session
from proctor.guard.sync_bridge import SyncBridge
from proctor.guard.vault import Vault

__all__ = ["SyncSession"]


@dataclass(frozen=True, slots=True)
class SyncSession:
    """A session whose steps are plain calls; may be used from any thread."""

    session: Session
    door: SyncBridge

    @property
    def id(self) -> str:
        """The id of the session."""
        return self.session.id

    def input(self, text: str, *, metadata: Mapping[str, Any] | None = None) -> Verdict:
        """Check a customer's message before the agent reads it."""
        return self.door.run(self.session.input(text, metadata=metadata))

    def tool_call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        intents: Iterable[str] | None = (),
        confirmed: bool = False,
        metadata: Mapping[str, Any] | None = None,
    ) -> Verdict:
        """Check a tool call before it is made."""
        call = self.session.tool_call(name, arguments, intents=intents, confirmed=confirmed, metadata=metadata)
        return self.door.run(call)

    def tool_result(
        self,
        name: str,
        result: Any,
        arguments: Mapping[str, Any] | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
    ) -> Verdict:
        """Check a tool's result or a document before the agent reads it."""
        return self.door.run(self.session.tool_result(name, result, arguments, metadata=metadata))

    def output(
        self,
        draft: str,
        *,
        sources: Iterable[Source | Mapping[str, Any] | str] = (),
        section: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Verdict:
        """Check a draft answer before the customer reads it; ``sources`` are what it is based on."""
        return self.door.run(self.session.output(draft, sources=sources, section=section, metadata=metadata))

    def stream(
        self,
        pieces: Iterable[str],
        *,
        sources: Iterable[Source | Mapping[str, Any] | str] = (),
        section: str | None = None,
        mode: StreamMode = "sentence",
    ) -> SyncAnswerStream:
        """Return an iterator over the releasable text of an answer that is still being written, by sentences."""
        return SyncAnswerStream(self.session.drafts(sources, section), pieces, self.door, mode=mode)

    def reply(self, verdict: Verdict) -> str | None:
        """Return the reply to the customer for a stopped step; ``None`` if the step goes on."""
        return self.session.reply(verdict)

    def restore(self, text: str, vault: Vault) -> str:
        """Return a text with the placeholders replaced by the values in the vault."""
        return vault.restore(text)
