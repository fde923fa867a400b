"""Check the arguments of tool calls against the settings of each tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import ClassVar, Final, Literal

from proctor.core.chat import ToolCall
from proctor.core.fast_dataclass import fast_constructor
from proctor.core.step import Point
from proctor.core.tool_effect import StatedEffect, tool_effect
from proctor.core.verdict import Finding, Verdict
from proctor.guard.constraints import CallProblem, Constraints
from proctor.guard.ownership import Owned, foreign_owner, record_of
from proctor.guard.step import Step
from proctor.guard.tool_settings import ByTool, call_of, call_text

__all__ = ["OWNERS", "Arguments"]

OWNERS: Final = ("customer", "customer_id", "user", "user_id", "owner", "owner_id", "account_holder", "client_id")
_verdict: Final = fast_constructor(Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """Checks tool arguments: schemas, allowed values, the customer's own ids, limits, and required consent.

    With ``read_only``, only reading tools may be called: by the project's `tools:` and their names, or those that
    ``reads`` lists. At the tool results, it stops records that name another owner than the customer, for tools with
    ``owner``.
    """

    name: ClassVar[str] = "arguments"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("tool_call", "tool_result")
    pure: ClassVar[bool] = True
    primary: ClassVar[str | None] = None  # a mapping after the name is its settings

    tools: Mapping[str, Constraints] = field(default_factory=dict)
    read_only: bool = False
    reads: tuple[str, ...] = ()
    tool_effects: Mapping[str, StatedEffect] = field(default_factory=dict)
    owners: tuple[str, ...] = OWNERS
    unlisted: Literal["allow", "block"] = "allow"
    action: Literal["block", "escalate"] = "block"
    _by_tool: ByTool[Constraints] = field(init=False, repr=False, compare=False)
    _reads: ByTool[bool] = field(init=False, repr=False, compare=False)
    _owned: Owned = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_tool", ByTool(self.tools))
        object.__setattr__(self, "_reads", ByTool(dict.fromkeys(self.reads, True)))
        object.__setattr__(self, "_owned", Owned(self.owners))

    async def check(self, step: Step) -> Verdict:
        """Check the call against the settings of its tool, and name the wrong argument."""
        call = call_of(step)
        found = self._result_problems(call, step) if step.point == "tool_result" else self._problems(call, step)
        if not found:
            return _verdict(action="allow", gate=self.name, version=self.version)
        findings = tuple(
            Finding(
                kind=each.kind,
                detector=self.name,
                text=call_text(call),
                confidence=1.0,
                severity=each.severity,
                reason=each.reason,
            )
            for each in found[:20]
        )
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        return Verdict(
            action=self.action,
            gate=self.name,
            version=self.version,
            reason=found[0].reason + more,
            findings=findings,
            extra={
                "anomaly": any(each.kind in ("not_own", "writes", "foreign_record") for each in found),
                "tool": call.name[:80],
                # The caller can fix this: ask the customer and call again.
                "confirm": all(each.kind == "not_confirmed" for each in found),
            },
        )

    def _problems(self, call: ToolCall, step: Step) -> list[CallProblem]:
        found: list[CallProblem] = []
        if self.read_only and not self._only_reads(call.name):
            reason = f"{call.name[:80]} may change something, and only reading is permitted"
            found.append(CallProblem(kind="writes", reason=reason))
        listed = self._by_tool.of(call.name)
        if not listed and self.unlisted == "block":
            reason = f"nothing is set for {call.name[:80]}, and such tools are blocked"
            found.append(CallProblem(kind="unlisted", reason=reason))
        for pattern, constraints in listed:
            before = _before(step, pattern, call.name) if constraints.sums else ()
            found += constraints.problems(call, step, self._owned, before)
        return found

    def _only_reads(self, tool: str) -> bool:
        return bool(self._reads.of(tool)) if self.reads else tool_effect(tool, self.tool_effects) == "reads"

    def _result_problems(self, call: ToolCall, step: Step) -> list[CallProblem]:
        found: list[CallProblem] = []
        for _, constraints in self._by_tool.of(call.name):
            if constraints.owner is None:
                continue
            data = record_of(call.result if call.result is not None else step.text)
            whose = foreign_owner(data, step.memory.customer, owner=(constraints.owner,))
            if whose is not None:
                reason = f"{call.name[:80]} shows the record of another customer than that of this session"
                found.append(CallProblem(kind="foreign_record", reason=reason))
        return found


def _before(step: Step, pattern: str, tool: str) -> tuple[ToolCall, ...]:
    """Return the calls of this session that match the same name or pattern."""
    if pattern == tool:
        return tuple(each for each in step.memory.calls if each.name == tool)
    return tuple(each for each in step.memory.calls if fnmatchcase(each.name, pattern))
