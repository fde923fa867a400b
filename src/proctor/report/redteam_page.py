"""Parts of the pages about attack campaigns: styles, tiles, panels, tables, findings."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from proctor.core.campaign import GoalFigures
from proctor.core.share import Share
from proctor.report.number_format import percent
from proctor.report.page_parts import data_table, decision_section, panel
from proctor.report.redteam_charts import CHART_STYLES
from proctor.report.redteam_words import findings_text, words_of
from proctor.report.report_table import ReportTable
from proctor.report.safe_text import clip, visible
from proctor.report.standalone_page import head, line_of

__all__ = [
    "SEVERE",
    "bar_cell",
    "finding_list",
    "page_head",
    "range_of",
    "share_cell",
    "table_panel",
]

_STYLES = (
    """
.tiles { grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); overflow: hidden; }
main > .tiles, main > .panel { gap: 0; }
.tiles .tile, .tiles .tile:nth-child(n) { grid-column: auto; border: 0; }
.tiles .tile { box-shadow: 1px 0 var(--line), 0 1px var(--line); }
.small-table th, .small-table td { padding-left: 7px; padding-right: 7px; }
.small-table td .range { font-size: 11.5px; font-weight: 400; color: var(--ink-3); line-height: 1.2; }
.legend { margin-bottom: 10px; }
.small-table td.bar-cell { width: 124px; min-width: 124px; }
.small-table td.name { white-space: normal; min-width: 8.5em; overflow-wrap: break-word; }
tr.small-cell td { color: var(--ink-3); }
tr.small-cell svg { opacity: 0.4; }
tr.sum td { border-top: 1px solid var(--line-strong); font-weight: 600; }
.small-table td.wrap { white-space: normal; overflow-wrap: anywhere; min-width: 12em; }
.finding { border-top: 1px solid var(--line); padding: 8px 0; }
.finding:first-of-type { border-top: 0; }
.finding summary { cursor: pointer; display: flex; flex-wrap: wrap; gap: 2px 10px; align-items: baseline; }
.finding summary::-webkit-details-marker { display: none; }
.finding summary::before { content: "▸"; color: var(--ink-3); font-size: 11px; width: 9px; }
.finding[open] summary::before { content: "▾"; }
.finding .title { font-weight: 600; overflow-wrap: anywhere; min-width: 0; }
.finding .times { color: var(--ink-3); font-size: 12.5px; }
.finding dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 14px; margin: 8px 0 4px; }
.finding dt { color: var(--ink-3); font-size: 12.5px; }
.finding dd { min-width: 0; overflow-wrap: anywhere; unicode-bidi: isolate; }
.finding pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 6px 9px; border-radius: 6px; }
.finding pre { background: var(--sunken); }
.panels { align-items: start; }
.rest { margin-top: 16px; }
.rest > summary { cursor: pointer; padding: 12px 0 0; font-size: 12.5px; color: var(--accent); }
.rest > .small-table { margin-top: 8px; }
.rest:not([open]) { margin-bottom: -4px; }
@media (max-width: 640px) {
  .small-table { margin: 0 -14px -12px; }
  .small-table .bar-cell { display: none; }
  .tiles { grid-template-columns: repeat(2, 1fr); }
  .tiles .tile:nth-child(1) { grid-column: 1 / -1; }
  .finding dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .finding dd { margin-bottom: 6px; }
}
"""
    + CHART_STYLES
)
SEVERE = ("critical", "high")
_MAX_FINDINGS = 300
_TEXT_LIMIT = 2_000


def page_head(title: str, name: str, headline: str, state: str, facts: Iterable[tuple[str, str]]) -> str:
    """Return the beginning of a page: its styles, a title, one sentence, and facts; ``name`` is the campaign."""
    return head(title, name=name, styles=_STYLES) + decision_section(title, headline, state, facts)


def range_of(share: Share) -> str:
    """Return the interval of a share; a dash without one."""
    return "–" if share.low is None or share.high is None else f"{share.low * 100:.0f}–{share.high * 100:.0f} %"


def share_cell(share: Share) -> str:
    """Return a cell with a share, and its interval below it."""
    return f'<td class="number">{percent(share.value)}<div class="range">{range_of(share)}</div></td>'


def bar_cell(drawing: str, state: str = "") -> str:
    """Return a cell with a drawing, which is HTML."""
    return f'<td class="bar-cell {state}">{drawing}</td>'


def table_panel(table: ReportTable, above: str = "") -> str:
    """Return a table as a panel of half the width; empty without rows. ``above`` is HTML before the table."""
    if not table.rows:
        return ""
    kinds = ["number" if column.figure else "wrap" for column in table.columns]
    rows = []
    for row in table.cells():
        cells = (f"<td class={kind}>{line_of(cell.text)}</td>" for kind, cell in zip(kinds, row, strict=True))
        rows.append(f"<tr>{''.join(cells)}</tr>")
    heads = [(column.name, column.figure) for column in table.columns]
    return panel(table.title, table.hint, above + data_table(heads, rows), wide=False)


def finding_list(title: str, goals: Sequence[GoalFigures]) -> str:
    """Return findings that unfold to the attempt and its evidence; a held-out one shows only its hash."""
    if not goals:
        return ""
    hint = findings_text(goals)
    if len(goals) > _MAX_FINDINGS:
        hint = f"the first {_MAX_FINDINGS} of {hint}"
    return panel(title, hint, "".join(map(_finding, goals[:_MAX_FINDINGS])))


def _finding(goal: GoalFigures) -> str:
    state = "fail" if goal.severity in SEVERE else "info"
    title = "held out: not shown" if goal.held_out else goal.title or goal.goal
    head_line = (
        f'<span class="chip {state}">{line_of(goal.severity)}</span><span class="title">{line_of(title, 200)}</span>'
        f'<span class="times">{line_of(words_of(goal.scope))} · {goal.executed:,} of {goal.scored:,} attempts'
        f"{f' · first at try {goal.first_try}' if goal.first_try else ''}</span>"
    )
    how = " · ".join(filter(None, (" + ".join(goal.techniques), words_of(goal.channel or ""), goal.language)))
    facts = [("goal", goal.goal), ("how", how), ("decided by", goal.judged_by), ("why", _why(goal))]
    facts += [("attempt", goal.case), ("tags", ", ".join(goal.tags))]
    shown = "".join(f"<dt>{name}</dt><dd>{line_of(text, _TEXT_LIMIT)}</dd>" for name, text in facts if text)
    for name, text in (("payload", goal.payload), ("evidence", goal.evidence)):
        if text:
            shown += f"<dt>{name}</dt><dd><pre>{html.escape(clip(visible(text), _TEXT_LIMIT))}</pre></dd>"
    return f'<details class="finding"><summary>{head_line}</summary><dl>{shown}</dl></details>'


def _why(goal: GoalFigures) -> str:
    """Return the reason without the evidence, which is shown below it."""
    return goal.reason.replace(goal.evidence, "").rstrip(" :") if goal.evidence else goal.reason
