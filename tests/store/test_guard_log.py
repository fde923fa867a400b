from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.entity import Entity
from proctor.core.errors import NotFoundError, StoreError
from proctor.core.event import Event
from proctor.core.verdict import Finding, Verdict
from proctor.monitor.ingest import read_events
from proctor.monitor.sessions import conversations
from proctor.store import guard_log
from proctor.store.guard_log import FOLDER, NOT_KEPT, GuardLog
from proctor.store.guard_log_reader import days, find_event, read_rows
from proctor.store.mask_decisions import LONGEST, Masker
from proctor.store.review import GUARD, items
from proctor.store.runs import RunStore
from proctor.store.shared_lines import append_lines

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
CARD = "4111 1111 1111 1111"


def _event(number: int = 0, *, text: str = "hello", time: datetime = NOON, **more: Any) -> Event:
    part = Verdict(action="allow", gate="pii", version="1", latency=0.001)
    fields: dict[str, Any] = {
        "id": f"{number:032x}",
        "session": "s1",
        "customer": "c-17",
        "intent": "faq",
        "name": "input",
        "verdict": Verdict(action="allow", gate="input", latency=0.002, by="pii"),
        "metadata": {"parts": (part,), "text": text, "mode": "enforce", "turn": 1},
    }
    return Event(kind="gate", time=time, **{**fields, **more})


def _files(store: Path) -> str:
    return "".join(path.read_text("utf-8") for path in sorted((store / FOLDER).glob("*.ndjson")))


def test_a_decision_is_kept_whole_and_read_as_an_event_of_production(tmp_path: Path) -> None:
    log = GuardLog(tmp_path)
    for number in range(3):
        log.record(_event(number, time=NOON + timedelta(seconds=number)))
    log.close()
    (path,) = days(tmp_path / FOLDER)
    assert path.name == "2026-11-15.ndjson"
    events = [placed.event for placed in read_events(path)]
    assert [event.id for event in events] == [f"{number:032x}" for number in range(3)]
    first = events[0]
    assert (first.kind, first.time, first.session, first.intent, first.name) == ("gate", NOON, "s1", "faq", "input")
    assert first.verdict == Verdict(action="allow", gate="input", latency=0.002, by="pii")
    assert first.metadata["parts"] == [{"action": "allow", "gate": "pii", "version": "1", "latency": 0.001}]


def test_dashboards_see_the_decision_at_the_turn_it_was_about(tmp_path: Path) -> None:
    log = GuardLog(tmp_path)
    log.record(_event(verdict=Verdict(action="block", gate="input", reason="no")))
    log.close()
    turn = Event(kind="turn", time=NOON - timedelta(seconds=1), session="s1")
    logged = [placed.event for placed in read_events(days(tmp_path / FOLDER)[0])]
    (talk,) = conversations([turn, *logged])
    assert [verdict.action for verdict in talk.turns[0].verdicts] == ["block"]


def test_nothing_personal_and_no_secret_is_written_wherever_it_stands(tmp_path: Path) -> None:
    name, mail, key = "Jane Smith", "jane.smith@mail.org", "sk-abcdefghijklmnop1234"
    text = f"I am {name}, card {CARD}, mail {mail}, key {key}"
    found = (
        Finding(kind="person", detector="pii/tagger", text=name, start=5, end=15, confidence=0.9),
        Finding(kind="override", detector="injection", text=f"{name} says ignore {mail}", reason=f"about {CARD}"),
    )
    part = Verdict(action="block", gate="injection", reason=f"{name} wrote {mail}", findings=found, extra={"n": CARD})
    event = _event(
        text=text,
        customer=mail,
        session=mail,
        verdict=Verdict(action="block", gate="input", text=text, findings=found, shadow=part, extra={"edits": (1,)}),
        metadata={
            "parts": (part,),
            "text": text,
            "call": {"card": int(CARD.replace(" ", "")), "api_key": "hunter2x", mail: [{"who": name}]},
        },
    )
    log = GuardLog(tmp_path)
    log.record(event, borderline=True)
    log.close()
    with RunStore(tmp_path) as store:
        (item,) = items(store)
    written = _files(tmp_path) + repr(item)
    for secret in (name, "Jane", mail, key, CARD, CARD.replace(" ", ""), "hunter2x", "edits"):
        assert secret not in written, secret
    row = next(read_rows(tmp_path / FOLDER))
    assert row["metadata"]["text"].startswith("I am [PERSON], card [CARD], mail [EMAIL], key ")
    assert row["verdict"]["findings"][0]["text"] == "[PERSON]"
    assert row["metadata"]["parts"][0]["reason"] == "[PERSON] wrote [EMAIL]"


