"""The alert engine itself over simulated weeks without an incident: every event, every tick, from a cold start.

python -m benchmarks.monitor.alert_engine [--weeks 3] [--peak 30] [--seed 1]
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from benchmarks.monitor.alerts import DEFAULTS, MONDAY, seasonal, shape
from proctor.core.event_row import EventRow
from proctor.monitor.alert_engine import AlertEngine
from proctor.monitor.alert_rules import rules_of
from proctor.store.alert_state import AlertState

SIGNALS = {"hallucination": "gate/citations", "injection": "gate/injection", "escalation": "escalation"}


def pages(weeks: float, peak: float, seed: int) -> tuple[int, int]:
    """Return how many events there were, and how many pages."""
    rng = random.Random(seed)
    turns = shape(peak) / 3600
    rates = {SIGNALS[name]: seasonal(rate) for name, rate in DEFAULTS.items()}
    found = count = 0
    with tempfile.TemporaryDirectory() as folder, AlertState(Path(folder)) as state:
        engine = AlertEngine(rules_of({}), state, save_every=3600.0)
        now = tick = MONDAY
        while now < MONDAY + weeks * 604_800:
            hour = int((now - MONDAY) // 3600) % 168
            now += rng.expovariate(turns[hour])
            while tick < now:
                for change in engine.tick(tick):
                    state.mark_notified(change.alert.number, tick, change.kind)
                    if change.kind in ("fired", "no_data"):
                        found += 1
                        print(
                            f"day {(tick - MONDAY) / 86_400:.2f}: {change.alert.rule}: {change.alert.message}",
                            flush=True,
                        )
                tick += 60
            row = EventRow(
                line=b"",
                id=str(count),
                kind="turn",
                time=now,
                session=f"s{count}",
                intent=rng.choice("abc"),
                model="m",
                version="v1",
                latency=rng.lognormvariate(0, 0.5),
                signals=tuple(name for name, rate in rates.items() if rng.random() < rate[hour]),
            )
            engine.observe(row, now + 1)
            count += 1
        for limit in engine.limits(now):
            print(f"{limit.rule}: {limit.text}")
    return count, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weeks", type=float, default=3)
    parser.add_argument("--peak", type=float, default=30.0, help="turns a minute at the busiest hour")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.process_time()
    events, found = pages(options.weeks, options.peak, options.seed)
    seconds = time.process_time() - started
    print(f"{options.weeks:g} weeks, {events:,} events, {found} pages, {seconds:.0f} CPU seconds")


if __name__ == "__main__":
    main()
