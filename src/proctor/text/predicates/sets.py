"""Predicates on what a text may, must and must not contain: labels, phrases, words, characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proctor.text.find_phrase import occurrences
from proctor.text.predicates.comparable_text import folded, same, stripped
from proctor.text.predicates.term import Check, Checked, Form, OutputView, no, short, verdict, yes
from proctor.text.predicates.values import Pattern

__all__ = ["FORMS"]

_SEARCH = ("ignoring case", "as words")
_WHOLE = ("ignoring case", "ignoring punctuation")


def _one_of(labels: Sequence[str], *, options: frozenset[str]) -> Check:
    ignore_case, loose = "ignoring case" in options, "ignoring punctuation" in options
    allowed = {same(label, ignore_case=ignore_case): label for label in labels}

    def run(view: OutputView) -> Checked:
        for text in (view.text, stripped(view.text)) if loose else (view.text,):
            if (label := allowed.get(same(text, ignore_case=ignore_case))) is not None:
                return yes(f"it is {label!r}", label)
        many = f"none of the {len(labels)} allowed" if len(labels) > 1 else f"not {labels[0]!r}"
        return no(f"{short(view.text, 60)!r} is {many}", view.text)

    return run


def _is_text(label: str, *, options: frozenset[str]) -> Check:
    return _one_of((label,), options=options)


Finder = Callable[[OutputView], dict[str, str]]


def _finder(phrases: Sequence[str], options: frozenset[str]) -> Finder:
    """Return a function that finds which of the phrases occur, each with the matched text."""
    if not all(phrases):
        raise ValueError("a text to look for is empty")
    ignore_case, whole = "ignoring case" in options, "as words" in options
    if not ignore_case and not whole:
        return lambda view: {phrase: phrase for phrase in phrases if phrase in view.text}

    def find(view: OutputView) -> dict[str, str]:
        text = folded(view.text, ignore_case)
        places = ((phrase, occurrences(phrase, text, whole_words=whole, most=1)) for phrase in phrases)
        return {phrase: text.quote(*found[0]) for phrase, found in places if found}

    return find


def _listed(phrases: Sequence[str]) -> str:
    return ", ".join(repr(short(phrase, 40)) for phrase in phrases[:5]) + (", …" if len(phrases) > 5 else "")


def _all(phrases: Sequence[str], *, options: frozenset[str]) -> Check:
    find = _finder(phrases, options)

    def run(view: OutputView) -> Checked:
        found = find(view)
        missing = [phrase for phrase in phrases if phrase not in found]
        if missing:
            return no(f"it lacks {_listed(missing)}")
        return yes(f"it has {_listed(phrases)}", found[phrases[0]])

    return run


def _any(phrases: Sequence[str], *, options: frozenset[str]) -> Check:
    find = _finder(phrases, options)

    def run(view: OutputView) -> Checked:
        found = find(view)
        if not found:
            return no(f"it has none of {_listed(phrases)}" if len(phrases) > 1 else f"it lacks {_listed(phrases)}")
        return yes(f"it has {_listed(list(found))}", next(iter(found.values())))

    return run


def _none(phrases: Sequence[str], *, options: frozenset[str]) -> Check:
    find = _finder(phrases, options)

    def run(view: OutputView) -> Checked:
        found = find(view)
        if found:
            return no(f"it has {_listed(list(found))}", next(iter(found.values())))
        return yes(f"it has none of {_listed(phrases)}")

    return run


def _only_words(allowed: Sequence[str], *, options: frozenset[str]) -> Check:
    ignore_case = "ignoring case" in options
    known = {same(word, ignore_case=ignore_case) for phrase in allowed for word in (phrase, *phrase.split())}

    def run(view: OutputView) -> Checked:
        for word in view.text.split():
            if not {same(word, ignore_case=ignore_case), same(stripped(word), ignore_case=ignore_case)} & known:
                return no(f"{short(word, 60)!r} is not among the allowed words", word)
        return verdict(bool(view.text.strip()), "only allowed words" if view.text.strip() else "it is empty")

    return run


def _only_characters(allowed: Pattern) -> Check:
    def run(view: OutputView) -> Checked:
        text = view.text.strip()
        for character in sorted(set(text)):
            if not allowed.fullmatch(character):
                return no(f"{character!r} is not among the allowed characters", character)
        return verdict(bool(text), "only allowed characters" if text else "it is empty")

    return run


FORMS = (
    Form(
        form="one of TEXTS",
        meaning="the whole text, trimmed, is one of these",
        example='one of "World", "Sports", "Business" ignoring case',
        make=_one_of,
        also=("is one of TEXTS", "is either TEXTS"),
        options=_WHOLE,
    ),
    Form(
        form="is TEXT",
        meaning="the whole text, trimmed, is this",
        example='is "NA"',
        make=_is_text,
        also=("is exactly TEXT", "equals TEXT"),
        options=_WHOLE,
    ),
    Form(
        form="contains all TEXTS",
        meaning="each of these occurs",
        example='contains all "name", "price"',
        make=_all,
        options=_SEARCH,
    ),
    Form(
        form="contains any TEXTS",
        meaning="at least one of these occurs",
        example='contains any "thou", "hath" ignoring case as words',
        make=_any,
        also=("contains any of TEXTS", "contains one of TEXTS"),
        options=_SEARCH,
    ),
    Form(
        form="contains none TEXTS",
        meaning="none of these occurs",
        example='contains none "guarantee", "promise" ignoring case',
        make=_none,
        also=("contains none of TEXTS", "does not contain TEXTS"),
        options=_SEARCH,
    ),
    Form(
        form="contains TEXT",
        meaning="this occurs",
        example='contains "thank you" ignoring case',
        make=lambda phrase, *, options: _all((phrase,), options=options),
        options=_SEARCH,
    ),
    Form(
        form="only words TEXTS",
        meaning="every word is one of these; punctuation around a word does not count",
        example='only words "left", "right", "forward"',
        make=_only_words,
        options=("ignoring case",),
    ),
    Form(
        form="only characters REGEX",
        meaning="every character matches",
        example="only characters /[a-z ]/",
        make=_only_characters,
    ),
)
