"""Measures the models that ship: CPU time a message, batches, threads, resident memory.

Run ``python -m benchmarks.local_models``. Messages are read from ``--data`` (default: ``$PROCTOR_DATA``) where it is
there, else they are made here. spaCy and stackone-defender do the same work in the same run where they are installed.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import importlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.processes import ROOT

__all__ = ["main"]

_SUPPORT = ("banking77/test", "bitext/test", "clinc150/test")
_OPENINGS = (
    "Hello, where is",
    "I want a refund for",
    "Please cancel",
    "荷物はどこですか",
    "¿Cuándo llega",
    "Why was I charged for",
)
_ENDINGS = ("my parcel?", "the order from Monday", "a card that does not work since last week, thank you", "this item?")
_LIMIT_MB = 300

Work = Callable[[], object]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("PROCTOR_DATA"))  # noqa: TID251 - not the program
    parser.add_argument("--count", type=int, default=200, help="messages to measure")
    parser.add_argument(
        "--threads", type=int, default=0, help="measure these threads a network only (default: 1 and 2)"
    )
    parser.add_argument("--memory", type=int, metavar="TEXTS", help=argparse.SUPPRESS)
    options = parser.parse_args()
    texts = _messages(options.data, options.count)
    if options.memory:
        return asyncio.run(_memory(options.memory))
    print(f"load average {os.getloadavg()[0]:.1f} before\n", flush=True)
    _print_single(texts)
    _print_batches(texts, [options.threads] if options.threads else [1, 2])
    return _print_memory()


def _messages(data: Path | None, count: int) -> list[str]:
    dice = random.Random(1)
    if data is not None and (Path(data) / "intent").is_dir():
        found = [text for name in _SUPPORT for text in _texts(Path(data) / "intent" / f"{name}.jsonl.gz")]
        return dice.sample(found, min(count, len(found)))
    parts = ([dice.choice(_OPENINGS), dice.choice(_ENDINGS)] * dice.randint(1, 3) for _ in range(count))
    return [f"{' '.join(words)} ({number})" for number, words in enumerate(parts)]


def _texts(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            yield row.get("text") or row["utterance"]


def _models(threads: int) -> dict[str, Callable[[Sequence[str]], object]]:
    from proctor.models.local.embed import LocalEmbedder
    from proctor.models.local.grounding import LocalGrounder
    from proctor.models.local.injection import InjectionClassifier
    from proctor.models.local.model_registry import pieces_of
    from proctor.models.local.nli import LocalEntailer
    from proctor.models.local.reader import LocalReader
    from proctor.models.local.run_entailment import judge_of

    pieces, words = (
        pieces_of(),
        ("The refund is paid within 5 days after the parcel came back to our store. " * 9).split(),
    )
    while len(pieces.numbers([" ".join(words)])[0]) > 64:
        words.pop()
    passage = " ".join(words)
    nli, grounder = LocalEntailer(threads=threads), LocalGrounder(threads=threads)
    injection, reader = InjectionClassifier(threads=threads), LocalReader(threads=threads)

    def judged(texts: Sequence[str]) -> None:
        judge_of.cache_clear()  # each text is measured twice
        pairs = [(passage, text[:60]) for text in texts]
        nli.readings(pairs)
        grounder.readings(pairs)

    return {
        "injection cascade": injection.readings,
        "intents and names, one pass": reader.readings,
        "intents and names, every text read": LocalReader(threads=threads, glance=False).readings,
        "injection, intents and names": lambda texts: (injection.readings(texts), reader.readings(texts)),
        "a claim against 64 pieces: entailed and supported": judged,
        "sentence vector": LocalEmbedder(threads=threads).vectors,
    }


def _peers() -> dict[str, Callable[[Sequence[str]], object]]:
    found: dict[str, Callable[[Sequence[str]], object]] = {}
    try:
        spacy: Any = importlib.import_module("spacy")
        language = spacy.load("en_core_web_sm")
        found["names: spaCy en_core_web_sm"] = lambda texts: [language(text).ents for text in texts]
    except (ImportError, OSError):
        pass
    try:
        defender: Any = importlib.import_module("stackone_defender")
        guard = defender.create_prompt_defense(enable_tier2=True)
        found["injection: stackone-defender"] = lambda texts: [guard.defend_tool_result(t, "message") for t in texts]
    except (ImportError, AttributeError, TypeError):
        pass
    return found


def _cpu(work: Work) -> float:
    """Milliseconds of processor time; the better of two, since other work disturbs."""
    times = []
    for _ in range(2):
        begin = time.process_time_ns()
        work()
        times.append(time.process_time_ns() - begin)
    return min(times) / 1e6


def _print_single(texts: Sequence[str]) -> None:
    print("| one text at a time, one thread | CPU ms p50 | p95 |\n|---|---|---|")
    for name, read in (_models(1) | _peers()).items():
        read(texts[:1])
        times = sorted(_cpu(lambda read=read, text=text: read([text])) for text in texts)  # type: ignore[misc]
        print(f"| {name} | {times[len(times) // 2]:.1f} | {times[int(len(times) * 0.95)]:.1f} |")
    print()


def _print_batches(texts: Sequence[str], threads: Sequence[int]) -> None:
    print("| wall ms a text | threads | 1 | 8 | 64 |\n|---|---|---|---|---|")
    for count in threads:
        for name, read in _models(count).items():
            read(texts[:1])
            cells = []
            for size in (1, 8, 64):
                some, best = texts[:64], float("inf")
                for _ in range(2):
                    begin = time.perf_counter()
                    for i in range(0, len(some), size):
                        read(some[i : i + size])
                    best = min(best, time.perf_counter() - begin)
                cells.append(f"{1000 * best / len(some):.1f}")
            print(f"| {name} | {count} | " + " | ".join(cells) + " |")
    print()


def _print_memory() -> int:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.local_models", "--memory", "24"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded, now, most = json.loads(done.stdout)
    print("| resident memory, all models, MB | | must be |\n|---|---|---|")
    print(f"| loaded and warm | {loaded:.0f} | |\n| after batches of 24 long texts | {now:.0f} | ≤ {_LIMIT_MB} |")
    print(f"| the most at any time | {most:.0f} | ≤ {_LIMIT_MB} |")
    return 0 if most <= _LIMIT_MB else 1


async def _memory(count: int) -> int:
    from proctor.models.local.embed import LocalEmbedder
    from proctor.models.local.entities import LocalTagger
    from proctor.models.local.grounding import LocalGrounder
    from proctor.models.local.injection import InjectionClassifier
    from proctor.models.local.intents import LocalIntents
    from proctor.models.local.model_registry import pieces_of
    from proctor.models.local.nli import LocalEntailer
    from proctor.wiring.local_models import LOCAL, warm_local

    await warm_local(LOCAL)
    loaded, _ = _resident()
    dice, pieces = random.Random(2), pieces_of()
    words = [word.strip("▁") for word in pieces.tokens([dice.randrange(5, 50_000) for _ in range(20_000)])]
    long = [". ".join(" ".join(dice.choices(words, k=20)) for _ in range(12)) for _ in range(count)]
    pairs = [(text, other[:200]) for text, other in zip(long, long[1:] + long[:1], strict=True)]
    await asyncio.gather(
        LocalEmbedder().embed(long),
        InjectionClassifier().classify(long),
        LocalIntents().classify(long),
        LocalTagger().entities(long),
        LocalEntailer().entails(pairs),
        LocalGrounder().supports(pairs),
    )
    print(json.dumps([loaded, *_resident()]))
    return 0


def _resident() -> tuple[float, float]:
    """The present and the highest resident memory of this process, in MB."""
    with open("/proc/self/status", encoding="ascii") as file:
        told = dict(line.split(":", 1) for line in file)
    return int(told["VmRSS"].split()[0]) / 1024, int(told["VmHWM"].split()[0]) / 1024


if __name__ == "__main__":
    sys.exit(main())
