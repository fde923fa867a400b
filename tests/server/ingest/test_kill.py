"""kill -9 under load from the real exporter: what was acknowledged is there, once."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.server.ingest.servers import Served, environment, rows_in

ROOT = Path(__file__).parents[3]
EXPORTER = Path(__file__).with_name("exporter.py")
CONFIG = "monitor: {ingest: {settle: 0.2, late: 2}, history: {masking: none, search: false}}\n"


def test_nothing_acknowledged_is_lost_or_doubled_by_kill(tmp_path: Path) -> None:
    (tmp_path / "proctor.yaml").write_text(CONFIG)
    served = Served(tmp_path)
    command = [sys.executable, str(EXPORTER), served.url, "0", "1000000"]
    sender = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment())
    acknowledged: list[int] = []
    assert sender.stdout is not None
    output = sender.stdout

    def follow() -> None:
        for line in output:
            acknowledged.extend(map(int, line.split()))

    reader = threading.Thread(target=follow)
    reader.start()
    try:
        for kill in range(2):
            _wait(partial(_has, acknowledged, (kill + 1) * 100))
            served.kill()
            served = Served(tmp_path, port=served.port)
        _wait(partial(_has, acknowledged, 300))
    finally:
        sender.kill()
        sender.wait()
        reader.join()
        output.close()
    served.stop()
    stored = Counter(row.session for row in rows_in(tmp_path))
    assert {number for number in acknowledged if f"s-{number}" not in stored} == set()
    assert {session: times for session, times in stored.items() if times > 1} == {}
    assert len(acknowledged) == len(set(acknowledged))


def _has(found: list[int], count: int) -> bool:
    return len(found) >= count


def _wait(done: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not done():
        assert time.monotonic() < until, "the sender made no progress"
        time.sleep(0.01)
