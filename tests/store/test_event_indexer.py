from __future__ import annotations

import random
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from proctor.core.errors import StoreError
from proctor.core.event_row import EventRow, row_of
from proctor.core.rollup_cell import RollupCell
from proctor.core.trajectory import Escalation
from proctor.store.event_indexer import EventIndexer
from proctor.store.event_log import EventLog
from tests.store.event_rows import NOON, event, turn_event, turns
from tests.store.full_disk import full_at_commit

START = int(NOON.timestamp())


def _traffic() -> list[EventRow]:
    return [
        *turns(20),
        row_of(turn_event(20, escalation=Escalation(reason="angry", category="anger"), model="m2")),
        row_of(event(1, "outcome", name="resolved")),
        row_of(event(3, "csat", value=4.0)),
        row_of(event(4, "score", name="grounded", value=0.25)),
    ]


def _total(cells: list[RollupCell]) -> RollupCell:
    total = RollupCell(start=0)
    for cell in cells:
        total.merge(cell)
    return total


def test_the_index_and_the_rollups_say_what_the_log_says(tmp_path: Path) -> None:
    EventLog(tmp_path / "events").append(_traffic())
    with EventIndexer(tmp_path) as indexer:
        assert indexer.catch_up() == 24
        assert indexer.catch_up() == 0
        first = indexer.conversations.get("s0")
        assert first is not None
        assert (first.turns, first.customer, first.intent, first.outcome) == (5, "c0", "shipping", "resolved")
        assert (first.csat, first.scores, first.signals) == (
            4.0,
            {"grounded": 0.25},
            {"outcome/resolved": 1, "score/grounded": 1},
        )
        assert (first.first, first.last) == (START, START + 4)
        assert first.cost == pytest.approx(0.05)
        last = indexer.conversations.get("s4")
        assert last is not None
        assert (last.escalated, last.model) == (True, "m2")
        assert indexer.conversations.get("s99") is None
        total = _total(indexer.rollups.cells(0, START + 86_400))
        assert (total.turns, total.conversations, total.csat, total.csat_count) == (21, 5, 4.0, 1)
        assert total.signals == {
            "outcome/resolved": 1, "score/grounded": 1, "escalation": 1, "escalation/anger": 1,
        }  # fmt: skip
        assert total.events == {"turn": 21, "outcome": 1, "csat": 1, "score": 1, "score/grounded": 1}
        assert total.values == {"score/grounded": 0.25}
        assert total.quantile(0.95) == pytest.approx(1.5, rel=0.011)


@pytest.mark.parametrize("step", [60, 300, 3_600, 86_400])
def test_longer_steps_and_the_total_add_up(tmp_path: Path, step: int) -> None:
    rows = [row_of(turn_event(n, after=n * 100.0, intent=f"i{n % 3}", latency=0.5 + n / 10)) for n in range(60)]
    EventLog(tmp_path / "events").append(rows)
    with EventIndexer(tmp_path) as indexer:
        indexer.catch_up()
        by_slice = indexer.rollups.cells(0, 1e11, step=step)
        total = indexer.rollups.cells(0, 1e11, step=step, total=True)
        assert {cell.start % step for cell in by_slice} == {0}
        assert [cell.start for cell in total] == sorted({cell.start for cell in by_slice})
        assert _total(by_slice).latency == _total(total).latency
        assert _total(total).turns == 60
        one = indexer.rollups.cells(0, 1e11, step=step, intent="i1")
        assert {cell.slice.intent for cell in one} == {"i1"}
        assert _total(one).turns == 20


def test_rows_in_any_order_and_in_pieces_give_the_same_index(tmp_path: Path) -> None:
    rows = _traffic()
    found = []
    for name, order in (("a", rows), ("b", random.Random(7).sample(rows, len(rows)))):
        log = EventLog(tmp_path / name / "events")
        with EventIndexer(tmp_path / name) as indexer:
            for place in range(0, len(order), 5):
                log.append(order[place : place + 5])
                indexer.catch_up()
            found.append(
                (
                    [indexer.conversations.get(f"s{n}") for n in range(5)],
                    _total(indexer.rollups.cells(0, 1e11, step=86_400, total=True)),
                )
            )
    for mine, other in zip(*[each[0] for each in found], strict=True):
        assert mine is not None
        assert other is not None
        assert (mine.first, mine.last, mine.turns, mine.signals, mine.intent, mine.csat) == (
            other.first, other.last, other.turns, other.signals, other.intent, other.csat,
        )  # fmt: skip
    assert (found[0][1].turns, found[0][1].conversations) == (found[1][1].turns, found[1][1].conversations)


def test_an_event_of_two_writers_is_counted_once(tmp_path: Path) -> None:
    logs = [EventLog(tmp_path / "events") for _ in range(2)]
    for log in logs:
        log.append(turns(1, 100))
    for log in logs:
        log.append(turns(10))
    with EventIndexer(tmp_path) as indexer:
        assert indexer.catch_up() == 11
    logs[1].append(turns(12))
    with EventIndexer(tmp_path) as indexer:  # another process remembers what was indexed before it
        assert indexer.catch_up() == 2
        assert _total(indexer.rollups.cells(0, 1e11)).turns == 13


