"""Takes secrets out of text before it is shown or stored. Used on error paths only."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

__all__ = ["MASK", "redact", "redact_data"]

MASK = "***"

_SHORTEST = 4  # shorter secrets would mask ordinary words
_SHORTEST_FRAGMENT = 8  # the same, for a piece of a longer Base64 text

_KEY = r"(?<![A-Za-z0-9])"  # a key begins where a word begins: "task-list" holds no "sk-…"
_LOOKS_LIKE_A_KEY = re.compile(
    "|".join(
        (
            # Servers echo keys with their middle starred out; the ends are part of the secret too.
            rf"{_KEY}(?:sk|pk|rk)[-_][A-Za-z0-9_*-]{{8,}}",
            rf"{_KEY}(?:AKIA|ASIA|ABSK|AIza)[A-Za-z0-9_+/=-]{{12,}}",
            rf"{_KEY}xox[a-z]-[A-Za-z0-9-]{{6,}}",
            rf"{_KEY}(?:gh[pousr]|github_pat|hf|gsk|glpat)[_-][A-Za-z0-9_-]{{10,}}",
            rf"{_KEY}eyJ[A-Za-z0-9_-]{{8,}}\.[A-Za-z0-9_-]{{4,}}\.[A-Za-z0-9_-]*",
        )
    )
)
_SCHEME = re.compile(r"\b(Bearer|Basic)(\s+)[A-Za-z0-9._~+/=*-]{4,}", re.IGNORECASE)
_LOGIN_IN_URL = re.compile(r"(?<=://)[^\s/@:]{1,200}:[^\s/@]{1,500}@")
_SECRET_FIELD = re.compile(
    r"(?:^|[-_.])(?:key|token|secret|password|passwd|credentials?|authorization|cookie)$|apikey|access_?token",
    re.IGNORECASE,
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Replace every secret by ``***``: as it is, URL-encoded, JSON-escaped or in Base64.

    What merely looks like a key (``sk-…``, ``Bearer …``, ``AKIA…``, ``xox…``) is masked as well,
    because a server may echo a key that was never told to us.
    """
    forms = {form for secret in secrets if len(secret) >= _SHORTEST for form in _forms(secret)}
    if forms:
        # Longest first, so that a form inside another leaves no remains.
        ordered = sorted(forms, key=lambda form: (-len(form), form))
        text = re.sub("|".join(map(re.escape, ordered)), MASK, text)
    text = _SCHEME.sub(rf"\1\2{MASK}", text)
    text = _LOGIN_IN_URL.sub(f"{MASK}@", text)
    return _LOOKS_LIKE_A_KEY.sub(MASK, text)


def redact_data(value: Any, secrets: Iterable[str] = ()) -> Any:
    """The same for JSON-like data; text under a name like ``api_key`` or ``password`` is masked whole."""
    known = tuple(secrets)
    if isinstance(value, str):
        return redact(value, known)
    if isinstance(value, Mapping):
        return {
            key: MASK if isinstance(item, str) and _SECRET_FIELD.search(str(key)) else redact_data(item, known)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [redact_data(item, known) for item in value]
    return value


def _forms(secret: str) -> Iterator[str]:
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
    yield from _base64_forms(secret.encode(errors="replace"))


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