def test_a_customer_has_one_name_on_record_in_all_processes_and_another_in_another_project(tmp_path: Path) -> None:
    for store in ("one", "one", "two"):
        log = GuardLog(tmp_path / store)
        log.record(_event(customer="c-17"))
        log.record(_event(1, customer="c-18"))
        log.close()
    names = [[row["customer"] for row in read_rows(tmp_path / store / FOLDER)] for store in ("one", "two")]
    assert names[0][0] == names[0][2] != names[0][1]
    assert names[0][0] != names[1][0]
    assert "c-17" not in _files(tmp_path / "one")
    assert (tmp_path / "one" / FOLDER / "customers.key").stat().st_mode & 0o077 == 0


def test_what_a_gate_let_the_customer_see_is_masked_on_record(tmp_path: Path) -> None:
    masked, personal = "your booking [BOOKING] is safe", (("booking", "XK-7"),)
    part = Verdict(action="allow", gate="pii", masked=masked, personal=personal)
    promise = Finding(kind="promise", detector="commitments", text="XK-7 is safe")
    other = Verdict(action="block", gate="commitments", findings=(promise,))
    log = GuardLog(tmp_path)
    log.record(_event(metadata={"parts": (part, other), "text": "your booking XK-7 is safe"}))
    log.close()
    (row,) = read_rows(tmp_path / FOLDER)
    assert row["metadata"]["text"] == "your booking [BOOKING] is safe"
    assert "XK-7" not in _files(tmp_path)


class _Names:
    """A tagger that knows one name."""

    def __init__(self, name: str = "Kim Lee", *, broken: bool = False) -> None:
        self.name, self.broken, self.asked = name, broken, 0

    async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        if self.broken:
            raise RuntimeError("no weights")
        self.asked += len(texts)
        return [
            [Entity(kind="PERSON", text=self.name, start=at, end=at + len(self.name), score=0.9)] if at >= 0 else []
            for at in (text.find(self.name) for text in texts)
        ]


def _unread(text: str, **more: Any) -> Event:
    part = Verdict(action="allow", gate="injection")
    return _event(text=text, name="tool_result", metadata={"parts": (part,), "text": text, **more})


async def test_names_are_looked_for_whatever_gates_have_done(tmp_path: Path) -> None:
    tagger = _Names()
    log = GuardLog(tmp_path, tagger=tagger)
    log.record(_event(text="I am Kim Lee"))  # its pii gate was told to leave names
    log.record(_unread("booked by Kim Lee"))
    log.record(_unread("", call={"name": "find", "arguments": {"guest": "Kim Lee"}}))
    log.flush()  # on a thread that runs a loop of its own
    log.close()
    assert tagger.asked == 3
    rows = list(read_rows(tmp_path / FOLDER))
    assert [row["metadata"]["text"] for row in rows[:2]] == ["I am [PERSON]", "booked by [PERSON]"]
    assert rows[2]["metadata"]["call"]["arguments"] == {"guest": "[PERSON]"}


def test_words_that_nobody_could_look_at_are_left_out_and_the_decision_stays(tmp_path: Path) -> None:
    log = GuardLog(tmp_path, tagger=_Names(broken=True))
    found = (Finding(kind="indirect", detector="injection", text="Kim Lee orders you"),)
    log.record(_unread("booked by Kim Lee"))
    log.record(_event(1, verdict=Verdict(action="block", findings=found), metadata={"text": "Kim Lee orders you"}))
    log.close()
    rows = list(read_rows(tmp_path / FOLDER))
    assert "Kim Lee" not in _files(tmp_path)
    assert [row["verdict"]["action"] for row in rows] == ["allow", "block"]
    assert rows[1]["verdict"]["findings"] == [{"kind": "indirect", "detector": "injection"}]
    assert all(row["metadata"]["words"].startswith("left out") for row in rows)


