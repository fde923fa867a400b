"""A run in Prometheus' text format: a file for the node exporter, or a push to a gateway."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TextIO
from urllib.parse import quote

from proctor.core.report import Report
from proctor.core.sockets import Http
from proctor.report.exposition import CONTENT_TYPE, label_text
from proctor.report.publish.http_delivery import deliver
from proctor.report.publish.published_result import slug

__all__ = ["PrometheusSettings", "file_name", "group_url", "push", "text", "write"]

Sample = tuple[str, Mapping[str, str], float]
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")

# name -> help text. Means over all intents and by intent have different names, so that no sum counts twice.
_HELP = {
    "proctor_run_info": "The run that the other figures are from; the value is always 1.",
    "proctor_run_finished_seconds": "When the run ended, in seconds since 1970.",
    "proctor_run_duration_seconds": "How long the run took.",
    "proctor_run_passed": "1 when the run passed, 0 when it failed; not there when it could not be judged.",
    "proctor_cases": "Results by outcome.",
    "proctor_pass_rate": "Share of the judged results that passed.",
    "proctor_score": "Mean of a dimension, from 0 to 1.",
    "proctor_scored_cases": "Cases that the mean of a dimension rests on.",
    "proctor_unscored_cases": "Cases that could not be scored in a dimension.",
    "proctor_part_score": "Mean of a part of a dimension, from 0 to 1.",
    "proctor_intent_score": "Mean of a dimension over the cases of one intent, from 0 to 1.",
    "proctor_intent_pass_rate": "Share of the judged results of one intent that passed.",
    "proctor_latency_seconds": "Time that answers took.",
    "proctor_model_calls": "Calls of a model.",
    "proctor_model_tokens": "Tokens of a model's calls.",
    "proctor_model_cost_dollars": "What a model's calls cost; not there when a price is not known.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PrometheusSettings:
    """A ``file`` to write, a URL to ``push`` to, or both; ``labels`` are added to every figure."""

    file: str | None = None
    push: str | None = field(default=None, repr=False)
    job: str = "proctor"
    labels: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 30.0

    def __post_init__(self) -> None:
        if self.push is not None and not self.push.startswith(("http://", "https://")):
            raise ValueError("push must be an address that begins with http:// or https://")
        if not self.job.strip():
            raise ValueError("job must not be empty")
        for name in self.labels:
            if not _LABEL.fullmatch(name) or name.startswith("__"):
                raise ValueError(f"{name!r} cannot be a label's name")
        if not self.timeout > 0:
            raise ValueError(f"timeout must be more than 0 seconds, not {self.timeout:g}")


def file_name(settings: PrometheusSettings, report: Report) -> str | None:
    """Return the file name for this run; a suite keeps its file, so the last run is scraped."""
    if settings.file is None:
        return None
    return settings.file.replace("{suite}", slug(report.name)).replace("{run}", slug(report.id))


def write(report: Report, settings: PrometheusSettings, out: TextIO) -> None:
    """Write the run's figures."""
    out.write(text(report, settings))


def text(report: Report, settings: PrometheusSettings) -> str:
    """Return the run's figures in the text format, version 0.0.4."""
    found: dict[str, list[str]] = {name: [] for name in _HELP}
    for name, labels, value in _samples(report):
        if math.isfinite(value):
            shown = label_text({**settings.labels, "suite": report.name, **labels})
            found[name].append(f"{name}{shown} {value!r}")
    pieces = []
    for name, lines in found.items():
        if lines:
            pieces += [f"# HELP {name} {_HELP[name]}", f"# TYPE {name} gauge", *dict.fromkeys(lines)]
    return "\n".join(pieces) + "\n"


async def push(report: Report, settings: PrometheusSettings, http: Http) -> None:
    """Replace the suite's figures in the gateway by those of this run.

    Raises:
        ModelError: the gateway is unreachable, or refused.
    """
    headers = {"Content-Type": CONTENT_TYPE, **settings.headers}
    body = text(report, settings).encode()
    url = group_url(settings, report)
    await deliver(http, "PUT", url, body, headers, who="the push gateway", seconds=settings.timeout)


def group_url(settings: PrometheusSettings, report: Report) -> str:
    """Return the URL of the group to replace: job and suite."""
    base, _, query = (settings.push or "").partition("?")
    parts = "".join(_step(name, value) for name, value in (("job", settings.job), ("suite", report.name)))
    return f"{base.rstrip('/')}/metrics{parts}" + (f"?{query}" if query else "")


def _step(name: str, value: str) -> str:
    """Return one label of a group's path; a value that does not fit in a path is base64-encoded."""
    if value and "/" not in value and value not in (".", ".."):
        return f"/{name}/{quote(value, safe='', errors='replace')}"
    packed = base64.urlsafe_b64encode(value.encode(errors="replace")).decode().rstrip("=")
    return f"/{name}@base64/{packed or '='}"


def _samples(report: Report) -> Iterator[Sample]:
    yield from _run(report)
    for tally in report.by_target:
        labels, counts = {"target": tally.name}, tally.counts
        for outcome, count in (("pass", counts.passed), ("fail", counts.failed), ("unscored", counts.unscored)):
            yield "proctor_cases", {**labels, "outcome": outcome}, count
        if counts.pass_rate is not None:
            yield "proctor_pass_rate", labels, counts.pass_rate
    yield from _dimensions(report)
    for name, seconds in report.latency.items():
        yield "proctor_latency_seconds", {"quantile": name}, seconds
    for each in report.spend:
        labels = {"model": each.model, "role": each.role}
        yield "proctor_model_calls", labels, each.calls
        yield "proctor_model_tokens", {**labels, "kind": "input"}, each.usage.input
        yield "proctor_model_tokens", {**labels, "kind": "output"}, each.usage.output
        if each.cost is not None:
            yield "proctor_model_cost_dollars", labels, each.cost


def _run(report: Report) -> Iterator[Sample]:
    yield "proctor_run_info", {"run": report.id, "trigger": report.fingerprint.trigger}, 1
    if report.finished is not None:
        yield "proctor_run_finished_seconds", {}, report.finished.timestamp()
        if report.started is not None:
            yield "proctor_run_duration_seconds", {}, (report.finished - report.started).total_seconds()
    if report.decision in ("passed", "failed"):
        yield "proctor_run_passed", {}, float(report.decision == "passed")


def _dimensions(report: Report) -> Iterator[Sample]:
    for cell in report.by_dimension:
        dimension, _, part = cell.dimension.partition(".")
        labels = {"target": cell.target, "dimension": dimension}
        if cell.intent is None and not part and dimension != "pass_rate":
            yield "proctor_scored_cases", labels, cell.cases
            yield "proctor_unscored_cases", labels, cell.unscored
        if cell.mean is None:
            continue
        if cell.intent is None and part:
            yield "proctor_part_score", {**labels, "part": part}, cell.mean
        elif cell.intent is None and dimension != "pass_rate":
            yield "proctor_score", labels, cell.mean
        elif cell.intent is not None and dimension == "pass_rate":
            yield "proctor_intent_pass_rate", {"target": cell.target, "intent": cell.intent}, cell.mean
        elif cell.intent is not None and not part:
            yield "proctor_intent_score", {**labels, "intent": cell.intent}, cell.mean
