from __future__ import annotations

import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from proctor.core.codec import loads
from proctor.core.errors import StoreError
from proctor.core.event import Event
from proctor.core.event_row import EventRow, row_of
from proctor.core.trajectory import Escalation
from proctor.core.verdict import Verdict
from proctor.store import seal_log
from proctor.store.event_log import EventLog
from proctor.store.guard_index import GuardIndex
from proctor.store.guard_log import GuardLog
from proctor.store.guard_log_reader import read_rows
from proctor.store.history import History
from proctor.store.log_lines import lines_of
from proctor.store.review import items
from proctor.store.runs import RunStore
from proctor.store.segments import read_manifest
from tests.store.event_rows import NOON, event, turn_event, turns

START = NOON.timestamp()
DAY = 86_400.0


def _log(store: Path, rows: list[EventRow]) -> None:
    with EventLog(store / "events") as log:
        log.append(rows)


def _everything(store: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(store.rglob("*")) if path.is_file())


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path)


def test_sealed_events_are_read_as_they_were_written(tmp_path: Path, history: History) -> None:
    rows = [
        *turns(30),
        row_of(turn_event(40, after=2 * DAY, confidence=1e-7, cost=123456789.123)),
        row_of(event(3, "csat", value=2.0)),
        row_of(turn_event(41, text="half a pair \ud800 and 返金 \u2028", id='odd "id"')),
    ]
    _log(tmp_path, rows)
    done = history.seal()
    assert (done.rows, done.duplicates, len(done.files)) == (33, 0, 1)
    assert not list((tmp_path / "events").glob("*.ndjson"))
    found = list(history.events())
    assert [row.time for row in found] == sorted(row.time for row in rows)
    by_id = {row.id: row for row in found}
    for row in rows[:-1]:
        assert by_id[row.id]._replace(line=b"") == row._replace(line=b"")
        assert loads(by_id[row.id].line) == loads(row.line)  # 1e-07 may be written 1e-7
    assert b"\\ud800" not in by_id['odd "id"'].line
    assert sorted(each.day for each in read_manifest(tmp_path / "events").segments) == ["2026-11-15", "2026-11-17"]


def test_segments_and_log_are_one_history(tmp_path: Path, history: History) -> None:
    _log(tmp_path, turns(12))
    history.seal()
    live = EventLog(tmp_path / "events")
    assert live.append(turns(15)).duplicates == 12, "ids of sealed events are remembered"
    history.catch_up()
    assert [row.id for row in history.events()] == [row.id for row in turns(15)]
    assert [row.id for row in history.events(START + 11, START + 13)] == [row.id for row in turns(2, 11)]
    talk = history.conversation("s2")
    assert talk is not None
    assert [turn.time for turn in talk.turns] == [NOON + timedelta(seconds=n) for n in range(10, 15)]
    assert history.seal().rows == 0, "a file that is being written stays"
    live.close()
    assert history.seal().rows == 3
    assert len(list(history.events())) == 15


def test_a_repetition_that_no_writer_remembers_is_dropped_at_sealing(tmp_path: Path, history: History) -> None:
    _log(tmp_path, turns(10))
    history.seal()
    with EventLog(tmp_path / "events", remembered=1) as forgetful:
        forgetful._seen = None
        (tmp_path / "events" / "w-1.ndjson").write_bytes(lines_of(turns(12)) + lines_of(turns(2, 10)))
    done = history.seal()
    assert (done.rows, done.duplicates) == (2, 12)
    assert len(list(history.events())) == 12


def test_late_events_join_their_day_and_days_that_are_over_are_merged(tmp_path: Path, history: History) -> None:
    for start in (0, 10, 20):
        _log(tmp_path, turns(10, start)[::-1])
        history.seal(now=NOON)
    assert len(read_manifest(tmp_path / "events").segments) == 3
    _log(tmp_path, [row_of(turn_event(5, id="late", after=0.5))])
    history.seal(now=NOON + timedelta(days=2))
    (only,) = read_manifest(tmp_path / "events").segments
    assert only.rows == 31
    assert len(list((tmp_path / "events").rglob("*.parquet"))) == 1
    talk = history.conversation("s1")
    assert talk is not None
    assert len(talk.turns) == 6
    assert [turn.time for turn in talk.turns] == sorted(turn.time for turn in talk.turns if turn.time)


