"""Find which ids belong to the customer: given by the caller, or found in this session's tool results."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from proctor.core.argument_paths import UNREADABLE, field_path, values_at
from proctor.core.chat import ToolCall
from proctor.guard.step import Step

__all__ = ["Owned", "foreign_owner", "record_of"]

_MAX_RESULT_CHARS: Final = 200_000
_MAX_RECORDS: Final = 2_000  # per result
_MAX_DEPTH: Final = 6
_MAX_CACHED_RECORDS: Final = 200  # per result
_MAX_CACHED_CALLS: Final = 2_048


class Owned:
    """Decides whether an id is the customer's: their own id, one given by the caller, or one in their record.

    A record is theirs if one of its ``owner`` fields holds the customer's id. Records nested in it are theirs too,
    unless they name another owner. Each result is parsed once and cached by the call's ``id()``; the call is kept alive
    so that the id is not reused. Large results are not cached.
    """

    __slots__ = ("_known", "owner")

    def __init__(self, owner: tuple[str, ...]) -> None:
        self.owner = owner
        self._known: OrderedDict[int, tuple[ToolCall, Mapping[str, frozenset[str]]]] = OrderedDict()

    def is_own(self, step: Step, value: Any) -> bool:
        """Return whether the value is an id of the session's customer."""
        wanted, customer = _key(value), _key(step.memory.customer)
        if not wanted:
            return False
        if wanted == customer or ("own" in step.metadata and wanted in _vouched(step)):
            return True
        if not customer:
            return False
        known = self._known
        for call in reversed(step.memory.calls):
            kept = known.get(id(call))
            shown = kept[1] if kept is not None and kept[0] is call else self._shown(call)
            if shown and wanted in shown.get(customer, ()):
                return True
        return False

    def _shown(self, call: ToolCall) -> Mapping[str, frozenset[str]]:
        """Return the ids of each owner in a call's result; a failed call has none."""
        records = list(_records(record_of(call.result))) if call.error is None else []
        made = _by_owner(records, self.owner)
        if len(records) <= _MAX_CACHED_RECORDS and not (
            isinstance(call.result, str) and len(call.result) > 100 * _MAX_CACHED_RECORDS
        ):
            if len(self._known) >= _MAX_CACHED_CALLS:
                self._known.popitem(last=False)
            self._known[id(call)] = (call, made)
        return made


def foreign_owner(data: Any, customer: str | None, *, owner: tuple[str, ...]) -> str | None:
    """Return the owner named in a result who is not the customer; ``None`` if there is none."""
    for record in _records(data):
        for named in _owners(record, owner):
            if _key(named) != _key(customer):
                return str(named)[:80]
    return None


def record_of(result: Any) -> Any:
    """Return a tool's result as data; text that is not JSON stays text."""
    if isinstance(result, str) and result.lstrip()[:1] in ("{", "[") and len(result) <= _MAX_RESULT_CHARS:
        try:
            return json.loads(result)
        except (ValueError, RecursionError):
            return result
    return result


def _vouched(step: Step) -> frozenset[str]:
    given = step.metadata.get("own", ())
    if isinstance(given, Mapping):
        given = [each for some in given.values() for each in (some if isinstance(some, (list, tuple, set)) else [some])]
    return frozenset(map(_key, [given] if isinstance(given, (str, int)) else given))


def _by_owner(records: Sequence[Mapping[str, Any]], owner: tuple[str, ...]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for record in records:
        for name in {_key(record[field]) for field in owner if field in record} - {""}:
            for each in _within(record, name, owner):
                found.setdefault(name, set()).update(_ids(each))
    return {name: frozenset(ids) for name, ids in found.items()}


def _within(record: Mapping[str, Any], customer: str, owner: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
    """Yield the record and those inside it that name no other owner."""
    yield record
    for child in _children(record):
        for each in _records(child):
            strange = any(field in each and _key(each[field]) != customer for field in owner)
            if not strange and all(_key(named) == customer for named in _owners(each, owner)):
                yield each


def _owners(record: Mapping[str, Any], owner: tuple[str, ...]) -> Iterator[Any]:
    """Yield the values of a record's owner fields, ignoring case; each entry of a list."""
    for field in owner:
        found = values_at(record, field_path(field))
        if any(each is UNREADABLE for each in found) and field in record:  # a huge record: use the exact name
            found.append(record[field])
        yield from (each for each in found if isinstance(each, (str, int)))


def _ids(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids in a record; free text is ignored."""
    for name, value in record.items():
        if not _is_id(str(name)):
            continue
        if isinstance(value, (str, int)):
            yield _key(value)
        elif isinstance(value, (list, tuple)):
            yield from (_key(one) for one in value[:200])


def _is_id(name: str) -> bool:
    low = name.casefold()
    return low in (
        "id",
        "ids",
        "number",
        "reference",
        "ref",
        "code",
        "booking",
        "bookings",
        "order",
        "orders",
        "account",
        "case",
        "key",
    ) or (low.endswith(("id", "ids", "_number", "_no", "_ref", "_reference", "_code", "番号")))


def _records(data: Any) -> Iterator[Mapping[str, Any]]:
    waiting, seen = [(data, 0)], 0
    while waiting and seen < _MAX_RECORDS:
        one, depth = waiting.pop()
        seen += 1
        if isinstance(one, Mapping):
            yield one
        if depth < _MAX_DEPTH:
            waiting += [(child, depth + 1) for child in _children(one)]


def _children(data: Any) -> list[Any]:
    held = data.values() if isinstance(data, Mapping) else data if isinstance(data, (list, tuple)) else ()
    return [each for each in list(held)[:_MAX_RECORDS] if isinstance(each, (Mapping, list, tuple))]


def _key(value: Any) -> str:
    return str(value).strip().casefold() if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
