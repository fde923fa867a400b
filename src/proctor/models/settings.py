"""Settings of a model: decode them strictly, find its key and address, and keep secrets out of messages."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from proctor.core.decode import decode
from proctor.core.errors import ConfigError, MalformedError, Problem
from proctor.core.sockets import Kit
from proctor.text.known_secrets import add_secrets
from proctor.text.redact import redact, redact_data

__all__ = [
    "OPENLY_SHOWN_HEADERS",
    "Address",
    "HttpSettings",
    "SamplingSettings",
    "address",
    "find_key",
    "read_settings",
    "spec_of",
]

Settings = TypeVar("Settings")

_UNKNOWN = "unknown key"  # the decoder's message
_SECRET_SETTINGS = frozenset({"api_key", "headers"})
OPENLY_SHOWN_HEADERS = frozenset({"content-type", "accept", "anthropic-beta", "anthropic-version", "openai-beta"})
_AUTH_HEADERS = frozenset({"authorization", "api-key", "x-api-key"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingSettings:
    """Default sampling settings, which a request may override."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.temperature is not None and self.temperature < 0:
            raise ValueError("temperature must not be negative")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise ValueError("top_p must be above 0 and at most 1")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise ValueError("max_tokens must be at least 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings(SamplingSettings):
    """Settings of every model behind an HTTP address."""

    model: str
    base_url: str | None = field(default=None, repr=False)  # it may hold a password
    api_key: str | None = field(default=None, repr=False)
    api_key_env: str | None = None
    timeout: float = 120.0
    max_bytes: int = 8_000_000
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        SamplingSettings.__post_init__(self)
        if not self.model.strip():
            raise ValueError("model must not be empty")
        if self.timeout <= 0:
            raise ValueError("timeout must be more than 0 seconds")
        if self.max_bytes < 1:
            raise ValueError("max_bytes must be at least 1")
        if self.body.get("stream"):
            raise ValueError("body.stream is not possible: answers are read whole")


def read_settings(kind: type[Settings], kit: Kit) -> Settings:
    """Decode the model's settings as ``kind``.

    Raises:
        ConfigError: naming every unknown key and wrong value, but never the value of a secret.
    """
    try:
        return decode(kind, kit.settings, strict=True)
    except MalformedError as error:
        # A misspelt key goes first: it is often why another is missing.
        first, *more = sorted(error.problems, key=lambda problem: problem.message != _UNKNOWN)
        rest = "".join(f"; {problem.where or 'settings'}: {_complaint(problem)}" for problem in more)
        place = f"models.{kit.name}" + (f".{first.where}" if first.where else "")
        raise ConfigError(_complaint(first) + rest, field=place, hint=first.hint) from None


def _complaint(problem: Problem) -> str:
    if problem.path and problem.path[0] in _SECRET_SETTINGS and problem.message != _UNKNOWN:
        return "expected text" if problem.path[0] == "api_key" or len(problem.path) > 1 else "expected a mapping"
    return problem.message


def find_key(kit: Kit, settings: HttpSettings, *, default_env: str | None, required: bool) -> tuple[str | None, str]:
    """Return the key, and the name of its setting or variable.

    Raises:
        ConfigError: there is none and one is required, or it is invalid.
    """
    source = settings.api_key_env or default_env or "api_key"
    key = settings.api_key or (kit.env(source) if settings.api_key_env or default_env else None)
    if settings.api_key:
        source = "api_key"
    key = (key or "").strip()
    place = f"models.{kit.name}"
    if key:
        if not re.fullmatch(r"[\x21-\x7e]+", key):
            raise ConfigError(
                f"the key in {source} holds white space or characters that no key has",
                field=place,
                hint=f"copy the key into {source} again",
            )
        add_secrets([key])
        return key, source
    said_otherwise = any(name.lower() in _AUTH_HEADERS for name in settings.headers)
    if settings.api_key_env or (required and not said_otherwise):
        raise ConfigError(f"no key: {source} is not set", field=place, hint=f"set {source} in the environment or .env")
    return None, source


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The address of a server: ``shown`` may be printed and stored, the rest may hold secrets."""

    shown: str
    query: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    login: str | None = field(default=None, repr=False)

    def at(self, path: str, **query: str) -> str:
        """Return the full URL of a path below it."""
        own = {name.replace("_", "-"): value for name, value in query.items()}
        pairs = [pair for pair in self.query if pair[0] not in own] + list(own.items())
        return self.shown + path + (f"?{urlencode(pairs)}" if pairs else "")

    @property
    def headers(self) -> dict[str, str]:
        """The header for a user name and password in the address."""
        return {"Authorization": f"Basic {self.login}"} if self.login else {}

    @property
    def secrets(self) -> tuple[str, ...]:
        """The parts that must not be shown."""
        hidden = [value for name, value in self.query if name.lower() != "api-version"]
        if self.login:
            hidden += [self.login, base64.b64decode(self.login).decode().partition(":")[2]]
        return tuple(hidden)


def address(kit: Kit, base_url: str) -> Address:
    """Parse ``base_url``.

    Raises:
        ConfigError: it is not an HTTP address.
    """
    try:
        parts = urlsplit(base_url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError(
            f"{redact(base_url.partition('?')[0])!r} is not an address",
            field=f"models.{kit.name}.base_url",
            hint="write it like http://127.0.0.1:8000/v1",
        )
    host = parts.netloc.rpartition("@")[2]
    login = None
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        login = base64.b64encode(user.encode()).decode()
    shown = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
    return Address(shown=shown, query=tuple(parse_qsl(parts.query, keep_blank_values=True)), login=login)


def spec_of(settings: HttpSettings, **more: Any) -> dict[str, Any]:
    """Return the settings that decide a model's answers, without secrets, for cache keys and fingerprints."""
    told: dict[str, Any] = {
        "model": settings.model,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_tokens": settings.max_tokens,
        "stop": list(settings.stop),
        "headers": {
            name.lower(): value if name.lower() in OPENLY_SHOWN_HEADERS else "set"
            for name, value in sorted(settings.headers.items())
        },
        "body": redact_data(settings.body),
        **more,
    }
    return {name: value for name, value in told.items() if value not in (None, [], {})}