def test_an_odd_object_in_a_verdict_costs_no_other_decision(tmp_path: Path) -> None:
    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("no")

    log = GuardLog(tmp_path)
    log.record(_event(0, verdict=Verdict(action="block", gate="input", latency=0.5, extra={"odd": Odd()})))
    log.record(_event(1))
    log.close()
    rows = list(read_rows(tmp_path / FOLDER))
    assert [row["verdict"]["action"] for row in rows] == ["block", "allow"]
    assert rows[0]["metadata"]["words"] == "left out: they could not be masked (RuntimeError)"


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_value_that_was_found_is_in_no_masked_text(before: str, after: str) -> None:
    value = "Wilhelmina Quartz"
    found = Finding(kind="person", detector="pii", text=value)
    masker = Masker(_event(verdict=Verdict(action="redact", findings=(found,))))
    assert value not in masker.text(before + value + after)
    assert value not in json.dumps(masker.data({"a": [before + value, {value: 1}]}), ensure_ascii=False)


def test_a_long_text_is_cut_after_it_was_masked() -> None:
    text = "x" * (LONGEST - 10) + f" {CARD} " + "y" * 100
    kept = Masker(_event(text=text)).text(text)
    assert len(kept) == LONGEST + 1
    assert "4111" not in kept


def test_files_are_by_the_day_of_the_decision(tmp_path: Path) -> None:
    log = GuardLog(tmp_path)
    for number, time in enumerate((NOON, NOON + timedelta(days=1), NOON, NOON - timedelta(days=3))):
        log.record(_event(number, time=time))
    log.close()
    folder = tmp_path / FOLDER
    assert [path.stem for path in days(folder)] == ["2026-11-12", "2026-11-15", "2026-11-16"]
    assert len(list(read_rows(folder))) == 4
    assert len(list(read_rows(folder, since=NOON))) == 3
    assert len(list(read_rows(folder, since=NOON + timedelta(hours=1)))) == 1


