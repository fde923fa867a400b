"""Measures how well contradictions between turns of a dialogue are told: ours, beside the embedded NLI alone.

Run ``python -m benchmarks.contradiction``. Contradictions are the pairs of DECODE in ``--data`` (default:
``$PROCTOR_DATA``, else ../shared/data); that file has no other pairs, so those that do not contradict are made here:
what one speaker said at two times in dialogues of people, and turns of DECODE put together with strangers. Thresholds
are chosen on one half, split by the later turn, and figures are of the other half.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from proctor.scorers.conversation.cross_turn_conflicts import ENOUGH, conflict_of, likelihood
from proctor.scorers.conversation.cross_turn_statements import Pair, Spoken, likeness, spoken_of
from proctor.wiring.local_models import local_model

__all__ = ["main"]

_BATCH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A pair of turns, where it is from, and what was measured of it."""

    one: str
    two: str
    kind: str
    nli: float
    argmax: bool
    ours: float

    @property
    def contradicts(self) -> bool:
        """Whether people said that it does."""
        return self.kind == "DECODE"

    @property
    def tuning(self) -> bool:
        """Which half it is in: all pairs with the same later turn are in one."""
        return hashlib.sha256(self.two.encode()).digest()[0] % 2 == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("PROCTOR_DATA", "../shared/data")  # noqa: TID251 - not the program
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--count", type=int, default=2000, help="pairs that contradict; as many others")
    parser.add_argument("--seed", type=int, default=6)
    options = parser.parse_args()
    pairs = list(_pairs(options.data, options.count, random.Random(options.seed)))
    rows = asyncio.run(_measured(pairs))
    _print(rows)
    return 0


def _pairs(data: Path, count: int, dice: random.Random) -> Iterator[tuple[str, str, str]]:
    decode = [(row["premise"].strip(), row["hypothesis"].strip()) for row in _rows(data / "contradiction/decode_pairs")]
    dice.shuffle(decode)
    for one, two in decode[:count]:
        yield one, two, "DECODE"
    topical = [pair for pair in _topical(data) if all(pair)]
    redial = [pair for pair in _redial(data) if all(pair)]
    dice.shuffle(topical)
    dice.shuffle(redial)
    third = count // 3
    yield from ((*pair, "one speaker, TopicalChat") for pair in topical[:third])
    yield from ((*pair, "one speaker, ReDial") for pair in redial[:third])
    left = count - min(third, len(topical)) - min(third, len(redial))
    strangers = decode[count : count + left + 1]
    for (one, _), (_, two) in pairwise(strangers):
        yield one, two, "strangers, DECODE"


def _topical(data: Path) -> Iterator[tuple[str, str]]:
    seen = set()
    for row in _rows(data / "quality/topicalchat_usr/topical_chat"):
        if row["source"] in seen:
            continue
        seen.add(row["source"])
        said = [line.strip() for line in row["source"].split("\n") if line.strip()]
        for later in range(2, len(said)):
            yield said[later - 2], said[later]


def _redial(data: Path) -> Iterator[tuple[str, str]]:
    for row in _rows(data / "satisfaction/uss/redial"):
        said = [turn["text"].strip() for turn in row["turns"] if turn["role"] == "SYSTEM"]
        said = [text for text in said if len(text.split()) > 3]
        yield from pairwise(said)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(f"{path}.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


async def _measured(pairs: Sequence[tuple[str, str, str]]) -> list[Row]:
    entailer, embedder = local_model("entailer"), local_model("embedder")
    rows: list[Row] = []
    for start in range(0, len(pairs), _BATCH):
        some = pairs[start : start + _BATCH]
        both = [(one, two) for one, two, _ in some]
        read = await entailer.entails([*both, *((two, one) for one, two in both)])
        vectors = await embedder.embed([text for pair in both for text in pair])
        for at, (one, two, kind) in enumerate(some):
            forth, back = read[at], read[at + len(some)]
            near = likeness(vectors[2 * at], vectors[2 * at + 1])
            sure = likelihood(one, two, near, forth, back)
            rows.append(
                Row(
                    one=one,
                    two=two,
                    kind=kind,
                    nli=forth["contradiction"],
                    argmax=max(forth, key=lambda label: forth[label]) == "contradiction",
                    ours=1.0 if _exactly(one, two) else sure,
                )
            )
    return rows


def _exactly(one: str, two: str) -> bool:
    """Whether statements of the two conflict by a number or a denial."""
    first, second = spoken_of(one, at=0), spoken_of(two, at=1)
    return any(conflict_of(pair) for pair in _crossed(first, second))


def _crossed(first: Spoken, second: Spoken) -> Iterator[Pair]:
    for one in first.sayings:
        for two in second.sayings:
            yield Pair(earlier=first, later=second, one=one, two=two)


def _print(rows: Sequence[Row]) -> None:
    kinds = list(dict.fromkeys(row.kind for row in rows))
    held = [row for row in rows if not row.tuning]
    counts = ", ".join(f"{sum(row.kind == kind for row in held)} {kind}" for kind in kinds)
    print(f"{len(held)} pairs held out of {len(rows)}: {counts}\n")
    nli, ours = _best(rows, lambda row: row.nli), _best(rows, lambda row: row.ours)
    print("| held-out half | accuracy | precision | recall | F1 | false alarms by kind |\n|---|---|---|---|---|---|")
    _line("embedded NLI alone, its own verdict", held, lambda row: row.argmax, kinds)
    _line(f"embedded NLI alone, best threshold {nli:.2f}", held, lambda row: row.nli >= nli, kinds)
    _line(f"ours, best threshold {ours:.2f}", held, lambda row: row.ours >= ours, kinds)
    _line(f"ours, as the score uses it for one pair ({ENOUGH})", held, lambda row: row.ours >= ENOUGH, kinds)
    print("\n| probability said | pairs | mean said | contradict |\n|---|---|---|---|")
    for low, high in ((0.0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.01)):
        some = [row for row in held if low <= row.ours < high]
        mean, real = (
            sum(values) / max(1, len(some)) for values in ([r.ours for r in some], [r.contradicts for r in some])
        )
        print(f"| {low:.1f} to {min(high, 1.0):.1f} | {len(some)} | {mean:.2f} | {real:.2f} |")


def _best(rows: Sequence[Row], value: Callable[[Row], float]) -> float:
    """The threshold with the best accuracy on the half for tuning."""
    tuning = [row for row in rows if row.tuning]
    steps = [step / 100 for step in range(1, 100)]
    return max(steps, key=lambda step: sum((value(row) >= step) == row.contradicts for row in tuning))


def _line(name: str, rows: Sequence[Row], says: Callable[[Row], bool], kinds: Sequence[str]) -> None:
    right = sum(says(row) == row.contradicts for row in rows)
    hit = sum(says(row) and row.contradicts for row in rows)
    said, real = sum(map(says, rows)), sum(row.contradicts for row in rows)
    false = []
    for kind in kinds[1:]:
        some = [row for row in rows if row.kind == kind]
        false.append(f"{kind} {100 * sum(map(says, some)) / max(1, len(some)):.0f} %")
    figures = [right / len(rows), hit / max(1, said), hit / max(1, real), 2 * hit / max(1, said + real)]
    print(f"| {name} | {' | '.join(f'{figure:.3f}' for figure in figures)} | {'; '.join(false)} |")


if __name__ == "__main__":
    raise SystemExit(main())
