"""Puts random and hostile texts before every gate: none may break a gate, be let through unread, or take long.

Run ``python -m benchmarks.guard_fuzz [--count 100000] [--seed 1] [--processes 2] [--out FILE]``. A verdict that a
broken gate led to counts as a failure, and so does one that took more than 50 ms for each KB; a text of less than a KB
counts as one. The time is what passed, or the CPU time of all threads where that is less. What a process loads once
(lists, patterns, networks) is loaded by texts beforehand that do not count. Both times grow when others use the same
cores, so a text that took too long is put up to three times more at the end, in one new process and behind the texts
that stand before it, and the shortest time counts. What each chunk came to is added to the file; with the same seed
and file a run that was cut off goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.hostile_texts import hostile
from proctor.core.chat import ToolCall
from proctor.core.trajectory import Source
from proctor.guard.step import Step
from proctor.wiring.guard import Guard

__all__ = ["Outcome", "main", "put"]

CONFIG = """
guard:
  timeout: 300
  input: [pii, injection, danger, premises, {banned: ["forbidden phrase"]}]
  tool_call:
    - permissions: {matrix: {browsing: [get_tips, "search_*"]}}
    - arguments: {tools: {"*": {limits: {amount: 100}}}}
    - rate: {}
  tool_result: [injection, pii]
  output: [pii, commitments, citations, grounding, {leak: {prompt: "You are the desk agent. Never approve a refund."}}]
"""
_PER_KB = 0.050
_CHUNK = 500
_WORST = 10
_KINDLING = 400
_AGAIN = 3  # times that a late text is put once more, at most
_LEAD = 12  # texts before it that are put too, and do not count
_JAPANESE = "返金は三日以内に承認されました。"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one text: how many milliseconds it took for each KB, and whether it broke a gate."""

    number: int
    kind: str
    point: str
    kilobytes: float
    per_kilobyte: float
    action: str
    trouble: str = ""
    begins: str = ""

    @property
    def slow(self) -> bool:
        """Whether it took longer than it may."""
        return self.per_kilobyte > 1000 * _PER_KB


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, help="where each chunk is noted; a run with the same file goes on")
    options = parser.parse_args()
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        out = options.out or Path(folder) / "chunks.jsonl"
        done = _read(out, options.seed)
        todo = [
            (options.seed, first, min(_CHUNK, options.count - first))
            for first in range(0, options.count, _CHUNK)
            if first not in done
        ]
        with ProcessPoolExecutor(options.processes) as pool, out.open("a", encoding="utf-8") as file:
            for chunk in pool.map(_work, todo):
                file.write(json.dumps(chunk) + "\n")
                file.flush()
                print(f"{chunk['first'] + chunk['count']:,}", end=" ", file=sys.stderr, flush=True)
        _put_again(out, options.seed)
        chunks = [each for first, each in sorted(_read(out, options.seed).items()) if first < options.count]
    return _tell(chunks, time.perf_counter() - begin)


def _put_again(out: Path, seed: int) -> None:
    """Note the chunks with late texts once more, each such text with the shortest of its times."""
    late = [each for each in _read(out, seed).values() if any("again" not in one for one in each["late"])]
    with ProcessPoolExecutor(1) as pool, out.open("a", encoding="utf-8") as file:
        shares = [(seed, each["first"], each["count"], [one["number"] for one in each["late"]]) for each in late]
        for chunk, again in zip(late, pool.map(_work_again, shares), strict=True):
            for one in chunk["late"]:
                one["again"] = again[one["number"]]
                one["per_kilobyte"] = min(one["per_kilobyte"], one["again"])
            file.write(json.dumps(chunk) + "\n")


def _work_again(share: tuple[int, int, int, Collection[int]]) -> Mapping[int, float]:
    """Milliseconds for each KB of some texts of a chunk, by their numbers."""
    seed, first, count, numbers = share
    _kindle()
    least: dict[int, float] = {}
    for _ in range(_AGAIN):
        late = {number for number in numbers if least.get(number, math.inf) > 1000 * _PER_KB}
        lead = {each for number in late for each in range(number - _LEAD, number + 1)}
        for each in asyncio.run(put(seed, first, count, only=lead)) if late else ():
            least[each.number] = min(each.per_kilobyte, least.get(each.number, each.per_kilobyte))
    return {number: least[number] for number in numbers}


def _read(out: Path, seed: int) -> dict[int, Mapping[str, Any]]:
    """The chunks of this seed that are noted already, by the number of their first text; the last note counts."""
    if not out.exists():
        return {}
    lines = (line for line in out.read_text(encoding="utf-8").splitlines() if line.endswith("}"))
    return {each["first"]: each for each in map(json.loads, lines) if each["seed"] == seed}


def _work(share: tuple[int, int, int]) -> Mapping[str, Any]:
    """One chunk, told in figures: a line of JSON."""
    seed, first, count = share
    _kindle()
    begin = time.process_time()
    found = asyncio.run(put(seed, first, count))
    late = [each for each in found if each.slow]
    in_time = sorted((each for each in found if not each.slow), key=lambda each: -each.per_kilobyte)
    most = {each.kind: each.per_kilobyte for each in reversed(in_time)}
    return {
        "seed": seed,
        "first": first,
        "count": len(found),
        "cpu": round(time.process_time() - begin, 2),
        "kilobytes": round(sum(each.kilobytes for each in found), 1),
        "actions": Counter(each.action for each in found),
        "most": most,
        "late": [asdict(each) for each in late],
        "broken": [asdict(each) for each in found if each.trouble],
        "worst": [asdict(each) for each in in_time[:_WORST]],
    }


