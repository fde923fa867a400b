"""Reasons not to ban a quoted text: it may be a reply, be asked for elsewhere, or be a piece of other words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proctor.generate.extract.possible_replies import is_sentence

__all__ = ["doubt_of_ban"]

_BANNED: Final = re.compile(r'contains none ((?:"(?:[^"\\]|\\.)*"(?:, )?)+)')
_TEXT: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_UNSPACED: Final = re.compile(r"[぀-ヿ㐀-鿿ก-๛]")
_ENDS: Final = (".", "!", "?", "。", "！", "？")


def doubt_of_ban(predicate: str, text: str, start: int, end: int, replies: Sequence[str]) -> str:
    """Return why the banned texts of a predicate may stand in a right answer; nothing if they are sure.

    ``text`` is the prompt, ``start`` and ``end`` enclose the sentence of the ban, ``replies`` are possible answers.
    """
    for found in _BANNED.finditer(predicate):
        for match in _TEXT.finditer(found[1]):
            banned = match[1].replace('\\"', '"').replace("\\\\", "\\")
            if banned.isspace():
                return "there are spaces between words"
            if banned not in text[start:end]:
                continue  # a mark that the sentence calls by its name
            if not any(map(str.isalnum, banned)) and (banned.isspace() or len(banned) > 1):
                return f'"{banned}" is no text that can be banned'
            if banned in replies or (banned.endswith(_ENDS) and is_sentence(banned)):
                return f'"{banned}" may be a reply'
            if len(banned) == 1 and _UNSPACED.search(banned):
                return f'"{banned}" may be a piece of another word'
            if _is_in_brackets(banned, text[start:end]):
                return f'"{banned}" is an illustration in brackets'
            if _is_asked_elsewhere(banned, text, start, end):
                return f'"{banned}" is named elsewhere in the prompt'
    return ""


def _is_in_brackets(banned: str, said: str) -> bool:
    """Whether a text stands in brackets beside another: ``(say "swelling", not "oedema")``."""
    return any(
        banned in match.group() and len(re.findall(r"[\"“„«「`]", match.group())) > 2
        for match in re.finditer(r"[(（][^()（）]*[)）]", said)
    )


def _is_asked_elsewhere(banned: str, text: str, start: int, end: int) -> bool:
    """Whether the prompt has the text a second time as one that is to be written: in quotes, or in capitals."""
    said = re.escape(banned)
    marked = re.compile(rf"[\"“„«「`]\s?{said}\s?[\"”“»」`]", re.IGNORECASE)
    if len(marked.findall(text[start:end])) > 1:
        return True
    outside = f"{text[:start]}\n{text[end:]}"
    if marked.search(outside):
        return True
    coded = banned.isupper() and len(banned) > 1
    return coded and re.search(rf"(?<!\w){said}(?!\w)", outside) is not None
