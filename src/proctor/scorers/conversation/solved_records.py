"""Records in tool results: where the values of a change came from, and whether the best record was chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.core.transcript import TranscriptStep, parse_loosely

__all__ = ["choices", "leaves", "opened"]

_MOST_LETTERS: Final = 40_000
_MOST_LEAVES: Final = 3_000
_DIGIT: Final = re.compile(r"\d")
_WORD: Final = re.compile(r"[a-z0-9]+")
_CHEAP: Final = re.compile(r"\b(?:cheapest|lowest|least expensive|m[aá]s barat)", re.I)
_DEAR: Final = re.compile(r"\b(?:most expensive|highest|priciest)", re.I)


def opened(call: ToolCall) -> Any:
    """Return a tool result, parsed if it is data."""
    if not isinstance(call.result, str):
        return call.result
    return parse_loosely(call.result) if len(call.result) <= _MOST_LETTERS else call.result[:_MOST_LETTERS]


def leaves(value: Any) -> Iterator[Any]:
    """Yield every scalar value inside, and keys that are ids; at most a few thousand."""
    waiting, given = [value], 0
    while waiting and given < _MOST_LEAVES:
        now = waiting.pop()
        if isinstance(now, dict):
            waiting.extend(key for key in now if isinstance(key, str) and _DIGIT.search(key))
            waiting.extend(now.values())
        elif isinstance(now, (list, tuple)):
            waiting.extend(now)
        elif now is not None and now != "":
            given += 1
            yield now


def choices(told: Sequence[tuple[TranscriptStep, bool]], results: Mapping[int, str]) -> dict[str, float]:
    """Compare the values of changes with what was said and looked up before; each step has a flag for writes.

    ``made_up`` counts values that occurred nowhere before; ``unavailable`` chosen records marked as unavailable;
    ``better`` records that fit the customer's words better than the chosen one; ``not_cheapest`` choices that are not
    the cheapest although it was requested.
    """
    seen: set[str] = set()
    records: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {}
    said = ""
    made_up = total = unavailable = better = picked = 0
    fits: list[float] = []
    dearer = 0
    for step, writes in told:
        if step.call is None:
            said += " " + step.text.casefold() if step.kind == "request" else ""
            seen |= set(_WORD.findall(step.text.casefold()))
            continue
        if writes:
            for leaf in leaves(step.call.arguments):
                text = str(leaf).casefold()
                total += 1
                made_up += not (set(_WORD.findall(text)) <= seen)
                if text in records:
                    picked += 1
                    record, beside = records[text]
                    unavailable += _gone(record)
                    mine = _fit(record, said)
                    fits.append(mine)
                    better += sum(_fit(other, said) > mine and not _gone(other) for other in beside)
                    dearer += _price_wrong(record, beside, said)
        data = opened(step.call)
        seen |= set(_WORD.findall(results[id(step)][:_MOST_LETTERS].casefold()))
        _gather(data, records)
    return {
        "values": total,
        "made_up": made_up,
        "made_up_share": made_up / max(1, total),
        "picked": picked,
        "unavailable": unavailable,
        "better": min(better, 20),
        "fit": sum(fits) / len(fits) if fits else 1.0,
        "not_best_price": dearer,
    }


def _gather(data: Any, records: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]]) -> None:
    """Collect records that have siblings of their kind, keyed by id."""
    waiting, met = [data], 0
    while waiting and met < _MOST_LEAVES:
        met += 1
        now = waiting.pop()
        inside = list(now.values()) if isinstance(now, dict) else list(now) if isinstance(now, (list, tuple)) else []
        group = [each for each in inside if isinstance(each, dict)]
        if len(group) >= 2:
            for each in group:
                own = next(
                    (
                        str(v)
                        for k, v in each.items()
                        if str(k).endswith(("id", "number")) and isinstance(v, (str, int))
                    ),
                    None,
                )
                if own is not None:
                    records[own.casefold()] = (each, [other for other in group if other is not each][:60])
        waiting.extend(each for each in inside if isinstance(each, (dict, list, tuple)))


def _fit(record: Mapping[str, Any], said: str) -> float:
    """Return the share of the record's descriptive words that the customer used."""
    words = [
        w for leaf in leaves(record) if isinstance(leaf, str) for w in _WORD.findall(leaf.casefold()) if not w.isdigit()
    ]
    return sum(word in said for word in words) / len(words) if words else 1.0


def _gone(record: Mapping[str, Any]) -> bool:
    state = record.get("available")
    return state is False or str(record.get("status", "")).casefold() in ("unavailable", "cancelled", "sold out")


def _price_wrong(record: Mapping[str, Any], beside: Sequence[Mapping[str, Any]], said: str) -> bool:
    price, others = record.get("price"), [o.get("price") for o in beside if not _gone(o)]
    known = [float(other) for other in others if isinstance(other, (int, float))]
    if not isinstance(price, (int, float)) or not known:
        return False
    if _CHEAP.search(said):
        return float(price) > min(known)
    return bool(_DEAR.search(said)) and float(price) < max(known)
