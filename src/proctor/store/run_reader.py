"""Read a run: pages of rows from the index, whole results from the journal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from proctor.core.case import Case
from proctor.core.decode import decode
from proctor.core.errors import NotFoundError, StoreError
from proctor.core.record import dataclass
from proctor.core.report import Outcome, Report, Result
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory
from proctor.store.figures import report_of
from proctor.store.journal import JournalReader, Place
from proctor.store.ledger import case_kept
from proctor.store.run_index import bring_up_to_date
from proctor.store.runs import RunRecord, RunStore

__all__ = ["DOUBT", "IN_SUITE", "ResultRow", "RunReader"]

IN_SUITE = "place, seq"  # those of earlier versions have no place and stay in the order they finished
DOUBT = "doubt"  # selects the results that passed and should be reviewed


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """One result as stored in the index: enough for a table, without the details."""

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


class RunReader:
    """Reads one run; opening a run of 100,000 results costs no more than one of ten."""

    def __init__(self, store: RunStore, run: RunRecord) -> None:
        bring_up_to_date(store, run)
        self.run = run
        self._store = store
        self._database = store.database

    def rows(
        self, *, outcome: str | None = None, target: str | None = None, limit: int = 50, offset: int = 0
    ) -> list[ResultRow]:
        """Return one page of results in the order of the suite."""
        where, values = self._where(outcome, target)
        found = self._database.execute(
            "SELECT seq, case_id, target, sample, intent, outcome, value, reason, latency, cost, in_doubt"
            f" FROM results WHERE {where} ORDER BY {IN_SUITE} LIMIT ? OFFSET ?",
            (*values, limit, offset),
        )
        return [ResultRow(**{**dict(row), "in_doubt": bool(row["in_doubt"])}) for row in found]

    def case_ids(self, *outcomes: str) -> set[str]:
        """Return the ids of the cases with a result of these outcomes."""
        marks = ",".join("?" * len(outcomes))
        rows = self._database.execute(
            f"SELECT DISTINCT case_id FROM results WHERE run = ? AND outcome IN ({marks})",
            (self.run.n, *outcomes),
        )
        return {row["case_id"] for row in rows}

    def results(
        self, *, outcome: str | None = None, target: str | None = None, by_case: bool = False
    ) -> Iterator[Result]:
        """Yield every whole result in the order of the suite, or with ``by_case`` by the ids of cases."""
        where, values = self._where(outcome, target)
        order = "case_id, target, sample" if by_case else IN_SUITE
        yield from self._whole(f"{where} ORDER BY {order}", values)

    def graded(
        self, *, target: str | None = None, cases: bool = False, only: Sequence[str] | None = None
    ) -> Iterator[Result]:
        """Yield every result with its scores but without its conversation, by case.

        The conversation is by far the larger part of a journal; skipping it makes this many times faster. The case has
        only its id and intent, or with ``cases`` everything. ``only`` are the ids of the cases to read.
        """
        where, values = self._where(None, target)
        if only is not None:
            where += f" AND case_id IN ({','.join('?' * len(only))})"
            values += only
        with self._journal() as journal:
            rows = self._database.execute(
                "SELECT case_id, target, sample, intent, outcome, value, reason, trajectory_at, trajectory_length,"
                f" result_at, result_length FROM results WHERE {where} ORDER BY case_id, target, sample",
                values,
            )
            for row in rows:
                line = journal.read(Place(row["result_at"], row["result_length"]))
                case = Case(id=row["case_id"], intent=row["intent"])
                if cases:
                    before = journal.read(Place(row["trajectory_at"], row["trajectory_length"]))
                    case = case_kept(before)
                yield Result(
                    case=case,
                    target=row["target"],
                    sample=row["sample"],
                    trajectory=Trajectory(),
                    scores=tuple(_score(each) for each in line["scores"]),
                    outcome=row["outcome"],
                    value=row["value"],
                    reason=row["reason"],
                )

    def case_page(
        self, *, outcome: str = "", target: str = "", limit: int = 50, offset: int = 0
    ) -> tuple[list[str], int]:
        """Return one page of the ids of cases by name, and how many there are."""
        where, values = self._where(outcome or None, target or None)
        total = self._database.execute(f"SELECT count(DISTINCT case_id) FROM results WHERE {where}", values).fetchone()
        rows = self._database.execute(
            f"SELECT DISTINCT case_id FROM results WHERE {where} ORDER BY case_id LIMIT ? OFFSET ?",
            (*values, limit, offset),
        )
        return [row["case_id"] for row in rows], int(total[0])

    def targets(self) -> tuple[str, ...]:
        """Return the targets the run has results of, by name."""
        rows = self._database.execute(
            "SELECT json_extract(each.value, '$.name') FROM runs, json_each(runs.report, '$.by_target') AS each"
            " WHERE runs.n = ? ORDER BY 1",
            (self.run.n,),
        ).fetchall()
        if not rows:  # not finished: nothing is kept yet
            rows = self._database.execute(
                "SELECT DISTINCT target FROM results WHERE run = ? ORDER BY target", (self.run.n,)
            ).fetchall()
        return tuple(row[0] for row in rows)

    def find(self, case_id: str, *, target: str | None = None, sample: int | None = None) -> list[Result]:
        """Return the whole results of one case.

        Raises:
            NotFoundError: the run has no such result.
        """
        where, values = self._where(None, target)
        found = [
            result
            for result in self._whole(f"{where} AND case_id = ? ORDER BY target, sample", [*values, case_id])
            if sample is None or result.sample == sample
        ]
        if not found:
            raise NotFoundError(
                f"run {self.run.id} has no result for case {case_id!r}",
                hint=f"`proctor show {self.run.id} --page 1` lists them",
            )
        return found

    def has(self, key: int) -> bool:
        """Return whether the run has a result with this key."""
        row = self._database.execute("SELECT 1 FROM results WHERE run = ? AND key = ?", (self.run.n, key)).fetchone()
        return row is not None

    def result(self, key: int) -> Result:
        """Return the whole result with this key.

        Raises:
            NotFoundError: the run has no such result.
        """
        found = next(self._whole("run = ? AND key = ?", [self.run.n, key]), None)
        if found is None:
            raise NotFoundError(f"run {self.run.id} has no result {key}")
        return found

    def report(self) -> Report:
        """Return the figures of the run."""
        return report_of(self._store, self.run)

    def _where(self, outcome: str | None, target: str | None) -> tuple[str, list[Any]]:
        where = ["run = ?"]
        values: list[Any] = [self.run.n]
        if outcome == DOUBT:
            where.append("in_doubt = 1")
        elif outcome:
            where.append("outcome = ?")
            values.append(outcome)
        if target:
            where.append("target = ?")
            values.append(target)
        return " AND ".join(where), values

    def _whole(self, where: str, values: list[Any]) -> Iterator[Result]:
        with self._journal() as journal:
            rows = self._database.execute(
                f"SELECT trajectory_at, trajectory_length, result_at, result_length FROM results WHERE {where}",
                values,
            )
            for row in rows:
                yield self._joined(
                    journal.read(Place(row["trajectory_at"], row["trajectory_length"])),
                    journal.read(Place(row["result_at"], row["result_length"])),
                )

    @contextmanager
    def _journal(self) -> Iterator[JournalReader]:
        journal = JournalReader(self._store.journal_of(self.run.id))
        try:
            yield journal
        except StoreError as error:
            raise StoreError(
                f"the journal of run {self.run.id} is damaged: {error.message}",
                file=error.file,
                line=error.line,
                hint=f"`proctor doctor --rebuild {self.run.id}` keeps every result that is whole",
            ) from error
        except (ValueError, KeyError) as error:
            raise StoreError(
                f"the journal of run {self.run.id} is damaged: {error}",
                file=str(journal.path),
                hint=f"`proctor doctor --rebuild {self.run.id}` keeps every result that is whole",
            ) from error
        finally:
            journal.close()

    def _joined(self, before: dict[str, Any], after: dict[str, Any]) -> Result:
        return Result(
            case=case_kept(before),
            target=before["target"],
            sample=before["sample"],
            trajectory=decode(Trajectory, before["trajectory"]),
            scores=tuple(_score(each) for each in after["scores"]),
            outcome=after["outcome"],
            value=after["value"],
            reason=after["reason"],
            started=datetime.fromisoformat(after["started"]) if after["started"] else None,
            duration=after["duration"],
        )


def _score(data: dict[str, Any]) -> Score:
    data = dict(data)
    data.pop("passed", None)  # derived; written for people who read the journal
    return decode(Score, data)
