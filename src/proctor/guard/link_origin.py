"""Tell where the address of a link comes from: the settings, a source, a record, the customer, or nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from proctor.guard.host_imitation import host_names, imitated_host, is_host_of
from proctor.guard.session_values import SessionValues, words_of
from proctor.guard.url_data import CarriedData, find_session_data
from proctor.text.cached_property import once
from proctor.text.web_address import WebAddress, nested_addresses, parse_address

__all__ = ["LinkOrigin"]

_MAX_TEXT_CHARS: Final = 40_000
_LABEL_HOST: Final = re.compile(r"\s*(?:[a-z]+://)?((?:[\w-]+\.)+[^\W\d_]{2,24})(?:[/?#:]\S*)?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class LinkOrigin:
    """The allowed hosts and the texts of one session, for all links of a draft."""

    hosts: tuple[str, ...]
    session: SessionValues

    def targets(self, address: WebAddress) -> list[WebAddress]:
        """Return what a link leads to: itself, and the addresses inside it; the receivers of an e-mail."""
        if address.scheme == "mailto":
            return [_receiver(address, each) for each in address.rest.partition("?")[0].split(",") if "@" in each]
        if not address.host:
            return []
        return [address, *nested_addresses(address)]

    def is_allowed(self, target: WebAddress) -> bool:
        """Return whether the settings allow the host."""
        return any(is_host_of(target.host, each) for each in self.hosts) and "." not in target.user

    def is_given(self, address: str) -> bool:
        """Return whether the whole address was in the session before the agent wrote it, so that it adds no data."""
        texts = (*self._trusted, *self.session.records)
        return any(self.session.gives(form, texts) for form in _forms(address))

    def is_trusted(self, address: str) -> bool:
        """Return whether a source, the customer or a field of a record has the whole address."""
        return any(self.session.gives(form, self._trusted) for form in _forms(address))

    def knows(self, host: str) -> bool:
        """Return whether a source, the customer or a field of a record names the host."""
        bare = host.removeprefix("www.")
        return any(bare in host_names(text[:_MAX_TEXT_CHARS]) for text in self._trusted if bare in text.casefold())

    def carried(self, address: WebAddress, target: WebAddress) -> CarriedData | None:
        """Return the data of the session that an address carries to a target.

        What other addresses of the same host in this session have is not data: the page of a shipment has its number.
        """
        if target.scheme == "mailto":
            return find_session_data(replace(target, host=""), self.session)
        return find_session_data(address, self.session, self._words_given(target.host))

    def imitated(self, target: WebAddress, label: str) -> str | None:
        """Return the known host that a target imitates: by its letters, its parts, or the text of the link."""
        known = {*self.hosts, *self._source_hosts}
        if (shown := _LABEL_HOST.fullmatch(label)) and not is_host_of(target.host, shown.group(1).casefold()):
            return shown.group(1)
        if "." in target.user and target.scheme != "mailto":
            return target.user
        return imitated_host(target, known)

    @once
    def _trusted(self) -> tuple[str, ...]:
        sources = (f"{each.text}\n{each.uri or ''}" for each in self.session.sources)
        return (
            *sources,
            *self.session.said,
            *(each for each in self.session.fields if "." in each and " " not in each),
        )

    @once
    def _source_hosts(self) -> frozenset[str]:
        return frozenset().union(*(host_names(each.text[:_MAX_TEXT_CHARS]) for each in self.session.sources))

    def _words_given(self, host: str) -> frozenset[str]:
        """Return the words and joined words of the addresses of this host in the session."""
        found: set[str] = set()
        for text in (*self._trusted, *self.session.records):
            for rest in _after(host, text):
                words = words_of(rest)
                found.update(words)
                found.update("".join(words[at : at + 2]) for at in range(len(words)))
        return frozenset(found)


def _forms(address: str) -> Iterator[str]:
    """Yield an address as written, without its scheme, and without a final slash."""
    bare = address.partition("://")[2]
    yield address
    if bare:
        yield bare
        if bare.endswith("/"):
            yield bare[:-1]


def _after(host: str, text: str) -> Iterator[str]:
    """Yield what follows a host in a text, up to the next space."""
    at = text.find(host) if host else -1
    while at >= 0:
        yield text[at + len(host) : at + len(host) + 300].partition(" ")[0].partition("\n")[0]
        at = text.find(host, at + 1)


def _receiver(address: WebAddress, written: str) -> WebAddress:
    made = parse_address(f"https://{written.strip()}")
    host = made.host if made else ""
    return replace(address, host=host, query=address.rest.partition("?")[2], rest="")
