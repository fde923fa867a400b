"""The data of the cases of a comparison for its page: a short row for the list, and the texts of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proctor.report.dimensions import title_of
from proctor.report.release_view import CaseTurn, ComparedCase
from proctor.report.safe_text import one_line

__all__ = ["case_data", "case_row"]

_FIGURES = 40
_LINES = 60


def case_row(case: ComparedCase, causes: Sequence[int], why: str) -> dict[str, Any]:
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


def case_data(case: ComparedCase) -> dict[str, Any]:
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
