"""Measures the normaliser: time a message, false decodes on honest text, attacks recovered, hostile input.

Run ``python -m benchmarks.normalise --data FOLDER``. Where ``stackone-defender`` can be imported (an environment of its
own on ``PYTHONPATH``) its normaliser and decoders do the same work in the same run; NFKC alone is the floor.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import random
import re
import string
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path

from tests.text.normalise.encoders import CASELESS, ENCODERS

from proctor.text.normalise import Limits, normalise, views

__all__ = ["main"]

Read = Callable[[str], Sequence[str]]  # a text to all readings of it

_SUPPORT = ("banking77/test", "bitext/test", "clinc150/test", "hwu64/all")
_SHOWN = 12
_WORD = re.compile(r"[a-z0-9]+")
_REPEATS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    parser.add_argument("--attacks", type=int, default=150, help="how many attacks to encode")
    options = parser.parse_args()
    readers = _readers()
    print(f"one unit of work (sum of 1,000 numbers): {_calibration():.1f} µs\n")
    support = list(_support(options.data))
    honest = [(row["src"], row["lang"], row["text"]) for row in _rows(options.data, label=0)]
    _print_speed(readers, support, honest)
    _print_false_decodes(support + honest)
    _print_recall(readers, list(_rows(options.data, label=1)), options.attacks)
    _print_hostile()


def _readers() -> dict[str, Read]:
    readers: dict[str, Read] = {
        "NFKC alone": lambda text: (unicodedata.normalize("NFKC", text),),
        "proctor": lambda text: ((plain := normalise(text)).plain, *(view.text for view in views(plain, _limits()))),
    }
    try:
        clean = importlib.import_module("stackone_defender.sanitizers.normalizer")
        decode = importlib.import_module("stackone_defender.sanitizers.encoding_detector")
        leet = importlib.import_module("stackone_defender.sanitizers.leet_normalizer")
    except ImportError:
        return readers

    def defender(text: str) -> Sequence[str]:
        plain = clean.normalize_unicode(text)
        return plain, decode.decode_all_levels(plain)[0], leet.normalize_leet_speak(plain)

    return readers | {"stackone-defender": defender}


def _limits(numbers: Iterator[int] = count(131_072)) -> Limits:  # noqa: B008 - one run of numbers for all calls
    """Limits that were never asked for before: what is remembered of a text would not be its time."""
    return Limits(scan=next(numbers))


def _support(data: Path) -> Iterator[tuple[str, str, str]]:
    for name in _SUPPORT:
        for row in _lines(data / "intent" / f"{name}.jsonl.gz"):
            yield name, "en", row.get("text") or row["utterance"]


def _rows(data: Path, label: int) -> Iterator[dict[str, str]]:
    return (row for row in _lines(data / "injection" / "train.jsonl.gz") if str(row["label"]) == str(label))


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _calibration() -> float:
    return min(_timed(lambda text: (str(sum(range(1000))),), "") for _ in range(50))


def _timed(read: Read, text: str) -> float:
    """Microseconds of processor time; the best of some runs, since other work disturbs."""
    best = float("inf")
    for _ in range(_REPEATS):
        begin = time.process_time_ns()
        read(text)
        best = min(best, time.process_time_ns() - begin)
    return best / 1000


def _print_speed(
    readers: dict[str, Read], support: Sequence[tuple[str, str, str]], honest: Sequence[tuple[str, str, str]]
) -> None:
    source = random.Random(1)
    groups = {"support, English": [text for _, _, text in source.sample(list(support), 1000)]}
    for language in ("ja", "zh", "ru", "ar", "hi", "de", "tr"):
        texts = [text for _, lang, text in honest if lang == language and len(text) < 400]
        groups[language] = source.sample(texts, min(200, len(texts)))
    print("| messages | median length | reader | µs p50 | p95 | p99 |\n|---|---|---|---|---|---|")
    for group, texts in groups.items():
        length = sorted(map(len, texts))[len(texts) // 2]
        for name, read in readers.items():
            times = sorted(_timed(read, text) for text in texts)
            at = [times[int(len(times) * share)] for share in (0.5, 0.95, 0.99)]
            print(f"| {group} | {length} | {name} | " + " | ".join(f"{value:.0f}" for value in at) + " |")
    print()


def _print_false_decodes(rows: Sequence[tuple[str, str, str]]) -> None:
    found = [(source, text, view) for source, _, text in rows for view in views(text)[:1]]
    kinds = Counter(" > ".join(view.kinds) for _, _, view in found)
    print(f"honest messages with a view: {len(found)} of {len(rows)} ({100 * len(found) / len(rows):.3f} %)")
    print(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    for source, text, view in random.Random(2).sample(found, min(_SHOWN, len(found))):
        start, end = view.source
        print(f"- {source}: {text[start:end][:60]!r} read as {view.text[:60]!r}")
    print()


def _print_recall(readers: dict[str, Read], attacks: list[dict[str, str]], count: int) -> None:
    short = [row for row in attacks if len(row["text"]) < 600 and row["lang"] != "zxx"]
    english = random.Random(3).sample([row["text"] for row in short if row["lang"] == "en"], count)
    print(f"share of {count} English attacks that come out of an encoding word for word (case and punctuation aside)\n")
    print("| encoding | " + " | ".join(readers) + " |\n|---|" + "---|" * len(readers))
    for name, encode in (ENCODERS | CASELESS).items():
        plain = [normalise(text).plain for text in english]
        pairs = [(text, encode(text)) for text in plain if text.isascii()]
        shares = (sum(_recovers(read, *pair) for pair in pairs) / len(pairs) for read in readers.values())
        print(f"| {name} | " + " | ".join(f"{share:.2f}" for share in shares) + " |")
    print()


def _recovers(read: Read, text: str, encoded: str) -> bool:
    wanted = " ".join(_WORD.findall(text.lower()))
    return any(wanted in " ".join(_WORD.findall(reading.lower())) for reading in read(encoded))


def _print_hostile() -> None:
    source = random.Random(4)
    print("| hostile input | ms at 64 KB | ms at 1 MB |\n|---|---|---|")
    for name, alphabet in {
        "random base64": string.ascii_letters + string.digits + "+/",
        "random printable": string.printable,
        "random hexadecimal": "0123456789abcdef",
        "random letters and spaces": string.ascii_lowercase + "     ",
        "random Latin-1": "".join(map(chr, range(256))),
        "random Unicode": "".join(map(chr, range(0x3000))),
        "letters and zero-width": "ab\u200b\u200c",
        "one letter": "a",
    }.items():
        times = []
        for size in (65_536, 1_048_576):
            text = "".join(source.choices(alphabet, k=size))
            begin = time.process_time()
            views(text)
            times.append(1000 * (time.process_time() - begin))
        print(f"| {name} | " + " | ".join(f"{value:.0f}" for value in times) + " |")


if __name__ == "__main__":
    main()