@cache
def _kindle() -> None:
    """Put some texts before the gates that do not count, once in each process."""
    asyncio.run(put(0, 1, _KINDLING))
    gc.collect()
    gc.freeze()  # so that what was loaded is not looked through again and again while others are timed


async def put(seed: int, first: int, count: int, only: Collection[int] | None = None) -> list[Outcome]:
    """Put so many texts before the gates, or only those with some numbers, each at one of the four points."""
    dice = random.Random(f"{seed} {first}")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proctor.yaml"
        path.write_text(CONFIG, encoding="utf-8")
        async with Guard.from_config(path, record=False, reload=False) as guard:
            await guard.warm()
            if not seed:  # a language of its own loads what no other needs
                await guard.check(Step(point="output", text=_JAPANESE, sources=(Source(id="s", text=_JAPANESE),)))
            for number, (kind, text) in enumerate(hostile(dice, first, count), first):
                step = _step(dice, text)
                if only is not None and number not in only:
                    continue
                begin, used = time.perf_counter(), time.process_time()
                verdict = await guard.check(step)
                spent = min(time.perf_counter() - begin, time.process_time() - used)
                size = len(text.encode("utf-8", "surrogatepass")) / 1024
                found.append(
                    Outcome(
                        number=number,
                        kind=kind,
                        point=step.point,
                        kilobytes=round(size, 2),
                        per_kilobyte=round(1000 * spent / max(1.0, size), 1),
                        action=verdict.action,
                        trouble=verdict.reason if verdict.broken else "",
                        begins=ascii(text[:40]),
                    )
                )
    return found


def _step(dice: random.Random, text: str) -> Step:
    point = dice.choice(("input", "input", "tool_call", "tool_result", "output"))
    if point == "tool_call":
        name = dice.choice(("get_tips", "search_products", text[:200]))
        call = ToolCall(
            name=name, arguments={text[:50]: text, "amount": dice.choice((1, 1e308, text[:9], None, [text]))}
        )
        return Step(point="tool_call", call=call, intents=dice.choice((("browsing",), (text[:80],), ())))
    if point == "tool_result":
        return Step(point="tool_result", text=text, call=ToolCall(name="get_tips"))
    if point == "output":
        return Step(
            point="output", text=text, sources=(Source(id="s", text=text[::-1]), Source(id=text[:30], text=text))
        )
    return Step(point="input", text=text)


def _tell(chunks: Sequence[Mapping[str, Any]], wall: float) -> int:
    """Print what all chunks came to; 1 when anything broke or took too long."""
    count, cpu = sum(each["count"] for each in chunks), sum(each["cpu"] for each in chunks)
    broken = [one for each in chunks for one in each["broken"]]
    late = [one for each in chunks for one in each["late"]]
    slow = [one for one in late if one["per_kilobyte"] > 1000 * _PER_KB]
    worst = sorted((*late, *(one for each in chunks for one in each["worst"])), key=lambda one: -one["per_kilobyte"])
    actions = ", ".join(f"{name} {many:,}" for name, many in _added(each["actions"] for each in chunks).most_common())
    most = worst[0]["per_kilobyte"] if worst else 0.0
    print("\n| texts | MB | broke a gate | over 50 ms a KB | put again | worst ms for a KB | CPU s | wall s |")
    print("|---|---|---|---|---|---|---|---|")
    megabytes = sum(each["kilobytes"] for each in chunks) / 1024
    cells = f"{count:,} | {megabytes:.0f} | {len(broken)} | {len(slow)} | {len(late)} | {most:.1f} | {cpu:.0f}"
    print(f"| {cells} | {wall:.0f} |\n\nverdicts: {actions}")
    kinds = Counter(f"{one['kind']}, {one['point']}" for one in slow)
    for name, many in kinds.most_common():
        print(f"over the time: {name}: {many}")
    print("worst ms for a KB: " + ", ".join(f"{kind} {value:.0f}" for kind, value in _by_kind(chunks)))
    for one in (*broken[:_WORST], *worst[:_WORST]):
        told = f"{one['per_kilobyte']:.1f} ms a KB, {one['kind']}, {one['point']}, {one['kilobytes']} KB"
        print(f"- text {one['number']}: {told}, {one['action']}: {one['begins']} {one['trouble']}")
    return 1 if broken or slow else 0


def _by_kind(chunks: Sequence[Mapping[str, Any]]) -> list[tuple[str, float]]:
    """The longest time of each kind of text, the longest first."""
    most: dict[str, float] = {}
    pairs = [pair for each in chunks for pair in each["most"].items()]
    for kind, value in (*pairs, *((one["kind"], one["per_kilobyte"]) for each in chunks for one in each["late"])):
        most[kind] = max(value, most.get(kind, 0.0))
    return sorted(most.items(), key=lambda pair: -pair[1])


def _added(many: Iterable[Mapping[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in many:
        total.update(each)
    return total


if __name__ == "__main__":
    sys.exit(main())
