"""Answers that the prompt fixes for some case: predicates that they would fail exempt them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.fixed_replies import opens_with_case
from proctor.generate.extract.json_shape import json_keys
from proctor.generate.extract.possible_replies import stands_alone
from proctor.generate.extract.predicate_text import checkable, quoted
from proctor.generate.extract.quoted_literals import find_runs
from proctor.generate.extract.statements import Statement
from proctor.text.predicates import parse

__all__ = ["case_values", "closed_reply", "excused", "excused_beginnings"]

_LONGEST_VALUE: Final = 4  # words
_MAY_NOT_APPLY: Final = re.compile(
    r"\beach\b|(?:^|\()(?:section|labelled|line \d|paragraph \d|last paragraph|outside|when)\b"
)


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


def closed_reply(reply: str, said: str, labels: Sequence[str]) -> str | None:
    """Return the predicate of a reply to which a sentence lets nothing be added: where it begins, it is all.

    A word that may begin another answer, or a label, says nothing of it.
    """
    keys = json_keys(reply) if reply.startswith("{") else ()
    if keys:
        return checkable(f"when json has {quoted(keys[:1])}: json only has {quoted(keys)}")
    unspaced = re.search(r"[぀-ヿ㐀-鿿가-힯]", reply) is not None and len(reply) > 1
    sure = len(reply.split()) > 1 or reply.isupper() or unspaced
    if not sure or reply in labels or re.search(rf"{re.escape(reply)}\s*[:：]", said) or not stands_alone(said, reply):
        return None
    return checkable(f"when starts with {quoted([reply])}: is {quoted([reply])} ignoring punctuation")


def excused_beginnings(draft: Draft, beginnings: Sequence[str]) -> Draft:
    """Exempt the answers of cases of which only the beginning is fixed."""
    if draft.predicate is None or draft.condition or _MAY_NOT_APPLY.search(draft.predicate):
        return draft
    check = parse(draft.predicate)
    failed = [each for each in beginnings if check.check(f"{each} x", inputs={}).ok is False]
    if not failed or any(quoted([each]) in draft.predicate for each in failed):
        return draft
    return replace(draft, predicate=checkable(f"({draft.predicate}) or starts with {quoted(failed)}"))


def excused(draft: Draft, replies: Sequence[str], values: Sequence[str]) -> Draft:
    """Exempt special answers, and values of parts, that a condition requires from other rules."""
    if draft.predicate is None or draft.condition or not (replies or values):
        return draft
    predicate = draft.predicate
    keys = [key for answer in replies if answer.startswith("{") for key in json_keys(answer)[:1]]
    if keys and (re.match(r"\(*each json field", predicate) or f"json only has {quoted(keys)}" in predicate):
        return draft  # it holds for that object, too
    if keys and "json" in predicate and re.search(r"\beach\b", predicate):
        return replace(draft, predicate=checkable(f"when not (json has {quoted(keys)}): {predicate}"))
    if keys and "json" in predicate:
        return replace(draft, predicate=checkable(f"({predicate}) or json has {quoted(keys)}"))
    if part := re.match(r"(each /.*?/:) (?!not )(.+)$", predicate):
        values = [each for each in dict.fromkeys(values) if parse(part[2]).check(each, inputs={}).ok is False]
        return (
            replace(draft, predicate=checkable(f"{part[1]} ({part[2]} or one of {quoted(values)})"))
            if values
            else draft
        )
    if part := re.match(r'((?:after "(?:[^"\\]|\\.)*" |before "(?:[^"\\]|\\.)*" )+)(.+)$', predicate):
        failed = [
            each for each in dict.fromkeys((*replies, *values)) if parse(part[2]).check(each, inputs={}).ok is False
        ]
        if failed:
            predicate = checkable(f"{part[1]}({part[2]} or one of {quoted(failed)})") or predicate
    check = parse(predicate)
    failed = [answer for answer in dict.fromkeys(replies) if check.check(answer, inputs={}).ok is False]
    if not failed:
        return replace(draft, predicate=predicate)
    if _MAY_NOT_APPLY.search(predicate):  # it may not apply at all, and then no alternative decides
        return replace(draft, predicate=checkable(f"when not (one of {quoted(failed)}): {predicate}"))
    return replace(draft, predicate=checkable(f"({predicate}) or one of {quoted(failed)}"))
