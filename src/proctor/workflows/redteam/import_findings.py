"""Put the findings of other tools into the same triage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proctor.config import Config
from proctor.core.attack_finding import AttackFinding, finding_id
from proctor.core.errors import Problem
from proctor.core.imported_finding import AttackTool, ImportedFinding
from proctor.core.verdict import Severity
from proctor.redteam.import_findings import detect_tool, read_findings
from proctor.store.findings import findings
from proctor.store.runs import RunStore
from proctor.workflows.alerts import webhook_of
from proctor.workflows.redteam.collect_findings import FindingAlerts, keep_findings

__all__ = ["ImportedReport", "import_reports"]

_SCOPE: Final = "imported"
_DEFAULT_SEVERITY: Final[Severity] = "medium"  # the tool says nothing; a person decides
_RANK: Final[tuple[Severity, ...]] = ("low", "medium", "high", "critical")
_MAX_EXAMPLES: Final = 5
_MAX_TITLE_CHARS: Final = 200
_MAX_EXAMPLE_CHARS: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedReport:
    """What one file came to; ``problems`` are entries that could not be read."""

    file: str
    tool: AttackTool
    campaign: str
    attacks: int
    successes: int
    unscored: int
    new: int
    known: int
    problems: tuple[Problem, ...] = ()


async def import_reports(
    config: Config,
    files: Sequence[Path],
    *,
    campaign: str | None = None,
    target: str | None = None,
    tool: AttackTool | None = None,
) -> list[ImportedReport]:
    """Add a finding for each goal and category that a tool calls a success; a file read twice adds nothing.

    Raises:
        InputError: a file cannot be read, or is no report of these tools.
        StoreError: the findings cannot be written.
    """
    made: list[ImportedReport] = []
    with RunStore(config.store) as store:
        for path in files:
            chosen = tool or detect_tool(path)
            name = campaign or chosen
            problems: list[Problem] = []
            attacks = list(read_findings(path, tool=chosen, problems=problems))
            found = _grouped(attacks, campaign=name, target=target)
            known = {each.id for each in findings(store, name)}
            alerts = FindingAlerts(config, store, name, webhook_of(config))
            await keep_findings(store, found, alerts)
            made.append(
                ImportedReport(
                    file=str(path),
                    tool=chosen,
                    campaign=name,
                    attacks=len(attacks),
                    successes=sum(each.verdict == "success" for each in attacks),
                    unscored=sum(each.verdict == "unscored" for each in attacks),
                    new=sum(each.id not in known for each in found),
                    known=sum(each.id in known for each in found),
                    problems=tuple(problems),
                )
            )
    return made


def _grouped(attacks: Iterable[ImportedFinding], *, campaign: str, target: str | None) -> list[AttackFinding]:
    """Return a finding for each goal and category with a success."""
    groups: dict[tuple[str, str, str], list[ImportedFinding]] = defaultdict(list)
    for each in attacks:
        groups[each.category, each.goal, target or each.target].append(each)
    found: list[AttackFinding] = []
    for (category, goal, where), several in groups.items():
        hits = [each for each in several if each.verdict == "success"]
        if not hits:
            continue
        first = hits[0]
        named = [each.severity for each in hits if each.severity is not None]
        name = "/".join(filter(None, (first.tool, category, goal)))
        detector = f" by {first.detector}" if first.detector else ""
        found.append(
            AttackFinding(
                id=finding_id(name, _SCOPE, where),
                campaign=campaign,
                goal=name[:_MAX_TITLE_CHARS],
                scope=_SCOPE,
                target=where,
                title=(goal or category or first.payload)[:_MAX_TITLE_CHARS],
                severity=max(named, key=_RANK.index) if named else _DEFAULT_SEVERITY,
                category=category,
                executed=len(hits),
                tried=sum(each.verdict != "unscored" for each in several),
                attempts=tuple(each.id for each in hits[:_MAX_EXAMPLES]),
                source=first.tool,
                reason=f"judged{detector} of {first.tool}, not by us. {first.reason}".strip(),
                extra={
                    "payload": first.payload[:_MAX_EXAMPLE_CHARS],
                    "response": first.response[:_MAX_EXAMPLE_CHARS],
                    "place": f"{first.file}:{first.line}" if first.line else first.file,
                },
            )
        )
    return found
