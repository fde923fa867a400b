"""Decode JSON into dataclasses: unknown keys are kept (or reported, if strict), all wrong values reported by path.

No library does all of this on plain slotted dataclasses: keep unknown keys where they were, report every problem
at once with a hint, and import at no cost.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import date, datetime
from functools import cache
from typing import Any, TypeVar

from proctor.core.codec import EXTRA, default_of, hints_of
from proctor.core.errors import MalformedError, Problem

__all__ = ["closest", "decode"]

Noun = TypeVar("Noun")
Path = tuple[str | int, ...]
Decoder = Callable[[Any, Path, "_Reading"], Any]


class _Reading:
    """One decoding in progress: its strictness, the vocabulary of its messages, and the problems so far."""

    __slots__ = ("as_json", "problems", "strict")

    def __init__(self, strict: bool, as_json: bool) -> None:
        self.strict, self.as_json = strict, as_json
        self.problems: list[Problem] = []

    def word(self, kind: Any) -> str:
        """Return the name of this type in the user's format."""
        return (_JSON_WORDS.get(kind) if self.as_json else None) or _WORDS.get(kind, str(kind))

    def shown(self, value: object) -> str:
        """Return a short value as the user wrote it, else the name of its type."""
        if isinstance(value, (str, int, float, bool)):
            text = json.dumps(value, ensure_ascii=False) if self.as_json else repr(value)
            return text if len(text) <= 60 else text[:57] + "…" + text[-1]
        if value is None or isinstance(value, (Mapping, list, tuple)):
            return self.word(None if value is None else Mapping if isinstance(value, Mapping) else list)
        return _WORDS.get(type(value), type(value).__name__)

    def wrong(self, path: Path, message: str, hint: str | None = None) -> None:
        self.problems.append(Problem(path, message, hint))


