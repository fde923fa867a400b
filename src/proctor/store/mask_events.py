"""Mask events before they are stored: personal data by patterns, or by patterns and names; customers pseudonymised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

import orjson

from proctor.core.codec import dumps, encode
from proctor.core.errors import ConfigError
from proctor.core.event import Event
from proctor.core.event_row import EventRow, row_of
from proctor.core.sockets import Tagger
from proctor.core.verdict import Verdict
from proctor.store.guard_log import FOLDER
from proctor.store.guard_names import Found, Names
from proctor.store.mask_decisions import GENERATED_ID, MAX_PLAIN_NUMBER, Masker, customer_key, naming, parts_of

__all__ = ["MASKING", "EventMasker", "Masking", "is_plain"]

Masking = Literal["none", "patterns", "names"]
MASKING: Final[tuple[Masking, ...]] = ("none", "patterns", "names")
_LONGEST: Final = 100_000  # characters of a text that are stored, if it is masked
_PIECE_CHARS: Final = 8_000  # of a text that the tagger reads at once
_OVERLAP_CHARS: Final = 200  # so that a name across two pieces is read whole
_ASKED_PIECES: Final = 16  # at once: a busy machine reads them within the time that a tagger has
_PATIENCE_SECONDS: Final = 120.0  # for them; then their events are stored without texts
_MAX_HELD: Final = 2_000  # masked texts in memory: prompts and passages repeat
_PLAIN: Final = frozenset({"id", "kind", "time", "model", "version", "source", "value", "masked"})
_NAMING: Final = frozenset({"session", "customer"})  # stored as they are, or as pseudonyms
_READ: Final = frozenset({"verdicts", "time"})
_TOLD: Final = frozenset({"parts", "call"})  # metadata that says what is personal, or secret
_LEFT_OUT: Final = "[left out: nobody could look for names in it]"
_MAX_DEPTH: Final = 20


class EventMasker:
    """Turns events into rows of the log, without personal data.

    ``patterns`` masks e-mail addresses, numbers of telephones and cards, keys and the like. ``names`` masks names of
    people and addresses too, which the ``tagger`` finds; a text that it could not read is left out. With both, a
    customer is stored as a pseudonym, the same as in the log of gates. ``none`` stores what was sent. An event that
    says it is masked is stored as it is.
    """

    def __init__(self, store: Path, *, masking: Masking = "patterns", tagger: Tagger | None = None) -> None:
        if masking not in MASKING:
            raise ConfigError(f"there is no masking {masking!r}", field="masking", hint=f"use {', '.join(MASKING)}")
        if masking == "names" and tagger is None:
            hint = "use `patterns`, or install the local models"
            raise ConfigError("masking `names` needs a tagger", field="masking", hint=hint)
        self.masking = masking
        self._names = Names(tagger, patience=_PATIENCE_SECONDS) if masking == "names" and tagger is not None else None
        self._name = str if masking == "none" else naming(customer_key(store / FOLDER))
        self._plain: Masker | None = None

    def rows(self, events: Sequence[Event]) -> list[EventRow]:
        """Return events as rows, masked. Call from one thread at a time.

        Raises:
            ValueError: an event has no id.
        """
        if self.masking == "none":
            return [row_of(event) for event in events]
        found = self._found(events)
        return [
            row_of(event) if event.masked else self._row(event, names)
            for event, names in zip(events, found, strict=True)
        ]

    def close(self) -> None:
        """End the tagger's thread."""
        if self._names is not None:
            self._names.end()

    def _found(self, events: Sequence[Event]) -> list[Found]:
        """Return the names in each event; ``None`` where the tagger did not answer."""
        found: list[Found] = [()] * len(events)
        if self._names is None:
            return found
        pieces = [(n, piece) for n, event in enumerate(events) if not event.masked for piece in _pieces(event)]
        for start in range(0, len(pieces), _ASKED_PIECES):
            some = pieces[start : start + _ASKED_PIECES]
            answers = self._names.of([piece for _, piece in some])
            for (n, _), names in zip(some, answers, strict=True):
                known = found[n]
                found[n] = None if names is None or known is None else [*known, *names]
        return found

    def data_row(self, data: Mapping[str, Any], row: EventRow) -> EventRow:
        """Return the row of an event that was sent as JSON, masked by patterns; ``row`` has its fields, and no line.

        It is for data for which ``is_plain`` holds. Call from one thread at a time.
        """
        return self._stored(data, row, self._plain_masker())

    def _row(self, event: Event, names: Found) -> EventRow:
        data: dict[str, Any] = encode(event)
        time = (data.get("turn") or {}).pop("time", None)
        if names is None:
            data = {key: value if key in _PLAIN else _without_texts(value, 1) for key, value in data.items()}
        return self._stored(data, row_of(event, line=b""), self._masker(event, names), time=time)

    def _stored(self, data: Mapping[str, Any], row: EventRow, masker: Masker, *, time: str | None = None) -> EventRow:
        kept: dict[str, Any] = {}
        rest: dict[str, Any] = {}
        for key, value in data.items():
            if key in _PLAIN:
                if value is not None:
                    kept[key] = value
            elif key not in _NAMING:
                rest[key] = value
        made = {**kept, **masker.data(rest), "masked": True}
        if time is not None:
            made["turn"]["time"] = time
        session, customer = row.session, row.customer
        if session:
            plain = GENERATED_ID.fullmatch(session) or masker.text(session) == session
            made["session"] = session = session if plain else self._name(session)
        if customer:
            made["customer"] = customer = self._name(customer)
        return row._replace(
            line=_line(made),
            session=session,
            customer=customer,
            intent=None if row.intent is None else masker.text(row.intent),
            name=None if row.name is None else masker.text(row.name),
            signals=tuple(dict.fromkeys(map(masker.text, row.signals))),
        )

    def _masker(self, event: Event, names: Found) -> Masker:
        """Return a masker for the event; one that knows no values of its own is used again."""
        verdicts: tuple[Verdict, ...] = event.turn.verdicts if event.turn is not None else ()
        if not (names or event.verdict or verdicts or _TOLD & event.metadata.keys()):
            return self._plain_masker()
        told = replace(event, metadata={**event.metadata, "parts": (*parts_of(event), *verdicts)})
        return Masker(told, entities=names or (), longest=_LONGEST)

    def _plain_masker(self) -> Masker:
        if self._plain is None or self._plain.held > _MAX_HELD:
            self._plain = Masker(Event(kind="note", time=datetime.fromtimestamp(0, UTC)), longest=_LONGEST)
        return self._plain


