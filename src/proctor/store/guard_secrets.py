"""Find secrets in the arguments of a call by their names, and mask them in every text about the call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from proctor.text.redact import may_contain, redact
from proctor.text.secret_forms import MASK
from proctor.text.secret_names import SECRET_WORDS, is_secret_field, is_secret_name

__all__ = ["mask_data", "mask_named", "mask_values", "secret_values"]

_MAX_DEPTH: Final = 20
_MAX_VALUES: Final = 200
_MAX_JSON_CHARS: Final = 100_000
_MIN_CHARS: Final = 3  # a shorter value is masked only under its name
_PREFIX_CHARS: Final = 8  # a quote may be truncated; this much of a secret counts as one
_NEEDED: Final = (*SECRET_WORDS, "key")  # of which `_NAMED` needs one
_WORDS: Final = "|".join(sorted(SECRET_WORDS, key=len, reverse=True))
# A name and its value in running text: `api_key='abc'`, `"password": "abc"`, `X-Auth-Token: abc`.
_NAMED: Final = re.compile(
    r"(?P<name>(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,30}[-_.]){0,4}"
    rf"(?:[A-Za-z0-9]{{0,30}}?(?:{_WORDS})|(?:api|access|account|auth|client|encryption|master|private|signing|"
    rf"ssh)[-_.]?key))"
    r"(?P<sign>\\?[\"']?\s{0,3}(?:=|:)\s{0,3})"
    r"(?P<value>\\?\"[^\"\n]{1,2000}\"?|\\?'[^'\n]{1,2000}'?|[^\s\"',;&)}\]]{1,2000})",
    re.IGNORECASE,
)


def secret_values(data: Any) -> set[str]:
    """Return the values under the names of secrets anywhere in the data; JSON inside text is parsed too."""
    found: set[str] = set()
    for value in _secrets(data, False, 0):
        found.add(value)
        if len(found) >= _MAX_VALUES:
            break
    return found


def mask_values(text: str, values: Iterable[str]) -> str:
    """Replace each secret in the text by ``***``: whole, in another encoding, or truncated."""
    known = [value for value in values if len(value) >= _MIN_CHARS]
    if not known:
        return text
    text = redact(text, known)
    for value in sorted(known, key=len, reverse=True):
        for form in {value, repr(value)[1:-1], json.dumps(value)[1:-1]}:
            text = _without(text, form)
    return text


def mask_named(text: str) -> str:
    """Replace the values after the names of secrets in the text by ``***``."""
    if ("=" not in text and ":" not in text) or not may_contain(text, _NEEDED):
        return text
    return _NAMED.sub(lambda hit: f"{hit['name']}{hit['sign']}{MASK}", text)


def mask_data(value: Any, depth: int = 0) -> Any:
    """Replace every value under the name of a secret in JSON-like data by ``***``, whatever its type."""
    if depth > _MAX_DEPTH:
        return "…"
    if isinstance(value, Mapping):
        return {key: MASK if _is_secret(str(key), item) else mask_data(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [mask_data(item, depth + 1) for item in value]
    return value


def _is_secret(name: str, value: Any) -> bool:
    if isinstance(value, str) and is_secret_field(name):
        return True
    return is_secret_name(name) and value not in (None, "", True, False)


def _secrets(data: Any, named: bool, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH or data is None or isinstance(data, bool):
        return
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _secrets(value, named or is_secret_name(str(key)), depth + 1)
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _secrets(value, named, depth + 1)
    elif named and str(data).strip():
        yield str(data)
    elif isinstance(data, str) and data.lstrip()[:1] in ("{", "[") and len(data) <= _MAX_JSON_CHARS:
        try:
            yield from _secrets(json.loads(data), False, depth + 1)
        except (ValueError, RecursionError):
            return


def _without(text: str, secret: str) -> str:
    """Return the text without the secret or a prefix of it."""
    if len(secret) < _PREFIX_CHARS:
        alone = rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])"
        return re.sub(alone, lambda _: MASK, text)
    kept: list[str] = []
    at = 0
    while (start := text.find(secret[:_PREFIX_CHARS], at)) >= 0:
        end = start + _PREFIX_CHARS
        while end < len(text) and end - start < len(secret) and text[end] == secret[end - start]:
            end += 1
        kept += (text[at:start], MASK)
        at = end
    return "".join((*kept, text[at:]))
