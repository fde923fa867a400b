"""Files of an audit: all ratings, the items, or a sheet for one rater who sees nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from proctor.core.audit import AuditItem, AuditRating, BlindItem, Settlement
from proctor.core.codec import dumps
from proctor.report.csv_rows import text_cell, write_rows
from proctor.report.report_kind import FileWriter, ReportKind

__all__ = ["ITEM_FILES", "RATING_FILES", "SHEET_FILES", "RatingRows", "RatingSheet", "conversation_text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRows:
    """All ratings and settled splits."""

    dimensions: tuple[str, ...]
    ratings: Sequence[AuditRating]
    settlements: Sequence[Settlement] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingSheet:
    """What one person is to rate, with empty places for the ratings."""

    rater: str
    dimensions: tuple[str, ...]
    items: Sequence[BlindItem]


def conversation_text(item: BlindItem) -> str:
    """Return a conversation as text: who said what, tools that were called, hand-offs."""
    lines: list[str] = []
    for turn in item.trajectory.turns:
        lines += [f"{message.role}: {message.content}" for message in turn.messages if message.content]
        lines += [f"  tool {call.name}({dumps(call.arguments).decode()})" for call in turn.tool_calls]
        if turn.escalation is not None:
            lines.append(
                f"  handed to a person: {turn.escalation.reason or turn.escalation.category or ''}".rstrip(": ")
            )
        if turn.error:
            lines.append(f"  error: {turn.error}")
    return "\n".join(lines)


def _rating_data(rows: RatingRows) -> Iterator[dict[str, Any]]:
    for each in rows.ratings:
        values = {name: each.values.get(name) for name in rows.dimensions}
        yield {
            "item": each.item,
            "rater": each.rater,
            **values,
            "note": each.note,
            "time": each.time.isoformat() if each.time else "",
        }


def _rating_rows(rows: RatingRows) -> Iterator[Sequence[str]]:
    names = ("item", "rater", *rows.dimensions, "note", "time")
    yield names
    for data in _rating_data(rows):
        yield [_cell(data[name]) for name in names]


def _sheet_data(sheet: RatingSheet) -> Iterator[dict[str, Any]]:
    for each in sheet.items:
        empty = dict.fromkeys(sheet.dimensions)
        yield {
            "item": each.id,
            "rater": sheet.rater,
            "intent": each.intent or "",
            "conversation": conversation_text(each),
            **empty,
            "note": "",
        }


def _sheet_rows(sheet: RatingSheet) -> Iterator[Sequence[str]]:
    names = ("item", "rater", "intent", "conversation", *sheet.dimensions, "note")
    yield names
    for data in _sheet_data(sheet):
        yield [_cell(data[name]) for name in names]


def _item_data(items: Sequence[AuditItem]) -> Iterator[dict[str, Any]]:
    for each in items:
        yield {
            "item": each.id,
            "week": each.week,
            "conversation": each.conversation,
            "stratum": each.stratum,
            "probability": each.probability,
            "weight": 1 / each.probability,
            "core": each.is_core,
            "raters": each.raters,
            "reasons": "; ".join(each.reasons),
            "intent": each.about.intent or "",
            "confidence": each.about.confidence,
            "outcome": each.about.outcome or "",
        }


def _item_rows(items: Sequence[AuditItem]) -> Iterator[Sequence[str]]:
    for place, data in enumerate(_item_data(items)):
        if not place:
            yield list(data)
        yield [_cell(value) for value in data.values()]


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.8g}" if isinstance(value, float) else text_cell(str(value))


def _lines(data: Iterable[dict[str, Any]]) -> list[str]:
    return [dumps(each).decode() + "\n" for each in data]


def _kind(name: str, data: Any, rows: Any) -> ReportKind[Any]:
    writers: dict[str, FileWriter[Any]] = {
        ".csv": lambda content, out: write_rows(rows(content), out),
        ".jsonl": lambda content, out: out.writelines(_lines(data(content))),
    }
    return ReportKind(name=name, show=lambda content, out: None, writers=writers)


RATING_FILES: ReportKind[RatingRows] = _kind("ratings", _rating_data, _rating_rows)
SHEET_FILES: ReportKind[RatingSheet] = _kind("sheet", _sheet_data, _sheet_rows)
ITEM_FILES: ReportKind[Sequence[AuditItem]] = _kind("items", _item_data, _item_rows)
