"""Find results of one run by outcome, target, intent, tag, failed check or text, one page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from proctor.core.record import dataclass
from proctor.core.report import Outcome
from proctor.store.run_index import TAG_BREAK
from proctor.store.run_reader import IN_SUITE
from proctor.store.runs import RunRecord, RunStore

__all__ = ["FoundResult", "Neighbours", "ResultFilter", "ResultSort", "count_results", "neighbours", "search_results"]

ResultSort = Literal["", "case", "-case", "value", "-value", "latency", "-latency", "cost", "-cost"]
_ORDER: dict[str, str] = {
    "": IN_SUITE,
    "case": "case_id, target, sample",
    "-case": "case_id DESC, target, sample",
    "value": "value IS NULL, value, seq",
    "-value": "value DESC, seq",
    "latency": "latency IS NULL, latency, seq",
    "-latency": "latency DESC, seq",
    "cost": "cost IS NULL, cost, seq",
    "-cost": "cost DESC, seq",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFilter:
    """Which results to find; an empty field accepts all. The outcome ``doubt`` finds those that passed in doubt.

    ``failing`` is the name of a check that failed. ``text`` is part of the case's id or of the reason; with
    ``is_secret`` only of the id, since a search in reasons that are not shown would reveal them.
    """

    outcome: str = ""
    target: str = ""
    intent: str = ""
    tag: str = ""
    failing: str = ""
    text: str = ""
    case: str = ""
    is_secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundResult:
    """One result of a page, as the index has it."""

    key: int
    seq: int
    case_id: str
    target: str
    sample: int
    intent: str | None
    outcome: Outcome
    value: float | None
    reason: str
    latency: float | None
    cost: float | None
    in_doubt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """The keys of the results before and after one, in the order of the suite; ``None`` at the ends."""

    before: int | None
    after: int | None


def search_results(
    store: RunStore, run: RunRecord, wanted: ResultFilter, *, sort: ResultSort = "", limit: int = 50, offset: int = 0
) -> list[FoundResult]:
    """Return one page of results in the order of the suite, or sorted; missing values come last."""
    where, values = _where(run, wanted)
    # The page is found on the index alone; only its rows are read. One case is found faster by the whole table.
    order = f"+{_ORDER['']}" if wanted.case and not sort else _ORDER[sort]
    rows = store.database.execute(
        "SELECT r.key, r.seq, r.case_id, r.target, r.sample, r.intent, r.outcome, r.value, r.reason, r.latency, r.cost,"
        " r.in_doubt"
        f" FROM (SELECT run, key FROM results WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?) AS p"
        " CROSS JOIN results AS r ON r.run = p.run AND r.key = p.key",
        (*values, limit, offset),
    )
    return [FoundResult(**{**dict(row), "in_doubt": bool(row["in_doubt"])}) for row in rows]


def count_results(store: RunStore, run: RunRecord, wanted: ResultFilter) -> int:
    """Return how many results there are."""
    where, values = _where(run, wanted)
    return int(store.database.execute(f"SELECT count(*) FROM results WHERE {where}", values).fetchone()[0])


def neighbours(store: RunStore, run: RunRecord, seq: int, *, outcome: str = "") -> Neighbours:
    """Return the results before and after the one with this number, of one outcome or of all."""
    also, value = (" AND outcome = ?", [outcome]) if outcome else ("", list[Any]())
    if outcome == "doubt":
        also, value = " AND in_doubt = 1", []
    here = store.database.execute("SELECT place FROM results WHERE run = ? AND seq = ?", (run.n, seq)).fetchone()
    place = None if here is None else here["place"]

    def first(order: str, *ranges: tuple[str, Sequence[int | None]]) -> int | None:
        for where, bounds in ranges:
            row = store.database.execute(
                f"SELECT key FROM results WHERE run = ? AND {where}{also} ORDER BY place {order}, seq {order} LIMIT 1",
                (run.n, *bounds, *value),
            ).fetchone()
            if row is not None:
                return int(row["key"])
        return None

    # Results of earlier versions have no place and come first. Each range is read from the index.
    unplaced = "place IS NULL AND ? IS NOT NULL"
    return Neighbours(
        before=first("DESC", ("place IS ? AND seq < ?", (place, seq)), ("place < ?", (place,)), (unplaced, (place,))),
        after=first("ASC", ("place IS ? AND seq > ?", (place, seq)), ("place > ifnull(?, -1)", (place,))),
    )


def _where(run: RunRecord, wanted: ResultFilter) -> tuple[str, list[Any]]:
    where, values = ["run = ?"], list[Any]([run.n])
    if wanted.outcome == "doubt":
        where.append("in_doubt = 1")
    outcome = "" if wanted.outcome == "doubt" else wanted.outcome
    for column, value in (("outcome", outcome), ("target", wanted.target), ("case_id", wanted.case)):
        if value:
            where.append(f"{column} = ?")
            values.append(value)
    if wanted.intent:
        where.append("intent = ?")
        values.append(wanted.intent)
    if wanted.tag:
        where.append("instr(? || tags || ?, ?)")
        values += [TAG_BREAK, TAG_BREAK, f"{TAG_BREAK}{wanted.tag}{TAG_BREAK}"]
    if wanted.failing:
        where.append("key IN (SELECT key FROM scores WHERE run = ? AND name = ? AND passed = 0)")
        values += [run.n, wanted.failing]
    if wanted.text and wanted.is_secret:
        where.append("instr(lower(case_id), lower(?))")
        values.append(wanted.text)
    elif wanted.text:
        where.append("(instr(lower(case_id), lower(?)) OR instr(lower(reason), lower(?)))")
        values += [wanted.text, wanted.text]
    return " AND ".join(where), values