@pytest.mark.parametrize("moment", ["segments_of", "write_manifest", "make_durable"])
def test_a_sealer_that_is_killed_loses_and_doubles_nothing(
    tmp_path: Path, history: History, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    _log(tmp_path, turns(10))
    history.seal()
    _log(tmp_path, turns(20))
    kept = getattr(seal_log, moment)
    calls: list[int] = []

    def killed(*args: object) -> object:
        result = kept(*args)
        calls.append(1)
        if moment != "make_durable" or len(calls) > 1:
            raise KeyboardInterrupt
        return result

    with monkeypatch.context() as broken:
        broken.setattr(seal_log, moment, killed)
        with pytest.raises(KeyboardInterrupt):
            history.seal()
    assert [row.id for row in history.events()] == [row.id for row in turns(20)]
    history.seal()
    assert [row.id for row in history.events()] == [row.id for row in turns(20)]
    listed = {each.file for each in read_manifest(tmp_path / "events").segments}
    assert {path.name for path in (tmp_path / "events").rglob("*.parquet")} == {name[11:] for name in listed}


def test_lines_that_duckdb_refuses_are_sealed_too(
    tmp_path: Path, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = turns(1, 3)[0]._replace(line=b'{"text":"\\ud83d alone"}')
    _log(tmp_path, turns(3))
    (tmp_path / "events" / "w-1.ndjson").write_bytes(
        lines_of(turns(1, 4)) + b" \n{bad\n" + lines_of([odd]).replace("\ufffd".encode(), b"\\ud83d")
    )
    done = history.seal()
    assert done.rows == 5
    assert len(list(history.events())) == 5


def test_windows_and_intents_come_from_rollups(tmp_path: Path, history: History) -> None:
    rows = [row_of(turn_event(n, after=n * 60.0, intent=f"i{n % 2}", latency=1 + n % 10)) for n in range(600)]
    _log(tmp_path, rows)
    history.catch_up()
    windows = history.windows(START, START + 3_600)
    assert [cell.start - START for cell in windows] == [300.0 * n for n in range(12)]
    for cell in windows:
        inside = [row for row in rows if cell.start <= row.time < cell.start + 300]
        assert cell.turns == len(inside)
        slow = sorted(row.latency or 0 for row in inside)
        assert cell.quantile(1.0) == pytest.approx(slow[-1], rel=0.011)
    assert [cell.turns for cell in history.windows(START - 600, START, step=300)] == [0, 0]
    assert sum(cell.turns for cell in history.windows(START, START + DAY, step=120, intent="i1")) == 300
    for start, end in ((START, START + DAY), (START + 61, START + 30_007), (START - 9 * DAY, START + 9 * DAY)):
        found = history.by_intent(start, end)
        low, high = start // 60 * 60, -(-end // 60) * 60
        for intent in ("i0", "i1"):
            expected = sum(1 for row in rows if row.intent == intent and low <= row.time < high)
            assert found[intent].turns == expected
    assert set(history.by("source", START, START + 60)) == {""}
    with pytest.raises(ValueError, match="minutes"):
        history.windows(START, START + 60, step=90)


def test_a_conversation_has_all_that_is_known_of_it(tmp_path: Path, history: History) -> None:
    rows = [
        *turns(5),
        row_of(event(2, "gate", name="output", verdict=Verdict(action="block", gate="pii"))),
        row_of(event(4, "escalation", name="anger", metadata={"reason": "shouting"})),
        row_of(event(4, "outcome", name="resolved")),
    ]
    _log(tmp_path, rows[::-1])
    history.catch_up()
    for _ in range(2):
        talk = history.conversation("s0")
        assert talk is not None
        assert (talk.customer, len(talk.turns)) == ("c0", 5)
        assert talk.turns[2].verdicts[0].action == "block"
        assert talk.turns[4].escalation == Escalation(reason="shouting", category="anger")
        assert talk.metadata["outcome"] == "resolved"
        assert [each.kind for each in history.conversation_events("s0")].count("turn") == 5
        history.seal()
    assert history.conversation("nobody") is None


def test_words_are_found_in_any_language(tmp_path: Path, history: History) -> None:
    rows = [
        row_of(turn_event(0, text="I want a REFUND for my ticket", intent="refund")),
        row_of(turn_event(5, text="返金をお願いします", answer="承知しました。ｷｬﾝｾﾙ料はかかりません")),
        row_of(turn_event(10, text="予約を変更したい。返金")),
        row_of(turn_event(15, text='100 % of "it" AND (this) OR* -that')),
        row_of(event(10, "outcome", name="resolved", id="o-10")),
    ]
    _log(tmp_path, rows)
    history.catch_up()

    def found(text: str, **more: object) -> list[str]:
        return [hit.conversation.session for hit in history.search(text, **more)]  # type: ignore[arg-type]

    assert found("refund") == ["s0"]
    assert found("efun") == ["s0"]
    assert found("ticket refund") == ["s0"]
    assert found("refund missing") == []
    assert found("返金") == ["s2", "s1"]
    assert found("返") == ["s2", "s1"]
    assert found("キャンセル") == ["s1"]
    assert found("お願いします") == ["s1"]
    assert found("返金 予約") == ["s2"]
    assert found("返金", outcome="resolved") == ["s2"]
    assert found("返金", signal="outcome/resolved") == ["s2"]
    assert found("返金", until=START + 8) == ["s1"]
    assert found("返金", limit=1) == ["s2"]
    assert found("refund", intent="other") == []
    assert found('"it" and (this) or* -that') == ["s3"]
    assert found("猫") == []
    assert found("", intent="refund") == ["s0"]
    history.seal()
    assert found("返金") == ["s2", "s1"]


def test_a_history_without_texts_says_so(tmp_path: Path) -> None:
    with History(tmp_path, search=False) as history:
        _log(tmp_path, turns(5))
        history.catch_up()
        with pytest.raises(StoreError, match="not indexed"):
            history.search("order")
        assert history.seal().rows == 5


def test_a_forgotten_customer_is_in_no_file(tmp_path: Path, history: History) -> None:
    guard = GuardLog(tmp_path)
    for number, who in enumerate(("zelda", "other")):
        verdict = Verdict(action="escalate", gate="g", reason=f"{who} is angry")
        guard.record(
            Event(kind="gate", time=NOON, id=f"g{number}", session=f"gs{number}", customer=who, verdict=verdict)
        )
    guard.close()
    mine = [row_of(turn_event(n, customer="zelda", text="wombats ate my parcel", session="mine")) for n in range(5)]
    bare = [row_of(turn_event(n, customer=None, text="wombats again", session="mine")) for n in range(5, 8)]
    _log(tmp_path, [*mine[:3], *turns(20, 100)])
    history.seal()
    live = EventLog(tmp_path / "events")
    live.append([*mine[3:], *bare, *turns(5, 200)])
    (log,) = (tmp_path / "events").glob("*.ndjson")
    dead = tmp_path / "events" / "dead-1.ndjson"
    dead.write_bytes(lines_of(turns(1, 300)) + lines_of(mine[:1])[:-9])
    assert b"wombats" in _everything(tmp_path)
    done = history.forget("zelda")
    assert (done.sessions, done.events, done.segments, done.conversations) == (("mine",), 8, 1, 1)
    assert (done.texts, done.decisions) == (8, 1)
    left = _everything(tmp_path)
    for word in (b"wombats", b"zelda", b"omb"):
        assert word not in left
    assert history.conversation("mine") is None
    assert history.search("wombats") == []
    live.append(turns(1, 400))
    assert len(list(history.events())) == 27
    history.catch_up()
    live.close()
    history.seal()
    assert len(list(history.events())) == 27
    assert log.exists() is False
    assert [row["id"] for row in read_rows(tmp_path / "guard")] == ["g1"]
    with RunStore(tmp_path) as store:
        assert [item.case_id for item in items(store)] == ["g1"]
    assert history.forget("zelda").events == 0


@pytest.mark.parametrize(
    "step",
    [
        "erase_customer.forget_codes",
        "text_index.TextIndex.forget",
        "history.forget_scoring",
        "erase_customer.RunStore.change",
        "guard_index.GuardIndex.forget",
        "conversation_index.ConversationIndex.forget_customer",
    ],
)
def test_an_erasure_that_failed_at_any_step_is_complete_when_it_is_repeated(
    tmp_path: Path, history: History, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    guard = GuardLog(tmp_path)
    verdict = Verdict(action="escalate", gate="g", reason="zelda is angry")
    guard.record(Event(kind="gate", time=NOON, id="g0", session="mine", verdict=verdict))
    guard.close()
    with GuardIndex(tmp_path) as index:
        index.catch_up()
    _log(tmp_path, [row_of(turn_event(n, customer="zelda", text="wombats", session="mine")) for n in range(3)])
    history.seal()
    _log(tmp_path, [row_of(turn_event(n, customer="zelda", text="wombats", session="mine")) for n in range(3, 6)])
    told: list[tuple[str, ...]] = []

    def full(*_: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(f"proctor.store.{step}", full)
        with pytest.raises(StoreError, match="full"):
            history.forget("zelda", beside=lambda sessions: told.append(tuple(sessions)))
    history.forget("zelda", beside=lambda sessions: told.append(tuple(sessions)))
    assert told[-1] == ("mine",)
    assert b"wombats" not in _everything(tmp_path)
    assert history.search("wombats") == []
    assert history.conversation("mine") is None
    assert list(read_rows(tmp_path / "guard")) == []
    with RunStore(tmp_path) as store:
        assert items(store) == []
    with GuardIndex(tmp_path) as index:
        assert index.find("g0") is None


def test_a_shared_session_keeps_what_others_said(tmp_path: Path, history: History) -> None:
    _log(tmp_path, [row_of(turn_event(n, customer=f"c{n % 2}", session="kiosk")) for n in range(10)])
    assert history.forget("c1").events == 5
    assert {row.customer for row in history.events()} == {"c0"}


def test_an_indexer_that_read_before_an_erasure_reads_again(tmp_path: Path, history: History) -> None:
    _log(tmp_path, turns(10))
    add = history.indexer.conversations.add
    begun: list[int] = []

    def slow(rows: list[EventRow]) -> object:
        begun.append(len(rows))
        return add(rows)

    read = history.indexer._index

    def erased_meanwhile(name: str, batch: object) -> None:
        if not begun:
            begun.append(0)
            (log,) = (tmp_path / "events").glob("*.ndjson")
            text = log.read_bytes().splitlines(keepends=True)
            log.write_bytes(b" " * (len(text[0]) - 1) + b"\n" + b"".join(text[1:]))
            with history.indexer.database.writing() as database:
                database.execute("INSERT INTO erasures DEFAULT VALUES")
        read(name, batch)  # type: ignore[arg-type]

    history.indexer._index = erased_meanwhile  # type: ignore[method-assign]
    history.indexer.conversations.add = slow  # type: ignore[method-assign, assignment]
    assert history.catch_up() == 9


def test_what_was_erased_is_stored_when_it_is_sent_again(tmp_path: Path, history: History) -> None:
    with EventLog(tmp_path / "events") as live:
        live.append(turns(20))
        live.rotate()
        history.seal()
        live.append(turns(5, 20, customer="c0"))
        history.catch_up()
        assert history.forget("c0").events == 15
        again = live.append(turns(25))
        assert (len(again.new), again.duplicates) == (15, 10), "a writer that goes on takes it again"
    assert history.catch_up() == 15
    talk = history.conversation("s0")
    assert talk is not None
    assert len(talk.turns) == 5
    history.forget("c0")
    history.seal()
    with EventLog(tmp_path / "events") as other:
        assert len(other.append(turns(25)).new) == 10, "one that is opened later does too"


def test_another_process_knows_the_ids_of_sealed_events(tmp_path: Path, history: History) -> None:
    _log(tmp_path, turns(5))
    history.seal()
    code = "import sys; from proctor.store.log_reader import last_codes; from pathlib import Path; "
    code += "from proctor.core.seen_ids import id_code; print(id_code(sys.argv[2]) in last_codes(Path(sys.argv[1]), 9))"
    run = [sys.executable, "-c", code, str(tmp_path / "events"), turns(1)[0].id]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "True\n"


def test_old_events_are_removed_and_their_counts_stay(tmp_path: Path, history: History) -> None:
    _log(tmp_path, [*turns(5), *[row_of(turn_event(n, after=10 * DAY)) for n in range(5, 10)]])
    history.seal()
    done = history.retain(START + 5 * DAY, minutes_before=START + 5 * DAY)
    assert (done.segments, done.events, done.conversations, done.texts) == (1, 5, 1, 5)
    assert done.cells > 0
    assert [row.id for row in history.events()] == [row.id for row in turns(5, 5)]
    assert history.conversation("s0") is None
    assert history.search("order")[0].conversation.session == "s1"
    assert sum(cell.turns for cell in history.windows(START - 3_600, START + 3_600, step=3_600)) == 5
    assert sum(cell.turns for cell in history.windows(START, START + 60, step=60)) == 0
    assert not any("2026-11-15" in str(path) for path in tmp_path.rglob("*.parquet"))


def test_counts_of_removed_events_stay_when_indexes_are_built_again(tmp_path: Path, history: History) -> None:
    late = [row_of(turn_event(n, after=3_600)) for n in range(90, 92)]  # of a day whose other events are removed
    _log(tmp_path, [*turns(5), *[row_of(turn_event(n, after=10 * DAY)) for n in range(5, 10)]])
    history.seal()
    history.retain(START + 5 * DAY, minutes_before=START + 5 * DAY)
    _log(tmp_path, late)
    history.catch_up()
    history.seal()
    _log(tmp_path, [row_of(turn_event(95, after=7_200))])  # nobody has indexed this one

    def counts() -> list[int]:
        steps = (60, 300, 3_600, 86_400)
        return [sum(cell.turns for cell in history.windows(START - DAY, START + 20 * DAY, step=step)) for step in steps]

    for _ in range(2):
        assert history.rebuild() == 8
        assert counts() == [8, 8, 13, 13]
        assert history.by_intent(START - DAY, START + 20 * DAY)["shipping"].turns == 13
        assert history.conversation("s0") is None
        assert history.conversation("s18") is not None


def test_indexes_can_be_built_again(tmp_path: Path, history: History) -> None:
    _log(tmp_path, turns(10))
    history.seal()
    _log(tmp_path, turns(15))
    history.catch_up()
    before = history.windows(START, START + 3_600), history.conversation("s1"), history.stats()
    history.close()
    for path in (tmp_path / "events").glob("*.db*"):
        path.unlink()
    with History(tmp_path) as again:
        assert again.rebuild() == 15
        assert (again.windows(START, START + 3_600), again.conversation("s1")) == before[:2]
        assert again.stats().texts == before[2].texts == 15
        assert again.rebuild() == 15
        assert again.windows(START, START + 3_600) == before[0]


def test_stats_say_what_is_stored_and_what_waits(tmp_path: Path, history: History) -> None:
    assert history.stats().log_files == 0
    _log(tmp_path, turns(10))
    stats = history.stats()
    assert (stats.log_files, stats.unindexed_bytes, stats.conversations) == (1, stats.log_bytes, 0)
    history.seal()
    stats = history.stats()
    assert (stats.log_files, stats.sealed_events, stats.days) == (0, 10, {"2026-11-15": 10})
    assert (stats.conversations, stats.texts, stats.first, stats.last) == (2, 10, START, START + 9)
    assert stats.unindexed_bytes == 0


def test_two_sealers_are_one_too_many(tmp_path: Path, history: History) -> None:
    with seal_log.sole_sealer(tmp_path / "events"), pytest.raises(StoreError, match="another process"):
        history.seal()


def test_a_reader_sees_every_event_once_while_others_write_and_seal(tmp_path: Path) -> None:
    stop = threading.Event()
    written: list[int] = []
    log = EventLog(tmp_path / "events")

    def write() -> None:
        for start in range(0, 400, 20):
            log.append(turns(20, start))
            written.append(start + 20)
            if start % 100 == 80:
                log.rotate()
        stop.set()

    def seal() -> None:
        with History(tmp_path) as history:
            while not stop.is_set():
                history.seal(now=datetime(2026, 11, 30, tzinfo=UTC))

    threads = [threading.Thread(target=write), threading.Thread(target=seal)]
    for thread in threads:
        thread.start()
    while not stop.is_set():
        least = written[-1] if written else 0
        found = [row.id for row in EventLog(tmp_path / "events").read()]
        assert len(found) == len(set(found))
        assert {row.id for row in turns(least)} <= set(found)
    for thread in threads:
        thread.join()
    assert len(list(log.read())) == 400


def test_a_log_file_that_cannot_be_opened_is_an_error_that_names_it(tmp_path: Path, history: History) -> None:
    wrong = tmp_path / "events" / "wrong.ndjson"
    wrong.mkdir(parents=True)  # not even root can read a folder as a file
    with pytest.raises(StoreError, match="cannot be read") as caught:
        history.retain(START + 400 * DAY)
    with pytest.raises(StoreError, match="cannot be read") as sealing:
        seal_log.seal_logs(tmp_path / "events", {})
    assert caught.value.file == sealing.value.file == str(wrong)
    assert caught.value.hint
