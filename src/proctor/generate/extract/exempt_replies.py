"""Exempt answers that the prompt fixes for some case from predicates that they would fail."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from proctor.generate.extract.aspects import checkable, quoted
from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.fixed_replies import opens_with_case
from proctor.generate.extract.quoted_literals import find_runs
from proctor.generate.extract.statements import Statement
from proctor.generate.extract.templates import json_keys
from proctor.text.predicates import parse

__all__ = ["case_values", "excused", "with_field_values"]

_LONGEST_VALUE: Final = 4  # words


def case_values(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return the short quoted texts of conditions: in some case, one may be the value of a part."""
    return tuple(
        text
        for each in statements
        if not each.code and (is_conditional(each.text) or opens_with_case(each.text))
        for run in find_runs(each.text)
        for text in run.texts
        if len(text.split()) <= _LONGEST_VALUE
    )


def with_field_values(draft: Draft, statements: Sequence[Statement]) -> Draft:
    """Exempt values that the sentence of a JSON field names for some case: ``a date; "unknown" if not stated``."""
    field = re.fullmatch(r'(json field "(?:[^"\\]|\\.)*") (?!one of|each|json)(.+)', draft.predicate or "")
    if field is None or re.search(r"\bjson field\b", field[2]):
        return draft
    values = case_values([each for each in statements if each.start <= draft.start < each.end])
    values = tuple(each for each in values if f'"{each}"' not in field[1])
    failed = [each for each in dict.fromkeys(values) if parse(field[2]).check(each, inputs={}).ok is False]
    if not failed:
        return draft
    return replace(draft, predicate=checkable(f"{field[1]} ({field[2]} or one of {quoted(failed)})"))


def excused(draft: Draft, replies: Sequence[str], values: Sequence[str]) -> Draft:
    """Exempt special answers, and values of parts, that a condition requires from other rules."""
    if draft.predicate is None or draft.condition or not (replies or values):
        return draft
    check = parse(draft.predicate)
    keys = [key for answer in replies if answer.startswith("{") for key in json_keys(answer)[:1]]
    if keys and "json" in draft.predicate and re.search(r"\beach\b", draft.predicate):
        return replace(draft, predicate=checkable(f"when not (json has {quoted(keys)}): {draft.predicate}"))
    if keys and "json" in draft.predicate:
        return replace(draft, predicate=checkable(f"({draft.predicate}) or json has {quoted(keys)}"))
    if part := re.match(r"(each /.*?/:) (?!not )(.+)$", draft.predicate):
        values = [each for each in dict.fromkeys(values) if parse(part[2]).check(each, inputs={}).ok is False]
        return (
            replace(draft, predicate=checkable(f"{part[1]} ({part[2]} or one of {quoted(values)})"))
            if values
            else draft
        )
    failed = [answer for answer in dict.fromkeys(replies) if check.check(answer, inputs={}).ok is False]
    if not failed:
        return draft
    if re.search(r"\beach\b", draft.predicate):  # it may not apply at all, and then no alternative decides
        return replace(draft, predicate=checkable(f"when not (one of {quoted(failed)}): {draft.predicate}"))
    return replace(draft, predicate=checkable(f"({draft.predicate}) or one of {quoted(failed)}"))
