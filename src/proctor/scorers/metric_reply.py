"""What a judge said by a custom metric: a score from 0 to 100, or OK or ERR as its last word; anything else is none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from proctor.scorers.checked_answers import quoted

__all__ = ["read_score", "read_word"]

_OPENING = "*_`\"'“‘«([{<#|~"
_AROUND = _OPENING + "”’».,;:!)]}>。！"
# A word that takes a verdict back or leaves it open, with nothing but a space between them.
_BOUND = re.compile(
    r"\b(not|never|no|neither|nor|or|and|either|cannot|without|than|\w+n['’]t)[*_`\"'“‘]* +$", re.IGNORECASE
)


def read_score(data: Any) -> tuple[float | None, str, str]:
    """The score of a JSON reply, its explanation, and what is wrong when there is no score."""
    if not isinstance(data, Mapping):
        return None, "", "the judge's reply is not a JSON object"
    told = data.get("explanation")
    explanation = told.strip() if isinstance(told, str) else ""
    score = data.get("score")
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        return None, explanation, f"the judge's reply has no number as its score: {quoted(repr(score), 60)}"
    if not 0 <= score <= 100:  # NaN is refused here too
        return None, explanation, f"the judge's score {score:g} is not from 0 to 100"
    return float(score), explanation, ""


def read_word(text: str) -> tuple[str | None, str]:
    """``ok`` or ``err`` when that is the last word of a reply, and what is wrong when it is neither.

    ``not OK``, ``OK or ERR`` and the like are no verdict: what was meant is anybody's guess.
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
