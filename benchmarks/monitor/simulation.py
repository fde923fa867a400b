"""How fast traffic is simulated, and whether the rates that come out are those that went in.

`python -m benchmarks.monitor.simulation` prints events per second of CPU time and the rates of a simulated week.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterable

from benchmarks.monitor.minute_counts import minute_counts
from proctor.core.event_row import row_of
from proctor.monitor.simulation.manga_store import manga_store
from proctor.monitor.simulation.traffic import simulate
from proctor.monitor.simulation.traffic_truth import TrafficTruth
from proctor.monitor.simulation.travel_desk import travel_desk

__all__ = ["main"]


def _rate(make: Callable[[], Iterable[object]]) -> tuple[int, float]:
    begun = time.process_time()
    count = sum(1 for _ in make())
    return count, count / (time.process_time() - begun)


def main() -> None:
    """Measure, and print a table."""
    day = travel_desk(hours=24)
    bare = travel_desk(hours=24, texts=False)
    print("what                                    events   per CPU second")
    for name, make in (
        ("travel desk, texts in four languages", lambda: simulate(day)),
        ("manga store, texts in two languages", lambda: simulate(manga_store(hours=24))),
        ("travel desk, without texts", lambda: simulate(bare)),
        ("travel desk, as rows of the log", lambda: map(row_of, simulate(day))),
    ):
        count, rate = _rate(make)
        print(f"{name:<38} {count:>7,}   {rate:>14,.0f}")
    year = travel_desk(hours=24 * 28)
    begun = time.process_time()
    turns = sum(each.turns for each in minute_counts(year))
    print(f"counts by minute, four weeks: {turns:,} turns in {time.process_time() - begun:.1f} s of CPU time")

    truth = TrafficTruth(keep=False)
    tracemalloc.start()
    for _ in simulate(travel_desk(hours=24 * 7, turns_per_minute=5, texts=False), 5, truth=truth):
        pass
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"\na week at 5 turns a minute: at most {most / 1e6:.1f} MB at a time")
    print("intent               wrong answers       hand-offs      (asked for)")
    for intent in day.intents:
        wrong = truth.share("wrong", of="turns", intent=intent.name)
        over = truth.share("escalated", intent=intent.name)
        print(
            f"{intent.name:<18} {100 * (wrong.value or 0):5.1f} % of turns   {100 * (over.value or 0):5.1f} % of talks"
            f"   ({100 * intent.hallucination:.0f} %, {100 * intent.escalation:.0f} %)"
        )


if __name__ == "__main__":
    main()
