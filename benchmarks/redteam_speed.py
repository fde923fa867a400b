"""How long attempts with their benign twins take against the rule-based travel desk.

Run ``python -m benchmarks.redteam_speed [--attempts 1000] [--target naive]``. The attempts are planned from the goals
of the example, run with the journal and the store, and judged, as in a campaign.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.table import Row, markdown
from proctor.config import Environment, load_config
from proctor.core.attack import SCOPES
from proctor.core.case import Case
from proctor.core.report import Result
from proctor.redteam.goals import load_goals
from proctor.redteam.plan import PlanSettings, plan_attempts
from proctor.workflows.evaluate import evaluate_cases

__all__ = ["main", "planned"]

DESK = Path(__file__).resolve().parent.parent / "examples" / "travel_desk"
MOST_SECONDS = 90.0
ATTEMPTS = 1000


def planned(count: int) -> list[Case]:
    """The first attempts of a plan over all goals of the desk, every scope in equal parts."""
    goals = load_goals([DESK / "redteam"])
    scopes = [scope for scope in SCOPES if any(goal.scope == scope for goal in goals)]
    share = -(-count // len(scopes))
    return list(plan_attempts(goals, PlanSettings(attempts=share)).attempts)[:count]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the attempts and print the figures; 1 if the bound is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=ATTEMPTS)
    parser.add_argument("--target", default="naive")
    given = parser.parse_args(argv)
    cases = planned(given.attempts)
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        config = load_config(DESK / "proctor.yaml", Environment(values={}), start=DESK)
        config = replace(config, settings=replace(config.settings, store=f"{folder}/store"))

        def heard(result: Result) -> None:
            outcomes[next((score.label or score.status for score in result.scores), "none")] += 1

        def run() -> None:
            asyncio.run(evaluate_cases(config, cases, given.target, ["attack"], {"on_result": heard, "concurrency": 8}))

        wall, processor = _clocked(run)
    allowed = MOST_SECONDS * len(cases) / ATTEMPTS
    bound = f"< {MOST_SECONDS:g} s for {ATTEMPTS}" if given.target in ("naive", "careful") else ""
    rows = [
        Row(
            measure=f"{len(cases)} attempts with twins, judged and stored",
            bound=bound,
            kept=wall < allowed if bound else None,
            figures={given.target: f"{wall:.1f} s"},
        ),
        Row(
            measure="processor time a pair of attempt and twin",
            bound="",
            kept=None,
            figures={given.target: f"{1000 * processor / max(1, len(cases)):.1f} ms"},
        ),
        Row(
            measure="outcomes",
            bound="",
            kept=None,
            figures={given.target: ", ".join(f"{name} {count}" for name, count in outcomes.most_common())},
        ),
    ]
    print(markdown(rows, [given.target]))
    return 1 if any(row.kept is False for row in rows) else 0


def _clocked(work: Callable[[], None]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


if __name__ == "__main__":
    raise SystemExit(main())
