"""CPU time of the gate ``provenance`` for a call in a long session: ``python -m benchmarks.provenance_speed``.

Each of fifty turns has a message, a record with a note of sixty words, and an answer. ``known`` are further calls of a
turn. ``new`` are the first calls after a message and a result that the gate has not met before.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from benchmarks.guard_gates import gate, spread
from proctor.core.chat import ToolCall
from proctor.guard.session_memory import Memory
from proctor.guard.step import Step

__all__ = ["main"]

TURNS: Final = 50
LAST: Final = 10  # turns of each session that are measured
WORDS: Final = ("booking", "hotel", "flight", "refund", "price", "room", "night", "please", "desk", "Paris", "status")
CALLS: Final[tuple[tuple[str, Callable[[int], dict[str, Any]]], ...]] = (
    ("cancel_booking", lambda at: {"booking_id": f"B-{1000 + at}"}),
    ("refund", lambda at: {"booking_id": f"B-{1000 + at}", "amount": 95}),
    ("update_booking", lambda at: {"booking_id": f"B-{1000 + at}", "date": "2026-04-11"}),
    ("transfer", lambda _: {"to": "GB29NWBK60161331926819", "amount": 50}),
    ("send_email", lambda at: {"to": f"user{at}@shop.example", "subject": "Booking", "body": " ".join(WORDS)}),
)


def turn(dice: random.Random, at: int) -> tuple[str, ToolCall]:
    """A message, and a call with its result: data or JSON, by turns."""
    record = {
        "id": f"B-{1000 + at}",
        "name": "Ann Corner",
        "email": f"user{at}@shop.example",
        "price": dice.randint(10, 999),
        "date": f"2026-03-{1 + at % 28:02d}",
        "note": " ".join(dice.choice(WORDS) for _ in range(60)) + ".",
    }
    asked = f"Please cancel or change booking B-{1000 + at} and refund it, " + " ".join(dice.choices(WORDS, k=20))
    result = record if at % 2 else json.dumps(record)
    return asked, ToolCall(name="get_booking", arguments={"id": record["id"]}, result=result)


async def measure(sessions: int, *, ahead: bool = False) -> tuple[list[float], list[float]]:
    """Return the CPU seconds of calls in a known session, and of first calls after something new.

    With ``ahead`` the gate has read what is new before, as it does in a session while the agent thinks.
    """
    first = sessions if ahead else 0  # other sessions: what was asked in the first ones is known
    dice = random.Random(3 + first)
    checked = gate("provenance")
    new: list[float] = []
    known: list[float] = []
    for number in range(first, first + sessions):
        memory = Memory()
        for at in range(TURNS):
            asked, call = turn(dice, 100 * number + at)
            memory.asked.append(asked)
            memory.calls.append(call)
            memory.said.append("Done. " + " ".join(dice.choices(WORDS, k=40)))
            if ahead:
                deque(checked.ahead(Step(point="tool_call", memory=memory)), maxlen=0)
            seconds = [await _timed(checked, memory, dice, 100 * number + at) for _ in range(4)]
            if at >= TURNS - LAST:
                new.append(seconds[0])
                known += seconds[1:]
    return known, new


async def _timed(checked: Any, memory: Memory, dice: random.Random, at: int) -> float:
    name, arguments = CALLS[dice.randrange(len(CALLS))]
    step = Step(point="tool_call", call=ToolCall(name=name, arguments=arguments(at)), memory=memory)
    start = time.process_time()
    await checked.check(step)
    return time.process_time() - start


def main() -> int:
    """Print both distributions."""
    known, new = asyncio.run(measure(20))
    _, prepared = asyncio.run(measure(20, ahead=True))
    print(f"provenance, a session of {TURNS} turns")
    print(f"  known {spread(known, 'µs')}")
    print(f"  new   {spread(new, 'µs')}")
    print(f"  new, read ahead   {spread(prepared, 'µs')}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
