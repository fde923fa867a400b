from __future__ import annotations

import threading
from dataclasses import dataclass

import pytest

from proctor.text.cached_property import once

PLENTY = 30.0  # seconds: more than any test takes


@dataclass(frozen=True, kw_only=True)
class Thing:
    wait: threading.Event | None = None
    asked: list[int]

    @once
    def size(self) -> int:
        """How large it is."""
        self.asked.append(1)
        if self.wait is not None:
            assert self.wait.wait(PLENTY)
        return len(self.asked)


def test_it_is_worked_out_once() -> None:
    thing = Thing(asked=[])
    assert (thing.size, thing.size, thing.asked) == (1, 1, [1])
    assert Thing.size.__doc__ == "How large it is."


def test_one_that_takes_long_holds_up_no_other() -> None:
    wait = threading.Event()
    slow = Thing(wait=wait, asked=[])
    thread = threading.Thread(target=lambda: slow.size)
    quick: list[int] = []
    other = threading.Thread(target=lambda: quick.append(Thing(asked=[]).size))
    thread.start()
    while not slow.asked:
        pass
    other.start()
    other.join(PLENTY)
    still = thread.is_alive()
    wait.set()
    thread.join(PLENTY)
    assert still
    assert quick == [1]
    assert slow.size == 1


def test_two_threads_that_ask_for_the_same_have_it_worked_out_once() -> None:
    wait = threading.Event()
    slow = Thing(wait=wait, asked=[])
    seen: list[int] = []
    threads = [threading.Thread(target=lambda: seen.append(slow.size)) for _ in range(4)]
    for thread in threads:
        thread.start()
    wait.set()
    for thread in threads:
        thread.join(PLENTY)
    assert (seen, slow.asked) == ([1] * 4, [1])


def test_what_fails_is_tried_again() -> None:
    class Fails:
        tried = 0

        @once
        def value(self) -> int:
            self.tried += 1
            if self.tried == 1:
                raise ValueError("not yet")
            return self.tried

    each = Fails()
    with pytest.raises(ValueError, match="not yet"):
        _ = each.value
    assert each.value == 2
