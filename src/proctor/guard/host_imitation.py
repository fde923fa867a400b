"""Detect hosts that imitate a known one: look-alike letters, a typing error, its name as a part of another host."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from proctor.text.web_address import WebAddress, host_skeleton

__all__ = ["host_names", "imitated_host", "is_host_of"]

_HOST: Final = re.compile(r"(?<![\w@.-])(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-]|\.\w)")
_MIN_BRAND_CHARS: Final = 5  # a shorter name is part of other words by chance
_MAX_HOSTS: Final = 200


def is_host_of(host: str, domain: str) -> bool:
    """Return whether a host is this domain or one of its subdomains."""
    return host == domain or host.endswith(f".{domain}")


@lru_cache(maxsize=512)
def host_names(text: str) -> frozenset[str]:
    """Return the hosts that stand in a text, with or without a scheme; those of e-mail addresses do not count."""
    if "." not in text:
        return frozenset()
    return frozenset(
        hit.group().casefold().removeprefix("www.")
        for _, hit in zip(range(_MAX_HOSTS), _HOST.finditer(text), strict=False)
    )


def imitated_host(address: WebAddress, known: Iterable[str]) -> str | None:
    """Return the known host that an address imitates; None if it imitates none or is one of them."""
    host = address.host.removeprefix("www.")
    hosts = [each for each in known if "." in each]
    if any(is_host_of(host, each) for each in hosts):
        return None
    skeleton, user = host_skeleton(host), address.user.casefold()
    pieces = frozenset(re.split(r"[.-]", skeleton))
    for each in hosts:
        if each in user or f".{each}." in f".{host}." or _alike(skeleton, host_skeleton(each)):
            return each
        brand = host_skeleton(max(each.split(".")[:-1], key=len))
        if len(brand) >= _MIN_BRAND_CHARS and _wears(brand, skeleton, pieces):
            return each
    return None


def _alike(one: str, other: str) -> bool:
    """Return whether two hosts look the same or differ by one typing error in a long name."""
    if one == other:
        return True
    return min(len(one), len(other)) > 2 * _MIN_BRAND_CHARS and _distance_one(one, other)


def _wears(brand: str, skeleton: str, pieces: frozenset[str]) -> bool:
    """Return whether a host is made of a brand and more: brand-help.example, help.brand.example."""
    if brand in pieces and brand not in skeleton.split(".")[-2:-1]:
        return True
    return "-" in brand and brand in skeleton and brand not in skeleton.split(".")


def _distance_one(one: str, other: str) -> bool:
    """Return whether one character was changed, added, left out, or swapped with its neighbour."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    left, right = one[start:], other[start:]
    swapped = left[:2] == right[:2][::-1] and left[2:] == right[2:]
    return left[1:] == right[1:] or left[1:] == right or left == right[1:] or swapped
