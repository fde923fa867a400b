from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.chat import Message, Reply, Request
from proctor.core.codec import content_id
from proctor.core.errors import StoreError
from proctor.store.calls import CallLog

ASK = Request(messages=(Message(role="user", content="hi"),))


def _key(number: int) -> str:
    return content_id(number, length=40)


def test_a_later_leg_finds_what_an_earlier_one_kept_and_the_newest_of_it(tmp_path: Path) -> None:
    path = tmp_path / "calls.ndjson"
    with closing(CallLog(path)) as log:
        for number in range(100):
            log.put(_key(number), ASK, Reply(text=str(number)), model="m")
        log.put(_key(7), ASK, Reply(text="newer"), model="m")
        assert log.get(_key(1)) is None  # two equal questions of one leg are two questions
    with closing(CallLog(path)) as log:
        assert [log.get(_key(number)).text for number in (0, 7, 99)] == ["0", "newer", "99"]  # type: ignore[union-attr]
        assert log.get(_key(100)) is None


def test_keys_that_begin_alike_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "calls.ndjson"
    one, two = "a" * 16 + "1" * 24, "a" * 16 + "2" * 24
    with closing(CallLog(path)) as log:
        log.put(one, ASK, Reply(text="one"), model="m")
        log.put(two, ASK, Reply(text="two"), model="m")
    with closing(CallLog(path)) as log:
        assert [log.get(key).text for key in (one, two)] == ["one", "two"]  # type: ignore[union-attr]


def test_requests_are_kept_for_a_recording_only(tmp_path: Path) -> None:
    with closing(CallLog(tmp_path / "a.ndjson")) as log:
        log.put(_key(1), ASK, Reply(text="x"), model="m")
        assert list(log.calls()) == []
    with closing(CallLog(tmp_path / "b.ndjson", whole=True)) as log:
        log.put(_key(1), ASK, Reply(text="x"), model="m")
        ((model, request, reply),) = log.calls()
    assert (model, request, reply.text) == ("m", ASK, "x")


def test_a_file_that_is_no_call_log_is_named(tmp_path: Path) -> None:
    (tmp_path / "calls.ndjson").write_text('{"kind": "run"}\n')
    with pytest.raises(StoreError, match="no model call"):
        CallLog(tmp_path / "calls.ndjson")


@given(st.lists(st.integers(0, 30), max_size=40))
def test_the_index_finds_exactly_what_is_there(numbers: list[int]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calls.ndjson"
        with closing(CallLog(path)) as log:
            for place, number in enumerate(numbers):
                log.put(_key(number), ASK, Reply(text=f"{number}@{place}"), model="m")
        newest = {number: f"{number}@{place}" for place, number in enumerate(numbers)}
        with closing(CallLog(path)) as log:
            for number in range(31):
                found = log.get(_key(number))
                assert (found.text if found else None) == newest.get(number)
