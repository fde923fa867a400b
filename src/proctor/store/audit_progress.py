"""How far an audit is: by week, by person, and which conversations are complete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from proctor.store.audit import AuditStore
from proctor.store.audit_schema import of_weeks
from proctor.store.db import explained

__all__ = ["WeekProgress", "complete_items", "held_by", "rating_stamp", "week_progress"]

_RATERS = "(SELECT count(DISTINCT rater) FROM ratings WHERE item = items.id)"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekProgress:
    """A week's sample: how many conversations are rated by as many people as they should be, and by whom.

    ``people`` has how many each person has rated.
    """

    week: str
    population: int
    sampled: int
    wanted: int
    complete: int
    people: dict[str, int]

    @property
    def ratings(self) -> int:
        """How many ratings there are."""
        return sum(self.people.values())


def week_progress(store: AuditStore) -> list[WeekProgress]:
    """Return the progress of every week, the oldest first.

    Raises:
        StoreError: the database failed.
    """
    with explained(store.path):
        counted = store.database.execute(
            f"SELECT week, count(*) AS sampled, sum(raters) AS wanted,"
            f" sum(CASE WHEN {_RATERS} >= raters THEN 1 ELSE 0 END) AS complete FROM items GROUP BY week"
        ).fetchall()
        rated = store.database.execute(
            "SELECT week, rater, count(DISTINCT item) AS rated FROM ratings JOIN items ON items.id = item"
            " GROUP BY week, rater ORDER BY week, rater"
        ).fetchall()
    people: dict[str, dict[str, int]] = {}
    for row in rated:
        people.setdefault(row["week"], {})[row["rater"]] = row["rated"]
    known = {row["week"]: row for row in counted}
    return [
        WeekProgress(
            week=each.week,
            population=each.population,
            sampled=int(known[each.week]["sampled"]) if each.week in known else 0,
            wanted=int(known[each.week]["wanted"]) if each.week in known else 0,
            complete=int(known[each.week]["complete"]) if each.week in known else 0,
            people=people.get(each.week, {}),
        )
        for each in store.samples()
    ]


def complete_items(store: AuditStore, weeks: Sequence[str] | None = None) -> set[str]:
    """Return the items that as many people have rated as should: nobody is asked to rate them any more.

    Raises:
        StoreError: the database failed.
    """
    where, values = of_weeks(weeks)
    with explained(store.path):
        rows = store.database.execute(f"SELECT id FROM items WHERE {where} AND {_RATERS} >= raters", values)
        return {row["id"] for row in rows}


def held_by(store: AuditStore) -> dict[str, int]:
    """Return how many conversations each person holds now, to rate them.

    Raises:
        StoreError: the database failed.
    """
    with explained(store.path):
        rows = store.database.execute(
            "SELECT rater, count(*) AS held FROM claims WHERE expires > ? GROUP BY rater ORDER BY rater",
            (datetime.now(UTC).isoformat(),),
        )
        return {row["rater"]: row["held"] for row in rows}


def rating_stamp(store: AuditStore) -> tuple[object, ...]:
    """Return what changes whenever a sample, a rating, a settled split or a score is added or changed.

    Raises:
        StoreError: the database failed.
    """
    tables = (("samples", "created"), ("ratings", "time"), ("settlements", "time"), ("scores", "value"))
    queries = [f"(SELECT count(*) FROM {table}), (SELECT max({column}) FROM {table})" for table, column in tables]
    with explained(store.path):
        return tuple(store.database.execute(f"SELECT {', '.join(queries)}").fetchone())
