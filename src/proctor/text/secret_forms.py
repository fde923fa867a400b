"""Which values can be masked, and how a secret reads when it is encoded."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

__all__ = ["MASK", "forms_of", "is_secret_value"]

MASK = "***"
_SHORTEST_KNOWN = 6  # a shorter value would be found in ordinary words; errors mask from 4 on
_SHORTEST_FRAGMENT = 8  # for a piece of a longer Base64 text
_SHORTEST_LINE = 16  # for one line of a secret of several, such as a private key

_COMMON = frozenset(
    {"secret", "password", "passwd", "changeme", "default", "example", "public", "private", "production", "staging"}
    | {"development", "testing", "localhost", "string", "number", "object", "required", "optional", "enabled"}
    | {"disabled", "username", "customer", "assistant", "system", "undefined", "unknown"}
)


def is_secret_value(value: str) -> bool:
    """Whether a value can be taken out of everything: one of under 6 characters, or a common word, cannot."""
    stripped = value.strip()
    return len(stripped) >= _SHORTEST_KNOWN and stripped.lower() not in _COMMON


def forms_of(secret: str) -> Iterator[str]:
    """A secret as it is and as it reads URL-encoded, JSON-escaped, HTML-escaped or in Base64."""
    yield secret
    ways = (
        quote(secret, errors="replace"),
        quote(secret, safe="", errors="replace"),
        quote_plus(secret, errors="replace"),
    )
    for encoded in ways:
        yield encoded
        yield re.sub("%[0-9A-F]{2}", lambda found: found.group().lower(), encoded)
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield json.dumps(json.dumps(secret)[1:-1])[1:-1]  # JSON inside a text of JSON
    yield html.escape(secret)
    yield repr(secret)[1:-1]
    yield from _base64_forms(secret.encode(errors="replace"))
    if "\n" in secret:
        lines = (line.strip() for line in secret.splitlines())
        yield from (line for line in lines if len(line) >= _SHORTEST_LINE and not line.startswith("-----"))


def _base64_forms(secret: bytes) -> Iterator[str]:
    """The secret's Base64, alone and as it reads inside a longer text (``user:secret``).

    Base64 packs three bytes into four characters, so a secret has three readings, by where it
    begins. At either end a character may also hold bits of a neighbour: those are left off.
    """
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        whole = encode(secret).decode()
        yield whole
        yield whole.rstrip("=")
        for before in range(3):
            packed = encode(b"\0" * before + secret).decode().rstrip("=")
            first = (before * 8 + 5) // 6  # characters that hold any bit of what stands before
            last = (before + len(secret)) * 8 // 6  # characters filled by the secret to the last bit
            if last - first >= _SHORTEST_FRAGMENT:
                yield packed[first:last]
