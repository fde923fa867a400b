"""Recognise names of secrets: ``api_key``, ``X-Auth-Token``, ``clientSecret``, ``STRIPE_KEY``."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["SECRET_WORDS", "is_secret_field", "is_secret_name", "is_secret_variable"]

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
SECRET_WORDS: Final = frozenset(
    (
        "apikey", "authorization", "bearer", "cookie", "credential", "credentials", "cvc", "cvv", "jwt", "otp",
        "passcode", "passphrase", "passwd", "password", "passwort", "pin", "pwd", "secret", "token",
    )
)  # fmt: skip
_KEY_KINDS: Final = frozenset(
    ("access", "account", "api", "auth", "client", "encryption", "master", "private", "secret", "service", "signing",
     "ssh")
)  # fmt: skip
_MAX_NAME_CHARS: Final = 200
_FOLLOWS: Final = frozenset(("base", "hash", "header", "value", "string", "text"))  # api_key_value, password_hash

_FIELD: Final = re.compile(
    r"(?:^|[-_.])(?:key|token|secret|password|passwd|credentials?|authorization|cookie)$|apikey|access_?token",
    re.IGNORECASE,
)
_VARIABLE: Final = re.compile(
    r"(?:^|[-_.])(?:pass|pwd|passphrase|auth|bearer|pat|dsn|signature|salt|pin)$", re.IGNORECASE
)


def is_secret_name(name: str) -> bool:
    """Whether a tool's argument or record field holds a secret, in snake_case, kebab-case or camelCase.

    A ``sort_key`` or ``primary_key`` does not.
    """
    words = [word.lower() for word in _WORD.findall(name[:_MAX_NAME_CHARS])]
    while len(words) > 1 and words[-1] in _FOLLOWS:
        words.pop()
    if not words:
        return False
    joined = "".join(words[-2:])
    if words[-1] in SECRET_WORDS or joined in SECRET_WORDS:
        return True
    return words[-1] == "key" and (len(words) == 1 or words[-2] in _KEY_KINDS)


def is_secret_field(name: str) -> bool:
    """Whether text under this name is completely masked in errors and specifications."""
    return bool(_FIELD.search(name))


def is_secret_variable(name: str) -> bool:
    """Whether a setting, header or environment variable has the name of a secret; any ``…_KEY`` has."""
    return bool(_FIELD.search(name) or _VARIABLE.search(name)) or is_secret_name(name)
