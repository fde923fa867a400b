"""How long the gates take: each point's chain, gate by gate and part by part; with ``--peers`` beside other detectors.

Run ``python -m benchmarks.guard --data FOLDER [--peers]``; what it prints is markdown. Peers are installed when they
are first wanted, and asked about the same messages in turn in the same run. Every text is new to the models: nothing
is answered from what they remember. CPU time is of the whole process, all threads.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.guard_parts import print_parts, two
from benchmarks.peers.beside import print_beside
from proctor.core.chat import ToolCall
from proctor.core.trajectory import Source, Turn
from proctor.guard.session import Session
from proctor.guard.step import Step
from proctor.wiring.guard import Guard

__all__ = ["CUSTOMERS", "PERSONAL", "Times", "drafts", "grounded", "main", "messages"]

_SUPPORT = {"bitext/test": 250, "banking77/test": 190, "clinc150/test": 60}
_PII = 100
_WRITES = 0.05  # seconds; a model that writes an answer takes longer
CUSTOMERS, PERSONAL = "support messages", "sentences with personal data"
_MATRIX = {
    "policy_inquiry": ["get_policy", "get_faq", "get_product_info"],
    "booking_management": ["+policy_inquiry", "get_booking", "modify_booking"],
}
_TOOLS = """
guard:
  tool_call:
    - permissions: {matrix: %s}
    - arguments: {tools: {modify_booking: {allowed: {action: [cancel, change_date]}, limits: {travellers: 8}}}}
    - rate: {}
"""


@dataclass(slots=True)
class Times:
    """Milliseconds of the whole and of each gate, and of the processor."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    parts: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    actions: list[str] = field(default_factory=list)

    def only(self, places: Sequence[int]) -> Times:
        """The same for some of the steps."""
        return Times(
            wall=[self.wall[place] for place in places],
            cpu=[self.cpu[place] for place in places],
            parts={name: [values[place] for place in places] for name, values in self.parts.items()},
            actions=[self.actions[place] for place in places],
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("PROCTOR_DATA", "../shared/data"))  # noqa: TID251
    parser.add_argument("--peers", action="store_true", help="beside other local detectors")
    parser.add_argument("--seconds", type=float, default=180.0, help="that one detector may take in all")
    parser.add_argument("--count", type=int, default=600, help="messages, a sixth of them around personal data")
    options = parser.parse_args()
    data = Path(options.data)
    texts = messages(data)[: options.count]
    print(f"{len(texts)} messages; load average {os.getloadavg()[0]:.1f} before\n", flush=True)
    times = asyncio.run(_ours(texts, options.count, data))
    print("| point | n | wall ms p50 | p95 | CPU ms p50 | p95 | decided |\n|---|---|---|---|---|---|---|")
    for point, each in times.items():
        told = ", ".join(f"{count} {action}" for action, count in sorted(Counter(each.actions).items()))
        print(f"| {point} | {len(each.wall)} | {two(each.wall)} | {two(each.cpu)} | {told} |")
    print("\n| point | gate | wall ms p50 | p95 |\n|---|---|---|---|")
    for point, each in times.items():
        for gate, milliseconds in each.parts.items():
            print(f"| {point} | {gate} | {two(milliseconds)} |")
        if point == "tool_call":  # gates of plain code are asked one after the other: what is left is the chain's own
            rest = [whole - sum(some) for whole, *some in zip(each.wall, *each.parts.values(), strict=True)]
            print(f"| {point} | the guard itself | {two(rest)} |")
    print_parts({name: [text for other, text in texts if other == name] for name in (CUSTOMERS, PERSONAL)})
    if options.peers:
        some = [(name == PERSONAL, text) for name, text in texts]
        print_beside(some, data, share=min(1.0, options.count / 600), seconds=options.seconds)
    return 0


def messages(data: Path) -> list[tuple[str, str]]:
    """Messages of others by where they come from, a sixth around personal data; made ones where there is no data."""
    dice = random.Random(7)
    found: list[tuple[str, str]] = []
    for name, count in _SUPPORT.items():
        path = data / "intent" / f"{name}.jsonl.gz"
        if path.exists():
            found += [(CUSTOMERS, text) for text in dice.sample(list(_texts(path)), count)]
    rows = data / "pii" / "presidio_research" / "synth_dataset_v2.json"
    if rows.exists():
        written = dice.sample(json.loads(rows.read_text(encoding="utf-8")), _PII)
        found += [(PERSONAL, row["full_text"]) for row in written]
    if not found:
        found = [(CUSTOMERS, f"Where is my order {n}, and when will it arrive? I am Anna Berg.") for n in range(600)]
    dice.shuffle(found)
    return found


