"""Answers of labelled lines that a prompt describes line by line: ``REASON: one sentence of at most 25 words``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from proctor.generate.extract.aspects import Scope, checkable, quoted
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.labels import listed
from proctor.generate.extract.spotted_checks import find_checks
from proctor.generate.extract.statements import Statement

__all__ = ["described_runs", "line_drafts"]

_LINE: Final = re.compile(
    r"(?:\*\*)?(?P<label>[^\W\d_](?:[\w /&'’-]{0,28}[\w)])?)(?:\*\*)?\s*(?P<colon>[:：])(?:\*\*)?\s*"
    r"(?P<said>[^\n]{2,300})$"
)
_NO_TEMPLATE: Final = ("example", "input", "tools", "never")
_MOST_WORDS: Final = 4
_NUMBER: Final = re.compile(
    r"(?:the |a |die |eine |le |un |el |o |um |il )?(?:number|nummer|zahl|numéro|nombre|número|numero|数字|番号)\b",
    re.IGNORECASE,
)


def described_runs(statements: Sequence[Statement]) -> tuple[tuple[Statement, ...], ...]:
    """Return the runs of two lines or more that describe one labelled line of the answer each.

    They stand under a line that ends with a colon. Items of a list are labelled lines only if their labels are in
    capitals: ``- Tone: friendly`` names a rule.
    """
    runs: list[list[Statement]] = []
    for each in statements:
        match = None if each.code or each.section in _NO_TEMPLATE else _LINE.fullmatch(each.text.strip())
        fits = (
            match is not None
            and "{{" not in each.text
            and each.lead.rstrip("*_ ").endswith((":", "："))
            and len(match["label"].split()) <= _MOST_WORDS
            and (not each.item or match["label"].isupper())
        )
        if not fits:
            runs.append([])
        elif runs and runs[-1] and runs[-1][-1].lead == each.lead:
            runs[-1].append(each)
        else:
            runs.append([each])
    return tuple(
        tuple(run)
        for run in runs
        if len(run) >= 2 and not any(map(_is_placeholder, run)) and len({_label(each) for each in run}) == len(run)
    )


def _is_placeholder(statement: Statement) -> bool:
    """Whether a line shows a place to fill in, not a description; shown_formats reads those."""
    match = _LINE.fullmatch(statement.text.strip())
    said = match["said"].strip() if match else ""
    return re.fullmatch(r"[<\[{(].*[>\]})]\.?|[^\w]*|\"?[a-z]+_[a-z_]+\"?", said) is not None


def _label(statement: Statement) -> str:
    match = _LINE.fullmatch(statement.text.strip())
    assert match is not None
    return f"{match['label']}{match['colon']}"


def line_drafts(run: Sequence[Statement], scope: Scope) -> Iterator[Draft]:
    """Yield the order of the lines, and what each of them holds."""
    labels = [_label(each) for each in run]
    yield Draft(
        text=f"The output has these lines, in this order: {', '.join(labels)}",
        start=run[0].start,
        end=run[-1].end,
        kind="format",
        priority=2,
        predicate=checkable(f"fields in order {quoted(labels)}"),
    )
    lone = replace(scope, structured=False, fields=(), array=False)
    for each, label in zip(run, labels, strict=True):
        said = each.text.strip()[len(label) :].strip(" *")
        whole = f"{each.text.strip().rstrip('.')}."
        asked = [check.predicate for check in find_checks(said, lone)]
        if choice := _choice(said):
            asked = [f"one of {quoted(choice)}"]
        elif _NUMBER.match(said):
            asked.append("matches /\\d/")
        found = checkable(_of_line(label, asked)) if asked else None
        yield Draft(text=whole, start=each.start, end=each.end, kind="format", priority=1, predicate=found)


def _of_line(label: str, asked: Sequence[str]) -> str:
    name = re.sub(r"([^\w\s:])", r"\\\1", label.replace("：", ":").rstrip(":"))
    inner = " and ".join(f"({each})" if len(asked) > 1 else each for each in asked)
    return f"each /{name}:[ \\t]*([^\\n]*)/: {inner}"


def _choice(said: str) -> tuple[str, ...]:
    """Return the allowed values of a line that is nothing but their list: ``ALLOW, HIDE or BAN``."""
    bare = re.sub(
        r"^(?:one of|either|eines? von|soit|uno? de|um de|uno tra)\s+", "", said.rstrip(". "), flags=re.IGNORECASE
    )
    bare = re.sub(r"\s+(?:oder|ou|o|或)\s+", " or ", bare)
    found = listed(bare)
    coded = all(label.isupper() for label in found) or re.search(r"[\"“`|/]", bare) is not None
    return found if len(found) >= 2 and (coded or all(len(label.split()) == 1 for label in found)) else ()
