"""Text that is sent in base64: read where it is text, left alone where it is binary data."""

from __future__ import annotations

import base64
import re
from typing import Final

from proctor.text.base64_data import unpack_base64

__all__ = ["decode_text", "encode_text"]

_RAW: Final = "raw"  # it is no base64 at all: the string itself is what is read
_TEXT_TYPES: Final = re.compile(
    r"\s*(?:text/|application/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|javascript|toml|sql|x-sh|rtf)|image/svg)", re.I
)
_CONTROL: Final = re.compile("[\0-\x08\x0e-\x1a\x1c-\x1f]")
_FIRST: Final = 4_096  # bytes by which most binary data is known


def decode_text(value: str, media_type: str = "") -> tuple[str, str] | None:
    """The text and its encoding; ``None`` for binary data such as pictures.

    A string that is no base64 is its own text. Data of a text type is read even where it is not UTF-8.
    """
    is_text = _TEXT_TYPES.match(media_type) is not None
    data = unpack_base64(value)
    if data is None:
        return value, _RAW
    if not is_text and not _starts_as_text(data[:_FIRST]):
        return None
    for encoding in ("utf-16",) if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8",):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if is_text or _CONTROL.search(text) is None:
            return (text, encoding) if text else None
    return (data.decode("latin-1"), "latin-1") if is_text else None


def encode_text(text: str, encoding: str) -> str:
    """The text as it is sent."""
    if encoding == _RAW:
        return text
    return base64.b64encode(text.encode(encoding, "replace")).decode("ascii")


def _starts_as_text(data: bytes) -> bool:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    return _CONTROL.search(data.decode("latin-1")) is None
