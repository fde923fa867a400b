"""Parquet files, event logs and shards of both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proctor.core.errors import InputError, SuiteError
from proctor.core.trajectory import Trajectory
from proctor.suites.conversations.detect import open_conversations
from proctor.suites.conversations.shards import cases_of_shard, named_files, plan_shards

duckdb = pytest.importorskip("duckdb")


def event(session: str | None, second: int, kind: str = "turn", **more: Any) -> dict[str, Any]:
    told: dict[str, Any] = {"kind": kind, "id": f"{session}/{second}", "time": f"2026-11-15T09:30:{second:02d}+00:00"}
    if session is not None:
        told["session"] = session
    if kind == "turn":
        told["turn"] = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": f"{second}"}]}
    return {**told, **more}


def write_events(path: Path, events: list[dict[str, Any]]) -> None:
    rows = path.with_suffix(".rows.json")
    about = ("id", "kind", "time", "session")
    rows.write_text(
        "\n".join(json.dumps({**{key: each.get(key) for key in about}, "event": json.dumps(each)}) for each in events)
    )
    columns = "{id: 'VARCHAR', kind: 'VARCHAR', time: 'VARCHAR', session: 'VARCHAR', event: 'VARCHAR'}"
    duckdb.connect().execute(
        f"COPY (SELECT * FROM read_json('{rows}', format='newline_delimited', columns={columns})) TO '{path}'"
    )
    rows.unlink()


def write_chats(path: Path, count: int, *, as_text: bool = False, session: bool = False) -> None:
    rows = path.with_suffix(".rows.json")
    said = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello", "name": "bot"}]
    chats = [
        {"id": f"c{n}", "messages": json.dumps(said) if as_text else said, **({"session_id": "s"} if session else {})}
        for n in range(count)
    ]
    rows.write_text(json.dumps(chats))
    duckdb.connect().execute(f"COPY (SELECT * FROM read_json('{rows}')) TO '{path}'")
    rows.unlink()


def answers(case: Any) -> list[str]:
    assert isinstance(case.recorded, Trajectory)
    return [turn.answer for turn in case.recorded.turns]


@pytest.mark.parametrize("as_text", [False, True])
def test_a_parquet_file_of_conversations_is_read_as_any_other(tmp_path: Path, as_text: bool) -> None:
    write_chats(tmp_path / "a.parquet", 3, as_text=as_text)
    found = list(open_conversations(tmp_path))  # also as part of a folder
    assert [case.id for case in found] == ["c0", "c1", "c2"]
    assert answers(found[0]) == ["hello"]


def test_an_event_log_is_one_conversation_per_session_in_time_order(tmp_path: Path) -> None:
    escalated = event("b", 5, "escalation", name="refund", metadata={"reason": "too much"})
    lines = [event("a", 3), event("b", 2, intent="refund", customer="k"), event("a", 1), event("a", 3), escalated]
    lines += [event("b", 9, "csat", value=4), event(None, 4), event("d", 1, "gate")]
    path = tmp_path / "log.ndjson"
    path.write_text("\n".join(map(json.dumps, lines)))
    found = {case.id: case for case in open_conversations(path)}
    assert set(found) == {"a", "b"}  # without a turn, or a session, there is no conversation
    assert answers(found["a"]) == ["1", "3"]  # sorted, and a repeated delivery once
    told = found["b"].recorded
    assert isinstance(told, Trajectory)
    assert (found["b"].intent, told.customer) == ("refund", "k")
    assert told.turns[0].escalation is not None
    assert told.turns[0].escalation.category == "refund"


def test_parquet_of_events_is_one_set_and_no_session_is_cut(tmp_path: Path) -> None:
    events = [event(f"s{n}", second) for n in range(20) for second in (1, 2)]
    write_events(tmp_path / "day1.parquet", [each for each in events if each["id"].endswith("1")])
    write_events(tmp_path / "day2.parquet", [each for each in events if each["id"].endswith("2")])
    files = named_files(["*.parquet"], tmp_path)
    plan = plan_shards(files, rows=10)
    assert len(plan.shards) == 4
    cases = [case for shard in plan.shards for case in cases_of_shard(shard)]
    assert sorted(case.id for case in cases) == sorted(f"s{n}" for n in range(20))
    assert {tuple(answers(case)) for case in cases} == {("1", "2")}
    assert plan == plan_shards(files, rows=10)
    with_more = plan_shards(files[:1], rows=10)
    assert with_more.shards[0].content != plan.shards[0].content


def test_a_large_parquet_file_is_split_by_rows(tmp_path: Path) -> None:
    write_chats(tmp_path / "a.parquet", 25)
    plan = plan_shards([tmp_path / "a.parquet"], rows=10)
    assert [shard.span for shard in plan.shards] == [(0, 10), (10, 20), (20, 25)]
    assert [case.id for shard in plan.shards for case in cases_of_shard(shard)] == [f"c{n}" for n in range(25)]
    write_chats(tmp_path / "b.parquet", 25, session=True)  # requests of a session are merged, so it stays whole
    assert len(plan_shards([tmp_path / "b.parquet"], rows=10).shards) == 1


def test_large_json_lines_are_split_at_line_ends_and_errors_name_the_line(tmp_path: Path) -> None:
    chat = '{"id": "c%d", "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "%s"}]}'
    lines = [chat % (n, "a" * (n % 7)) for n in range(50)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines))  # no line end at the end
    for size in (1, 100, 101, 500, 4000):
        plan = plan_shards([path], size=size)
        assert [case.id for shard in plan.shards for case in cases_of_shard(shard)] == [f"c{n}" for n in range(50)]
    path.write_text("\n".join([*lines[:40], "{torn", *lines[40:]]))
    *_, last = plan_shards([path], size=4000).shards
    with pytest.raises(SuiteError, match="not valid JSON") as error:
        list(cases_of_shard(last))
    assert error.value.line == 41


def test_files_that_cannot_be_read_are_named_and_left_out(tmp_path: Path) -> None:
    write_chats(tmp_path / "good.parquet", 2)
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 is not enough")
    (tmp_path / "empty.jsonl").touch()
    plan = plan_shards(sorted(tmp_path.iterdir()))
    assert [shard.name for shard in plan.shards] == ["good.parquet"]
    assert [each.file for each in plan.unreadable] == ["bad.parquet", "empty.jsonl"]
    assert "cannot be read as Parquet" in plan.unreadable[0].reason


def test_shards_are_named_from_one_root(tmp_path: Path) -> None:
    (tmp_path / "in" / "x").mkdir(parents=True)
    for name in ("a.jsonl", "x/a.jsonl"):
        (tmp_path / "in" / name).write_text('{"messages": []}')
    files = named_files(["in/**/*.jsonl", "in/a.jsonl"], tmp_path)
    assert [shard.name for shard in plan_shards(files).shards] == ["a.jsonl", "x/a.jsonl"]
    with pytest.raises(InputError, match="is not in"):
        plan_shards(files, root=tmp_path / "in" / "x")
