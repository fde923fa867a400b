"""Parse YAML text to plain JSON-like data, with bounded size and a line for every value.

The text is composed to nodes (in C if the loader has it) and the nodes are converted here, because the
loader's own constructors share aliased values, convert text to dates, and expand merge keys without a limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from proctor.core.errors import InputError

__all__ = ["lines_in_yaml", "read_yaml"]

_MAX_DEPTH = 100
_TAG = "tag:yaml.org,2002:"
_SURROGATE = re.compile("[\ud800-\udfff]")
_BRACKET = re.compile(r"[\[\]{}]")
_MAX_OPEN_BRACKETS = 500
_PREFIX = re.compile(r"^(?:[-?:][ \t]|[ \t])*", re.MULTILINE)
_LONG_PREFIX = re.compile(r"^(?:[-?:][ \t]|[ \t]){500}", re.MULTILINE)
_MAX_DIGITS = 3_500
_QUOTES = "put it in quotes, as text"
_BOOLEANS = ("true", "yes", "on", "false", "no", "off")
_BASES = {"0o": 8, "0x": 16, "0b": 2}


class _Wrong(Exception):
    """An unacceptable part of the text, and its position."""

    def __init__(self, message: str, mark: Any, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.mark, self.hint = message, mark, hint


def read_yaml(text: str, *, file: str | None = None, error: type[InputError] = InputError, first_line: int = 1) -> Any:
    """Parse YAML text to plain data.

    ``first_line`` is where the text begins in its file, for front matter.

    Raises:
        InputError: of the class ``error``, with the line, if the text is not YAML or not acceptable.
    """
    if _brackets(text) > _MAX_OPEN_BRACKETS:
        raise error("the YAML is nested too deeply", file=file, hint=f"stay under {_MAX_DEPTH} levels")
    try:
        node = _compose(text)
        return None if node is None else _Plain(len(text) * 10 + 100_000).value(node, 0)
    except _Wrong as wrong:
        line = _line(wrong.mark, first_line)
        raise error(wrong.message, file=file, line=line, hint=wrong.hint) from None
    except YAMLError as wrong:
        raise _syntax(wrong, file, error, first_line) from None
    except RecursionError:
        raise error("the YAML is nested too deeply", file=file, hint=f"stay under {_MAX_DEPTH} levels") from None
    except ValueError as wrong:  # raised by the underlying parser
        raise error(f"the YAML holds a value that cannot be read: {wrong}", file=file) from None


def lines_in_yaml(text: str) -> Callable[[Sequence[str | int]], int | None]:
    """Return a function from the path of a value to its line, or to that of its deepest existing part."""
    try:
        root = _compose(text)
    except (YAMLError, RecursionError, ValueError):
        root = None
    return lambda path: None if root is None else _line_of(root, path)


def _line_of(node: Any, path: Sequence[str | int]) -> int:
    line: int = node.start_mark.line + 1
    for step in path:
        found = _step(node, step)
        if found is None:
            break
        node, mark = found
        line = mark.line + 1
    return line


def _brackets(text: str) -> int:
    """Return the maximum number of open brackets: the parser's run time grows with its square."""
    deepest = depth = 0
    for bracket in _BRACKET.finditer(text):
        depth = depth + 1 if bracket.group() in "[{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


def _steps(text: str) -> int:
    """Return the maximum depth of nested lines: the C parser recurses until its stack overflows.

    Each level needs its own column at the beginning of a line, so most texts are skipped.
    """
    if _LONG_PREFIX.search(text) is None:
        return 0
    deepest = 0
    columns: list[int] = []
    for prefix in _PREFIX.finditer(text):
        lead = prefix.group()
        column = len(lead) - len(lead.lstrip(" \t"))
        while columns and columns[-1] >= column:
            columns.pop()
        marks = [column + at for at, mark in enumerate(lead[column:]) if mark in "-?:"]
        columns += [*marks, len(lead)]
        deepest = max(deepest, len(columns))
    return deepest


def _compose(text: str) -> Any:
    if _steps(text) > _MAX_OPEN_BRACKETS:
        raise RecursionError
    try:
        return YAML(typ="safe").compose(text)
    except YAMLError:
        # The C parser knows fewer escapes and reports other positions: the Python one decides.
        plain = YAML(typ="safe", pure=True)
        plain.composer.warn_double_anchors = False  # an anchor may be redefined
        return plain.compose(text)


def _step(node: Any, step: str | int) -> tuple[Any, Any] | None:
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if isinstance(key, ScalarNode) and key.value == step:
                return value, key.start_mark
    if isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step].start_mark
    return None


def _line(mark: Any, first_line: int) -> int | None:
    return None if mark is None else mark.line + first_line


