"""Requests that prepare and read the world of an HTTP agent: texts planted in it, and its state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from proctor.core.codec import dumps
from proctor.core.errors import MalformedError, Problem
from proctor.core.world import Snapshot
from proctor.targets.paths import Path, PathMissingError, find, parse_path
from proctor.targets.play_case import AnswerError
from proctor.targets.template import Filler, compile_template

__all__ = ["WorldCall", "WorldRequest", "compile_request", "names_in", "tables_of"]

_NAME = re.compile(r"\{\{\s*(\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldRequest:
    """A request beside the conversation: its address, and what is sent.

    ``request`` is JSON whose texts may contain ``{{ world }}``, ``{{ session }}``, ``{{ inputs.x }}``, ``{{ page }}``,
    ``{{ case.id }}``, and for planting ``{{ plants }}``. ``reply`` is the path of the tables in a snapshot's reply.
    """

    SHORTHAND = "http"

    http: str = field(repr=False)
    method: Literal["POST", "PUT", "PATCH", "GET"] | None = None
    request: Any = field(default=None, repr=False)
    reply: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldCall:
    """A compiled request."""

    method: str
    url: Filler = field(repr=False)
    body: Filler | None = field(repr=False)
    reply: Path = ()


def compile_request(settings: WorldRequest, names: tuple[str, ...], key: str, *, quote: Any) -> WorldCall:
    """Compile a request; ``key`` is its name in the settings of the target.

    Raises:
        MalformedError: naming the problem.
    """
    if not settings.http.startswith(("http://", "https://")):
        raise MalformedError([Problem((key, "http"), "expected an address", "begin it with https:// or http://")])
    planting = key == "plant"
    method = settings.method or ("POST" if planting or settings.request is not None else "GET")
    default = {"world": "{{ world }}", "plants": "{{ plants }}"} if planting else {"world": "{{ world }}"}
    body = default if settings.request is None else settings.request
    try:
        path = parse_path(settings.reply) if settings.reply else ()
    except ValueError as error:
        raise MalformedError([Problem((key, "reply"), str(error))]) from None
    return WorldCall(
        method=method,
        url=compile_template(settings.http, names, (key, "http"), quote=quote),
        body=None if method == "GET" else compile_template(body, names, (key, "request")),
        reply=path,
    )


def names_in(*templates: Any) -> frozenset[str]:
    """Return the names that the placeholders of templates use."""
    return frozenset(name for each in templates for name in _NAME.findall(dumps(each).decode()))


def tables_of(data: Any, path: Path) -> Snapshot:
    """Return the tables in a reply.

    Raises:
        AnswerError: there are none at the path.
    """
    hint = "return {table: {row: {column: value}}}, and set `snapshot.reply` if it is not the whole reply"
    try:
        found = find(data, path) if path else data
    except PathMissingError as error:
        raise AnswerError(f"the state was not found: {error}", hint=hint) from None
    fits = isinstance(found, Mapping) and all(
        isinstance(rows, Mapping) and all(isinstance(row, Mapping) for row in rows.values()) for rows in found.values()
    )
    if not fits:
        raise AnswerError("the reply to `snapshot` has no tables", hint=hint)
    return {table: {row: dict(values) for row, values in rows.items()} for table, rows in found.items()}