def _texts(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            yield row.get("text") or row["utterance"]


async def drafts(count: int = 400, seed: int = 3) -> list[tuple[Turn, tuple[Source, ...]]]:
    """Answers that the travel desk really gave, each once, with the sources they rest on."""
    from examples.travel_desk.lantern.stories import Teller

    seen: dict[str, tuple[Turn, tuple[Source, ...]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        teller = Teller(database=Path(folder) / "office.db", settings={"brain": "careful"}, seed=seed)
        stories = [await teller.tell(number) for number in range(1, count + 1)]
    for run in (run for story in stories for run in story.conversations):
        for turn in run.turns:
            if turn.answer.strip():
                seen.setdefault(turn.answer, (turn, turn.sources))
    return list(seen.values())


def grounded(data: Path, count: int = 250) -> list[tuple[str, Source]]:
    """Answers in conversations with the passage they should rest on, written by others."""
    path = data / "grounding" / "train.jsonl.gz"
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row["source"] == "begin/dev"]
    picked = random.Random(7).sample(rows, min(count, len(rows)))
    return [(row["response"], Source(id="passage", text=row["context"])) for row in picked]


async def _ours(texts: Sequence[tuple[str, str]], count: int, data: Path) -> dict[str, Times]:
    made: dict[str, Times] = {}
    async with Guard.from_config(_config(""), record=False) as guard:
        await guard.warm()
        for text in ("Where is my parcel, please?", "I am Bo Lund, call 212-555-0142"):
            await guard.check(Step(point="input", text=text))
        made["input"] = await _timed(guard, [Step(point="input", text=text) for _, text in texts])
        for name in dict.fromkeys(name for name, _ in texts):
            made[f"… {name}"] = made["input"].only([place for place, (other, _) in enumerate(texts) if other == name])
        steps = []
        for turn, sources in (await drafts())[:count]:
            memory = guard.session().memory
            memory.asked.append(turn.asked)
            memory.calls.extend(turn.tool_calls)
            steps.append(Step(point="output", text=turn.answer, sources=sources, memory=memory))
        read = [Step(point="output", text=answer, sources=(source,)) for answer, source in grounded(data)]
        await _timed(guard, [*steps[:3], *read[:3]])
        made["output, travel desk, at once"] = await _timed(guard, steps[3:])
        made["output, travel desk, its tools' results told before"] = await _told_before(guard, count)
        if read:
            made["output, a passage of 160 words"] = await _timed(guard, read[3:])
    async with Guard.from_config(_config(_TOOLS % json.dumps(_MATRIX)), record=False) as guard:
        calls = [
            ToolCall(
                name="modify_booking", arguments={"booking_id": f"LT-{n}", "action": "cancel", "travellers": n % 9}
            )
            for n in range(count)
        ]
        tools = [Step(point="tool_call", call=call, intents=("booking_management",)) for call in calls]
        await _timed(guard, tools[:50])
        made["tool_call"] = await _timed(guard, tools)
    return made


async def _told_before(guard: Guard, count: int) -> Times:
    """Answers of other stories, as in a conversation: what tools say is told at once, and then the agent writes."""
    times = Times()
    for turn, sources in (await drafts(seed=4))[:count]:
        session = guard.session()
        session.memory.asked.append(turn.asked)
        for call in turn.tool_calls:
            if call.result is not None:
                await session.tool_result(call.name, call.result, call.arguments, id=call.id)
        await asyncio.sleep(_WRITES)
        await _time(times, session, Step(point="output", text=turn.answer, sources=sources))
    return times


def _config(text: str) -> Path:
    path = Path(tempfile.mkdtemp()) / "proctor.yaml"
    path.write_text(text, encoding="utf-8")
    return path


async def _timed(guard: Guard, steps: Sequence[Step]) -> Times:
    times = Times()
    for step in steps:
        await _time(times, guard, step)
    return times


async def _time(times: Times, asked: Guard | Session, step: Step) -> None:
    begin, cpu = time.perf_counter_ns(), time.process_time_ns()
    decision = await asked.decide(step)
    times.cpu.append((time.process_time_ns() - cpu) / 1e6)
    times.wall.append((time.perf_counter_ns() - begin) / 1e6)
    times.actions.append(decision.verdict.action)
    for part in decision.parts:
        times.parts[part.gate].append(1000 * (part.latency or 0.0))


if __name__ == "__main__":
    sys.exit(main())
