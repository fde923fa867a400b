"""Rows of figures, each beside what it must reach, as a Markdown table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Row", "markdown"]

_NOT_RUN = "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measure: what each contender got, the bound for ours, and whether ours keeps it."""

    measure: str
    bound: str
    kept: bool | None
    figures: Mapping[str, str] = field(default_factory=dict)


def markdown(rows: Sequence[Row], contenders: Sequence[str]) -> str:
    """The rows as a table; who was not run for a row has a dash there."""
    head = ["measure", *contenders, "Proctor must be", "kept"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        cells = [row.figures.get(name, _NOT_RUN) for name in contenders]
        kept = "" if row.kept is None else "yes" if row.kept else "**no**"
        lines.append("| " + " | ".join([row.measure, *cells, row.bound, kept]) + " |")
    return "\n".join(lines)
