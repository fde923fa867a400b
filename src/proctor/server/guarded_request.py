"""One request of a guarded conversation: run its session's gates, and keep the verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from proctor.core.trajectory import Source
from proctor.core.verdict import Verdict
from proctor.guard.session import Session
from proctor.server.unmask import changed_in, restored
from proctor.server.verdict_json import SESSION_HEADER, VERDICT_HEADER, header, strongest, without_words
from proctor.server.wire.strict_json import read_object
from proctor.server.wire.text_slots import is_token
from proctor.wiring.server_settings import Expose, Restores

__all__ = ["RequestTurn", "arguments_of", "canonical_arguments"]

_MAX_NAME_CHARS: Final = 64


@dataclass(slots=True, kw_only=True)
class RequestTurn:
    """Runs the session's gates on the texts and calls of one request and its answer, and keeps the verdicts.

    ``escalate`` is the effect of an escalation: ``reply`` sends the configured reply, ``header`` passes the text and
    only reports. A tool call that is not allowed is always refused. ``restores`` sets where placeholders are replaced
    by the customer's data: in answers, or also in calls. ``made`` has the ids and names of the allowed calls.
    ``expose`` sets how much of the verdicts the client sees.
    """

    session: Session
    escalate: Literal["reply", "header"] = "reply"
    intents: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    section: str | None = None
    confirmed: bool = False
    restores: Restores = "none"
    expose: Expose = "full"
    verdicts: list[Verdict] = field(default_factory=list)
    made: list[tuple[str, str]] = field(default_factory=list)

    async def input(self, text: str) -> Verdict:
        """Return the verdict on a user message."""
        return self._kept(await self.session.input(text))

    async def result(self, name: str, text: str, id: str | None = None) -> Verdict:
        """Return the verdict on a tool result."""
        return self._kept(await self.session.tool_result(name, text, id=id))

    async def call(self, name: str, arguments: str, id: str | None = None) -> Verdict:
        """Return the verdict on a tool call; a call with unreadable arguments is refused."""
        try:
            read = arguments_of(arguments)
        except ValueError as error:
            reason = f"the text of the arguments{_of(name)} {error}"
            return self._kept(Verdict(action="block", gate="tool_call", reason=reason, broken=True))
        verdict = await self.session.tool_call(
            name, read, intents=self.intents, confirmed=self.confirmed, id=id or None
        )
        if id and not self.refuses(verdict):
            self.made.append((id, name))
        return self._kept(verdict)

    async def unknown(self, kind: str) -> Verdict:
        """Return the verdict on a call or item of an unknown kind; it is refused except in shadow mode."""
        verdict = await self.session.tool_call(kind, {}, intents=self.intents)
        if not self.refuses(verdict) and not verdict.shadow:
            reason = f"the kind{_of(kind)} is not known here"
            verdict = Verdict(action="block", gate="tool_call", reason=reason, broken=True)
        return self._kept(verdict)

    async def glimpse(self, text: str) -> Verdict:
        """Return the verdict on a part of an unfinished answer."""
        return await self.session.glimpse(text, sources=self.sources, section=self.section)

    async def output(self, text: str) -> Verdict:
        """Return the verdict on the answer."""
        return self._kept(await self.session.output(text, sources=self.sources, section=self.section))

    def stops(self, verdict: Verdict) -> bool:
        """Return whether a text is stopped."""
        return verdict.action == "block" or (verdict.action == "escalate" and self.escalate == "reply")

    def refuses(self, verdict: Verdict) -> bool:
        """Return whether a call is refused."""
        return verdict.action in ("block", "escalate", "redact")

    def reply(self, verdict: Verdict) -> str:
        """Return the reply that replaces the stopped text."""
        return self.session.refusal(verdict)

    def restored(self, before: str, text: str) -> str:
        """Return an allowed text as the client sees it; ``before`` is the text before it."""
        return text if self.restores == "none" or "[" not in text else restored(text, self.session.own(), before)

    def restored_call(self, arguments: str, free: bool = False) -> str:
        """Return a call's arguments with values restored; ``free`` means text, not JSON. The gates check these too."""
        if self.restores != "all" or "[" not in arguments:
            return arguments
        values = self.session.own()
        return restored(arguments, values) if free else changed_in(arguments, lambda text: restored(text, values))

    def told(self) -> Mapping[str, Any] | None:
        """Return the findings that the client may see, without quoted text; None if there are none."""
        shown = [verdict for verdict in self.verdicts if verdict.action != "allow" or verdict.broken]
        if not shown or self.expose == "none":
            return None
        if self.expose == "action":
            return {"session": self.session.id, "verdicts": [{"action": each.action} for each in shown]}
        return {"session": self.session.id, "verdicts": [without_words(each) for each in shown]}

    def headers(self) -> Mapping[str, str]:
        """Return the response headers about verdicts, as far as the client may see them."""
        if self.expose == "none":
            return {}
        strong = strongest(self.verdicts)
        verdict = header(self.verdicts) if self.expose == "full" else strong.action if strong else "allow"
        return {VERDICT_HEADER: verdict, SESSION_HEADER: self.session.id.encode("ascii", "replace").decode()}

    def _kept(self, verdict: Verdict) -> Verdict:
        self.verdicts.append(verdict)
        return verdict


def _of(name: str) -> str:
    """Return a name for use in a reason; clients read reasons, so text of the model is left out."""
    return f" of {name}" if name and len(name) <= _MAX_NAME_CHARS and is_token(name) else ""


def arguments_of(text: str) -> dict[str, Any]:
    """Parse the arguments of a call.

    Raises:
        ValueError: they are not a JSON object. The message continues "the text".
    """
    if not text.strip():
        return {}
    return read_object(text)


def canonical_arguments(text: str) -> Any:
    """Return the arguments of a call as an object, whatever their spelling; a text that is not one stays as it is."""
    try:
        return arguments_of(text)
    except ValueError:
        return text
