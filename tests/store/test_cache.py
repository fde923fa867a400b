"""The cache file: what is put outlives a kill, two processes share it, and what is wrong is said."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.core.chat import Message, Reply, Request, Sampling, ToolCall, Usage
from proctor.core.errors import StoreError
from proctor.core.sockets import Cache
from proctor.store.cache import SqliteCache
from tests.profiles import examples

REQUEST = Request(messages=(Message(role="user", content="ありがとう 👍"),), sampling=Sampling(seed=3), sample=2)
REPLY = Reply(
    text="どういたしまして",
    tool_calls=(ToolCall(name="search", arguments={"q": [1, None, {"a": "b"}]}, id="1"),),
    usage=Usage(input=3, output=4, cached_input=1),
    finish="tool_calls",
    latency=0.25,
    model="m",
    data={"x": 1.5},
    cost=0.001,
    attempts=2,
    extra={"id": "abc"},
)


def test_a_reply_comes_back_as_it_was(tmp_path: Path) -> None:
    with SqliteCache(tmp_path / "new" / "folder" / "cache.db") as cache:
        assert isinstance(cache, Cache)
        assert cache.get("k") is None
        cache.put("k", REQUEST, REPLY, model="openai:m")
        assert cache.get("k") == REPLY
        cache.put("k", REQUEST, Reply(text="newer"), model="openai:m")
        assert cache.get("k") == Reply(text="newer")


def test_it_is_still_there_when_opened_again(tmp_path: Path) -> None:
    with SqliteCache(tmp_path / "c.db") as cache:
        cache.put("k", REQUEST, REPLY, model="m")
    with SqliteCache(tmp_path / "c.db") as cache:
        assert cache.get("k") == REPLY


def test_a_person_can_read_what_was_asked_and_answered(tmp_path: Path) -> None:
    with SqliteCache(tmp_path / "c.db") as cache:
        cache.put("k", REQUEST, REPLY, model="openai:m")
    rows = sqlite3.connect(tmp_path / "c.db")
    model, request, reply = rows.execute("SELECT model, request, reply FROM replies").fetchone()
    rows.close()
    assert model == "openai:m"
    assert "ありがとう" in request
    assert "どういたしまして" in reply


def test_entries_are_in_the_order_they_were_kept(tmp_path: Path) -> None:
    with SqliteCache(tmp_path / "c.db") as cache:
        for number in (3, 1, 2):
            cache.put(f"k{number}", REQUEST, Reply(text=str(number)), model="m")
        found = list(cache.entries())
    assert [entry.reply.text for entry in found] == ["3", "1", "2"]
    assert all(entry.request == REQUEST and entry.model == "m" for entry in found)
    assert found[0].made <= found[-1].made


def test_clearing_all_or_what_is_old(tmp_path: Path) -> None:
    with SqliteCache(tmp_path / "c.db") as cache:
        for number in range(5):
            cache.put(str(number), REQUEST, REPLY, model="m")
        assert cache.clear(older_than=3600) == 0
        assert cache.clear() == 5
        assert cache.get("1") is None


def test_a_closed_cache_says_so(tmp_path: Path) -> None:
    cache = SqliteCache(tmp_path / "c.db")
    cache.close()
    cache.close()
    for use in (lambda: cache.get("k"), lambda: cache.put("k", REQUEST, REPLY, model="m"), cache.clear):
        with pytest.raises(StoreError, match="closed"):
            use()


_WRITER = """
    import sys
    from proctor.core.chat import Message, Reply, Request
    from proctor.store.cache import SqliteCache
    path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    cache = SqliteCache(path)
    request = Request(messages=(Message(role="user", content="x"),))
    for number in range(count):
        cache.put(f"{name}{number}", request, Reply(text=f"{name}{number}"), model="m")
        print(number, flush=True)
    sys.stdin.read()
