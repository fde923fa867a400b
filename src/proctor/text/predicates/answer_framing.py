"""Detect what surrounds an answer: a code fence, an introduction, a closing offer, an explanation."""

from __future__ import annotations

import re

__all__ = ["framing", "unfenced"]

_THINGS = "answer|output|result|response|translation|summary|json|list|text|version|sentence|paragraph|code|tag|label"
_ANSWERS = "answer|output|result|response|translation|category|classification|label|tag|part of speech"
_OPENING = re.compile(
    r"[\s*#>]*(?:"
    r"(?:sure(?: thing)?|certainly|of course|absolutely|okay|ok|got it|understood|no problem|great question)"
    r"\s*[,!.:\u2014-]"
    rf"|here(?:['’]s| is| are)\b(?:[^\n]{{0,200}}:\s*$|[^\n:.]{{0,60}}\b(?:{_THINGS})s?\b)"
    rf"|(?:below|following) (?:is|are)\b[^\n]{{0,200}}:\s*$"
    rf"|(?:the|my|your) (?:\w{{1,20}} ){{0,3}}(?:{_ANSWERS})s?\b[^\n.:]{{0,60}}(?:\bis\b|\bare\b|:)"
    r"|(?:answer|output|result|response|explanation)\s*:"
    r"|as an ai\b"
    r")",
    re.IGNORECASE,
)
_ABOUT_THE_TASK = re.compile(
    r"\b(?:texts?|articles?|abstracts?|inputs?|sentences?|requests?|provided|given|following|extracted|extract"
    r"|classif\w+|categor\w+|rewrit\w+|based on|according to|i(?:['’]d| would| will)|let['’]s|format)\b",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:let me know|i hope (?:this|that|it)|hope (?:this|that) helps|feel free to|would you like me to"
    r"|if you (?:need|have any|want|would like|['’]d like)|is there anything else|please (?:note|let me know)"
    r"|note(?: that|:)|explanation\s*:|reason(?:ing)?\s*:|i (?:chose|have used|used|have chosen)\b)",
    re.IGNORECASE,
)


def unfenced(text: str) -> str:
    """Return the content of the code block that is the whole text; otherwise the text."""
    text = text.strip()
    if not text.startswith(("```", "~~~")):
        return text
    fence, (first, _, inside) = text[:3], text.partition("\n")
    if not inside.endswith(fence) or "`" in first[3:]:
        return text
    inside = inside[: -len(fence)]
    return text if fence in inside else inside.strip("\n")


def _leads_on(line: str) -> bool:
    """Whether it announces what follows, as in "Based on the text, I would say:"; a field has fewer words."""
    line = line.strip(" *_")
    return line.endswith(":") and len(line.split()) >= 4 and _ABOUT_THE_TASK.search(line[:300]) is not None


def framing(text: str) -> str:
    """Return the introduction or closing around an answer; empty if there is none."""
    text = text.strip()
    first = text.split("\n", 1)[0]
    if hit := _OPENING.match(first[:300]):
        return hit.group().strip()
    if first is not text and _leads_on(first):
        return first
    last = text.rsplit("\n", 1)[-1][:400]
    if "\n" in text and _CLOSING.match(last.lstrip(" *_(-")):
        return last
    return ""
