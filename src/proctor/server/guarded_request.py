"""One request of a guarded conversation: what is asked of its session, and what came of it."""

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

__all__ = ["RequestTurn", "arguments_of"]

_MAX_NAME_CHARS: Final = 64


@dataclass(slots=True, kw_only=True)
class RequestTurn:
    """Puts the texts and calls of one request and its answer before the session's gates, and keeps the verdicts.

    ``escalate`` says what a hand-off comes to: ``reply`` gives the configured reply instead, ``header`` lets the text
    go on and only tells. A tool call that is not allowed is never made, whatever it says. ``restores`` says where
    the client has the customer's own data for the placeholders of the model: in answers, or in calls too. ``made`` are
    the ids and names of the calls that were let through. ``expose`` is what the client reads of the verdicts.
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
        """Words of the user."""
        return self._kept(await self.session.input(text))

    async def result(self, name: str, text: str, id: str | None = None) -> Verdict:
        """What a tool answered."""
        return self._kept(await self.session.tool_result(name, text, id=id))

    async def call(self, name: str, arguments: str, id: str | None = None) -> Verdict:
        """A tool call of the model; one whose arguments cannot be read cannot be judged, and is not made."""
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
        """A call or an item of a kind that is not known: it is not passed on, since nothing says what it does."""
        verdict = await self.session.tool_call(kind, {}, intents=self.intents)
        if not self.refuses(verdict) and not verdict.shadow:
            reason = f"the kind{_of(kind)} is not known here"
            verdict = Verdict(action="block", gate="tool_call", reason=reason, broken=True)
        return self._kept(verdict)

    async def glimpse(self, text: str) -> Verdict:
        """A part of an answer that is still being written."""
        return await self.session.glimpse(text, sources=self.sources, section=self.section)

    async def output(self, text: str) -> Verdict:
        """The answer."""
        return self._kept(await self.session.output(text, sources=self.sources, section=self.section))

    def stops(self, verdict: Verdict) -> bool:
        """Whether a text must not go on."""
        return verdict.action == "block" or (verdict.action == "escalate" and self.escalate == "reply")

    def refuses(self, verdict: Verdict) -> bool:
        """Whether a call must not be made."""
        return verdict.action in ("block", "escalate", "redact")

    def reply(self, verdict: Verdict) -> str:
        """What is said instead."""
        return self.session.refusal(verdict)

    def restored(self, before: str, text: str) -> str:
        """What the client reads of a text that may leave; ``before`` is what stands before it."""
        return text if self.restores == "none" or "[" not in text else restored(text, self.session.own(), before)

    def restored_call(self, arguments: str, free: bool = False) -> str:
        """What a call is made with; ``free``: that is a text and no JSON. The gates judge it so, too."""
        if self.restores != "all" or "[" not in arguments:
            return arguments
        values = self.session.own()
        return restored(arguments, values) if free else changed_in(arguments, lambda text: restored(text, values))

    def told(self) -> Mapping[str, Any] | None:
        """What was found, as far as the client may read it and without the words it was found in; None for nothing."""
        shown = [verdict for verdict in self.verdicts if verdict.action != "allow" or verdict.broken]
        if not shown or self.expose == "none":
            return None
        if self.expose == "action":
            return {"session": self.session.id, "verdicts": [{"action": each.action} for each in shown]}
        return {"session": self.session.id, "verdicts": [without_words(each) for each in shown]}

    def headers(self) -> Mapping[str, str]:
        """What the headers tell of the verdicts, as far as the client may read it."""
        if self.expose == "none":
            return {}
        strong = strongest(self.verdicts)
        verdict = header(self.verdicts) if self.expose == "full" else strong.action if strong else "allow"
        return {VERDICT_HEADER: verdict, SESSION_HEADER: self.session.id.encode("ascii", "replace").decode()}

    def _kept(self, verdict: Verdict) -> Verdict:
        self.verdicts.append(verdict)
        return verdict


def _of(name: str) -> str:
    """A name as a reason may state it: the client reads reasons, so a sentence of the model is left out."""
    return f" of {name}" if name and len(name) <= _MAX_NAME_CHARS and is_token(name) else ""


def arguments_of(text: str) -> dict[str, Any]:
    """The arguments of a call, as the model wrote them.

    Raises:
        ValueError: they are no JSON object; says why, as what follows "the text".
    """
    if not text.strip():
        return {}
    return read_object(text)
