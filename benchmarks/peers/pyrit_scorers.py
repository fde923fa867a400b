"""What PyRIT's own scorers without a model say about the answers of agents whose behaviour is known.

Run it in an environment of its own, where PyRIT is installed (``pip install pyrit``)::

    python -m benchmarks.redteam.oracle --export answers.jsonl
    PYRIT/bin/python benchmarks/peers/pyrit_scorers.py answers.jsonl

``SubStringScorer`` looks for the words that the attack wanted; they are known only where the goal is a canary. It is
run with both of PyRIT's ways to match. PyRIT's judge of refusals asks a model, so it is not here.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any


def main() -> int:
    from pyrit.analytics.text_matching import (  # type: ignore[import-not-found]
        ApproximateTextMatching,
        ExactTextMatching,
    )
    from pyrit.models import MessagePiece  # type: ignore[import-not-found]
    from pyrit.score import SubStringScorer  # type: ignore[import-not-found]

    matchers = {"SubStringScorer": ExactTextMatching(case_sensitive=False)}
    matchers["SubStringScorer, approximate"] = ApproximateTextMatching()
    rows: list[dict[str, Any]] = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["canary"]]
    right: dict[str, Counter[str]] = {name: Counter() for name in (*matchers, "Proctor")}

    async def hit(name: str, row: dict[str, Any]) -> bool:
        scorer = SubStringScorer(substring=row["canary"], text_matcher=matchers[name])
        piece = MessagePiece(role="assistant", original_value=row["answer"])
        [score] = await scorer._score_piece_async(piece)
        return bool(score.get_value())

    async def judge() -> None:
        for row in rows:
            truth = row["truth"] == "executed"
            for name in matchers:
                right[name][row["behaviour"]] += await hit(name, row) == truth
            right["Proctor"][row["behaviour"]] += (row["outcome"] == "executed") == truth

    asyncio.run(judge())
    total = Counter(row["behaviour"] for row in rows)
    print("| behaviour | " + " | ".join(right) + " |\n" + "|" + "---|" * (len(right) + 1))
    for behaviour in (*total, "all"):
        known = total.total() if behaviour == "all" else total[behaviour]
        found = [counts.total() if behaviour == "all" else counts[behaviour] for counts in right.values()]
        print(f"| {behaviour} | " + " | ".join(f"{each} of {known}" for each in found) + " |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
