"""CloudWatch metrics of a run: the values of its results by intent, and the figures of the run."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol
from urllib.parse import quote

from proctor.core.errors import InputError
from proctor.core.report import Report
from proctor.report.publish.published_result import NO_INTENT, Graded, averages

__all__ = ["CloudWatchSettings", "MetricDoor", "batches", "data", "publish"]

_VALUES = 150  # maximum distinct values in one datum
_DATA = 1000  # maximum data in one request
_WEIGHT = 6000  # maximum values in one request, to stay below one megabyte
_OLDEST = timedelta(days=14)
_PRINTABLE = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "%")


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudWatchSettings:
    """The destination, and dimensions to add to every metric."""

    namespace: str = "Proctor/Evaluation"
    region: str | None = None
    profile: str | None = None
    endpoint_url: str | None = field(default=None, repr=False)
    dimensions: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 30.0

    def __post_init__(self) -> None:
        if not self.namespace.strip() or self.namespace.startswith(("AWS/", ":")) or len(self.namespace) > 255:
            raise ValueError(f"{self.namespace!r} cannot be a namespace: write e.g. Shop/Evaluation")
        if len(self.dimensions) > 29:
            raise ValueError("a figure may have 29 dimensions beside its intent")
        if not self.timeout > 0:
            raise ValueError(f"timeout must be more than 0 seconds, not {self.timeout:g}")


class MetricDoor(Protocol):
    """Sends a batch of data under a namespace."""

    async def put(self, namespace: str, batch: Sequence[Mapping[str, Any]]) -> None:
        """Send one batch; raise an error if it was rejected."""
        ...


async def publish(report: Report, results: Iterable[Graded], settings: CloudWatchSettings, door: MetricDoor) -> int:
    """Send all metrics; return the number of data sent.

    Raises:
        InputError: the run is too old.
        ModelError: a batch was rejected.
    """
    sent = 0
    for batch in batches(data(report, results, settings)):
        await door.put(settings.namespace, batch)
        sent += len(batch)
    return sent


def data(
    report: Report, results: Iterable[Graded], settings: CloudWatchSettings, *, now: datetime | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the data of a run. All have its end time, so that a run is one point on every line.

    The values of all results of one intent are combined in one datum. This keeps all statistics of CloudWatch at a
    hundredth of the volume.

    Raises:
        InputError: the run is older than CloudWatch accepts.
    """
    time = report.finished or report.started or datetime.now(UTC)
    if (now or datetime.now(UTC)) - time > _OLDEST:
        raise InputError(f"run {report.id} is more than two weeks old", hint="CloudWatch takes no older figures")
    targets: set[str] = set()
    values: dict[tuple[str, str, str], Counter[float]] = defaultdict(Counter)
    counts: Counter[str] = Counter()
    for each in results:
        targets.add(each.target)
        counts[each.outcome] += 1
        for name, unit, value in _figures(each):
            if math.isfinite(value):
                values[name, unit, each.intent or NO_INTENT][round(value, 6)] += 1
    for (name, unit, intent), found in values.items():
        yield from _spread(name, unit, {**settings.dimensions, "Intent": intent}, found, time)
    chosen = next(iter(targets)) if len(targets) == 1 else None
    for name, unit, value in _batch_figures(report, counts, chosen):
        yield _datum(name, unit, settings.dimensions, time) | {"Value": round(value, 6)}


def batches(found: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Group the data into requests below the size limits."""
    batch: list[dict[str, Any]] = []
    weight = 0
    for datum in found:
        size = len(datum.get("Values", ())) or 1
        if batch and (len(batch) == _DATA or weight + size > _WEIGHT):
            yield batch
            batch, weight = [], 0
        batch.append(datum)
        weight += size
    if batch:
        yield batch


def _figures(each: Graded) -> Iterator[tuple[str, str, float]]:
    if each.value is not None:
        yield "CompositeScore", "None", each.value
    if each.duration is not None:
        yield "EvaluationLatency", "Milliseconds", each.duration * 1000
    for score in each.dimensions:
        if score.value is not None:
            yield f"DimensionScore_{score.name}", "None", score.value
    if each.outcome != "unscored":  # unscored results have neither passed nor failed
        yield "QualityGateResult", "None", float(each.outcome == "pass")


def _batch_figures(report: Report, counts: Counter[str], target: str | None) -> Iterator[tuple[str, str, float]]:
    judged = counts["pass"] + counts["fail"]
    if judged:
        yield "BatchPassRate", "None", counts["pass"] / judged
    yield "BatchTotalCases", "Count", float(counts.total())
    yield "BatchUnscoredCases", "Count", float(counts["unscored"])
    for cell in averages(report, target):
        if cell.mean is not None:
            yield f"BatchAvg_{cell.dimension}", "None", cell.mean


def _spread(
    name: str, unit: str, dimensions: Mapping[str, str], found: Counter[float], time: datetime
) -> Iterator[dict[str, Any]]:
    pairs = sorted(found.items())
    for begin in range(0, len(pairs), _VALUES):
        part = pairs[begin : begin + _VALUES]
        datum = _datum(name, unit, dimensions, time)
        datum["Values"] = [value for value, _ in part]
        datum["Counts"] = [float(count) for _, count in part]
        yield datum


def _datum(name: str, unit: str, dimensions: Mapping[str, str], time: datetime) -> dict[str, Any]:
    datum: dict[str, Any] = {"MetricName": _plain(name, 255), "Timestamp": time, "Unit": unit}
    if dimensions:
        datum["Dimensions"] = [
            {"Name": _plain(key, 255), "Value": _plain(text, 1024)} for key, text in dimensions.items()
        ]
    return datum


def _plain(text: str, limit: int) -> str:
    """Return a name in printable ASCII, as CloudWatch requires; other characters are percent-encoded."""
    shown = quote(text.strip(), safe=_PRINTABLE, errors="replace").lstrip(":")
    return shown[:limit] or NO_INTENT
