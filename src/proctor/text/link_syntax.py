"""Find the links and images of a text as a client would show them: Markdown, HTML, style sheets and bare addresses."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, Literal

from proctor.text.code_spans import code_spans
from proctor.text.html_addresses import html_addresses
from proctor.text.script_ranges import EAST_ASIAN, THAI

__all__ = ["IMAGE_REMOVED", "LINK_REMOVED", "MAX_LINKS", "LinkForm", "WrittenLink", "find_links", "may_have_links"]

LinkForm = Literal["image", "link", "text", "code"]  # loads by itself, needs a click, is only shown, is code
LINK_REMOVED: Final = "[link removed]"
IMAGE_REMOVED: Final = "[image removed]"

MAX_LINKS: Final = 400
_MAX_LABEL_CHARS: Final = 400
_MAY: Final = re.compile(r"[/\\]{2}|\]\(|\]:|www\.|[a-z]:|\burl\(|\.[a-z]{2,24}/|<[a-z]", re.IGNORECASE)
_INLINE: Final = re.compile(
    r"\]\(\s*(?:<([^<>\n]*)>|((?!<)(?:[^\s()]|\([^\s()]*\))*+))"
    r"(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
)
_DEFINITION: Final = re.compile(r"^ {0,3}\[(?!\^)([^\]\n]{1,200})\]:[ \t]*\n?[ \t]*<?([^\s<>]+)>?[^\n]*$", re.MULTILINE)
_USE: Final = re.compile(r"(!?)\[([^\[\]\n]{0,400})\](?:\[([^\[\]\n]{0,200})\])?(?![\[(:])")
_BARE: Final = re.compile(  # the last alternative is a placeholder such as [EMAIL]
    r"(?:(?<![A-Za-z0-9+.-])(?:[A-Za-z][A-Za-z0-9+.-]{1,11}:[/\\]{1,4}|mailto:)|(?<![\w@./-])www\.)"
    r"(?:[^\s<>\"`|{}^\[\]。、，；：！？（）「」『』【】《》“”’‘»«।۔،؛؟…–—]|\[[A-Z][A-Z0-9_]{0,63}\])+",
    re.IGNORECASE,
)
_HOST_AND_PATH: Final = re.compile(
    r"(?<![\w@./:\\%=-])(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?::\d{1,5})?[/?][^\s<>\"`|{}^\[\]。、，）」]+"
)
# Scripts that no Latin host or path continues in; letters that look like Latin ones are not among them.
_OTHER_SCRIPT: Final = re.compile(rf"[\u0590-\u06ff\u0900-\u0dff\u1100-\u11ff{THAI}{EAST_ASIAN}]")
_STYLE: Final = re.compile(
    r"\burl\(\s*[\"']?([^\"'()\s]{1,4096}+)[\"']?\s*\)|@import\s+[\"']([^\"'\s]{1,4096}+)[\"']", re.I
)
_LOADED: Final = re.compile(r"(?:\[img[^\]\n]{0,40}\]|\bimage::?[ \t]{0,2})$", re.IGNORECASE)  # BBCode, reST, AsciiDoc
_MAY_BE_ADDRESS: Final = re.compile(r"[/\\]{2}|\bwww\.|\w\.\w{2,}/")
_TRAILING: Final = ".,;:!?'\"*_~"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenLink:
    """A link in a text: its address, the span of the whole construct, and the text to put there if it is removed.

    ``label`` is the text that a reader sees, if it differs from the address.
    """

    address: str
    start: int
    end: int
    form: LinkForm
    label: str = ""
    instead: str = LINK_REMOVED


def may_have_links(text: str) -> bool:
    """Return whether the text can contain a link; fast."""
    return _MAY.search(text) is not None


def find_links(text: str) -> list[WrittenLink]:
    """Return the links in the order of their kinds, 401 if there are more than 400; nested constructs are all listed.

    Addresses in code are neither loaded nor linked. An image there is ``text``, since a client that knows HTML and no
    Markdown would load it; the others are ``code``.
    """
    if not may_have_links(text):
        return []
    code = code_spans(text)
    taken: list[tuple[int, int]] = []
    found: list[WrittenLink] = []
    for maker in (_inline, _referenced, _tags, _styles):
        for link, inside in maker(text):
            found.append(link)
            taken.append(inside)
            if len(found) > MAX_LINKS:
                return found
    for link in chain(_bare(text), _hosts(text)):
        if len(found) > MAX_LINKS:
            break
        if not any(start <= link.start < end for start, end in taken):
            found.append(link)
            taken.append((link.start, link.end))
    if code:
        found = [_as_code(each) if _is_in(each.start, code) else each for each in found]
    return found


Placed = tuple[WrittenLink, tuple[int, int]]  # a link, and the span of its address


def _inline(text: str) -> Iterator[Placed]:
    """Yield ``[label](address "title")`` and ``![alt](address)``."""
    for hit in _INLINE.finditer(text):
        opening = _opening(text, hit.start())
        if opening is None:
            continue
        label, loads = text[opening + 1 : hit.start()], text[opening - 1 : opening] == "!"
        address = hit.group(1) if hit.group(1) is not None else hit.group(2)
        yield (
            WrittenLink(
                address=html.unescape(address),
                start=opening - loads,
                end=hit.end(),
                form="image" if loads else "link",
                label=label,
                instead=IMAGE_REMOVED if loads else _unlinked(label),
            ),
            (hit.start(), hit.end()),
        )


def _opening(text: str, closing: int) -> int | None:
    """Return the bracket that a closing one belongs to."""
    depth = 0
    for at in range(closing, max(-1, closing - _MAX_LABEL_CHARS), -1):
        if text[at] == "]":
            depth += 1
        elif text[at] == "[":
            depth -= 1
            if depth == 0:
                return at
    return None


def _referenced(text: str) -> Iterator[Placed]:
    """Yield ``[name]: address`` and what uses it. A definition that nothing uses may belong to an image before it."""
    if "]:" not in text:
        return
    defined = {_name(hit.group(1)): hit for hit in _DEFINITION.finditer(text)}
    if not defined:
        return
    loaded: set[str] = set()
    linked: set[str] = set()
    for use in _USE.finditer(text):
        name = _name(use.group(3) or use.group(2))
        if name not in defined:
            continue
        loads = bool(use.group(1))
        (loaded if loads else linked).add(name)
        yield (
            WrittenLink(
                address=html.unescape(defined[name].group(2)),
                start=use.start(),
                end=use.end(),
                form="image" if loads else "link",
                label=use.group(2),
                instead=IMAGE_REMOVED if loads else _unlinked(use.group(2)),
            ),
            use.span(),
        )
    for name, hit in defined.items():
        form: LinkForm = "link" if name in linked and name not in loaded else "image"
        address, instead = html.unescape(hit.group(2)), "" if name in linked | loaded else LINK_REMOVED
        yield WrittenLink(address=address, start=hit.start(), end=hit.end(), form=form, instead=instead), hit.span()


def _name(written: str) -> str:
    return " ".join(written.split()).casefold()


def _tags(text: str) -> Iterator[Placed]:
    """Yield the addresses in the attributes of HTML tags."""
    for each in html_addresses(text):
        yield (
            WrittenLink(
                address=each.address,
                start=each.start,
                end=each.end,
                form=each.form,
                label=each.label,
                instead=each.stays or IMAGE_REMOVED,
            ),
            (each.start, each.end),
        )


def _styles(text: str) -> Iterator[Placed]:
    """Yield ``url(address)`` and ``@import`` of style sheets."""
    if "url(" not in text.casefold() and "@import" not in text.casefold():
        return
    for hit in _STYLE.finditer(text):
        address = html.unescape(hit.group(1) or hit.group(2))
        yield WrittenLink(address=address, start=hit.start(), end=hit.end(), form="image", instead="none"), hit.span()


def _bare(text: str) -> Iterator[WrittenLink]:
    """Yield addresses with a scheme or ``www.`` in the text itself; most clients make links of them."""
    for hit in _BARE.finditer(text):
        written = _trimmed(hit.group())
        loads = _LOADED.search(text, max(0, hit.start() - 48), hit.start()) is not None
        address = f"https://{written}" if written[:4].casefold() == "www." else written
        yield WrittenLink(
            address=html.unescape(address),
            start=hit.start(),
            end=hit.start() + len(written),
            form="image" if loads else "link",
            instead=IMAGE_REMOVED if loads else LINK_REMOVED,
        )


def _hosts(text: str) -> Iterator[WrittenLink]:
    """Yield ``host.tld/path``; few clients make links of it."""
    for hit in _HOST_AND_PATH.finditer(text):
        written = _trimmed(hit.group())
        end = hit.start() + len(written)
        yield WrittenLink(address=f"https://{written}", start=hit.start(), end=end, form="text")


def _trimmed(written: str) -> str:
    """Return an address without the punctuation and the words of another script that follow it."""
    if (other := _OTHER_SCRIPT.search(written)) and written[: other.start()].isascii():
        written = written[: other.start()]
    while written and (written[-1] in _TRAILING or _closes_nothing(written)):
        written = written[:-1]
    return written


def _closes_nothing(written: str) -> bool:
    """Return whether the last bracket has no opening one."""
    opening = {")": "(", "]": "["}.get(written[-1])
    return opening is not None and written.count(written[-1]) > written.count(opening)


def _unlinked(label: str) -> str:
    """Return the label of a removed link; one that is an address itself is removed too."""
    return LINK_REMOVED if not label.strip() or _MAY_BE_ADDRESS.search(label) else f"{label} {LINK_REMOVED}"


def _as_code(link: WrittenLink) -> WrittenLink:
    return replace(link, form="text" if link.form == "image" else "code")


def _is_in(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)
