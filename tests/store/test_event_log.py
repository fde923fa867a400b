from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from proctor.core.errors import InputError, StoreError
from proctor.core.event_row import row_of
from proctor.store import event_log
from proctor.store.event_log import EventLog
from proctor.store.log_lines import ids_in, lines_of, row_in
from proctor.text.known_secrets import add_secrets, forget_secrets
from tests.store.event_rows import NOON, event, turn_event, turns


def test_rows_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    rows = [
        *turns(3),
        row_of(event(1, "escalation", name="anger")),
        row_of(event(2, "csat", value=1.0)),
        row_of(turn_event(7, text='quotes ","event":{"x": 1}} and 返金\n', intent='a "b", "event":', confidence=0.25)),
    ]
    with EventLog(tmp_path) as log:
        done = log.append(rows)
        assert (done.new, done.duplicates) == (tuple(rows), 0)
        assert list(log.read()) == rows
    assert list(EventLog(tmp_path).read()) == rows


def test_a_row_is_written_once(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    rows = turns(10)
    assert len(log.append(rows[:6]).new) == 6
    again = log.append([*rows[4:], rows[9]])
    assert (again.new, again.duplicates) == (tuple(rows[6:]), 3)
    assert log.append(rows).duplicates == 10
    assert log.append([]).duplicates == 0
    assert list(log.read()) == rows


def test_a_log_that_is_opened_again_knows_what_every_writer_wrote(tmp_path: Path) -> None:
    EventLog(tmp_path, writer="one").append(turns(5))
    EventLog(tmp_path, writer="two").append(turns(5, 5))
    third = EventLog(tmp_path, writer="one")
    done = third.append(turns(12))
    assert [row.id for row in done.new] == [row.id for row in turns(2, 10)]
    assert len({path.name for path in tmp_path.glob("*.ndjson")}) == 3


def test_two_writers_of_the_same_row_are_read_as_one(tmp_path: Path) -> None:
    logs = [EventLog(tmp_path) for _ in range(2)]
    for log in logs:
        log.append(turns(1))
    for log in logs:
        log.append(turns(20))
    assert sorted(row.id for row in logs[0].read()) == [row.id for row in turns(20)]


def test_a_torn_line_is_no_row_and_is_written_again(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    log.append(turns(2))
    (path,) = tmp_path.glob("*.ndjson")
    with path.open("ab") as file:
        file.write(lines_of(turns(1, 2))[:-40])
    again = EventLog(tmp_path)
    assert [row.id for row in again.append(turns(3)).new] == [turns(1, 2)[0].id]
    assert [row.id for row in again.read()] == [row.id for row in turns(3)]


def test_damaged_and_erased_lines_are_passed_over(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    log.append(turns(1))
    (path,) = tmp_path.glob("*.ndjson")
    with path.open("ab") as file:
        file.write(b'      \n\x00\x00\x00\n{"id":"x","event":nonsense}\n[1]\n{"id":1,,"event":{}}\n')
    EventLog(tmp_path).append(turns(1, 1))
    assert [row.id for row in log.read()] == [row.id for row in turns(2)]


def test_events_are_read_by_time(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    log.append(turns(10)[::-1])
    start = NOON.timestamp()
    assert [row.time - start for row in log.read(start + 2, start + 5)] == [4, 3, 2]
    assert list(log.read(since=start + 10)) == []


def test_reading_an_empty_or_missing_folder_gives_nothing(tmp_path: Path) -> None:
    assert list(EventLog(tmp_path / "nowhere").read()) == []


def test_files_are_private_and_rotate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "_MAX_FILE_BYTES", 1_000)
    log = EventLog(tmp_path / "events", writer="w")
    for row in turns(6):
        log.append([row])
    files = list((tmp_path / "events").glob("*.ndjson"))
    assert len(files) >= 2
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert sorted(row.id for row in log.read()) == [row.id for row in turns(6)]


def test_a_disk_error_leaves_no_trace_and_the_rows_can_be_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = EventLog(tmp_path)
    log.append(turns(1))
    size = sum(path.stat().st_size for path in tmp_path.glob("*.ndjson"))

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "fdatasync", full)
        with pytest.raises(StoreError, match="No space left"):
            log.append(turns(3))
    assert sum(path.stat().st_size for path in tmp_path.glob("*.ndjson")) == size
    assert len(log.append(turns(3)).new) == 2
    assert [row.id for row in log.read()] == [row.id for row in turns(3)]


def test_a_writer_has_a_name_that_a_file_can_have(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="writer"):
        EventLog(tmp_path, writer="../evil")


def test_secrets_of_this_process_are_not_written(tmp_path: Path) -> None:
    add_secrets(["sk-very-secret-value-1234567890"])
    try:
        log = EventLog(tmp_path)
        log.append([row_of(turn_event(0, text="my key is sk-very-secret-value-1234567890")), *turns(1, 1)])
        assert b"sk-very-secret" not in b"".join(path.read_bytes() for path in tmp_path.glob("*.ndjson"))
        assert len(list(log.read())) == 2
    finally:
        forget_secrets()


def test_ids_are_found_without_reading_the_events() -> None:
    rows = [row_of(turn_event(0, id='odd "\\id\\" 返金')), *turns(2, 1)]
    block = lines_of(rows)
    assert list(ids_in(block)) == [row.id for row in rows]
    assert [row_in(line) for line in block.splitlines()] == rows


def test_a_fork_writes_a_file_of_its_own(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    log.append(turns(2))
    child = os.fork()
    if not child:
        try:
            log.append(turns(2, 2))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    log.append(turns(1, 4))
    assert len(list(tmp_path.glob("*.ndjson"))) == 2
    assert sorted(row.id for row in log.read()) == [row.id for row in turns(5)]


_WRITER = """
    import sys
    from pathlib import Path
    from proctor.store.event_log import EventLog
    from tests.store.event_rows import turns

    log = EventLog(Path(sys.argv[1]))
    for line in sys.stdin:
        start = int(line)
        done = log.append(turns(20, start))
        print(start, flush=True)
"""


@pytest.mark.parametrize("rounds", [4])
def test_a_killed_writer_loses_and_doubles_nothing_that_was_acknowledged(tmp_path: Path, rounds: int) -> None:
    command = [sys.executable, "-c", textwrap.dedent(_WRITER), str(tmp_path)]
    acknowledged, next_batch = 0, 0
    for number in range(rounds):
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert child.stdin
        assert child.stdout
        for _ in range(3 + number):
            child.stdin.write(f"{next_batch * 20}\n")
            child.stdin.flush()
            assert child.stdout.readline() == f"{next_batch * 20}\n"
            next_batch += 1
            acknowledged += 20
        child.stdin.write(f"{next_batch * 20}\n")  # sent, but the writer is killed before or after it wrote it
        child.stdin.flush()
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stdin.close()
        child.stdout.close()
    found = [row.id for row in EventLog(tmp_path).read()]
    assert len(found) == len(set(found))
    assert {row.id for row in turns(acknowledged)} <= set(found)
    raw = [each for path in tmp_path.glob("*.ndjson") for each in ids_in(path.read_bytes().rpartition(b"\n")[0])]
    assert len(raw) == len(set(raw)), "a batch that was sent again was written twice"