class _Waits(_Names):
    """A tagger that answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.free = threading.Event()

    async def entities(self, texts: Sequence[str]) -> Sequence[Sequence[Entity]]:
        await asyncio.to_thread(self.free.wait)
        return await super().entities(texts)


def test_decisions_that_come_faster_than_they_are_masked_are_kept_without_their_words(tmp_path: Path) -> None:
    tagger = _Waits()
    log = GuardLog(tmp_path, tagger=tagger, every=0.01, worded=5, batch=1)
    part = Verdict(action="allow", gate="injection", reason="Kim Lee asks", extra={"quote": "Kim Lee"})
    told = {"text": "I am Kim Lee", "parts": (part,), "mode": "enforce", "sample": 0.25}
    said = Verdict(action="block", gate="input", reason="Kim Lee asks", by="injection", extra={"quote": "Kim Lee"})
    for number in range(50):
        log.record(_event(number, metadata=told, verdict=said), borderline=number == 49)
    tagger.free.set()
    log.close()
    rows = list(read_rows(tmp_path / FOLDER))
    assert sorted(int(row["id"], 16) for row in rows) == list(range(50))
    assert "Kim Lee" not in _files(tmp_path)
    bare = [row for row in rows if "words" in row["metadata"]]
    assert 43 <= len(bare) <= 45
    assert bare[-1]["metadata"] == {
        "mode": "enforce",
        "sample": 0.25,
        "words": "left out: more was waiting to be written than could be masked",
        "parts": [{"action": "allow", "gate": "injection"}],
    }
    assert bare[-1]["verdict"] == {"action": "block", "gate": "input", "by": "injection"}
    assert bare[-1]["borderline"] is True
    worded = [row["metadata"]["text"] for row in rows if "words" not in row["metadata"]]
    assert set(worded) == {"I am [PERSON]"}


def test_long_texts_that_wait_are_bounded_by_their_letters(tmp_path: Path) -> None:
    log = GuardLog(tmp_path, every=30, letters=1000)
    for number in range(4):
        log.record(_event(number, metadata={"text": "x" * 600}))
    log.flush()
    log.record(_event(4, metadata={"text": "y" * 600}))
    log.close()
    rows = {int(row["id"], 16): "words" in row["metadata"] for row in read_rows(tmp_path / FOLDER)}
    assert rows == {0: False, 1: False, 2: True, 3: True, 4: False}


def test_a_program_that_ends_has_no_time_for_names_and_keeps_its_decisions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard_log, "_GOODBYE", -1.0)
    log = GuardLog(tmp_path, tagger=_Names(), every=30)
    for number in range(40):
        log.record(_event(number, text="I am Kim Lee"))
        log._enough.clear()
    log.close()
    rows = list(read_rows(tmp_path / FOLDER))
    assert [int(row["id"], 16) for row in rows] == list(range(40))
    assert "Kim Lee" not in _files(tmp_path)


def test_a_full_queue_that_no_disk_takes_counts_what_it_does_not_keep(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("a file stands where the folder should")
    log = GuardLog(tmp_path, every=0.01, most=5)
    for number in range(50):
        log.record(_event(number))
    (tmp_path / FOLDER).unlink()
    log.close()
    rows = list(read_rows(tmp_path / FOLDER))
    kept = [row for row in rows if row["kind"] == "gate"]
    notes = [row for row in rows if row["kind"] == "note"]
    assert 5 <= len(kept) < 50
    assert {note["name"] for note in notes} == {NOT_KEPT}
    assert sum(note["value"] for note in notes) + len(kept) == 50
    assert "decisions were not kept" in notes[0]["metadata"]["reason"]
    assert all(placed.event for path in days(tmp_path / FOLDER) for placed in read_events(path))


def test_a_disk_that_refuses_loses_nothing_once_it_takes_again(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("a file stands where the folder should")
    log = GuardLog(tmp_path, every=0.01)
    log.record(_event(0))
    with pytest.raises(StoreError):
        log.flush()
    assert str(log.trouble) != "None"
    (tmp_path / FOLDER).unlink()
    log.record(_event(1))
    log.close()
    assert log.trouble is None
    assert [row["id"][-1] for row in read_rows(tmp_path / FOLDER)] == ["0", "1"]


def test_a_review_queue_that_refuses_is_asked_again(tmp_path: Path) -> None:
    (tmp_path / "proctor.db").mkdir(parents=True)
    log = GuardLog(tmp_path, every=0.01)
    log.record(_event(0), borderline=True)
    with pytest.raises(StoreError):
        log.flush()
    (tmp_path / "proctor.db").rmdir()
    log.close()
    with RunStore(tmp_path) as store:
        assert len(items(store)) == 1
    assert len(list(read_rows(tmp_path / FOLDER))) == 1


def test_the_log_does_not_wait_for_a_review_queue_that_refuses(tmp_path: Path) -> None:
    (tmp_path / "proctor.db").mkdir(parents=True)
    log = GuardLog(tmp_path, every=3600.0, batch=2)
    for number in range(7):
        log.record(_event(number), borderline=number == 0)
        with pytest.raises(StoreError):
            log.flush()
    assert [int(row["id"], 16) for row in read_rows(tmp_path / FOLDER)] == list(range(7))
    (tmp_path / "proctor.db").rmdir()
    log.flush()
    assert log.trouble is None
    log.close()
    with RunStore(tmp_path) as store:
        assert len(items(store)) == 1


def test_decisions_that_did_not_reach_the_disk_are_logged_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = GuardLog(tmp_path, every=3600.0)
    log.record(_event(0))
    log.flush()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fdatasync", full)
        log.record(_event(1))
        with pytest.raises(StoreError, match="No space"):
            log.flush()
    log.close()
    assert [int(row["id"], 16) for row in read_rows(tmp_path / FOLDER)] == [0, 1]


WRITER = """
    import sys, time
    from datetime import UTC, datetime
    from pathlib import Path
    from proctor.core.event import Event
    from proctor.core.verdict import Verdict
    from proctor.store.guard_log import GuardLog

    def event(number):
        told = {{"text": "hello " * 50}}
        time = datetime(2026, 11, 15, tzinfo=UTC)
        return Event(kind="gate", time=time, id=f"{{number:032x}}", name="input", verdict=Verdict(action="allow"),
                     metadata=told)

    log = GuardLog(Path(sys.argv[1]), every=0.05)
    first, count = int(sys.argv[2]), int(sys.argv[3])
    for number in range(first, first + count):
        log.record(event(number), borderline=number % 50 == 0)
    {then}
