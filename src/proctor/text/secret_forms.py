"""Which values can be masked, and the encoded forms of a secret."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

__all__ = ["MASK", "forms_of", "is_secret_value"]

MASK = "***"
_SHORTEST_KNOWN = 6  # a shorter value occurs in ordinary words; error messages mask from 4 on
_SHORTEST_FRAGMENT = 8  # for a part of a longer Base64 text
_SHORTEST_LINE = 16  # for one line of a multi-line secret, such as a private key

_COMMON = frozenset(
    {"secret", "password", "passwd", "changeme", "default", "example", "public", "private", "production", "staging"}
    | {"development", "testing", "localhost", "string", "number", "object", "required", "optional", "enabled"}
    | {"disabled", "username", "customer", "assistant", "system", "undefined", "unknown"}
)


def is_secret_value(value: str) -> bool:
    """Whether a value can be masked everywhere: it has at least 6 characters and is not a common word."""
    stripped = value.strip()
    return len(stripped) >= _SHORTEST_KNOWN and stripped.lower() not in _COMMON


def forms_of(secret: str) -> Iterator[str]:
    """Yield a secret literally, URL-encoded, JSON-escaped, HTML-escaped and in Base64."""
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
    yield json.dumps(json.dumps(secret)[1:-1])[1:-1]  # JSON inside a JSON string
    yield _escaped(secret)
    yield repr(secret)[1:-1]
    yield from _base64_forms(secret.encode(errors="replace"))
    if "\n" in secret:
        lines = (line.strip() for line in secret.splitlines())
        yield from (line for line in lines if len(line) >= _SHORTEST_LINE and not line.startswith("-----"))


def _escaped(text: str) -> str:
    """Return the text as HTML; `html.escape` is the same, but its module loads the table of all named characters."""
    for character, name in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot"), ("'", "#x27")):
        text = text.replace(character, f"&{name};")
    return text


def _base64_forms(secret: bytes) -> Iterator[str]:
    """Yield the secret's Base64, alone and inside a longer text (``user:secret``).

    Base64 packs three bytes into four characters, so there are three alignments. Characters at either end that also
    hold bits of a neighbour are left off.
    """
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        whole = encode(secret).decode()
        yield whole
        yield whole.rstrip("=")
        for before in range(3):
            packed = encode(b"\0" * before + secret).decode().rstrip("=")
            first = (before * 8 + 5) // 6  # characters with bits of the preceding bytes
            last = (before + len(secret)) * 8 // 6  # characters completely filled by the secret
            if last - first >= _SHORTEST_FRAGMENT:
                yield packed[first:last]
