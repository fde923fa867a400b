"""Generates millions of turns as sealed segments, with their rollups and their index, without going through the log."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

from proctor.core.rollup_cell import RollupCell, Slice
from proctor.store.duck import connect_duck
from proctor.store.event_indexer import EventIndexer
from proctor.store.segments import Manifest, Segment, read_manifest, segments_of, write_manifest

__all__ = ["DAY", "START", "TURNS", "generate"]

START = 1_790_812_800  # 2026-10-01, UTC
DAY = 86_400
TURNS = 5  # of a conversation
INTENTS = 15
FOLDER = Path(__file__).parent.parent.parent / "docs"
_PICKS = 12  # sentences of a turn
_TEXTS = 20_000  # different turns; more than a group of rows, so that compression is not flattered


def sentences() -> list[str]:
    """Real English from this project's pages, so that compression is not flattered by repeated text."""
    text = " ".join(path.read_text("utf-8") for path in sorted(FOLDER.glob("*.md")))
    plain = re.sub(r"[^A-Za-z0-9 ,.;'-]+", " ", text)
    found = {part.strip() for part in re.split(r"(?<=[.;])\s", plain) if 20 <= len(part.strip()) <= 90}
    return sorted(found)


def generate(store: Path, rows: int, days: int) -> list[Segment]:
    """Write ``rows`` turns over ``days`` days, and return the segments."""
    folder = store / "events"
    database = connect_duck(folder / "spill")
    dice, known = random.Random(0), sentences()
    said = [" ".join(dice.choices(known, k=_PICKS)) for _ in range(_TEXTS)]
    database.execute("CREATE TABLE said AS SELECT unnest(?) AS text, unnest(range(?)) AS k", [said, _TEXTS])
    segments = list(read_manifest(folder).segments)  # of a run that was stopped
    done = len({each.day for each in segments})
    with EventIndexer(store) as indexer:
        for day in range(done, days):
            low, high = [rows * each // days // TURNS * TURNS for each in (day, day + 1)]
            database.execute(f"CREATE OR REPLACE TEMP TABLE day AS {_turns(low, high, day)}")
            name = database.execute(f"SELECT strftime(to_timestamp({START + day * DAY}), '%Y-%m-%d')").fetchone()
            assert name
            segments += segments_of(database, folder, name[0], "SELECT * FROM day", compacted=True)
            _roll_up(database, indexer)
            _index(database, indexer)
            write_manifest(folder, Manifest(segments=tuple(segments)))
    database.close()
    return segments


def _turns(low: int, high: int, day: int) -> str:
    """Return a query: conversations begin evenly over the day, their turns 40 s apart, latencies are log-normal."""
    start = START + day * DAY
    talks = max(1, (high - low) // TURNS)
    columns = {
        "id": "printf('%032x', i)",
        "kind": "'turn'",
        "time": f"({start} + ((i - {low}) // {TURNS}) * {(DAY - 600) / talks} + (i % {TURNS}) * 40.0)::DOUBLE",
        "session": f"printf('s%016x', hash(i // {TURNS}))",
        "customer": f"printf('c%d', hash(i // {TURNS}) % 500000)",
        "intent": f"printf('intent-%d', hash(i // {TURNS} + 7) % {INTENTS})",
        "model": f"'model-{day // 15}'",  # a release in the middle of the month
        "version": "'v1'",
        "source": "'web'",
        "name": "NULL::VARCHAR",
        "value": "NULL::DOUBLE",
        "latency": "round(exp((hash(i) % 1000) / 400.0 - 1), 3)::DOUBLE",
        "cost": "0.002::DOUBLE",
        "confidence": "round((hash(i + 3) % 1000) / 1000.0, 3)::DOUBLE",
        "signals": "CASE WHEN hash(i + 5) % 25 = 0 THEN ['escalation', 'escalation/anger'] END",
    }
    inner = ", ".join(f"{what} AS {name}" for name, what in columns.items())
    event = (
        "json_object('kind', kind, 'time', strftime(to_timestamp(time), '%Y-%m-%dT%H:%M:%S+00:00'), 'id', id, "
        "'session', session, 'customer', customer, 'intent', intent, 'turn', json_object('messages', ["
        "json_object('role', 'user', 'content', text[:300]), json_object('role', 'assistant', 'content', text[301:])], "
        "'confidence', confidence, 'latency', latency, 'cost', cost), 'model', model, 'version', version, "
        "'source', source, 'masked', true)::VARCHAR"
    )
    return (
        f"SELECT * EXCLUDE (text), {event} AS event FROM (SELECT {inner}, text "
        f"FROM (SELECT range AS i FROM range({low}, {high})) JOIN said ON k = hash(i * 31) % {_TEXTS})"
    )


def _roll_up(database: Any, indexer: EventIndexer) -> None:
    query = (
        "SELECT (time // 60)::BIGINT * 60, intent, model, version, source, count(*), "
        f"count(*) // {TURNS}, sum(confidence), sum(cost), "
        "count(*) FILTER (signals IS NOT NULL), histogram(floor(ln(latency) / ln(1.02))::INT) "
        "FROM day GROUP BY ALL"
    )
    cells = []
    for start, intent, model, version, source, turns, talks, confidence, cost, bad, bins in database.execute(
        query
    ).fetchall():
        cells.append(
            RollupCell(
                start=start,
                slice=Slice(intent, model, version, source),
                turns=turns,
                conversations=talks,
                confidence_sum=confidence,
                confidence_count=turns,
                cost=cost,
                events={"turn": turns},
                signals={"escalation": bad, "escalation/anger": bad} if bad else {},
                latency=dict(bins),
            )
        )
    indexer.rollups.add(cells)


def _index(database: Any, indexer: EventIndexer) -> None:
    rows = database.execute(
        "SELECT session, min(customer), min(intent), min(model), min(version), min(source), min(time), max(time), "
        "count(*), bool_or(signals IS NOT NULL)::INT, sum(cost), '{}', '{}' "
        "FROM day GROUP BY session ORDER BY min(time)"
    ).fetchall()
    with indexer.database.writing() as known:
        known.executemany(
            "INSERT INTO conversations (session, customer, intent, model, version, source, first, last, turns, "
            "escalated, cost, signals, scores) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
