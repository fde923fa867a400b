"""Each kind of detector by itself."""

from __future__ import annotations

import random
import re

from proctor.core.event_row import EventRow
from proctor.monitor.alert_rules import AlertRule
from proctor.monitor.detectors.absence import AbsenceDetector, LagDetector
from proctor.monitor.detectors.quantile import QuantileDetector
from proctor.monitor.detectors.rate import RateDetector
from proctor.monitor.detectors.rule_reading import RuleReading, shown_span
from proctor.monitor.detectors.streak import StreakDetector

START = 1_700_000_400.0


def turn(time: float, **fields: object) -> EventRow:
    return EventRow(line=b"", id=str(time), kind="turn", time=time)._replace(**fields)  # type: ignore[arg-type]


def test_a_p95_above_its_limit_fires_after_its_hold_and_ends() -> None:
    rng = random.Random(1)
    rule = AlertRule(name="slow", kind="p95", limit=4.0, window=300, least=100, hold=30.0)
    detector = QuantileDetector(rule, {})
    states = []
    for second in range(3600):
        slow = 1200 <= second < 2400
        version = "v2" if slow and rng.random() < 0.5 else "v1"
        latency = rng.lognormvariate(1.6 if version == "v2" else 0.0, 0.5)
        detector.observe(turn(START + second, latency=latency, version=version, session=f"s{second}"), START + second)
        if second % 30 == 0:
            reading = detector.check(START + second)
            states.append(reading.state)
            if reading.state == "firing":
                assert reading.value
                assert reading.value > 4.0
                fired = reading
    assert states[0] in ("ok", "unknown")
    assert "pending" in states
    assert states.index("firing") > states.index("pending")
    assert states[-1] == "ok"
    assert fired.moved[0].value == "v2"
    assert fired.examples


def test_few_values_say_nothing_about_a_p95() -> None:
    detector = QuantileDetector(AlertRule(name="slow", kind="p95", limit=1.0, window=300, least=100), {})
    for second in range(0, 290, 3):
        detector.observe(turn(START + second, latency=60.0), START + second)
    assert detector.check(START + 290).state == "ok"
    assert "needs 100" in detector.check(START + 290).message
    assert detector.limit(START + 290).smallest is None


def test_without_a_limit_the_usual_p95_is_learnt() -> None:
    rng = random.Random(2)
    detector = QuantileDetector(AlertRule(name="slow", kind="p95", window=300, least=100, hold=30.0), {})
    assert detector.check(START).state == "unknown"
    states = set()
    for second in range(3 * 3600):
        factor = 3.0 if second > 2.5 * 3600 else 1.0
        detector.observe(turn(START + second, latency=factor * rng.lognormvariate(0, 0.5)), START + second)
        if second % 30 == 0:
            states.add(detector.check(START + second).state)
    assert states == {"unknown", "ok", "pending", "firing"}
    bound = detector.limit(START + 3 * 3600 - 1).normal
    assert bound
    assert 3.0 < bound < 4.2  # the P95 is 2.28 s
    again = QuantileDetector(detector.rule, {})
    again.restore(detector.dump(whole=True))
    assert again.limit(START + 3 * 3600).normal == bound
    detector.restart(START + 3 * 3600, new_normal=True)
    moved = detector.limit(START + 3 * 3600).normal
    assert moved
    assert 8.0 < moved < 13.0


def test_bad_events_in_a_row() -> None:
    detector = StreakDetector(AlertRule(name="row", kind="in_a_row", signals=("error",), count=3), {})
    for second, bad in enumerate([1, 1, 0, 1, 1]):
        detector.observe(turn(START + second, signals=("error",) * bad, session=f"s{second}"), START)
    assert detector.check(START + 5).state == "pending"
    detector.observe(turn(START + 6, signals=("error",), session="s6"), START)
    reading = detector.check(START + 7)
    assert reading.state == "firing"
    assert reading.examples == ("s3", "s4", "s6")
    again = StreakDetector(detector.rule, {})
    again.restore(detector.dump(whole=True))
    assert again.check(START + 8).state == "firing"
    for second in range(3):
        again.observe(turn(START + 10 + second), START)
    assert again.check(START + 20).state == "ok"


