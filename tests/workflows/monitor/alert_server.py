"""A process that indexes and watches as a server does, for tests that kill it: FOLDER URL SENT."""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path

from proctor.monitor.alert_engine import AlertEngine
from proctor.monitor.alert_rules import DEFAULT_RULES, rules_of
from proctor.store.event_indexer import EventIndexer
from proctor.store.postgres_events import PostgresEventDatabase
from proctor.store.postgres_monitor import PostgresAlertState
from proctor.workflows.monitor.alert_leader import AlertLeader, recent_log_rows


def main(folder: Path, url: str, sent: Path) -> None:
    indexer = EventIndexer(folder, database=PostgresEventDatabase(url))
    state = PostgresAlertState(url)
    rules = rules_of({**dict.fromkeys(DEFAULT_RULES, False), "errors": {"in_a_row": "error", "count": 3}})
    leader = AlertLeader(indexer, lambda: AlertEngine(rules, state), recent=partial(recent_log_rows, indexer))
    print("ready", flush=True)
    while True:
        indexer.catch_up()
        now = time.time()
        for change in leader.tick(now):
            with sent.open("a") as out:
                out.write(f"{change.kind} {change.alert.rule} {change.alert.number}\n")
            state.mark_notified(change.alert.number, now, change.kind)
        print("leads" if leader.engine is not None else "waits", flush=True)
        time.sleep(0.05)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
