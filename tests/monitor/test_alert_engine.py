"""The engine over simulated days: alerts with their window, slice and examples; states that outlive the process."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor.core.alert_record import AlertChange, Silence
from proctor.core.errors import StoreError
from proctor.core.event_row import EventRow
from proctor.monitor.alert_engine import AlertEngine
from proctor.monitor.alert_rules import AlertRule, rules_of
from proctor.store.alert_state import AlertState

START = 1_700_000_400.0  # the beginning of an hour
HOUR = 3600.0
DEFAULTS_OFF = {
    name: False for name in ("hallucination", "injection", "escalation", "latency", "no_traffic", "ingest_lag")
}


class Traffic:
    """Turns at a steady pace, with bad ones at a rate; ticks every half minute."""

    def __init__(self, engine: AlertEngine, *, rng: random.Random, per_minute: float = 30.0) -> None:
        self.engine, self.rng, self.per_minute = engine, rng, per_minute
        self.time, self.ticked, self.count = START, START, 0
        self.signal = "gate/injection"

    def run(self, hours: float, rate: float, *, bad_version: float | None = None) -> list[AlertChange]:
        """Send traffic; with ``bad_version`` the turns of v2 are bad at this rate."""
        changes: list[AlertChange] = []
        end = self.time + hours * HOUR
        while True:
            self.time += self.rng.expovariate(self.per_minute / 60)
            while self.ticked + 30 <= min(self.time, end):
                self.ticked += 30
                changes += self.engine.tick(self.ticked)
            if self.time >= end:
                self.time = end
                return changes
            self.engine.observe(self._row(rate, bad_version), self.time)

    def nothing(self, hours: float) -> list[AlertChange]:
        """Let time pass without traffic."""
        changes: list[AlertChange] = []
        self.time += hours * HOUR
        while self.ticked + 30 <= self.time:
            self.ticked += 30
            changes += self.engine.tick(self.ticked)
        return changes

    def _row(self, rate: float, bad_version: float | None) -> EventRow:
        self.count += 1
        version = "v2" if self.rng.random() < 0.3 else "v1"
        share = bad_version if bad_version is not None and version == "v2" else rate
        signals = (self.signal,) if self.rng.random() < share else ()
        return EventRow(
            line=b"",
            id=str(self.count),
            kind="turn",
            time=self.time,
            session=f"{version}-{self.count}",
            intent="refund" if self.count % 2 else "booking",
            model="small",
            version=version,
            latency=self.rng.lognormvariate(0.0, 0.3),
            signals=signals,
        )


@pytest.fixture
def state(tmp_path: Path) -> Iterator[AlertState]:
    with AlertState(tmp_path) as made:
        yield made


def one_rule(**settings: object) -> tuple[AlertRule, ...]:
    return rules_of({**DEFAULTS_OFF, "watched": settings})


def test_a_spike_fires_once_names_its_slice_and_ends(state: AlertState) -> None:
    traffic = Traffic(AlertEngine(one_rule(rate="gate/injection", tier="critical"), state), rng=random.Random(1))
    assert traffic.run(4, 0.04) == []
    began = traffic.time
    changes = traffic.run(0.5, 0.04, bad_version=0.6)
    assert [each.kind for each in changes] == ["fired"]
    alert = changes[0].alert
    assert alert.number == 1
    assert alert.tier == "critical"
    assert alert.fired - began < 600
    assert abs(alert.window_start - began) < 300
    assert alert.moved[0].dimension == "version"
    assert alert.moved[0].value == "v2"
    assert alert.examples[0].startswith("v2-")
    assert alert.value
    assert alert.baseline
    assert alert.value > 2 * alert.baseline
    assert alert.statistic
    assert alert.threshold
    assert alert.statistic >= alert.threshold
    ended = traffic.run(1, 0.04)
    assert [each.kind for each in ended] == ["resolved"]
    assert state.alerts(open_only=True) == []


def test_an_outage_never_becomes_its_own_baseline(state: AlertState) -> None:
    engine = AlertEngine(one_rule(rate="gate/injection"), state)
    traffic = Traffic(engine, rng=random.Random(2))
    traffic.run(5, 0.04)
    before = engine.limits(traffic.time)[0].normal
    assert [each.kind for each in traffic.run(3, 0.3)] == ["fired"]  # all three hours, and still firing
    after = engine.limits(traffic.time)[0].normal
    assert before
    assert after
    assert after < before * 1.2


def test_a_level_that_a_person_calls_normal_is_normal(state: AlertState) -> None:
    engine = AlertEngine(one_rule(rate="gate/injection"), state)
    traffic = Traffic(engine, rng=random.Random(3))
    traffic.run(5, 0.04)
    alert = traffic.run(1, 0.2)[0].alert
    state.acknowledge(alert.number, by="ann", now=traffic.time, new_normal=True)
    changes = traffic.run(3, 0.2)
    assert [each.kind for each in changes] == ["resolved"]
    normal = engine.limits(traffic.time)[0].normal
    assert normal
    assert 0.15 < normal < 0.3
    assert [each.kind for each in traffic.run(1, 0.8)] == ["fired"]


def test_a_killed_process_goes_on_where_it_was(state: AlertState, tmp_path: Path) -> None:
    rules = one_rule(rate="gate/injection")
    traffic = Traffic(AlertEngine(rules, state, save_every=0.0), rng=random.Random(4))
    traffic.run(5, 0.04)
    fired = traffic.run(0.3, 0.4)
    assert [each.kind for each in fired] == ["fired"]
    with AlertState(tmp_path) as again:  # the first was not closed: its process was killed
        traffic.engine = AlertEngine(rules, again)
        traffic.ticked = traffic.time = traffic.time + 120  # its lead runs out
        changes = traffic.run(0.2, 0.4)
        # Nobody was told before the kill, so it is said again; the alert is the same.
        assert [(each.kind, each.alert.number) for each in changes] == [("fired", 1)]
        again.mark_notified(1, traffic.time, "fired")
        assert [each.kind for each in traffic.run(1, 0.04)] == ["resolved"]


@pytest.mark.parametrize("step", ["save_all", "set_status"])
def test_what_a_tick_has_found_before_the_disk_was_full_is_told_by_the_next(
    state: AlertState, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    engine = AlertEngine(one_rule(in_a_row="error", count=2, tier="critical"), state)
    engine.tick(START)

    def tick_twice(now: float) -> list[str]:
        def full(*_: object) -> None:
            raise StoreError("the disk is full")

        with monkeypatch.context() as patched:
            patched.setattr(state, step, full)
            with pytest.raises(StoreError):
                engine.tick(now)
        return [each.kind for each in engine.tick(now + 1)]

    _observe_twice(engine, START, "error")
    assert tick_twice(START + 1) == ["fired"]
    state.mark_notified(1, START + 2, "fired")
    _observe_twice(engine, START + 60)
    assert tick_twice(START + 61) == ["resolved"]
    assert engine.tick(START + 61 + 2) == []


def test_changes_that_could_not_be_handed_on_come_again(state: AlertState) -> None:
    engine = AlertEngine(one_rule(in_a_row="error", count=2, tier="critical"), state)
    _observe_twice(engine, START, "error")
    fired = engine.tick(START)
    engine.take_back(fired)
    assert [each.kind for each in engine.tick(START + 1)] == [each.kind for each in fired] == ["fired"]
    state.mark_notified(1, START + 1, "fired")
    _observe_twice(engine, START + 60)
    ended = engine.tick(START + 61)
    engine.take_back(ended)
    assert [each.kind for each in engine.tick(START + 61 + 1)] == [each.kind for each in ended] == ["resolved"]
    assert engine.tick(START + 61 + 2) == []


def _observe_twice(engine: AlertEngine, time: float, *signals: str) -> None:
    for number in range(2):
        engine.observe(EventRow(line=b"", id=f"{time}-{number}", kind="turn", time=time, signals=signals), time)


def test_of_two_processes_one_decides(state: AlertState, tmp_path: Path) -> None:
    rules = one_rule(rate="gate/injection")
    with AlertState(tmp_path) as other:
        first, second = AlertEngine(rules, state), AlertEngine(rules, other)
        assert first.tick(START) == second.tick(START) == []
        assert (first.leads, second.leads) == (True, False)
        first.close(START)
        second.tick(START + 1)
        assert second.leads


def test_missing_data_pages(state: AlertState) -> None:
    engine = AlertEngine(one_rule(absence="turn", window="10 min", tier="critical"), state)
    traffic = Traffic(engine, rng=random.Random(5))
    traffic.run(2, 0.04)
    changes = traffic.nothing(0.5)
    assert [each.kind for each in changes] == ["no_data"]
    assert "no turn for" in changes[0].alert.message
    assert [each.kind for each in traffic.run(0.1, 0.04)] == ["resolved"]


def test_a_silence_and_what_comes_after_it(state: AlertState) -> None:
    engine = AlertEngine(one_rule(rate="gate/injection"), state)
    traffic = Traffic(engine, rng=random.Random(6))
    traffic.run(4, 0.04)
    state.add_silence(Silence(match={"rule": "watched"}, until=traffic.time + 1830, by="ann"))
    quiet = traffic.run(0.5, 0.5)
    assert [(each.kind, each.silenced) for each in quiet] == [("fired", "silence 1")]
    loud = traffic.run(0.2, 0.5)  # the silence is over and the problem is not
    assert [(each.kind, each.silenced) for each in loud] == [("fired", "")]


def test_an_alert_that_a_person_resolved_starts_again_from_zero(state: AlertState) -> None:
    engine = AlertEngine(one_rule(rate="gate/injection"), state)
    traffic = Traffic(engine, rng=random.Random(7))
    traffic.run(4, 0.04)
    alert = traffic.run(0.3, 0.5)[0].alert
    state.resolve(alert.number, by="ann", now=traffic.time)
    changes = traffic.run(0.3, 0.04)
    assert [each.kind for each in changes] == ["resolved"]
    assert [each.kind for each in traffic.run(0.5, 0.5)] == ["fired"]
    assert state.alerts(open_only=True)[0].times == 2


def test_events_of_the_past_say_nothing_about_now(state: AlertState) -> None:
    engine = AlertEngine(one_rule(in_a_row="error", count=2), state)
    old = EventRow(line=b"", id="1", kind="turn", time=START - HOUR, signals=("error",))
    for _ in range(5):
        engine.observe(old, START)
    assert engine.tick(START) == []
    assert engine.late == 5


def test_slices_have_charts_of_their_own(state: AlertState) -> None:
    engine = AlertEngine(one_rule(rate="gate/injection", by="version"), state)
    traffic = Traffic(engine, rng=random.Random(8))
    traffic.run(5, 0.04)
    changes = traffic.run(0.5, 0.04, bad_version=0.7)
    assert [(each.kind, each.alert.slice) for each in changes] == [("fired", {"version": "v2"})]
    assert {each.slice["version"] for each in engine.limits(traffic.time)} == {"v1", "v2"}
