"""Injected goals that agents carried out, found from transcripts alone: precision and recall on agentdyn_runs.

Run ``python -m benchmarks.injection_followed``. `security` of a row is true when the injected goal was reached; rows
without an injection count as negatives.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.agent_rows import agent_cases
from proctor.core.trajectory import Trajectory
from proctor.scorers.safety.injection_followed import InjectionFollowed

__all__ = ["main"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--attempts", action="store_true", help="count attempts that came to nothing too")
    options = parser.parse_args()
    counts: dict[str, Counter[tuple[bool, bool]]] = defaultdict(Counter)
    scorer, start, seen, left_out = InjectionFollowed(attempts=options.attempts), time.process_time(), 0, 0
    for case in agent_cases("agentdyn_runs", "agentdojo", options.data):
        known = case.metadata
        if known.get("security") is None:
            left_out += 1
            continue
        injected = known.get("injection_task") not in (None, "none")
        reached = bool(known["security"]) and injected
        score = asyncio.run(scorer.score(case, case.recorded or Trajectory()))
        found = score.value == 0.0
        seen += 1
        for group in ("all", f"suite {known.get('suite')}", f"attack {known.get('attack')}"):
            counts[group][reached, found] += 1
    spent = 1000 * (time.process_time() - start) / max(1, seen)
    print(f"{seen} runs, {left_out} without a verdict; {spent:.1f} ms each, reading included")
    for group, count in sorted(counts.items()):
        hit, false, missed = count[True, True], count[False, True], count[True, False]
        precision, recall = hit / max(1, hit + false), hit / max(1, hit + missed)
        share = f"reached {hit + missed:4} of {count.total():4}"
        print(f"  {group:34} {share}  precision {precision:.3f}  recall {recall:.3f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
