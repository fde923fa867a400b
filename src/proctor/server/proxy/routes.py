"""Classify a request by method and path: guarded, passed by name, or other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, Literal

from proctor.server.dialects.wire_format import ANTHROPIC, OLLAMA, OPENAI, WireFormat
from proctor.server.upstream import guarded_path
from proctor.text.user_patterns import UserPattern, user_pattern

__all__ = ["ALLOWED", "Route", "kind_of", "route_of", "wire_at"]

Route = Literal["guarded", "kept", "passed", "method", "closed", "unreadable"]

# Any prefix is allowed: Azure, OpenRouter and others have their own.
_GUARDED: Final = re.compile(r"/(chat/completions|responses|messages|completions|api/chat|api/generate)$")
_KEPT: Final = re.compile(r".*/(chat/completions|responses)(?:/[^/]+)?$")
_NOT_MESSAGES: Final = re.compile(r"/(?:threads|sessions|conversations|completions)/[^/]+/messages$")  # of other APIs

# Paths that pass by name: their requests are not read by a model, and their answers are not written by one.
ALLOWED: Final = (
    "GET /v1/models",
    "GET /v1/models/**",
    "POST /v1/embeddings",
    "POST /v1/moderations",
    "GET /v1/files",
    "POST /v1/messages/count_tokens",
    "POST /tokenize",
    "GET /health",
    "GET /v1/health",
    "GET /version",
    "GET /api/version",
    "GET /api/tags",
    "GET /api/ps",
    "POST /api/show",
    "POST /api/embed",
    "POST /api/embeddings",
)
_ENTRY: Final = re.compile(r"(?:([A-Z]+) )?(/[^\s?#]*)")
_ODD: Final = re.compile(r"[?#\x00-\x1f\x7f]")


def kind_of(path: str) -> str | None:
    """Return the guarded API of a path in any spelling; None if there is none."""
    plain = guarded_path(path)
    found = _GUARDED.search(plain)  # the first match is the longest
    if found is None or (found[1] == "messages" and _NOT_MESSAGES.search(plain)):
        return None
    return found[1]


def route_of(method: str, path: str, allowed: Sequence[str] = (), asked: str = "") -> tuple[Route, str]:
    """Return how a request is handled, and its API.

    ``path`` is the path at the upstream, ``asked`` the client's path if it differs. ``allowed`` are further paths that
    pass by name. A guarded path never passes by name, whatever its method.
    """
    if _ODD.search(path):
        return "unreadable", ""
    kind = kind_of(path)
    if kind is not None and method == "POST":
        return "guarded", kind
    kept = _KEPT.match(guarded_path(path))
    if kept is not None and method == "GET":
        return "kept", kept[1]
    if kind is not None:
        return "method", kind
    passes = any(_is_allowed(method, each, (*ALLOWED, *allowed)) for each in {path, asked or path})
    return ("passed" if passes else "closed"), ""


def wire_at(path: str) -> WireFormat:
    """Return the wire format of the API at a path."""
    plain = guarded_path(path)
    if re.search(r"/messages(?:/|$)", plain) and not _NOT_MESSAGES.search(plain):
        return ANTHROPIC
    return OLLAMA if re.search(r"(?:^|/)api/(?:chat|generate|tags|show|ps|embed|version)", plain) else OPENAI


def _is_allowed(method: str, path: str, entries: Sequence[str]) -> bool:
    """Return whether a request passes by name; only plainly spelled paths do."""
    plain = guarded_path(path)
    if path.lower() not in (plain, f"{plain}/"):
        return False
    asked = "GET" if method == "HEAD" else method
    for entry in entries:
        found = _ENTRY.fullmatch(entry)
        if found is not None and (found[1] or asked) == asked and _pattern(found[2]).fullmatch(plain):
            return True
    return False


@cache
def _pattern(path: str) -> UserPattern:
    """Return the pattern of a path; one that begins with /v1/ may have a provider's prefix."""
    begin = r"(?:/[^/]+)*/" if path.startswith("/v1/") else "/"
    parts = path.removeprefix("/v1").removeprefix("/").lower().split("/")
    return user_pattern(begin + "/".join({"**": r".+", "*": r"[^/]+"}.get(part, re.escape(part)) for part in parts))
