"""The values of a tool call that can be traced: addresses, accounts, links, commands, numbers, dates, names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from proctor.text.secret_names import is_secret_name

__all__ = ["DECISIVE", "CallValue", "ValueKind", "call_values", "kind_of", "plain_text"]

ValueKind = Literal["address", "link", "account", "command", "secret", "number", "time", "code", "name", "text"]
DECISIVE: Final = frozenset(("address", "link", "account", "command", "secret"))  # they tell to whom, where or what

_MAX_VALUES: Final = 100
_MAX_DEPTH: Final = 6
_MAX_CHARS: Final = 4_000  # of one value
_MAX_NAME_CHARS: Final = 60
_MAX_NAME_WORDS: Final = 6
_MAX_EMBEDDED: Final = 8  # addresses, links and accounts of one text

_ADDRESS: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_LINK: Final = re.compile(
    r"(?:https?://|www\.)[^\s<>\"')\]]{3,}|"
    r"(?<![\w@.-])[a-z0-9-]{2,63}(?:\.[a-z0-9-]{2,63}){0,3}\.[a-z]{2,24}/[^\s<>\"')\]]*",
    re.IGNORECASE,
)
_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{2,4}){3,8}(?![A-Za-z0-9])")
_DIGITS: Final = re.compile(r"(?=(?:[^0-9]*[0-9]){7})\+?[0-9(][0-9 ()-]{5,24}[0-9]")
_TIME: Final = re.compile(
    r"(?=[0-9])(?:[0-9]{4}-[0-9]{1,2}-[0-9]{1,2})?"
    r"(?:[T ]?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]+)?)?(?:Z|[+-][0-9:]{4,5})?"
)
_NUMBER: Final = re.compile(r"[-+]?[0-9]{1,3}(?:[ ,.'][0-9]{3})*(?:[.,][0-9]{1,4})?|[-+]?[0-9]{1,6}(?:[.,][0-9]{1,4})?")
_CODE: Final = re.compile(r"(?=\S*[0-9])[\w*#/.:+-]+(?: [0-9]{2,6})?")
_COMMAND_NAMES: Final = frozenset(
    [
        "cmd",
        "command",
        "commands",
        "script",
        "shell",
        "bash",
        "sql",
        "statement",
        "exec",
        "code_to_run",
        "befehl",
        "comando",
        "commande",
    ]
)
# The first form that fits the whole value decides.
_FORMS: Final[tuple[tuple[ValueKind, re.Pattern[str]], ...]] = (
    ("address", _ADDRESS),
    ("link", _LINK),
    ("time", _TIME),
    ("account", _IBAN),
    ("account", _DIGITS),
    ("number", _NUMBER),
    ("code", _CODE),
)

# With a character that a text must have for one of them to be in it.
_EMBEDDED: Final[tuple[tuple[ValueKind, re.Pattern[str], str], ...]] = (
    ("address", _ADDRESS, "@"),
    ("link", _LINK, "."),
    ("account", _IBAN, ""),
)


@dataclass(frozen=True, slots=True)
class CallValue:
    """One value of a call: the argument it stands in, what it is, and its text in small letters, normalised.

    ``whole`` is false for an address, link or account inside a longer text.
    """

    argument: str
    kind: ValueKind
    text: str
    shown: str
    whole: bool = True


def call_values(arguments: Mapping[str, Any]) -> tuple[CallValue, ...]:
    """Return the values of a call, nested ones included; ``true``, ``null`` and empty texts have no origin."""
    found: list[CallValue] = []
    for name, value in _scalars(arguments):
        found += _values(name, value)
        if len(found) >= _MAX_VALUES:
            break
    return tuple(found)


def plain_text(text: str) -> str:
    """Return the text in small letters and in Unicode's compatible form."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def kind_of(text: str) -> ValueKind:
    """Return what a value is, by its form."""
    text = text.strip()
    if len(text) > _MAX_NAME_CHARS:
        return "link" if _LINK.fullmatch(text) else "address" if _ADDRESS.fullmatch(text) else "text"
    return _kind_of_short(text)


@lru_cache(maxsize=4096)  # the keys of records and the values of a session repeat
def _kind_of_short(text: str) -> ValueKind:
    for kind, pattern in _FORMS:
        if pattern.fullmatch(text):
            return kind
    return "name" if len(text.split()) <= _MAX_NAME_WORDS and "\n" not in text else "text"


def _values(name: str, value: Any) -> Iterator[CallValue]:
    written = str(value)[:_MAX_CHARS]
    text = plain_text(written).strip()
    if not text:
        return
    last = name.rpartition(".")[2].lower()
    if isinstance(value, str) and last in _COMMAND_NAMES:
        yield CallValue(name, "command", text, written)
        return
    if isinstance(value, str) and is_secret_name(name):
        yield CallValue(name, "secret", text, written)
        return
    kind = kind_of(written) if isinstance(value, str) else "number"
    yield CallValue(name, kind, text, written)
    if kind in ("text", "name"):
        yield from _embedded(name, written)


def _embedded(name: str, written: str) -> Iterator[CallValue]:
    """Yield the addresses, links and accounts inside a text."""
    if "@" not in written and "." not in written and not any(map(str.isdigit, written)):
        return
    left = _MAX_EMBEDDED
    for kind, pattern, sign in _EMBEDDED:
        for hit in pattern.finditer(written) if sign in written else ():
            part = hit.group().rstrip(".,;:!?")
            if left > 0 and part != written.strip():
                left -= 1
                yield CallValue(name, kind, plain_text(part), part, whole=False)


def _scalars(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    waiting: list[tuple[str, Any, int]] = [(str(name), value, 0) for name, value in arguments.items()][::-1]
    seen = 0
    while waiting and seen < 4 * _MAX_VALUES:
        seen += 1
        name, value, depth = waiting.pop()
        if isinstance(value, Mapping):
            if depth < _MAX_DEPTH:
                waiting += [(f"{name}.{key}", each, depth + 1) for key, each in list(value.items())[:_MAX_VALUES]][::-1]
        elif isinstance(value, (list, tuple)):
            if depth < _MAX_DEPTH:
                waiting += [(name, each, depth + 1) for each in value[:_MAX_VALUES]][::-1]
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
            yield name, value
