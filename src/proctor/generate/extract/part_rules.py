"""The rules that sentences give for parts of the answer, beside the rules for all of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from proctor.generate.extract.answer_outline import OutlinePart
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.kinds import priority_of
from proctor.generate.extract.part_checks import PartCheck, part_checks
from proctor.generate.extract.part_presence import find_presence
from proctor.generate.extract.predicate_text import checkable, quoted
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.quoted_literals import find_runs
from proctor.generate.extract.sentence_rules import segment, words_left
from proctor.generate.extract.settle_shapes import missing_values
from proctor.generate.extract.statements import Statement
from proctor.text.predicates import parse

__all__ = ["with_parts"]

_LONGEST_VALUE: Final = 6  # words of a text that may stand for a part


def with_parts(
    drafts: Sequence[Draft],
    statements: Sequence[Statement],
    outline: Sequence[OutlinePart],
    scope: PromptScope,
    made: Sequence[str],
    values: Sequence[str],
    replies: Sequence[str],
    text: str,
) -> Iterator[Draft]:
    """Yield the rules with those for parts; a limit of a part is no limit of the whole answer.

    ``values`` are texts that may stand for a part in some case, ``replies`` those that may be a whole answer.
    """
    found = list(part_checks(statements, outline, scope, made))
    added = _added(drafts, found, find_presence(statements, outline, scope, text, made), values, replies, statements)
    starts = {draft.start for draft in added}
    covered = {statement.start for statement, checks in found if _is_covered(statement, checks)} & starts
    for draft in drafts:
        whole = {
            check.whole
            for statement, checks in found
            if statement.start <= draft.start < statement.end
            for check in checks
        }
        if draft.predicate or draft.start not in covered:
            yield replace(draft, predicate=None) if draft.predicate in whole else draft
    yield from added


def _added(
    drafts: Sequence[Draft],
    found: Sequence[tuple[Statement, Sequence[PartCheck]]],
    there: Iterable[tuple[Statement, str, int, int]],
    values: Sequence[str],
    replies: Sequence[str],
    statements: Sequence[Statement],
) -> list[Draft]:
    """Return the rules that no other rule says."""
    missing = missing_values(statements)
    known = {draft.predicate for draft in drafts}
    texts = {draft.text for draft in drafts if draft.predicate}
    added: list[Draft] = []
    for statement, asked, start, end in there:
        predicate = checkable(asked)
        held = [draft.predicate or "" for draft in drafts if statement.start <= draft.start < statement.end]
        held += [check.part.check(check.asked) for each, checks in found if each is statement for check in checks]
        if predicate and predicate not in known and not any(_holds(predicate, each) for each in held):
            known.add(predicate)
            added.append(_draft(segment(statement.text, start, end), statement, predicate, texts))
    for statement, checks in found:
        quotes = [words for run in find_runs(statement.text) for words in run.texts]
        for check in checks:
            if not check.asked or _is_said(check, drafts):
                continue
            blank = missing if check.part.kind == "field" else ()
            predicate = checkable(_excused(check, [*values, *quotes, *blank], replies))
            if predicate and predicate not in known:
                known.add(predicate)
                added.append(_draft(_text(check, statement), statement, predicate, texts))
    return added


def _draft(said: str, statement: Statement, predicate: str, texts: set[str]) -> Draft:
    """Return a rule whose text no other rule with a predicate has: a rule is known by its text."""
    said = f"{said} ({predicate})" if said in texts else said
    texts.add(said)
    return Draft(
        text=said,
        start=statement.start,
        end=statement.end,
        kind="format",
        priority=priority_of(statement.text),
        predicate=predicate,
    )


def _holds(predicate: str, other: str) -> bool:
    """Whether another predicate of the same sentence has the texts of this one, or is about its tags."""
    texts = re.findall(r'"(?:[^"\\]|\\.)*"', predicate)
    return bool(texts) and all(text in other for text in texts)


def _is_covered(statement: Statement, checks: Sequence[PartCheck]) -> bool:
    """Whether a sentence asks for nothing beside its checks, all of which can be written."""
    if not all(check.asked for check in checks):
        return False
    names = {check.part.name.casefold() for check in checks}
    left = words_left(statement.text, [(check.start, check.end) for check in checks])
    return not [word for word in left if word not in names]


def _is_said(check: PartCheck, drafts: Sequence[Draft]) -> bool:
    """Whether another rule already asks this of the part."""
    name = quoted([check.part.name])
    asked = (
        check.asked.removeprefix("each json item: ")
        .removesuffix(" ignoring case")
        .replace("sentences <=", "sentences =")
    )
    dated = asked.startswith("matches /\\d{4}-")
    return any(
        name in draft.predicate and (asked in draft.predicate or (dated and "iso date" in draft.predicate))
        for draft in drafts
        if draft.predicate
    ) or any(_is_of_line(check, draft.predicate) for draft in drafts if draft.predicate)


def _is_of_line(check: PartCheck, predicate: str) -> bool:
    """Whether a predicate asks the same of the rest of the line behind a label."""
    line = rf"each /{re.escape(check.part.name)}:[ \t]*([^\n]*)/: {check.asked}"
    root = parse(predicate).root
    terms = root.inner if root.form == "and" else (root,)
    return any(term.text == line for term in terms)


def _excused(check: PartCheck, values: Sequence[str], replies: Sequence[str]) -> str:
    """Return the predicate with the values that may stand for the part in some case as alternatives."""
    inner = parse(check.asked)
    replies = [reply for reply in replies if not reply.startswith("<")]  # an element stands beside the part
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
