"""Fence untrusted text between marker lines, so that it cannot pass for the prompt around it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

__all__ = ["Section", "fence"]

Section = tuple[str, str]


def fence(sections: Sequence[Section]) -> tuple[str, str]:
    """Return the sections (title and text) between marker lines, and the code on these lines.

    The code is derived from the content, so that equal material gives an equal, cacheable request; no text can contain
    its own code.
    """
    clean = [(title, _clean(text)) for title, text in sections]
    digest = hashlib.sha256()
    for title, text in clean:
        digest.update(f"{title}\0{text}\0".encode())
    code = digest.hexdigest()[:12]
    while any(code in text for _, text in clean):
        digest.update(b"again")
        code = digest.hexdigest()[:12]
    blocks = [f"<<<{code} {title}\n{text}\n{code}>>>" for title, text in clean]
    return "\n\n".join(blocks), code


def _clean(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
