"""The history with its state on PostgreSQL: the cases of SQLite, and the search in trigrams or without."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from proctor.core.event_row import row_of
from proctor.store.conversation_part import PartRequest
from proctor.store.event_log import EventLog
from proctor.store.history import History
from proctor.store.postgres_events import PostgresEventDatabase
from proctor.store.postgres_texts import PostgresTextIndex
from tests.postgres_server import PostgresServer
from tests.store import test_history
from tests.store.event_rows import event, turn_event


def cases() -> list[Any]:
    found = [each for name, each in vars(test_history).items() if name.startswith("test_") and callable(each)]
    plain = [each for each in found if set(inspect.signature(each).parameters) == {"tmp_path", "history"}]
    return [pytest.param(each, id=each.__name__) for each in plain]


@pytest.fixture
def shared(tmp_path: Path, postgres: PostgresServer) -> Iterator[History]:
    pytest.importorskip("duckdb")
    with History(tmp_path, database=PostgresEventDatabase(postgres.url())) as made:
        yield made


@pytest.mark.parametrize("case", cases())
def test_as_on_sqlite(case: Callable[[Path, History], None], tmp_path: Path, shared: History) -> None:
    case(tmp_path, shared)


def test_the_search_takes_marks_of_patterns_as_they_are(
    tmp_path: Path, shared: History, postgres: PostgresServer
) -> None:
    texts = ["100% sure", "100x sure", "a_b c", "aXb c", "back\\slash", "Straße 東京都 返金"]
    with EventLog(tmp_path / "events") as log:
        log.append([row_of(turn_event(n, text=text)) for n, text in enumerate(texts)])
    shared.catch_up()

    def found(text: str) -> list[str]:
        return [next(each for each in texts if each in hit.text) for hit in shared.search(text)]

    assert isinstance(shared.texts, PostgresTextIndex)
    assert shared.texts.has_trigrams
    for with_index in (True, False):
        if not with_index:
            name = urlsplit(shared.texts._connection._url).path[1:]
            postgres.psql("DROP EXTENSION pg_trgm CASCADE", name)
        assert found("100%") == ["100% sure"]
        assert found("a_b") == ["a_b c"]
        assert found("k\\s") == ["back\\slash"]
        assert found("STRASSE 東京") == ["Straße 東京都 返金"]
        assert found("返金") == ["Straße 東京都 返金"]
        assert found("nothing") == []


def test_pages_scores_and_signals_on_postgres(tmp_path: Path, shared: History) -> None:
    rows = [row_of(turn_event(number, session=f"s{number}", intent=f"intent {number % 2}")) for number in range(12)]
    rows += [
        row_of(event(number, "score", id=f"sc{number}", session=f"s{number}", name="tone", value=number / 10))
        for number in range(4)
    ]
    with EventLog(tmp_path / "events") as log:
        log.append(rows)
    shared.catch_up()
    assert len(shared.search("", limit=5, offset=10)) == 2
    assert [hit.conversation.session for hit in shared.search("", score=("tone", 0.15))] == ["s1", "s0"]
    assert len(shared.search("", signal="score/tone")) == 4
    assert shared.indexer.conversations.intents() == ["intent 0", "intent 1"]
    assert shared.indexer.conversations.signals() == ["score/tone"]
    assert shared.texts is not None
    assert set(shared.texts.first_texts(["s1", "s2"])) == {"s1", "s2"}
    part = shared.conversation_part("s1", PartRequest())
    assert part is not None
    assert part.turns == 1
