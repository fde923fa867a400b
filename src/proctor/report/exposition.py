"""Figures in Prometheus' text format, version 0.0.4: what `/metrics` answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, get_args

from proctor.core.alert_record import AlertRecord, RuleState, RuleStatus
from proctor.core.live_figures import LATENCY_BUCKETS, LiveFigures
from proctor.core.record import dataclass
from proctor.core.verdict import Severity

__all__ = ["CONTENT_TYPE", "MetricFamily", "alert_metrics", "exposition", "label_text", "live_metrics", "rules_file"]

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_LABEL_LENGTH: Final = 200
_ESCAPES: Final = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})
_RULES: Final = Path(__file__).with_name("prometheus_rules.yml")
Samples = tuple[tuple[Mapping[str, str], float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFamily:
    """One family of figures; the samples of a histogram have the ending of their name under the label ``__name__``."""

    name: str
    about: str
    kind: Literal["counter", "gauge", "histogram"]
    samples: Samples


def exposition(metrics: Iterable[MetricFamily]) -> str:
    """Return figures as text; families without a sample are left out."""
    lines: list[str] = []
    for metric in metrics:
        if metric.samples:
            lines += [f"# HELP {metric.name} {metric.about}", f"# TYPE {metric.name} {metric.kind}"]
            for labels, value in metric.samples:
                shown = label_text({name: each for name, each in labels.items() if name != "__name__"})
                lines.append(f"{metric.name}{labels.get('__name__', '')}{shown} {_number(value)}")
    return "\n".join(lines) + "\n" if lines else ""


def label_text(labels: Mapping[str, str]) -> str:
    """Return labels in braces; those without a value are left out."""
    shown = ",".join(f'{name}="{_value(value)}"' for name, value in labels.items() if value)
    return f"{{{shown}}}" if shown else ""


def live_metrics(figures: LiveFigures) -> list[MetricFamily]:
    """Return the figures of what came in."""
    events = tuple(({"kind": kind}, float(count)) for kind, count in sorted(figures.events.items()))
    signals = tuple(({"signal": name}, float(count)) for name, count in sorted(figures.signals.items()))
    return [
        MetricFamily(name="proctor_events_total", about="Events received, by kind.", kind="counter", samples=events),
        MetricFamily(
            name="proctor_signals_total",
            about="Bad signals in events: stopped by a gate, a failed score, a hand-off.",
            kind="counter",
            samples=signals,
        ),
        MetricFamily(
            name="proctor_turn_latency_seconds",
            about="Time that turns took.",
            kind="histogram",
            samples=tuple(_histogram(figures)),
        ),
        _one("proctor_turn_cost_dollars_total", "What turns cost, as far as it is known.", figures.cost, "counter"),
        _one("proctor_late_events_total", "Events that came too late to be judged.", float(figures.late), "counter"),
        _one("proctor_event_lag_seconds", "How late the last events arrived (median).", figures.lag),
        _one("proctor_alert_leader", "1 in the process that decides on alerts.", float(figures.leads)),
    ]


def alert_metrics(
    alerts: Sequence[AlertRecord], statuses: Sequence[RuleStatus], *, waiting: int = 0, dead: int = 0
) -> list[MetricFamily]:
    """Return the figures of alerts, rules and messages; ``alerts`` are the open ones."""
    tiers = Counter(each.tier for each in alerts if each.is_open)
    states = Counter((each.rule, each.state) for each in statuses)
    rules = sorted({each.rule for each in statuses})
    return [
        MetricFamily(
            name="proctor_alerts_open",
            about="Open alerts, by tier.",
            kind="gauge",
            samples=tuple(({"tier": tier}, float(tiers[tier])) for tier in get_args(Severity)),
        ),
        MetricFamily(
            name="proctor_rule_slices",
            about="Slices of each rule, by state; a rule without slices has one.",
            kind="gauge",
            samples=tuple(
                ({"rule": rule, "state": state}, float(states[rule, state]))
                for rule in rules
                for state in get_args(RuleState)
                if state != "resolved"
            ),
        ),
        MetricFamily(
            name="proctor_rule_smallest_spike",
            about="Smallest spike that a rule sees at the current traffic; not there when it sees none.",
            kind="gauge",
            samples=tuple(_limits(statuses)),
        ),
        _one("proctor_alert_messages_waiting", "Messages that wait for a channel.", float(waiting)),
        _one("proctor_alert_messages_dead", "Messages that were given up.", float(dead)),
    ]


def rules_file() -> str:
    """Return rules for Prometheus over these figures."""
    return _RULES.read_text(encoding="utf-8")


def _limits(statuses: Sequence[RuleStatus]) -> Iterator[tuple[Mapping[str, str], float]]:
    """Yield the limit of each rule; of a rule with slices, that of the slice that sees least."""
    worst: dict[tuple[str, str], float] = {}
    for each in statuses:
        if each.limit is not None and each.limit.smallest is not None:
            name = (each.rule, each.kind)
            worst[name] = max(worst.get(name, 0.0), each.limit.smallest)
    for (rule, kind), smallest in sorted(worst.items()):
        yield {"rule": rule, "kind": kind}, smallest


def _histogram(figures: LiveFigures) -> Iterator[tuple[Mapping[str, str], float]]:
    total = 0
    for edge, count in zip((*LATENCY_BUCKETS, math.inf), figures.latency, strict=True):
        total += count
        yield {"__name__": "_bucket", "le": "+Inf" if edge == math.inf else f"{edge:g}"}, float(total)
    yield {"__name__": "_sum"}, figures.latency_sum
    yield {"__name__": "_count"}, float(total)


def _one(name: str, about: str, value: float | None, kind: Literal["counter", "gauge"] = "gauge") -> MetricFamily:
    return MetricFamily(name=name, about=about, kind=kind, samples=() if value is None else (({}, value),))


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _value(value: str) -> str:
    """Return a label's value without lone surrogates and carriage returns, which some readers treat as line ends."""
    clean = value[:_LABEL_LENGTH].replace("\r", " ").encode(errors="replace").decode()
    return clean.translate(_ESCAPES)
