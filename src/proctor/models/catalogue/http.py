"""A catalogue behind HTTP: one GET per query."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from proctor.core.decode import decode
from proctor.core.errors import MalformedError, Problem, ReplyError, UnreachableError
from proctor.core.sockets import Http, Kit
from proctor.models.catalogue.rows import find_row
from proctor.text.redact import redact

__all__ = ["CatalogueHttpSettings", "HttpCatalogue", "http"]

_PLACEHOLDER = "{{ key }}"
_NOT_FOUND = (404, 410)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueHttpSettings:
    """Settings of a product service.

    ``http`` is the address, with ``{{ key }}`` where the id or title goes. ``item`` is the path of the product in the
    JSON reply, dotted (``data.product``); a list there is searched for the key. ``headers`` go with each request.
    """

    http: str = field(repr=False)
    item: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpCatalogue:
    """Products from a service. Each query is a request; 404 means that there is no such product."""

    settings: CatalogueHttpSettings
    door: Http = field(repr=False, compare=False)

    async def find(self, key: str) -> Mapping[str, Any] | None:
        """Return the product with this id or title, from the service.

        Raises:
            ModelError: the service did not answer, or its answer is invalid.
        """
        if not key.strip():
            return None
        settings = self.settings
        url = _filled(settings.http, key)
        headers = {"Accept": "application/json", "Cache-Control": "no-cache", **settings.headers}
        reply = await self.door.request("GET", url, headers=headers, timeout=settings.timeout)
        if reply.status in _NOT_FOUND:
            return None
        if not 200 <= reply.status < 300:
            raise UnreachableError(f"the catalogue answered with status {reply.status}", hint="check `catalogue:`")
        try:
            data = json.loads(reply.body) if reply.body.strip() else None
        except (ValueError, RecursionError):
            failed = ReplyError("the catalogue's reply is not JSON", hint="check the address of the catalogue")
            secrets = tuple(settings.headers.values())
            failed.raw = redact(reply.body[:2000].decode(errors="replace"), secrets)
            raise failed from None
        return self._item(data, key)

    def _item(self, data: Any, key: str) -> Mapping[str, Any] | None:
        for step in (self.settings.item or "").split("."):
            if step:
                data = data.get(step) if isinstance(data, Mapping) else None
        if isinstance(data, list):
            return find_row([row for row in data if isinstance(row, Mapping)], key)
        return data if isinstance(data, Mapping) and data else None


def _filled(template: str, key: str) -> str:
    value = quote(key.strip(), safe="", errors="replace")
    return template.replace(_PLACEHOLDER, value).replace("{{key}}", value)


def http(kit: Kit) -> HttpCatalogue:
    """Products from a service: one request per query."""
    settings = decode(CatalogueHttpSettings, kit.settings, strict=True)
    problems = []
    if not settings.http.startswith(("http://", "https://")):
        problems.append(Problem(("http",), "expected an address", "begin it with https:// or http://"))
    if _PLACEHOLDER not in settings.http and "{{key}}" not in settings.http:
        problems.append(Problem(("http",), "never asks for the key", f"put {_PLACEHOLDER} where the id or title goes"))
    if not settings.timeout > 0:
        problems.append(Problem(("timeout",), "must be more than 0 seconds"))
    if problems:
        raise MalformedError(problems)
    return HttpCatalogue(settings=settings, door=kit.http)
