"""Logs of conversations for batches, and the processes of a batch."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["children", "scores_in", "until", "write_logs"]


def write_logs(folder: Path, files: int, conversations: int, *, turns: int = 2) -> None:
    """Write JSON Lines with chats of seeded texts."""
    dice = random.Random(7)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        lines = []
        for index in range(conversations):
            said = []
            for _ in range(turns):
                order, days = dice.randint(1000, 9999), dice.randint(2, 9)
                said.append({"role": "user", "content": f"Where is my order {order}?"})
                said.append({"role": "assistant", "content": f"Order {order} arrives in {days} days."})
            lines.append(json.dumps({"id": f"c{number}-{index}", "intent": "order_status", "messages": said}))
        (folder / f"log{number}.jsonl").write_text("\n".join(lines) + "\n")


def scores_in(folder: Path) -> dict[str, bytes]:
    """Return the output files of a batch."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted((folder / "scores").rglob("*.jsonl"))}


def children(pid: int, word: str) -> list[int]:
    """Return the processes below this one whose command line has the word."""
    found: list[int] = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            command = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (OSError, ValueError):
            continue
        if parent == pid:
            here = int(place.name)
            found += [here] if word in command else []
            found += children(here, word)
    return found


def until(done: Callable[[], object], seconds: float = 300.0) -> None:
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
