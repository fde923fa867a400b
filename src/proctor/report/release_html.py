"""A release decision as a self-contained page: the causes, the figures, and every case before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from proctor.report.dimensions import title_of
from proctor.report.number_format import moment
from proctor.report.page_data import script_json
from proctor.report.page_parts import data_table, decision_section, panel
from proctor.report.release_view import (
    CaseTurn,
    ComparedCase,
    FigureChange,
    HoldCause,
    ReleaseView,
    chance,
    count_shown,
    number,
    place_of,
    signed,
)
from proctor.report.safe_text import one_line
from proctor.report.standalone_page import END, asset, head, line_of, scripts

__all__ = ["write"]

_ROWS = 500
_NAMES = 300
_CASES_LISTED = 200  # of one cause; the button shows them all in the table
_PAGE_LIMIT = 40_000_000  # characters of texts
_SCRIPTS = ("dom.js", "figures.js", "theme.js", "release.js")
_ALSO = 8  # consequences of a cause that are shown at once
_QUIET = ("no change", "not enough data")  # verdicts that are folded away
_FIGURES = 40
_LINES = 60


def write(view: ReleaseView, out: TextIO) -> None:
    """Write the page."""
    chip = (view.state, view.word)
    links = [("causes", "Causes")] if view.told else []
    links += [("figures", "Figures")] if view.changes else []
    links += [("cases", "Cases")] if view.cases else []
    out.write(
        head(
            f"{view.word}: {view.suite}",
            name=view.suite,
            styles=asset("release.css"),
            chip=chip,
            links=links,
            scripted=True,
        )
    )
    out.write(_decision(view))
    out.writelines(f'<p class="notice" dir="auto">{line_of(note, 400)}</p>\n' for note in view.notes)
    places = {case.case: place for place, case in enumerate(view.cases)}
    out.write(_causes(view.told, places))
    out.write(_changes(view.shown))
    out.write(_cases(view))
    for heading, names in (("Missing from this run", view.missing), ("New in this run", view.added)):
        if names:
            shown = " ".join(_case_link(name, places, tag=True) for name in names[:_NAMES])
            out.write(panel(heading, f"{len(names):,}", f'<p class="names">{shown}</p>'))
    _write_data(view, out)
    out.write(scripts(*_SCRIPTS))
    out.write(END)


def _decision(view: ReleaseView) -> str:
    facts = [("Suite", view.suite), ("Run", view.run), ("Target", view.target)]
    facts += [("Baseline", view.other), ("Rules", view.policy)]
    facts += [("Decided" if view.decision else "Compared", moment(view.time) if view.time else "")]
    return decision_section(view.word, view.headline, view.state, facts)


def _causes(causes: Sequence[HoldCause], places: Mapping[str, int]) -> str:
    """Return each cause once, with what follows from it and its cases one press away."""
    if not causes:
        return ""
    items = "".join(_cause(each, place, places) for place, each in enumerate(causes))
    count = f"{len(causes)} cause{'' if len(causes) == 1 else 's'}"
    return panel("Why", count, f'<ol class="causes">{items}</ol>', place="causes")


def _cause(cause: HoldCause, place: int, places: Mapping[str, int]) -> str:
    also = ""
    if cause.also:
        items = [f"<li dir=auto>{line_of(each, 300)}</li>" for each in cause.also]
        also = f'<div class="also"><span class="muted">So also</span><ul>{"".join(items[:_ALSO])}</ul>'
        if later := items[_ALSO:]:
            also += f"<details><summary>and {len(later)} more</summary><ul>{''.join(later)}</ul></details>"
        also += "</div>"
    cases = ""
    if cause.cases:
        links = " ".join(_case_link(each, places) for each in cause.cases[:_CASES_LISTED])
        more = len(cause.cases) - _CASES_LISTED
        rest = f' <span class="muted">and {more:,} more</span>' if more > 0 else ""
        word = f"{len(cause.cases):,} case{'' if len(cause.cases) == 1 else 's'}"
        cases = (
            f'<details class="cause-cases"><summary>{word}</summary>'
            f'<p class="names">{links}{rest}</p></details>'
            f'<button type="button" class="plain only-cause" data-cause="{place}">Show them below</button>'
        )
    rules = " ".join(f'<span class="tag">{line_of(rule)}</span>' for rule in cause.rules if rule)
    return (
        f'<li><p class="cause-text" dir="auto">{line_of(cause.text, 600)}</p>{also}'
        f'<div class="cause-tools">{cases}<span class="rules">{rules}</span></div></li>'
    )


def _case_link(name: str, places: Mapping[str, int], *, tag: bool = False) -> str:
    """Return a link that opens a case below; plain text for one that is not on the page."""
    kind = "tag case-link" if tag else "case-link"
    if name not in places:
        return f'<span class="{kind}" dir="auto">{line_of(name, 120)}</span>'
    return f'<a class="{kind}" href="#cases" data-n="{places[name]}" dir="auto">{line_of(name, 120)}</a>'


_STATES = {"regression": "fail", "improvement": "pass", "not enough data": "unscored"}
_HEADS = (
    ("Dimension", False),
    ("Intent", False),
    ("Cases", True),
    ("Before", True),
    ("After", True),
    ("Difference", True),
    ("95 % interval", False),
    ("p", True),
    ("Detectable", True),
    ("Verdict", False),
)


def _changes(changes: Sequence[FigureChange]) -> str:
    """Return the figures that moved as a table, and the others folded away."""
    if not changes:
        return ""
    reach = max(
        (abs(end) for each in changes for end in (each.low, each.high, each.difference) if end is not None), default=0
    )
    moved = [each for each in changes if each.verdict not in _QUIET]
    quiet = [each for each in changes if each.verdict in _QUIET]
    hint = (
        "paired by case; the bar is the 95 % interval of the difference around no change; p is corrected for all rows"
    )
    inside = _rows(moved, reach) if moved else '<p class="muted">No figure is proven to have changed.</p>'
    for verdict in _QUIET:
        some = [each for each in quiet if each.verdict == verdict]
        if some:
            word = "did not change" if verdict == "no change" else "cannot be told: not enough data"
            figures = f"{len(some):,} figure{'' if len(some) == 1 else 's'} {word}"
            inside += f'<details class="quiet-rows"><summary>{figures}</summary>{_rows(some, reach)}</details>'
    return panel("What changed", hint, inside, place="figures")


def _rows(changes: Sequence[FigureChange], reach: float) -> str:
    return data_table(_HEADS, (_change(each, max(reach, 0.02)) for each in changes[:_ROWS]), kind="figures")


def _change(each: FigureChange, reach: float) -> str:
    values = (f"{each.cases:,}", number(each.before), number(each.after), signed(each.difference))
    names = ("Cases", "Before", "After", "Difference")
    figures = "".join(
        f'<td class=number data-name="{name}">{value}</td>' for name, value in zip(names, values, strict=True)
    )
    state = _STATES.get(each.verdict, "info")
    return (
        f"<tr class={state}><td class=name><bdi>{line_of(place_of(each))}</bdi></td>"
        f"<td class=intent><bdi>{line_of(each.intent or 'all intents')}</bdi></td>{figures}"
        f"<td class=whisker-cell>{_whisker(each, reach)}</td>"
        f'<td class=number data-name="p">{line_of(chance(each.p))}</td>'
        f'<td class=number data-name="Detectable">{number(each.detectable, 3)}</td>'
        f'<td class=verdict><span class="chip {state}">{line_of(each.verdict)}</span></td></tr>'
    )


def _whisker(each: FigureChange, reach: float) -> str:
    """Return the interval of a difference as a bar; all rows share one scale with zero in the middle."""
    if each.low is None or each.high is None or each.difference is None:
        return ""

    def at(value: float) -> float:
        return 60 + 56 * max(-1.0, min(1.0, value / reach))

    low, high, mean = at(each.low), at(each.high), at(each.difference)
    label = f"{signed(each.low)} to {signed(each.high)}"
    return (
        f'<svg class="interval" width="120" height="14" role="img" aria-label="{label}"><title>{label}</title>'
        '<line x1="60" x2="60" y1="0" y2="14" class="axis"/>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="7" y2="7" class="span"/>'
        f'<circle cx="{mean:.1f}" cy="7" r="3" class="mean"/></svg>'
    )


def _cases(view: ReleaseView) -> str:
    if not view.cases:
        return ""
    total = max(view.cases_in_all, len(view.cases))
    note = "<noscript><p class=notice>The cases are drawn with JavaScript, which is switched off here.</p></noscript>"
    hint = f"{count_shown(len(view.cases), total)}, those that got worse first"
    return panel("Cases, before and after", hint, f'<div id="case-list">{note}</div>', place="cases")


def _write_data(view: ReleaseView, out: TextIO) -> None:
    """Write the rows of the cases, and the texts of each apart: they are read when a case is opened."""
    causes: dict[str, list[int]] = {}
    for place, cause in enumerate(view.told):
        for name in cause.cases:
            causes.setdefault(name, []).append(place)
    why = {each.case: each.reason for each in view.newly_failing if each.reason}
    why |= {each.case: each.reason for each in view.worse if each.reason}
    rows = []
    room = _PAGE_LIMIT
    for place, case in enumerate(view.cases):
        data = script_json(_case_data(case))
        room -= len(data)
        if room < 0:
            break
        out.write(f'<script type="application/json" id="c{place}">{data}</script>\n')
        rows.append(_case_row(case, causes.get(case.case, []), why.get(case.case, "")))
    names = [line_text(cause) for cause in view.told]
    page = {"rows": rows, "total": max(view.cases_in_all, len(view.cases)), "causes": names}
    out.write(f'<script type="application/json" id="page-data">{script_json(page)}</script>\n')


def line_text(cause: HoldCause) -> str:
    """Return the beginning of a cause, for the list of causes to filter by."""
    return cause.text if len(cause.text) <= 90 else cause.text[:89] + "…"


def _case_row(case: ComparedCase, causes: Sequence[int], why: str) -> dict[str, Any]:
    """Return the row of a case; ``causes`` are the places of the causes that name it."""
    asked = " / ".join(turn.question for turn in case.turns if turn.question)
    return {
        "case": case.case[:500],
        "intent": case.intent,
        "state": case.state,
        "was": case.outcome_before,
        "now": case.outcome_after,
        "before": case.before,
        "after": case.after,
        "question": one_line(asked, 240),
        "why": one_line(why or (case.found[0] if case.found else ""), 240) if case.state != "same" else "",
        "causes": list(causes),
    }


def _case_data(case: ComparedCase) -> dict[str, Any]:
    """Return the texts and figures of a case."""
    return {
        "turns": [_turn(turn) for turn in case.turns],
        "figures": [[_title(pair.name), pair.before, pair.after] for pair in case.figures[:_FIGURES]],
        "expected": [one_line(line, 2_000) for line in case.expected[:_LINES]],
        "found": [one_line(line, 2_000) for line in case.found[:_LINES]],
    }


def _turn(turn: CaseTurn) -> dict[str, Any]:
    """Return one turn; with a diff the answers are its pieces, so that no text is on the page twice."""
    if turn.diff:
        return {"question": turn.question, "diff": [list(piece) for piece in turn.diff]}
    return {"question": turn.question, "before": turn.before, "after": turn.after}


def _title(name: str) -> str:
    whole, _, part = name.partition(".")
    return " · ".join(title_of(each) for each in (whole, part) if each)
