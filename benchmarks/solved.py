"""Whether tasks were solved, against the recorded rewards of tau_bench and tau2_bench: with gold, and without.

Run ``python -m benchmarks.solved``. With gold `completion` compares effects and statements. Without it `solved` has
the transcript and the policy alone; for rows it has not seen, ``python -m training.solved OUT --predictions FILE``
writes the verdicts of models that saw nothing of a row's task (or run), and ``--predictions FILE`` reads them here.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.agent_rows import newer, solved, sound, tau_cases, uncalled
from proctor.core.case import Case
from proctor.core.score import Score
from proctor.core.sockets import Scorer
from proctor.core.trajectory import Trajectory
from proctor.scorers.conversation.completion import Completion
from proctor.scorers.conversation.solved import Solved

__all__ = ["main"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--predictions", type=Path, help="held-out verdicts, as training.solved writes them")
    parser.add_argument(
        "--unexplained", action="store_true", help="name the sound rows whose reward gold does not explain"
    )
    options = parser.parse_args()
    cases = list(tau_cases(options.data))
    trusted = sound(cases)
    groups = _groups(cases, trusted)
    rewards = [solved(case) for case in cases]
    gold = asyncio.run(_scores(Completion(estimate=False), cases))
    _print("with gold (completion)", groups, rewards, [score.value == 1.0 for score in gold])
    if options.unexplained:
        for case, score, good in zip(cases, gold, trusted, strict=True):
            if good and (score.value == 1.0) != solved(case):
                print(f"  {case.metadata['path']} {case.id}: reward {case.metadata['reward']}: {score.reason}")
    start = time.process_time()
    guess = asyncio.run(_scores(Solved(), cases))
    spent = (time.process_time() - start) / len(cases)
    if options.predictions:
        kept = json.loads(options.predictions.read_text(encoding="utf-8"))
        for kind in ("task", "run"):
            verdicts = [bool(each) for each in kept[kind]["verdict"]]
            _print(f"without gold, {kind}s held out", groups, rewards, verdicts)
            print(
                f"  Brier score {_brier(kept[kind]['probability'], rewards):.3f}, calibration "
                f"{_bins(kept[kind]['probability'], rewards)}"
            )
    _print("without gold, as shipped, on what it was trained on", groups, rewards, [s.label == "solved" for s in guess])
    print(f"  {1000 * spent:.1f} ms of processor time a conversation")
    return 0


async def _scores(scorer: Scorer, cases: Sequence[Case]) -> list[Score]:
    return [await scorer.score(case, case.recorded or Trajectory()) for case in cases]


def _groups(cases: Sequence[Case], trusted: Sequence[bool]) -> list[tuple[str, list[bool]]]:
    def where(test: Callable[[Case, bool], Any]) -> list[bool]:
        return [bool(test(case, good)) for case, good in zip(cases, trusted, strict=True)]

    return [
        ("all, as rewarded", where(lambda case, good: True)),
        ("all, less calls written as text", where(lambda case, good: not uncalled(case))),
        ("all with the state compared", where(lambda case, good: good)),
        ("tau, as rewarded", where(lambda case, good: not newer(case))),
        ("tau, state compared", where(lambda case, good: good and not newer(case))),
        ("tau, state not compared", where(lambda case, good: not good)),
        ("tau2", where(lambda case, good: newer(case))),
        *(
            (f"tau2 {domain}", where(lambda case, good, d=domain: newer(case) and case.metadata.get("domain") == d))  # type: ignore[misc]
            for domain in ("airline", "retail", "telecom")
        ),
    ]


def _print(
    title: str, groups: Sequence[tuple[str, list[bool]]], rewards: Sequence[bool], verdicts: Sequence[bool]
) -> None:
    print(f"\n{title}")
    for name, chosen in groups:
        pairs = [(r, v) for r, v, here in zip(rewards, verdicts, chosen, strict=True) if here]
        right = sum(r == v for r, v in pairs) / max(1, len(pairs))
        print(
            f"  {name:34} n {len(pairs):5}  kappa {_kappa(pairs):6.3f}  accuracy {right:.3f}  solved "
            f"{_share(pairs):.3f}"
        )


def _share(pairs: Sequence[tuple[bool, bool]]) -> float:
    return sum(reward for reward, _ in pairs) / max(1, len(pairs))


def _kappa(pairs: Sequence[tuple[bool, bool]]) -> float:
    if not pairs:
        return float("nan")
    agreed = sum(one == other for one, other in pairs) / len(pairs)
    one, other = _share(pairs), sum(verdict for _, verdict in pairs) / len(pairs)
    chance = one * other + (1 - one) * (1 - other)
    return (agreed - chance) / (1 - chance) if chance < 1 else float("nan")


def _brier(chances: Sequence[float], rewards: Sequence[bool]) -> float:
    return sum((p - r) ** 2 for p, r in zip(chances, rewards, strict=True)) / len(rewards)


def _bins(chances: Sequence[float], rewards: Sequence[bool]) -> str:
    told = []
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        here = [(p, r) for p, r in zip(chances, rewards, strict=True) if low <= p < low + 0.2 or p == low + 0.2 == 1.0]
        if here:
            told.append(f"{sum(p for p, _ in here) / len(here):.2f}→{sum(r for _, r in here) / len(here):.2f}")
    return " ".join(told)


if __name__ == "__main__":
    raise SystemExit(main())
