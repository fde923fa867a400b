"""Measures a blind set: ``python -m benchmarks.blind PART [--sealed] [--large] [--misses]``.

Without ``--sealed`` the halves for development are measured, ``dev.jsonl`` and any ``dev-N.jsonl``, which was
sealed before it was opened and its misses were read. ``--sealed`` opens the sealed half: the file must be the one
that SEAL.md names, and date, commit and figures are appended to RESULTS.md.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.blind.judged import PARTS, Item
from benchmarks.blind.judged_quality import QUALITY_PARTS
from benchmarks.blind.networks_used import use_large
from proctor.stats.interval import wilson

_HERE = Path(__file__).parent


def main() -> int:
    """Read the set, judge it, print the table; append it to the results when the set is sealed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blind", description=__doc__)
    parser.add_argument("part", choices=sorted([*PARTS, *QUALITY_PARTS]))
    parser.add_argument("--sealed", action="store_true", help="measure the sealed half, and keep what came out")
    parser.add_argument("--misses", action="store_true", help="list the items that came out wrong")
    parser.add_argument("--large", action="store_true", help="with the optional large network, which must be installed")
    asked = parser.parse_args()
    if asked.large:
        use_large()
    folder = _HERE / asked.part
    paths = [folder / "sealed.jsonl"] if asked.sealed else sorted(folder.glob("dev*.jsonl"))
    if not all(path.exists() for path in paths):
        print(f"{asked.part} has no sealed half: the last one was opened and is for development now", file=sys.stderr)
        return 2
    text = ""
    for path in paths:
        raw = path.read_bytes()
        if asked.sealed and hashlib.sha256(raw).hexdigest() not in (folder / "SEAL.md").read_text("utf-8"):
            print(f"{path} is not the file that SEAL.md names: it was changed after it was sealed", file=sys.stderr)
            return 2
        items: list[Item] = [_labelled(json.loads(line)) for line in raw.decode().splitlines() if line.strip()]
        text, misses = _measured(asked.part, items)
        print(text if len(paths) == 1 else f"{path.name}\n\n{text}\n")
        if asked.misses:
            print("\n".join(f"- {each}" for each in misses))
    if asked.sealed:
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
        ).stdout.strip()
        with (folder / "RESULTS.md").open("a", encoding="utf-8") as file:
            networks = ", with the large network" if asked.large else ""
            file.write(f"## {datetime.now(UTC):%Y-%m-%d}, commit {commit or 'unknown'}{networks}\n\n{text}\n\n")
    return 0


def _measured(part: str, items: Sequence[Item]) -> tuple[str, list[str]]:
    """The table of a part, and the items that came out wrong."""
    if part in QUALITY_PARTS:
        return asyncio.run(QUALITY_PARTS[part](items))
    judged = asyncio.run(PARTS[part](items))
    misses = [
        f"{item['id']} ({item['kind']}, {item['lang']}): {item['label']} taken for {said}"
        for item, (said, _) in zip(items, judged, strict=True)
        if said != _expected(part, item)
    ]
    return table(part, items, judged), misses


def table(part: str, items: Sequence[Item], judged: Sequence[tuple[str, str]]) -> str:
    """Kind and language, how many of each came out right, with the interval, and the same for the baseline."""
    lines = ["| rows | n | right | interval | baseline |", "|---|---|---|---|---|"]
    groups: dict[str, list[tuple[bool, bool]]] = {}
    confused: Counter[tuple[str, str]] = Counter()
    for item, (said, plain) in zip(items, judged, strict=True):
        expected = _expected(part, item)
        right = (said == expected, plain == expected)
        confused[expected, said] += 1
        for name in (f"all {expected}", f"{expected}: {item['kind']}", f"{expected} in {item['lang']}"):
            groups.setdefault(name, []).append(right)
    for name in sorted(groups, key=lambda name: (not name.startswith("all"), " in " in name, name)):
        rights = groups[name]
        hits, plain_hits = sum(right for right, _ in rights), sum(plain for _, plain in rights)
        interval = wilson(hits, len(rights))
        shown = f"{interval.low:.2f}–{interval.high:.2f}" if interval else "–"
        lines.append(
            f"| {name} | {len(rights)} | {hits / len(rights):.2f} | {shown} | {plain_hits / len(rights):.2f} |"
        )
    lines += ["", "Expected → judged: " + ", ".join(f"{a} → {b} {n}" for (a, b), n in sorted(confused.items()))]
    return "\n".join(lines)


def _labelled(item: Item) -> Item:
    """Return the item with the keys that every set has.

    Answers to an attack say ``gave_in`` and ``language``; conversations say ``fault``.
    """
    if "fault" in item:
        return {**item, "kind": item["fault"]}
    if "gave_in" not in item:
        return item
    return {**item, "lang": item["language"], "label": "gave in" if item["gave_in"] else "resisted"}


def _expected(part: str, item: Item) -> str:
    label = str(item["label"])
    return "dangerous" if part == "danger" and label != "harmless" else label


if __name__ == "__main__":
    sys.exit(main())
