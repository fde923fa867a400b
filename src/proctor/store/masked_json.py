"""JSON lines and database rows without the secrets that this process knows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

import orjson

from proctor.core.codec import dumps, loads
from proctor.text.known_secrets import has_secret, hide_secrets_in_data, hide_secrets_in_json

__all__ = ["MaskingConnection", "masked_data", "masked_line"]


def masked_line(data: Any) -> bytes:
    """Return one line of JSON with secrets masked. Only data with a secret is walked, after a search of the line."""
    line = _line(data)
    return _line(hide_secrets_in_data(loads(line))) if has_secret(line) else line


def masked_data(line: bytes) -> Any:
    """Parse a line; secrets in a line written by an older version are masked."""
    data = loads(line)
    return hide_secrets_in_data(data) if has_secret(line) else data


class MaskingConnection(sqlite3.Connection):
    """A SQLite connection that masks secrets in every text before it is stored."""

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Execute one statement."""
        return super().execute(sql, _masked(parameters))

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        """Execute one statement for many rows."""
        return super().executemany(sql, map(_masked, parameters))


def _masked(parameters: Any) -> Any:
    if isinstance(parameters, dict):
        return {key: _text(value) for key, value in parameters.items()}
    return tuple(map(_text, parameters))


def _text(value: Any) -> Any:
    return hide_secrets_in_json(value) if isinstance(value, str) else value


def _line(data: Any) -> bytes:
    try:
        return orjson.dumps(data, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # values that orjson rejects: half a surrogate pair, a huge number, an odd object
        return dumps(data) + b"\n"
