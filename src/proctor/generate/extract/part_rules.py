"""The rules that sentences give for parts of the answer, beside the rules for all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from proctor.generate.extract.answer_outline import OutlinePart
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.kinds import priority_of
from proctor.generate.extract.part_checks import PartCheck, part_checks
from proctor.generate.extract.predicate_text import checkable, quoted
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.quoted_literals import find_runs
from proctor.generate.extract.sentence_rules import segment
from proctor.generate.extract.statements import Statement
from proctor.text.predicates import parse

__all__ = ["with_parts"]

_LONGEST_VALUE: Final = 6  # words of a text that may stand for a part
_MISSING: Final = ("", "null")
_ABOUT_MISSING: Final = re.compile(r"(?<![A-Za-z])null(?![A-Za-z])|\"\"|“”|\bempty\b|\bleer\w*\b|\bvide\b|\bvac[íi]|\bvazi|\bvuot|\bleeg\b|空|빈 문자열")


def with_parts(
    drafts: Sequence[Draft],
    statements: Sequence[Statement],
    outline: Sequence[OutlinePart],
    scope: PromptScope,
    made: Sequence[str],
    values: Sequence[str],
    replies: Sequence[str],
) -> Iterator[Draft]:
    """Yield the rules with those for parts; a limit of a part is no limit of the whole answer.

    ``values`` are texts that may stand for a part in some case, ``replies`` those that may be a whole answer.
    """
    found = list(part_checks(statements, outline, scope, made))
    missing = _MISSING if any(_ABOUT_MISSING.search(each.text) for each in statements) else ()
    for draft in drafts:
        inner = {
            check.whole
            for statement, checks in found
            if statement.start <= draft.start < statement.end
            for check in checks
        }
        yield replace(draft, predicate=None) if draft.predicate in inner else draft
    known = {draft.predicate for draft in drafts}
    for statement, checks in found:
        quotes = [text for run in find_runs(statement.text) for text in run.texts]
        for check in filter(_is_sayable, checks):
            blank = missing if check.part.kind == "field" else ()
            predicate = checkable(_excused(check, [*values, *quotes, *blank], replies))
            if predicate and predicate not in known:
                known.add(predicate)
                yield Draft(
                    text=_text(check, statement),
                    start=statement.start,
                    end=statement.end,
                    kind="format",
                    priority=priority_of(statement.text),
                    predicate=predicate,
                )


def _is_sayable(check: PartCheck) -> bool:
    return bool(check.asked)


def _excused(check: PartCheck, values: Sequence[str], replies: Sequence[str]) -> str:
    """Return the predicate with the values that may stand for the part in some case as alternatives."""
    inner = parse(check.asked)
    short = [value for value in values if len(value.split()) <= _LONGEST_VALUE]
    failed = [value for value in dict.fromkeys((*short, *replies)) if inner.check(value, inputs={}).ok is False]
    if not failed or inner.text.startswith(("contains none", "not ")):
        return check.part.check(check.asked)
    sign = [r"is /\W{1,3}/"] if inner.text.startswith("matches") else []  # a dash stands for what is missing
    return check.part.check(" or ".join([f"({check.asked})", *sign, f"one of {quoted(failed)}"]))


def _text(check: PartCheck, statement: Statement) -> str:
    said = segment(statement.text, check.start, check.end)
    if check.part.name.casefold() in said.casefold():
        return said
    return f"{check.part.name}: {said[:1].lower()}{said[1:]}"
