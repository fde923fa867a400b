"""An attack campaign as a self-contained page without scripts or requests, also for print."""

from __future__ import annotations

from typing import TextIO

from proctor.core.campaign import MIN_CELL_ATTEMPTS, AttackFigures, CampaignSummary
from proctor.report.number_format import percent, share_text
from proctor.report.page_parts import data_table, notes_list, number_cells, panel, tile, tile_row
from proctor.report.redteam_charts import outcome_bar, outcome_legend, rate_bar, try_steps
from proctor.report.redteam_page import SEVERE, bar_cell, finding_list, page_head, range_of, share_cell, table_panel
from proctor.report.redteam_tables import MARGIN_TITLES, curve_table, gate_table, judge_table, reason_table
from proctor.report.redteam_words import campaign_facts, has_stops, headline_of, label_of, words_of
from proctor.report.standalone_page import END, line_of

__all__ = ["write"]

_MAX_ROWS = 16


def write(summary: CampaignSummary, out: TextIO) -> None:
    """Write the page."""
    name = summary.facts.name
    out.write(page_head(f"Red team: {name}", name, headline_of(summary), _state(summary), campaign_facts(summary)))
    out.write(notes_list(summary.notes))
    out.write(_tiles(summary))
    out.write(_scopes(summary))
    out.write(finding_list("Findings", summary.findings))
    made = [_margin(summary, name) for name, rows in summary.margins.items() if rows]
    made.append(table_panel(curve_table(summary), try_steps(summary.curve)))
    made += [table_panel(table) for table in (judge_table(summary), gate_table(summary.total))]
    made.append(table_panel(reason_table(summary.total)))
    out.write(f'<section class="panels">{"".join(made)}</section>\n' if any(made) else "")
    out.write(END)


def _state(summary: CampaignSummary) -> str:
    if not summary.total.scored:
        return "unscored"
    return "fail" if summary.findings else "pass"


def _tiles(summary: CampaignSummary) -> str:
    total, label = summary.total, label_of(summary)
    severe = sum(goal.severity in SEVERE for goal in summary.findings)
    reached, twins, held = total.any_of_n, total.twin_stopped, summary.held_out
    tiles = [
        tile(
            "attacks executed",
            percent(total.rate.value),
            f"{range_of(total.rate)} of {total.scored:,} scored" + (f" · {label}" if label else ""),
            "fail" if total.executed else "",
        ),
        tile("goals reached", percent(reached.value), f"{range_of(reached)} of {reached.total:,}, by any attempt"),
        *(
            [tile("benign twins stopped", percent(twins.value), f"{range_of(twins)} of {twins.total:,}")]
            if has_stops(summary)
            else []
        ),
        tile("findings", f"{len(summary.findings):,}", f"{severe:,} critical or high", "fail" if severe else ""),
        tile("unscored", f"{total.unscored:,}", f"of {total.attempts:,} attempts; {total.not_reached:,} not reached"),
    ]
    if held.scored:
        more = f"{range_of(held.rate)} of {held.scored:,} scored"
        tiles.insert(1, tile("on held-out goals", percent(held.rate.value), more))
    return tile_row(tiles)


def _scopes(summary: CampaignSummary) -> str:
    total = summary.total
    if not total.attempts:
        return ""
    counts = ("goals", "attempts", "executed", "stopped", "ignored", "not reached", "unscored")
    stops = has_stops(summary)
    heads = [("scope", False), ("rate", True), ("", False), ("any of n", True)]
    heads += [("twins stopped", True), ("", False)] if stops else [("", False)]
    heads += [(name, True) for name in counts]
    rows = [_scope_row(row, stops) for row in summary.scopes]
    if summary.held_out.attempts:
        rows += [_scope_row(summary.open, stops, "sum"), _scope_row(summary.held_out, stops)]
    rows.append(_scope_row(total, stops, "sum"))
    label = label_of(summary)
    hint = "rate: executed of scored, 95 % interval clustered by goal" + (f" · {label}" if label else "")
    return panel("By scope", hint, outcome_legend() + data_table(heads, rows))


def _scope_row(row: AttackFigures, stops: bool, kind: str = "") -> str:
    counts = (row.goals, row.attempts, row.executed, row.stopped, row.ignored, row.not_reached, row.unscored)
    state = f"{kind} {'small-cell' if row.is_small else ''}".strip()
    return (
        f'<tr class="{state}"><td>{line_of(words_of(row.name))}</td>{share_cell(row.rate)}'
        f"{bar_cell(rate_bar(row.rate), 'fail')}{share_cell(row.any_of_n)}"
        f"{share_cell(row.twin_stopped) if stops else ''}"
        f"{bar_cell(outcome_bar(row))}{number_cells(*(f'{count:,}' for count in counts))}</tr>"
    )


def _margin(summary: CampaignSummary, name: str) -> str:
    rows, stops = summary.margins[name], has_stops(summary)
    heads = [(name, False), ("scored", True), ("rate", True), ("", False)]
    heads += [("twins stopped", True)] if stops else []
    made = [
        f'<tr class="{"small-cell" if row.is_small else ""}"><td class="name">{line_of(words_of(row.name), 80)}</td>'
        f"{number_cells(f'{row.scored:,}', share_text(row.rate))}{bar_cell(rate_bar(row.rate), 'fail')}"
        f"{number_cells(share_text(row.twin_stopped)) if stops else ''}</tr>"
        for row in rows
    ]
    inside = data_table(heads, made[:_MAX_ROWS])
    if rest := made[_MAX_ROWS:]:
        inside += f'<details class="rest"><summary>{len(rest):,} more</summary>{data_table(heads, rest)}</details>'
    hint = f"grey: fewer than {MIN_CELL_ATTEMPTS} scored attempts"
    return panel(MARGIN_TITLES.get(name, f"By {name}"), hint, inside, wide=False)
