"""Find the records a sentence names by number, and decide whether a call was about a different one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.core.transcript import parse_loosely

__all__ = ["NamedRecord", "is_another", "listed_in", "named_in"]

_NOUNS: Final = (
    "order", "booking", "reservation", "ticket", "case", "invoice", "claim", "appointment", "subscription", "policy",
    "account", "item", "request", "refund", "payment", "shipment", "parcel", "complaint", "contract",
)  # fmt: skip
_CODE: Final = r"(?=[A-Z0-9_-]*\d)(?=[0-9_-]*[A-Z])[A-Z0-9][A-Z0-9_-]{1,38}[A-Z0-9]"
_NUMBER: Final = r"\d{2,20}"
# A bare code; any code or number after a record noun; a number after #.
_NAMED: Final = re.compile(
    rf"(?:\b(?P<noun>(?i:{'|'.join(_NOUNS)}))(?i:s|es)?\s+(?i:(?:number|no\.?|id|code|reference|ref\.?)\s*:?\s*)?[#(]?"
    rf"(?P<behind>(?i:{_CODE})|(?<!\d){_NUMBER}(?![\d.,:/%]*\d|[\w%°€$-]))"
    rf"|(?<![A-Za-z0-9_#.,/@-])(?P<code>{_CODE})|#(?P<signed>(?i:{_CODE})|\d{{1,20}}))(?![A-Za-z0-9_@/-])"
)
_MORE: Final = re.compile(rf"\s*(?:,|、|&|と|および|,?\s*\band\b)\s*#?(?P<next>(?i:{_CODE})|{_NUMBER})(?![\w@/.-]*\w)")
_PARTS: Final = re.compile(r"[a-z]+|\d+")
_AMOUNTS: Final = frozenset({"refund", "payment", "item"})  # a short number after these is a sum or a count
_LONG: Final = 6  # digits
_MEASURE: Final = re.compile(r"\d+[a-z]{1,4}")
_MOST: Final = 2_000  # maximum values of a call that are checked
_DEPTH: Final = 6
_LONGEST: Final = 8_000


@dataclass(frozen=True, slots=True)
class NamedRecord:
    """A record by its number, with its noun if there is one: an order, A-17."""

    id: str
    noun: str = ""


def named_in(text: str) -> tuple[NamedRecord, ...]:
    """Return every record that the text names, without duplicates."""
    return tuple(dict.fromkeys(each for group in _groups(text) for each in group))


def listed_in(text: str) -> tuple[NamedRecord, ...]:
    """Return the records of the first list in the text (orders A-17 and A-18); empty if there is none."""
    return next((group for group in _groups(text) if len(group) > 1), ())


def is_another(named: Sequence[NamedRecord], call: ToolCall) -> bool:
    """Whether the call was about a different record: it names one of the same kind, and none of these.

    Only records of one kind are compared. A-17 and A-18 are; A-17 and 90210 may be two names of one order.
    """
    if not named:
        return False
    told = _values((call.arguments, _data(call.result)))
    if told is None or any(_is(record, value) for record in named for _, value in told):
        return False
    return any(_alike(record, name, value) for record in named for name, value in told)


def _groups(text: str) -> Iterator[tuple[NamedRecord, ...]]:
    at = 0
    while (hit := _NAMED.search(text, at)) is not None:
        noun, at = (hit["noun"] or "").casefold(), hit.end()
        written = hit["behind"] or hit["code"] or hit["signed"]
        if (noun in _AMOUNTS and written.isdigit() and len(written) < _LONG) or _MEASURE.fullmatch(written):
            continue
        group = [NamedRecord(_plain(written), noun)]
        while (more := _MORE.match(text, at)) is not None and _sort(_plain(more["next"])) == _sort(group[0].id):
            group.append(NamedRecord(_plain(more["next"]), noun))
            at = more.end()
        yield tuple(group)


def _values(data: Any) -> list[tuple[str, str]] | None:
    """Return every value in the data with its key; None if there are too many."""
    found: list[tuple[str, str]] = []
    waiting: list[tuple[str, Any, int]] = [("", data, 0)]
    while waiting:
        under, one, deep = waiting.pop()
        if len(waiting) + len(found) > _MOST:
            return None
        if isinstance(one, Mapping) and deep < _DEPTH:
            waiting += [(str(name).casefold(), value, deep + 1) for name, value in one.items()]
        elif isinstance(one, (list, tuple)) and deep < _DEPTH:
            waiting += [(under, value, deep + 1) for value in one]
        elif isinstance(one, str) or (type(one) is int and one.bit_length() < 128):
            found.append((under, str(one)[:_LONGEST]))
    return found


def _data(result: Any) -> Any:
    if isinstance(result, str) and result.lstrip()[:1] in ("{", "[") and len(result) <= 20 * _LONGEST:
        return parse_loosely(result) or result
    return result


def _is(record: NamedRecord, value: str) -> bool:
    """Whether the value is the record's number, or a text that contains it."""
    if len(value) <= 60 and _plain(value) == record.id:
        return True
    return any(each.id == record.id for each in named_in(value)) if " " in value.strip() else False


def _alike(record: NamedRecord, name: str, value: str) -> bool:
    """Whether the value is the number of another record of the same kind."""
    other = _plain(value) if len(value) <= 40 else ""
    if not other or not other.isalnum() or not any(letter.isdigit() for letter in other):
        return False
    under = bool(record.noun) and record.noun in name
    if record.id.isdigit():
        return under and other.isdigit() and abs(len(other) - len(record.id)) <= 1
    same = _sort(record.id)
    return not other.isdigit() and (under or (len(same) == 2 and _sort(other) == same))


def _sort(id: str) -> tuple[str, ...]:
    """Return what ids of one kind share: the letters and the positions of digits."""
    return tuple("0" if part.isdigit() else part for part in _PARTS.findall(id))


def _plain(written: str) -> str:
    return re.sub(r"[#\s_-]", "", written).casefold()
