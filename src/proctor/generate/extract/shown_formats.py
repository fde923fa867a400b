"""Rules of formats that a prompt shows or lists: keys, fields with placeholders, JSON, labelled lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from proctor.generate.extract.aspects import Scope, checkable, quoted
from proctor.generate.extract.clause_requests import plain
from proctor.generate.extract.complete_statements import complete
from proctor.generate.extract.described_fields import field_checks
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.drafts import drafts_of
from proctor.generate.extract.field_lists import StatementGroup
from proctor.generate.extract.fields import choices_in, find_fields
from proctor.generate.extract.named_shapes import find_amount_aspects
from proctor.generate.extract.statements import Statement
from proctor.generate.extract.templates import described_line, field_names, shown_fields, shown_json, shown_values

__all__ = ["field_drafts", "format_drafts", "nested_drafts"]


def field_drafts(members: Sequence[Statement], lead: str, scope: Scope) -> Iterator[Draft]:
    """Yield the rules of a list of keys and of what is said about their values."""
    items = [each for each in members if each.item]
    for each in members:
        if not each.item:
            yield from _read(each, scope)
    names = field_names(items)
    if not names:
        yield from _of_phrases(items, scope)
        return
    structured = "json" in lead.lower() or "object" in lead.lower() or scope.structured
    many = structured and scope.array
    only = re.search(r"\b(?:exactly|only|just)\b", lead, re.IGNORECASE) or scope.closed
    base = "json has" if many else "is json object and json has"
    predicate = f"{base} {quoted(names)}" + (f" and json only has {quoted(names)}" if only else "")
    what = "JSON object" if structured and not many else "output"
    yield Draft(
        text=f"The output is a JSON object with the keys {', '.join(names)}{' and no others' if only else ''}."
        if what == "JSON object"
        else f"The output has the fields {', '.join(names)}.",
        start=items[0].start,
        end=items[-1].end,
        kind="format",
        priority=2,
        predicate=checkable(predicate) if structured else None,
    )
    for each in items if structured else ():
        yield from _of_item(each, scope)


def _read(statement: Statement, scope: Scope) -> Iterator[Draft]:
    return complete(statement, list(drafts_of(statement, scope)), scope, ())


def _of_item(item: Statement, scope: Scope) -> Iterator[Draft]:
    """Yield what an item says about the value of its key: one rule in its words, and in English one for each limit."""
    english = scope.language in ("", "en")
    found = list(_of_values(item.text, item, scope)) if english else []
    yield from found
    names = field_names([item])
    said = re.sub(r"^\W{0,4}[\w.-]+[`\"”'*]{0,3}\s*[:：–—-]?\s*", "", item.text)
    checks = list(field_checks(names[0], said, scope)) if names and not found else []
    if checks or (names and not english and len(said) > 12):
        predicate = (
            checkable(" and ".join(f"({each})" if len(checks) > 1 else each for each in checks)) if checks else None
        )
        text = f"{plain(item.text).rstrip(' .;；。')}."
        yield Draft(text=text, start=item.start, end=item.end, kind="format", priority=1, predicate=predicate)


def _of_phrases(items: Sequence[Statement], scope: Scope) -> Iterator[Draft]:
    """Yield one rule for a list of fields whose names are phrases; a list of sentences is read sentence by sentence."""
    heads = [plain(re.split(r"\s*[:：(–—]|\s-\s", each.text)[0]) for each in items]
    if len(heads) > 1 and all(0 < len(head.split()) <= 4 for head in heads):
        text = f"The output has the fields {', '.join(heads)}."
        yield Draft(text=text, start=items[0].start, end=items[-1].end, kind="format", priority=2)
        return
    for each in items:
        yield from _read(each, scope)


def nested_drafts(group: StatementGroup) -> Iterator[Draft]:
    """Yield the keys of the objects in a field."""
    items = [each for each in group.members if each.item]
    if names := field_names(items):
        yield Draft(
            text=f'In the output, each object of "{group.parent}" has the keys {", ".join(names)}.',
            start=items[0].start,
            end=items[-1].end,
            kind="format",
            priority=1,
            predicate=checkable(f"json field {quoted([group.parent])} json has {quoted(names)}"),
        )


def _of_values(text: str, place: Statement, scope: Scope) -> Iterator[Draft]:
    """Yield what is said about the value of a key."""
    for aspect in find_fields(text, replace(scope, structured=True), item=True):
        predicate = checkable(aspect.predicate)
        yield Draft(text=aspect.text, start=place.start, end=place.end, kind="format", priority=1, predicate=predicate)


def format_drafts(members: Sequence[Statement], lead: str, scope: Scope) -> Iterator[Draft]:
    """Yield the rules of a format that is shown below its lead-in."""
    keyed = [each for each in members if each.item]
    if keyed and scope.structured and field_names(keyed):
        yield from field_drafts(members, lead, scope)
        return
    lines = [line for each in members for line in each.text.strip("`\n ").split("\n") if line.strip()]
    start, end = members[0].start, members[-1].end
    if fields := shown_fields(lines):
        text = f"The output has these fields, in this order: {', '.join(fields)}"
        predicate = checkable(f"fields in order {quoted(fields)}")
        yield Draft(text=text + ".", start=start, end=end, kind="format", priority=2, predicate=predicate)
        if re.search(r"comma[-_ ]separated", " ".join(lines), re.IGNORECASE):
            text = "What stands in a field of the output is a comma separated list."
            yield Draft(text=text, start=start, end=end, kind="format", priority=1)
        return
    found = [(each, line) for each in members if (line := described_line(each.text))]
    described = [each for each, line in found if not each.item or line[0].isupper()]
    if len(described) >= 2:
        yield from _of_lines(described, scope)
        for each in members:
            yield from _read(each, scope) if each not in described else ()
        return
    for each in members:
        shown = each.code or each.text.lstrip().startswith(("{", "["))
        predicate = shown_json(each.text, nullable="null" in scope.blank) if shown else None
        if predicate and checkable(predicate):
            text = "The output is JSON of the shape that is shown."
            yield Draft(
                text=text, start=each.start, end=each.end, kind="format", priority=2, predicate=checkable(predicate)
            )
            for key, told in shown_values(each.text) if "json schema" not in predicate else ():
                yield from _of_values(f"{key}: {told}", each, scope)
        elif each.item and described_line(each.text):
            text = f"The output includes {plain(each.text).rstrip('.')}."
            yield Draft(text=text, start=each.start, end=each.end, kind="content", priority=1)
        elif not each.code:
            yield from _read(each, scope)


def _of_lines(members: Sequence[Statement], scope: Scope) -> Iterator[Draft]:
    """Yield the rules of lines such as ``REASON: at most 25 words``: their order, and what each holds."""
    pairs = [pair for each in members if (pair := described_line(each.text))]
    labels = [f"{label}:" for label, _ in pairs]
    yield Draft(
        text=f"The output has these fields, in this order: {', '.join(labels)}",
        start=members[0].start,
        end=members[-1].end,
        kind="format",
        priority=2,
        predicate=checkable(f"fields in order {quoted(labels)}"),
    )
    for (label, said), each in zip(pairs, members, strict=True):
        aspects = [choice] if (choice := choices_in(said)) else list(find_amount_aspects(said, scope.language or "en"))
        told = f'In the output, "{label}:" is followed by {said.rstrip(".")}.'
        predicates = [f"each /{re.escape(label)}:[ \\t]*([^\\n]*)/: {aspect.predicate}" for aspect in aspects]
        predicate = checkable(" and ".join(predicates)) if predicates else None
        yield Draft(text=told, start=each.start, end=each.end, kind="format", priority=1, predicate=predicate)
