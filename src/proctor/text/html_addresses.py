"""Find the addresses in HTML tags: which load by themselves, which need a click, which are only text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

__all__ = ["HtmlAddress", "html_addresses"]

_MAX_TAGS: Final = 400
_MAX_LABEL_CHARS: Final = 400
_TAG: Final = re.compile(r"<([A-Za-z][\w:-]*)(?=[\s/])((?:[^<>\"']|\"[^\"]*\"|'[^']*')*+)>")
_ATTRIBUTE: Final = re.compile(r"([^\s\"'>/=]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+))")
_IS_ADDRESS: Final = re.compile(r"\s*(?:[A-Za-z][A-Za-z0-9+.\t\r\n-]{1,15}:|[/\\]{2})")
_ADDRESS_IN: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]{1,11}:)?[/\\]{2}[^\s\"'()<>,;]+|data:[^\s\"')<>]+", re.I)
_TEXT_ATTRIBUTE: Final = re.compile(
    r"(?:alt|title|value|placeholder|label|content|name|id|class|lang|aria-.*|xmlns.*)$"
)
_CLICKED: Final = {"a": ("href", "ping"), "area": ("href", "ping"), "form": ("action",), "button": ("formaction",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlAddress:
    """An address in a tag, and the span of the opening tag; ``stays`` replaces that tag if it is removed."""

    address: str
    start: int
    end: int
    form: Literal["image", "link", "text"]
    label: str = ""
    stays: str = ""


def html_addresses(text: str) -> Iterator[HtmlAddress]:
    """Yield the addresses of the attributes of all tags.

    Every attribute counts, since clients load from more of them than any list names. ``href`` of ``<a>`` and the target
    of a form need a click; attributes such as ``alt`` are only text.
    """
    if "<" not in text:
        return
    for tag in islice(_TAG.finditer(text), _MAX_TAGS):
        name = tag.group(1).casefold()
        clicked = _CLICKED.get(name, ())
        stays = f"<{tag.group(1)}>" if clicked else ""
        label = _label(text, tag.end(), name) if name == "a" else ""
        for hit in _ATTRIBUTE.finditer(tag.group(2)):
            attribute = hit.group(1).casefold()
            value = html.unescape(next(each for each in hit.group(2, 3, 4) if each is not None))
            form: Literal["image", "link", "text"] = "link" if attribute in clicked else "image"
            if _TEXT_ATTRIBUTE.match(attribute) and not (name == "meta" and attribute == "content"):
                form = "text"
            for address in _addresses(value):
                yield HtmlAddress(
                    address=address, start=tag.start(), end=tag.end(), form=form, label=label, stays=stays
                )


def _addresses(value: str) -> list[str]:
    """Return the addresses of a value: the value itself, or those in a list or a style."""
    if _IS_ADDRESS.match(value) and not re.search(r",\s|\burl\(|:\s", value):
        return [value]
    return _ADDRESS_IN.findall(value)


def _label(text: str, start: int, name: str) -> str:
    """Return the text between an opening tag and its closing one."""
    end = text.find(f"</{name}", start, start + _MAX_LABEL_CHARS)
    return text[start:end] if end >= 0 else ""
