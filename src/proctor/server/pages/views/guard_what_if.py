"""What if: other thresholds on the scores that the guard has recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from proctor.server.pages.charts import picture, words
from proctor.server.pages.page import Chart, PageRequest, Reply, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Cell, Chip, Table, number_columns, text_columns
from proctor.server.pages.views.guard_pieces import PERIODS, period_start, share_cell
from proctor.store.review import guard_verdicts
from proctor.workflows.guard.what_if import ThresholdEffect, WhatIf, what_if

__all__ = ["ScoreColumn", "ScoreColumns", "show_what_if"]

_DEFAULT: Final = 0.9
_FLOOR: Final = 0.5
_SECONDS: Final = 0.1
_WIDTH: Final = 640
_LEFT: Final = 52
_RIGHT: Final = 12
_TOP: Final = 22  # the label of the threshold stands above the columns
_HEIGHT: Final = 184
_FOOT: Final = 24
_BIN: Final = 0.02


class ScoreColumn(NamedTuple):
    """Decisions with a score from ``low`` on: found right, found wrong, not reviewed."""

    low: float
    right: int = 0
    wrong: int = 0
    open: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.right + self.wrong + self.open


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreColumns:
    """A column for each range of scores; what is left of the threshold would pass."""

    title: str
    columns: Sequence[ScoreColumn]
    threshold: float

    def data(self) -> Mapping[str, Any] | None:
        """Return nothing: the server draws it."""
        return None

    def svg(self, *, inline: bool = True) -> str:
        """Return the drawing."""
        low = min([0.5, self.threshold, *(each.low for each in self.columns)])
        low = int(low * 10) / 10
        top = max((each.total for each in self.columns), default=0) or 1
        bottom = _HEIGHT - _FOOT

        def x(score: float) -> float:
            return _LEFT + (score - low) / (1.0 - low) * (_WIDTH - _LEFT - _RIGHT)

        def height(count: int) -> float:
            return count / top * (bottom - _TOP)

        made = [f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{bottom}" y2="{bottom}"/>']
        made += [words(_LEFT - 6, _TOP + 8, f"{top:,}", anchor="end"), words(_LEFT - 6, bottom, "0", anchor="end")]
        for step in range(round(low * 10), 11):
            score = step / 10
            anchor = "end" if step == 10 else "start" if score == low else "middle"
            made.append(words(x(score), _HEIGHT - 6, f"{score:g}", anchor=anchor))
        for each in self.columns:
            at, wide = x(each.low), max(1.5, x(each.low + _BIN) - x(each.low) - 1.5)
            begin = float(bottom)
            for kind, count in (("bin-pass", each.right), ("bin-fail", each.wrong), ("bin", each.open)):
                size = height(count)
                begin -= size
                if count:
                    place = f'x="{at:.1f}" y="{begin:.1f}" width="{wide:.1f}" height="{size:.1f}"'
                    made.append(f'<rect class="{kind}" {place}/>')
        at = x(self.threshold)
        made.append(f'<line class="whisker" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP - 16}" y2="{bottom}"/>')
        right = at > (_WIDTH * 0.8)
        label = f"acts from {self.threshold:.2f}"
        made.append(words(at + (-5 if right else 5), _TOP - 7, label, anchor="end" if right else "start", kind="name"))
        return picture(made, _HEIGHT, self.title, inline=inline)


def show_what_if(stores: PageStores, request: PageRequest) -> Reply:
    """Answer /guard/what-if: one gate at one point, and what it would have done from another score on."""
    days, since = period_start(request)
    begin = since.timestamp() if since else 0.0
    unread = stores.guard.catch_up(seconds=_SECONDS)
    gates = stores.guard.scored_gates(begin)
    wanted = request.text("at") or (f"{gates[0][1]}@{gates[0][0]}" if gates else "")
    gate, _, point = wanted.partition("@")
    said = guard_verdicts(stores.runs)
    scores = stores.guard.scores(point, gate, begin, told_apart=list(said))
    lowest = min((each.score for each in scores if not each.by_rule), default=_FLOOR)
    threshold = round(request.number("from", max(lowest, _DEFAULT), low=0.0, high=1.0), 2)
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
        columns=[*number_columns(*numbers), *text_columns("Precision of what is kept", "")],
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
