"""JSON that has one reading only: a key that stands twice is refused, since two readers could take two values."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["read_json", "read_object"]


class _TwiceError(ValueError):
    """A key that stands twice."""


def read_json(text: str | bytes) -> Any:
    """What the text says.

    Raises:
        ValueError: it is no JSON, or has two readings; says why, as what follows "it".
    """
    try:
        whole = text if isinstance(text, str) else text.decode("utf-8")
        return json.loads(whole, object_pairs_hook=_once, parse_constant=_refused)
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8 text") from None
    except _TwiceError as error:
        raise ValueError(f"has the key {str(error)[:60]!r} twice in one object") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"is not JSON: {error}") from None


def read_object(text: str | bytes) -> dict[str, Any]:
    """What the text says, when that is an object.

    Raises:
        ValueError: it is none; says why, as what follows "it".
    """
    read = read_json(text)
    if not isinstance(read, dict):
        raise ValueError("is not a JSON object")
    return read


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceError(next(key for key in keys if keys.count(key) > 1))
    return read


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no number")