def test_a_quiet_night_is_no_absence() -> None:
    rule = AlertRule(name="gone", kind="absence", signals=("turn",), window=600, least=30)
    detector = AbsenceDetector(rule, {})
    states = []
    for minute in range(3 * 24 * 60):
        time = START + minute * 60
        night = int(time // 3600) % 24 < 6
        if not night and minute < 60 * 24 * 2 + 600:
            for _ in range(5):
                detector.observe(turn(time), time)
        states.append(detector.check(time).state)
    known = states[24 * 60 : 48 * 60]
    assert set(known) == {"ok"}  # the second night
    assert states[-1] == "no_data"  # traffic ended on the third day
    assert "sees a silence of" in detector.limit(START + 24 * 3600).text


def test_events_that_arrive_late() -> None:
    rule = AlertRule(name="lag", kind="lag", limit=60.0, window=120, least=20)
    detector = LagDetector(rule, {})
    assert detector.check(START).state == "unknown"
    for second in range(30):
        detector.observe(turn(START + second), START + second + 5)
    assert detector.check(START + 36).state == "ok"
    for second in range(60):
        detector.observe(turn(START + second), START + second + 300)
    reading = detector.check(START + 361)
    assert reading.state == "firing"
    assert reading.value == 300
    assert (reading.baseline, reading.threshold) == (None, 60.0), "a limit is not what is normal"
    for second in range(100):
        detector.observe(turn(START + 600 + second), START + 600 + second)
    assert detector.check(START + 700).state == "ok"


def test_a_conversation_counts_once_for_bad_events_told_twice() -> None:
    detector = RateDetector(AlertRule(name="r", kind="rate", signals=("gate/injection",)), {})
    for _ in range(3):
        detector.observe(turn(START, signals=("gate/injection",), session="one"), START)
    gate = turn(START + 1, signals=("gate/injection",), session="one")._replace(kind="gate")
    detector.observe(gate, START + 1)
    assert detector._recent.counts(START, START + 60) == (4, 1)


def test_a_dead_scorer_is_missing_data_not_perfect_answers() -> None:
    detector = RateDetector(AlertRule(name="r", kind="rate", signals=("score/grounded",)), {})
    rng = random.Random(3)
    time = START
    for minute in range(5 * 60):
        for _ in range(10):
            time = START + minute * 60 + rng.random() * 60
            signals = ("score/grounded",) if rng.random() < 0.05 else ()
            row = EventRow(line=b"", id="x", kind="score", name="grounded", time=time, signals=signals)
            detector.observe(row, time)
        detector.check(START + minute * 60 + 60)
    assert detector.check(START + 5 * 3600 + 60).state == "ok"
    assert detector.check(START + 5 * 3600 + 1200).state == "no_data"


def _spike(rule: AlertRule, *, scores: bool) -> list[RuleReading]:
    """Six hours with 2 bad turns of 100, then ten minutes with 30; each turn has a score, if they are sent."""
    detector = RateDetector(rule, {})
    fired = []
    for second in range(0, 6 * 3600 + 600, 2):
        time, place = START + second, second // 2
        bad = place % 100 < (30 if second >= 6 * 3600 else 2)
        detector.observe(turn(time, session=f"s{second}"), time)
        if scores:
            signals = ("score/grounded",) * bad
            scored = turn(time, kind="score", name="grounded", session=f"s{second}", signals=signals)
            detector.observe(scored, time)
        if second % 10 == 0:
            reading = detector.check(time)
            if reading.state == "firing":
                fired.append(reading)
    return fired


def test_the_window_of_an_alarm_is_the_one_that_its_message_tells() -> None:
    rule = AlertRule(name="wrong", kind="rate", signals=("score/grounded",), window=300)
    fired = _spike(rule, scores=True)
    assert len({each.window_end for each in fired}) > 3
    for each in fired:
        told = re.search(r" in (.+? (?:s|min|h)),", each.message)
        assert told
        assert told[1] == shown_span(each.window_end - each.window_start)


def test_a_rule_of_scores_and_turns_tells_its_share_of_turns() -> None:
    signals = ("score/grounded", "gate/grounding", "escalation")
    mixed = _spike(AlertRule(name="wrong", kind="rate", signals=signals, window=300), scores=True)[-1]
    alone = _spike(AlertRule(name="wrong", kind="rate", signals=signals[:1], window=300), scores=True)[-1]
    assert mixed.events == alone.events  # as many turns as scores, not both
    assert mixed.value == alone.value
    assert mixed.baseline
    assert alone.baseline
    assert abs(mixed.baseline / alone.baseline - 1) < 0.1
    assert f"{mixed.bad} of {mixed.events} turns (" in mixed.message
    assert f"{alone.bad} of {alone.events} scores (" in alone.message
