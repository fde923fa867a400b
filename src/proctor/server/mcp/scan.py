"""Puts what a tool server says before the gates, and remembers verdicts on texts that it says again and again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.core.verdict import STOPS, Edit, Verdict
from proctor.guard.chain import Decision
from proctor.guard.edits import difference
from proctor.guard.session import Session
from proctor.guard.step import Step
from proctor.guard.verdict_validation import edits_of
from proctor.server.conversation import digest
from proctor.server.mcp.texts import Field, Place, change, fields, is_prose, joined, spoken
from proctor.wiring.guard import Guard

__all__ = ["Scanner"]

_MOST_KNOWN: Final = 2_048
Edits = tuple[tuple[Edit, bool], ...]  # True: hides personal data


@dataclass(frozen=True, slots=True)
class _Known:
    verdict: Verdict
    edits: Edits = ()


@dataclass(slots=True, kw_only=True)
class Scanner:
    """Scans for one session. A verdict that a gate's failure led to is not remembered: the gate is asked again."""

    guard: Guard
    session: Session
    _known: OrderedDict[bytes, _Known] = field(default_factory=OrderedDict)

    async def names_pass(self, value: Any, name: str) -> bool:
        """Whether all names and addresses in a value, read at once, may go on as they are."""
        names = [each for each in fields(value) if not is_prose(each)]
        text = joined(names)
        return not text.strip() or (await self._decided(text, name, None)).verdict.action == "allow"

    async def scan(
        self,
        value: Any,
        name: str,
        *,
        skip: Collection[Place] = (),
        call: ToolCall | None = None,
        names_read: bool = False,
    ) -> bool:
        """Read every string of a value and cut in place what may not go on; says whether the value may go on.

        ``name`` says what the value is. ``call`` is set for the result of a call, which the session remembers.
        ``names_read``: its names have passed already.
        """
        found = list(fields(value, skip=skip))
        texts = [each for each in found if is_prose(each)]
        names = [each for each in found if not is_prose(each)]
        said = [each for each in texts if not each.meta]
        beside = [each for each in texts if each.meta]
        # What the message says comes last: what the session remembers of a result must have passed whole.
        return (
            (names_read or await self._passes(names, name, None))
            and await self._passes(spoken(names), name, None)
            and await self._passes(beside, name, None)
            and await self._passes(said, name, call)
        )

    async def _passes(self, found: list[Field], name: str, call: ToolCall | None) -> bool:
        text = joined(found)
        if not text.strip():
            return True
        known = await self._decided(text, name, call)
        if known.verdict.action in STOPS:
            return False
        return known.verdict.action != "redact" or change(found, known.edits)

    async def _decided(self, text: str, name: str, call: ToolCall | None) -> _Known:
        plan = self.guard.plan
        key = digest(plan.version, name, text)
        if call is None and (known := self._known.get(key)) is not None:
            self._known.move_to_end(key)
            return known
        step = Step(
            point="tool_result",
            text=text,
            call=ToolCall(name=name) if call is None else replace(call, result=text),
            intents=self.session.memory.intents,
            memory=self.session.memory,
        )
        # Only the result of a call is written into the session's memory: lists of tools would push the calls out of it.
        decision = await (self.guard.decide(step) if call is None else self.session.decide(step))
        decided = _Known(decision.verdict, tuple(self._edits(decision, step)))
        if call is None and not decision.verdict.broken:
            self._known[key] = decided
            while len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
        return decided

    def _edits(self, decision: Decision, step: Step) -> Iterable[tuple[Edit, bool]]:
        if decision.verdict.action != "redact":
            return
        chain = self.guard.plan.chains.get("tool_result")
        gates = {post.name: post.gate.name for post in (chain.posts if chain else ())}
        told = [each for each in decision.parts if each.action == "redact" and not each.shadow]
        for part in told:
            yield from ((edit, gates.get(part.gate) == "pii") for edit in edits_of(part, step))
        if not told and (edit := difference(step.text, decision.verdict.text or "")) is not None:
            yield edit, False
