"""Measure everything and print a Markdown table: ``python -m benchmarks.run``."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from pathlib import Path

from benchmarks.contenders import bare, ours, ours_with_two_models, peers
from benchmarks.peers.environments import PEERS
from benchmarks.processes import hurry
from benchmarks.scale import growth, resumed
from benchmarks.spine import faults, limits, loops, shared_limit
from benchmarks.startup import startup
from benchmarks.table import Row, markdown

__all__ = ["main"]

_BEGIN, _END = "<!-- measured -->", "<!-- /measured -->"
_PARTS = ("loops", "start", "faults", "limits", "growth", "resume")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*_PARTS, []], default=[], help=f"only these: {' '.join(_PARTS)}")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of Proctor and bare aiohttp; the median is shown")
    parser.add_argument("--no-peers", action="store_true", help="leave the other tools out")
    parser.add_argument("--sizes", default="10000,30000,100000", help="cases for the measures of memory")
    parser.add_argument(
        "-o", "--output", type=Path, help="put the table into a file too, between its marks if it has any"
    )
    return parser.parse_args()


def main() -> int:
    """Measure, print, and end with 1 when a bound is missed."""
    options = _options()
    parts = options.parts or _PARTS
    others = [] if options.no_peers else peers()
    floor = [ours(), bare()]
    before, priority = os.getloadavg(), hurry()
    rows: list[Row] = []
    if "loops" in parts:
        rows += loops(floor, others, options.rounds)
    if "start" in parts:
        rows += startup()
    if "faults" in parts:
        rows.append(faults([ours(), *others]))
    if "limits" in parts:
        rows.append(limits([ours(), *others], "fixed"))
        rows.append(limits([ours()], "sliding"))
        rows += [shared_limit(ours(), ours_with_two_models(), window) for window in ("fixed", "sliding")]
    if "growth" in parts:
        rows += growth([int(size) for size in options.sizes.split(",")])
    if "resume" in parts:
        rows += resumed(500)
    absent = [peer.name for peer in PEERS if peer.name not in {other.name for other in others}]
    text = "\n\n".join(
        [
            markdown(rows, [contender.name for contender in (*floor, *others)]),
            f"{_machine()}; {priority}; load average {before[0]:.1f} before, {os.getloadavg()[0]:.1f} after."
            + (f" Not run: {', '.join(absent)}." if absent else ""),
        ]
    )
    print(text)
    if options.output:
        _put_into(options.output, text)
    return 0 if all(row.kept is not False for row in rows) else 1


def _put_into(path: Path, text: str) -> None:
    """Between the marks of a page that has them, else as the whole file."""
    before, begin, rest = (path.read_text() if path.exists() else "").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}" if end else text + "\n")


def _machine() -> str:
    return f"{os.cpu_count()} {platform.machine()} cores, Python {platform.python_version()}, {platform.system()}"


if __name__ == "__main__":
    sys.exit(main())