def decode(
    kind: type[Noun], value: object, *, strict: bool = False, file: str | None = None, as_json: bool = False
) -> Noun:
    """Decode JSON-like data as ``kind``; with ``as_json`` problems use the terms of JSON instead of YAML.

    Raises:
        MalformedError: naming every wrong value by its path; if ``strict``, every unknown key too.
    """
    reading = _Reading(strict, as_json)
    made: Noun = _decoder(typing.cast(Hashable, kind))(value, (), reading)
    if reading.problems:
        raise MalformedError(reading.problems, file=file)
    return made


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that the user most likely meant."""
    import difflib  # noqa: PLC0415 - only where a name is wrong

    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)), None)


_WORDS: dict[Any, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    datetime: "a time like 2026-11-15T09:30:00Z",
    Mapping: "a mapping",
    list: "a list",
    None: "nothing",
}
_JSON_WORDS: dict[Any, str] = {str: "a string", Mapping: "an object", list: "an array", None: "null"}


@cache
def _decoder(kind: Hashable) -> Decoder:
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _noun_decoder(typing.cast(type, kind))
    if kind is Any or kind is object or getattr(kind, "_is_protocol", False):  # a socket is filled, not decoded
        return lambda value, path, reading: value
    if kind is datetime:
        return _decode_time
    if origin is typing.Literal:
        return _literal_decoder(args)
    if origin in (typing.Union, types.UnionType):
        return _union_decoder(args)
    if origin is tuple:
        return _tuple_decoder(args[0])
    if origin in (Mapping, dict):
        return _mapping_decoder(args[1])
    return _scalar_decoder(kind)


def _scalar_decoder(kind: Any) -> Decoder:
    def run(value: Any, path: Path, reading: _Reading) -> Any:
        if kind is float and type(value) is int:
            try:
                return float(value)
            except OverflowError:
                reading.wrong(path, "the number is too large")
                return None
        if type(value) is kind and (kind is not float or math.isfinite(value)):
            return value
        if isinstance(value, kind) and not isinstance(value, bool) and kind is not float:
            return kind(value)  # a loader's subclass of str or int: keep the plain value
        if kind is float and isinstance(value, float) and math.isfinite(value):
            return float(value)
        hint = "put it in quotes" if kind is str and isinstance(value, (int, float, bool, date)) else None
        reading.wrong(path, f"expected {reading.word(kind)}, found {reading.shown(value)}", hint)
        return None

    return run


def _decode_time(value: Any, path: Path, reading: _Reading) -> datetime | None:
    if isinstance(value, datetime):
        return value
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            pass
    reading.wrong(path, f"expected {reading.word(datetime)}, found {reading.shown(value)}")
    return None


def _literal_decoder(options: tuple[Any, ...]) -> Decoder:
    def run(value: Any, path: Path, reading: _Reading) -> Any:
        if isinstance(value, (str, int)) and value in options:
            return value
        guess = closest(value, [str(option) for option in options]) if isinstance(value, str) else None
        one_of = ", ".join(str(option) for option in options)
        reading.wrong(
            path,
            f"expected one of {one_of}; found {reading.shown(value)}",
            f"did you mean {guess!r}?" if guess else None,
        )
        return None

    return run


def _union_decoder(args: tuple[Any, ...]) -> Decoder:
    optional = type(None) in args
    rest = [arg for arg in args if arg is not type(None)]
    decoders = [_decoder(arg) for arg in rest]

    def run(value: Any, path: Path, reading: _Reading) -> Any:
        if value is None and optional:
            return None
        if len(decoders) == 1:
            return decoders[0](value, path, reading)
        attempts = []
        for decoder in decoders:
            attempt = _Reading(reading.strict, reading.as_json)
            made = decoder(value, path, attempt)
            if not attempt.problems:
                return made
            attempts.append(attempt.problems)
        # Report the alternative that got furthest into the data: it is most likely what the user meant.
        reading.problems.extend(max(attempts, key=lambda found: max(len(each.path) for each in found)))
        return None

    return run


def _tuple_decoder(item: Any) -> Decoder:
    decoder = _decoder_later(item)

    def run(value: Any, path: Path, reading: _Reading) -> Any:
        if not isinstance(value, (list, tuple)):
            word = reading.word(list)
            reading.wrong(path, f"expected {word}, found {reading.shown(value)}", f"write it as {word}: [ … ]")
            return ()
        return tuple(decoder(each, (*path, index), reading) for index, each in enumerate(value))

    return run


def _mapping_decoder(item: Any) -> Decoder:
    decoder = _decoder_later(item)

    def run(value: Any, path: Path, reading: _Reading) -> Any:
        if not isinstance(value, Mapping):
            reading.wrong(path, f"expected {reading.word(Mapping)}, found {reading.shown(value)}")
            return {}
        return {str(key): decoder(each, (*path, str(key)), reading) for key, each in value.items()}

    return run


def _decoder_later(kind: Any) -> Decoder:
    """Return a decoder that is looked up at first use, so that a dataclass may contain its own type."""
    found: Decoder | None = None

    def run(value: Any, path: Path, reading: _Reading) -> Any:
        nonlocal found
        if found is None:
            found = _decoder(kind)
        return found(value, path, reading)

    return run


def _noun_decoder(kind: type) -> Decoder:  # noqa: C901 - one closure, read top to bottom
    hints = hints_of(kind)
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}
    decoders = {name: _decoder_later(hints[name]) for name in fields if name != EXTRA}
    needed = [name for name, field in fields.items() if default_of(field) is dataclasses.MISSING]
    shorthand: str | None = getattr(kind, "SHORTHAND", None)
    open_ended = EXTRA in fields

    def run(value: Any, path: Path, reading: _Reading) -> Any:
        if isinstance(value, kind):
            return value
        if shorthand and not isinstance(value, Mapping):
            value = {shorthand: value}
        if not isinstance(value, Mapping):
            named = "" if reading.as_json else f" ({kind.__name__})"
            reading.wrong(path, f"expected {reading.word(Mapping)}{named}, found {reading.shown(value)}")
            return None
        before = len(reading.problems)
        made: dict[str, Any] = {}
        unknown: dict[str, Any] = {}
        for key, item in value.items():
            decoder = decoders.get(key)
            if decoder is not None:
                made[key] = decoder(item, (*path, key), reading)
            else:
                unknown[str(key)] = item
        for name in needed:
            if name not in made:
                hint = f'add "{name}" to the object' if reading.as_json else f"add `{name}:` here"
                reading.wrong((*path, name), "is missing", hint)
        if unknown and (reading.strict or not open_ended):
            _name_unknown(unknown, list(decoders), path, reading)
        elif unknown:
            made[EXTRA] = unknown
        if len(reading.problems) > before:
            return None
        try:
            return kind(**made)
        except ValueError as error:  # the dataclass's own validation, e.g. a score outside [0, 1]
            reading.wrong(path, str(error))
            return None

    return run


def _name_unknown(unknown: Mapping[str, Any], known: list[str], path: Path, reading: _Reading) -> None:
    for key in unknown:
        guess = closest(key, known)
        hint = f"did you mean `{guess}`?" if guess else f"known here: {', '.join(known)}"
        reading.wrong((*path, key), "unknown key", hint)
