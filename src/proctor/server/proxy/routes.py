"""Which API a request is for by its method and path: one that is guarded, one that passes by name, or none."""

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

# Whatever stands before these in the path: Azure, OpenRouter and others have prefixes of their own.
_GUARDED: Final = re.compile(r"/(chat/completions|responses|messages|completions|api/chat|api/generate)$")
_KEPT: Final = re.compile(r".*/(chat/completions|responses)(?:/[^/]+)?$")
_NOT_MESSAGES: Final = re.compile(r"/(?:threads|sessions|conversations|completions)/[^/]+/messages$")  # of other APIs

# Paths that pass by name: nothing in them is for a model to read and answer, and nothing in answers was written by one.
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
    """The guarded API that a path belongs to, in whatever spelling; None when it is none."""
    plain = guarded_path(path)
    found = _GUARDED.search(plain)  # the first that fits is the longest
    if found is None or (found[1] == "messages" and _NOT_MESSAGES.search(plain)):
        return None
    return found[1]


def route_of(method: str, path: str, allowed: Sequence[str] = (), asked: str = "") -> tuple[Route, str]:
    """What becomes of a request, and the API it is for.

    ``path`` is the one at the upstream, ``asked`` the one that the client wrote, if that is another. ``allowed`` are
    further paths that pass by name. A guarded path never does, whatever its method.
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
    """How the API at a path writes its errors."""
    plain = guarded_path(path)
    if re.search(r"/messages(?:/|$)", plain) and not _NOT_MESSAGES.search(plain):
        return ANTHROPIC
    return OLLAMA if re.search(r"(?:^|/)api/(?:chat|generate|tags|show|ps|embed|version)", plain) else OPENAI


def _is_allowed(method: str, path: str, entries: Sequence[str]) -> bool:
    """Whether a request passes by name; only paths in plain spelling do."""
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
    """A path that may end another one where it begins with /v1/: providers have prefixes of their own."""
    begin = r"(?:/[^/]+)*/" if path.startswith("/v1/") else "/"
    parts = path.removeprefix("/v1").removeprefix("/").lower().split("/")
    return user_pattern(begin + "/".join({"**": r".+", "*": r"[^/]+"}.get(part, re.escape(part)) for part in parts))
