"""Remove secrets from text before it is shown or stored. `text.known_secrets` does so for all output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from proctor.text.known_secrets import hide_secrets
from proctor.text.secret_forms import MASK, forms_of
from proctor.text.secret_names import is_secret_field

__all__ = ["may_contain", "redact", "redact_data"]

_SHORTEST = 4  # shorter secrets would mask ordinary words

_KEY = r"(?<![A-Za-z0-9])"  # a key begins at a word boundary: "task-list" contains no "sk-…"
_LOOKS_LIKE_A_KEY = re.compile(
    "|".join(
        (
            # Servers echo keys with a masked middle; the ends are part of the secret too.
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
# A pattern is tried only where a part that it needs occurs: that is found ten times as fast.
_KEY_KINDS = ("sk", "pk", "rk", "hf", "gsk", "glpat", "ghp", "gho", "ghu", "ghs", "ghr")
_DASH_MARKS = (*(f"{kind}-" for kind in _KEY_KINDS), "xox", "github_pat-")
_LINE_MARKS = (*(f"{kind}_" for kind in _KEY_KINDS), "github_pat_")
_PLAIN_MARKS = ("AKIA", "ASIA", "ABSK", "AIza", "eyJ")
_ODD_CASE = frozenset("İıſ\u212a")  # patterns that ignore case take them for i, s and k; `lower` does not


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Replace every secret by ``***``: literal, URL-encoded, JSON-escaped or in Base64.

    Anything that looks like a key (``sk-…``, ``Bearer …``, ``AKIA…``, ``xox…``) is masked as well, because a server may
    echo a key that is unknown here; so is every secret registered in this process.
    """
    forms = {form for secret in secrets if len(secret) >= _SHORTEST for form in forms_of(secret)}
    if forms:
        # Longest first, so that a form inside another is removed completely.
        ordered = sorted(forms, key=lambda form: (-len(form), form))
        text = re.sub("|".join(map(re.escape, ordered)), MASK, text)
    text = hide_secrets(text)
    if may_contain(text, ("bearer", "basic")):
        text = _SCHEME.sub(rf"\1\2{MASK}", text)
    if "://" in text:
        text = _LOGIN_IN_URL.sub(f"{MASK}@", text)
    if _may_have_key(text):
        text = _LOOKS_LIKE_A_KEY.sub(MASK, text)
    return text


def may_contain(text: str, words: Iterable[str]) -> bool:
    """Whether a pattern that ignores case can find one of some lower-case words."""
    low = text.lower()
    for word in words:  # `any` takes twice as long
        if word in low:
            return True
    return not (text.isascii() or _ODD_CASE.isdisjoint(text))


def _may_have_key(text: str) -> bool:
    for mark in _PLAIN_MARKS:
        if mark in text:
            return True
    for sign, marks in (("-", _DASH_MARKS), ("_", _LINE_MARKS)):
        if sign in text:
            for mark in marks:
                if mark in text:
                    return True
    return False


def redact_data(value: Any, secrets: Iterable[str] = ()) -> Any:
    """Like ``redact`` for JSON-like data; text under a name like ``api_key`` or ``password`` is masked whole."""
    known = tuple(secrets)
    if isinstance(value, str):
        return redact(value, known)
    if isinstance(value, Mapping):
        return {
            key: MASK if isinstance(item, str) and is_secret_field(str(key)) else redact_data(item, known)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [redact_data(item, known) for item in value]
    return value
