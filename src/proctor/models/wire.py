"""HTTP transport shared by all providers: post JSON to one address and return JSON, or raise an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn
from urllib.parse import urlsplit

import orjson

from proctor.core.chat import Request, Sampling
from proctor.core.codec import content_id, dumps
from proctor.core.errors import ReplyError, UnreachableError
from proctor.core.sockets import Http, Kit
from proctor.models.failures import failure, said
from proctor.models.settings import OPENLY_SHOWN_HEADERS, HttpSettings, SamplingSettings
from proctor.text.redact import redact

__all__ = ["Wire", "count", "merged", "open_wire", "sampling"]

_RAW_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """One model behind one HTTP address.

    ``hints`` is advice for what the user can fix: ``key`` if the key is refused, ``model`` if the model is
    unknown, ``start`` if the server is down.
    """

    who: str
    url: str = field(repr=False)
    timeout: float = 120.0
    max_bytes: int = 8_000_000
    hints: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    http: Http = field(repr=False, compare=False)

    @property
    def quota(self) -> str:
        """The endpoint and key that calls are counted under; a hash, because keys are secret."""
        server = urlsplit(self.url)
        keys = sorted(value for name, value in self.headers.items() if name.lower() not in OPENLY_SHOWN_HEADERS)
        return content_id([server.scheme, server.netloc, *keys])

    async def post(self, payload: Mapping[str, Any]) -> tuple[dict[str, Any], float]:
        """Return the server's JSON object, and the seconds it took.

        Raises:
            ModelError: there was no answer, it was an error, or it was not a JSON object.
        """
        try:
            reply = await self.http.request(
                "POST",
                self.url,
                headers=self.headers,
                body=_encoded(payload),
                timeout=self.timeout,
                max_bytes=self.max_bytes,
            )
        except UnreachableError as error:
            error.hint = self.hints.get("start", error.hint)
            raise
        except ReplyError as error:
            error.raw = redact(error.raw, self.secrets)  # the pool does not know which parts of the address are secret
            raise
        if not 200 <= reply.status < 300:
            self._fail(reply.status, reply.headers, reply.body)
        try:
            data = orjson.loads(reply.body)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            what = "an empty answer" if not reply.body.strip() else "an answer that is not a JSON object"
            self.unusable(what, reply.body)
        if data.get("error"):
            self._fail_within(data["error"], reply.headers, reply.body)
        return data, reply.latency

    def unusable(self, what: str, body: object) -> NoReturn:
        """Raise the error for an invalid answer, with the answer's own text."""
        error = ReplyError(f"{self.who}: {what}", hint="check that base_url is the address of a model's API")
        text = body if isinstance(body, bytes) else dumps(body)
        # Truncate after redaction: half a key would not be recognised as one.
        error.raw = redact(text[: 4 * _RAW_CHARACTERS].decode("utf-8", "replace"), self.secrets)[:_RAW_CHARACTERS]
        raise error

    def _fail(self, status: int, headers: Mapping[str, str], body: bytes) -> NoReturn:
        raise failure(status, headers, body, who=self.who, secrets=self.secrets, hints=self.hints)

    def _fail_within(self, error: object, headers: Mapping[str, str], body: bytes) -> NoReturn:
        """Raise an error found inside a 200: routers put the upstream status into ``code``."""
        code = error.get("code") if isinstance(error, Mapping) else None
        if type(code) is int and 400 <= code < 600:
            self._fail(code, headers, body)
        self.unusable(f"an error in place of an answer: {said(body, self.secrets)}", body)


def _encoded(payload: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(payload)
    except TypeError:  # values that orjson rejects: half a surrogate pair, a huge number, an odd object
        return dumps(payload)


def open_wire(
    kit: Kit,
    settings: HttpSettings,
    *,
    who: str,
    url: str,
    headers: Mapping[str, str],
    secrets: tuple[str, ...],
    hints: Mapping[str, str],
) -> Wire:
    """Return the transport for one address; the user's headers override ``headers``, which authenticate."""
    sent = {"Content-Type": "application/json", **headers}
    for name, value in settings.headers.items():
        for known in [known for known in sent if known.lower() == name.lower()]:
            del sent[known]
        sent[name] = value
    hidden = [value for name, value in sent.items() if name.lower() not in OPENLY_SHOWN_HEADERS]
    hidden += [value.partition(" ")[2] for value in hidden if value.startswith(("Bearer ", "Basic "))]
    return Wire(
        who=who,
        url=url,
        timeout=settings.timeout,
        max_bytes=settings.max_bytes,
        hints=hints,
        headers=sent,
        secrets=(*hidden, *secrets),
        http=kit.http,
    )


def sampling(request: Request, defaults: SamplingSettings, seed: int | None = None) -> Sampling:
    """Return the request's sampling, completed with the model's own settings.

    The seed is increased by the sample's index, so that repeated samples differ and are still reproducible.
    """
    asked = request.sampling
    seed = seed if asked.seed is None else asked.seed
    return Sampling(
        temperature=defaults.temperature if asked.temperature is None else asked.temperature,
        top_p=defaults.top_p if asked.top_p is None else asked.top_p,
        max_tokens=defaults.max_tokens if asked.max_tokens is None else asked.max_tokens,
        stop=asked.stop or defaults.stop,
        seed=None if seed is None else seed + request.sample,
        extra=asked.extra,
    )


def merged(payload: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``payload`` with the extra fields; nested mappings are merged."""
    for key, value in extra.items():
        mine = payload.get(key)
        if isinstance(mine, Mapping) and isinstance(value, Mapping):
            value = merged(dict(mine), value)  # noqa: PLW2901 - replaced by the merged value
        payload[key] = value
    return payload


def count(tokens: object) -> int:
    """Return a token count from a server's answer; 0 if invalid."""
    return tokens if isinstance(tokens, int) and tokens > 0 else 0
