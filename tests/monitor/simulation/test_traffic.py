"""The generator does what its scenario says: rates, seasons, incidents, and the truth beside the events."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from random import Random
from statistics import mean, median

import pytest
from benchmarks.monitor.delivery import delivered
from benchmarks.monitor.minute_counts import minute_counts

from proctor.core.codec import dumps
from proctor.core.event import Event
from proctor.core.event_row import row_of
from proctor.monitor.completion import TaskWatch
from proctor.monitor.completion_rules import CompletionRules
from proctor.monitor.simulation.manga_store import manga_store
from proctor.monitor.simulation.scenario import ConfidenceDrift, Incident, MixDrift, TrafficScenario, VersionChange
from proctor.monitor.simulation.traffic import arrivals, simulate
from proctor.monitor.simulation.traffic_truth import TrafficTruth
from proctor.monitor.simulation.travel_desk import travel_desk


def _drawn(scenario: TrafficScenario, seed: int = 1) -> tuple[list[Event], TrafficTruth]:
    truth = TrafficTruth()
    return list(simulate(scenario, seed, truth=truth)), truth


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    one, other = _drawn(travel_desk(hours=2))[0], _drawn(travel_desk(hours=2))[0]
    assert [dumps(each) for each in one] == [dumps(each) for each in other]
    assert {each.id for each in one}.isdisjoint(each.id for each in _drawn(travel_desk(hours=2), 2)[0])


def test_without_texts_everything_else_is_the_same() -> None:
    told, silent = _drawn(travel_desk(hours=2))[0], _drawn(travel_desk(hours=2, texts=False))[0]
    assert [(each.id, each.time, each.value) for each in told] == [(each.id, each.time, each.value) for each in silent]


@pytest.mark.parametrize("world", [travel_desk, manga_store])
def test_events_come_in_time_order_with_unique_ids_and_become_rows(world: Callable[..., TrafficScenario]) -> None:
    scenario = world(hours=12, turns_per_minute=8)
    events, truth = _drawn(scenario)
    assert len(events) > 5_000
    assert all(one.time <= other.time for one, other in pairwise(events))
    rows = [row_of(each) for each in events]
    assert len({row.id for row in rows}) == len(rows)
    assert sum(row.kind == "turn" for row in rows) == truth.total("turns")
    assert sum(f"score/{scenario.score}" in row.signals for row in rows) == truth.total("failed")
    assert {each.language for each in truth.conversations} == set(scenario.languages)
    assert all(each.turn.answer or each.turn.error for each in events if each.turn is not None)


def test_traffic_follows_the_hour_of_the_week() -> None:
    scenario = travel_desk(hours=24 * 7 * 10, turns_per_minute=10, day_noise=0.0)
    seen = Counter(int(second // 3600) % 168 for second in arrivals(scenario, Random(1)))
    total = sum(seen.values())
    assert total * scenario.mean_turns / (70 * 1440) == pytest.approx(10, rel=0.02)
    for hour in (4, 19, 24 * 5 + 12):
        assert seen[hour] / total * 168 == pytest.approx(scenario.weights[hour], rel=0.15)


def test_rates_are_those_of_the_scenario() -> None:
    scenario = travel_desk(hours=48, turns_per_minute=8, texts=False)
    _, truth = _drawn(scenario)
    for intent in scenario.intents:
        assert truth.share("wrong", of="turns", intent=intent.name).value == pytest.approx(
            intent.hallucination, abs=0.01
        )
        assert truth.share("escalated", intent=intent.name).value == pytest.approx(intent.escalation, abs=0.03)
    csat = [each.csat for each in truth.conversations if each.csat is not None]
    pleased = mean(each.csat for each in truth.conversations if each.csat and each.solved)
    assert len(csat) / len(truth.conversations) == pytest.approx(scenario.csat, abs=0.02)
    assert pleased > mean(each.csat for each in truth.conversations if each.csat and not each.solved) + 1


def test_the_completion_rules_say_what_is_true() -> None:
    scenario = travel_desk(hours=96, turns_per_minute=2)
    events, truth = _drawn(scenario)

    async def closed() -> dict[str, str]:
        watch = TaskWatch(rules=CompletionRules())
        tasks = [task for event in events for task in await watch.add(event)]
        return {task.session or "": task.state for task in [*tasks, *watch.finish()]}

    states = asyncio.run(closed())
    begin = scenario.start.timestamp()
    whole = [
        each for each in truth.conversations if each.time < begin + 44 * 3600 and each.intent != "general_browsing"
    ]
    assert len(whole) > 1_500
    assert {each.state for each in whole} == {"completed", "not completed", "unknown"}
    assert [(each.id, each.intent, states[each.id]) for each in whole if states[each.id] != each.state] == []


def test_a_release_brings_wrong_answers_in_one_intent_and_a_slower_model() -> None:
    scenario = travel_desk(
        hours=30,
        turns_per_minute=15,
        releases=(VersionChange(at_hour=20, version="1.1", model="desk-model-2"),),
        incidents=(
            Incident(kind="hallucination", at_hour=20, hours=10, factor=6, intent="policy_inquiry", version="1.1"),
            Incident(kind="latency", at_hour=20, hours=10, factor=3, version="1.1"),
        ),
    )
    events, truth = _drawn(scenario)

    def wrong(version: str, intent: str) -> float:
        told = [each for each in truth.conversations if (each.version, each.intent) == (version, intent)]
        return sum(each.wrong for each in told) / sum(each.turns for each in told)

    assert wrong("1.1", "policy_inquiry") == pytest.approx(6 * 0.04, abs=0.06)
    assert wrong("1.0", "policy_inquiry") == pytest.approx(0.04, abs=0.02)
    assert wrong("1.1", "booking_change") == pytest.approx(0.03, abs=0.02)
    slow = [each.turn.latency for each in events if each.turn and each.version == "1.1" and each.turn.latency]
    fast = [each.turn.latency for each in events if each.turn and each.version == "1.0" and each.turn.latency]
    assert median(slow) == pytest.approx(3 * median(fast), rel=0.1)
    assert {each.model for each in events if each.version == "1.1"} == {"desk-model-2"}
    first = truth.incidents[0]
    assert first.bad > 20
    assert set(first.conversations) <= {each.id for each in truth.conversations if each.wrong}


def test_an_injection_wave_is_stopped_by_the_guard_for_the_most_part() -> None:
    wave = Incident(kind="injection", at_hour=2, hours=2, factor=50)
    events, truth = _drawn(travel_desk(hours=6, flat=True, incidents=(wave,)))
    begin = travel_desk().start.timestamp()
    stopped = Counter(int((row.time - begin) // 7200) for row in map(row_of, events) if "gate/injection" in row.signals)
    assert stopped[1] > 10 * max(1, stopped[0])
    assert truth.incidents[0].bad == pytest.approx(stopped[1] / 0.95, rel=0.15)
    assert "finding/injection" in {signal for event in events for signal in row_of(event).signals}


def test_nobody_reaches_the_agent_during_an_outage_and_errors_are_turns() -> None:
    dark = Incident(kind="outage", at_hour=3, hours=1)
    broken = Incident(kind="errors", at_hour=5, hours=1, factor=0.5)
    events, truth = _drawn(travel_desk(hours=7, flat=True, incidents=(dark, broken)))
    begin = travel_desk().start.timestamp()
    turns = Counter(int((event.time.timestamp() - begin) // 1800) for event in events if event.kind == "turn")
    assert turns[7] == 0  # the second half hour; in the first, answers still come to messages before it
    assert turns[5] > 400
    assert truth.dropped > 100
    unanswered = sum(bool(event.turn and event.turn.error) for event in events)
    assert 0.9 * unanswered < truth.incidents[1].bad <= unanswered  # a few happen at any time


def test_slow_drifts_move_the_mix_and_the_calibration() -> None:
    scenario = travel_desk(
        hours=24 * 8,
        turns_per_minute=3,
        texts=False,
        mix=(MixDrift(from_hour=24, to_hour=24 * 7, shares={"policy_inquiry": 0.05, "cancellation": 0.45}),),
        calibration=(ConfidenceDrift(from_hour=24, to_hour=24 * 7, temperature=3.0),),
    )
    events, truth = _drawn(scenario)

    def share(intent: str, day: int) -> float:
        days = range(day, day + 1)
        return truth.total("conversations", intent=intent, days=days) / truth.total("conversations", days=days)

    assert share("policy_inquiry", 0) == pytest.approx(0.35, abs=0.04)
    assert share("policy_inquiry", 7) == pytest.approx(0.05, abs=0.03)
    assert share("cancellation", 7) == pytest.approx(0.45, abs=0.04)
    begin = scenario.start.timestamp()
    scores = {
        (event.id or "").replace(".s", ".t"): (event.value or 0.0) >= 0.5 for event in events if event.kind == "score"
    }
    early: list[float] = []
    late: list[float] = []
    for event in events:
        if event.turn and event.turn.confidence is not None and event.id in scores:
            day = (event.time.timestamp() - begin) // 86_400
            (early if day == 0 else late if day == 7 else []).append(event.turn.confidence - scores[event.id])
    assert abs(mean(early)) < 0.02  # the scorer's own mistakes
    assert mean(late) > mean(early) + 0.015


def test_a_canary_gets_its_share() -> None:
    _, truth = _drawn(travel_desk(hours=6, texts=False, releases=(VersionChange(at_hour=0, version="2", share=0.2),)))
    assert mean(each.version == "2" for each in truth.conversations) == pytest.approx(0.2, abs=0.03)


def test_repeated_contacts_come_from_the_same_customer_within_a_day() -> None:
    _, truth = _drawn(travel_desk(hours=48, turns_per_minute=5, texts=False))
    by_id = {each.id: each for each in truth.conversations}
    again = [each for each in truth.conversations if each.repeat_of]
    assert len(again) > 200
    for each in again:
        before = by_id[each.repeat_of]
        assert (each.customer, each.topic, before.solved) == (before.customer, before.topic, False)
        assert 0 < each.time - before.time < 86_400


def test_counts_without_events_have_the_same_rates() -> None:
    spike = Incident(kind="hallucination", at_hour=60, hours=6, factor=5)
    scenario = travel_desk(hours=72, turns_per_minute=6, incidents=(spike,), day_noise=0.0)
    cells = list(minute_counts(scenario))
    begin = scenario.start.timestamp()
    during = [each for each in cells if begin + 60 * 3600 <= each.minute < begin + 66 * 3600]
    before = [each for each in cells if each.minute < begin + 60 * 3600]
    normal = sum(each.failed for each in before) / sum(each.turns for each in before)
    assert normal == pytest.approx(0.0475, abs=0.006)  # 4 % wrong found with 95 %, and 1 % of the right ones
    assert sum(each.failed for each in during) / sum(each.turns for each in during) > 3.5 * normal
    short = replace(scenario, hours=24, texts=False)
    counted = sum(event.kind == "turn" for event in simulate(short))
    first = sum(each.turns for each in cells if each.minute < begin + 86_400)
    assert first == pytest.approx(counted, rel=0.1)  # repeated contacts are not among them


def test_a_network_delivers_late_and_twice() -> None:
    events, _ = _drawn(travel_desk(hours=2, texts=False))
    arrived = list(delivered(events, late=0.1, late_seconds=300, twice=0.1))
    assert all(one[0] <= other[0] for one, other in pairwise(arrived))
    assert len(arrived) == pytest.approx(1.1 * len(events), rel=0.03)
    assert {event.id for _, event in arrived} == {event.id for event in events}
    assert sum(at > event.time.timestamp() for at, event in arrived) > 0.05 * len(events)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"intents": ()}, "needs an intent"),
        ({"hours": 0}, "above 0"),
        ({"incidents": (Incident(kind="latency", at_hour=1, hours=1, intent="refunds"),)}, "no intent 'refunds'"),
    ],
)
def test_an_impossible_scenario_is_refused(changes: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        travel_desk(**changes)


def test_an_impossible_incident_is_refused() -> None:
    with pytest.raises(ValueError, match="hours and a factor"):
        Incident(kind="latency", at_hour=1, hours=0)
    with pytest.raises(ValueError, match="at most 1"):
        Incident(kind="errors", at_hour=1, hours=1, factor=2)
