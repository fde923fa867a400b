"""Words of others between marker lines, so that nothing in them can pass for the words of whoever asks."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

__all__ = ["Section", "fence"]

Section = tuple[str, str]


def fence(sections: Sequence[Section]) -> tuple[str, str]:
    """The sections (title and text) between marker lines, and the code on these lines.

    The code is drawn from the content, so that the same material makes the same request (and finds it in
    the cache); nobody can write a text that holds its own code.
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
    """Text that can be sent: half a surrogate pair is no character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
