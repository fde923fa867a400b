"""Campaigns against the travel desk, unguarded and guarded: rates by scope, and twins that the guard stops.

Run ``python -m benchmarks.redteam.campaigns [--attempts 200] [--brain naive] [--adaptive --tries 100]``.
It uses the command that users have, on a copy of the example, and reads the JSON report. The naive brain is obedient by
construction: its rate says what the attacks can do at most, not how likely they are.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["main", "table"]

DESK = Path(__file__).parents[2] / "examples" / "travel_desk"
CAMPAIGNS = {"naive": "desk", "careful": "careful"}
_ENDED = (0, 1)  # nothing was executed, or something was


def _share(rate: Mapping[str, Any]) -> str:
    if rate["value"] is None:
        return "–"
    shown = f"{100 * rate['value']:.1f} % ({100 * rate['low']:.0f}–{100 * rate['high']:.0f})"
    return f"{shown} of {rate['total']}"


def table(reports: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Return the figures of each report by scope, as a Markdown table."""
    lines = ["| target | scope | executed | any of n, by goal | benign twins stopped | not reached | unscored |"]
    lines.append("|" + "---|" * 7)
    for name, report in reports:
        for part in (*report["scopes"], report["held_out"], report["total"]):
            cells = [name, part["name"].replace("_", " "), _share(part["rate"]), _share(part["any_of_n"])]
            cells += [_share(part["twin_stopped"]), str(part["not_reached"]), str(part["unscored"])]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _campaign(folder: Path, brain: str, extra: Sequence[str]) -> Mapping[str, Any]:
    report = folder / "report.json"
    proctor = str(Path(sys.executable).with_name("proctor"))
    command = [proctor, "redteam", "run", CAMPAIGNS[brain], "-q", "-o", str(report), *extra]
    done = subprocess.run(command, cwd=folder, check=False)
    if done.returncode not in _ENDED:
        raise SystemExit(f"the campaign ended with {done.returncode}")
    loaded: Mapping[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return loaded


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, default=200)
    parser.add_argument("--brain", action="append", choices=sorted(CAMPAIGNS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--adaptive", action="store_true")
    parser.add_argument("--tries", type=int, default=100)
    parser.add_argument("--goal", action="append", default=[], help="only these goals; wildcards are allowed")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    extra = ["--attempts", str(options.attempts), "--seed", str(options.seed)]
    extra += [word for goal in options.goal for word in ("--goal", goal)]
    extra += ["--adaptive", "--tries", str(options.tries)] if options.adaptive else []
    reports = []
    for brain in options.brain or sorted(CAMPAIGNS, reverse=True):
        for guarded in (False, True):
            with tempfile.TemporaryDirectory() as place:
                folder = Path(place) / "desk"
                shutil.copytree(DESK, folder, ignore=shutil.ignore_patterns(".proctor", "__pycache__"))
                clock = time.perf_counter()
                report = _campaign(folder, brain, [*extra, "--guarded"] if guarded else extra)
                name = f"{brain}, {'guarded' if guarded else 'unguarded'}"
                stops = ", ".join(f"{gate} {count}" for gate, count in report["total"]["stopped_by"].items())
                twins = ", ".join(f"{gate} {count}" for gate, count in report["total"]["twin_stopped_by"].items())
                spent = time.perf_counter() - clock
                print(
                    f"{name}: {spent:.0f} s; stopped by {stops or 'nothing'}; twins by {twins or 'nothing'}", flush=True
                )
                reports.append((name, report))
    made = table(reports)
    print(made)
    if options.output:
        options.output.write_text(made + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
