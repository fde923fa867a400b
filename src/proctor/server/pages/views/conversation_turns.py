"""The turns of a conversation as its page shows them: texts in marked parts, tools, sources, gates, contradictions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from proctor.core.event import Event
from proctor.core.session_turns import turns_of
from proctor.core.trajectory import Turn
from proctor.core.verdict import Verdict
from proctor.text.excerpt import TextPart, marked_parts

if TYPE_CHECKING:
    from proctor.workflows.monitor.turn_conflicts import TurnConflict

__all__ = [
    "ConflictNote",
    "GateNote",
    "SaidText",
    "ScoreNote",
    "ToolNote",
    "TurnCard",
    "cards_of",
    "cards_of_turns",
    "loose_gates",
    "said_texts",
    "score_notes",
]

_SHOWN_CHARS: Final = 2_500  # of one message before the rest is folded away
_MAX_DATA_CHARS: Final = 20_000
_MAX_REASON_CHARS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidText:
    """A message: its speaker, its text in parts, and the rest of a long one."""

    role: str
    parts: Sequence[TextPart]
    rest: Sequence[TextPart] = ()
    rest_chars: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolNote:
    """A call of a tool as text."""

    name: str
    arguments: str
    result: str
    error: str = ""
    latency: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateNote:
    """What a gate decided; ``event`` is the id of the decision, if it came as an event of its own."""

    verdict: Verdict
    event: str = ""

    @property
    def state(self) -> str:
        """How the decision is coloured."""
        action = self.verdict.decided.action
        return "pass" if action == "allow" else "unscored" if action == "redact" else "fail"

    @property
    def words(self) -> str:
        """The gate and its decision."""
        decided = self.verdict.decided
        name = decided.by or decided.gate or "gate"
        return f"{name}: {decided.action}{' (not acted on)' if decided is not self.verdict else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictNote:
    """A contradiction at one of its turns: the number of the other one, from 1, what that says, and why."""

    other: int
    quote: str
    why: str
    is_later: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreNote:
    """A score that came as an event; its sender may have said why, and about which turn, from 0."""

    name: str
    value: float | None
    passed: bool | None
    reason: str = ""
    turn: int | None = None

    @property
    def state(self) -> str:
        """How the score is coloured."""
        return {True: "pass", False: "fail", None: "unscored"}[self.passed]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnCard:
    """One turn, with its number from 1."""

    number: int
    turn: Turn
    said: Sequence[SaidText]
    tools: Sequence[ToolNote] = ()
    gates: Sequence[GateNote] = ()
    conflicts: Sequence[ConflictNote] = ()
    scores: Sequence[ScoreNote] = ()


def cards_of(
    events: Sequence[Event],
    *,
    first: int,
    conflicts: Iterable[TurnConflict] = (),
    scores: Iterable[ScoreNote] = (),
    phrases: Sequence[str] = (),
) -> list[TurnCard]:
    """Return the turns of events in the order of time; ``first`` is the number of the first, from 0.

    ``phrases`` are marked wherever they occur, and what contradicts another turn is marked in the answers.
    """
    gates = _gates_by_turn(events)
    notes: dict[int, list[ConflictNote]] = {}
    quotes: dict[int, list[str]] = {}
    for each in conflicts:
        one, two = each.earlier, each.later
        notes.setdefault(one, []).append(
            ConflictNote(other=two + 1, quote=each.later_quote, why=each.why, is_later=False)
        )
        notes.setdefault(two, []).append(
            ConflictNote(other=one + 1, quote=each.earlier_quote, why=each.why, is_later=True)
        )
        quotes.setdefault(one, []).append(each.earlier_quote)
        quotes.setdefault(two, []).append(each.later_quote)
    about: dict[int, list[ScoreNote]] = {}
    for score in scores:
        if score.turn is not None:
            about.setdefault(score.turn, []).append(score)
    cards = []
    for place, turn in enumerate(turns_of([each for each in events if each.kind != "gate"])):
        at = first + place
        cards.append(
            TurnCard(
                number=at + 1,
                turn=turn,
                said=said_texts(turn, phrases, quotes.get(at, ())),
                tools=[_tool(each) for each in _calls(turn)],
                gates=[*(GateNote(verdict=each) for each in turn.verdicts), *gates.get(place, ())],
                conflicts=notes.get(at, ()),
                scores=about.get(at, ()),
            )
        )
    return cards


def score_notes(events: Iterable[Event]) -> list[ScoreNote]:
    """Return the scores among events; what their senders add to them may be anything."""
    found = []
    for each in events:
        if each.kind == "score":
            passed, reason, turn = (each.metadata.get(name) for name in ("passed", "reason", "turn"))
            found.append(
                ScoreNote(
                    name=each.name or "score",
                    value=each.value,
                    passed=passed if isinstance(passed, bool) else None,
                    reason=str(reason or "")[:_MAX_REASON_CHARS],
                    turn=turn if isinstance(turn, int) and not isinstance(turn, bool) else None,
                )
            )
    return found


def cards_of_turns(turns: Sequence[Turn], *, first: int) -> list[TurnCard]:
    """Return turns with what was said and done in them, and nothing else."""
    return [
        TurnCard(
            number=first + place + 1, turn=turn, said=said_texts(turn), tools=[_tool(each) for each in _calls(turn)]
        )
        for place, turn in enumerate(turns)
    ]


def said_texts(turn: Turn, phrases: Sequence[str] = (), quotes: Sequence[str] = ()) -> list[SaidText]:
    """Return the messages of a turn in marked parts; quotes of the agent are marked in its own messages only."""
    found = []
    for message in turn.messages:
        if not message.content:
            continue
        wanted = [*phrases, *(quotes if message.role == "assistant" else ())]
        shown, rest = message.content, ""
        if len(shown) > _SHOWN_CHARS:
            shown, rest = shown[:_SHOWN_CHARS], shown[_SHOWN_CHARS:]
        found.append(
            SaidText(
                role=message.role,
                parts=marked_parts(shown, wanted),
                rest=marked_parts(rest, wanted),
                rest_chars=len(rest),
            )
        )
    return found


def loose_gates(events: Sequence[Event]) -> list[GateNote]:
    """Return the decisions in a conversation that has no turn: its only message may have been stopped."""
    if any(each.kind == "turn" for each in events):
        return []
    return [GateNote(verdict=each.verdict, event=each.id or "") for each in events if each.verdict is not None]


def _gates_by_turn(events: Sequence[Event]) -> Mapping[int, Sequence[GateNote]]:
    """Return decisions that came as events, by the place of their turn.

    A gate decides before the turn is told, so its decision belongs to the next turn; after the last one, to that.
    """
    found: dict[int, list[GateNote]] = {}
    turns = sum(each.kind == "turn" for each in events)
    passed, told = 0, None
    for event in events:
        if event.kind == "turn":
            passed, told = passed + 1, event.time
        elif event.kind == "gate" and event.verdict is not None:
            place = passed - 1 if passed == turns or event.time == told else passed
            found.setdefault(place, []).append(GateNote(verdict=event.verdict, event=event.id or ""))
    return found


def _calls(turn: Turn) -> Sequence[Any]:
    return turn.tool_calls or [call for message in turn.messages for call in message.tool_calls]


def _tool(call: Any) -> ToolNote:
    return ToolNote(
        name=call.name,
        arguments=_data(call.arguments),
        result="" if call.result is None else _data(call.result),
        error=call.error or "",
        latency=call.latency,
    )


def _data(value: Any) -> str:
    """Return data as text; a text stays as it is."""
    text = value if isinstance(value, str) else json.dumps(_plain(value), ensure_ascii=False, indent=1, default=str)
    cut = len(text) - _MAX_DATA_CHARS
    return text if cut <= 0 else f"{text[:_MAX_DATA_CHARS]}\n… {cut:,} more characters"


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value
