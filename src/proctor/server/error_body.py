"""The JSON object that describes an error in answers of the sidecar and the middleware."""

from __future__ import annotations

__all__ = ["error_body"]


def error_body(message: str, *, field: str | None = None, hint: str | None = None) -> dict[str, str]:
    """An error with its message, the field it is about and a hint; what is empty is left out.

    ``mend`` is the old name of ``hint``. It is deprecated and sent for one more version.
    """
    body = {"message": message, "field": field, "hint": hint, "mend": hint}
    return {key: value for key, value in body.items() if value}
