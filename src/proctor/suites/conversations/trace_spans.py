"""Combine the spans of one conversation; shared by all importers of tracing tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from proctor.core.case import Case
from proctor.suites.conversations.build_case import build_case, logged_messages
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.group_entries import group_entries
from proctor.suites.conversations.json_text import read_json
from proctor.suites.conversations.messages import LoggedMessage
from proctor.suites.conversations.steps import turns_of_steps
from proctor.suites.conversations.trace_format import TraceFormat

__all__ = ["listed", "loosely", "merge_updates", "parsed", "read_traced", "seconds", "words_of"]

_SILENT = "the trace does not say what was said: its tool was set to leave the messages out"
_WORDS = ("input", "question", "query", "text", "message", "user_message", "prompt", "content")
_ANSWERS = ("output", "answer", "response", "result", "text", "message", "content", "completion")


def read_traced(entries: Iterator[Entry], format: TraceFormat) -> Iterator[Case]:
    """Yield one case per conversation: the spans of a session, or of a trace without one, in any order.

    A span belongs where its trace belongs: it is enough that one span of a trace names the session. A trace without an
    agent step (a nightly job, a health check) is not a conversation. One with steps but no messages is a conversation
    that cannot be judged and has an error.

    Raises:
        SuiteError: no span of the whole file has messages.
    """
    told, first = 0, None
    silent: list[Case] = []
    for name, group in group_entries(format.records(entries), format.trace, format.session):
        spans = format.join(list(group))
        if not spans:
            continue
        first = first or spans[0]
        steps = [made for span in spans if (made := format.step(span)) is not None]
        if not steps:
            continue
        turns = turns_of_steps(steps)
        beside = dict(format.about(spans))
        more = {"session": name, "customer": beside.pop("customer", None), "error": None if turns else _SILENT}
        case = build_case(spans[0], turns, name=name, about={**beside, "spans": len(spans)}, **more)
        told += bool(turns)
        if turns or told:
            yield case
        else:
            silent.append(case)  # yielded only if other cases have messages: a file without any is an error
    if not told and first is not None:
        hint = "switch the recording of message content on in the tool that writes them, and export again"
        raise first.wrong("no trace here says what was said", hint=hint)
    yield from silent


def listed(entries: Iterator[Entry], *names: str) -> Iterator[Entry]:
    """Yield entries, with the lists that an API wraps them in (`data`, `runs`) unpacked."""
    for entry in entries:
        inside = next(
            (name for name in names if isinstance(entry.data, Mapping) and isinstance(entry.data.get(name), list)), None
        )
        if inside is None:
            yield entry
            continue
        for at, value in enumerate(entry.data[inside]):
            yield Entry(data=value, file=entry.file, line=entry.line, path=(*entry.path, inside, at))


def merge_updates(records: list[Entry], key: str) -> list[Entry]:
    """Merge records with the same id in the order they came: a later one replaces the fields that it has."""
    made: dict[str | int, Entry] = {}
    for at, entry in enumerate(records):
        given = entry.data.get(key)
        name: str | int = given if isinstance(given, str) and given else at
        known = made.get(name)
        if known is None:
            made[name] = entry
            continue
        data = {**known.data, **{field: value for field, value in entry.data.items() if value is not None}}
        if isinstance(old := known.data.get("extra"), Mapping) and isinstance(new := entry.data.get("extra"), Mapping):
            beside = {**_mapping(old.get("metadata")), **_mapping(new.get("metadata"))}
            data["extra"] = {**old, **new, "metadata": beside}
        made[name] = Entry(data=data, file=known.file, line=known.line, path=known.path)
    return list(made.values())


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def parsed(value: Any) -> Any:
    """Parse data that an export wrote as text."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return read_json(value)
        except ValueError:
            return value
    return value


def seconds(start: datetime | None, end: datetime | None) -> float | None:
    """Return the duration of a step."""
    if start is None or end is None:
        return None
    took = (end - start).total_seconds()
    return took if took >= 0 else None


def loosely(entry: Entry, value: Any, where: str, role: str) -> list[LoggedMessage]:
    """Return messages from a step's input or output: a list, a mapping that contains one, or plain text."""
    value = parsed(value)
    if isinstance(value, Mapping):
        for name in ("messages", "choices", "generations", "output", "input"):
            inside = value.get(name)
            if isinstance(inside, list) and inside:
                return _flat(entry, inside, f"{where}.{name}", role)
        if "role" in value or "lc" in value or ("kwargs" in value and "id" in value):
            return logged_messages(entry, [value], where)
    if isinstance(value, list) and value:
        return _flat(entry, value, where, role)
    words = words_of(value, role)
    return logged_messages(entry, [{"role": role, "content": words}], where) if words else []


def _flat(entry: Entry, items: list[Any], where: str, role: str) -> list[LoggedMessage]:
    while items and isinstance(items[0], list):  # LangChain sends a batch of lists and receives a list of generations
        items = items[0]
    messages = [_message(item, role) for item in items]
    return logged_messages(entry, [each for each in messages if each is not None], where)


def _message(item: Any, role: str) -> Any:
    if isinstance(item, str):
        return {"role": role, "content": item}
    if isinstance(item, Mapping):
        if isinstance(inside := item.get("message"), Mapping):
            return inside
        if "text" in item and "role" not in item and item.get("type") not in ("human", "ai", "system", "tool"):
            return {"role": role, "content": item["text"]}
    return item


def words_of(value: Any, role: str) -> str:
    """Return the text of an exchange's input or output; empty if it cannot be identified."""
    value = parsed(value)
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        names = _WORDS if role == "user" else _ANSWERS
        if set(value) == {"args", "kwargs"}:  # the call of a traced function
            given = [*_listed(value["args"]), _mapping(value["kwargs"])]
            return next((words for each in given if (words := words_of(each, role))), "")
        found = next((value[name] for name in names if isinstance(value.get(name), str)), None)
        if found is not None:
            return str(found)
        if len(value) == 1:
            return words_of(next(iter(value.values())), role)
    return ""
