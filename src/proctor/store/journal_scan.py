"""Read a run's journal once: units with a result, answers without one, and invalid lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from proctor.core.decode import decode
from proctor.core.errors import ProctorError
from proctor.core.trajectory import Trajectory
from proctor.store.journal import DamagedLine, JournalReader, Place, read_lines

__all__ = ["BUDGET", "Finished", "JournalScan"]

BUDGET = "budget"
_INVALID_LINE_ERRORS = (KeyError, TypeError, ValueError, AttributeError, ProctorError)


class Finished(NamedTuple):
    """A unit with its result: the positions of both lines, the result's data, and the indexed facts of the answer."""

    key: int
    answer: Place
    place: Place
    line: dict[str, Any]
    facts: dict[str, Any]


class JournalScan:
    """One pass over a journal.

    After the pass ``waiting`` has the answers without a result, ``finished`` where each unit's last result begins,
    ``refused`` the units that the budget left unscored, and ``damage`` the skipped lines.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.waiting: dict[int, Place] = {}
        self.finished: dict[int, int] = {}
        self.refused: set[int] = set()
        self.damage: list[DamagedLine] = []
        self.end = 0
        self._unpaid: set[int] = set()  # answers that the budget refused

    def units(self, since: int, answer_of: Callable[[int], Place | None]) -> Iterator[Finished]:
        """Yield every unit whose result begins at byte ``since`` or later, in the order of the journal.

        ``answer_of`` finds the answer of a unit that was graded again, since the first result has consumed it.
        """
        if not self.path.exists():
            return
        reader = JournalReader(self.path)
        known: dict[int, dict[str, Any]] = {}
        try:
            for place, line in read_lines(self.path, damaged=self.damage.append):
                self.end = place.at + place.length
                try:
                    found = self._read(place, line, since, known, reader, answer_of)
                except _INVALID_LINE_ERRORS as error:
                    self._note(place, reader, f"cannot be used ({type(error).__name__}: {error})")
                else:
                    if found is not None:
                        yield found
        finally:
            reader.close()

    def _read(
        self,
        place: Place,
        line: dict[str, Any],
        since: int,
        known: dict[int, dict[str, Any]],
        reader: JournalReader,
        answer_of: Callable[[int], Place | None],
    ) -> Finished | None:
        if line["kind"] == "trajectory":
            self._keep_answer(place, line, since, known)
        if line["kind"] != "result":
            return None
        if not isinstance(line["scores"], list) or not isinstance(line["reason"], str):
            raise TypeError("a result needs scores and a reason")
        key, outcome = line["key"], line["outcome"]
        before = self.waiting.pop(key, None) or answer_of(key)
        if before is None:
            self._note(place, reader, "is a result whose answer is missing")
            return None
        facts = known.pop(key, None)
        if place.at >= since and facts is None:
            facts = _facts(reader.read(before))
        self.finished[key] = place.at
        unpaid = outcome == "unscored" and (line.get("refused") == BUDGET or key in self._unpaid)
        (self.refused.add if unpaid else self.refused.discard)(key)
        return Finished(key, before, place, line, facts) if facts is not None else None

    def _keep_answer(self, place: Place, line: dict[str, Any], since: int, known: dict[int, dict[str, Any]]) -> None:
        key, trajectory = line["key"], line["trajectory"]
        if place.at >= since:
            known[key] = _facts(line)
        self.waiting[key] = place
        (self._unpaid.add if trajectory.get("error_kind") == BUDGET else self._unpaid.discard)(key)

    def _note(self, place: Place, reader: JournalReader, why: str) -> None:
        self.damage.append(DamagedLine(reader.line_number(place), why))


def _facts(line: dict[str, Any]) -> dict[str, Any]:
    case, trajectory = line["case"], decode(Trajectory, line["trajectory"])
    return {
        "case_id": case["id"],
        "target": line["target"],
        "sample": line["sample"],
        "intent": case.get("intent"),
        "tags": case.get("tags", ()),
        "latency": trajectory.latency,
        "cost": trajectory.cost,
    }
