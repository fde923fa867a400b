"""Who said what before: the turns of a conversation with everything that was said before each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proctor.core.case import Case
from proctor.core.trajectory import Trajectory

__all__ = ["AnsweredTurn", "SpokenLine", "exchanges"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenLine:
    """Something said before: by whom, and in which turn (``None``: before the case began)."""

    role: str
    text: str
    turn: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredTurn:
    """One turn: what was asked, what was answered, and all that was said before."""

    turn: int
    asked: str
    answer: str
    before: tuple[SpokenLine, ...]

    @property
    def answers_before(self) -> Sequence[SpokenLine]:
        """What was said before and not by the user: answers, and summaries of answers."""
        return [line for line in self.before if line.role not in ("user", "tool") and line.text.strip()]


def exchanges(case: Case, run: Trajectory) -> list[AnsweredTurn]:
    """Every turn in order, each with the history of the case and the turns before it."""
    said = [SpokenLine(role=message.role, text=message.content) for message in case.history]
    asks = case.asks
    made: list[AnsweredTurn] = []
    for index, turn in enumerate(run.turns):
        asked = turn.asked or (asks[index].text if index < len(asks) else "")
        made.append(AnsweredTurn(turn=index, asked=asked, answer=turn.answer, before=tuple(said)))
        said.append(SpokenLine(role="user", text=asked, turn=index))
        said.append(SpokenLine(role="assistant", text=turn.answer, turn=index))
    return made
