"""Compare a value that a goal names with one that a target shows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from proctor.core.transcript import parse_loosely

__all__ = ["ANY", "has_values", "is_same"]

ANY: Final = "*"
_LEAST_PART: Final = 4  # characters of a text that may be a part of a longer value
_TRUTH: Final = {"true": True, "1": True, "false": False, "0": False}


def has_values(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether every wanted value is there; a text may be a part of a longer one."""
    return all(name in found and is_same(value, found[name], part=True) for name, value in wanted.items())


def is_same(wanted: Any, found: Any, *, part: bool = False) -> bool:
    """Whether two values mean the same: ``4`` is ``"4"``, ``true`` is ``1``, and one item of a list is enough.

    A wanted mapping may have fewer names than the one that is found; a wanted list fewer items.
    """
    if wanted == ANY:
        return found is not None
    if isinstance(found, str) and found[:1] in ("{", "[") and not isinstance(wanted, str):
        found = parse_loosely(found)
    if isinstance(wanted, Mapping):
        items = found if isinstance(found, (list, tuple)) else (found,)
        return any(isinstance(each, Mapping) and has_values(each, wanted) for each in items)
    if isinstance(wanted, (list, tuple)):
        return isinstance(found, (list, tuple)) and all(is_same(each, found, part=part) for each in wanted)
    if isinstance(found, (list, tuple)):
        return any(is_same(wanted, each, part=part) for each in found)
    if isinstance(found, Mapping):
        return part and isinstance(wanted, str) and any(is_same(wanted, each, part=True) for each in found.values())
    return _is_same_scalar(wanted, found, part=part)


def _is_same_scalar(wanted: Any, found: Any, *, part: bool) -> bool:
    if wanted is None or found is None:
        return wanted is found
    one, other = _text(wanted), _text(found)
    if isinstance(wanted, bool) or isinstance(found, bool):
        return one in _TRUTH and other in _TRUTH and _TRUTH[one] is _TRUTH[other]
    if one == other:
        return True
    if isinstance(wanted, (int, float)) or isinstance(found, (int, float)):
        return _is_same_number(one, other)
    return part and len(one) >= _LEAST_PART and _is_part(one, other)


def _text(value: Any) -> str:
    return str(value).strip().casefold()


def _is_same_number(one: str, other: str) -> bool:
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-9)
    except ValueError:
        return False


def _is_part(one: str, other: str) -> bool:
    """Whether a text is in another one; a number that goes on there is another number."""
    at = other.find(one)
    while at >= 0:
        end = at + len(one)
        cut_before = one[0].isdigit() and at > 0 and other[at - 1].isdigit()
        if not cut_before and not (one[-1].isdigit() and other[end : end + 1].isdigit()):
            return True
        at = other.find(one, at + 1)
    return False
