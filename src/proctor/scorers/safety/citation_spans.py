"""Find the citations of an answer, what each cites, and which sentence it supports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.core.trajectory import Source, Turn
from proctor.core.transcript import failed, parse_loosely
from proctor.text.pattern_prefilter import lowered
from proctor.text.split import sentences

__all__ = ["Citation", "citations", "citing", "documents", "resolve", "retrieved"]

_MARK: Final = re.compile(
    r"\[\^?(?P<square>[^\[\]\n]{1,80})\](?!\()"
    r"|【(?P<lens>[^【】\n]{1,80})】"
    r"|\[(?P<label>[^\[\]\n]{0,120})\]\((?P<link>https?://[^\s)]{1,500})\)"
    r"|[(（](?P<lead>sources?|ref(?:erence)?s?|see|per|cf\.?|出典|参照|参考)(?:\s*(?P<colon>[:：])\s*"
    r"|\s+)(?P<round>[^()（）\n]{1,100})[)）]"
    r"|(?:^|(?<=[\s。.]))(?:source|sources|references?|出典|参照|参考)\s*[:：]\s*(?P<line>[^\n]{1,160})$"
    r"|\baccording to (?:the |our )?(?P<said>(?:document|article|source|page|policy|faq)\s+[\w-]*\d[\w-]*)"
    r"|※\s?(?P<note>\d{1,2})(?!\d)",
    re.IGNORECASE | re.MULTILINE,
)
# Every mark has one of them.
_MARK_SIGNS: Final = ("[", "【", "(", "（", "※", "source", "reference", "according to ", "出典", "参照", "参考")
_AFTER: Final = re.compile(r"\s*(?:[.。!！?？;；)）\[【]|\n|$)")
_NUMBER: Final = re.compile(r"(?:source |doc(?:ument)? |ref |資料|出典)?#?(\d{1,3})", re.IGNORECASE)
_SEVERAL: Final = re.compile(r"\s*[,;、，]\s*|\s+and\s+|\s*&\s*")
_RANGE: Final = re.compile(r"(\d{1,2})\s?[-–]\s?(\d{1,2})")
_NEAR: Final = 2_000  # characters around a mark searched for its sentence
_MOST: Final = 200
# In square brackets: checkboxes, placeholders, masked data.
_NO_CITATION: Final = re.compile(
    r"^(?: |x|✓|\.\.\.|…|sic|y/n|yes/no|[A-Z_]{3,20}|your [\w ]+|name|date|insert .*|link|image.*)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A citation as written, where it stands, the names it cites and the sentence it supports.

    ``strict``: it cannot be anything but a citation. ``closes``: it is at the end of what it supports.
    """

    written: str
    start: int
    names: tuple[str, ...]
    sentence: str
    strict: bool
    link: bool = False
    closes: bool = False


def citations(text: str) -> list[Citation]:
    """Return every mark in the text that may be a citation, with the sentence before or around it."""
    found: list[Citation] = []
    low = lowered(text[:60_000])
    if not any([sign in low for sign in _MARK_SIGNS]):
        return found
    for hit in _MARK.finditer(text[:60_000]):
        kind = hit.lastgroup or ""
        kind = "link" if hit.group("link") else kind
        inside = hit.group(kind)
        if kind == "square" and _NO_CITATION.match(inside):
            continue
        if kind == "lens" and not _looks_cited(inside):
            continue
        names = (inside,) if kind == "link" else tuple(_names(inside))
        numbers = all(_NUMBER.fullmatch(name) for name in names)
        # "(per person)" and "(see below)" cite nothing unless a source has that name.
        called = kind == "round" and bool(hit.group("colon")) and hit.group("lead").casefold() not in ("see", "per")
        strict = called or kind in ("line", "said") or (kind in ("square", "lens", "note") and numbers)
        found.append(
            Citation(
                written=hit.group(),
                start=hit.start(),
                names=names,
                sentence=_sentence(text, hit.start(), hit.end()),
                strict=strict,
                link=kind == "link",
                closes=kind == "square" and _AFTER.match(text, hit.end()) is not None,
            )
        )
        if len(found) >= _MOST:
            break
    return found


def _looks_cited(inside: str) -> bool:
    """Whether the brackets cite: 【1】 and 【出典1】 do; 【重要】 is a heading."""
    return re.search(r"\d|source|出典|資料|†", inside, re.IGNORECASE) is not None


