"""Readers beside a writer: they change no journal, take no line from it and put nothing old over something new."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from proctor.core.errors import InputError, StoreError
from proctor.core.report import Counts
from proctor.store.guard_log_reader import read_rows
from proctor.store.journal import Journal
from proctor.store.ledger import RunLedger
from proctor.store.lock import is_held, sole_writer
from proctor.store.run_index import _indexed_from, bring_up_to_date
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunRecord, RunStore
from tests.store.test_runs import _begin, _keep, _result


def _read_everything(store: RunStore, run: RunRecord) -> int:
    reader = RunReader(store, run)
    list(reader.graded(cases=True))
    reader.report()
    return len(list(reader.results()))


def test_a_reader_leaves_the_line_alone_that_is_being_written(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = _begin(store)
        ledger = RunLedger(store, run)
        for number in range(3):
            _keep(ledger, number, _result(number))
        ledger.flush()
        path = store.journal_of(run.id)
        last = _result(3)
        ledger.keep_trajectory(3, case=last.case, target="agent", sample=0, trajectory=last.trajectory)
        whole = path.read_bytes()
        os.truncate(path, len(whole) - 7)  # the writer is in the middle of its line
        half = path.read_bytes()
        with RunStore(tmp_path) as other:
            assert _read_everything(other, other.get(run.id)) == 3
        assert path.read_bytes() == half
        with path.open("ab") as file:
            file.write(whole[-7:])
        ledger.keep_result(3, last)
        with RunStore(tmp_path) as other:
            assert _read_everything(other, other.get(run.id)) == 4
        ledger.close()


def test_a_run_that_has_just_begun_is_read_without_a_journal(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = _begin(store)
        assert _read_everything(store, run) == 0
        assert not store.journal_of(run.id).exists()


def test_readers_in_a_loop_cost_a_writing_process_no_line(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import sys
        from pathlib import Path
        from proctor.store.ledger import RunLedger
        from proctor.store.runs import RunStore
        from tests.store.test_runs import _begin, _keep, _result

        store = RunStore(Path(sys.argv[1]))
        ledger = RunLedger(store, _begin(store))
        print("begun", flush=True)
        for number in range(1_500):
            _keep(ledger, number, _result(number, intent="y" * 5_000))
        ledger.close()
    """)
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "begun\n"
        while writer.poll() is None:
            with RunStore(tmp_path) as store:
                run = store.find("last")
                bring_up_to_date(store, run)
                next(iter(RunReader(store, run).results()), None)
    assert writer.returncode == 0
    with RunStore(tmp_path) as store:
        run = store.find("last")
        assert len(store.journal_of(run.id).read_bytes().splitlines()) == 1 + 2 * 1_500
        rows = RunReader(store, run).rows(limit=2_000)
        assert [row.case_id for row in rows] == [f"c{number}" for number in range(1_500)]


def test_a_reader_that_was_overtaken_puts_nothing_old_over_something_new(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = _begin(store)
        ledger = RunLedger(store, run)
        _keep(ledger, 1, _result(1, "unscored"))
        ledger.close()
        again = RunLedger(store, store.reopen(run), redo_unscored=True)
        again.keep_result(1, _result(1, "pass"))
        again.close()
        assert not _indexed_from(store, run, 0)  # began before either was indexed
        assert store.counts(run) == Counts(passed=1)


def test_what_was_graded_again_is_found_after_a_kill(tmp_path: Path) -> None:
    """The second grade has no answer of its own in the journal: the first result used it up."""
    with RunStore(tmp_path) as store:
        run = _begin(store)
        ledger = RunLedger(store, run)
        _keep(ledger, 1, _result(1, "unscored"))
        ledger.close()
        again = RunLedger(store, store.reopen(run), redo_unscored=True)
        again.keep_result(1, _result(1, "pass"))
        again._journal.close()  # killed before the index heard of it
        assert RunReader(store, run).report().counts == Counts(passed=1)
        resumed = RunLedger(store, store.reopen(run))
        assert resumed.finished(1)
        resumed.close()


def test_a_journal_has_one_writer_and_a_second_cuts_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.ndjson"
    journal = Journal(path)
    journal.append({"a": 1})
    with path.open("ab") as file:
        file.write(b'{"b"')
    with pytest.raises(StoreError, match="being written by another process"):
        Journal(path)
    assert path.read_bytes() == b'{"a":1}\n{"b"'
    journal.close()
    Journal(path).close()
    assert path.read_bytes() == b'{"a":1}\n'


def test_a_run_has_one_writer_and_the_others_hear_its_process(tmp_path: Path) -> None:
    path = tmp_path / "run" / "writer.lock"
    assert is_held(path) is None
    with sole_writer(path, "run r1", shown_by="proctor show r1"):
        assert is_held(path)
        refused = pytest.raises(InputError, match=f"run r1 is still running: process {os.getpid()}")
        with refused as caught, sole_writer(path, "run r1", shown_by="proctor show r1"):
            pass
        assert "proctor show r1" in str(caught.value.hint)
    assert is_held(path) is False
    with sole_writer(path, "run r1"), pytest.raises(InputError) as caught, sole_writer(path, "run r1"):
        pass
    assert "proctor show" not in str(caught.value.hint)


def test_the_guard_log_is_read_without_a_change_to_it(tmp_path: Path) -> None:
    path = tmp_path / "2026-11-15.ndjson"
    path.write_bytes(b'{"id":"a","time":"2026-11-15T00:00:00+00:00"}\n{"id":"b","ti')
    assert [row["id"] for row in read_rows(tmp_path)] == ["a"]
    assert path.read_bytes().endswith(b'"ti')
