"""Combine weighted parts into one score and report missing parts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from proctor.core.score import Evidence, Score
from proctor.scorers.checked_answers import MOST_EVIDENCE, quoted

__all__ = ["LOW", "check_weights", "combined", "weighed"]

# The evidence of a part below this is shown with the whole.
LOW = 0.7
# Confidence of a score without one: rules are exact.
_SURE = 1.0


def combined(name: str, parts: Sequence[Score], *, version: str) -> Score:
    """Return the weighted mean of the scored parts, with each as a part of it.

    A skipped part does not apply and is left out. A part in error is left out too, but it is named in the reason and
    lowers the confidence by its share of the weight. If no part is scored, the result is an error, or skipped if no
    part applied. A part of weight 0 is shown but does not count.
    """
    ok = [(part, part.value) for part in parts if part.value is not None]
    broken = [part for part in parts if part.status == "error"]
    weight = sum(part.weight for part, _ in ok)
    told = _told(name, parts, version)
    if weight <= 0:
        missing = any(part.weight > 0 for part in broken) or (broken and not ok)
        return Score(**told, status="error" if missing else "skipped", reason=_why_none(parts, broken))
    value = sum(part.weight * value for part, value in ok) / weight
    sure = sum(part.weight * (_SURE if part.confidence is None else part.confidence) for part, _ in ok) / weight
    applicable = weight + sum(part.weight for part in broken)
    low = [part for part, value in ok if value < LOW and part.weight > 0]
    return Score(
        **told,
        value=min(1.0, max(0.0, value)),  # rounding can move a mean slightly out of range
        confidence=min(1.0, max(0.0, sure * weight / applicable)),
        reason=_reason(parts, low, broken),
        evidence=_lifted(low),
        producer="+".join(dict.fromkeys(each for part, _ in ok for each in part.producer.split("+"))),
    )


def weighed(parts: Sequence[Score], weights: Mapping[str, float], *, version: str) -> list[Score]:
    """Return the parts with the weights from the settings; unnamed parts weigh 0."""
    return [replace(part, weight=weights.get(part.name, 0.0), version=version) for part in parts]


def check_weights(weights: Mapping[str, float], known: Collection[str]) -> None:
    """Raise ``ValueError`` for weights of unknown parts, below 0, or all 0."""
    for name, weight in weights.items():
        if name not in known:
            raise ValueError(f"weights names {name!r}, which is none of {', '.join(known)}")
        if not weight >= 0:  # written so that NaN is rejected too
            raise ValueError(f"the weight of {name} is {weight:g}; it must be 0 or more")
    if not sum(weights.values()) > 0:
        raise ValueError("weights must not all be 0")


def _told(name: str, parts: Sequence[Score], version: str) -> Mapping[str, Any]:
    """Return the fields common to every combined score."""
    costs = [part.cost for part in parts if part.cost is not None]
    return {"name": name, "version": version, "parts": tuple(parts), "cost": sum(costs) if costs else None}


def _reason(parts: Sequence[Score], low: Sequence[Score], broken: Sequence[Score]) -> str:
    """Describe what lowered the score, then what is missing, then what did not apply."""
    said = [_said(part) for part in low]
    said += [f"{part.name} is missing: {part.reason or 'it could not be judged'}" for part in broken]
    skipped = [part.name for part in parts if part.status == "skipped"]
    if skipped:
        said.append(f"not applicable: {', '.join(skipped)}")
    if not low:
        least = min(
            (part for part in parts if part.value is not None and part.weight > 0), key=lambda part: part.value or 0
        )
        said.insert(0, "all parts are full" if least.value == 1.0 else f"the lowest part is {_said(least)}")
    return quoted("; ".join(said), 1000)


def _said(part: Score) -> str:
    return f"{part.name} {part.value:.2f}" + (f": {part.reason}" if part.reason else "")


def _why_none(parts: Sequence[Score], broken: Sequence[Score]) -> str:
    if not parts:
        return "there is nothing to check"
    chosen = broken or parts
    return quoted("; ".join(f"{part.name}: {part.reason}" if part.reason else part.name for part in chosen), 1000)


def _lifted(low: Sequence[Score]) -> tuple[Evidence, ...]:
    """Return the evidence of the low parts, the lowest first, prefixed with the part's name."""
    ranked = sorted(low, key=lambda part: part.value or 0.0)
    found = [
        Evidence(
            quote=one.quote,
            turn=one.turn,
            where=one.where,
            note=f"{part.name}: {one.note}" if one.note else part.name,
            extra=one.extra,
        )
        for part in ranked
        for one in part.evidence
    ]
    return tuple(found[:MOST_EVIDENCE])
