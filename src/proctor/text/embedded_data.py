"""Read the text inside a ``data:`` address: a drawing or a page that may load others."""

from __future__ import annotations

from typing import Final

from proctor.text.base64_data import unpack_base64
from proctor.text.web_address import unquoted

__all__ = ["embedded_text"]

_MAX_CHARS: Final = 100_000
_TEXTUAL: Final = ("svg", "html", "xml", "css", "text/", "json")


def embedded_text(rest: str) -> str:
    """Return the text of what follows ``data:``; empty for pictures made of pixels, which load nothing."""
    head, _, body = rest[:_MAX_CHARS].partition(",")
    kind = head.casefold()
    if kind and not kind.startswith(";") and not any(each in kind for each in _TEXTUAL):
        return ""
    if "base64" in kind:
        data = unpack_base64(unquoted(body).replace(" ", ""))
        return data.decode("utf-8", "replace") if data else ""
    return unquoted(body)
