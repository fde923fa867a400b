"""Figures of a running guard: decisions, latency, and how many were right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from proctor.core.share import Share

__all__ = ["GateDecisions", "GuardDecisions", "Spread"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Percentiles of the latency in seconds; None if nothing was timed."""

    p50: float | None = None
    p95: float | None = None
    p99: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecisions:
    """The figures of one gate at one point, or of a point's whole chain.

    ``precision``: of the reviewed decisions that changed or stopped something, how many were right. ``recall``: of what
    had to be stopped, how much was, estimated from the sampled steps that passed; ``why`` states what is missing if it
    is unknown. ``shadow`` counts decisions that were only recorded.
    """

    gate: str
    point: str
    decisions: int = 0
    actions: Mapping[str, int] = field(default_factory=dict)
    broken: int = 0
    shadow: int = 0
    borderline: int = 0
    findings: Mapping[str, int] = field(default_factory=dict)
    versions: tuple[str, ...] = ()
    latency: Spread = field(default_factory=Spread)
    precision: Share = field(default_factory=Share)
    recall: Share = field(default_factory=Share)
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardDecisions:
    """All decisions in a period, by point and by gate."""

    decisions: int = 0
    sessions: int = 0
    begun: datetime | None = None
    until: datetime | None = None
    points: tuple[GateDecisions, ...] = ()
    gates: tuple[GateDecisions, ...] = ()
    reviewed: int = 0
    waiting: int = 0
    not_kept: int = 0
    notes: tuple[str, ...] = ()
