"""Parse a judge's reply to a custom metric: a score from 0 to 100, or OK or ERR as the last word."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from proctor.scorers.checked_answers import quoted

__all__ = ["read_score", "read_word"]

_OPENING = "*_`\"'“‘«([{<#|~"
_AROUND = _OPENING + "”’».,;:!)]}>。！"
# A word directly before a verdict that negates it or leaves it open.
_BOUND = re.compile(
    r"\b(not|never|no|neither|nor|or|and|either|cannot|without|than|\w+n['’]t)[*_`\"'“‘]* +$", re.IGNORECASE
)


def read_score(data: Any) -> tuple[float | None, str, str]:
    """Return the score of a JSON reply, its explanation, and the error if there is no score."""
    if not isinstance(data, Mapping):
        return None, "", "the judge's reply is not a JSON object"
    told = data.get("explanation")
    explanation = told.strip() if isinstance(told, str) else ""
    score = data.get("score")
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        return None, explanation, f"the judge's reply has no number as its score: {quoted(repr(score), 60)}"
    if not 0 <= score <= 100:  # also rejects NaN
        return None, explanation, f"the judge's score {score:g} is not from 0 to 100"
    return float(score), explanation, ""


def read_word(text: str) -> tuple[str | None, str]:
    """Return ``ok`` or ``err`` if that is the last word of a reply, and the error if it is neither.

    ``not OK``, ``OK or ERR`` and similar are ambiguous and give no verdict.
    """
    tail = text[-2_000:].rstrip(_AROUND + " \n\t\r")
    last = tail.split()[-1].strip(_AROUND).upper() if tail.split() else ""
    if last not in ("OK", "ERR"):
        said = f"“{quoted(tail.split()[-1], 60)}”" if last else "nothing"
        return None, f"the judge's last word is {said}, which is neither OK nor ERR"
    before = _BOUND.search(tail[: -len(last)].rstrip(_OPENING))
    if before is not None:
        return None, f"the judge's last words are “{before.group(1)} {last}”, which is neither OK nor ERR"
    return last.lower(), ""
