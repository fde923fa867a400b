from __future__ import annotations

import threading
import time
from collections.abc import Callable

from proctor.core.work_clock import WorkClock, processor_clock


class Idle:
    """Seconds of an event loop that has nothing to do, as a test sets them."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_what_others_do_meanwhile_is_not_counted() -> None:
    idle = Idle()
    clock = WorkClock(idle)
    time.sleep(0.02)  # the thread is with others: it is not idle
    assert clock.spent == 0.0
    idle.seconds = 3.0
    assert clock.spent == 3.0


def test_holding_the_thread_is_counted() -> None:
    clock = WorkClock(Idle())
    clock.hold()
    time.sleep(0.02)
    assert clock.spent >= 0.02
    clock.rest()
    held = clock.spent
    time.sleep(0.02)
    assert clock.spent == held


def test_time_in_a_queue_is_not_counted() -> None:
    idle = Idle()
    clock = WorkClock(idle)
    idle.seconds = 1.0
    with clock.queued():
        idle.seconds = 5.0
        assert clock.spent == 1.0
        with clock.queued():
            idle.seconds = 6.0
        idle.seconds = 7.0
    assert clock.spent == 1.0
    idle.seconds = 9.0
    assert clock.spent == 3.0


def test_work_for_several_counts_by_its_share() -> None:
    clock = WorkClock(Idle())
    with clock.queued():
        clock.begin_share("batch", 0.5)
        time.sleep(0.04)
        running = clock.spent
        assert running >= 0.02
        clock.begin_share("batch", 1.0)  # it is running already
        clock.end_share("batch")
        clock.end_share("batch")
    ended = clock.spent
    time.sleep(0.02)
    assert clock.spent == ended >= running


def test_the_clock_of_a_thread_can_be_read_when_the_thread_is_gone() -> None:
    clocks: list[Callable[[], float]] = []
    thread = threading.Thread(target=lambda: clocks.append(processor_clock()))
    thread.start()
    thread.join()
    clock = WorkClock()
    with clock.queued():
        clock.begin_share("batch", 1.0, clocks[0])
        assert clock.spent < 1
        clock.end_share("batch")
        assert clock.spent < 1
