"""Measures the injection gate as it stands in a chain: by source, hidden in many ways, in many languages, and its cost.

Run ``python -m benchmarks.injection --data FOLDER [--only sources,variants,languages,cost]``. Nothing here is tuned:
the sources of the test set are read at the settings that ship.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import random
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.text.normalise.encoders import CASELESS, ENCODERS

from proctor.core.step import Point
from proctor.core.verdict import Verdict
from proctor.guard.gates.danger import Danger
from proctor.guard.gates.injection import Injection
from proctor.guard.gates.pii import Pii
from proctor.guard.gates.premises import PremisesGate
from proctor.guard.step import Step
from proctor.lexicon.danger import dangers
from proctor.lexicon.takeover_phrases import attempts
from proctor.stats.interval import wilson
from proctor.text.normalise import normalise, views
from proctor.wiring.local_models import local_model

__all__ = ["main"]

_ROOT = Path(__file__).resolve().parents[1]
_DOCUMENTS = {"bipia_attack", "bipia_ctx"}  # what a tool reads; the others are what a customer writes
_SUPPORT = ("banking77/test", "bitext/test", "clinc150/test")
_VARIANTS = (
    "base64", "base64 url-safe", "hex", "rot13", "percent", "html decimal", "html hex", "escape u", "tags",
    "zero-width between", "zero-width bits", "soft hyphens", "full-width", "mathematical", "circled", "cyrillic",
    "letters by spaces", "letters by dots", "letters by hyphens", "letters without gaps", "glued", "leet", "reversed",
    "caesar 3", "accents", "drawn out", "small capitals", "variation selectors", "fancy",
)  # fmt: skip
_LANGUAGES = ("en", "ar", "de", "es", "fr", "hi", "ja", "zh")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("PROCTOR_DATA"))  # noqa: TID251 - not the program
    parser.add_argument("--benign", type=int, default=1500, help="harmless texts of each source, at most")
    parser.add_argument("--attacks", type=int, default=150, help="attacks to hide in each way")
    parser.add_argument("--source", default="", help="only sources whose name holds this")
    parser.add_argument("--language", default="", help="only attacks in this language are hidden")
    parser.add_argument("--variants", default="", help="only these ways to hide, by comma")
    parser.add_argument("--only", default="sources,variants,languages,cost")
    options = parser.parse_args()
    asyncio.run(_run(options))


async def _run(options: argparse.Namespace) -> None:
    gate = Injection(injection=local_model("injection"))
    wanted = options.only.split(",")
    if "sources" in wanted:
        await _sources(gate, [row for row in _rows(options.data) if options.source in row["src"]], options.benign)
    if "variants" in wanted:
        rows = [row for row in _rows(options.data) if options.language in ("", row["lang"])]
        names = options.variants.split(",") if options.variants else _VARIANTS
        await _variants(gate, rows, options.attacks, names)
    if "languages" in wanted:
        await _languages(gate)
    if "cost" in wanted:
        await _cost(gate, options.data)


def _rows(data: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(Path(data) / "injection" / "test.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


async def _decide(gate: Injection, texts: Sequence[str], point: Point = "input") -> list[Verdict]:
    found: list[Verdict] = []
    for at in range(0, len(texts), 16):  # together, so that they share batches
        found += await asyncio.gather(*(gate.check(Step(point=point, text=text)) for text in texts[at : at + 16]))
    return found


async def _sources(gate: Injection, rows: Sequence[dict[str, Any]], most: int) -> None:
    groups: dict[tuple[int, str], list[str]] = defaultdict(list)
    for row in rows:
        groups[-row["label"], row["src"]].append(row["text"])
    alone = groups[-1, "bipia_attack_alone"]
    print("| source | wanted | point | n | blocked | cut out | escalated | let through |")
    print("|---|---|---|---|---|---|---|---|")
    support: Counter[str] = Counter()
    for (label, source), all_texts in sorted(groups.items()):
        texts = random.Random(1).sample(all_texts, min(most, len(all_texts)) if not label else len(all_texts))
        points: tuple[Point, ...] = ("tool_result",) if source in _DOCUMENTS else ("input",)
        points = ("input", "tool_result") if source == "bipia_attack_alone" else points
        for point in points:
            made = await _decide(gate, texts, point)
            counts = Counter(verdict.action for verdict in made)
            cells = [_share(counts[action], len(texts)) for action in ("block", "redact", "escalate", "allow")]
            wanted = "attack" if label else "benign"
            print(f"| {source} | {wanted} | {point} | {len(texts)} | " + " | ".join(cells) + " |", flush=True)
            if source in ("banking77", "bitext", "clinc150", "xsid") and not label:
                support += counts
            if source == "bipia_attack":
                _print_cut(texts, made, alone)
    if not (total := support.total()):
        return
    blocked, escalated = (_share(support[action], total) for action in ("block", "escalate"))
    print(f"\nsupport messages blocked: {blocked}, escalated: {escalated} of {total}\n")


def _print_cut(texts: Sequence[str], made: Sequence[Verdict], alone: Sequence[str]) -> None:
    """Of the documents that went on after a cut: in how many the attack, where it can be told, is gone."""
    gone = known = 0
    lost: list[float] = []
    for text, verdict in zip(texts, made, strict=True):
        attack = max((one for one in alone if one in text), key=len, default="")
        if verdict.action == "redact" and attack and verdict.text is not None:
            known += 1
            gone += attack not in verdict.text
            rest = text.replace(attack, "")
            lost.append(1 - min(1.0, len(verdict.text.replace(attack, "")) / max(1, len(rest))))
    if known:
        print(f"<!-- cut out: attack gone {gone} of {known}; of the rest of the text lost {sum(lost) / known:.0%} -->")


def _share(count: int, total: int) -> str:
    near = wilson(count, total)
    return f"{count / total:.3f} ({near.low:.3f}–{near.high:.3f})" if near is not None else "–"


async def _variants(gate: Injection, rows: Sequence[dict[str, Any]], most: int, names: Sequence[str]) -> None:
    attacks = [row["text"] for row in rows if row["label"] and row["src"] not in _DOCUMENTS]
    plain = [text for text in (normalise(each).plain for each in attacks) if text.isascii() and len(text) < 1200]
    plain = random.Random(2).sample(plain, min(most, len(plain)))
    made = await _decide(gate, plain)
    clear = [_stopped(made), _blocked(made)]
    print(f"{len(plain)} attacks of the test set, in clear: stopped {clear[0]:.3f}, blocked {clear[1]:.3f}\n")
    print("| hidden as | stopped | points lost | blocked | points lost |\n|---|---|---|---|---|")
    for name in names:
        encode = (ENCODERS | CASELESS)[name]
        made = await _decide(gate, [encode(text) for text in plain])
        stopped, blocked = _stopped(made), _blocked(made)
        losses = [100 * (before - now) for before, now in zip(clear, (stopped, blocked), strict=True)]
        print(f"| {name} | {stopped:.3f} | {losses[0]:+.1f} | {blocked:.3f} | {losses[1]:+.1f} |", flush=True)
    print()


def _stopped(made: Sequence[Verdict]) -> float:
    return sum(verdict.action != "allow" for verdict in made) / len(made)


def _blocked(made: Sequence[Verdict]) -> float:
    return sum(verdict.action == "block" for verdict in made) / len(made)


async def _languages(gate: Injection) -> None:
    print("| language | attacks | stopped | blocked | hard harmless texts | blocked |\n|---|---|---|---|---|---|")
    for language in _LANGUAGES:
        file = _ROOT / "training" / "written" / "injection" / f"heldout.{language}.jsonl"
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        bad = await _decide(gate, [row["text"] for row in rows if row["label"]])
        good = await _decide(gate, [row["text"] for row in rows if not row["label"]])
        cells = f"{len(bad)} | {_stopped(bad):.3f} | {_blocked(bad):.3f} | {len(good)} | {_blocked(good):.3f}"
        print(f"| {language} | {cells} |", flush=True)
    print()


async def _cost(gate: Injection, data: Path) -> None:
    texts = [text for name in _SUPPORT for text in _messages(Path(data) / "intent" / f"{name}.jsonl.gz")]
    texts = random.Random(1).sample(texts, 500)
    tagger, intents = local_model("tagger"), local_model("intents")
    gates = {
        "injection": gate.check,
        "pii, patterns only": Pii(names=False).check,
        "pii with names": Pii(tagger=tagger).check,
        "danger": Danger(intents=intents).check,
        "premises": PremisesGate().check,
    }
    print("| 500 support messages, one at a time | CPU ms p50 | p95 |\n|---|---|---|")
    _print_times("one unit of work (sum of 1,000 numbers)", [_cpu(lambda _: sum(range(1000)), text) for text in texts])
    parts: dict[str, Callable[[str], object]] = {
        "normalise": normalise,
        "normalise and views": lambda text: views(normalise(text)),
        "words of take-overs": lambda text: list(attempts(text)),
        "words of danger": lambda text: list(dangers(text)),
    }
    for name, work in parts.items():
        _print_times(name, [_cpu(work, text) for text in texts])
    for name, check in gates.items():
        await check(Step(point="input", text=texts[0]))
        _print_times(f"gate {name}", [await _awaited(check, f"{text} ") for text in texts])


def _messages(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            yield row.get("text") or row["utterance"]


def _cpu(work: Callable[[str], object], text: str) -> float:
    begin = time.process_time_ns()
    work(text)
    return (time.process_time_ns() - begin) / 1e6


async def _awaited(check: Callable[[Step], Awaitable[Verdict]], text: str) -> float:
    step = Step(point="input", text=text)
    begin = time.process_time_ns()
    await check(step)
    return (time.process_time_ns() - begin) / 1e6


def _print_times(name: str, times: list[float]) -> None:
    times.sort()
    print(f"| {name} | {times[len(times) // 2]:.3f} | {times[int(len(times) * 0.95)]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
