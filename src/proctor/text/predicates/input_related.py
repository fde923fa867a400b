"""Predicates that compare a text with its input: quoted, repeated, taken from it, shorter, same language."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from proctor.text.find_phrase import occurrences
from proctor.text.numbers import find_numbers
from proctor.text.predicates.comparable_text import folded, plain, stripped
from proctor.text.predicates.json_shape import read, said, whole
from proctor.text.predicates.language import code_of, in_language
from proctor.text.predicates.language_guess import language
from proctor.text.predicates.term import (
    LONGEST,
    Check,
    Checked,
    Form,
    OutputView,
    no,
    plural,
    short,
    skipped,
    unknown,
    verdict,
    yes,
)

__all__ = ["FORMS"]

_QUOTED = re.compile(r"\"([^\"\n]{2,500})\"|“([^”\n]{2,500})”|«([^»\n]{2,500})»|「([^」\n]{1,500})」|(?m:^> ?(.+)$)")
_MOST_PIECES = 2_000


def _beside(compare: Callable[[OutputView, str], Checked]) -> Callable[[], Check]:
    """Make a check that needs the input."""

    def run(view: OutputView) -> Checked:
        if not view.inputs:
            return unknown("the input is not known")
        source = view.source
        if len(source) > LONGEST:
            return unknown(f"an input of {len(source):,} characters is too long to compare with")
        return compare(view, source)

    return lambda: run


def _quotes(view: OutputView, source: str) -> Checked:
    found = [next(filter(None, hit.groups())) for hit in _QUOTED.finditer(view.text)][:_MOST_PIECES]
    if not found:
        return skipped("it quotes nothing")
    said = plain(source)
    made_up = next((quote for quote in found if stripped(plain(quote)) not in said), None)
    if made_up is not None:
        return no(f"{short(made_up, 60)!r} is quoted but not in the input", made_up)
    return yes(f"its {len(found)} quotations are in the input", found[0])


def _repeats(view: OutputView, source: str) -> Checked:
    said = stripped(plain(source))
    if not said:
        return skipped("the input is empty")
    has = said in plain(view.text)
    return verdict(has, "it has the whole input in it" if has else "it does not repeat the input")


def _from(view: OutputView, source: str) -> Checked:
    pieces = _pieces(view.text)
    if not pieces:
        return skipped("there is nothing in it")
    said = plain(source)
    words = _words(said)
    for piece in pieces:
        wanted = stripped(plain(piece))
        if wanted and wanted not in words and not _occurs(view, wanted, said):
            return no(f"{short(piece, 60)!r} is not in the input", piece)
    return yes(f"{plural(len(pieces), 'pieces')}, all in the input")


@lru_cache(maxsize=16)
def _words(said: str) -> frozenset[str]:
    return frozenset(stripped(word) for word in said.split())


def _occurs(view: OutputView, wanted: str, said: str) -> bool:
    """Whether it occurs there, not as a part of a longer word."""
    view.spend(len(said))
    return bool(occurrences(wanted, folded(said, False), whole_words=True, most=1))


def _pieces(text: str) -> list[str]:
    """Return the strings of a JSON value, or the words."""
    if whole(text):
        found: list[str] = []
        left: list[Any] = [read(text)]
        while left and len(found) < _MOST_PIECES:
            value = left.pop()
            if isinstance(value, dict):
                left.extend(value.values())
            elif isinstance(value, list):
                left.extend(value)
            elif isinstance(value, str) and value.strip():
                found.append(value)
        return found
    return [word for word in text.split() if any(map(str.isalnum, word))]


def _same_language(view: OutputView, source: str) -> Checked:
    code = language(source)
    if code is None:
        return unknown("too few telling words to say which language the input is in")
    return in_language(view.text, code)


def _length(shorter: bool) -> Callable[[OutputView, str], Checked]:
    def compare(view: OutputView, source: str) -> Checked:
        mine, theirs = len(view.text.split()), len(source.split())
        if mine == theirs:  # scripts without spaces, and close calls
            mine, theirs, what = len(view.text.strip()), len(source.strip()), "characters"
        else:
            what = "words"
        return verdict(mine < theirs if shorter else mine > theirs, f"{mine:,} {what}, the input has {theirs:,}")

    return compare


def _keeps_numbers(view: OutputView, source: str) -> Checked:
    wanted = {number.value: source[number.start : number.end] for number in find_numbers(source)}
    if not wanted:
        return skipped("there are no numbers in the input")
    found = {number.value for number in find_numbers(view.text)}
    lost = next((shown for value, shown in wanted.items() if value not in found), None)
    return yes("it has the numbers of the input") if lost is None else no(f"{lost!r} of the input is missing", lost)


def _no_new_numbers(view: OutputView, source: str) -> Checked:
    known = {number.value for number in find_numbers(source)}
    for number in find_numbers(view.text):
        if number.value not in known:
            shown = view.text[number.start : number.end]
            return no(f"the number {shown!r} is not in the input", shown)
    return yes("no number that is not in the input")


def _named(compare: Callable[[OutputView, str], Checked]) -> Callable[[str], Check]:
    """Make a check that needs one named input."""

    def make(name: str) -> Check:
        def run(view: OutputView) -> Checked:
            if name not in view.inputs:
                return unknown(f"there is no input called {name!r}")
            given = view.inputs[name].strip()
            if len(given) > LONGEST:
                return unknown(f"an input of {len(given):,} characters is too long to compare with")
            return compare(view, given) if given else skipped(f"the input {name!r} is empty")

        return run

    return make


def _contains_input(view: OutputView, given: str) -> Checked:
    has = plain(given) in plain(view.text)
    return verdict(has, f"it has {short(given, 40)!r}" if has else f"it lacks {short(given, 40)!r}")


def _one_of_input(view: OutputView, given: str) -> Checked:
    listed = read(given)
    labels = [said(each) for each in listed] if isinstance(listed, list) else re.split(r"[,;|\n]", given)
    mine = stripped(plain(view.text))
    for label in labels:
        if stripped(plain(label.strip(" \t-*•"))) == mine:
            return yes(f"it is {label.strip()!r}", label)
    return no(f"{short(view.text, 60)!r} is none of the {len(labels)} given", view.text)


def _language_of_input(view: OutputView, given: str) -> Checked:
    code = code_of(given)
    return unknown(f"{short(given, 40)!r} is no language known here") if code is None else in_language(view.text, code)


FORMS = (
    Form(
        form="quotes the input",
        meaning="everything it has in quotation marks occurs in the input",
        example="quotes the input",
        make=_beside(_quotes),
    ),
    Form(
        form="repeats the input",
        meaning="the whole input occurs in it",
        example="not (repeats the input)",
        make=_beside(_repeats),
    ),
    Form(
        form="from the input",
        meaning="each of its words (each string, where it is JSON) occurs in the input",
        example="from the input",
        make=_beside(_from),
        also=("is from the input",),
    ),
    Form(
        form="same language as the input",
        meaning="it is in the language of the input",
        example="same language as the input",
        make=_beside(_same_language),
    ),
    Form(
        form="shorter than the input",
        meaning="it has fewer words than the input",
        example="shorter than the input",
        make=_beside(_length(shorter=True)),
        also=("is shorter than the input",),
    ),
    Form(
        form="longer than the input",
        meaning="it has more words than the input",
        example="longer than the input",
        make=_beside(_length(shorter=False)),
        also=("is longer than the input",),
    ),
    Form(
        form="keeps the numbers of the input",
        meaning="each number of the input occurs in it",
        example="keeps the numbers of the input",
        make=_beside(_keeps_numbers),
    ),
    Form(
        form="no new numbers",
        meaning="each number in it occurs in the input",
        example="no new numbers",
        make=_beside(_no_new_numbers),
    ),
    Form(
        form="contains the input TEXT",
        meaning="the value of the input of that name occurs in it, whatever the case",
        example='contains the input "customer_name"',
        make=_named(_contains_input),
        also=("mentions the input TEXT", "contains input TEXT"),
    ),
    Form(
        form="one of the input TEXT",
        meaning="all of it is one of the values that the input of that name lists",
        example='one of the input "categories"',
        make=_named(_one_of_input),
        also=("is one of the input TEXT", "one of input TEXT"),
    ),
    Form(
        form="language is the input TEXT",
        meaning="it is in the language that the input of that name names",
        example='language is the input "target_language"',
        make=_named(_language_of_input),
        also=("language is input TEXT",),
    ),
)