def _syntax(wrong: YAMLError, file: str | None, error: type[InputError], first_line: int) -> InputError:
    if isinstance(wrong, MarkedYAMLError):
        mark = wrong.problem_mark or wrong.context_mark
        what = wrong.problem or wrong.context or "unreadable"
        where = f" (column {mark.column + 1})" if mark is not None else ""
        several = "single document" in f"{wrong.context} {wrong.problem}"
        return error(
            f"not valid YAML: {what}{where}",
            file=file,
            line=_line(mark, first_line),
            hint="keep one document in a file: remove the `---` line" if several else _hint(str(what)),
        )
    return error(f"not valid YAML: {str(wrong).splitlines()[0]}", file=file, hint="remove control characters")


def _hint(what: str) -> str:
    if "mapping values are not allowed" in what:
        return "put text that holds `: ` in quotes, and check the indentation"
    if "\\t" in what or "tab" in what:
        return "indent with spaces, not tabs"
    return "check the indentation, quotes and brackets near this line"


class _Plain:
    """Converts nodes to data and counts the result: an alias costs as much as its value."""

    __slots__ = ("left",)

    def __init__(self, budget: int) -> None:
        self.left = budget

    def value(self, node: Any, depth: int) -> Any:
        self.left -= 1
        if self.left < 0:
            raise _Wrong("aliases make the YAML too large", node.start_mark, "write the values out, or use fewer `*`")
        if depth > _MAX_DEPTH:
            raise _Wrong("the YAML is nested too deeply", node.start_mark, f"stay under {_MAX_DEPTH} levels")
        if isinstance(node, ScalarNode):
            return _scalar(node)
        if node.tag == _TAG + "seq":
            return [self.value(item, depth + 1) for item in node.value]
        if node.tag == _TAG + "map":
            return self._mapping(node, depth)
        _foreign(node)

    def _mapping(self, node: Any, depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        merged: list[Any] = []
        for key_node, value_node in node.value:
            if key_node.tag == _TAG + "merge":
                merged.append(value_node)
                continue
            if not isinstance(key_node, ScalarNode):
                raise _Wrong("a key must be text", key_node.start_mark, "put text that begins with { or [ in quotes")
            key = _paired(str(key_node.value))
            if key in made:
                raise _Wrong(f"the key `{key}` is here twice", key_node.start_mark, "remove one of the two")
            made[key] = self.value(value_node, depth + 1)
        for value_node in merged:
            self._merge(made, value_node, depth)
        return made

    def _merge(self, made: dict[str, Any], node: Any, depth: int) -> None:
        parts = node.value if isinstance(node, SequenceNode) else [node]
        for part in parts:
            if not isinstance(part, MappingNode):
                raise _Wrong("`<<` needs a mapping or a list of mappings", node.start_mark)
            for key, value in self.value(part, depth + 1).items():
                made.setdefault(key, value)


def _scalar(node: Any) -> Any:
    kind = node.tag.removeprefix(_TAG)
    text: str = node.value
    if kind in ("str", "timestamp", "value", "merge"):  # a date is text: users compare it, they do not compute with it
        return _paired(text)
    if kind == "null":
        return None
    if kind == "bool":
        if text.lower() not in _BOOLEANS:
            raise _Wrong(f"{_shown(text)} is neither true nor false", node.start_mark, "write true or false")
        return text.lower() in ("true", "yes", "on")
    if kind == "int":
        return _whole(text.replace("_", "").lower(), node)
    if kind == "float":
        return _real(text.replace("_", "").lower(), node)
    _foreign(node)


def _paired(text: str) -> str:
    """Join surrogate pairs: JSON writes a character beyond the first plane as two escapes, which YAML keeps."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _whole(text: str, node: Any) -> int:
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-")
    # Python prints no number of more than 4,300 digits; ours stay well below.
    if len(digits) <= _MAX_DIGITS:
        try:
            return sign * int(digits, _BASES.get(digits[:2], 10))
        except ValueError:
            raise _Wrong(f"{_shown(text)} is not a whole number", node.start_mark, _QUOTES) from None
    raise _Wrong(f"the number {_shown(text)} is too large", node.start_mark, _QUOTES)


def _real(text: str, node: Any) -> float:
    if text.lstrip("+-") in (".inf", ".nan"):
        raise _Wrong(
            f"{text} is not a number that JSON has", node.start_mark, "write a finite number, or put it in quotes"
        )
    try:
        number = float(text)
    except ValueError:
        raise _Wrong(f"{_shown(text)} is not a number", node.start_mark, _QUOTES) from None
    if not isfinite(number):
        raise _Wrong(f"the number {_shown(text)} is too large", node.start_mark, _QUOTES)
    return number


def _shown(text: str) -> str:
    return text if len(text) <= 20 else f"{text[:12]}… ({len(text):,} characters)"


def _foreign(node: Any) -> NoReturn:
    shown = str(node.tag).replace(_TAG, "!!")
    raise _Wrong(f"the tag {shown} is not allowed", node.start_mark, "use plain text, numbers, lists and mappings")
