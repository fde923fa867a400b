"""Scores many recorded conversations offline in one run: throughput, memory as it grows, and cost by their length.

Run ``python -m benchmarks.conversations [--sizes 1000 10000] [--turns 12 25 50 100 200] [--times 3] [--light]
[--scorer NAME]``.
The conversations are made here: a customer asks about orders, an agent looks them up with a tool and answers; in every
tenth it later says another number than before. No language model is asked; without --light the models that ship are.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.processes import Measured, measure
from benchmarks.project import proctor
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore

__all__ = ["main", "written"]

_THINGS = (
    "parcel",
    "refund",
    "voucher",
    "gift card",
    "preorder",
    "box set",
    "invoice",
    "subscription",
    "repair",
    "spare part",
)
_PLACES = ("Osaka", "Lyon", "Porto", "Leeds", "Kyoto", "Oslo", "Graz", "Turin", "Bergen", "Sendai")
_ASKED = (
    "How long does the {thing} to {place} take?",
    "When will my {thing} get to {place}?",
    "I also have a {thing} for {place}. How many days is that?",
    "And the {thing} that goes to {place}?",
)
_TOLD = (
    "The {thing} to {place} takes {days} days.",
    "Your {thing} gets to {place} within {days} days.",
    "It takes {days} days until the {thing} is in {place}.",
)
_THANKS = ("Thank you, that helps.", "Good to know.", "Fine with me.", "All right.")
_WELCOME = ("You are welcome.", "Gladly.", "Is there anything else I can help with?", "Let me know if you need more.")
_CLEAN, _WRONG = "clean", "changed"


def written(count: int, turns: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    """A log of conversations, as an agent on OpenAI's API would keep it; ids say which of them were made wrong."""
    dice = random.Random(seed)
    for number in range(count):
        wrong = number % 10 == 9
        yield {
            "id": f"{_WRONG if wrong else _CLEAN}-{number}",
            "messages": [
                {"role": "system", "content": "You answer questions about deliveries."},
                *_talk(dice, turns, wrong),
            ],
        }


def _talk(dice: random.Random, turns: int, wrong: bool) -> Iterator[dict[str, Any]]:
    told: dict[tuple[str, str], int] = {}
    pairs = [(thing, place) for thing in _THINGS for place in _PLACES]
    dice.shuffle(pairs)
    first = pairs[0]
    for turn in range(turns):
        last = turn == turns - 1
        if turn % 3 == 2 and not last:
            yield {"role": "user", "content": dice.choice(_THANKS)}
            yield {"role": "assistant", "content": dice.choice(_WELCOME)}
            continue
        thing, place = first if last else pairs[turn % len(pairs)]
        days = told.setdefault((thing, place), dice.randint(2, 40))
        said = days + dice.randint(3, 9) if wrong and last else days
        call = {"name": "delivery_time", "arguments": json.dumps({"thing": thing, "place": place})}
        yield {"role": "user", "content": dice.choice(_ASKED).format(thing=thing, place=place)}
        yield {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": f"call-{turn}", "type": "function", "function": call}],
        }
        yield {"role": "tool", "tool_call_id": f"call-{turn}", "content": json.dumps({"days": days})}
        yield {"role": "assistant", "content": dice.choice(_TOLD).format(thing=thing, place=place, days=said)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What one run took, and what became of the conversations."""

    ran: Measured
    found: int
    wrong: int
    alarms: int
    clean: int
    unscored: int
    journal: float


def scored(count: int, turns: int, flags: Sequence[str]) -> Scored:
    """Score so many conversations of so many turns.

    Raises:
        RuntimeError: the run did not come to its end.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "log.jsonl").open("w", encoding="utf-8") as file:
            for row in written(count, turns):
                file.write(json.dumps(row) + "\n")
        ran = measure(proctor("score", "log.jsonl", "-q", *flags), folder=folder)
        if ran.code not in (0, 1, 3) or "Traceback" in ran.errors:
            raise RuntimeError(f"{count} conversations: ended with {ran.code}\n{ran.errors}{ran.output}")
        with RunStore(folder / ".proctor") as store:
            run = store.find("last")
            failed = RunReader(store, run).case_ids("fail")
            unscored = RunReader(store, run).case_ids("unscored")
            journal = store.journal_of(run.id).stat().st_size / 1e6
    wrong = sum(1 for number in range(count) if number % 10 == 9)
    found = sum(1 for each in failed if each.startswith(_WRONG))
    return Scored(
        ran=ran,
        found=found,
        wrong=wrong,
        alarms=len(failed) - found,
        clean=count - wrong,
        unscored=len(unscored),
        journal=journal,
    )


def main() -> int:
    """Score runs of growing size, then conversations of growing length, and print what each took."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--sizes", type=int, nargs="*", default=[1000, 10000])
    ask.add_argument("--length", type=int, default=12, help="turns of a conversation in the runs of growing size")
    ask.add_argument("--turns", type=int, nargs="*", default=[12, 25, 50, 100, 200])
    ask.add_argument("--each", type=int, default=20, help="conversations of the longest; of others as many turns")
    ask.add_argument("--times", type=int, default=1, help="measure each length so often, the smallest counts")
    ask.add_argument("--light", action="store_true")
    ask.add_argument("--scorer", action="append", default=[])
    told = ask.parse_args()
    flags = [*(["--light"] if told.light else []), *(word for name in told.scorer for word in ("--scorer", name))]
    if told.sizes:
        print(
            f"| conversations of {told.length} turns | wall s | CPU ms each | a second | peak MB | journal MB "
            "| contradictions found | false alarms | not judged |\n|" + "---|" * 9
        )
    for size in told.sizes:
        got = scored(size, told.length, flags)
        print(
            f"| {size:,} | {got.ran.wall:.0f} | {1000 * got.ran.cpu / size:.1f} | {size / got.ran.wall:.0f} "
            f"| {got.ran.peak:.0f} | {got.journal:.0f} | {got.found} of {got.wrong} | {got.alarms} of {got.clean} "
            f"| {got.unscored} |",
            flush=True,
        )
    if told.turns:
        # What the program takes before the first conversation.
        start = min(scored(1, 1, flags).ran.cpu for _ in range(told.times))
        print("\n| turns | conversations | CPU ms a turn | peak MB | contradictions found |\n|" + "---|" * 5)
    # As many turns of every length, so that the start weighs the same; and round by round, so that what else the
    # machine does falls on every length alike.
    counts = {turns: told.each * max(told.turns) // turns for turns in told.turns}
    rounds = [{turns: scored(count, turns, flags) for turns, count in counts.items()} for _ in range(told.times)]
    for turns, count in counts.items():
        got = min((each[turns] for each in rounds), key=lambda each: each.ran.cpu)
        a_turn = 1000 * (got.ran.cpu - start) / (count * turns)
        print(f"| {turns} | {count} | {a_turn:.2f} | {got.ran.peak:.0f} | {got.found} of {got.wrong} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
