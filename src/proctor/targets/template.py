"""JSON templates: any structure whose texts may contain ``{{ name }}``.

A text that is only one placeholder becomes the value itself, of any type; in a longer text the value is
inserted. The result is encoded as JSON afterwards, so no value can break out of its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from proctor.core.codec import dumps
from proctor.core.decode import closest
from proctor.core.errors import MalformedError, Problem
from proctor.targets.paths import Path, PathMissingError, find, parse_path
from proctor.targets.play_case import AnswerError

__all__ = ["Filler", "compile_template"]

Filler = Callable[[Mapping[str, Any]], Any]
_PLACEHOLDER = re.compile(r"\{\{\s*(.*?)\s*\}\}", re.DOTALL)


def compile_template(
    data: Any, names: tuple[str, ...], path: tuple[str | int, ...], *, quote: Callable[[str], str] = str
) -> Filler:
    """Return a function from the values of ``names`` to the filled structure.

    ``quote`` is applied to values inserted into a longer text.

    Raises:
        MalformedError: a placeholder has an unknown name; ``path`` is the location of the structure.
    """
    if isinstance(data, str):
        return _text(data, names, path, quote)
    if isinstance(data, Mapping):
        parts = {key: compile_template(item, names, (*path, key), quote=quote) for key, item in data.items()}
        return lambda values: {key: fill(values) for key, fill in parts.items()}
    if isinstance(data, (list, tuple)):
        items = [compile_template(item, names, (*path, index), quote=quote) for index, item in enumerate(data)]
        return lambda values: [fill(values) for fill in items]
    return lambda values: data


def _text(text: str, names: tuple[str, ...], path: tuple[str | int, ...], quote: Callable[[str], str]) -> Filler:
    holes = list(_PLACEHOLDER.finditer(text))
    if not holes:
        return lambda values: text
    paths = [_hole(hole.group(1), names, path) for hole in holes]
    if len(holes) == 1 and holes[0].group() == text.strip() and quote is str:
        return lambda values: _value(paths[0], values)
    pieces = _PLACEHOLDER.split(text)[::2]

    def fill(values: Mapping[str, Any]) -> str:
        out = pieces[0]
        for where, piece in zip(paths, pieces[1:], strict=True):
            out += quote(_as_text(_value(where, values))) + piece
        return out

    return fill


def _hole(expression: str, names: tuple[str, ...], path: tuple[str | int, ...]) -> Path:
    try:
        parsed = parse_path(expression)
    except ValueError as error:
        raise MalformedError([Problem(path, str(error), "write a name like `{{ text }}`")]) from None
    if parsed[0] not in names:
        guess = closest(str(parsed[0]), names)
        hint = f"did you mean `{guess}`?" if guess else f"known: {', '.join(names)}"
        raise MalformedError([Problem(path, f"nothing is called {str(parsed[0])!r}", hint)])
    return parsed


def _value(path: Path, values: Mapping[str, Any]) -> Any:
    try:
        return find(values, path)
    except PathMissingError as error:
        raise AnswerError(f"the request cannot be made: {error}", hint="add the value to the case") from None


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else dumps(value).decode()
