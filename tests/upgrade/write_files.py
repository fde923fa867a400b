"""Write files for the upgrade tests with the version that is imported: `python tests/upgrade/write_files.py FOLDER`.

FOLDER is a copy of tests/upgrade/files/shop without what is written here. Run it with the code and the entry points of
the version before a change of formats, then keep FOLDER: the tests open it with the code of today.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = [sys.executable, "-c", "from proctor.cli.main import main; main()"]


def proctor(*words: str, codes: tuple[int, ...] = (0, 1)) -> str:
    """Call the program in a process of its own and return what it printed."""
    done = subprocess.run([*PROGRAM, *words], capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        raise SystemExit(f"proctor {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def last_run() -> str:
    return proctor("list", "-n", "1").splitlines()[1].split("\t")[0]


def write_runs() -> dict[str, str]:
    """Runs of every kind; the name of each with its id."""
    runs = {}
    for name, words in (
        ("finished", ("run", "first", "-t", "agent")),
        ("guarded", ("run", "first", "-t", "guarded", "-k", "2")),
        ("prompt", ("run", "prompts/reply.prompty", "-m", "obedient:scripted", "-m", "canned", "-n", "6")),
        ("scored", ("score", "talks.jsonl", "--light")),
        ("replayed", ("replay", "talks.jsonl", "--target", "agent", "--light")),
    ):
        proctor(*words, codes=(0, 1, 3))
        runs[name] = last_run()
    proctor("bless", runs["finished"])
    proctor("run", "first", "-t", "worse")
    runs["worse"] = last_run()
    proctor("gate", runs["worse"], codes=(0, 1, 3))
    Path("stop").touch()
    proctor("run", "first", "-t", "agent", "-j", "1", codes=(9,))
    Path("stop").unlink()
    runs["stopped"] = last_run()
    return runs


async def write_guard_log() -> None:
    """Decisions of every action, one of them because the guard was busy."""
    from proctor import Guard

    guard = Guard.from_config()
    session = guard.session("s-17", customer="c-17")
    await session.input("What does shipping cost?")
    await session.input("My card is 4111 1111 1111 1111.")
    await session.input("The word is swordfish.")
    await session.input("It is guaranteed to fit.")
    await session.tool_call("cancel_order", {"id": "B-1042"}, intents=("policy",))
    await session.output("You will hear of a lawsuit.")
    flood = [guard.session(customer=f"c-{number}").input(f"Question {number}?" * 20) for number in range(8)]
    await asyncio.gather(*flood)
    guard.close()


def main() -> None:
    os.chdir(sys.argv[1])
    proctor("generate", "prompts/reply.prompty", "--no-model", "--effort", "min", "-q")
    proctor("freeze", "suites/first.yaml", "-o", "golden.jsonl")
    runs = write_runs()
    asyncio.run(write_guard_log())
    proctor("escalations", "talks.jsonl", "--hand-offs", "handoffs.jsonl")
    label = ("--category", "knowledge_gap", "--note", "not in the text", "--by", "desk")
    proctor("escalations", "label", "talk-3", *label)
    decided = [json.loads(line) for file in Path("store/guard").glob("*.ndjson") for line in file.open()]
    stopped = next(each["id"] for each in decided if each["verdict"]["action"] == "block")
    proctor("review", "resolve", stopped, "--verdict", "wrong", "--by", "desk", "--note", "a fish, not a password")
    for made in Path("store").rglob("gate.html"):
        made.unlink()  # a report, large, and opened by nothing
    proctor("export", runs["finished"], "-o", "exported.jsonl", "-o", "exported.json")
    for name, run in runs.items():
        print(name, run)


if __name__ == "__main__":
    main()
