"""Check that the right tools were called with the right arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from proctor.core.case import Case
from proctor.core.chat import ToolCall
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import (
    MOST_EVIDENCE,
    combine,
    no_answer,
    quoted,
    scored,
    skipped,
    turn_label,
    unjudged,
)
from proctor.scorers.match_calls import Arguments, Pairing, pair, shown

__all__ = ["ToolCalls"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalls:
    """The expected tools were called with the expected arguments."""

    name: ClassVar[str] = "tool_calls"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = "calls"

    calls: tuple[ToolCall, ...] | None = None
    order: Literal["ignore", "strict", "subset"] = "ignore"
    arguments: Arguments = "exact"

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Compare actual with expected calls: F1, or recall if extra calls are allowed."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        found: list[tuple[str, Score]] = []
        wanted = self.calls if self.calls is not None else case.expect.tool_calls or None
        if wanted is not None:
            found.append(("conversation", self._check(wanted, run.tool_calls, None)))
        if self.calls is None:
            for index, ask in enumerate(case.asks):
                if ask.expect is None or not ask.expect.tool_calls:
                    continue
                if index < len(run.turns):
                    score = self._check(ask.expect.tool_calls, run.turns[index].tool_calls, index)
                else:
                    score = unjudged(self, "the conversation ended before this turn")
                found.append((turn_label(index), score))
        return combine(self, "every", found) if found else skipped(self, "no tool calls are expected")

    def _check(self, wanted: Sequence[ToolCall], made: Sequence[ToolCall], turn: int | None) -> Score:
        try:
            pairing = pair(wanted, made, arguments=self.arguments, in_order=self.order == "strict")
        except RecursionError:
            return unjudged(self, "the arguments are nested too deeply to be compared")
        matched = len(pairing.pairs)
        if self.order == "subset":
            value = matched / len(wanted) if wanted else 1.0
        else:
            value = 2 * matched / (len(wanted) + len(made)) if wanted or made else 1.0
        evidence = _evidence(wanted, made, pairing, turn, extra_allowed=self.order == "subset")
        reason = "; ".join(each.note for each in evidence[:3]) or f"all {len(wanted)} expected calls were made"
        return scored(self, value, quoted(reason, 400), evidence=evidence, parts=self._parts(wanted, made, pairing))

    def _parts(self, wanted: Sequence[ToolCall], made: Sequence[ToolCall], pairing: Pairing) -> tuple[Score, ...]:
        def part(name: str, share: int, whole: int, what: str) -> Score:
            if not whole:
                return Score(name=name, status="skipped", reason=f"no {what}", version=self.version)
            return Score(name=name, value=share / whole, reason=f"{share} of {whole} {what}", version=self.version)

        return (
            part("name precision", pairing.same_names, len(made), "calls made"),
            part("name recall", pairing.same_names, len(wanted), "calls expected"),
            part("arguments", pairing.same_arguments, pairing.same_names, "calls with the right name"),
            part("order", pairing.names_in_order, pairing.same_names, "calls with the right name"),
        )


def _evidence(
    wanted: Sequence[ToolCall], made: Sequence[ToolCall], pairing: Pairing, turn: int | None, *, extra_allowed: bool
) -> tuple[Evidence, ...]:
    """Return the missing and the extra calls; two with one name are reported as different arguments."""
    taken, given = {one for one, _ in pairing.pairs}, {other for _, other in pairing.pairs}
    missing = [call for index, call in enumerate(wanted) if index not in taken]
    extra = [call for index, call in enumerate(made) if index not in given]
    notes: list[Evidence] = []
    for call in missing:
        near = next((other for other in extra if other.name == call.name), None)
        if near is None:
            notes.append(Evidence(turn=turn, note=f"missing: {quoted(shown(call))}"))
            continue
        extra.remove(near)
        what = "called out of order" if shown(near) == shown(call) else "arguments differ"
        note = f"{what}: expected {quoted(shown(call))}, found {quoted(shown(near))}"
        notes.append(Evidence(quote=quoted(shown(near)), turn=turn, note=note))
    if not extra_allowed:
        notes += [
            Evidence(quote=quoted(shown(call)), turn=turn, note=f"not expected: {quoted(shown(call))}")
            for call in extra
        ]
    return tuple(notes[:MOST_EVIDENCE])
