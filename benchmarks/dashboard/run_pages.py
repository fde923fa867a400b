"""CPU time of the pages of runs over two runs of many results.

``python -m benchmarks.dashboard.run_pages [--results 100000] [--compare]``; with ``--compare`` also the comparison of
both runs, which is made once by a process of its own and kept.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from pathlib import Path

from proctor.config import Config, open_config
from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.person import Person
from proctor.core.report import Fingerprint, Result
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.server.pages.page import PageRequest, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.templates import TEMPLATES
from proctor.server.pages.views.runs import PAGE
from proctor.store.figures import keep_report
from proctor.store.ledger import RunLedger
from proctor.store.runs import RunStore
from proctor.workflows.release.side_by_side import keep_pair, open_pair

INTENTS = ("faq", "order_tracking", "return_request", "recommendation", "checkout_help")
TIMES = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=int, default=100_000)
    parser.add_argument("--compare", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "proctor.yaml").write_text("{}\n", encoding="utf-8")
        config = open_config(folder)
        with RunStore(config.store) as store:
            for run_id, rate in (("one", 0.93), ("two", 0.90)):
                record(store, run_id, given.results, rate)
        print(f"{given.results:,} results a run; CPU time to answer and render, median of {TIMES}")
        for words, milliseconds in figures(config, given.results):
            print(f"{words:45} {milliseconds:6.0f} ms")
        if given.compare:
            compare(config)


def record(store: RunStore, run_id: str, count: int, rate: float) -> None:
    """Write a finished run."""
    draw = random.Random(run_id)
    mark = Fingerprint(scorers={"relevance": "1"}, targets={"assistant": "1"})
    run = store.begin(run_id, name="shop", fingerprint=mark, settings={"job": {"suite": "shop"}}, total=count)
    ledger = RunLedger(store, run)
    for key in range(count):
        is_good = draw.random() < rate
        value = draw.uniform(0.7, 1.0) if is_good else draw.uniform(0.0, 0.6)
        question = f"Where is order {key}, and when will volume {key % 90} arrive?"
        answer = f"Order {key} was sent yesterday. Volume {key % 90} arrives on Friday. " * 3
        said = (Message(role="user", content=question), Message(role="assistant", content=answer))
        case = Case(
            id=f"case-{key:06}", input=question, intent=INTENTS[key % 5], tags=("smoke",) if not key % 10 else ()
        )
        evidence = (Evidence(quote="arrives on Friday", turn=0),)
        score = Score(name="relevance", value=value, threshold=0.65, reason="misses the date", evidence=evidence)
        result = Result(
            case=case,
            target="assistant",
            trajectory=Trajectory(turns=(Turn(messages=said, latency=draw.random(), cost=0.0001),)),
            scores=(score,),
            outcome="pass" if is_good else "fail",
            value=value,
            reason="" if is_good else "relevance under 0.65: misses the date",
        )
        ledger.keep_trajectory(key, case=case, target="assistant", sample=0, trajectory=result.trajectory)
        ledger.keep_result(key, result)
    ledger.close()
    store.end(run, status="finished", decision="failed", reason="too few passed")
    keep_report(store, store.get(run_id))


def figures(config: Config, count: int) -> list[tuple[str, float]]:
    """Return each page with its median CPU time in milliseconds."""
    desk, last = PageStores(config), str(max(1, count // 50))
    run, case = "/runs/{id}", "/runs/{id}/cases/{key:.+}"
    one = {"id": "one"}
    asked: list[tuple[str, str, dict[str, str], dict[str, str]]] = [
        ("the table of runs", "/runs", {}, {}),
        ("a run, first page", run, one, {}),
        ("a run, last page", run, one, {"page": last}),
        ("a run, failed results, page 20", run, one, {"outcome": "fail", "page": "20"}),
        ("a run, results of a failed check", run, one, {"failing": "relevance"}),
        ("a run, one intent and one tag", run, one, {"intent": "faq", "tag": "smoke"}),
        ("a run, words of a reason", run, one, {"q": "the date"}),
        ("a run, sorted by latency, last page", run, one, {"sort": "-latency", "page": last}),
        ("one result by its key", case, {"id": "one", "key": str(count // 2)}, {}),
        ("one result by its case", case, {"id": "one", "key": f"case-{count // 2:06}"}, {}),
    ]
    return [(words, _median(desk, path, at, query)) for words, path, at, query in asked]


def _median(desk: PageStores, path: str, at: dict[str, str], query: dict[str, str]) -> float:
    route = next(each for each in PAGE.routes if each.path == path)
    visitor = Person(name="ann", role="viewer")
    listed = {name: [value] for name, value in query.items()}
    times = []
    for _ in range(TIMES):
        start = time.process_time()
        asked = PageRequest(at="/ui/runs", path=at, query=listed, visitor=visitor, now=time.time())
        view = route.answer(desk, asked)
        assert isinstance(view, View)
        frame = {
            "nav": (),
            "page": None,
            "title": "",
            "visitor": None,
            "live": "",
            "form_token": "",
            "said": "",
            "now": 0,
        }
        TEMPLATES.render(view.template, **frame, ask=asked, tables=view.tables, charts=view.charts, **view.data)
        times.append(1000 * (time.process_time() - start))
    return statistics.median(times)


def compare(config: Config) -> None:
    with RunStore(config.store) as store:
        start = time.process_time()
        keep_pair(config, store, open_pair(config, store, "one", "two"))
        print(f"{'the comparison of both, made once':45} {time.process_time() - start:6.1f} s")
    ms = _median(PageStores(config), "/runs/compare", {}, {"a": "one", "b": "two"})
    print(f"{'both side by side, kept':45} {ms:6.0f} ms")


if __name__ == "__main__":
    main()
