"""What a request says beside its messages: whose conversation it is, for which intents, on which sources."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proctor.core.trajectory import Source
from proctor.server.session_names import check_name

__all__ = ["RequestContext", "asked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestContext:
    """What the caller tells the proxy; ``session`` names the conversation, ``follows`` the answer it goes on from."""

    session: str | None = None
    follows: str | None = None
    customer: str | None = None
    intents: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    section: str | None = None
    confirmed: bool = False


def asked(headers: Mapping[str, str], body: Mapping[str, Any]) -> RequestContext:
    """What a request says of itself: headers first, then its ``proctor`` object, then its metadata.

    Raises:
        InputError: the name of its session or its customer cannot be used.
    """
    own = body.get("proctor") if isinstance(body.get("proctor"), dict) else {}
    metadata = body.get("metadata") if isinstance(body.get("metadata"), dict) else {}
    assert isinstance(own, dict)
    assert isinstance(metadata, dict)

    def told(name: str) -> Any:
        return headers.get(f"X-Proctor-{name.capitalize()}") or own.get(name) or metadata.get(name)

    conversation = body.get("conversation")
    if isinstance(conversation, dict):
        conversation = conversation.get("id")
    user = body.get("safety_identifier") or body.get("user")
    name = check_name("session", told("session"))
    follows = check_name("previous_response_id", body.get("previous_response_id"))
    if name is None and follows is None:
        if conversation := check_name("conversation", conversation):
            name = f"conversation:{conversation}"
        elif user := check_name("user", user):
            name = f"user:{user}"
    return RequestContext(
        session=name,
        follows=follows if name is None else None,
        customer=check_name("customer", told("customer")) or check_name("user", user),
        intents=tuple(str(each) for each in _entries(told("intents"))),
        sources=tuple(_sources(own.get("sources") or metadata.get("sources"))),
        section=str(told("section")) if told("section") else None,
        confirmed=str(told("confirmed") or "").lower() in ("1", "true", "yes"),
    )


def _entries(value: Any) -> list[Any]:
    """A list, be it written as one, as JSON, or with commas."""
    if isinstance(value, list):
        return value
    if not isinstance(value, str):
        return []
    if value.lstrip().startswith("["):
        try:
            read = json.loads(value)
        except (ValueError, RecursionError):
            read = None
        if isinstance(read, list):
            return read
    return [part.strip() for part in value.split(",") if part.strip()]


def _sources(value: Any) -> list[Source]:
    """Passages: a list of texts or of objects with a text, or one text."""
    if isinstance(value, str):
        found = _entries(value) if value.lstrip().startswith("[") else [value]
    else:
        found = value if isinstance(value, list) else []
    read: list[Source] = []
    for place, each in enumerate(found, 1):
        given = {"text": each} if isinstance(each, str) else each
        if isinstance(given, dict) and isinstance(given.get("text"), str):
            title = given.get("title")
            name = str(given.get("id") or f"source-{place}")
            read.append(Source(id=name, text=given["text"], title=title if isinstance(title, str) else None))
    return read
