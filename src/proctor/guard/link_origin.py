"""Tell where the address of a link comes from: the settings, a source, a record, the customer, or nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from proctor.guard.address_templates import filled_places
from proctor.guard.host_imitation import host_names, imitated_host, is_host_of
from proctor.guard.session_values import SessionValues, windows, words_of
from proctor.guard.url_data import CarriedData, find_session_data
from proctor.text.cached_property import once
from proctor.text.shared_runs import squeezed
from proctor.text.web_address import WebAddress, nested_addresses, parse_address, unquoted

__all__ = ["LinkOrigin"]

_MAX_TEXT_CHARS: Final = 40_000
_RECORD_CODE: Final = re.compile(r"(?=[\d-]*[A-Z])(?=[A-Z-]*\d)[A-Z\d-]{4,20}")  # ML5520087, KK-90417
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
        return _stands_in(address, texts)

    def is_trusted(self, address: str) -> bool:
        """Return whether a source, the customer or a field of a record has the whole address."""
        return _stands_in(address, self._trusted)

    def is_reported(self, address: str) -> bool:
        """Return whether a short result of a tool, or a short field of one, has the whole address."""
        return _stands_in(address, self.session.reports)

    def is_documented(self, address: WebAddress) -> bool:
        """Return whether a source writes the address with places, and they hold what may stand there.

        ``https://shop.example/track/<order number>`` with the number that the customer asked about, or a code such as
        ML5520087 that is a field of a record. Personal data may not, since a source may be forged.
        """
        query, fragment = (
            (f"?{address.query}" if address.query else ""),
            (f"#{address.fragment}" if address.fragment else ""),
        )
        rest = unquoted(f"{address.path}{query}{fragment}")
        texts = (f"{each.text}\n{each.uri or ''}"[:_MAX_TEXT_CHARS] for each in self.session.sources)
        found = (filled_places(address.host, rest, text) for text in texts)
        return any(places and all(map(self._is_plain, places)) for places in found)

    def knows(self, host: str) -> bool:
        """Return whether a source, the customer or a field of a record names the host."""
        bare = host.removeprefix("www.")
        return any(bare in host_names(text[:_MAX_TEXT_CHARS]) for text in self._trusted if bare in text.casefold())

    def carried(self, address: WebAddress, target: WebAddress) -> CarriedData | None:
        """Return the data of the session that an address carries to a target.

        What other addresses of the same host in this session have is not data: the page of a shipment has its number.
        Nor is what the customer wrote, in a mail to an address that a source names.
        """
        if target.scheme == "mailto":
            said = self._words_said if self._is_receiver_of_source(address) else ()
            return find_session_data(replace(target, host=""), self.session, said)
        is_named = not self.session.private or self.knows(target.host)
        return find_session_data(address, self.session, self._words_given(target.host), is_named=is_named)

    def is_sent_by_code(self, address: str, code: str) -> bool:
        """Return whether code sends a key or the like: in the address, or one of a tool call anywhere beside it."""
        own, beside = squeezed(unquoted(address)), squeezed(code)
        return any(each in own for each in self.session.strong_values) or any(
            each in beside for each in self.session.called_values
        )

    def imitated(self, target: WebAddress, label: str) -> str | None:
        """Return the known host that a target imitates: by its letters, its parts, or the text of the link."""
        known = {*self.hosts, *self._source_hosts}
        if (shown := _LABEL_HOST.fullmatch(label)) and not is_host_of(target.host, shown.group(1).casefold()):
            return shown.group(1)
        if "." in target.user and target.scheme != "mailto":
            return target.user
        return imitated_host(target, known)

    def _is_plain(self, value: str) -> bool:
        """Return whether a value is no personal data, and the customer wrote it or it is the code of a record."""
        letters = squeezed(value)
        if not letters or letters in map(squeezed, self.session.private.values()):
            return False
        return letters in self.session.said_letters or (
            _RECORD_CODE.fullmatch(value) is not None and value in self.session.fields
        )

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

    def _is_receiver_of_source(self, address: WebAddress) -> bool:
        """Return whether a source names every receiver of a mail."""
        receivers = [each.strip() for each in address.rest.partition("?")[0].split(",")]
        return all(_stands_in(each, (source.text for source in self.session.sources)) for each in receivers)

    @once
    def _words_said(self) -> frozenset[str]:
        return frozenset().union(*(windows(words_of(text)) for text in self.session.said))

    def _words_given(self, host: str) -> frozenset[str]:
        """Return the words and joined words of the addresses of this host in the session."""
        found: set[str] = set()
        for text in (*self._trusted, *self.session.records):
            for rest in _after(host, text):
                found.update(windows(words_of(rest)))
        return frozenset(found)


def _forms(address: str) -> Iterator[str]:
    """Yield an address as written, without its scheme, and without a final slash."""
    bare = address.partition("://")[2]
    yield address
    if bare:
        yield bare
        if bare.endswith("/"):
            yield bare[:-1]


def _stands_in(address: str, texts: Iterable[str]) -> bool:
    """Return whether an address stands in one of the texts as a whole."""
    forms = tuple(_forms(address))
    shortest = min(forms, key=len)
    return any(_is_whole(form, text) for text in texts if shortest in text for form in forms)


def _is_whole(address: str, text: str) -> bool:
    at = text.find(address)
    while at >= 0:
        after = text[at + len(address) : at + len(address) + 2]
        if not after or not (
            after[0].isalnum() or after[0] in "/?&=#%_-+" or (after[0] == "." and after[1:].isalnum())
        ):
            return True
        at = text.find(address, at + 1)
    return False


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
