"""A table of rows as one test: it goes through every row and lists all that fail.

`@table` is written like `@pytest.mark.parametrize` and costs one test where that costs one for each row. It is for
functions that leave nothing behind, since the rows share one setup: only `tmp_path` and `monkeypatch` are each row's
own. A row cannot be skipped: that would skip the rest.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

__all__ = ["table"]

_SHOWN = 1000  # characters of a failure
_NAMED = 200  # characters of a row

RowIds = list[str] | Callable[[Any], object] | None
Ids = Iterable[str] | Callable[[Any], object] | None


def table(names: str | Sequence[str], rows: Iterable[Any], *, ids: Ids = None) -> Callable[[Callable[..., Any]], Any]:
    """Call the test with every row; it fails at the end, with all rows that failed.

    Args:
        names: The parameters that a row fills: one string with commas, or a sequence.
        rows: Tuples of values; bare values where there is one parameter.
        ids: What a row is called in the message, as for `pytest.mark.parametrize`.
    """
    taken = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    one = isinstance(names, str) and "," not in names
    entries = list(_entries(rows, taken, one))
    names_of_rows: RowIds = ids if ids is None or callable(ids) else list(ids)
    assert entries, "a table without rows tests nothing"

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def through(**others: Any) -> None:
            failures = _Failures(len(entries), names_of_rows)
            for own, values in entries:
                with failures.listed(own, values), _fresh(others, failures.tried) as given:
                    test(**values, **given)
            failures.raise_any()

        @functools.wraps(test)
        async def through_async(**others: Any) -> None:
            failures = _Failures(len(entries), names_of_rows)
            for own, values in entries:
                with failures.listed(own, values), _fresh(others, failures.tried) as given:
                    await test(**values, **given)
            failures.raise_any()

        made: Any = through_async if inspect.iscoroutinefunction(test) else through
        signature = inspect.signature(test)
        missing = [name for name in taken if name not in signature.parameters]
        assert not missing, f"{test.__name__} has no parameter {', '.join(missing)}"
        kept = [each for name, each in signature.parameters.items() if name not in taken]
        made.__signature__ = signature.replace(parameters=kept)
        return made  # type: ignore[no-any-return]

    return decorate


class _Failures:
    """The rows that failed, and how many were tried."""

    def __init__(self, rows: int, ids: RowIds) -> None:
        self.tried = 0
        self._rows = rows
        self._ids = ids
        self._found: list[str] = []

    @contextmanager
    def listed(self, own: str, values: Mapping[str, Any]) -> Iterator[None]:
        """Keep what a row raises."""
        number = self.tried
        self.tried += 1
        try:
            yield
        except Exception as error:
            label = _label(number, own, values.values(), self._ids)
            self._found.append(f"{label}\n    {type(error).__name__}: {str(error)[:_SHOWN]}")

    def raise_any(self) -> None:
        """Fail with every row that failed."""
        if self._found:
            raise AssertionError("\n".join([f"{len(self._found)} of {self._rows} rows failed:", *self._found]))


@contextmanager
def _fresh(others: Mapping[str, Any], number: int) -> Iterator[Mapping[str, Any]]:
    """The other fixtures, with an empty folder and an undone patch for each row."""
    given = dict(others)
    if "tmp_path" in given:
        given["tmp_path"] = others["tmp_path"] / str(number)
        given["tmp_path"].mkdir()
    if "monkeypatch" not in given:
        yield given
        return
    with pytest.MonkeyPatch.context() as patch:
        yield {**given, "monkeypatch": patch}


def _entries(rows: Iterable[Any], names: Sequence[str], one: bool) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each row's own name, if it has one, and its values."""
    for number, row in enumerate(rows):
        named = row if hasattr(row, "marks") else None  # what pytest.param makes
        assert not (named and named.marks), "marks belong to tests, and a row is none: use pytest.mark.parametrize"
        values = tuple(named.values) if named else (row,) if one else tuple(row)
        assert len(values) == len(names), f"row {number} has {len(values)} values for {len(names)} names: {row!r}"
        yield str(named.id or "") if named else "", dict(zip(names, values, strict=True))


def _label(number: int, own: str, values: Collection[Any], ids: RowIds) -> str:
    if own:
        told = own
    elif ids is None:
        told = ", ".join(map(_shown, values))
    elif callable(ids):
        told = "-".join(str(shown if (shown := ids(value)) is not None else value) for value in values)
    else:
        told = ids[number]
    return f"row {number}: {told[:_NAMED]}"


def _shown(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # such as a number of more digits than Python writes
        return f"<{type(value).__name__}>"
