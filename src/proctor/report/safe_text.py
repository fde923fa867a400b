"""Make text from cases and models safe to display."""

from __future__ import annotations

import re

__all__ = ["clip", "one_line", "visible", "xml_text"]

_CONTROL = "[\x00-\x08\x0b-\x1f\x7f-\x9f]"
_SURROGATE = "[\ud800-\udfff]"
# Characters that change the reading direction, or are line ends for some readers.
_TURNING = re.compile("[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
_NOT_XML = "[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]"
_SPACES = re.compile(r"\s+")


def visible(text: str) -> str:
    """Return the text with control characters replaced by their symbols (ESC becomes ␛)."""
    if text.isprintable():  # fast path for most texts
        return text
    text = re.sub(_CONTROL, _picture, text.replace("\r\n", "\n"))
    return re.sub(_SURROGATE, "�", _TURNING.sub("", text))


def one_line(text: str, limit: int = 200) -> str:
    """Return the text on one line, at most ``limit`` characters long, safe to print."""
    # Cut before cleaning, so that a text of many megabytes is cheap; the factor leaves room for white space.
    short = _SPACES.sub(" ", visible(_TURNING.sub(" ", text[: limit * 4]).expandtabs(1))).strip()
    return clip(short, limit) if len(text) <= limit * 4 else clip(short + "…", limit)


def clip(text: str, limit: int) -> str:
    """Return the text, cut with an ellipsis if longer than ``limit``."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def xml_text(text: str) -> str:
    """Return the text without characters that XML 1.0 does not allow."""
    return text if text.isprintable() else re.sub(_NOT_XML, "", text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "�"
