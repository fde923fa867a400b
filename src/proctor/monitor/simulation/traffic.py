"""Draw traffic from a scenario: events in time order, the same for the same seed, and the truth beside them."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator
from itertools import accumulate, count
from math import exp
from random import Random

from proctor.core.event import Event
from proctor.monitor.simulation.conversation_draw import ConversationDraw, Visit
from proctor.monitor.simulation.scenario import TrafficScenario
from proctor.monitor.simulation.traffic_truth import IncidentTruth, TrafficTruth

__all__ = ["arrivals", "simulate"]

_AFTERWARDS = frozenset({"outcome", "contact", "csat"})
_AWAY_SECONDS = 4 * 86_400.0  # a customer who comes again after this long comes with something new


def simulate(scenario: TrafficScenario, seed: int = 1, *, truth: TrafficTruth | None = None) -> Iterator[Event]:
    """Yield the events of a scenario in time order; ``truth`` is filled meanwhile.

    The same scenario and seed give the same events, byte by byte. Only conversations with open windows are in memory,
    so months of traffic need no more than days. Conversations that began before the end are finished; ratings and
    outcomes after the end are left out.
    """
    told = truth if truth is not None else TrafficTruth(keep=False)
    begin = scenario.start.timestamp()
    told.incidents.extend(
        IncidentTruth(each, begin + each.at_hour * 3600, begin + (each.at_hour + each.hours) * 3600)
        for each in scenario.incidents
    )
    rng = Random(f"{scenario.name}/{seed}")  # noqa: S311 - the same seed gives the same traffic
    draw = ConversationDraw(scenario, rng, told)
    waiting: list[tuple[float, int, Event]] = []
    numbers = count()
    until = scenario.hours * 3600.0
    for visit in _visits(scenario, rng, draw, f"{scenario.name}-{seed}"):
        while waiting and waiting[0][0] <= visit.second:
            yield heapq.heappop(waiting)[2]
        for second, event in draw.events(visit):
            if second < until or event.kind not in _AFTERWARDS:
                heapq.heappush(waiting, (second, next(numbers), event))
    while waiting:
        yield heapq.heappop(waiting)[2]


def arrivals(scenario: TrafficScenario, rng: Random) -> Iterator[float]:
    """Yield the seconds at which new conversations begin: Poisson, by hour of the week, with better and worse days."""
    mean = scenario.turns_per_minute / 60.0 / scenario.mean_turns
    day, hour = -1, 0
    factor = 1.0
    while hour < scenario.hours:
        if hour // 24 != day:
            day = hour // 24
            factor = exp(rng.gauss(0.0, scenario.day_noise)) if scenario.day_noise else 1.0
        rate = mean * scenario.weight_at(hour) * factor
        second, end = hour * 3600.0, min(hour + 1, scenario.hours) * 3600.0
        while (second := second + rng.expovariate(rate)) < end:
            yield second
        hour += 1


def _visits(scenario: TrafficScenario, rng: Random, draw: ConversationDraw, prefix: str) -> Iterator[Visit]:
    """Yield new conversations and repeated ones, by time."""
    conversations, customers = count(1), count(1)
    away: deque[tuple[float, str]] = deque()
    languages = list(scenario.languages)
    spoken = list(accumulate(scenario.languages.values()))
    shares: list[float] = []
    hour = -1
    for second in arrivals(scenario, rng):
        while draw.returns and draw.returns[0][0] <= second:
            _, _, again = heapq.heappop(draw.returns)
            yield again._replace(id=f"{prefix}-{next(conversations):07d}")
        if int(second // 3600) != hour:
            hour = int(second // 3600)
            shares = list(accumulate(scenario.shares_at(hour)))
        intent = rng.choices(scenario.intents, cum_weights=shares)[0]
        if away and away[0][0] <= second and rng.random() < scenario.returning:
            customer = away.popleft()[1]
        else:
            customer = f"{prefix}-customer-{next(customers):06d}"
        away.append((second + _AWAY_SECONDS, customer))
        topic = intent.topics[int(rng.random() * len(intent.topics))]
        yield Visit(
            second=second,
            id=f"{prefix}-{next(conversations):07d}",
            customer=customer,
            intent=intent,
            topic=topic,
            language=rng.choices(languages, cum_weights=spoken)[0],
            item=topic.items[int(rng.random() * len(topic.items))],
            number=f"LT-{1000 + int(rng.random() * 9000)}",
        )
    while draw.returns:
        _, _, again = heapq.heappop(draw.returns)
        yield again._replace(id=f"{prefix}-{next(conversations):07d}")
