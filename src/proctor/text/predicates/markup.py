"""Predicates on markup: tags, tables, code, Markdown, and no additional text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from proctor.text.predicates.answer_framing import unfenced
from proctor.text.predicates.term import Check, Checked, Form, OutputView, no, short, verdict, yes
from proctor.text.predicates.values import Bound

__all__ = ["FORMS", "element_spans", "elements", "is_markup", "tag_name"]

_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*)((?:[\s/][^<>]*)?)>")
_MARKS: Final = {
    "a code block": re.compile(r"```|~~~"),
    "a heading": re.compile(r"(?m)^ {0,3}#{1,6}[ \t]+\S"),
    "bold": re.compile(r"\*\*[^*\n]{1,300}\*\*|(?<!\w)__[^_\n]{1,300}__(?!\w)"),
    "italics": re.compile(r"(?<![*\w])\*[^*\s][^*\n]{0,300}\*(?![*\w])"),
    "code": re.compile(r"`[^`\n]{1,300}`"),
    "a link": re.compile(r"\[[^\[\]\n]{1,300}\]\([^()\s]{1,500}\)"),
    "a bullet": re.compile(r"(?m)^[ \t]*[-*+][ \t]+\S"),
    "a table": re.compile(r"(?m)^\s{0,3}\|[^\n]*\|[ \t]*$"),
    "a quotation": re.compile(r"(?m)^ {0,3}>[ \t]"),
}
_VOID_TAGS = "area base br col embed hr img input link meta source track wbr"
_OTHER_TAGS = """
    a abbr address article aside audio b blockquote body button canvas caption cite code colgroup dd del details div
    dl dt em fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header html i iframe ins kbd label legend li
    main mark nav noscript ol optgroup option p picture pre q s samp script section select small span strong style sub
    summary sup svg table tbody td template textarea tfoot th thead time title tr u ul var video
"""
_MAY_END_UNSAID = "p li dt dd tr td th thead tbody tfoot option body head html"
_VOID = frozenset(_VOID_TAGS.split())
_KNOWN = _VOID | frozenset(_OTHER_TAGS.split())
_MAY_STAY_OPEN = frozenset(_MAY_END_UNSAID.split())


@lru_cache(maxsize=64)
def _tags(text: str) -> tuple[tuple[str, str, int, int], ...]:
    """Return each tag: ``open``, ``close`` or ``empty``, its lowercase name, its start and end."""
    found = []
    for hit in _TAG.finditer(text):
        kind = "close" if hit[1] else "empty" if hit[3].rstrip().endswith("/") else "open"
        found.append((kind, hit[2].lower(), hit.start(), hit.end()))
    return tuple(found)


def element_spans(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield where each element of that name begins and ends, its tags included, in order of their ends."""
    yield from ((begin, end) for begin, _, _, end in _elements_of(text, name))


def elements(text: str, name: str) -> Iterator[str]:
    """Yield the content between each opening tag of that name and its closing one, in order of their ends."""
    yield from (text[inside:stop] for _, inside, stop, _ in _elements_of(text, name))


def _elements_of(text: str, name: str) -> Iterator[tuple[int, int, int, int]]:
    opened: list[tuple[int, int]] = []
    for kind, found, start, end in _tags(text):
        if found != name:
            continue
        if kind == "open":
            opened.append((start, end))
        elif kind == "close" and opened:
            begin, inside = opened.pop()
            yield begin, inside, start, end


def _count(name: str, bound: Bound) -> Check:
    wanted = tag_name(name)

    def run(view: OutputView) -> Checked:
        found = sum(1 for kind, tag, _, _ in _tags(view.text) if tag == wanted and kind != "close")
        asked = bound.given(view.inputs)
        return verdict(asked.holds(found), f"{found} × <{wanted}> (asked: {asked.said})")

    return run


def _elements(name: str, bound: Bound) -> Check:
    wanted = tag_name(name)

    def run(view: OutputView) -> Checked:
        asked = bound.given(view.inputs)
        found = sum(1 for _ in elements(view.text, wanted))
        return verdict(asked.holds(found), f"{found} × <{wanted}>…</{wanted}> (asked: {asked.said})")

    return run


def tag_name(name: str) -> str:
    """Return the name of a tag, given with or without brackets."""
    wanted = name.strip().strip("<>/").lower()
    if not re.fullmatch(r"[a-z][\w:.-]*", wanted):
        raise ValueError(f"{name!r} is no name of a tag")
    return wanted


