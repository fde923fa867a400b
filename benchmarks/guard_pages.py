"""How long the index of the guard's log and the guard's pages take, by the number of decisions.

Run ``python -m benchmarks.guard_pages [--decisions 100000]``. The log has four gates a decision and 30 days; 5 % of the
decisions stop or change something. Times are of the processor: the handler and its template, without HTTP.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import orjson

from benchmarks.table import Row, markdown
from proctor.config import open_config
from proctor.core.person import Person
from proctor.server.pages.page import PageRequest, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.templates import TEMPLATES
from proctor.server.pages.views.guard import PAGE
from proctor.store.guard_log import FOLDER

__all__ = ["main", "write_log"]

GATES = ("pii", "injection", "danger", "premises")
DAYS = 30
ROUNDS = 5


def write_log(folder: Path, count: int, now: datetime, seed: int = 7) -> int:
    """Write a log of 30 days; return its size."""
    draw = Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, list[bytes]] = {}
    for number in range(count):
        time_ = now - timedelta(days=DAYS * number / count)
        is_stopped = draw.random() < 0.05
        parts: list[dict[str, Any]] = [
            {"action": "allow", "gate": gate, "version": "1", "latency": draw.uniform(0.0005, 0.01)} for gate in GATES
        ]
        verdict: dict[str, Any] = {"action": "allow", "gate": "input", "latency": 0.02}
        if is_stopped:
            found = {"kind": "override", "detector": "injection/model", "confidence": round(draw.uniform(0.6, 1.0), 4)}
            parts[1] |= {"action": "block", "findings": [found], "reason": "the message sets instructions aside"}
            verdict |= {"action": "block", "by": "injection", "reason": "the message sets instructions aside"}
        row = {
            "kind": "gate",
            "time": time_.isoformat(),
            "id": f"{number:08x}{draw.getrandbits(96):024x}",
            "session": f"s{number // 8}",
            "name": "input",
            "verdict": verdict,
            "metadata": {"parts": parts, "mode": "enforce", "text": "Where do we meet on the first day? " * 6},
        }
        files.setdefault(time_.date().isoformat(), []).append(orjson.dumps(row) + b"\n")
    for day, lines in files.items():
        (folder / f"{day}.ndjson").write_bytes(b"".join(reversed(lines)))
    return sum(len(line) for lines in files.values() for line in lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=100_000)
    count = parser.parse_args(argv).decisions
    now = datetime.now(UTC)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "proctor.yaml").write_text("", encoding="utf-8")
        config = open_config(folder)
        size = write_log(config.store / FOLDER, count, now)
        desk = PageStores(config)
        begun = time.process_time()
        desk.guard.catch_up()
        indexed = time.process_time() - begun
        name = f"{count:,} decisions"
        figures = {"index the log": f"{count / indexed:,.0f} decisions per CPU second ({size / 1e6:,.0f} MB)"}
        figures |= {path: _page(desk, path, now) for path in ("/guard", "/guard/what-if")}
        desk.close()
    rows = [Row(measure=measure, bound="", kept=None, figures={name: said}) for measure, said in figures.items()]
    print(markdown(rows, [name]))
    return 0


def _page(desk: PageStores, path: str, now: datetime) -> str:
    route = next(each for each in PAGE.routes if each.path == path and each.method == "GET")
    visitor = Person(name="ada", role="admin")
    asked = PageRequest(at=f"/ui{path}", visitor=visitor, now=now.timestamp())
    taken: list[float] = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        view = route.answer(desk, asked)
        assert isinstance(view, View)
        frame = {"nav": (), "page": None, "title": view.title, "visitor": visitor, "live": "", "form_token": ""}
        more = {"said": "", "now": asked.now, "ask": asked, "tables": view.tables, "charts": view.charts}
        TEMPLATES.render(view.template, **frame, **more, **view.data)
        taken.append(time.process_time() - begun)
    return f"{1000 * taken[0]:.0f} CPU ms the first time, {1000 * sorted(taken)[ROUNDS // 2]:.0f} then"


if __name__ == "__main__":
    raise SystemExit(main())
