"""Validate JSON with bounded time, whatever the schema's patterns and the value.

Patterns run in a linear-time regex engine. Look-around and back-references need a backtracking engine. It gets a limit
on its steps, and a lower one for a long value. A value that reaches a limit is not judged at all, because a ``not`` in
the schema would turn the failure into a success.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from proctor.text.chunked_regex import breathe

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

__all__ = ["SchemaCheck", "SchemaLimitError"]

LIMITS: Final = ((50_000, 10_000), (1_000_000, 500))  # characters of all texts, and backtracking steps per text
_TEXT_COST: Final = 50  # additional characters counted per text
_HINT: Final = "write the schema's pattern without look-around and back-references"


class SchemaLimitError(ValueError):
    """A pattern of the schema would take too long on this value; the message has a hint."""


class SchemaCheck:
    """A compiled schema; it never fetches anything.

    Raises:
        ValueError: the schema is invalid, with the reason.
    """

    __slots__ = ("_backtracking", "_linear")

    def __init__(self, schema: str | bytes) -> None:
        import jsonschema_rs  # noqa: PLC0415 - loaded only if a schema is used

        data = json.loads(schema)
        self._linear: Validator | None = None
        self._backtracking: tuple[_Backtracking, ...] = ()
        wrong = (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError)
        try:
            self._linear = jsonschema_rs.validator_for(
                data, retriever=_refuse, pattern_options=jsonschema_rs.RegexOptions()
            )
        except wrong:  # invalid, or a pattern needs the other engine
            try:
                self._backtracking = tuple(_backtracking(data, *limits) for limits in LIMITS)
            except wrong as error:
                raise ValueError(str(error).partition("\n")[0]) from None

    def is_valid(self, value: Any) -> bool:
        """Whether the value matches the schema.

        Raises:
            SchemaLimitError: the check would take too long.
            ValueError: the value is not JSON, or nested too deeply.
        """
        return self._validator(value).is_valid(value)

    def iter_errors(self, value: Any) -> Iterator[ValidationError]:
        """Iterate over the errors of the value.

        Raises:
            SchemaLimitError: the check would take too long.
            ValueError: the value is not JSON, or nested too deeply.
        """
        return iter(self._validator(value).iter_errors(value))

    def _validator(self, value: Any) -> Validator:
        """Return the validator for a value of this size, whose patterns reach no limit on it."""
        if self._linear is not None:
            return self._linear
        import jsonschema_rs  # noqa: PLC0415 - loaded only if a schema is used

        exceeded = jsonschema_rs.ValidationErrorKind.BacktrackLimitExceeded
        texts = list(_texts(value))
        chars = sum(map(len, texts)) + _TEXT_COST * len(texts)
        fit = next((each for each in self._backtracking if chars <= each.max_chars), None)
        if fit is None:
            raise SchemaLimitError(f"the value has too many characters for the patterns of the schema; {_HINT}")
        for pattern, check in fit.patterns:
            for text in texts:
                breathe()
                for error in check.iter_errors(text):
                    if isinstance(error.kind, exceeded):
                        told = f"the schema's pattern {pattern[:200]!r} takes too long on {text[:40]!r}; {_HINT}"
                        raise SchemaLimitError(told)
        return fit.validator


class _Backtracking(NamedTuple):
    """A schema for values up to a size, and separately those of its patterns that may reach the limit."""

    max_chars: int
    validator: Validator
    patterns: tuple[tuple[str, Validator], ...]


def _backtracking(schema: Any, max_chars: int, max_backtracks: int) -> _Backtracking:
    import jsonschema_rs  # noqa: PLC0415 - loaded only if a schema is used

    options, linear = jsonschema_rs.FancyRegexOptions(backtrack_limit=max_backtracks), jsonschema_rs.RegexOptions()
    whole = jsonschema_rs.validator_for(schema, retriever=_refuse, pattern_options=options)
    alone = tuple(
        (each, jsonschema_rs.validator_for({"pattern": each}, pattern_options=options))
        for each in sorted(set(_patterns(schema)))
        if _is_pattern(each, options) and not _is_pattern(each, linear)
    )
    return _Backtracking(max_chars, whole, alone)


def _is_pattern(pattern: str, options: Any) -> bool:
    """Whether the engine accepts the pattern."""
    import jsonschema_rs  # noqa: PLC0415 - loaded only if a schema is used

    try:
        jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=options)
    except (ValueError, jsonschema_rs.ValidationError):
        return False
    return True


def _patterns(schema: Any) -> Iterator[str]:
    """Yield every text in a pattern position; a default or an example may be among them."""
    for each in _inside(schema):
        if isinstance(each, dict):
            if isinstance(pattern := each.get("pattern"), str):
                yield pattern
            if isinstance(named := each.get("patternProperties"), dict):
                yield from named


def _texts(value: Any) -> Iterator[str]:
    """Yield every text and every key in a value."""
    for each in _inside(value):
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            yield from (name for name in each if isinstance(name, str))


def _inside(value: Any) -> Iterator[Any]:
    """Yield the value and everything inside, without recursion; the validator rejects excessive nesting."""
    left = [value]
    while left:
        each = left.pop()
        yield each
        if isinstance(each, dict):
            left.extend(each.values())
        elif isinstance(each, Sequence) and not isinstance(each, str | bytes):
            left.extend(each)


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is outside this schema, and schemas are never fetched: put it under `$defs`")
