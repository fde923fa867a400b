"""Validate names of sessions and customers: short and printable, since they are stored and returned."""

from __future__ import annotations

from typing import Any, Final

from proctor.core.errors import InputError

__all__ = ["MAX_NAME_CHARS", "check_name"]

MAX_NAME_CHARS: Final = 256


def check_name(field: str, value: Any) -> str | None:
    """Return the name as a string; None if there is none.

    Raises:
        InputError: it is not a string or number, is too long, or has unprintable characters.
    """
    if value is None or value == "":
        return None
    hint = f"send at most {MAX_NAME_CHARS} printable characters"
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise InputError(f"{field} is not a text", field=field, hint=hint)
    name = value if isinstance(value, str) else str(value)
    if len(name) > MAX_NAME_CHARS:
        raise InputError(f"{field} has more than {MAX_NAME_CHARS} characters", field=field, hint=hint)
    if not name.isprintable():
        raise InputError(f"{field} has characters that cannot be printed", field=field, hint=hint)
    return name
