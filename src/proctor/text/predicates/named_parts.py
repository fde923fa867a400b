"""Predicates on a part with a name or a number: a section, a labelled line, the third line, a code block.

A part that is not there is no fault of its own: the predicate does not apply, and whether the part must be there is
asked by another one (``fields in order``, ``tags``, ``lines``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from proctor.text.predicates.markup import element_spans, tag_name
from proctor.text.predicates.measures import paragraphs
from proctor.text.predicates.term import Check, Checked, Form, OutputView, no, skipped, yes
from proctor.text.split import lines

__all__ = ["FORMS"]

_HEADING: Final = re.compile(r"(?P<signs>#{1,6})[ \t]+|(?P<bold>\*\*|__)(?=[^*_\n]{1,120}(?:\*\*|__)[:：]?$)")
_EDGE: Final = " \t#*_:：【】[]"
_NUMBERED: Final = re.compile(r"\(?\d{1,3}[.)][ \t]+")
_FENCE: Final = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})")
_LABEL_MARKS: Final = re.compile(r"[ \t]*(?:[-*+•>][ \t]+|\(?\d{1,3}[.)][ \t]+)?[*_`\"]{0,3}")


def _style(line: str) -> str:
    """Return how a line shows that it is a heading; empty if nothing shows it."""
    bare = line.strip()
    if found := _HEADING.match(bare):
        return found["signs"] or "bold"
    if bare.startswith("【"):
        return "【"
    letters = [character for character in bare if character.isalpha()]
    if len(letters) > 1 and all(character.isupper() for character in letters):
        return "capitals"
    return "colon" if bare.endswith((":", "：")) else ""


def _name(line: str) -> str:
    return _NUMBERED.sub("", line.strip().strip(_EDGE), count=1).strip(_EDGE).casefold()


def _ends(found: str, style: str) -> bool:
    """Whether a line of one style ends the section under a heading of another."""
    if style.startswith("#"):
        return found.startswith("#") and len(found) <= len(style)
    return bool(found) and found == style


def section(text: str, name: str) -> str | None:
    """Return what stands under a heading, up to the next one of its kind; None if there is no such heading."""
    rows = text.split("\n")
    wanted = _name(name)
    begin = next((at for at, row in enumerate(rows) if _style(row) and _name(row) == wanted), None)
    if begin is None:
        return None
    style = _style(rows[begin])
    stop = next((at for at in range(begin + 1, len(rows)) if _ends(_style(rows[at]), style)), len(rows))
    return "\n".join(rows[begin + 1 : stop]).strip()


def labelled(text: str, label: str) -> list[str]:
    """Return what stands after a label and a colon on each line that begins with them."""
    wanted = label.strip().rstrip(":：").strip()
    found = []
    for row in text.split("\n"):
        at = _LABEL_MARKS.match(row).end() if row else 0  # type: ignore[union-attr]
        if row[at : at + len(wanted)].casefold() != wanted.casefold():
            continue
        if behind := re.match(r"[*_`\"]{0,3}\s?[:：][*_`\"]{0,3}", row[at + len(wanted) :]):
            found.append(row[at + len(wanted) + behind.end() :].strip())
    return found


def code_blocks(text: str) -> list[tuple[int, int, str]]:
    """Return the fenced code blocks of a text: start and end with the fences, and the code between them."""
    found: list[tuple[int, int, str]] = []
    fence, begin, inside, at = "", 0, 0, 0
    for row in text.splitlines(keepends=True):
        mark = _FENCE.match(row)
        if mark and not fence:
            fence, begin, inside = mark["fence"], at, at + len(row)
        elif mark and mark["fence"].startswith(fence) and not row.strip(" \t`~\r\n"):
            found.append((begin, at + len(row), text[inside:at].rstrip("\n")))
            fence = ""
        at += len(row)
    return found


def _within(found: Sequence[str], inner: Check, view: OutputView, name: str) -> Checked:
    """Check every part of this name; without one it does not apply."""
    open_end: Checked | None = None
    for part in found:
        checked = inner(view.of(part))
        if checked.ok is False:
            return no(f"{name}: {checked.reason}", checked.quote or part)
        if checked.ok is None and (open_end is None or not checked.known):
            open_end = checked
    if open_end is not None:
        return open_end
    return yes(f"{name} keeps it") if found else skipped(f"there is no {name}")


def _section(name: str, inner: Check) -> Check:
    if not name.strip(_EDGE):
        raise ValueError("the name of the section is empty")

    def run(view: OutputView) -> Checked:
        found = section(view.text, name)
        return _within([] if found is None else [found], inner, view, f"section {name!r}")

    return run


def _labelled(label: str, inner: Check) -> Check:
    if not label.strip(_EDGE):
        raise ValueError("the label is empty")
    return lambda view: _within(labelled(view.text, label), inner, view, f"line with the label {label!r}")


def _numbered(cut: Callable[[str], Sequence[str]], name: str) -> Callable[[float, Check], Check]:
    def make(number: float, inner: Check) -> Check:
        if number != int(number) or number < 1:
            raise ValueError(f"the number of a {name} is 1 or more")
        at = int(number) - 1
        return lambda view: _within(list(cut(view.text))[at : at + 1], inner, view, f"{name} {at + 1}")

    return make


def _last_paragraph(inner: Check) -> Check:
    return lambda view: _within(paragraphs(view.text)[-1:], inner, view, "last paragraph")


def _each_code_block(inner: Check) -> Check:
    return lambda view: _within([code for _, _, code in code_blocks(view.text)], inner, view, "code block")


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    kept, at = [], 0
    for low, high in sorted(spans):
        kept.append(text[at : max(at, low)])
        at = max(at, high)
    return "".join([*kept, text[at:]]).strip()


def _outside_code(inner: Check) -> Check:
    def run(view: OutputView) -> Checked:
        spans = [(low, high) for low, high, _ in code_blocks(view.text)]
        return _within([_without(view.text, spans)] if spans else [], inner, view, "text outside code blocks")

    return run


def _outside_tags(names: Sequence[str], inner: Check) -> Check:
    tags = [tag_name(name) for name in names]

    def run(view: OutputView) -> Checked:
        spans = [span for tag in tags for span in element_spans(view.text, tag)]
        return _within([_without(view.text, spans)] if spans else [], inner, view, "text outside the tags")

    return run


FORMS = (
    Form(
        form="section TEXT: PRED",
        meaning="what stands under this heading (Markdown, bold, in capitals, or a line that ends with a colon), up to "
        "the next one of its kind, keeps it",
        example='section "TOOLS": lines = 1',
        make=_section,
    ),
    Form(
        form="labelled TEXT: PRED",
        meaning="what stands after this label and a colon, to the end of the line, keeps it",
        example='labelled "Reason": words <= 12',
        make=_labelled,
    ),
    Form(
        form="line NUMBER: PRED",
        meaning="the line of this number, blank ones not counted, keeps it",
        example='line 2: starts with "Serves"',
        make=_numbered(lines, "line"),
    ),
    Form(
        form="paragraph NUMBER: PRED",
        meaning="the paragraph of this number keeps it",
        example="paragraph 2: sentences <= 3",
        make=_numbered(paragraphs, "paragraph"),
    ),
    Form(
        form="last paragraph: PRED",
        meaning="the last paragraph keeps it",
        example="last paragraph: questions = 1",
        make=_last_paragraph,
    ),
    Form(
        form="each code block: PRED",
        meaning="the code in each fenced block keeps it",
        example='each code block: ends with ";"',
        make=_each_code_block,
        also=("every code block: PRED",),
    ),
    Form(
        form="outside code blocks: PRED",
        meaning="what stands outside the fenced blocks keeps it",
        example="outside code blocks: is empty",
        make=_outside_code,
    ),
    Form(
        form="outside tags TEXTS: PRED",
        meaning="what stands outside the tags of these names keeps it",
        example='outside tags "answer", "note": is empty',
        make=_outside_tags,
    ),
)