_WRITER = """
    import sys
    from pathlib import Path
    from proctor.store.event_log import EventLog
    from tests.store.event_rows import turns

    log = EventLog(Path(sys.argv[1]) / "events")
    for start in range(int(sys.argv[2]), int(sys.argv[2]) + 200, 10):
        log.append(turns(10, start))
"""


def test_two_processes_write_one_folder_while_a_third_indexes(tmp_path: Path) -> None:
    command = [sys.executable, "-c", textwrap.dedent(_WRITER), str(tmp_path)]
    writers = [subprocess.Popen([*command, str(start)]) for start in (0, 100)]
    with EventIndexer(tmp_path) as indexer:
        counted = 0
        while any(each.poll() is None for each in writers):
            counted += indexer.catch_up() or 0
        counted += indexer.catch_up() or 0
        assert [each.wait() for each in writers] == [0, 0]
        assert counted == 300, "a hundred rows were sent to both"
        assert _total(indexer.rollups.cells(0, 1e11)).turns == 300
        assert len(list(EventLog(tmp_path / "events").read())) == 300


def test_of_two_processes_one_is_the_indexer_until_it_ends(tmp_path: Path) -> None:
    EventLog(tmp_path / "events").append(turns(5))
    one, two = EventIndexer(tmp_path), EventIndexer(tmp_path)
    assert one.catch_up() == 5
    assert two.catch_up() is None
    one.close()
    EventLog(tmp_path / "events").append(turns(6))
    assert two.catch_up() == 1
    two.close()


def test_a_failed_batch_is_not_counted_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    EventLog(tmp_path / "events").append(turns(5))
    indexer = EventIndexer(tmp_path)

    def fail(*_: object) -> None:
        raise RuntimeError("killed here")

    with monkeypatch.context() as broken:
        broken.setattr(type(indexer.rollups), "add", fail)
        with pytest.raises(RuntimeError):
            indexer.catch_up()
    assert indexer.conversations.count() == 0
    assert indexer.catch_up() == 5
    assert _total(indexer.rollups.cells(0, 1e11)).turns == 5
    indexer.close()


def test_after_a_full_disk_each_event_is_counted_in_its_own_slice(tmp_path: Path) -> None:
    with EventLog(tmp_path / "events", writer="b") as log:
        log.append([row_of(turn_event(1, intent="refund"))])
    indexer = EventIndexer(tmp_path)
    whole = indexer.database._database
    assert whole is not None
    indexer.database._database = full_at_commit(whole)
    with pytest.raises(StoreError, match="full"):
        indexer.catch_up()
    with EventLog(tmp_path / "events", writer="a") as log:  # the log before it: another intent comes first now
        log.append([row_of(turn_event(2, intent="booking"))])
    assert indexer.catch_up() == 2
    cells = indexer.rollups.cells(0, 1e11)
    assert sorted((cell.slice.intent, cell.turns) for cell in cells) == [("booking", 1), ("refund", 1)]
    indexer.close()


def test_conversations_are_found_by_what_is_known_of_them(tmp_path: Path) -> None:
    EventLog(tmp_path / "events").append(_traffic())
    with EventIndexer(tmp_path) as indexer:
        indexer.catch_up()
        index = indexer.conversations
        assert [each.session for each in index.find(limit=3)] == ["s4", "s3", "s2"]
        assert [each.session for each in index.find(customer="c0")] == ["s1", "s0"]
        assert [each.session for each in index.find(customer=["c0", "c2"])] == ["s4", "s1", "s0"]
        assert [each.session for each in index.find(signal="escalation/anger")] == ["s4"]
        assert [each.session for each in index.find(outcome="resolved", intent="shipping")] == ["s0"]
        assert [each.session for each in index.find(since=START + 5, until=START + 15)] == ["s2", "s1"]
        assert [each.session for each in index.find(escalated=True)] == ["s4"]
        assert index.find(intent="nothing") == []
        with pytest.raises(ValueError, match="colour"):
            index.find(colour="red")
        assert index.sessions_of(["c1"]) == ["s2", "s3"]
        assert index.forget_customer(["c1", "nobody"], ["s0"]) == 2
        assert index.count() == 3


def test_many_slices_do_not_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.store.rollups._MAX_SLICES", 4)
    EventLog(tmp_path / "events").append([row_of(turn_event(n, intent=f"id-{n}")) for n in range(9)])
    with EventIndexer(tmp_path) as indexer:
        indexer.catch_up()
        cells = indexer.rollups.cells(0, 1e11)
        assert sorted((cell.slice.intent, cell.turns) for cell in cells)[0] == ("(other)", 5)
        assert len(indexer.rollups.slices()) == 5
