from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from proctor.core.case import Case
from proctor.core.chat import Message, Usage
from proctor.core.errors import NotFoundError, StoreError
from proctor.core.report import Counts, Fingerprint, Result, Spend
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.store.db import MIGRATIONS, connect
from proctor.store.figures import keep_report
from proctor.store.journal import Journal, read_lines
from proctor.store.ledger import RunLedger
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunRecord, RunStore


def _begin(store: RunStore, run_id: str = "20261115-090000-aaaa") -> RunRecord:
    return store.begin(run_id, name="first", fingerprint=Fingerprint(suite="s"), settings={"job": {}}, total=3)


def _result(number: int, outcome: str = "pass", **more: object) -> Result:
    turn = Turn(
        messages=(Message(role="user", content=f"q{number}"), Message(role="assistant", content="日本語")),
        latency=number / 10,
        cost=0.5,
    )
    value = {"pass": 1.0, "fail": 0.0}.get(outcome)
    score = Score(name="exact", value=value, status="ok" if value is not None else "error", threshold=0.5)
    fields = {"intent": "faq", "tags": ("a", "b")} | more
    return Result(
        case=Case(id=f"c{number}", input=f"q{number}", **fields),  # type: ignore[arg-type]
        target="agent",
        trajectory=Trajectory(turns=(turn,)),
        scores=(score,),
        outcome=outcome,  # type: ignore[arg-type]
        value=value,
        reason="" if outcome == "pass" else "because",
    )


def _keep(ledger: RunLedger, number: int, result: Result) -> None:
    ledger.keep_trajectory(
        number, case=result.case, target=result.target, sample=result.sample, trajectory=result.trajectory
    )
    ledger.keep_result(number, result)


def test_a_run_is_written_and_read_back_whole(tmp_path: Path) -> None:
    outcomes = ["pass", "fail", "unscored", "pass"]
    with RunStore(tmp_path) as store:
        run = _begin(store)
        ledger = RunLedger(store, run)
        kept = [_result(number, outcome) for number, outcome in enumerate(outcomes)]
        for number, result in enumerate(kept):
            _keep(ledger, number, result)
        ledger.close()
        store.keep_spend(run, [Spend(model="m", calls=4, usage=Usage(input=10, output=5), cost=0.25)])
        store.end(run, status="finished", decision="failed", reason="1 of 4 failed", concurrency=[{"model": "m"}])
        reader = RunReader(store, store.find("last"))
        assert list(reader.results()) == kept
        report = reader.report()
    assert report.counts == Counts(passed=2, failed=1, unscored=1)
    assert (report.status, report.decision) == ("finished", "failed")
    (target,) = report.by_target
    assert (target.name, target.counts) == ("agent", report.counts)
    (scorer,) = report.by_scorer
    assert (scorer.name, scorer.counts.unscored) == ("exact", 1)
    assert scorer.mean == pytest.approx(2 / 3)
    assert scorer.histogram == (1, 0, 0, 0, 0, 0, 0, 0, 0, 2)
    assert [tally.name for tally in report.by_tag] == ["a", "b"]
    assert report.by_intent[0].name == "faq"
    assert report.latency == pytest.approx({"mean": 0.15, "max": 0.3, "p50": 0.1, "p95": 0.3})
    assert report.spend[0].cost == 0.25
    assert report.concurrency == ({"model": "m"},)


