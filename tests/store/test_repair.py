"""Damaged journals and lost databases: every whole line is kept, and what was skipped is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from proctor.core.errors import InputError, NotFoundError, StoreError
from proctor.store.journal import DamagedLine
from proctor.store.ledger import RunLedger
from proctor.store.repair import find_damage, rebuild_run
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunRecord, RunStore
from tests.store.test_runs import _begin, _keep, _result


def _written(store: RunStore, count: int = 3) -> RunRecord:
    run = _begin(store)
    ledger = RunLedger(store, run)
    for number in range(count):
        _keep(ledger, number, _result(number))
    ledger.close()
    store.end(run, status="finished", decision="passed", reason="")
    return run


def _break_line(path: Path, number: int) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number - 1] = b"\x00" * (len(lines[number - 1]) - 1) + b"\n"
    path.write_bytes(b"".join(lines))


@pytest.mark.parametrize(
    ("line", "damage"),
    [
        (4, [DamagedLine(4, "is not a JSON object"), DamagedLine(5, "is a result whose answer is missing")]),
        (5, [DamagedLine(5, "is not a JSON object")]),
    ],
    ids=["an answer", "a result"],
)
def test_a_damaged_line_is_named_and_the_others_are_kept(tmp_path: Path, line: int, damage: list[DamagedLine]) -> None:
    with RunStore(tmp_path) as store:
        run = _written(store)
        assert list(find_damage(store)) == []
        _break_line(store.journal_of(run.id), line)
        with pytest.raises(StoreError, match=f"journal.ndjson:{line}.*damaged") as caught:
            list(RunReader(store, run).results())
        assert f"proctor doctor --rebuild {run.id}" in str(caught.value.hint)
        ((found, why),) = find_damage(store)
        assert (found, f":{line}:" in why) == (run.id, True)
        rebuilt = rebuild_run(store, run.id)
        assert (rebuilt.results, sorted(rebuilt.damage)) == (2, damage)
        assert [each.case.id for each in RunReader(store, rebuilt.run).results()] == ["c0", "c2"]
        assert (rebuilt.run.status, rebuilt.run.reason) == ("interrupted", "1 of 3 results are missing")
        assert f"journal: line {line} is not a JSON object; it was skipped" in rebuilt.run.notes
        assert list(find_damage(store)) == []


def test_a_resumed_run_does_again_what_its_damaged_journal_lost(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = _written(store)
        _break_line(store.journal_of(run.id), 4)
        ledger = RunLedger(store, store.reopen(run))
        assert [key for key in range(3) if ledger.finished(key)] == [0, 2]
        assert [each.number for each in ledger.skipped] == [4, 5]
        _keep(ledger, 1, _result(1))
        ledger.close()
        assert sorted(each.case.id for each in RunReader(store, run).results()) == ["c0", "c1", "c2"]


def test_a_journal_that_was_cut_short_is_what_counts(tmp_path: Path) -> None:
    """Two writers of an older version left such files: the index knows results that the journal has not."""
    with RunStore(tmp_path) as store:
        run = _written(store)
        path = store.journal_of(run.id)
        os.truncate(path, len(b"".join(path.read_bytes().splitlines(keepends=True)[:4])) + 5)
        ledger = RunLedger(store, store.reopen(run))
        assert [key for key in range(3) if ledger.finished(key)] == [0]
        assert ledger.pending(1) is not None
        ledger.close()
        assert [each.case.id for each in RunReader(store, run).results()] == ["c0"]


def test_a_line_that_is_json_and_no_entry_of_a_journal_is_skipped(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = _written(store)
        with store.journal_of(run.id).open("ab") as file:
            file.write(b'{"kind":"trajectory","key":9}\n{"odd":1}\n{"kind":"result","key":0,"outcome":"pass"}\n')
        reader = RunReader(store, run)
        assert len(list(reader.results())) == 3
        assert rebuild_run(store, "last").results == 3
        assert [note.split(" ")[2] for note in store.get(run.id).notes] == ["8", "9", "10"]


def test_runs_of_a_lost_database_are_put_on_record_again(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = _written(store)
    for path in tmp_path.glob("proctor.db*"):
        path.unlink()
    with RunStore(tmp_path) as store:
        ((found, why),) = find_damage(store)
        assert (found, "the database does not have it" in why) == (run.id, True)
        rebuilt = rebuild_run(store, run.id)
        assert (rebuilt.run.name, rebuilt.run.settings, rebuilt.run.fingerprint, rebuilt.run.total) == (
            run.name,
            run.settings,
            run.fingerprint,
            run.total,
        )
        assert len(list(RunReader(store, rebuilt.run).results())) == 3


def test_a_run_that_is_being_written_is_not_rebuilt(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = _written(store)
        with store.sole_writer(run.id), pytest.raises(InputError, match="is still running"):
            rebuild_run(store, run.id)


@pytest.mark.parametrize("name", ["nothing", "../runs", ".."])
def test_a_name_that_no_run_has_is_refused(tmp_path: Path, name: str) -> None:
    with RunStore(tmp_path) as store:
        _written(store)
        with pytest.raises(NotFoundError):
            rebuild_run(store, name)