"""


def start_writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_WRITER), str(path), name, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_what_was_put_outlives_kill_minus_nine(tmp_path: Path) -> None:
    writer = start_writer(tmp_path / "c.db", "k", 100_000)
    assert writer.stdout is not None
    told = 0
    while told < 200:
        told = int(writer.stdout.readline())
    os.kill(writer.pid, signal.SIGKILL)
    rest, _ = writer.communicate()
    told = max([told, *(int(line) for line in rest.split("\n")[:-1])])
    with SqliteCache(tmp_path / "c.db") as cache:
        for number in range(told + 1):
            assert cache.get(f"k{number}") == Reply(text=f"k{number}")


def test_two_processes_may_write_at_once(tmp_path: Path) -> None:
    writers = [start_writer(tmp_path / "c.db", name, 300) for name in "ab"]
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    with SqliteCache(tmp_path / "c.db") as cache:
        assert {entry.key for entry in cache.entries()} == {f"{name}{number}" for name in "ab" for number in range(300)}


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "c.db").write_bytes(b"not a database at all " * 100)
    with pytest.raises(StoreError, match="damaged, or no cache") as caught:
        SqliteCache(tmp_path / "c.db")
    assert caught.value.file == str(tmp_path / "c.db")
    assert "move it away" in str(caught.value.hint)


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "c.db")
    other.execute("CREATE TABLE theirs (x)")
    other.commit()
    other.close()
    before = (tmp_path / "c.db").read_bytes()
    with pytest.raises(StoreError, match="another program"):
        SqliteCache(tmp_path / "c.db")
    assert (tmp_path / "c.db").read_bytes() == before


def test_a_newer_format_is_left_alone(tmp_path: Path) -> None:
    SqliteCache(tmp_path / "c.db").close()
    newer = sqlite3.connect(tmp_path / "c.db")
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(StoreError, match="newer Proctor"):
        SqliteCache(tmp_path / "c.db")


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "c.db").mkdir()
    with pytest.raises(StoreError, match="cannot be written"):
        SqliteCache(tmp_path / "c.db")


def test_a_file_where_its_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("")
    with pytest.raises(StoreError):
        SqliteCache(tmp_path / "folder" / "c.db")


def test_a_full_disk(tmp_path: Path) -> None:
    with SqliteCache(tmp_path / "c.db") as cache:
        cache.put("small", REQUEST, REPLY, model="m")
        cache._open.execute("PRAGMA max_page_count = 1")  # SQLite's own way to run out of room
        with pytest.raises(StoreError, match="disk is full"):
            cache.put("large", REQUEST, Reply(text="x" * 1_000_000), model="m")
        assert cache.get("small") == REPLY


def test_a_file_that_may_only_be_read(tmp_path: Path) -> None:
    with SqliteCache(tmp_path / "c.db") as cache:
        cache.put("k", REQUEST, REPLY, model="m")
        cache._open.execute("PRAGMA query_only = ON")
        with pytest.raises(StoreError, match="cannot be written"):
            cache.put("other", REQUEST, REPLY, model="m")
        assert cache.get("k") == REPLY


def test_a_damaged_entry_is_named(tmp_path: Path) -> None:
    with SqliteCache(tmp_path / "c.db") as cache:
        cache.put("k", REQUEST, REPLY, model="m")
        for damage in ("{", '{"usage": 7}'):
            cache._open.execute("UPDATE replies SET reply = ?", (damage,))
            with pytest.raises(StoreError, match="entry k is damaged"):
                cache.get("k")


@settings(max_examples=examples(50), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(), data=st.none() | st.dictionaries(st.text(), st.integers() | st.text()))
def test_any_text_comes_back(tmp_path: Path, text: str, data: object) -> None:
    reply = Reply(text=text, data=data)
    with SqliteCache(tmp_path / "c.db") as cache:
        cache.put("k", Request(messages=(Message(role="user", content=text),)), reply, model="m")
        assert cache.get("k") == reply
