"""Decode base64 as found in texts: either alphabet, with or without padding, on one line or several."""

from __future__ import annotations

import base64
import binascii
from typing import Final

__all__ = ["unpack_base64"]

_STANDARD: Final = str.maketrans({"-": "+", "_": "/", "\n": None, "\r": None})


def unpack_base64(text: str) -> bytes | None:
    """Return the bytes; ``None`` if the text is not base64."""
    packed = text.translate(_STANDARD).rstrip("=")
    try:
        return base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
