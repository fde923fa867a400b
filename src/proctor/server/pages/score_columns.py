"""Scores as columns, by what people said of the decisions, with a threshold among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from proctor.server.pages.charts import picture, words

__all__ = ["ScoreColumn", "ScoreColumns"]

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
