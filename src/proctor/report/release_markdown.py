"""A release decision as a pull-request comment: the decision, the reasons, the changes, the worse cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from proctor.report.number_format import moment
from proctor.report.release_view import (
    FigureChange,
    ReleaseView,
    WorseCaseView,
    cause_line,
    change_table,
    count_shown,
    folded,
    number,
    place_of,
    quiet_words,
)
from proctor.report.table_markdown import escaped, markdown_table

__all__ = ["write"]

_SIGNS = {"ship": "✅", "hold": "❌", "not enough data": "⚠️", None: "▫️"}
_ROWS = 60
_CASES = 30


def write(view: ReleaseView, out: TextIO) -> None:
    """Write the comment."""
    lines = [f"## {_SIGNS.get(view.decision, '▫️')} {view.word}: {escaped(view.suite, 100)}", ""]
    if view.headline:
        lines += [f"**{escaped(view.headline, 600)}**", ""]
    for cause in view.told[:_ROWS]:
        lines.append(f"- {escaped(cause_line(cause), 600)}")
        lines += [f"  <br>so also: {escaped('; '.join(cause.also), 600)}"] if cause.also else []
    lines += [""] if view.told else []
    lines += [f"> {escaped(note, 400)}\n" for note in view.notes[:10]]
    lines += _flips(view)
    lines += _changes(view)
    lines += _worse(view)
    for title, names in (("Missing from this run", view.missing), ("New in this run", view.added)):
        if names:
            lines += [f"{title}: {_names(names)}", ""]
    facts = [f"run {escaped(view.run, 80)}", f"baseline {escaped(view.other, 80)}"]
    facts += [f"target {escaped(view.target, 60)}"] if view.target else []
    facts += [f"rules {escaped(view.policy, 80)}"] if view.policy else []
    facts += [moment(view.time)] if view.time else []
    lines += [f"<sub>{' · '.join(facts)}</sub>", "<!-- proctor-release -->", ""]
    out.write("\n".join(lines))


def _names(names: Sequence[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(escaped(name, 80) for name in names[:most]) + more


def _changes(view: ReleaseView) -> list[str]:
    if not view.changes:
        return []
    moved, quiet = folded(view)
    made = [_change_table(view, moved)] if moved else []
    if quiet:
        made += [
            "<details>",
            f"<summary>{quiet_words(len(quiet))}</summary>",
            "",
            _change_table(view, quiet),
            "</details>",
            "",
        ]
    return made


def _change_table(view: ReleaseView, changes: Sequence[FigureChange]) -> str:
    return markdown_table(change_table(view, {"regression": "strong"}, changes=changes), most=_ROWS, raw_figures=True)


def _flips(view: ReleaseView) -> list[str]:
    if not view.newly_failing:
        return []
    shown = view.newly_failing[:_CASES]
    count = count_shown(len(shown), len(view.newly_failing))
    lines = ["<details open>", f"<summary>Cases that passed and now fail ({count})</summary>", ""]
    for each in shown:
        reason = f": {escaped(each.reason, 300)}" if each.reason else ""
        check = f" · {escaped(each.check, 80)}" if each.check else ""
        lines.append(f"- **{escaped(each.case, 120)}**{check} passed {each.before} → {each.after}{reason}")
    return [*lines, "", "</details>", ""]


def _worse(view: ReleaseView) -> list[str]:
    if not view.worse:
        return []
    total = max(view.worse_in_all, len(view.worse))
    count = f"{total:,}" if total == len(view.worse[:_CASES]) else f"{len(view.worse[:_CASES])} of {total:,}"
    lines = ["<details open>", f"<summary>Cases that got worse ({count})</summary>", ""]
    for each in view.worse[:_CASES]:
        lines.append(f"- {_told(each)}")
        if each.quote:
            lines += ["", f"  > {escaped(each.quote, 300)}", ""]
    return [*lines, "", "</details>", ""]


def _told(each: WorseCaseView) -> str:
    intent = f" · {escaped(each.intent, 60)}" if each.intent else ""
    reason = f": {escaped(each.reason, 300)}" if each.reason else ""
    figures = f"{number(each.before)} → {number(each.after)}"
    return f"**{escaped(each.case, 120)}**{intent} · {escaped(place_of(each))} {figures}{reason}"