def is_plain(data: Mapping[str, Any]) -> bool:
    """Return whether a valid event of JSON data is masked the same whether it is read into an object or not.

    It is not if it tells what is personal, if its turn has a time, which may be none, or if a number that is read as a
    fraction is written like a number of a customer.
    """
    turn = data.get("turn") or {}
    return (
        data.get("verdict") is None
        and _READ.isdisjoint(turn)
        and _TOLD.isdisjoint(data.get("metadata") or ())
        and not any(type(number) is int and abs(number) > MAX_PLAIN_NUMBER for number in _fractions(turn))
    )


def _fractions(turn: Mapping[str, Any]) -> Iterator[Any]:
    get = turn.get
    yield from (get("latency"), get("cost"), get("confidence"))
    for intent in get("intents") or ():
        if type(intent) is dict:
            yield intent.get("confidence")
    for source in get("sources") or ():
        if type(source) is dict:
            yield source.get("score")
    for part in (turn, *(get("messages") or ())):
        for call in part.get("tool_calls") or ():
            yield call.get("latency")


def _line(data: dict[str, Any]) -> bytes:
    try:
        made = orjson.dumps(data)
    except TypeError:  # a large integer, half a surrogate pair
        return dumps(data)
    return dumps(data) if b"null" in made else made  # what is no number is written as a text


def _pieces(event: Event) -> Iterator[str]:
    """Yield all text of an event that may have names, in pieces that the tagger can read."""
    data = encode(event)
    texts = [text for key, value in data.items() if key not in _PLAIN for text in _texts(value, 0)]
    whole = "\n".join(texts)
    for start in range(0, len(whole), _PIECE_CHARS):
        yield whole[start : start + _PIECE_CHARS + _OVERLAP_CHARS]


def _texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if " " in value or not value.isascii() or not value.islower():  # a lower-case word is a name of ours
            yield value
    elif depth < _MAX_DEPTH:
        if isinstance(value, dict):
            for item in value.values():
                yield from _texts(item, depth + 1)
        elif isinstance(value, (list, tuple)):
            for item in value:
                yield from _texts(item, depth + 1)


def _without_texts(value: Any, depth: int = 0) -> Any:
    """Return data in which every text that may have names is left out."""
    if isinstance(value, str):
        return value if not any(_texts(value, 0)) else _LEFT_OUT
    if depth >= _MAX_DEPTH:
        return _LEFT_OUT
    if isinstance(value, dict):
        return {key: _without_texts(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_texts(item, depth + 1) for item in value]
    return value