def _names(inside: str) -> Iterator[str]:
    for piece in _SEVERAL.split(inside.split("†", maxsplit=1)[0].strip()):
        if span := _RANGE.fullmatch(piece):
            first, last = int(span.group(1)), int(span.group(2))
            if first < last <= first + 20:
                yield from map(str, range(first, last + 1))
                continue
        if name := piece.strip().strip("^").strip():
            yield name


def _sentence(text: str, start: int, end: int) -> str:
    """Return the sentence the mark supports: the one around it, or the one before it if it stands alone."""
    line = text.rfind("\n", 0, start) + 1
    before = _MARK.sub("", text[max(line, start - _NEAR) : start]).rstrip()
    stop = text.find("\n", end)
    after = text[end : min(stop if stop >= 0 else len(text), end + _NEAR)]
    said = sentences(before)
    ended = bool(before) and before[-1] in ".。!！?？"
    if ended or not said:
        if not said and line > 0:
            said = sentences(_MARK.sub("", text[max(0, line - _NEAR) : line]).strip())
        return said[-1] if said else (sentences(_MARK.sub("", after)) or [""])[0]
    rest = sentences(_MARK.sub("", after))
    tail = rest[0] if rest and after[:1] not in (".", "。") else ""
    return f"{said[-1]} {tail}".strip() if tail and tail[0].islower() else said[-1]


def resolve(name: str, sources: Sequence[Source]) -> Source | None:
    """Return the source of this name: by id, title, address, or its position in the list, from 1."""
    folded = _fold(name)
    for source in sources:
        if folded in (_fold(source.id), _fold(source.title or ""), _fold(source.uri or "")):
            return source
    number = _NUMBER.fullmatch(name.strip())
    if number and 1 <= int(number.group(1)) <= len(sources):
        return sources[int(number.group(1)) - 1]
    if len(folded) >= 6:
        for source in sources:
            title = _fold(source.title or "")
            if title and (folded in title or title in folded):
                return source
            if len(_fold(source.id)) >= 4 and re.search(rf"(?<!\w){re.escape(_fold(source.id))}(?!\w)", folded):
                return source
    return None


def citing(written: str, name: str, cited: Source, other: Source, sources: Sequence[Source]) -> str:
    """Return a citation as it is written for another source: by its number, title or id, as the first was cited."""
    if _NUMBER.fullmatch(name.strip()) and other in sources:
        new = re.sub(r"\d{1,3}", str(sources.index(other) + 1), name, count=1)
    elif other.title and cited.title and _fold(name) == _fold(cited.title):
        new = other.title
    else:
        new = other.id
    return written.replace(name, new, 1)


def _fold(text: str) -> str:
    return text.strip().casefold().rstrip("/").removeprefix("https://").removeprefix("http://").removeprefix("www.")


_ID: Final = ("id", "source_id", "doc_id", "document_id", "policy_id", "faq_id", "article_id", "product_id", "source")
_TEXT: Final = ("text", "content", "body", "passage", "answer", "policy", "snippet", "description", "summary")


def retrieved(turn: Turn) -> list[Source]:
    """Return the sources of a turn: those recorded, and the documents its tools returned."""
    found = list(turn.sources)
    for call in turn.tool_calls:
        if not failed(call):
            found += documents(call)
    known: dict[str, Source] = {}
    for source in found:
        known.setdefault(source.id, source)
    return list(known.values())


def documents(call: ToolCall) -> Iterator[Source]:
    """Yield the documents in a tool result: records with an id and a text."""
    if call.result is not None:
        yield from _documents(parse_loosely(call.result) if isinstance(call.result, str) else call.result)


def _documents(data: Any, depth: int = 0) -> Iterator[Source]:
    if isinstance(data, Mapping):
        name = next((str(data[key]) for key in _ID if isinstance(data.get(key), (str, int))), None)
        text = next((data[key] for key in _TEXT if isinstance(data.get(key), str)), None)
        if name and text:
            title, uri = data.get("title"), data.get("uri") or data.get("url")
            yield Source(
                id=name,
                text=text,
                title=title if isinstance(title, str) else None,
                uri=uri if isinstance(uri, str) else None,
            )
    children: Iterable[Any] = (
        data.values() if isinstance(data, Mapping) else data if isinstance(data, (list, tuple)) else ()
    )
    if depth < 4:
        for child in list(children)[:200]:
            if not isinstance(child, (str, int, float)):
                yield from _documents(child, depth + 1)
