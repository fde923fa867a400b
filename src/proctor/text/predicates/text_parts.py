"""Predicates on a part of the text: each line, the first line, the content of a tag, the text after a mark."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proctor.text.predicates.json_shape import NOTHING, read, said
from proctor.text.predicates.markup import elements, tag_name
from proctor.text.predicates.measures import paragraphs
from proctor.text.predicates.order import list_items, pieces
from proctor.text.predicates.term import Check, Checked, Form, OutputView, no, short, skipped, unknown, yes
from proctor.text.predicates.values import Pattern
from proctor.text.split import lines, sentences

__all__ = ["FORMS"]

Cut = Callable[[str], Sequence[str]]


def _over(view: OutputView, cut: Sequence[str], inner: Check, name: str) -> Checked:
    """Check that every piece matches the predicate; without pieces it does not apply."""
    if not cut:
        return skipped(f"there is no {name}")
    open_end: Checked | None = None
    applied = 0
    for at, piece in enumerate(cut, start=1):
        found = inner(view.of(piece))
        if found.ok is False:
            return no(f"{name} {at} of {len(cut)}: {found.reason}", found.quote or piece)
        applied += found.ok is True
        if found.ok is None and (open_end is None or not found.known):
            open_end = found
    if open_end is not None and (not open_end.known or not applied):
        return open_end
    return yes(f"each {name} keeps it ({len(cut)})")


def _each(cut: Cut, name: str) -> Callable[[Check], Check]:
    return lambda inner: lambda view: _over(view, cut(view.text), inner, name)


def _each_match(wanted: str | Pattern, inner: Check) -> Check:
    if isinstance(wanted, str):
        tag = tag_name(wanted)
        return lambda view: _over(view, list(elements(view.text, tag)), inner, f"<{tag}>")
    searched = wanted.searching(groups=True)

    def run(view: OutputView) -> Checked:
        return _over(view, searched.parts(view.text), inner, f"match of {wanted.text}")

    return run


def _each_piece(mark: str, inner: Check) -> Check:
    if not mark:
        raise ValueError("the mark is empty")
    return lambda view: _over(view, pieces(view.text, mark), inner, "piece")


def _one(pick: Callable[[str], str]) -> Callable[[Check], Check]:
    return lambda inner: lambda view: inner(view.of(pick(view.text)))


def _nth(cut: Cut, at: int) -> Callable[[Check], Check]:
    def pick(text: str) -> str:
        found = cut(text)
        return found[at] if found else ""

    return _one(pick)


def _json_items(text: str) -> list[str]:
    value = read(text)
    return [said(item) for item in value] if value is not NOTHING and isinstance(value, list) else []


def _beside(after: bool) -> Callable[[str, Check], Check]:
    def make(mark: str, inner: Check) -> Check:
        if not mark:
            raise ValueError("the mark is empty")

        def run(view: OutputView) -> Checked:
            before, found, behind = view.text.partition(mark)
            if not found:
                return no(f"there is no {mark!r} in it")
            return inner(view.of((behind if after else before).strip()))

        return run

    return make


def _of_input(inner: Check) -> Check:
    def run(view: OutputView) -> Checked:
        if not view.inputs:
            return unknown("the input is not known")
        return _about_input(inner(view.of(view.source)))

    return run


def _of_named_input(name: str, inner: Check) -> Check:
    def run(view: OutputView) -> Checked:
        if name not in view.inputs:
            return unknown(f"there is no input called {name!r}")
        return _about_input(inner(view.of(view.inputs[name])))

    return run


def _about_input(found: Checked) -> Checked:
    return Checked(ok=found.ok, reason=f"input: {short(found.reason)}", quote=found.quote, known=found.known)


FORMS = (
    Form(
        form="each PATTERN: PRED",
        meaning="what is inside each tag of this name (or in each match, its first group) keeps the predicate",
        example='each "p": tags "strong" = 1',
        make=_each_match,
        also=("each tag PATTERN: PRED",),
    ),
    Form(
        form="each line: PRED",
        meaning="each line that is not blank keeps it",
        example="each line: words <= 12",
        make=_each(lines, "line"),
        also=("every line: PRED",),
    ),
    Form(
        form="each sentence: PRED",
        meaning="each sentence keeps it",
        example="each sentence: words <= 20",
        make=_each(sentences, "sentence"),
        also=("every sentence: PRED",),
    ),
    Form(
        form="each paragraph: PRED",
        meaning="each paragraph keeps it",
        example="each paragraph: sentences between 2 and 4",
        make=_each(paragraphs, "paragraph"),
        also=("every paragraph: PRED",),
    ),
    Form(
        form="each word: PRED",
        meaning="each word keeps it",
        example="each word: characters <= 12",
        make=_each(str.split, "word"),
        also=("every word: PRED",),
    ),
    Form(
        form="each item: PRED",
        meaning="each item of a bulleted or numbered list, without its mark, keeps it",
        example="each item: words <= 10",
        make=_each(list_items, "item"),
        also=("every item: PRED", "each bullet: PRED"),
    ),
    Form(
        form="each piece TEXT: PRED",
        meaning="each piece between these marks keeps it",
        example='each piece ",": words <= 3',
        make=_each_piece,
    ),
    Form(
        form="each json item: PRED",
        meaning="each item of the JSON array, as a text, keeps it",
        example='each json item: one of "a", "b"',
        make=_each(_json_items, "item"),
    ),
    Form(
        form="first line: PRED",
        meaning="the first line that is not blank keeps it",
        example='first line: starts with "#"',
        make=_nth(lines, 0),
    ),
    Form(
        form="last line: PRED",
        meaning="the last line that is not blank keeps it",
        example='last line: ends with "?"',
        make=_nth(lines, -1),
    ),
    Form(
        form="first sentence: PRED",
        meaning="the first sentence keeps it",
        example="first sentence: words <= 15",
        make=_nth(sentences, 0),
    ),
    Form(
        form="last sentence: PRED",
        meaning="the last sentence keeps it",
        example='last sentence: ends with "?"',
        make=_nth(sentences, -1),
    ),
    Form(
        form="before TEXT PRED",
        meaning="what stands before the first such mark keeps it",
        example='before ":" words <= 3',
        make=_beside(after=False),
    ),
    Form(
        form="after TEXT PRED",
        meaning="what stands after the first such mark keeps it",
        example='after "Answer:" is integer',
        make=_beside(after=True),
    ),
    Form(
        form="input TEXT PRED",
        meaning="the input of that name keeps it, instead of the text",
        example='input "language" is "en"',
        make=_of_named_input,
    ),
    Form(
        form="input PRED",
        meaning="the only input (or all of them together) keeps it, instead of the text",
        example="input words <= 5",
        make=_of_input,
        also=("the input PRED",),
    ),
)
