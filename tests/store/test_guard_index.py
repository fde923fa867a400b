from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from proctor.core.gate_tally import DecisionTally
from proctor.monitor.gate_figures import GateFigures
from proctor.store.db import transaction
from proctor.store.decision_query import DecisionQuery
from proctor.store.erase_customer import erase_from_guard_log
from proctor.store.guard_index import GuardIndex
from proctor.store.guard_log import FOLDER
from proctor.store.guard_log_reader import read_rows
from tests.server.pages.guarded_store import add_decisions, decision

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


def _fill(store: Path, count: int = 30) -> None:
    actions = ["allow", "block", "allow", "escalate", "allow"]
    events = [
        decision(number, actions[number % 5], score=0.6 + number / 100, time=NOON + timedelta(hours=number))
        for number in range(count)
    ]
    add_decisions(store, events, sampled=[str(events[0].id)], close=[str(events[3].id)])


def test_the_counts_are_those_of_the_whole_log(tmp_path: Path) -> None:
    _fill(tmp_path)
    reviews = {f"{1:08x}{'0' * 24}": (True, ""), f"{6:08x}{'0' * 24}": (False, ""), f"{0:08x}{'0' * 24}": (True, "")}
    read, indexed = GateFigures(reviews), GateFigures(reviews)
    for row in read_rows(tmp_path / FOLDER):
        read.add(row)
    with GuardIndex(tmp_path) as index:
        assert index.catch_up() == 0
        for tally in index.tallies().values():
            indexed.add_counts(tally)
        for row in index.rows(index.chosen(list(reviews), DecisionQuery())):
            indexed.add_review(row)
    one, other = read.table(), indexed.table()
    assert [row.actions for row in one.gates] == [row.actions for row in other.gates]
    assert [row.precision for row in one.points] == [row.precision for row in other.points]
    assert [row.recall for row in one.gates] == [row.recall for row in other.gates]
    assert [row.findings for row in one.gates] == [row.findings for row in other.gates]
    assert (one.decisions, one.begun, one.until, one.reviewed) == (
        other.decisions,
        other.begun,
        other.until,
        other.reviewed,
    )


def test_only_new_lines_are_read_and_an_unfinished_one_waits(tmp_path: Path) -> None:
    _fill(tmp_path, 5)
    file = next((tmp_path / FOLDER).glob("*.ndjson"))
    whole = file.read_bytes()
    file.write_bytes(whole[:-10])
    with GuardIndex(tmp_path) as index, GuardIndex(tmp_path) as other:
        assert index.catch_up() > 0
        assert index.tallies()["2026-11-15"].decisions == 4
        file.write_bytes(whole)
        assert other.catch_up() == 0
        assert index.catch_up() == 0
        assert index.tallies()["2026-11-15"].decisions == 5


def test_a_limit_of_time_leaves_the_rest_for_later(tmp_path: Path) -> None:
    _fill(tmp_path)
    with GuardIndex(tmp_path) as index:
        assert index.catch_up(seconds=0.0) > 0
        assert index.tallies() == {}
        assert index.catch_up() == 0


def test_a_reader_with_a_limit_does_not_wait_for_another_process(tmp_path: Path) -> None:
    _fill(tmp_path, 5)
    with GuardIndex(tmp_path) as index, GuardIndex(tmp_path) as other, transaction(other.database):
        assert index.catch_up(seconds=1.0) > 0
    with GuardIndex(tmp_path) as index:
        assert index.catch_up() == 0


def test_damaged_and_erased_lines_count_nothing(tmp_path: Path) -> None:
    _fill(tmp_path, 5)
    file = next((tmp_path / FOLDER).glob("*.ndjson"))
    lines = file.read_bytes().splitlines(keepends=True)
    odd = [b'{"kind":"gate","time":"yesterday","verdict":{}}\n', b'["no object"]\n', b"{broken\n"]
    file.write_bytes(b"".join([*odd, b" " * 40 + b"\n", *lines[1:]]))
    with GuardIndex(tmp_path) as index:
        assert index.catch_up() == 0
        assert index.tallies()["2026-11-15"].decisions == 4


