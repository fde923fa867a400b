"""The turns of a conversation for a page: messages, tool calls, sources and verdicts, with marks in the texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from proctor.core.chat import Message, ToolCall
from proctor.core.codec import dumps
from proctor.core.report import Result
from proctor.core.trajectory import Turn
from proctor.core.verdict import Verdict
from proctor.report.evidence_marks import EvidenceMarks, MarkedPiece, Quotation, TextPlace
from proctor.report.number_format import money, seconds
from proctor.server.pages.table import Chip, State

__all__ = ["TURNS_PER_PAGE", "MarkedText", "MarkedTurn", "ShownEntry", "ShownPiece", "marked_turns", "page_of_turn"]

TURNS_PER_PAGE: Final = 40
_MOST_TEXT: Final = 30_000  # characters of one text; the JSON file has the whole
_MOST_DATA: Final = 8_000
_WHO: Final = {"user": "User", "assistant": "Agent", "system": "System", "tool": "Tool"}
_ACTIONS: Final[dict[str, State]] = {"allow": "pass", "block": "fail"}


@dataclass(frozen=True, slots=True)
class ShownPiece:
    """A piece of a text; with a ``title`` it is marked. ``names`` are the anchors that lead to it."""

    text: str
    state: str = ""
    title: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text in pieces; ``left_out`` is how many characters are only in the file."""

    pieces: Sequence[ShownPiece]
    left_out: int = 0

    @property
    def is_marked(self) -> bool:
        """Whether a score quotes it."""
        return any(piece.title for piece in self.pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEntry:
    """One thing of a turn: something said, called, read or decided. ``more`` are texts that open on a click."""

    kind: str
    who: str
    text: MarkedText
    chip: Chip | None = None
    about: str = ""
    more: Sequence[tuple[str, MarkedText]] = ()
    is_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedTurn:
    """One turn: its number from 1, facts about it, and what happened in it."""

    number: int
    facts: Sequence[str] = ()
    entries: Sequence[ShownEntry] = field(default_factory=list)


def page_of_turn(turn: int) -> int:
    """Return the page that a turn is on."""
    return turn // TURNS_PER_PAGE + 1


def marked_turns(
    result: Result, marks: EvidenceMarks, quoted: Sequence[Quotation], *, page: int = 1, prefix: str = ""
) -> list[MarkedTurn]:
    """Return one page of turns."""
    maker = _Maker(marks, {each.number: each for each in quoted}, prefix)
    first = (page - 1) * TURNS_PER_PAGE
    turns = result.trajectory.turns[first : first + TURNS_PER_PAGE]
    made = [maker.turn(number, turn) for number, turn in enumerate(turns, first)]
    if first == 0 and result.case.history:
        earlier = [maker.message(message, None) for message in result.case.history]
        made.insert(0, MarkedTurn(number=0, facts=("before the case",), entries=earlier))
    if first == 0 and not turns:
        asked = [Message(role="user", content=ask.text) for ask in result.case.asks]
        made.append(MarkedTurn(number=1, entries=[maker.message(message, None) for message in asked]))
    return made


class _Maker:
    def __init__(self, marks: EvidenceMarks, quoted: Mapping[int, Quotation], prefix: str) -> None:
        self._marks, self._quoted, self._prefix = marks, quoted, prefix

    def turn(self, number: int, turn: Turn) -> MarkedTurn:
        return MarkedTurn(number=number + 1, facts=list(_facts(turn)), entries=list(self._entries(number, turn)))

    def _entries(self, number: int, turn: Turn) -> Iterator[ShownEntry]:
        # The tools ran between the question and the answer, and are shown there.
        messages = list(enumerate(turn.messages))
        answer = next((at for at, message in reversed(messages) if message.role == "assistant"), len(messages))
        for at, message in messages[:answer]:
            yield self.message(message, TextPlace(number, "message", at))
        for memory in turn.memory:
            yield ShownEntry(kind="aside", who="Memory", text=_plain(_data(memory.value)), about=memory.key)
        for at, source in enumerate(turn.sources):
            text = self._text(source.text, TextPlace(number, "source", at))
            about = " · ".join(filter(None, (source.title or source.id, source.date and f"as of {source.date}")))
            yield ShownEntry(
                kind="aside", who="Source", text=_plain(""), about=about, more=[("Text", text)], is_open=text.is_marked
            )
        for at, call in enumerate(turn.tool_calls):
            yield self._call(call, TextPlace(number, "tool", at))
        for verdict in turn.verdicts:
            yield _verdict(verdict)
        for at, message in messages[answer:]:
            yield self.message(message, TextPlace(number, "message", at))
        if turn.escalation is not None:
            about = " · ".join(filter(None, (turn.escalation.to, turn.escalation.category)))
            yield ShownEntry(kind="aside", who="Handed over", text=_plain(turn.escalation.reason), about=about)
        if turn.error:
            yield ShownEntry(kind="aside", who="Error", text=_plain(turn.error), chip=Chip("fail", "error"))

    def message(self, message: Message, place: TextPlace | None) -> ShownEntry:
        who = " ".join(filter(None, (_WHO.get(message.role, message.role), message.name)))
        text = self._text(message.content, place) if place is not None else _plain(message.content)
        return ShownEntry(kind=message.role, who=who, text=text)

    def _call(self, call: ToolCall, place: TextPlace) -> ShownEntry:
        result = call.result if isinstance(call.result, str) else _data(call.result)
        shown = self._text(result, place)
        more = [("Arguments", _plain(_data(dict(call.arguments))))]
        more += [("Error", _plain(call.error))] if call.error else []
        more += [("Result", shown)] if call.result is not None else []
        return ShownEntry(
            kind="aside",
            who="Tool",
            text=_plain(""),
            about=call.name,
            chip=Chip("fail", "error") if call.error else None,
            more=more,
            is_open=bool(call.error) or shown.is_marked,
        )

    def _text(self, text: str, place: TextPlace) -> MarkedText:
        kept = text[:_MOST_TEXT]
        return MarkedText([self._piece(each) for each in self._marks.pieces(place, kept)], len(text) - len(kept))

    def _piece(self, piece: MarkedPiece) -> ShownPiece:
        marks = [self._quoted[number] for number in piece.marks]
        title = "; ".join(dict.fromkeys(f"{each.score}: {each.note}" if each.note else each.score for each in marks))
        names = tuple(f"{self._prefix}e{number}" for number in piece.begins)
        return ShownPiece(piece.text, piece.state, title[:300], names)


def _verdict(verdict: Verdict) -> ShownEntry:
    chip = Chip(_ACTIONS.get(verdict.action, "info"), verdict.action)
    return ShownEntry(kind="aside", who="Gate", text=_plain(verdict.reason), about=verdict.gate, chip=chip)


def _plain(text: str) -> MarkedText:
    kept = text[:_MOST_TEXT]
    return MarkedText([ShownPiece(kept)] if kept else [], len(text) - len(kept))


def _data(value: object) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else dumps(value).decode()
    return text if len(text) <= _MOST_DATA else f"{text[:_MOST_DATA]}… [{len(text) - _MOST_DATA:,} more characters]"


def _facts(turn: Turn) -> Iterator[str]:
    for intent in turn.intents:
        yield f"intent {intent.name}" + (f" {intent.confidence:.2f}" if intent.confidence is not None else "")
    if turn.confidence is not None:
        yield f"confidence {turn.confidence:.2f}"
    if turn.latency is not None:
        yield seconds(turn.latency)
    if turn.usage is not None:
        yield f"{turn.usage.input:,} → {turn.usage.output:,} tokens"
    if turn.cost is not None:
        yield money(turn.cost)
