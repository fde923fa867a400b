"""The body of a request, unpacked: whole, or not at all."""

from __future__ import annotations

import asyncio
import zlib
from typing import Any, Final

from aiohttp import web

__all__ = ["json_bytes", "json_object", "read_body", "unpacked"]

_SMALL: Final = 64_000  # packed bytes that are unpacked without another thread
_WINDOW_BITS: Final = {"gzip": 31, "deflate": 15}
_RAW_DEFLATE: Final = -15  # some senders leave out the frame
_ZLIB_METHOD: Final = 8


async def read_body(request: web.Request, max_bytes: int) -> bytes:
    """Return the body of a request, unpacked as its header says; the server must not have unpacked it.

    Raises:
        web.RequestPayloadError: it is corrupt or cut off.
        web.HTTPRequestEntityTooLarge: it has more bytes than allowed.
    """
    body = await request.read()
    encoding = request.headers.get("Content-Encoding", "").lower()
    if encoding not in _WINDOW_BITS:
        return body
    if len(body) <= _SMALL:
        return unpacked(body, encoding, max_bytes)
    return await asyncio.to_thread(unpacked, body, encoding, max_bytes)


def unpacked(body: bytes, encoding: str, max_bytes: int) -> bytes:
    """Return what a body of gzip or deflate holds.

    Raises:
        web.RequestPayloadError: it is corrupt, or its end is missing.
        web.HTTPRequestEntityTooLarge: it holds more bytes than allowed.
    """
    bits = _WINDOW_BITS[encoding]
    if encoding == "deflate" and body and body[0] & 15 != _ZLIB_METHOD:
        bits = _RAW_DEFLATE
    made, rest = bytearray(), body
    while True:  # gzip may have several members
        part = zlib.decompressobj(bits)
        try:
            made += part.decompress(rest, max_bytes + 1 - len(made))
        except zlib.error:
            raise web.RequestPayloadError("the body is corrupt") from None
        if len(made) > max_bytes:
            raise web.HTTPRequestEntityTooLarge(max_size=max_bytes, actual_size=len(made))
        if not part.eof:
            raise web.RequestPayloadError("the body is cut off")
        rest = part.unused_data.lstrip(b"\0")
        if not rest:
            return bytes(made)


def json_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body.

    Raises:
        ValueError: it is none.
    """
    import orjson  # noqa: PLC0415

    data = orjson.loads(body)
    if not isinstance(data, dict):
        raise ValueError("is no JSON object")
    return data


def json_bytes(data: Any) -> bytes:
    """Return data as JSON."""
    import orjson  # noqa: PLC0415

    return orjson.dumps(data)