def test_a_file_that_was_removed_or_written_again_is_counted_anew(tmp_path: Path) -> None:
    _fill(tmp_path)
    first, second = sorted((tmp_path / FOLDER).glob("*.ndjson"))
    with GuardIndex(tmp_path) as index:
        index.catch_up()
        everything = index.count(DecisionQuery())
        first.write_bytes(b"".join(first.read_bytes().splitlines(keepends=True)[:2]))
        second.unlink()
        assert index.catch_up() == 0
        assert list(index.tallies()) == [first.stem]
        assert index.tallies()[first.stem].decisions == 2
        assert 0 < index.count(DecisionQuery()) < everything


def test_decisions_are_found_by_what_they_are(tmp_path: Path) -> None:
    _fill(tmp_path)
    with GuardIndex(tmp_path) as index:
        index.catch_up()
        blocked = index.decisions(DecisionQuery(action="block"), limit=100)
        assert [each.time for each in blocked] == sorted((each.time for each in blocked), reverse=True)
        assert len(blocked) == index.count(DecisionQuery(action="block")) == 6
        assert index.count(DecisionQuery(kind="override", gate="injection", point="input")) == 12
        assert index.count(DecisionQuery(kind="over")) == 0
        assert index.count(DecisionQuery(since=NOON.timestamp(), until=NOON.timestamp() + 7200)) == 2
        assert [each.session for each in index.decisions(DecisionQuery(session="talk-1"), limit=5)] == ["talk-1"]
        assert index.rows(blocked)[0]["id"] == blocked[0].id
        assert index.find("none") is None
        scores = index.scores("input", "injection", 0.0)
        assert sum(each.times for each in scores) == 12
        apart = index.scores("input", "injection", 0.0, told_apart=[blocked[0].id, "none"])
        assert sum(each.times for each in apart) == 12
        assert [each.id for each in apart if each.id] == [blocked[0].id]
        assert not any(each.by_rule or each.others for each in scores)
        assert index.scored_gates(0.0) == [("input", "injection", 12)]


def test_an_erased_customer_is_gone_from_the_index_too(tmp_path: Path) -> None:
    add_decisions(tmp_path, [decision(1, "block", time=NOON), decision(2, "block", time=NOON)])
    with GuardIndex(tmp_path) as index:
        index.catch_up()
        found = index.decisions(DecisionQuery(), limit=5)
        assert erase_from_guard_log(tmp_path, [], ["talk-1"]) == 1
        assert [each["session"] for each in index.rows(found)] == ["talk-2"]
        assert index.count(DecisionQuery()) == 1


def test_two_processes_count_each_line_once(tmp_path: Path) -> None:
    _fill(tmp_path, 60)
    program = "import sys; from pathlib import Path; from proctor.store.guard_index import GuardIndex\n"
    program += "with GuardIndex(Path(sys.argv[1])) as index: index.catch_up()"
    both = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path)]) for _ in range(2)]
    assert [each.wait(60) for each in both] == [0, 0]
    with GuardIndex(tmp_path) as index:
        assert sum(tally.decisions for tally in index.tallies().values()) == 60


def test_counts_survive_json_and_add_up(tmp_path: Path) -> None:
    _fill(tmp_path)
    with GuardIndex(tmp_path) as index:
        index.catch_up()
        tallies = list(index.tallies().values())
    again = DecisionTally.from_data(tallies[0].to_data())
    assert again == tallies[0]
    gate = tallies[0].gates["input", "injection"]
    before = gate.marks.total()
    gate.merge(tallies[1].gates["input", "injection"])
    assert gate.marks.total() == before + tallies[1].gates["input", "injection"].marks.total()
