"""Parse JSON as chat models write it: fenced, wrapped in prose, with small syntax errors.

Tolerated: a code fence, text before and after, a trailing comma, single quotes, Python's ``True``, ``False`` and
``None``, a raw line break in a string, and missing closing brackets after a value that is certainly complete. Nothing
is invented: an ambiguous text is rejected.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

__all__ = ["NotJsonError", "candidates", "read_json"]

MAX_DEPTH: Final = 200
_WORK_PER_CHARACTER: Final = 4
_FREE_WORK: Final = 10_000
_WORK_PER_START: Final = 50  # limits the work on a text of only brackets


class NotJsonError(ValueError):
    """The text contains no unambiguous JSON value."""


def read_json(text: str, *, close: bool = True) -> Any:
    """Return the JSON value in ``text``; the likeliest if there are several.

    ``close=False`` does not add missing closing brackets: use it for a truncated reply.

    Raises:
        NotJsonError: there is none.
    """
    return candidates(text, close=close)[0]


def candidates(text: str, *, close: bool = True) -> list[Any]:
    """Return every JSON value that ``text`` may mean, likeliest first; never empty.

    A fenced value comes before an unfenced one, an object before a list, and a later before an earlier one, because
    models think first and answer last.

    Raises:
        NotJsonError: there is none.
    """
    text = text.removeprefix("\ufeff").strip()
    if not text:
        raise NotJsonError("the text is empty")
    try:
        value = _STRICT.decode(text)
    except (ValueError, RecursionError):
        return _search(text, close)
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return [value, *_inner(value)]  # JSON inside a JSON string: some models quote their answer
    return [value]


def _inner(text: str) -> list[Any]:
    try:
        return [_STRICT.decode(text)]
    except (ValueError, RecursionError):
        return []


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"the number {digits[:20]} is too large")
    return number


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_STRICT: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)

# --- where a value may begin --------------------------------------------------------------------

_Rank = tuple[bool, bool, int]  # in a fence, an object, start

_START = re.compile(r"```[ \t]*(?P<tag>\w*)[ \t]*\r?\n|[{\[]")
_WHOLE = re.compile(r"(?P<tag>)(?=[\"'TFN])")
_BRACKET_OR_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|[{}\[\]]')
_AFTER_ALL = re.compile(r"\s*\Z")
_AFTER_FENCED = re.compile(r"\s*(?:```|\Z)")


def _search(text: str, close: bool) -> list[Any]:
    """Return the values at all possible starts, in linear time."""
    work = _WORK_PER_CHARACTER * len(text) + _FREE_WORK
    found: list[tuple[_Rank, Any]] = []
    worst: _Slip | None = None
    in_fence = False
    # A Python literal or a single-quoted string may be the whole text.
    start = _WHOLE.match(text) or _START.search(text)
    while start is not None and work > 0:
        fenced = start.group() not in ("{", "[")
        begin = start.end() if fenced else start.start()
        if in_fence and fenced and not start.group("tag"):
            in_fence = False  # this fence closes
            start = _START.search(text, begin)
            continue
        after = (_AFTER_FENCED if start.group() else _AFTER_ALL) if fenced else None
        value, at, slip = _attempt(_Reader(text, begin, close), after)
        work -= max(at, slip.reached if slip else at) - begin + _WORK_PER_START
        if slip is not None and (worst is None or (slip.broken, slip.at) > (worst.broken, worst.at)):
            worst = slip
        if value is not _NOTHING:
            found.append(((fenced, text.startswith("{", begin), begin), value))
        if fenced and start.group():
            in_fence = text.count("```", begin, at) % 2 == 0
        start = _START.search(text, at)
    if start is not None:
        raise NotJsonError("it has too many brackets that begin nothing")
    best = [value for _, value in sorted(found, key=lambda each: each[0], reverse=True)]
    # An earlier draft does not replace a likelier answer that is broken.
    readable = best[: best.index(_BROKEN)] if _BROKEN in best else best
    if not readable:
        raise NotJsonError(_described(text, worst))
    return readable


def _attempt(reader: _Reader, after: re.Pattern[str] | None) -> tuple[Any, int, _Slip | None]:
    """Parse the value that begins here; return it (or a marker), where to continue, and the error.

    ``after`` is what must follow the value, if anything.
    """
    text, begin = reader.text, reader.at
    try:
        value = reader.read()
    except _Slip as slip:
        if slip.broken:
            # Broken JSON is not searched for smaller values: a fragment is not the answer.
            return _BROKEN, _end_of_broken(text, slip.at, len(reader.boxes)), slip
        return _NOTHING, begin if after else begin + 1, slip
    if after is None:
        return value, reader.at, None
    if followed := after.match(text, reader.at):
        return value, followed.end(), None
    return _NOTHING, begin, _Slip(reader.at, "something follows the value")


def _end_of_broken(text: str, at: int, depth: int) -> int:
    """Return the likely end of a value that broke at ``at``, inside ``depth`` brackets: where all are closed."""
    for found in _BRACKET_OR_STRING.finditer(text, at):
        if found.group() in ("{", "["):
            depth += 1
        elif found.group() in ("}", "]"):
            depth -= 1
        if depth <= 0:
            return found.end()
    return len(text)


def _described(text: str, worst: _Slip | None) -> str:
    if worst is None:
        return "it holds no { and no ["
    line = text.count("\n", 0, worst.at) + 1
    column = worst.at - text.rfind("\n", 0, worst.at)
    return f"{worst.complaint} (line {line}, column {column})"


# --- one value ------------------------------------------------------------------------------------


class _Slip(Exception):
    """Parsing stopped: the position, the reason, how far it had looked, and whether it was JSON until then."""

    def __init__(self, at: int, complaint: str, *, reached: int | None = None) -> None:
        super().__init__(complaint)
        self.at = at
        self.complaint = complaint
        self.reached = at if reached is None else reached
        self.broken = False


_STRING: Final = json.JSONDecoder(strict=False)  # tolerates a raw line break in a string
_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?(?![0-9A-Za-z_.+-])")
_WORD = re.compile(r"(?:true|false|null|True|False|None)(?![0-9A-Za-z_])")
_MEANING: Final = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_QUOTES: Final = frozenset("\"'")
_OBJECT: Final = object()
_LIST: Final = object()
_BROKEN: Final = object()
_NOTHING: Final = object()
_MARK: Final = {"{": _OBJECT, "[": _LIST}
_Box = dict[str, Any] | list[Any]
_END = re.compile(r"\s*(?:```\s*)?\Z")
_STOPS_A_STRING = re.compile(r"\s*(?:[,:\]}]|(?:```\s*)?\Z)")
_SINGLE = re.compile(r"[^'\\]*(?:\\.[^'\\]*)*", re.DOTALL)


class _Reader:
    """Parses one value with its own stack, so that no nesting depth can exhaust Python's."""

    __slots__ = ("at", "boxes", "close", "started", "sure", "text")

    def __init__(self, text: str, at: int, close: bool) -> None:
        self.text = text
        self.at = at
        self.close = close
        self.boxes: list[_Box] = []  # the open containers, innermost last
        self.started = False  # whether a key or an item was read, so that this is JSON and not prose
        self.sure = True  # whether the last value is certainly complete; digits may be truncated

    def read(self) -> Any:
        try:
            return self._value()
        except _Slip as slip:
            slip.broken = self.started
            raise

    def _value(self) -> Any:
        boxes, keys = self.boxes, list[str]()
        while True:
            value = self._begin()
            if value is _OBJECT or value is _LIST:
                box: _Box = {} if value is _OBJECT else []
                if not self._closes(box):
                    self._open(box, keys)
                    continue
                value = box
            while boxes:
                self.started = True
                if not self._put(value, boxes[-1], keys):
                    break
                value = boxes.pop()
                keys.pop()
            else:
                return value

    def _open(self, box: _Box, keys: list[str]) -> None:
        if len(self.boxes) >= MAX_DEPTH:
            self.started = True
            raise _Slip(self.at, f"nested more than {MAX_DEPTH} deep")
        self.boxes.append(box)
        keys.append(self._key() if isinstance(box, dict) else "")

    def _put(self, value: Any, box: _Box, keys: list[str]) -> bool:
        """Store the value in ``box``; return whether ``box`` ends with it."""
        if isinstance(box, list):
            box.append(value)
            return self._ends(box)
        box[keys[-1]] = value
        if self._ends(box):
            return True
        keys[-1] = self._key()
        return False

    def _skip(self) -> str:
        """Return the next character that is not white space, without consuming it; empty at the end of the text."""
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1]

    def _begin(self) -> Any:
        """Return a scalar, or the marker of the container that begins here."""
        here = self._skip()
        self.sure = True
        if here in _MARK:
            self.at += 1
            return _MARK[here]
        if here in _QUOTES:
            return self._string(here)
        if word := _WORD.match(self.text, self.at):
            self.at = word.end()
            return _MEANING[word.group()]
        if number := _NUMBER.match(self.text, self.at):
            return self._number(number)
        raise _Slip(self.at, "expected a value" if here else "the text ends where a value should be")

    def _number(self, found: re.Match[str]) -> int | float:
        self.sure = False
        try:
            number = _finite(found.group()) if found.group(1) or found.group(2) else int(found.group())
        except ValueError:
            raise _Slip(self.at, "a number that is too large", reached=found.end()) from None
        self.at = found.end()
        return number

    def _string(self, quote: str) -> str:
        begin = self.at
        if quote == "'":
            value, self.at = self._single_quoted(begin)
            return value
        try:
            value, self.at = _STRING.raw_decode(self.text, begin)
        except json.JSONDecodeError as error:
            # An unclosed string was searched to the end of the text. Any other error is at its position, but the
            # library has counted the lines up to there.
            reached = error.pos + error.pos // 50 if error.pos > begin else len(self.text)
            raise _Slip(begin, "a string that does not end or holds a bad escape", reached=reached) from None
        return str(value)

    def _single_quoted(self, begin: int) -> tuple[str, int]:
        """Return a single-quoted text and its end, if only one quote can be the closing one.

        An apostrophe between two letters belongs to the text. Any other quote that is not followed by a delimiter may
        open a quotation, and then the end is ambiguous.
        """
        at = begin + 1
        while True:
            found = _SINGLE.match(self.text, at)
            end = found.end() if found else at
            if self.text[end : end + 1] != "'":
                raise _Slip(begin, "a string in single quotes that does not end", reached=end)
            if _STOPS_A_STRING.match(self.text, end + 1):
                break
            if not (self.text[end - 1].isalpha() and self.text[end + 1 : end + 2].isalpha()):
                raise _Slip(end, "a quote inside single quotes: where the string ends cannot be told")
            at = end + 1
        try:
            value = str(_STRING.decode(_requoted(self.text[begin + 1 : end])))
        except json.JSONDecodeError:
            raise _Slip(begin, "a bad escape in single quotes", reached=end) from None
        return value, end + 1

    def _key(self) -> str:
        here = self._skip()
        if here not in _QUOTES:
            raise _Slip(self.at, "expected a name in quotes" if here else "the text ends inside an object")
        key = self._string(here)
        if self._skip() != ":":
            raise _Slip(self.at, "expected a colon after the name")
        self.at += 1
        self.started = True
        return key

    def _closes(self, box: _Box) -> bool:
        """Consume the closing bracket of ``box`` if it is next."""
        if self._skip() != ("}" if isinstance(box, dict) else "]"):
            return False
        self.at += 1
        self.sure = True
        return True

    def _ends(self, box: _Box) -> bool:
        """Return whether ``box`` ends after the last value; otherwise its next item follows."""
        if self._closes(box):
            return True
        here = self._skip()
        if here == ",":
            self.at += 1
            return self._closes(box)
        if self.close and self.sure and _END.match(self.text, self.at):
            return True
        bracket = "brace" if isinstance(box, dict) else "bracket"
        raise _Slip(self.at, f"expected a comma or a closing {bracket}" if here else f"no closing {bracket}")


def _requoted(raw: str) -> str:
    """Convert the content of a single-quoted string to a double-quoted one."""
    return '"' + re.sub(r"""\\'|(\\.)|(")""", _requoted_character, raw, flags=re.DOTALL) + '"'


def _requoted_character(found: re.Match[str]) -> str:
    if found.group(2):
        return '\\"'
    return found.group(1) or "'"
