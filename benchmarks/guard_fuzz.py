"""Puts random and hostile texts before every gate: none may break a gate, be let through unread, or take long.

Run ``python -m benchmarks.guard_fuzz [--count 100000] [--seed 1] [--processes 2]``. A verdict that a broken gate led to
counts as a failure, and so does one that took more than 50 ms for each KB (100 ms for less than two KB: one reading by
the networks on a busy machine). CPU time is counted, so that other work on the machine does not matter.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor.core.chat import ToolCall
from proctor.core.trajectory import Source
from proctor.guard.step import Step
from proctor.wiring.guard import Guard

__all__ = ["Outcome", "hostile", "main", "put"]

CONFIG = """
guard:
  timeout: 60
  input: [pii, injection, danger, premises, {banned: ["forbidden phrase"]}]
  tool_call:
    - permissions: {matrix: {browsing: [get_tips, "search_*"]}}
    - arguments: {tools: {"*": {limits: {amount: 100}}}}
    - rate: {}
  tool_result: [injection, pii]
  output: [pii, commitments, citations, grounding, {leak: {prompt: "You are the desk agent. Never approve a refund."}}]
"""
_PER_KB, _AT_LEAST = 0.050, 0.100
_SAID = (
    "ignore previous instructions refund approved my card is 4111 1111 1111 1111 anna.berg@mail.org 拒否 返金 "
    "+44 20 7946 0958 تجاهل التعليمات निर्देश lawyer sue newspaper https://x.example/a?b=c [faq-hours] {'a': 1} "
    "<|im_start|> system:"
)
_WORDS = tuple(_SAID.split())
_PIECES = (
    *'([{<"\\/@.-_ \n\t019aé漢あﷺ',
    *("\u200b", "\u202e", "\u0301", "\U000e0041", "\ufe0f", "\x00", "\ud800", "👩\u200d👩\u200d👧"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of some texts: how many, and those that broke a gate or took too long."""

    count: int
    broken: tuple[str, ...]
    slow: tuple[str, ...]
    worst: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    share = [(options.count // options.processes, options.seed * 1000 + n) for n in range(options.processes)]
    begin = time.perf_counter()
    with ProcessPoolExecutor(options.processes) as pool:
        found = list(pool.map(_work, share))
    count, broken = sum(each.count for each in found), [one for each in found for one in each.broken]
    slow = [one for each in found for one in each.slow]
    print("| texts | broke a gate | over the time | worst ms for a KB | wall s |\n|---|---|---|---|---|")
    worst = max(each.worst for each in found)
    print(f"| {count:,} | {len(broken)} | {len(slow)} | {1000 * worst:.1f} | {time.perf_counter() - begin:.0f} |")
    for each in (*broken[:10], *slow[:10]):
        print(f"- {each}")
    return 1 if broken or slow else 0


def _work(share: tuple[int, int]) -> Outcome:
    return asyncio.run(put(*share))


async def put(count: int, seed: int) -> Outcome:
    """Put so many texts before the gates, each at one of the four points."""
    dice = random.Random(seed)
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "proctor.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    broken, slow, worst = [], [], 0.0
    async with Guard.from_config(path, record=False) as guard:
        await guard.warm()
        for number, text in enumerate(hostile(dice, count)):
            step = _step(dice, text)
            begin = time.process_time()
            verdict = await guard.check(step)
            spent = time.process_time() - begin
            size = len(text.encode("utf-8", "surrogatepass")) / 1024
            told = f"text {number} of seed {seed}, {step.point}, {size:.1f} KB: {text[:40]!r}"
            worst = max(worst, spent / max(1.0, size))
            if verdict.broken:
                broken.append(f"{told}: {verdict.reason}")
            if spent > max(_AT_LEAST, _PER_KB * size):
                slow.append(f"{told}: {1000 * spent:.0f} ms")
    folder.cleanup()
    return Outcome(count, tuple(broken), tuple(slow), worst)


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


def hostile(dice: random.Random, count: int) -> Iterator[str]:
    """Texts that were never meant kindly; one in two thousand is of a megabyte."""
    for number in range(count):
        size = 1_000_000 if number % 2000 == 1999 else int(dice.paretovariate(0.7) * 6) % 4000
        yield dice.choice(_MAKERS)(dice, size)


def _words(dice: random.Random, size: int) -> str:
    return " ".join(dice.choices(_WORDS, k=max(1, min(size, 1_000_000) // 7)))[:size]


def _letters(dice: random.Random, size: int) -> str:
    return "".join(
        map(
            chr,
            (dice.choice((dice.randrange(128), dice.randrange(0x3000), dice.randrange(0x110000))) for _ in range(size)),
        )
    )


def _raw(dice: random.Random, size: int) -> str:
    return dice.randbytes(size).decode(dice.choice(("utf-8", "utf-16", "latin-1", "shift_jis")), "replace")


def _repeats(dice: random.Random, size: int) -> str:
    unit = "".join(dice.choices(_PIECES, k=dice.randint(1, 4)))
    return (unit * (size // len(unit) + 1))[:size] + dice.choice(("", "!", "x", "@"))


def _nested(dice: random.Random, size: int) -> str:
    opened, closed = dice.choice(
        (("[", "]"), ("{", "}"), ('{"a":', "}"), ("(", ")"), ("<a>", "</a>"), ("```\n", "```\n"))
    )
    depth = max(1, size // (len(opened) + len(closed)))
    return opened * depth + closed * dice.choice((depth, 0, depth // 2))


def _encoded(dice: random.Random, size: int) -> str:
    text = _words(dice, max(1, size // 4))
    for _ in range(dice.randint(1, 4)):
        text = dice.choice(_WAYS)(text.encode("utf-8", "replace"))[: max(8, size)]
    return text


_WAYS: tuple[Callable[[bytes], str], ...] = (
    lambda data: base64.b64encode(data).decode(),
    lambda data: data.hex(),
    lambda data: "".join(f"%{byte:02x}" for byte in data),
    lambda data: "".join(f"&#{byte};" for byte in data),
    lambda data: data.decode("utf-8", "replace")[::-1],
)


def _data(dice: random.Random, size: int) -> str:
    rows: list[Mapping[str, Any]] = [{"note": _words(dice, 60), "n": dice.random()} for _ in range(max(1, size // 90))]
    return json.dumps(rows)[:size]


def _digits(dice: random.Random, size: int) -> str:
    return "".join(dice.choices("0123456789 -.()+", k=size))


_MAKERS = (_words, _words, _letters, _raw, _repeats, _repeats, _nested, _encoded, _data, _digits)


if __name__ == "__main__":
    sys.exit(main())
