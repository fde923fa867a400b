"""Register the secrets this process has resolved, and remove them from everything it writes.

The registry is global to the process, because a writer that was not given it would leak. Configuration adds to it while
it resolves `${NAME}`, reads `.env` and finds keys. The store, the reports and the command line remove what it contains.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from proctor.text.secret_forms import MASK, forms_of, is_secret_value
from proctor.text.secret_names import is_secret_variable

__all__ = [
    "add_secrets",
    "add_settings",
    "add_variable",
    "forget_secrets",
    "has_secret",
    "hide_secrets",
    "hide_secrets_in_data",
    "hide_secrets_in_json",
    "known_secrets",
]

_PLAIN_NAME: Final = re.compile(
    r"(?:^|_)(?:URL|URI|ENDPOINT|HOST|HOSTNAME|PORT|MODEL|MODELS|REGION|LOCALE|LANG|LANGUAGE|ENV|ENVIRONMENT|STAGE|"
    r"VERSION|LEVEL|TIMEOUT|PROVIDER|FORMAT|DEPLOYMENT)$",
    re.IGNORECASE,
)
# Joined words and numbers: not keys, and frequent in answers.
_PLACE: Final = re.compile(r"(?:~|\.{1,2})?/.*|[\w.-]+\.(?:ya?ml|jsonl?|csv|db|py|sh|md|txt|prompty|pem|crt)")
_WORDS: Final = re.compile(r"[^\W\d_]+(?:[ ._/-][^\W\d_]+)*")
_NUMBER: Final = re.compile(r"[-+]?[\d.,:_ -]+")
_LONG_RUN: Final = re.compile(r"[A-Za-z0-9]{16,}")

_values: set[str] = set()
_forms: tuple[str, ...] = ()  # longest first, so that a form inside another is removed completely
_encoded: tuple[bytes, ...] = ()


def add_secrets(values: Iterable[str]) -> None:
    """Register values that must never be written; values too short to differ from ordinary text are skipped."""
    global _forms, _encoded  # noqa: PLW0603 - see the module docstring
    new = {value for value in values if is_secret_value(value)} - _values
    if not new:
        return
    _values.update(new)
    found = {form for value in _values for form in forms_of(value)}
    _forms = tuple(sorted(found, key=lambda form: (-len(form), form)))
    _encoded = tuple(form.encode("utf-8", "surrogatepass") for form in _forms)


def add_variable(name: str, value: str) -> None:
    """Register the value of an environment variable that a setting uses, unless it is clearly not a secret.

    The value of a variable with a secret's name (``…_KEY``, ``…_TOKEN``, ``…_PASSWORD``) always counts. Of a URL, only
    the login, the query values and generated parts of the path count. Numbers, paths and plain words (``production``,
    ``eu-west``) do not count. Under a name like ``…_MODEL`` or ``…_HOST`` only generated values count.
    """
    if is_secret_variable(name):
        add_secrets([value])
        return
    if "://" in value:
        add_secrets(_parts_of_address(value))
    elif _is_generated(value) or not (
        _PLAIN_NAME.search(name) or any(each.fullmatch(value) for each in (_WORDS, _NUMBER, _PLACE))
    ):
        add_secrets([value])


def add_settings(settings: Any) -> None:
    """Register settings under a name such as ``api_key`` or ``Authorization``, and logins in URLs."""
    if isinstance(settings, str):
        if "://" in settings:
            add_secrets(_parts_of_address(settings, named_only=True))
    elif isinstance(settings, Mapping):
        for key, value in settings.items():
            if isinstance(value, str) and "${" not in value and "{{" not in value and is_secret_variable(str(key)):
                add_secrets([value, value.partition(" ")[2]])  # the key after "Bearer"
            add_settings(value)
    elif isinstance(settings, (list, tuple)):
        for value in settings:
            add_settings(value)


def known_secrets() -> tuple[str, ...]:
    """Return the registered values."""
    return tuple(sorted(_values))


def forget_secrets() -> None:
    """Clear the registry. Only tests need this."""
    global _forms, _encoded
    _values.clear()
    _forms, _encoded = (), ()


def has_secret(text: str | bytes) -> bool:
    """Whether a text contains a secret in any form."""
    if isinstance(text, bytes):
        return any(form in text for form in _encoded)
    return any(form in text for form in _forms)


def hide_secrets(text: str) -> str:
    """Return the text with every known secret replaced by ``***``, also in encoded form."""
    for form in _forms:
        if form in text:
            text = text.replace(form, MASK)
    return text


def hide_secrets_in_data(value: Any) -> Any:
    """Like ``hide_secrets`` for JSON-like data, keys included; data without a secret is returned as it is."""
    if not _forms:
        return value
    if isinstance(value, str):
        return hide_secrets(value)
    if isinstance(value, Mapping):
        return {
            hide_secrets(key) if isinstance(key, str) else key: hide_secrets_in_data(item)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [hide_secrets_in_data(item) for item in value]
    return value


def hide_secrets_in_json(text: str) -> str:
    """Like ``hide_secrets`` for text that may be JSON; the result is still JSON.

    A plain replacement could begin inside an escape sequence.
    """
    if not has_secret(text):
        return text
    if text[:1] in ("{", "[", '"'):
        try:
            return json.dumps(hide_secrets_in_data(json.loads(text)), ensure_ascii=False)
        except (ValueError, RecursionError):
            pass
    return hide_secrets(text)


def _is_generated(value: str) -> bool:
    """Whether it has a long run of mixed letters and digits, unlike any word."""
    runs = _LONG_RUN.findall(value)
    return any(not run.isalpha() and not run.isdigit() for run in runs)


def _parts_of_address(address: str, *, named_only: bool = False) -> list[str]:
    """Return the secret parts of a URL; with ``named_only``, the password and query values with a secret's name."""
    try:
        parts = urlsplit(address)
        query = parse_qsl(parts.query)
    except ValueError:
        return []
    found = [parts.password or "", *(value for name, value in query if not named_only or is_secret_variable(name))]
    if not named_only:
        found += [parts.username or "", *(part for part in parts.path.split("/") if _is_generated(part))]
    return [each for each in found if "${" not in each and "{{" not in each]
