"""Counts how often each check of the ``conversation`` score is right: ``python -m benchmarks.blind.talk_checks``.

Every check may fail a conversation here, also those that only put it in doubt. A finding is right if it names the turn
of the faulty message, or that of the message before or after it. It is wrong in a clean conversation, in a safe log
(``--logs N`` of each source) and at another turn of a faulty one. ``--written`` takes the conversations of
``training/written/talks``, or those of the named writers. A second table counts what the default score decides.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.blind.judged_talks import conversation_scorer, decision, is_near, judged, talk_of
from benchmarks.safe_logs import safe_cases
from proctor.core.case import Case, Expectation
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.conversation.doubted_checks import DOUBTED

_INFORMATIVE = ("turns", "solved")
_WRITTEN = Path(__file__).resolve().parents[2] / "training" / "written" / "talks"


def main() -> int:
    """Judge the conversations and print a table of the checks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blind.talk_checks", description=__doc__)
    parser.add_argument("sets", nargs="*", help="names of files of benchmarks/blind/talks")
    parser.add_argument("--written", nargs="*", help="written conversations, of these writers or of all")
    parser.add_argument("--logs", type=int, default=0, help="safe logs of each source, of domains not developed on")
    parser.add_argument("--seed", type=int, default=3)
    asked = parser.parse_args()
    items = [*_items(asked.sets), *(_written(asked.written) if asked.written is not None else ())]
    checks, decided = asyncio.run(_counted(items, asked.logs, asked.seed))
    columns = ("right", "other turn", "clean", "log")
    print("| check | found at its turn | at another turn | clean conversations | safe logs | decides |")
    print("|---|---|---|---|---|---|")
    for check in sorted({check for check, _ in checks}):
        row = [checks[check, column] for column in columns]
        state = "in doubt" if check in DOUBTED or check.partition(".")[0] in DOUBTED else "fails"
        print(f"| `{check}` | {' | '.join(map(str, row))} | {state} |")
    print("\n| conversations | decided | n |\n|---|---|---|")
    for (label, what), count in sorted(decided.items()):
        print(f"| {label} | {what} | {count} |")
    return 0


def _items(sets: Sequence[str]) -> Iterator[dict[str, Any]]:
    for name in sets:
        yield from _rows(Path(__file__).parent / "talks" / f"{name}.jsonl")


def _written(writers: Sequence[str]) -> Iterator[dict[str, Any]]:
    for file in sorted(_WRITTEN.glob("*.jsonl")):
        if not writers or file.stem.rpartition(".")[2] in writers:
            yield from _rows(file)


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    yield from map(json.loads, file.read_text("utf-8").splitlines())


async def _counted(
    items: Iterable[dict[str, Any]], logs: int, seed: int
) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    strict = conversation_scorer(off=_INFORMATIVE, doubted=())
    usual = conversation_scorer(off=_INFORMATIVE)
    checks: Counter[tuple[str, str]] = Counter()
    decided: Counter[tuple[str, str]] = Counter()
    for item in items:
        run, first = talk_of(item)
        case = Case(id=str(item["id"]), input="conversation")
        found = _found(await judged(strict, case, run))
        for check, turn in found.items():
            near = item["label"] != "clean" and turn is not None and is_near(item, first, turn)
            checks[check, "right" if near else "clean" if item["label"] == "clean" else "other turn"] += 1
        decided[item["label"], decision(item, await judged(usual, case, run), first)] += 1
    dice = random.Random(seed)
    for _, some in sorted(safe_cases(held_out=True).items()) if logs else ():
        for each in dice.sample(some, min(logs, len(some))):
            case, run = replace(each, expect=Expectation()), each.recorded or Trajectory()
            checks.update((check, "log") for check in _found(await judged(strict, case, run)))
            decided["safe log", decision({"label": "clean"}, await judged(usual, case, run), ())] += 1
    return checks, decided


def _found(score: Score) -> dict[str, int | None]:
    """Each check that fails the conversation, with the turn of its first finding."""
    found: dict[str, int | None] = {}
    for part in score.parts:
        if part.passed is False and part.name not in ("outcome", *_INFORMATIVE):
            for name, turn in _checks(part):
                found.setdefault(name, turn)
    return found


def _checks(part: Score) -> list[tuple[str, int | None]]:
    named = [(f"{part.name}.{one.check}" if one.check else part.name, one.turn) for one in part.evidence]
    return named or [(part.name, None)]


if __name__ == "__main__":
    raise SystemExit(main())