def test_the_figures_of_a_finished_run_are_kept_and_counted_anew_when_it_goes_on(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = _begin(store)
        ledger = RunLedger(store, run)
        _keep(ledger, 1, _result(1, "unscored"))
        ledger.close()
        store.end(run, status="finished", decision="unjudged", reason="1 of 1")
        keep_report(store, run)
        counted = RunReader(store, store.get(run.id)).report()
        store.database.execute("DELETE FROM results")
        assert RunReader(store, store.get(run.id)).report() == counted  # kept, not counted
        assert counted.decision == "unjudged"
        again = store.reopen(run)
        assert RunReader(store, again).report().counts == Counts()


def test_results_are_paged_and_filtered_without_reading_the_journal(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = _begin(store)
        ledger = RunLedger(store, run)
        for number in range(500):
            _keep(ledger, number, _result(number, "fail" if number % 5 == 0 else "pass"))
        ledger.close()
        reader = RunReader(store, run)
        store.journal_of(run.id).unlink()
        assert [row.case_id for row in reader.rows(limit=2, offset=498)] == ["c498", "c499"]
        assert [row.case_id for row in reader.rows(outcome="fail", limit=3)] == ["c0", "c5", "c10"]
        assert len(reader.case_ids("fail")) == 100
        assert reader.rows(target="nobody") == []


def test_one_case_is_found_by_its_id(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = _begin(store)
        ledger = RunLedger(store, run)
        _keep(ledger, 1, _result(1))
        ledger.close()
        reader = RunReader(store, run)
        assert reader.find("c1")[0].case.id == "c1"
        with pytest.raises(NotFoundError, match="no result for case"):
            reader.find("c2")


def test_what_a_killed_process_wrote_to_the_journal_is_there(tmp_path: Path) -> None:
    """kill -9 in the middle: the index is behind, the last line is torn, one answer has no grade yet."""
    script = textwrap.dedent("""
        import os, signal, sys
        from pathlib import Path
        from proctor.store.ledger import RunLedger
        from proctor.store.runs import RunStore
        from tests.store.test_runs import _begin, _keep, _result

        store = RunStore(Path(sys.argv[1]))
        ledger = RunLedger(store, _begin(store))
        for number in range(5):
            _keep(ledger, number, _result(number))
        odd = _result(5)
        ledger.keep_trajectory(5, case=odd.case, target="agent", sample=0, trajectory=odd.trajectory)
        os.write(ledger._journal._file, b'{"kind":"result","key":5,"outc')
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    with RunStore(tmp_path) as store:
        run = store.find("last")
        assert store.counts(run).total == 0  # the index had not caught up
        assert RunReader(store, run).report().counts.passed == 5
        ledger = RunLedger(store, store.reopen(run))
        assert [key for key in range(7) if ledger.finished(key)] == [0, 1, 2, 3, 4]
        pending = ledger.pending(5)
        assert pending is not None
        assert pending.answer == "日本語"
        ledger.keep_result(5, _result(5))
        ledger.close()
        assert [row.case_id for row in RunReader(store, run).rows()] == [f"c{n}" for n in range(6)]
        assert len(list(RunReader(store, run).results())) == 6


def test_a_recorded_conversation_is_kept_once_and_read_back_whole(tmp_path: Path) -> None:
    long = "a long answer " * 200
    result = _result(1, "fail")
    turns = (*result.trajectory.turns, Turn(messages=(Message(role="assistant", content=long),)))
    said = Trajectory(turns=turns, session="s1")
    result = replace(result, case=replace(result.case, input=None, recorded=said), trajectory=said)
    other = replace(_result(2), case=replace(_result(2).case, recorded=said))  # another agent answered it anew
    with RunStore(tmp_path) as store:
        run = _begin(store)
        ledger = RunLedger(store, run)
        _keep(ledger, 1, result)
        _keep(ledger, 2, other)
        ledger.keep_trajectory(3, case=result.case, target="agent", sample=0, trajectory=said)
        ledger.close()
        lines = store.journal_of(run.id).read_text(encoding="utf-8").splitlines()
        assert [line.count(long) for line in lines if '"kind":"trajectory"' in line] == [1, 1, 1]
        reader = RunReader(store, run)
        assert list(reader.results()) == [result, other]
        assert [each.case for each in reader.graded(cases=True)] == [result.case, other.case]
        resumed = RunLedger(store, store.reopen(run))
        assert resumed.pending(3) == said
        resumed.close()


def test_unscored_results_can_be_redone_and_the_new_one_counts(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = _begin(store)
        ledger = RunLedger(store, run)
        _keep(ledger, 1, _result(1, "unscored"))
        _keep(ledger, 2, _result(2, "fail"))
        ledger.close()
        again = RunLedger(store, store.reopen(run), redo_unscored=True)
        assert (again.finished(1), again.finished(2)) == (False, True)
        assert again.pending(1) is not None
        again.keep_result(1, _result(1, "pass"))
        again.close()
        report = RunReader(store, run).report()
    assert report.counts == Counts(passed=1, failed=1)
    assert report.by_scorer[0].counts.total == 2


def test_a_run_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        with pytest.raises(NotFoundError, match="no runs yet"):
            store.find("last")
        for run_id in ("20261115-090000-aaaa", "20261115-100000-bbbb"):
            _begin(store, run_id)
        assert store.find("20261115-09").id == "20261115-090000-aaaa"
        assert store.find("latest").id == "20261115-100000-bbbb"
        with pytest.raises(NotFoundError, match="2 runs begin with"):
            store.find("2026")
        with pytest.raises(NotFoundError, match="did you mean"):
            store.find("20261115-090000-aaab")
        with pytest.raises(NotFoundError):
            store.find("%")
        store.forget(store.find("20261115-09"))
        assert [run.id for run in store.list()] == ["20261115-100000-bbbb"]


def test_text_that_no_database_takes_is_kept_in_the_journal(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = _begin(store)
        ledger = RunLedger(store, run)
        odd = _result(1, "fail", intent="\ud800")
        _keep(ledger, 1, odd)
        ledger.close()
        assert next(RunReader(store, run).results()).case.intent == "\ud800"


def test_a_spend_with_one_unknown_price_has_no_total(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = _begin(store)
        store.keep_spend(run, [Spend(model="m", calls=1, cost=1.0)])
        run = store.reopen(run)
        store.keep_spend(run, [Spend(model="m", calls=2, cost=None)])
        (spend,) = RunReader(store, run).report().spend
    assert (spend.calls, spend.cost) == (3, None)


def test_a_full_disk_leaves_the_journal_whole(tmp_path: Path) -> None:
    """A file size limit stands in for the full disk: the kernel refuses the write in the same way."""
    script = textwrap.dedent("""
        import resource, signal, sys
        from pathlib import Path
        from proctor.core.errors import StoreError
        from proctor.store.journal import Journal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        journal = Journal(Path(sys.argv[1]))
        sys.dont_write_bytecode = True  # what is compiled would be cut as well, and kept
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            while True:
                journal.append({"text": "x" * 300})
        except StoreError as error:
            print(error)
    """)
    path = tmp_path / "journal.ndjson"
    told = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert str(path) in told.stdout
    lines = list(read_lines(path))
    assert len(lines) == path.stat().st_size // len(json.dumps({"text": "x" * 300}, separators=(",", ":")) + "\n")
    journal = Journal(path)
    journal.append({"more": 1})
    journal.close()
    assert list(read_lines(path))[-1].data == {"more": 1}


def test_a_damaged_journal_is_named(tmp_path: Path) -> None:
    path = tmp_path / "journal.ndjson"
    path.write_bytes(b'{"a":1}\nnot json\n{"b":2}\n')
    with pytest.raises(StoreError, match=r"journal.ndjson:2: this line is damaged"):
        list(read_lines(path))


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "proctor.db").write_bytes(os.urandom(4096))
    with pytest.raises(StoreError, match="not a Proctor database"):
        RunStore(tmp_path)


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("no folder")
    with pytest.raises(StoreError) as caught:
        RunStore(tmp_path / "store")
    assert caught.value.hint


def test_a_newer_database_is_left_alone(tmp_path: Path) -> None:
    connect(tmp_path / "proctor.db").execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(StoreError, match="newer Proctor"):
        RunStore(tmp_path)


def test_two_processes_may_open_a_new_database_at_once(tmp_path: Path) -> None:
    script = "import sys; from pathlib import Path; from proctor.store.db import connect; connect(Path(sys.argv[1]))"
    path = tmp_path / "proctor.db"
    processes = [subprocess.Popen([sys.executable, "-c", script, str(path)]) for _ in range(4)]
    assert [process.wait() for process in processes] == [0, 0, 0, 0]
    assert sqlite3.connect(path).execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)