def _tags_only(names: Sequence[str]) -> Check:
    allowed = {tag_name(name) for name in names}

    def run(view: OutputView) -> Checked:
        for _, tag, start, end in _tags(view.text):
            if tag not in allowed:
                return no(f"<{tag}> is not among the allowed tags", view.text[start:end])
        return yes("only allowed tags")

    return run


def _problem(text: str) -> str:
    """Return why the text is not HTML; empty if it is."""
    text = text.strip()
    found = _tags(text)
    if not found or not text.startswith("<") or not text.endswith(">"):
        return "it does not begin and end with a tag"
    opened: list[str] = []
    for kind, tag, _, _ in found:
        if tag not in _KNOWN:
            return f"<{tag}> is no tag of HTML"
        if tag in _VOID or kind == "empty":
            continue
        if kind == "open":
            opened.append(tag)
            continue
        while opened and opened[-1] != tag and opened[-1] in _MAY_STAY_OPEN:
            opened.pop()
        if not opened or opened.pop() != tag:
            return f"</{tag}> closes nothing"
    left = [tag for tag in opened if tag not in _MAY_STAY_OPEN]
    return f"<{left[-1]}> is not closed" if left else ""


def is_markup(text: str) -> bool:
    """Whether the whole text is HTML or XML."""
    return not _problem(text) or not _xml_problem(text)


def _xml_problem(text: str) -> str:
    """Return why the text is not XML; empty if it is. Nothing in it is resolved or fetched."""
    from xml.parsers import expat  # noqa: PLC0415 - few predicates need it

    text = text.strip()
    if not text.startswith("<"):
        return "it does not begin with a tag"
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        return "it declares a document type, which is not read"
    try:
        expat.ParserCreate().Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        return f"{expat.ErrorString(error.code)} in line {error.lineno}"
    return ""


def _is_html() -> Check:
    def run(view: OutputView) -> Checked:
        problem = _problem(unfenced(view.text))
        return verdict(not problem, problem or "it is HTML")

    return run


def _is_xml() -> Check:
    def run(view: OutputView) -> Checked:
        problem = _xml_problem(unfenced(view.text))
        return verdict(not problem, problem or "it is XML")

    return run


def _has_table() -> Check:
    def run(view: OutputView) -> Checked:
        rows = view.text.splitlines()
        for above, rule in itertools.pairwise(rows):
            if "|" in rule and "-" in rule and "|" in above and not rule.strip(" \t|:-"):
                return yes("it has a table", above)
        return no("it has no table")

    return run


def _has_code_block() -> Check:
    def run(view: OutputView) -> Checked:
        closed = any(view.text.count(fence) >= 2 for fence in ("```", "~~~"))
        return verdict(closed, "it has a code block" if closed else "it has no code block")

    return run


def _markdown(wanted: bool) -> Check:
    def run(view: OutputView) -> Checked:
        for name, pattern in _MARKS.items():
            if hit := pattern.search(view.text):
                return verdict(wanted, f"it has {name}: {short(hit.group(), 40)!r}", hit.group())
        return verdict(not wanted, "no sign of Markdown")

    return run


FORMS = (
    Form(
        form="tags TEXT BOUND",
        meaning="how many tags of this name are opened",
        example='tags "p" >= 3',
        make=_count,
        also=("tag TEXT BOUND",),
    ),
    Form(
        form="elements TEXT BOUND",
        meaning="how many elements of this name there are, opened and closed",
        example='elements "li" between 3 and 5',
        make=_elements,
        also=("element TEXT BOUND",),
    ),
    Form(
        form="tags only TEXTS",
        meaning="no other tags than these",
        example='tags only "p", "strong", "em"',
        make=_tags_only,
        also=("only tags TEXTS",),
    ),
    Form(
        form="is html",
        meaning="all of it is HTML, every tag known and closed; a code block around it is allowed",
        example="is html",
        make=_is_html,
    ),
    Form(
        form="is xml",
        meaning="all of it is one well-formed XML element; a code block around it is allowed",
        example="is xml",
        make=_is_xml,
    ),
    Form(
        form="is table",
        meaning="a Markdown table is in it",
        example="is table",
        make=_has_table,
        also=("has table", "has a table"),
    ),
    Form(
        form="has code block",
        meaning="a fenced code block is in it",
        example="has code block",
        make=_has_code_block,
        also=("has a code block",),
    ),
    Form(
        form="no markdown",
        meaning="no Markdown: headings, bold, italics, code, links, bullets, tables, quotations",
        example="no markdown",
        make=lambda: _markdown(wanted=False),
    ),
    Form(
        form="has markdown",
        meaning="a sign of Markdown is in it",
        example="has markdown",
        make=lambda: _markdown(wanted=True),
        also=("is markdown",),
    ),
)
