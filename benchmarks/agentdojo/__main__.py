"""Replay AgentDojo's pairs with an obedient agent, unguarded and behind the default gates, and write the tables."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

from benchmarks.agentdojo.checkpoints import default_guard, guarded_session
from benchmarks.agentdojo.journal import Journal
from benchmarks.agentdojo.tables import tables

__all__ = ["main"]

SUITES = ("banking", "slack", "travel", "workspace")
ATTACKS = ("important_instructions", "tool_knowledge", "injecagent", "direct", "ignore_previous", "system_message")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agentdojo", description=__doc__)
    parser.add_argument("--journal", type=Path, default=Path("out/agentdojo.jsonl"), help="continued if it exists")
    parser.add_argument("--output", type=Path, help="Markdown file for the tables; standard output without it")
    parser.add_argument("--table-only", action="store_true", help="replay nothing; needs no agentdojo")
    parser.add_argument("--suites", nargs="+", choices=SUITES, default=SUITES)
    parser.add_argument("--attacks", nargs="+", default=ATTACKS)
    parser.add_argument("--sample", type=int, help="pairs of each suite, drawn with --seed; all without it")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--benchmark-version", default="v1.2.2", help="of AgentDojo's suites")
    options = parser.parse_args()
    if not options.table_only:
        replay(options)
    journal = Journal(options.journal)
    text = tables([each for each in journal.replays if each.suite in options.suites], journal.about)
    if options.output is None:
        print(text)
    else:
        options.output.write_text(text + "\n", encoding="utf-8")
    return 0


def replay(options: argparse.Namespace) -> None:
    from benchmarks.agentdojo.replay import Plan, replay_all

    plan = Plan(
        version=options.benchmark_version,
        suites=options.suites,
        attacks=options.attacks,
        seed=options.seed,
        sample=options.sample,
    )
    with default_guard() as guard:
        about = {
            "agentdojo": version("agentdojo"),
            "suites": options.benchmark_version,
            "guard": guard.version,
            "seed": options.seed,
        }
        journal = Journal(options.journal, about)
        try:
            replay_all(plan, journal, lambda: guarded_session(guard), lambda line: print(line, file=sys.stderr))
        finally:
            journal.close()


if __name__ == "__main__":
    raise SystemExit(main())
