"""Check tool calls against the permissions of the conversation's intents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

from proctor.core.chat import ToolCall
from proctor.core.fast_dataclass import fast_constructor
from proctor.core.permission_matrix import NO_INTENT, TRIALS, PermissionMatrix
from proctor.core.step import Point
from proctor.core.verdict import Finding, Verdict
from proctor.guard.step import Step
from proctor.guard.tool_settings import LONGEST_NAME, MOST_REMEMBERED, ByTool, call_of, call_text

__all__ = ["PermissionsGate"]

_verdict: Final = fast_constructor(Verdict)
INTENTS_HINT: Final = (
    "pass the customer's intents (library: `intents=[...]` of session.tool_call, or session.intents; proxy: header "
    "X-Proctor-Intents or `proctor: {intents: [...]}`; sidecar: field `intents`; MCP: `--intent` or "
    "`guard.mcp.intents`), or list under `default:` of the matrix what may be called without one"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionsGate:
    """Allows only tools that the intent permits; with several intents, only what all of them permit.

    ``default`` are the tools for calls without an intent.
    """

    name: ClassVar[str] = "permissions"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("tool_call",)
    pure: ClassVar[bool] = True
    primary: ClassVar[str | None] = None  # a mapping after the name is its settings

    matrix: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    read_only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    checks: tuple[str, ...] = TRIALS
    several: Literal["intersection", "union"] = "intersection"
    always: tuple[str, ...] = ()
    default: tuple[str, ...] | None = None
    action: Literal["block", "escalate"] = "block"
    _table: PermissionMatrix = field(init=False, repr=False, compare=False)
    _trials: ByTool[bool] = field(init=False, repr=False, compare=False)
    _known: dict[tuple[str, tuple[str, ...]], str | None] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.matrix and not self.always and not self.default:
            raise ValueError(
                "there is no matrix, so no tool could ever be called; write `matrix: {intent: [tool, ...]}`"
            )
        table = PermissionMatrix(
            matrix=self.matrix,
            read_only=self.read_only,
            checks=self.checks,
            several=self.several,
            always=self.always,
            default=self.default,
        )
        object.__setattr__(self, "_table", table)
        trials = (tool for tools in self.read_only.values() for tool in tools)
        object.__setattr__(self, "_trials", ByTool(dict.fromkeys(trials, True)))
        object.__setattr__(self, "_known", {})

    async def check(self, step: Step) -> Verdict:
        """Look the call up in the matrix; what is not in it is not permitted."""
        call = call_of(step)
        intents = tuple(step.intents)
        try:
            why = self._known[call.name, intents]
        except KeyError:
            why = self._looked_up(call, intents)
        if why is None:
            return _verdict(action="allow", gate=self.name, version=self.version)
        reason = f"{call.name[:80]} is not permitted: {why}"
        finding = Finding(
            kind="out_of_scope",
            detector=self.name,
            text=call_text(call),
            confidence=1.0,
            severity="high",
            reason=reason,
        )
        return Verdict(
            action=self.action,
            gate=self.name,
            version=self.version,
            reason=reason,
            findings=(finding,),
            extra={"anomaly": True, "tool": call.name[:80], "intents": tuple(each[:80] for each in step.intents[:8])},
        )

    def _looked_up(self, call: ToolCall, intents: tuple[str, ...]) -> str | None:
        """Return the matrix's answer; it is cached if it does not depend on the arguments."""
        why = self._table.against(call, intents)
        if why == NO_INTENT:
            why = f"{NO_INTENT}; {INTENTS_HINT}"
        small = len(call.name) + sum(map(len, intents)) <= LONGEST_NAME
        if small and len(self._known) < MOST_REMEMBERED and not self._trials.of(call.name):
            self._known[call.name, intents] = why
        return why
