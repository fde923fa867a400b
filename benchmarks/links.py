"""Measures the gate ``links``: time per draft, and how many links of public answers it removes.

``python -m benchmarks.links [--data FOLDER]``. The folder is that of public data (default: PROCTOR_DATA or
../shared/data); without it only times are measured.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from proctor.core.chat import ToolCall
from proctor.core.trajectory import Source
from proctor.guard import host_imitation, session_values
from proctor.guard.gates.links import Links
from proctor.guard.session_memory import Memory
from proctor.guard.step import Step
from proctor.text.link_syntax import find_links

_BLIND = Path(__file__).parent / "blind" / "answers" / "dev.jsonl"
_ANSWERS = (  # file, field of the question, fields of answers
    ("quality/llmbar/all", ("input",), ("output_1", "output_2")),
    ("quality/autoj/pairwise_test", ("prompt",), ("response 1", "response 2")),
    ("quality/autoj/critique_test", ("prompt",), ("response",)),
    ("quality/pandalm/testset", ("instruction", "input"), ("response1", "response2")),
)


def main() -> None:
    """Print the times, then the figures on public answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("PROCTOR_DATA", "../shared/data")))  # noqa: TID251
    parser.add_argument("--rounds", type=int, default=20)
    asked = parser.parse_args()
    asyncio.run(times(asked.rounds))
    if asked.data.is_dir():
        asyncio.run(answers(asked.data))


async def times(rounds: int) -> None:
    """Time drafts without links, with known ones and with bad ones, in a short and in a long session."""
    items = [json.loads(line) for line in _BLIND.read_text("utf-8").splitlines()]
    groups = {
        "no link": [item for item in items if item["kind"] != "link"],
        "link, sent": [item for item in items if item["kind"] == "link" and item["label"] == "send"],
        "link, stopped": [item for item in items if item["kind"] == "link" and item["label"] == "stop"],
    }
    for length, calls in (("1 turn", ()), ("50 turns", _long_session())):
        for name, some in groups.items():
            for cold in (True, False):
                spent = await _timed(some, calls, rounds, cold=cold)
                spent.sort()
                print(
                    f"{length:9} {name:14} {'new texts' if cold else 'same texts'}: n {len(spent)}, "
                    f"p50 {1000 * median(spent):.3f} ms, p95 {1000 * spent[int(0.95 * len(spent))]:.3f} ms"
                )


async def _timed(items: Sequence[Any], calls: Sequence[ToolCall], rounds: int, *, cold: bool) -> list[float]:
    spent = []
    for item in items:
        gate = Links(hosts=tuple(item.get("hosts", ())))
        for _ in range(rounds):
            if cold:  # as for a session whose texts were never compared
                for cached in (session_values._squeezed, session_values._values, host_imitation.host_names):
                    cached.cache_clear()
            step = _step(item, calls)
            start = time.thread_time()
            await gate.check(step)
            spent.append(time.thread_time() - start)
    return spent


def _step(item: Any, calls: Sequence[ToolCall]) -> Step:
    memory = Memory(session="s-1", customer="c-17")
    memory.asked.append(item["customer"])
    memory.calls.extend(calls)
    sources = tuple(Source(id=str(place), text=text) for place, text in enumerate(item["sources"]))
    return Step(point="output", text=item["draft"], sources=sources, memory=memory)


def _long_session() -> tuple[ToolCall, ...]:
    """Fifty results of about 800 characters with ids, names and addresses."""
    made = []
    for turn in range(50):
        rows = [
            {
                "id": f"B-{turn:02}{row}71",
                "holder": f"Guest {turn} {row}",
                "page": f"https://shop.example/b/{turn}{row}",
            }
            for row in range(9)
        ]
        made.append(ToolCall(name="search", arguments={"page": turn}, result={"rows": rows}))
    return tuple(made)


async def answers(data: Path) -> None:
    """Count the public answers with links, and those of which one is removed, without any configured host."""
    gate, counts = Links(), Counter[str]()
    for question, answer in _public(data):
        counts["answers"] += 1
        if not find_links(answer):
            continue
        counts["with links"] += 1
        memory = Memory()
        memory.asked.append(question)
        verdict = await gate.check(Step(point="output", text=answer, memory=memory))
        counts["one removed"] += verdict.action != "allow"
        for found in verdict.findings:
            counts[f"finding {found.kind}"] += 1
    print(", ".join(f"{name} {count}" for name, count in counts.items()))


def _public(data: Path) -> Iterator[tuple[str, str]]:
    for name, asked, given in _ANSWERS:
        path = data / f"{name}.jsonl.gz"
        for line in gzip.decompress(path.read_bytes()).decode().splitlines() if path.exists() else ():
            row = json.loads(line)
            question = "\n".join(str(row.get(field) or "") for field in asked)
            yield from ((question, row[field]) for field in given if isinstance(row.get(field), str))


if __name__ == "__main__":
    main()
