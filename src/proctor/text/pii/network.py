"""Find network addresses: IP in both versions, MAC, and crypto wallets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

from proctor.core.verdict import Finding
from proctor.text.lazy_pattern import Lazy
from proctor.text.pii.checks import base58_checked, bech32_checked
from proctor.text.pii.context import made

__all__ = ["find_ips", "find_ips6", "find_macs", "find_purses"]

_V4: Final = Lazy(r"[0-9](?<![\w.].)[0-9]{0,2}\.(?:\d{1,3}\.){2}\d{1,3}(?![\w]|\.\w)", re.ASCII)
_V6: Final = Lazy(r"[0-9A-Fa-f:](?<![\w:.].)[0-9A-Fa-f:]{2,38}+(?:(?<=:)(?:\d{1,3}\.){3}\d{1,3})?(?![\w:])")
_VERSION: Final = Lazy(
    r"(?:\bv|\b(?:version|release|build|firmware|section|chapter|clause|article|rev(?:ision)?)\.?) ?$", re.I
)
_MAC: Final = Lazy(
    r"(?<![\w:-])(?:[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5})(?![\w:-])", re.ASCII
)
_PURSE: Final = Lazy(
    r"(?<![A-Za-z0-9])(?:(?P<base58>[13][1-9A-HJ-NP-Za-km-z]{25,34})|(?P<bech32>(?:bc1"
    r"|BC1)[02-9ac-hj-np-zAC-HJ-NP-Z]{11,71})"
    r"|(?P<ether>0x[0-9a-fA-F]{40}))(?![A-Za-z0-9])"
)


def find_ips(text: str) -> Iterator[Finding]:
    """Find IPv4 addresses; private ones have a lower confidence."""
    for hit in _V4.finditer(text):
        try:
            address = IPv4Address(hit.group())
        except AddressValueError:
            continue
        if not address.is_unspecified and not _VERSION.search(text[max(0, hit.start() - 12) : hit.start()]):
            yield made("ip", text, hit.span(), 0.9 if address.is_global else 0.6, "v4")


def find_ips6(text: str) -> Iterator[Finding]:
    """Find IPv6 addresses; private ones have a lower confidence."""
    for hit in _V6.finditer(text):
        if hit.group().count(":") < 2:
            continue
        try:
            address = IPv6Address(hit.group())
        except AddressValueError:
            continue
        if not address.is_unspecified:
            yield made("ip", text, hit.span(), 0.9 if address.is_global else 0.6, "v6")


def find_macs(text: str) -> Iterator[Finding]:
    """Find MAC addresses."""
    for hit in _MAC.finditer(text):
        yield made("mac", text, hit.span(), 0.9)


def find_purses(text: str) -> Iterator[Finding]:
    """Find crypto wallet addresses with a valid checksum; Ethereum's is too expensive to compute."""
    for hit in _PURSE.finditer(text):
        if hit["base58"]:
            right = base58_checked(hit.group())
        else:
            right = hit["ether"] is not None or bech32_checked(hit.group())
        if right:
            yield made("crypto", text, hit.span(), 0.9 if hit["ether"] else 0.99)
