"""The audit in SQLite: samples, claims, ratings, settled splits, and what scorers said.

One file beside the runs, for several raters at once: each call is one transaction. The terminal uses these methods,
and a page in a browser can use the same ones.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from proctor.core.audit import (
    AuditItem,
    AuditRating,
    AuditSample,
    BlindItem,
    ScorerVerdict,
    Settlement,
    blind,
)
from proctor.core.codec import dumps, loads
from proctor.core.errors import InputError, NotFoundError
from proctor.store.audit_schema import AUDIT_MIGRATIONS, audit_item, audit_sample, item_row, of_weeks
from proctor.store.sqlite_store import SqliteStore, several_begin_with, unknown_name

__all__ = ["AUDIT_FILE", "AuditStore"]

AUDIT_FILE = "audit.db"

_ITEM = (
    "id, week, conversation, stratum, probability, is_core, raters, place, reasons, customer, first, about, trajectory"
)


class AuditStore(SqliteStore):
    """The audit of one project, in its ``.proctor`` folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / AUDIT_FILE, AUDIT_MIGRATIONS)
        self.database.execute("PRAGMA secure_delete=ON")  # what is forgotten is not left in free pages

    # --- samples ------------------------------------------------------------------------------------

    def add_sample(self, sample: AuditSample, items: Iterable[AuditItem], *, replace: bool = False) -> None:
        """Store a week's sample; ``replace`` takes the place of one that nobody has rated.

        Raises:
            InputError: the week has a sample, or a conversation is in one already.
        """
        with self.change() as database:
            known = database.execute("SELECT 1 FROM samples WHERE week = ?", (sample.week,)).fetchone()
            if known is not None:
                self._drop(sample.week, replace=replace)
            database.execute(
                "INSERT INTO samples (week, created, core, scale, strata) VALUES (?, ?, ?, ?, ?)",
                (
                    sample.week,
                    (sample.created or _now()).isoformat(),
                    sample.core,
                    sample.scale,
                    dumps([[each.name, each.population, each.drawn] for each in sample.strata]).decode(),
                ),
            )
            marks = ", ".join("?" * 13)
            for item in items:
                try:
                    database.execute(f"INSERT INTO items ({_ITEM}) VALUES ({marks})", item_row(item))
                except sqlite3.IntegrityError:
                    raise InputError(
                        f"conversation {item.conversation!r} is in a sample already",
                        hint="a conversation is rated once; draw the sample again",
                    ) from None
                self._put_scores(item.id, item.about.scores)

    def _drop(self, week: str, *, replace: bool) -> None:
        rated = self.database.execute(
            "SELECT count(DISTINCT item) FROM ratings JOIN items ON items.id = item WHERE week = ?", (week,)
        ).fetchone()[0]
        if not replace or rated:
            raise InputError(
                f"week {week} has its sample already" + (f", and {rated} of it are rated" if rated else ""),
                hint="`proctor audit list` shows the samples"
                + ("" if rated else "; --replace draws it again while nothing is rated"),
            )
        self.database.execute("DELETE FROM samples WHERE week = ?", (week,))

    def samples(self, weeks: Sequence[str] | None = None) -> list[AuditSample]:
        """Return the samples, the oldest week first; of these weeks only, if given."""
        rows = self.database.execute("SELECT week, created, core, scale, strata FROM samples ORDER BY week")
        return [audit_sample(row) for row in rows if weeks is None or row["week"] in weeks]

    def taken(self) -> set[str]:
        """Return the conversations that are in a sample."""
        return {row["conversation"] for row in self.database.execute("SELECT conversation FROM items")}

    def items(self, weeks: Sequence[str] | None = None, *, texts: bool = True) -> list[AuditItem]:
        """Return the items in order of week and place, without ``texts`` faster. They say what raters must not see."""
        columns = _ITEM if texts else _ITEM.replace("trajectory", "'{}' AS trajectory")
        where, values = of_weeks(weeks)
        rows = self.database.execute(f"SELECT {columns} FROM items WHERE {where} ORDER BY week, place", values)
        return [audit_item(row) for row in rows]

    def find(self, name: str) -> AuditItem:
        """Return an item by its id or a prefix of it, or by its conversation.

        Raises:
            NotFoundError: no item, or more than one, matches.
        """
        rows = self.database.execute(
            f"SELECT {_ITEM} FROM items WHERE substr(id, 1, ?) = ? OR conversation = ? ORDER BY id",
            (len(name), name, name),
        ).fetchall()
        if len(rows) == 1 and name:
            return audit_item(rows[0])
        if rows:
            raise several_begin_with(name, [row["id"] for row in rows], "items")
        known = [row["id"] for row in self.database.execute("SELECT id FROM items LIMIT 2000")]
        listing = "`proctor audit export items.csv` lists the items"
        raise unknown_name(name, known, f"there is no audit item {name!r}", listing)

    # --- rating -------------------------------------------------------------------------------------

    def claim(
        self,
        rater: str,
        *,
        week: str | None = None,
        item: str | None = None,
        minutes: float = 15.0,
        skip: Sequence[str] = (),
    ) -> BlindItem | None:
        """Give a rater the next conversation to rate, and hold it for some minutes; None if there is none left.

        It is one that the rater has not rated and that lacks a rater, not counting those that others hold now.
        Conversations that someone else has rated come first, so that pairs are complete early. Calling again returns
        the same one until it is rated, released or expired. With ``item`` it is this one or none.
        """
        now = _now()
        with self.change() as database:
            database.execute("DELETE FROM claims WHERE expires <= ?", (now.isoformat(),))
            row = database.execute(
                f"""
                SELECT * FROM (
                    SELECT {_ITEM},
                        (SELECT count(*) FROM claims WHERE item = id AND rater = :rater) AS mine,
                        (SELECT count(DISTINCT rater) FROM ratings WHERE item = id) AS rated,
                        (SELECT count(*) FROM claims WHERE item = id AND rater <> :rater AND NOT EXISTS (
                            SELECT 1 FROM ratings WHERE item = id AND rater = claims.rater)) AS held
                    FROM items
                    WHERE (:week IS NULL OR week = :week) AND (:item IS NULL OR id = :item)
                        AND id NOT IN (SELECT value FROM json_each(:skip))
                        AND NOT EXISTS (SELECT 1 FROM ratings WHERE item = id AND rater = :rater)
                ) AS found
                WHERE mine > 0 OR rated + held < raters
                ORDER BY mine DESC, week, rated DESC, place LIMIT 1
                """,
                {"rater": rater, "week": week, "item": item, "skip": dumps(list(skip)).decode()},
            ).fetchone()
            if row is None:
                return None
            database.execute(
                "INSERT INTO claims (item, rater, expires) VALUES (?, ?, ?)"
                " ON CONFLICT (item, rater) DO UPDATE SET expires = excluded.expires",
                (row["id"], rater, (expires := now + timedelta(minutes=minutes)).isoformat()),
            )
            return blind(audit_item(row), expires=expires)

    def release(self, rater: str, item: str | None = None) -> None:
        """Give up the claim on an item, or all claims of a rater."""
        with self.change() as database:
            database.execute("DELETE FROM claims WHERE rater = ? AND (? IS NULL OR item = ?)", (rater, item, item))

    def rate(self, ratings: Iterable[AuditRating]) -> int:
        """Store ratings, all or none; a later one by the same person replaces the earlier. Return how many.

        A rating is kept also when its claim has expired: one rating too many harms nothing, lost work does.

        Raises:
            NotFoundError: an item is unknown.
            InputError: an item is settled in a dimension that the rating would change.
        """
        count = 0
        with self.change() as database:
            for rating in ratings:
                self._rate_one(database, rating)
                count += 1
        return count

    def refusal(self, rating: AuditRating) -> InputError | None:
        """Return why a rating cannot be stored: its item is unknown, or settled otherwise; None if it can."""
        if self.database.execute("SELECT 1 FROM items WHERE id = ?", (rating.item,)).fetchone() is None:
            return NotFoundError(
                f"there is no audit item {rating.item!r}", hint="rate the items of `proctor audit export`"
            )
        before = self._values(rating.item, rating.rater)
        settled = self._settled(rating.item)
        if changed := [name for name, value in rating.values.items() if name in settled and before.get(name) != value]:
            return InputError(
                f"{rating.item}: {', '.join(changed)} is settled, so a rating would change nothing",
                hint="`proctor audit settle` can settle it again",
            )
        return None

    def _rate_one(self, database: sqlite3.Connection, rating: AuditRating) -> None:
        if refusal := self.refusal(rating):
            raise refusal
        time = (rating.time or _now()).isoformat()
        database.executemany(
            "INSERT INTO ratings (item, rater, dimension, value, note, time) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (item, rater, dimension) DO UPDATE SET value = excluded.value, note = excluded.note,"
            " time = excluded.time",
            [(rating.item, rating.rater, name, value, rating.note, time) for name, value in rating.values.items()],
        )
        database.execute("DELETE FROM claims WHERE item = ? AND rater = ?", (rating.item, rating.rater))

    def ratings(self, weeks: Sequence[str] | None = None) -> list[AuditRating]:
        """Return all ratings in the order they were given. They are not for raters."""
        where, values = of_weeks(weeks)
        rows = self.database.execute(
            "SELECT item, rater, dimension, value, note, ratings.time FROM ratings JOIN items ON items.id = item"
            f" WHERE {where} ORDER BY ratings.n",
            values,
        )
        found: dict[tuple[str, str], AuditRating] = {}
        for row in rows:
            key = row["item"], row["rater"]
            known = found.get(key)
            given = {**(known.values if known else {}), row["dimension"]: row["value"]}
            found[key] = AuditRating(
                item=row["item"],
                rater=row["rater"],
                values=given,
                note=row["note"],
                time=datetime.fromisoformat(row["time"]),
            )
        return list(found.values())

    def left(self, rater: str, *, week: str | None = None) -> int:
        """Return how many conversations this person could still rate."""
        found: int = self.database.execute(
            "SELECT count(*) FROM items WHERE (:week IS NULL OR week = :week)"
            " AND NOT EXISTS (SELECT 1 FROM ratings WHERE item = id AND rater = :rater)"
            " AND (SELECT count(DISTINCT rater) FROM ratings WHERE item = id) < raters",
            {"rater": rater, "week": week},
        ).fetchone()[0]
        return found

    # --- splits and scores --------------------------------------------------------------------------

    def settle(self, settlement: Settlement, *, is_consensus: bool = False) -> None:
        """Store the final rating of one dimension; a later one replaces the earlier.

        Raises:
            NotFoundError: the item is unknown, or nobody has rated it in this dimension.
            InputError: the person has rated it, and it is not the raters' common decision.
        """
        with self.change() as database:
            raters = [
                row["rater"]
                for row in database.execute(
                    "SELECT rater FROM ratings WHERE item = ? AND dimension = ?",
                    (settlement.item, settlement.dimension),
                )
            ]
            if not raters:
                raise NotFoundError(
                    f"nobody has rated {settlement.item!r} in {settlement.dimension!r}",
                    hint="`proctor audit settle` lists the splits",
                )
            if settlement.by in raters and not is_consensus:
                raise InputError(
                    f"{settlement.by} has rated {settlement.item} and cannot decide alone",
                    hint="let a third person decide, or say --consensus if the raters have agreed",
                )
            database.execute(
                "INSERT INTO settlements (item, dimension, value, person, note, time) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (item, dimension) DO UPDATE SET value = excluded.value, person = excluded.person,"
                " note = excluded.note, time = excluded.time",
                (
                    settlement.item,
                    settlement.dimension,
                    settlement.value,
                    settlement.by,
                    settlement.note,
                    (settlement.time or _now()).isoformat(),
                ),
            )

    def settlements(self) -> list[Settlement]:
        """Return the settled splits."""
        rows = self.database.execute("SELECT item, dimension, value, person, note, time FROM settlements ORDER BY n")
        return [
            Settlement(
                item=row["item"],
                dimension=row["dimension"],
                value=row["value"],
                by=row["person"],
                note=row["note"],
                time=datetime.fromisoformat(row["time"]),
            )
            for row in rows
        ]

    def keep_scores(self, scores: Mapping[str, Sequence[ScorerVerdict]]) -> int:
        """Store what scorers said of conversations that are in a sample, by conversation; return of how many."""
        found = 0
        with self.change() as database:
            for row in database.execute("SELECT id, conversation FROM items").fetchall():
                if said := scores.get(row["conversation"]):
                    self._put_scores(row["id"], said)
                    found += 1
        return found

    def _put_scores(self, item: str, scores: Sequence[ScorerVerdict]) -> None:
        self.database.executemany(
            "INSERT OR REPLACE INTO scores (item, name, value, passed, version) VALUES (?, ?, ?, ?, ?)",
            [(item, each.name, each.value, each.passed, each.version) for each in scores],
        )

    def scores(self) -> dict[str, list[ScorerVerdict]]:
        """Return what scorers said, by item."""
        found: dict[str, list[ScorerVerdict]] = {}
        for row in self.database.execute("SELECT item, name, value, passed, version FROM scores ORDER BY item, name"):
            passed = None if row["passed"] is None else bool(row["passed"])
            verdict = ScorerVerdict(name=row["name"], value=row["value"], passed=passed, version=row["version"])
            found.setdefault(row["item"], []).append(verdict)
        return found

    def forget_customer(self, *names: str, conversations: Sequence[str] = ()) -> int:
        """Erase the conversations of a customer, and these, keeping ratings and weights; return how many."""
        with self.change() as database:
            rows = {}
            for column, wanted in (("customer", names), ("conversation", conversations)):
                for each in wanted:
                    found = database.execute(f"SELECT id, about FROM items WHERE {column} = ?", (each,)).fetchall()
                    rows.update({row["id"]: row for row in found})
            for row in rows.values():
                about = {**loads(row["about"]), "customer": None, "id": row["id"]}
                database.execute(
                    "UPDATE items SET customer = NULL, conversation = ?, about = ?, trajectory = '{}' WHERE id = ?",
                    (f"forgotten {row['id']}", dumps(about).decode(), row["id"]),
                )
                database.execute("UPDATE ratings SET note = '' WHERE item = ?", (row["id"],))
                database.execute("UPDATE settlements SET note = '' WHERE item = ?", (row["id"],))
        if isinstance(self.database, sqlite3.Connection):
            self.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(rows)

    # --- parts --------------------------------------------------------------------------------------

    def _values(self, item: str, rater: str) -> dict[str, int | None]:
        rows = self.database.execute("SELECT dimension, value FROM ratings WHERE item = ? AND rater = ?", (item, rater))
        return {row["dimension"]: row["value"] for row in rows}

    def _settled(self, item: str) -> set[str]:
        rows = self.database.execute("SELECT dimension FROM settlements WHERE item = ?", (item,))
        return {row["dimension"] for row in rows}


def _now() -> datetime:
    return datetime.now(UTC)