"""


def _writer(store: Path, first: int, count: int, then: str) -> subprocess.Popen[str]:
    program = textwrap.dedent(WRITER).format(then=then)
    return subprocess.Popen(
        [sys.executable, "-c", program, str(store), str(first), str(count)], stdout=subprocess.PIPE, text=True
    )


def test_what_was_flushed_outlives_kill_9(tmp_path: Path) -> None:
    then = "log.flush(); print('flushed', flush=True); log.record(event(999)); time.sleep(60)"
    process = _writer(tmp_path, 0, 200, then)
    assert process.stdout is not None
    assert process.stdout.readline() == "flushed\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    rows = list(read_rows(tmp_path / FOLDER))
    assert [int(row["id"], 16) for row in rows][:200] == list(range(200))
    with RunStore(tmp_path) as store:
        assert len(items(store)) == 4


def test_several_processes_write_whole_lines_and_none_is_lost(tmp_path: Path) -> None:
    writers = [_writer(tmp_path, 1000 * place, 300, "log.close()") for place in range(3)]
    for process in writers:
        process.communicate(timeout=60)
        assert process.returncode == 0
    found = sorted(int(row["id"], 16) for row in read_rows(tmp_path / FOLDER))
    assert found == [1000 * place + number for place in range(3) for number in range(300)]


def test_a_program_that_ends_without_closing_keeps_its_decisions(tmp_path: Path) -> None:
    process = _writer(tmp_path, 0, 20, "pass")
    process.communicate(timeout=60)
    assert len(list(read_rows(tmp_path / FOLDER))) == 20


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_worker_writes_its_own_decisions_once(tmp_path: Path) -> None:
    log = GuardLog(tmp_path, every=30)
    log.record(_event(1))
    child = os.fork()
    if child == 0:
        try:
            log.record(_event(2))
            log.close()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    log.close()
    assert sorted(int(row["id"], 16) for row in read_rows(tmp_path / FOLDER)) == [1, 2]


def test_half_a_line_of_a_killed_writer_is_cut_off_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "day.ndjson"
    append_lines(path, b'{"a":1}\n')
    with path.open("ab") as file:
        file.write(b'{"a":2')
    append_lines(path, b'{"a":3}\n')
    assert path.read_bytes() == b'{"a":1}\n{"a":3}\n'


def test_a_line_that_is_being_written_is_not_read_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "2026-11-15.ndjson"
    path.write_bytes(b'{"kind":"gate","time":"2026-11-15T12:00:00+00:00"}\n{"kind":"ga')
    assert len(list(read_rows(tmp_path))) == 1
    path.write_bytes(b'{"kind":"gate","time":"2026-11-15T12:00:00+00:00"}\n{"kind":"ga\n')
    with pytest.raises(StoreError) as caught:
        list(read_rows(tmp_path))
    assert caught.value.line == 2


def test_a_decision_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    log = GuardLog(tmp_path)
    for number, name in enumerate(("abc1", "abd2")):
        log.record(_event(number, id=name, time=NOON))
    log.close()
    folder = tmp_path / FOLDER
    assert find_event(folder, "abc").id == "abc1"
    with pytest.raises(NotFoundError, match="2 decisions begin"):
        find_event(folder, "ab")
    with pytest.raises(NotFoundError, match="no decision 'x'"):
        find_event(folder, "x")


def test_borderline_and_sampled_decisions_are_put_before_people(tmp_path: Path) -> None:
    stopped = Verdict(action="escalate", gate="input", reason="perhaps an order", by="injection")
    log = GuardLog(tmp_path)
    log.record(_event(1, verdict=stopped), borderline=True)
    log.record(_event(2), sampled=True)
    log.record(_event(3))
    would = Verdict(action="allow", gate="input", by="injection", shadow=stopped)
    log.record(_event(4, verdict=would), borderline=True)
    log.close()
    with RunStore(tmp_path) as store:
        found = items(store, origin=GUARD)
    assert [(each.target, each.dimension, each.part) for each in found] == [
        ("injection", "input", "escalate"),
        ("pii", "input", "allow"),
        ("injection", "input", "escalate"),
    ]
    assert found[0].case_id == f"{1:032x}"
    assert found[0].reason == "perhaps an order"
    rows = list(read_rows(tmp_path / FOLDER))
    assert [(row.get("borderline"), row.get("sampled")) for row in rows] == [
        (True, None),
        (None, True),
        (None, None),
        (True, None),
    ]
