"""One result as text: the conversation turn by turn, then every score with its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final, TextIO

from proctor.core.report import Result
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.report.evidence_marks import MarkState, state_of
from proctor.report.safe_text import one_line as _short

__all__ = ["write", "write_turns"]

_LONGEST = 20_000  # maximum characters of one line, enough for complete answers
_MARKS: Final[Mapping[MarkState, str]] = {
    "pass": "pass",
    "doubt": "doubt",
    "fail": "FAIL",
    "info": "info",
    "error": "error",
    "skipped": "skipped",
}


def _whole(text: str) -> str:
    """Return the text on one line, uninterpreted and cut only at the limit."""
    return _short(text, _LONGEST)


def write(result: Result, out: TextIO) -> None:
    """Print one complete result."""
    for line in _lines(result):
        out.write(line + "\n")


def write_turns(talk: Trajectory, out: TextIO) -> None:
    """Print a recorded conversation turn by turn."""
    known = {"customer": talk.customer, **talk.metadata}
    told = [f"{name} {_whole(str(value))}" for name, value in known.items() if value and not isinstance(value, Mapping)]
    lines = [" · ".join((f"conversation {_whole(talk.session or talk.id or '')}", *told))]
    for number, turn in enumerate(talk.turns, 1):
        time = f"  {turn.time:%Y-%m-%d %H:%M:%S}" if turn.time else ""
        lines += ["", f"turn {number}{time}{_facts(turn)}", *_turn(turn)]
    out.writelines(line + "\n" for line in lines)


def _lines(result: Result) -> Iterator[str]:
    sample = f" sample {result.sample}" if result.sample else ""
    yield f"case {_whole(result.case.id)} · target {_whole(result.target)}{sample} · {result.outcome_word.upper()}"
    if result.reason:
        yield f"  {_whole(result.reason)}"
    for number, turn in enumerate(result.trajectory.turns, 1):
        yield ""
        yield f"turn {number}" + _facts(turn)
        yield from _turn(turn)
    for ask in result.case.asks[len(result.trajectory.turns) :] if result.trajectory.error else ():
        yield ""
        yield f"  {'user':>9}  {_whole(ask.text)}"
    if result.trajectory.error:
        yield ""
        yield f"error: {_whole(result.trajectory.error)}"
    if result.trajectory.raw:
        yield f"  raw: {_whole(result.trajectory.raw)[:2000]}"
    if result.scores:
        yield ""
        yield "scores"
        for score in result.scores:
            yield from _score(score, "  ")
    yield ""


def _facts(turn: Turn) -> str:
    facts = []
    if turn.intents:
        facts.append("intent " + ", ".join(_whole(intent.name) for intent in turn.intents))
    if turn.latency is not None:
        facts.append(f"{turn.latency:.3f} s")
    if turn.first_token is not None:
        facts.append(f"first words {turn.first_token:.3f} s")
    if turn.usage:
        facts.append(f"{turn.usage.input} + {turn.usage.output} tokens")
    if turn.confidence is not None:
        facts.append(f"confidence {turn.confidence:.2f}")
    if turn.escalation:
        facts.append(f"escalated: {_whole(turn.escalation.reason)}")
    return f"  ({' · '.join(facts)})" if facts else ""


def _turn(turn: Turn) -> Iterator[str]:
    for message in turn.messages:
        text = message.content.splitlines() or [""]
        for index, line in enumerate(text):
            yield f"  {message.role if index == 0 else '':>9}  {_whole(line)}"
    for call in turn.tool_calls:
        arguments = json.dumps(dict(call.arguments), ensure_ascii=False, default=str)
        outcome = (
            f"failed: {call.error}" if call.error else f"→ {json.dumps(call.result, ensure_ascii=False, default=str)}"
        )
        yield f"  {'tool':>9}  {_whole(call.name)}({_whole(arguments)}) {_whole(outcome)}"
    for source in turn.sources:
        date = f" ({source.date})" if source.date else ""
        yield f"  {'source':>9}  {_whole(source.id)}{date}: {_whole(source.text)[:200]}"
    for verdict in turn.verdicts:
        yield f"  {'gate':>9}  {_whole(verdict.gate)}: {verdict.action} {_whole(verdict.reason)}"


def _score(score: Score, indent: str) -> Iterator[str]:
    mark = _MARKS[state_of(score)]
    value = "" if score.value is None else f" {score.value:.3f}"
    bar = "" if score.threshold is None or score.value is None else f" (needs {score.threshold:g})"
    yield f"{indent}{mark:<7} {_whole(score.name)}{value}{bar}  [{_whole(score.producer)}] {_whole(score.reason)}"
    for evidence in score.evidence:
        place = f"turn {evidence.turn + 1}: " if evidence.turn is not None else ""
        note = f" ({_whole(evidence.note)})" if evidence.note else ""
        yield f"{indent}        {place}“{_whole(evidence.quote)[:200]}”{note}"
    for part in score.parts:
        yield from _score(part, indent + "    ")
