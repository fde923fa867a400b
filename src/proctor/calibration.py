"""Load a calibration file and correct confidences with it; the standard library is all it needs.

::

    from proctor.calibration import load

    calibrated = load("calibration.json")
    calibrated(0.85)  # how often an answer of this confidence is right
"""

from __future__ import annotations

import json
import math
import os
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

__all__ = ["FORMAT", "METHODS", "CalibrationMap", "load", "parse"]

FORMAT = "proctor calibration 1"
METHODS = ("identity", "temperature", "platt", "isotonic")
_EDGE = 1e-6  # a confidence of 0 or 1 has no logit; it is taken to be this far from it


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationMap:
    """A mapping of confidences: call it with one.

    ``slope`` and ``intercept`` are applied to the logit (Platt; temperature has only a slope, 1 / T). ``x`` and ``y``
    are the points between which an isotonic mapping is drawn straight; outside it is constant. ``facts`` say what it
    was fitted to.
    """

    method: str
    slope: float = 1.0
    intercept: float = 0.0
    x: tuple[float, ...] = ()
    y: tuple[float, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, confidence: float) -> float:
        """Return the corrected confidence.

        Raises:
            ValueError: the confidence is not in [0, 1].
        """
        if not 0.0 <= confidence <= 1.0:
            raise ValueError(f"a confidence lies in [0, 1], not {confidence}")
        if self.method == "identity":
            return confidence
        if self.method == "isotonic":
            return self._between(confidence)
        value = self.slope * logit(confidence) + self.intercept
        return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))

    def _between(self, confidence: float) -> float:
        after = bisect_right(self.x, confidence)
        if after == 0:
            return self.y[0]
        if after == len(self.x):
            return self.y[-1]
        left, right = self.x[after - 1], self.x[after]
        share = (confidence - left) / (right - left)
        return self.y[after - 1] + share * (self.y[after] - self.y[after - 1])

    def as_data(self) -> dict[str, Any]:
        """Return the mapping as it is written to a file."""
        own: dict[str, Any] = {}
        if self.method in ("platt", "temperature"):
            own = {"slope": self.slope, "intercept": self.intercept}
        elif self.method == "isotonic":
            own = {"x": list(self.x), "y": list(self.y)}
        return {"format": FORMAT, "method": self.method, **own, "facts": dict(self.facts)}


def load(path: str | os.PathLike[str]) -> CalibrationMap:
    """Read a file that `proctor calibrate fit` wrote.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not a calibration file; the message says why.
    """
    with open(path, encoding="utf-8") as file:
        try:
            data = json.load(file)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)} is not JSON: {error}") from None
    try:
        return parse(data)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None


def parse(data: Any) -> CalibrationMap:
    """Return the mapping from the content of a file.

    Raises:
        ValueError: it is not one; the message says why.
    """
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise ValueError(f"this is no calibration file: its `format` must be {FORMAT!r}")
    method = data.get("method")
    if method not in METHODS:
        raise ValueError(f"`method` must be one of {', '.join(METHODS)}, not {method!r}")
    facts = data.get("facts")
    known = facts if isinstance(facts, Mapping) else {}
    if method == "isotonic":
        x, y = _numbers(data, "x"), _numbers(data, "y")
        if not x or len(x) != len(y) or any(b <= a for a, b in pairwise(x)):
            raise ValueError("`x` and `y` must have the same number of points, with `x` rising")
        if any(not 0.0 <= value <= 1.0 for value in y) or any(b < a for a, b in pairwise(y)):
            raise ValueError("`y` must have values from 0 to 1 that never fall")
        return CalibrationMap(method=method, x=x, y=y, facts=known)
    slope, intercept = data.get("slope", 1.0), data.get("intercept", 0.0)
    for name, value in (("slope", slope), ("intercept", intercept)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"`{name}` must be a number, not {value!r}")
    if slope < 0:
        raise ValueError("`slope` must not be below 0: a higher confidence would mean less")
    return CalibrationMap(method=method, slope=float(slope), intercept=float(intercept), facts=known)


def logit(confidence: float) -> float:
    """Return the log odds of a confidence; 0 and 1 are moved by a millionth."""
    inside = min(1 - _EDGE, max(_EDGE, confidence))
    return math.log(inside / (1 - inside))


def _numbers(data: Mapping[str, Any], name: str) -> tuple[float, ...]:
    given = data.get(name)
    if not isinstance(given, list) or any(
        isinstance(each, bool) or not isinstance(each, int | float) for each in given
    ):
        raise ValueError(f"`{name}` must be a list of numbers")
    if not all(math.isfinite(each) for each in given):
        raise ValueError(f"`{name}` must be a list of finite numbers")
    return tuple(float(each) for each in given)
