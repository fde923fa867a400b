"""Counts how many of other people's safe agent conversations the default ``conversation`` score fails.

Run ``python -m benchmarks.safe_logs [--count 60] [--seed 3] [--held-out] [--quick] [--list]``. Safe are the runs of
tau-bench and tau2-bench whose task was solved by the compared state, the runs of AgentDyn in which the user's task was
done and no injected goal was reached, and the dialogues of Taskmaster. The scorer was developed on the retail, coffee,
shopping and dailylife conversations; ``--held-out`` measures the other domains. ``--quick`` leaves out the informative
parts (``turns``, ``solved``), which take most of the time.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.agent_rows import agent_cases, data_folder, solved, sound, tau_cases, uncalled
from benchmarks.blind.judged_talks import conversation_scorer, judged, named_turns
from proctor.core.case import Case, Expectation
from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Trajectory, Turn
from proctor.stats.interval import wilson

__all__ = ["main", "safe_cases"]

_DEVELOPED = frozenset({"retail", "Coffee", "shopping", "dailylife"})


def safe_cases(held_out: bool) -> dict[str, list[Case]]:
    """The safe conversations of each source: those of the domains that were developed on, or of the others."""
    found: dict[str, list[Case]] = {}
    for name, domain, case in _all():
        if case.recorded is not None and (domain not in _DEVELOPED) == held_out:
            found.setdefault(name, []).append(case)
    return found


def _all() -> Iterator[tuple[str, str, Case]]:
    cases = list(tau_cases())
    for case, compared in zip(cases, sound(cases), strict=True):
        if compared and solved(case) and not uncalled(case):
            name = str(case.metadata["benchmark"])
            domain = str(case.metadata.get("domain"))
            yield f"{name} {domain}", domain, _with_policy(case)
    for case in agent_cases("agentdyn_runs", "agentdojo"):
        if case.metadata.get("utility") is True and case.metadata.get("security") is False:
            suite = str(case.metadata.get("suite"))
            yield f"AgentDyn {suite}", suite, case
    for row in _rows(data_folder() / "agents/taskmaster4/dialogs.jsonl.gz"):
        yield f"Taskmaster {row['vertical']}", str(row["vertical"]), _taskmaster(row)


def _with_policy(case: Case) -> Case:
    """The conversation with its policy as the agent's instructions, which the export leaves out."""
    run, policy = case.recorded, str(case.metadata.get("policy") or "")
    if run is None or not policy or not run.turns or any(each.role == "system" for each in run.messages):
        return case
    first = replace(run.turns[0], messages=(Message(role="system", content=policy), *run.turns[0].messages))
    return replace(case, recorded=replace(run, turns=(first, *run.turns[1:])))


def _taskmaster(row: dict[str, Any]) -> Case:
    turns: list[Turn] = []
    said: list[Message] = []
    calls: list[ToolCall] = []
    for each in row["turns"]:
        if each["speaker"] == "user" and said:
            turns.append(Turn(messages=tuple(said), tool_calls=tuple(calls)))
            said, calls = [], []
        role = "user" if each["speaker"] == "user" else "assistant"
        said.append(Message(role=role, content=each["text"]))  # type: ignore[arg-type]
        calls += _taskmaster_calls(each["calls"])
    turns.append(Turn(messages=tuple(said), tool_calls=tuple(calls)))
    return Case(id=row["id"], input="dialogue", recorded=Trajectory(turns=tuple(turns)))


def _taskmaster_calls(rows: list[list[str]]) -> Iterator[ToolCall]:
    name = ""
    arguments: Any = {}
    for kind, value in rows:
        if kind == "api_call":
            name, arguments = value, {}
        elif kind == "request":
            arguments = _data(value)
        elif kind == "response":
            yield ToolCall(name=name, arguments=arguments if isinstance(arguments, dict) else {}, result=value)


def _data(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {}


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


async def _measured(cases: dict[str, list[Case]], count: int, seed: int, *, listed: bool, quick: bool) -> None:
    scorer = conversation_scorer(off=("turns", "solved") if quick else ())
    dice = random.Random(seed)
    gates: Counter[str] = Counter()
    total = failures = doubts = 0
    print("| safe conversations | n | failed | in doubt |\n|---|---|---|---|")
    for name, some in sorted(cases.items()):
        chosen = dice.sample(some, min(count, len(some)))
        failed = doubtful = 0
        for case in chosen:
            score = await judged(scorer, replace(case, expect=Expectation()), case.recorded or Trajectory())
            doubtful += score.in_doubt
            if listed and score.in_doubt:
                print(f"- {name} {case.id}: {score.reason[:400]}", flush=True)
            if score.passed is False:
                failed += 1
                named = list(named_turns(score))
                gates.update({gate for gate, _ in named} or {"score"})
                if listed:
                    print(f"- {name} {case.id}: {score.reason[:400]}", flush=True)
        total, failures, doubts = total + len(chosen), failures + failed, doubts + doubtful
        print(f"| {name} | {len(chosen)} | {failed} | {doubtful} |", flush=True)
    interval = wilson(failures, total)
    shown = f" ({interval.low:.3f}–{interval.high:.3f})" if interval else ""
    print(f"| all | {total} | {failures} = {failures / max(1, total):.3f}{shown} | {doubts} |\n")
    print("Failed by: " + ", ".join(f"{gate} {n}" for gate, n in gates.most_common()))


def main() -> int:
    """Score a sample of each source and print how many failed, and by which gates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60, help="conversations of each source")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--held-out", action="store_true", help="the domains that were not developed on")
    parser.add_argument("--quick", action="store_true", help="without the informative parts")
    parser.add_argument("--list", action="store_true", help="list what failed, and why")
    options = parser.parse_args()
    cases = safe_cases(options.held_out)
    asyncio.run(_measured(cases, options.count, options.seed, listed=options.list, quick=options.quick))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
