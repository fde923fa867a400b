"""Predicates on how a text begins and ends, and which patterns it matches."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.text.predicates.comparable_text import same
from proctor.text.predicates.term import Check, Checked, Form, OutputView, no, short, verdict, yes
from proctor.text.predicates.values import Pattern

__all__ = ["FORMS"]

_SHOWN = 60


def _starts(phrases: Sequence[str], *, options: frozenset[str]) -> Check:
    ignore_case = "ignoring case" in options
    wanted = _wanted(phrases, ignore_case)

    def run(view: OutputView) -> Checked:
        text = view.text.lstrip()
        begins = same(text[: 4 * longest + 20] if len(text) > 4 * longest + 20 else text, ignore_case=ignore_case)
        return verdict(begins.startswith(wanted), f"it begins with {short(text, _SHOWN)!r}", text[:_SHOWN])

    longest = max(map(len, wanted))
    return run


def _ends(phrases: Sequence[str], *, options: frozenset[str]) -> Check:
    ignore_case = "ignoring case" in options
    wanted = _wanted(phrases, ignore_case)
    longest = max(map(len, wanted))

    def run(view: OutputView) -> Checked:
        text = view.text.rstrip()[-(4 * longest + 20) :]
        end = text[-_SHOWN:]
        return verdict(same(text, ignore_case=ignore_case).endswith(wanted), f"it ends with {end!r}", end)

    return run


def _wanted(phrases: Sequence[str], ignore_case: bool) -> tuple[str, ...]:
    wanted = tuple(same(phrase, ignore_case=ignore_case) for phrase in phrases)
    if not all(wanted):
        raise ValueError("a text to look for is empty")
    return wanted


def _matches(pattern: Pattern) -> Check:
    searched = pattern.searching()

    def run(view: OutputView) -> Checked:
        hit = searched.search(view.text)
        if hit is None:
            return no(f"nothing matches {pattern.text}")
        return yes(f"{short(hit.group(), _SHOWN)!r} matches {pattern.text}", hit.group())

    return run


def _is(pattern: Pattern) -> Check:
    def run(view: OutputView) -> Checked:
        text = view.text.strip()
        if pattern.fullmatch(text):
            return yes(f"all of it matches {pattern.text}", text)
        return no(f"{short(text, _SHOWN)!r} as a whole does not match {pattern.text}", text)

    return run


FORMS = (
    Form(
        form="starts with TEXTS",
        meaning="it begins with this, or with one of these",
        example='starts with "Dear"',
        make=_starts,
        also=("begins with TEXTS",),
        options=("ignoring case",),
        any_length=True,
    ),
    Form(
        form="ends with TEXTS",
        meaning="it ends with this, or with one of these",
        example='ends with ".", "!", "?"',
        make=_ends,
        options=("ignoring case",),
        any_length=True,
    ),
    Form(
        form="matches REGEX",
        meaning="a regular expression matches somewhere",
        example=r"matches /\bORD-\d{6}\b/",
        make=_matches,
    ),
    Form(
        form="is REGEX",
        meaning="a regular expression matches the whole text, trimmed",
        example=r"is /[A-Z]{3}-\d+/",
        make=_is,
    ),
)
