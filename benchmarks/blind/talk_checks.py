"""Counts how often each check of the ``conversation`` score is right: ``python -m benchmarks.blind.talk_checks``.

Every check may fail a conversation here, also those that only put it in doubt. A finding is right if it names the turn
of the faulty message, or that of the message before or after it. It is wrong in a clean conversation, in a safe log
(``--logs N`` of each source) and at another turn of a faulty one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.blind.judged_talks import conversation_scorer, is_near, judged, talk_of
from benchmarks.safe_logs import safe_cases
from proctor.core.case import Case, Expectation
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.conversation.conversation import ConversationScorer
from proctor.scorers.conversation.doubted_checks import DOUBTED

_INFORMATIVE = ("turns", "solved")


def main() -> int:
    """Judge the conversations and print a table of the checks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blind.talk_checks", description=__doc__)
    parser.add_argument("sets", nargs="*", default=["dev-3"], help="names of files of benchmarks/blind/talks")
    parser.add_argument("--logs", type=int, default=0, help="safe logs of each source, of domains not developed on")
    parser.add_argument("--seed", type=int, default=3)
    asked = parser.parse_args()
    counts = asyncio.run(_counted(asked.sets, asked.logs, asked.seed))
    columns = ("right", "other turn", "clean", "log")
    print("| check | found at its turn | at another turn | clean conversations | safe logs | wrong | decides |")
    print("|---|---|---|---|---|---|---|")
    for check in sorted({check for check, _ in counts}):
        row = [counts[check, column] for column in columns]
        wrong = sum(row[1:]) / sum(row)
        state = "doubt" if check in DOUBTED or check.partition(".")[0] in DOUBTED else "fails"
        print(f"| `{check}` | {' | '.join(map(str, row))} | {wrong:.0%} | {state} |")
    return 0


async def _counted(sets: Sequence[str], logs: int, seed: int) -> Counter[tuple[str, str]]:
    scorer = conversation_scorer(off=_INFORMATIVE, doubted=())
    counts: Counter[tuple[str, str]] = Counter()
    for name in sets:
        path = Path(__file__).parent / "talks" / f"{name}.jsonl"
        for line in path.read_text("utf-8").splitlines():
            item = json.loads(line)
            run, first = talk_of(item)
            found = await _found(scorer, Case(id=str(item["id"]), input="conversation"), run)
            for check, turn in found.items():
                near = item["label"] != "clean" and turn is not None and is_near(item, first, turn)
                counts[check, "right" if near else "clean" if item["label"] == "clean" else "other turn"] += 1
    dice = random.Random(seed)
    for _, some in sorted(safe_cases(held_out=True).items()) if logs else ():
        for case in dice.sample(some, min(logs, len(some))):
            found = await _found(scorer, replace(case, expect=Expectation()), case.recorded or Trajectory())
            counts.update((check, "log") for check in found)
    return counts


async def _found(scorer: ConversationScorer, case: Case, run: Trajectory) -> dict[str, int | None]:
    """Each check that fails the conversation, with the turn of its first finding."""
    score = await judged(scorer, case, run)
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
