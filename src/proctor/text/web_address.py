"""Parse the address of a link as a browser does: scheme, user, host, path, query and fragment."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from proctor.text.base64_data import unpack_base64
from proctor.text.normalise.confusables import faux_letters

__all__ = ["WebAddress", "host_skeleton", "nested_addresses", "parse_address", "unquoted"]

_SPECIAL: Final = frozenset({"http", "https", "ftp", "ws", "wss"})  # schemes with a host, with any number of slashes
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_IGNORED: Final = re.compile(r"[\t\r\n]+")  # a browser drops them anywhere in an address
_SLASHES: Final = re.compile(r"[/\\]*")
_AUTHORITY: Final = re.compile(r"[^/\\?#]*")
_PORT: Final = re.compile(r":\d*$")
_DOTS: Final = str.maketrans({"。": ".", "．": ".", "｡": "."})
_NESTED: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]{1,11}:)?[/\\]{2}[^\s\"'<>]+")
_BARE_HOST: Final = re.compile(r"(?:[\w-]+\.)+[A-Za-z]{2,24}/[^\s\"'<>]*")
_CODED: Final = re.compile(r"[A-Za-z0-9+_-]{12,4096}={0,2}")
_MAX_UNQUOTE: Final = 3  # how often an address may be percent-encoded
_MAX_CHARS: Final = 8_192
_ALIKE: Final = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("i", "l"), ("1", "l"), ("|", "l"), ("0", "o"), ("5", "s"))


@dataclass(frozen=True, slots=True, kw_only=True)
class WebAddress:
    """The parts of an address. ``host`` is in lowercase and Unicode; the other parts are as written.

    ``rest`` is everything after the scheme of an address without a host, such as ``mailto:`` or ``data:``.
    """

    scheme: str
    user: str = ""
    host: str = ""
    path: str = ""
    query: str = ""
    fragment: str = ""
    rest: str = ""


def parse_address(text: str) -> WebAddress | None:
    """Return the parts of an address; None for one that stays on the page it is on (``/help``, ``#top``).

    Backslashes count as slashes, and ``https:host`` and ``//host`` have a host, as in a browser.
    """
    text = _IGNORED.sub("", text[:_MAX_CHARS]).strip()
    named = _SCHEME.match(text)
    if named is None:
        return _with_host("https", text) if text[:1] in ("/", "\\") and text[1:2] in ("/", "\\") else None
    scheme, rest = named.group(1).casefold(), text[named.end() :]
    if scheme in _SPECIAL or rest.startswith("//"):
        return _with_host(scheme, rest)
    return WebAddress(scheme=scheme, rest=rest)


def unquoted(text: str) -> str:
    """Return a text without percent-encoding, also if it was encoded several times."""
    for _ in range(_MAX_UNQUOTE):
        if "%" not in text:
            break
        text = unquote(text)
    return text


def nested_addresses(address: WebAddress) -> list[WebAddress]:
    """Return the addresses with a host inside the path, query or fragment of another: the targets of a redirect."""
    found: list[WebAddress] = []
    inner = unquoted(f"{address.path}?{address.query}#{address.fragment}{address.rest}")
    for hit in _NESTED.finditer(inner):
        is_slash_run = hit.start() > 0 and inner[hit.start() - 1] not in "=/?&#:,;(" and ":" not in hit.group()[:12]
        made = None if is_slash_run else parse_address(hit.group())
        if made is not None and "." in made.host:
            found.append(made)
    for pair in unquoted(address.query).split("&"):
        value = pair.partition("=")[2]
        if _BARE_HOST.fullmatch(value):
            found.append(_with_host("https", value))
    for hit in _CODED.finditer(inner):
        data = unpack_base64(hit.group())
        text = data.decode("utf-8", "ignore") if data else ""
        made = parse_address(text) if _NESTED.match(text) else None
        if made is not None and "." in made.host:
            found.append(made)
    return found


@lru_cache(maxsize=1024)
def host_skeleton(host: str) -> str:
    """Return a host with characters that look alike folded to one, so that look-alikes are equal."""
    plain = unicodedata.normalize("NFKD", host)
    text = "".join(c for c in plain if not unicodedata.combining(c)).translate(faux_letters()).casefold()
    for one, other in _ALIKE:
        text = text.replace(one, other)
    return text


def _with_host(scheme: str, rest: str) -> WebAddress:
    slashes = _SLASHES.match(rest)
    rest = rest[slashes.end() if slashes else 0 :]
    authority = _AUTHORITY.match(rest)
    place = authority.group() if authority else ""
    tail, _, fragment = rest[len(place) :].partition("#")
    path, _, query = tail.partition("?")
    user, _, host = place.rpartition("@")
    return WebAddress(scheme=scheme, user=user, host=_host(host), path=path, query=query, fragment=fragment)


@lru_cache(maxsize=1024)
def _host(written: str) -> str:
    """Return a host in one form: decoded, lowercase, without port, invisible characters and final dot."""
    text = unicodedata.normalize("NFKC", unquoted(written)).translate(_DOTS).casefold()
    text = "".join(c for c in _PORT.sub("", text) if unicodedata.category(c) != "Cf").strip(".")
    return ".".join(map(_label, text.split("."))) if "xn--" in text else text


def _label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError):
        return label
