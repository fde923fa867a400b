"""Predicates that forbid text around the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from proctor.text.predicates.answer_framing import framing, unfenced
from proctor.text.predicates.json_shape import read, whole
from proctor.text.predicates.markup import is_markup
from proctor.text.predicates.term import Check, Checked, Form, OutputView, no, short, unknown, yes
from proctor.text.split import lines

__all__ = ["FORMS"]

_MOST_LABEL_WORDS = 4
_SAYS = re.compile(r"\b(?:is|are|was|were|because|this|that|it|you|i)\b", re.IGNORECASE)


def _no_extra_text() -> Check:
    def run(view: OutputView) -> Checked:
        text = view.text.strip()
        if not text:
            return no("it is empty")
        if around := framing(text):
            return no(f"{short(around, 60)!r} is beside the answer", around)
        kind = _kind(text)
        if kind:
            return yes(f"it is {kind} and nothing else")
        beside = _beside(text)
        if beside:
            return no(f"text stands beside {beside}", text)
        return unknown("whether a sentence is the answer or stands beside it cannot be told")

    return run


def _kind(text: str) -> str:
    """Return what the whole text is, if it is a single value."""
    if whole(text):
        return "JSON"
    if unfenced(text) != text:
        return "a code block"
    if text.startswith("<") and is_markup(text):
        return "markup"
    if (text[0], text[-1]) in (("[", "]"), ("{", "}")):
        return "one value in brackets"
    if "\n" not in text and text[0] not in "[{" and len(text.split()) <= _MOST_LABEL_WORDS and not _SAYS.search(text):
        return "a label"
    return ""


def _beside(text: str) -> str:
    if "```" in text:
        return "a code block"
    if text[0] not in "[{" and text[-1] not in "]}" and not ("{" in text or "[" in text):
        return ""
    return "JSON" if isinstance(read(text), dict | list) else ""


def _no_framing() -> Check:
    def run(view: OutputView) -> Checked:
        if around := framing(view.text):
            return no(f"{short(around, 60)!r} only leads to the answer or away from it", around)
        return yes("no words that only lead to the answer or away from it")

    return run


def _fields(names: Sequence[str], *, options: frozenset[str]) -> Check:
    ignore_case = "ignoring case" in options
    wanted = [name.casefold() if ignore_case else name for name in names]

    def run(view: OutputView) -> Checked:
        at = 0
        for line in lines(view.text):
            begins = line.strip(" \t*#->").replace("**", "")
            if at < len(wanted) and (begins.casefold() if ignore_case else begins).startswith(wanted[at]):
                at += 1
        if at < len(wanted):
            return no(f"no line begins with {names[at]!r}" + (f" after {names[at - 1]!r}" if at else ""))
        return yes(f"its lines begin with the {len(names)} fields in order")

    return run


FORMS = (
    Form(
        form="no extra text",
        meaning="nothing stands beside the JSON, markup, code block or label that it is",
        example="is json and no extra text",
        make=_no_extra_text,
    ),
    Form(
        form="no framing",
        meaning='no words that only lead to the answer or away from it: "Sure, here is …", "Let me know if …"',
        example="no framing",
        make=_no_framing,
        also=("no preamble",),
    ),
    Form(
        form="fields in order TEXTS",
        meaning="lines begin with these, in this order, none missing",
        example='fields in order "Company names:", "People names:"',
        make=_fields,
        options=("ignoring case",),
    ),
)
