"""What if: other thresholds on the scores that the guard has recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from proctor.server.pages.page import Chart, PageRequest, Reply, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.score_columns import ScoreColumn, ScoreColumns
from proctor.server.pages.table import Cell, Chip, Column, Table
from proctor.server.pages.views.guard_pieces import PERIODS, period_start, share_cell
from proctor.store.review import guard_verdicts
from proctor.workflows.guard.what_if import ThresholdEffect, WhatIf, what_if

__all__ = ["show_what_if"]

_DEFAULT: Final = 0.9
_FLOOR: Final = 0.5
_SECONDS: Final = 0.1


def show_what_if(desk: PageStores, asked: PageRequest) -> Reply:
    """Answer /guard/what-if: one gate at one point, and what it would have done from another score on."""
    days, since = period_start(asked)
    begin = since.timestamp() if since else 0.0
    unread = desk.guard.catch_up(seconds=_SECONDS)
    gates = desk.guard.scored_gates(begin)
    wanted = asked.text("at") or (f"{gates[0][1]}@{gates[0][0]}" if gates else "")
    gate, _, point = wanted.partition("@")
    said = guard_verdicts(desk.runs)
    scores = desk.guard.scores(point, gate, begin, told_apart=list(said))
    lowest = min((each.score for each in scores if not each.by_rule), default=_FLOOR)
    threshold = round(asked.number("from", max(lowest, _DEFAULT), low=0.0, high=1.0), 2)
    found = what_if(scores, said, threshold)
    return View(
        template="guard_what_if.html",
        title="What if",
        data={
            "days": days, "periods": PERIODS, "now_tab": "what_if", "waiting": None, "gate": gate, "point": point,
            "at": wanted, "gates": [(f"{name}@{place}", f"{name} at {place} ({n:,})") for place, name, n in gates],
            "threshold": threshold, "found": found, "effect": found.chosen, "unread": unread,
            "low": min(lowest, threshold),
        },
        tables={"steps": _steps(found)},
        charts=_chart(found, threshold),
    )  # fmt: skip


def _steps(found: WhatIf) -> Table:
    numbers = ("Acts from", "Decisions kept", "Let pass", "Right stops lost", "Wrong stops spared", "Not reviewed")
    return Table(
        columns=[*(Column(name, "number") for name in numbers), Column("Precision of what is kept"), Column("")],
        rows=[_step(each, found.chosen.threshold) for each in found.steps],
        empty="No score of this gate is on record in this period.",
        caption="Each threshold beside the others",
    )


def _step(effect: ThresholdEffect, chosen: float) -> Sequence[Cell]:
    return [
        effect.threshold,
        effect.kept,
        effect.passed,
        effect.right_passed,
        effect.wrong_passed,
        effect.unreviewed_passed,
        share_cell(effect.precision),
        Chip("info", "chosen") if effect.threshold == round(chosen, 4) else None,
    ]


def _chart(found: WhatIf, threshold: float) -> dict[str, Chart]:
    if not found.bins:
        return {}
    columns = [
        ScoreColumn(low=each.low, right=each.right, wrong=each.wrong, open=each.unreviewed) for each in found.bins
    ]
    return {"scores": ScoreColumns(title="Scores with which it acted", columns=columns, threshold=threshold)}
