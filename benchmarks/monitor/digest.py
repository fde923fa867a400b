"""Cost of a digest: processor time per event and memory, for logs of two sizes.

    python -m benchmarks.monitor.digest [--full]

The traffic is the simulated travel desk: eight days, in the project's own log. Each digest is made in a process of its
own; ``--full`` adds the local models.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from proctor.core.event_row import EventRow, row_of
from proctor.monitor.simulation.traffic import simulate
from proctor.monitor.simulation.travel_desk import travel_desk
from proctor.store.event_log import FOLDER, EventLog

START = datetime(2026, 11, 2, tzinfo=UTC)
HOURS = 24.0 * 14
TURNS_PER_MINUTE = (1.0, 4.0)
BATCH = 5_000


def fill(folder: Path, turns_per_minute: float) -> int:
    """Write two weeks of traffic to the log of a project; return how many events."""
    (folder / "proctor.yaml").write_text("monitor: {digest: {sample: 100}}\n", encoding="utf-8")
    scenario = travel_desk(start=START, hours=HOURS, turns_per_minute=turns_per_minute)
    count, batch = 0, list[EventRow]()
    with EventLog(folder / ".proctor" / FOLDER) as log:
        for event in simulate(scenario, 1):
            batch.append(row_of(event))
            if len(batch) == BATCH:
                count += len(log.append(batch).new)
                batch.clear()
        return count + len(log.append(batch).new)


def measure(folder: Path, kind: str, name: str, *, light: bool) -> dict[str, float]:
    """Make one digest in a process of its own."""
    words = ["digest", kind, name, "-o", "d.json", *(["--light"] if light else [])]
    code = "from proctor.cli.main import main; main()"
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", code, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"the digest ended with {child.returncode}")
    wall = time.perf_counter() - begun
    cpu = used.ru_utime + used.ru_stime
    return {"cpu_s": round(cpu, 2), "wall_s": round(wall, 2), "peak_mb": round(used.ru_maxrss / 1024)}


def main() -> None:
    """Print one JSON line for each size and period."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--full", action="store_true", help="also with the local models")
    full = parser.parse_args().full
    for rate in TURNS_PER_MINUTE:
        with tempfile.TemporaryDirectory() as place:
            events = fill(Path(place), rate)
            for kind, name in (("daily", "2026-11-14"), ("weekly", "2026-W46")):
                for light in (True, False) if full else (True,):
                    found = measure(Path(place), kind, name, light=light)
                    print(json.dumps({"events": events, "digest": kind, "light": light, **found}), flush=True)


if __name__ == "__main__":
    main()
