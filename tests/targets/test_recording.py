from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proctor.core.case import Ask, Case
from proctor.core.chat import Message, ToolCall
from proctor.core.codec import dumps
from proctor.core.errors import ConfigError, MalformedError
from proctor.core.report import Result
from proctor.core.sockets import Target
from proctor.core.trajectory import Trajectory, Turn
from proctor.targets.recording import RecordedCases, connect

from .conftest import KitOf


def record(folder: Path, *rows: Any) -> None:
    (folder / "r.jsonl").write_bytes(b"".join((row if isinstance(row, bytes) else dumps(row)) + b"\n" for row in rows))


async def test_conversations_by_the_id_of_their_case(tmp_path: Path, kit_of: KitOf) -> None:
    messages = [{"role": "user", "content": "own words"}, {"role": "assistant", "content": "b"}]
    record(
        tmp_path,
        {"id": "one", "answer": "an answer 日本語", "cost": 0.5},
        b"",
        {"id": "two", "turns": [{"answer": "a", "latency": 2}, {"messages": messages}], "session": "s", "own": 1},
        {"case": "three", "turns": ["plain"]},
        {"id": 4, "answer": "four"},
        {"id": "broken", "error": "it did not answer", "error_kind": "timeout", "turns": []},
    )
    target = connect(kit_of({"recording": "r.jsonl"}))
    assert isinstance(target, Target)
    one = await target.run(Case(id="one", input="q"))
    assert (one.answer, one.turns[0].asked, one.cost, one.target) == ("an answer 日本語", "q", 0.5, "t")
    two = await target.run(Case(id="two", turns=(Ask(text="x"), Ask(text="y"))))
    assert [(turn.asked, turn.answer) for turn in two.turns] == [("x", "a"), ("own words", "b")]
    assert (two.session, two.turns[0].latency, two.extra) == ("s", 2.0, {"own": 1})
    assert (await target.run(Case(id="three", input="q"))).answer == "plain"
    assert (await target.run(Case(id="4", input="q"))).answer == "four"
    broken = await target.run(Case(id="broken", input="q"))
    assert (broken.error, broken.error_kind) == ("it did not answer", "timeout")
    missing = await target.run(Case(id="nobody", input="q"))
    assert "no recording of case 'nobody'" in (missing.error or "")
    assert missing.error_kind == "target"


async def test_exported_results_with_samples_and_targets(tmp_path: Path, kit_of: KitOf) -> None:
    def result(target: str, sample: int) -> Result:
        turn = Turn(messages=(Message(role="assistant", content=f"{target} {sample}"),))
        return Result(
            case=Case(id="c", input="q"),
            target=target,
            sample=sample,
            trajectory=Trajectory(turns=(turn,), target=target),
            outcome="pass",
        )

    record(tmp_path, *(result(target, sample) for target in ("a", "b") for sample in (0, 1)))
    with pytest.raises(ConfigError, match="'c' is there twice") as caught:
        connect(kit_of({"recording": "r.jsonl"}))
    assert caught.value.line == 3
    target = connect(kit_of({"recording": "r.jsonl", "target": "b"}))
    assert (await target.run(Case(id="c", input="q"))).answer == "b 0"
    assert (await target.run(Case(id="c", input="q"), sample=1)).answer == "b 1"
    assert "sample 2" in ((await target.run(Case(id="c", input="q"), sample=2)).error or "")


async def test_a_recording_without_samples_serves_them_all(tmp_path: Path, kit_of: KitOf) -> None:
    record(tmp_path, {"id": "c", "answer": "a"})
    target = connect(kit_of({"recording": "r.jsonl"}))
    assert (await target.run(Case(id="c", input="q"), sample=5)).answer == "a"


async def test_a_recorded_case_is_its_own_recording(tmp_path: Path, kit_of: KitOf) -> None:
    record(tmp_path, {"id": "c", "answer": "a"})
    own = Trajectory(turns=(Turn(),))
    assert await connect(kit_of({"recording": "r.jsonl"})).run(Case(id="c", input="q", recorded=own)) is own


async def test_a_conversation_that_is_too_long_to_be_scored_is_an_error_of_its_own(
    tmp_path: Path, kit_of: KitOf
) -> None:
    record(tmp_path, {"id": "c", "answer": "a" * 6_000_000}, {"id": "d", "answer": "a" * 10_000_001})
    target = connect(kit_of({"recording": "r.jsonl"}))
    assert (await target.run(Case(id="c", input="q"))).error is None
    calls = (ToolCall(name="read", result="b" * 4_000_001),)
    long = Trajectory(turns=(Turn(messages=(Message(role="user", content="a" * 6_000_000),), tool_calls=calls),))
    runs = [
        await target.run(Case(id="d", input="")),
        await target.run(Case(id="e", input="", recorded=long)),
        await RecordedCases().run(Case(id="e", input="", recorded=long)),
    ]
    for run in runs:
        assert run.error is not None
        assert "10,000,001 characters, and at most 10,000,000 are scored" in run.error
        assert run.error_kind == "target"


@pytest.mark.parametrize(
    "row", [{"id": "c"}, {"id": "c", "turns": "x"}, {"id": "c", "turns": [5]}, {"id": "c", "trajectory": 5}]
)
async def test_rows_that_hold_no_conversation(tmp_path: Path, kit_of: KitOf, row: dict[str, Any]) -> None:
    record(tmp_path, row)
    made = await connect(kit_of({"recording": "r.jsonl"})).run(Case(id="c", input="q"))
    assert "cannot be used" in (made.error or "")


@pytest.mark.parametrize(
    ("data", "what", "line"),
    [
        (b"", "empty", None),
        (b"\n\n", "empty", None),
        (b'{"id": "a", "answer": "x"}\n{broken\n', "not valid JSON", 2),
        (b'{"answer": "x"}\n', "names no case", 1),
        (b"[1]\n", "names no case", 1),
        (b'{"id": true}\n', "names no case", 1),
        (b"\xff\xfe\n", "not valid JSON", 1),
        (b'{"id": "a"}\n{"id": "a"}\n', "twice", 2),
    ],
)
def test_files_that_are_no_recording(tmp_path: Path, kit_of: KitOf, data: bytes, what: str, line: int | None) -> None:
    (tmp_path / "r.jsonl").write_bytes(data)
    with pytest.raises(ConfigError, match=what) as caught:
        connect(kit_of({"recording": "r.jsonl"}))
    assert caught.value.line == line


def test_a_file_that_is_not_there(kit_of: KitOf) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        connect(kit_of({"recording": "nowhere.jsonl"}))
    with pytest.raises(MalformedError):
        connect(kit_of({"recording": "r.jsonl", "odd": 1}))


def test_the_spec_is_the_content(tmp_path: Path, kit_of: KitOf) -> None:
    record(tmp_path, {"id": "a", "answer": "x"})
    one = json.dumps(connect(kit_of({"recording": "r.jsonl"})).spec)
    record(tmp_path, {"id": "a", "answer": "y"})
    assert json.dumps(connect(kit_of({"recording": "r.jsonl"})).spec) != one


async def test_only_places_are_held(tmp_path: Path, kit_of: KitOf) -> None:
    record(tmp_path, *({"id": f"case-{n}", "answer": "x" * 2_000} for n in range(2_000)))
    target = connect(kit_of({"recording": "r.jsonl"}))
    assert {type(offset) for offset in target.index.values()} == {int}
    assert (await target.run(Case(id="case-1999", input="q"))).answer == "x" * 2_000
    (tmp_path / "r.jsonl").unlink()
    assert "cannot be read" in ((await target.run(Case(id="case-1", input="q"))).error or "")
