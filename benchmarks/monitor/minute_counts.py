"""Counts by minute and intent, drawn without single events: years of traffic in seconds, for measuring alert rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from proctor.monitor.simulation.scenario import IncidentKind, TrafficScenario

__all__ = ["MinuteCount", "minute_counts"]


class MinuteCount(NamedTuple):
    """One minute of one intent; ``failed`` are answers whose score failed, ``stopped`` messages that a gate stopped."""

    minute: float  # seconds since the epoch
    intent: str
    version: str
    turns: int
    failed: int
    stopped: int
    escalated: int
    errors: int


def minute_counts(scenario: TrafficScenario, seed: int = 1) -> Iterator[MinuteCount]:
    """Yield every minute of every intent that had a turn, by time, with the same rates as `simulate`.

    Turns are counted at the minute of their conversation's begin and do not depend on each other. Repeated contacts
    are not drawn: their share is added to the traffic of no one. Canary releases count as full ones from a half on.
    """
    draw = np.random.default_rng([seed, len(scenario.name)])
    begin = scenario.start.timestamp()
    factor = 1.0
    for hour in range(int(np.ceil(scenario.hours))):
        if hour % 24 == 0:
            factor = float(np.exp(draw.normal(0.0, scenario.day_noise)))
        minutes = np.arange(hour, min(hour + 1, scenario.hours), 1 / 60)
        version = _version(scenario, hour)
        cells = [_cell(scenario, draw, minutes, at, version, factor) for at in range(len(scenario.intents))]
        for number, when in enumerate(minutes):
            for intent, counts in zip(scenario.intents, cells, strict=True):
                turns, failed, stopped, escalated, errors = (int(each) for each in counts[number])
                if turns:
                    minute = begin + round(when * 60) * 60.0
                    yield MinuteCount(minute, intent.name, version, turns, failed, stopped, escalated, errors)


def _cell(
    scenario: TrafficScenario,
    draw: np.random.Generator,
    minutes: np.ndarray[tuple[int], np.dtype[np.float64]],
    at: int,
    version: str,
    factor: float,
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    intent, hour = scenario.intents[at], float(minutes[0])
    shares = scenario.shares_at(hour)
    talks = scenario.turns_per_minute / scenario.mean_turns * scenario.weight_at(hour) * factor * shares[at]

    def factors(kind: IncidentKind) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.array([scenario.factor_at(kind, each, intent.name, version) for each in minutes])

    silent = np.array([scenario.is_silent(each, intent.name) for each in minutes])
    turns = draw.poisson(np.where(silent, 0.0, talks * intent.turns), len(minutes))
    wrong = np.minimum(1.0, intent.hallucination * factors("hallucination"))
    seen = (wrong * scenario.sensitivity + (1 - wrong) * (1 - scenario.specificity)) * scenario.scored
    stops = np.minimum(1.0, scenario.injection * factors("injection")) * scenario.caught + scenario.false_stops
    over = np.minimum(1.0, intent.escalation / intent.turns * factors("escalation"))
    broken = np.array([scenario.error_rate(each, intent.name, version) for each in minutes])
    rates = (seen, np.minimum(1.0, stops), over, broken)
    return np.stack([turns, *(draw.binomial(turns, rate) for rate in rates)], axis=1)


def _version(scenario: TrafficScenario, hour: float) -> str:
    version = scenario.version
    for each in sorted(scenario.releases, key=lambda release: release.at_hour):
        if each.at_hour <= hour and each.share >= 0.5:
            version = each.version
    return version
