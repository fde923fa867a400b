"""An attack that another tool made and judged, for the triage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from proctor.core.verdict import Severity

__all__ = ["AttackTool", "ImportedFinding", "ImportedVerdict"]

AttackTool = Literal["garak", "pyrit", "promptfoo"]
# The tool's own verdict on the attack; ``unscored`` if it had an error or gave none.
ImportedVerdict = Literal["success", "failure", "unscored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedFinding:
    """One attack from another tool's report, with that tool's verdict. Nothing of it was checked by us.

    ``id`` is a hash of the attack and the tool, the same in a later report. ``goal`` is what the attacker wanted in the
    tool's words, ``category`` the tool's own class of it. ``detector`` names what judged; ``score`` is its number.
    ``line`` is where the entry begins in ``file``.
    """

    id: str
    tool: AttackTool
    verdict: ImportedVerdict
    tool_version: str = ""
    goal: str = ""
    category: str = ""
    techniques: tuple[str, ...] = ()
    payload: str = ""
    response: str = ""
    severity: Severity | None = None
    detector: str = ""
    score: float | None = None
    reason: str = ""
    language: str = ""
    target: str = ""
    file: str = ""
    line: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
