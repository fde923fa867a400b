"""Stop changing calls whose recipient, account, link or command only stands in text that anybody may have written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

from proctor.core.chat import ToolCall
from proctor.core.fast_dataclass import fast_constructor
from proctor.core.step import Point
from proctor.core.tool_effect import StatedEffect
from proctor.core.verdict import Finding, Verdict
from proctor.guard.call_origin import problems
from proctor.guard.customer_request import request_of
from proctor.guard.step import Step
from proctor.guard.tool_settings import ByTool, call_of, call_text
from proctor.guard.traced_call import CallOrigin, OriginProblem, may_change
from proctor.guard.value_origins import Origins

__all__ = ["ProvenanceGate"]

_verdict: Final = fast_constructor(Verdict)
_Choice = Literal["block", "escalate", "flag", "off"]
_ORDER: Final[tuple[_Choice, ...]] = ("block", "escalate", "flag", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenanceGate:
    """Traces the values of changing calls to the customer, a record, or text that anybody may have written.

    ``untraced`` is for an address, account, link, command or password that only such a text gives, or that differs from
    what the customer gave. ``invented`` is for an address or account that stands nowhere, after a text was read.
    ``unasked`` is for an act that a read text asks for and nothing the customer said, that the customer ruled out, or
    that follows a message which only asks to know something; ``unprompted`` is for one that nothing asks for.
    ``trusted`` are tools whose whole result counts as a record, ``free`` are tools that are never checked, and
    ``known`` are values that need no origin: the address of the shop.
    """

    name: ClassVar[str] = "provenance"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("tool_call",)
    pure: ClassVar[bool] = True
    primary: ClassVar[str | None] = None  # a mapping after the name is its settings

    untraced: _Choice = "escalate"
    invented: _Choice = "escalate"
    unasked: _Choice = "escalate"
    unprompted: _Choice = "flag"
    trusted: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    tool_effects: Mapping[str, StatedEffect] = field(default_factory=dict)
    _origins: Origins = field(init=False, repr=False, compare=False)
    _trusted: ByTool[bool] = field(init=False, repr=False, compare=False)
    _free: ByTool[bool] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_origins", Origins())
        object.__setattr__(self, "_trusted", ByTool(dict.fromkeys(self.trusted, True)))
        object.__setattr__(self, "_free", ByTool(dict.fromkeys(self.free, True)))

    async def check(self, step: Step) -> Verdict:
        """Trace each value of a call that may change something, and name the one that nobody vouches for."""
        call = call_of(step)
        # Without a message there is no request to trace to, as for an MCP gateway.
        if step.confirmed or not step.memory.asked or not self._changes(call.name):
            return _verdict(action="allow", gate=self.name, version=self.version)
        request = request_of(step)
        values = self._origins.traced(step, agreed=request.agreed, trusted=self._trusted_in(step), known=self.known)
        traced = CallOrigin(call=call, values=values, request=request, texts=self._origins.session(step.memory))
        found = [(choice, each) for each in problems(traced) if (choice := self._choice(each)) != "off"]
        if not found:
            return _verdict(action="allow", gate=self.name, version=self.version)
        findings = tuple(self._finding(call, each) for _, each in found)
        action, first = min(found, key=lambda each: _ORDER.index(each[0]))
        if action in ("block", "escalate"):
            return self._stopped(call, action, first, findings)
        return Verdict(action="allow", gate=self.name, version=self.version, reason=first.reason, findings=findings)

    def ahead(self, step: Step) -> Iterator[None]:
        """Read what the session has heard before the agent decides on a call, a little at each step."""
        if step.memory.asked:
            yield from self._origins.prepare(step.memory)

    def _changes(self, tool: str) -> bool:
        if self._free.of(tool):
            return False
        return may_change(tool, self.tool_effects)

    def _trusted_in(self, step: Step) -> Sequence[str]:
        return [call.name for call in step.memory.calls if self._trusted.of(call.name)] if self.trusted else ()

    def _choice(self, problem: OriginProblem) -> _Choice:
        if problem.kind == "delegated":
            return "flag"
        if problem.kind == "unprompted":
            return self.unprompted
        if problem.kind == "invented":
            return self.invented
        return self.unasked if problem.kind == "unasked" else self.untraced

    def _finding(self, call: ToolCall, problem: OriginProblem) -> Finding:
        return Finding(
            kind=problem.kind,
            detector=self.name,
            text=call_text(call),
            confidence=1.0,
            severity="low" if problem.kind in ("delegated", "unprompted") else "high",
            reason=problem.reason,
        )

    def _stopped(
        self,
        call: ToolCall,
        action: Literal["block", "escalate"],
        problem: OriginProblem,
        findings: tuple[Finding, ...],
    ) -> Verdict:
        more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
        return Verdict(
            action=action,
            gate=self.name,
            version=self.version,
            reason=problem.reason + more,
            findings=findings,
            # The caller can fix this: ask the customer and call again with confirmed=True.
            extra={"anomaly": True, "tool": call.name[:80], "confirm": True},
        )
