"""Extract the rules of a prompt from its statements by code alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from typing import Final

from proctor.core.rule import Rule, Span
from proctor.generate.extract.aspects import Scope, checkable, quoted_texts
from proctor.generate.extract.clause_requests import about_input, plain, requested
from proctor.generate.extract.complete_statements import complete, complete_list
from proctor.generate.extract.counted_products import count_drafts, counted_products
from proctor.generate.extract.described_fields import item_keys
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.drafts import drafts_of
from proctor.generate.extract.exempt_replies import case_values, excused, with_field_values
from proctor.generate.extract.field_lists import grouped
from proctor.generate.extract.fields import blank_values, choices_in, field_of, named_fields
from proctor.generate.extract.fixed_replies import fixed_replies
from proctor.generate.extract.japanese import is_japanese, japanese_labels
from proctor.generate.extract.json_outline import JsonOutline, outline_drafts, outline_of
from proctor.generate.extract.labelled_lines import (
    described_runs,
    labelled_parts,
    line_drafts,
    part_drafts,
    place_drafts,
)
from proctor.generate.extract.labels import LabelSet, ignoring_case, label_of_item, labels_in
from proctor.generate.extract.led_items import is_open_lead, under_condition
from proctor.generate.extract.made_nouns import made_nouns
from proctor.generate.extract.possible_replies import find_open_reply, possible_replies
from proctor.generate.extract.predicate_doubts import has_open_case
from proctor.generate.extract.repeated_drafts import one_of_a_text, without_repeats, without_weaker
from proctor.generate.extract.scope import of_part, scope_of
from proctor.generate.extract.sections import section_of
from proctor.generate.extract.settle_drafts import PredicateDoubts
from proctor.generate.extract.shown_formats import field_drafts, format_drafts, nested_drafts
from proctor.generate.extract.shown_lines import counted_line_drafts, shown_line_drafts
from proctor.generate.extract.shown_schema import nested_keys
from proctor.generate.extract.statements import Statement, statements_of
from proctor.generate.extract.templates import field_names, json_keys
from proctor.generate.extract.whole_sentences import as_whole_sentences
from proctor.prompts.prompt import Prompt
from proctor.text.lazy_pattern import Lazy

__all__ = ["extract_rules"]

_MOST_RULES: Final = 500
_MOST_DRAFTS: Final = 3 * _MOST_RULES  # what is found beyond them cannot be among the first rules
# A line that only announces a format; the format itself is the rule.
_FORMAT_LEAD: Final = Lazy(
    r"(?:\b(?:following|this|below|desired|exact)\s+(?:\w+\s+)?(?:format|template|schema|structure)\b|"
    r"\bas (?:valid )?json\b)[^.]*[:：]\W*$",
    re.IGNORECASE,
)
_OF_FORMAT: Final = Lazy(r"\b(?:format|template|schema|structure|json)\b", re.IGNORECASE)
_GIVING_LEAD: Final = Lazy(
    r"\b(?:write|generate|create|provide|give|produce|return|output|draft|compose|make)\b[^.]*[:：]\W*$", re.IGNORECASE
)
_LISTING_LEAD: Final = Lazy(r"\b(?:of|with|including|containing|describing|covering|following)\W*$", re.IGNORECASE)
_OF_OTHER_THINGS: Final = Lazy(
    r"\W*(?:this|these|those|it|they|possible \w+|the (?:user|input|details?|information|description))\b[^:]{0,60}?"
    r"\b(?:may|might|can|could|will|typically)?\s*(?:include|contain|provide)s?\b[^:]{0,20}[:：]?\s*$",
    re.IGNORECASE,
)
_ONLY: Final = Lazy(r"\b(?:only|just|nothing but|single)\b", re.IGNORECASE)
_LABEL_NOUN: Final = Lazy(
    r"\b(?:tag|label|category|class|intent|sentiment|option|name of the category|one word)\b", re.IGNORECASE
)
_LOOSE_LABELS: Final = Lazy(r"\b(?:preferred|suggested|possible examples|typical|common|such as)\b", re.IGNORECASE)


def extract_rules(prompt: Prompt) -> tuple[Rule, ...]:
    """Return the rules in the statements of a prompt, in order.

    Each has its span in the prompt; those that code can check have a predicate.
    """
    statements = statements_of(prompt)
    scope = scope_of(prompt, statements)
    texts = [each.text for each in statements if not each.code]
    chosen = [label for text in texts if (found := choices_in(text)) for label in quoted_texts(found.predicate)]
    scope = replace(scope, fields=_fields(statements), blank=blank_values(texts), part_labels=tuple(chosen))
    outline = outline_of(prompt.text, statements)
    if outline is not None and (
        outline.inline
        or outline.table
        or outline.is_nested
        or scope.language not in ("", "en")
        or not (scope.fields or _is_read(outline, statements))
    ):
        scope = replace(scope, fields=outline.names, structured=True)
    else:
        outline = None
    scope = replace(
        scope,
        html=any(re.search(r"(?<![A-Za-z])HTML(?![A-Za-z])|<(?:p|ul|li|div)>", each.text) for each in statements),
        each=(products.noun, products.each) if (products := counted_products(statements, scope.language)) else ("", ""),
        line_labels=tuple(_labels_of_lines(prompt.text, statements)) if not scope.structured else (),
    )
    special = _special(statements, prompt.text, scope)
    if outline is not None:  # a value of a field is no reply
        special = tuple(each for each in special if not any(each in field.said for field in outline.fields))
    scope = replace(scope, special=special, nested=_nested(statements))
    sets = list(_label_sets(statements, scope))
    if sets:
        scope = replace(scope, labels=tuple(dict.fromkeys(label for each in sets for label in each.labels)))
    made = made_nouns(statements, scope)
    replies = () if scope.structured else possible_replies(statements, prompt.text)
    open_case = has_open_case(statements, made, (*scope.special, *replies)) or find_open_reply(statements)
    spotted = _drafts(prompt.text, statements, sets, scope, made, outline)
    drafts = [*_schema(prompt), *islice(spotted, _MOST_DRAFTS)]
    doubts = PredicateDoubts(
        text=prompt.text, statements=statements, made=made, scope=scope, replies=replies, open_case=open_case
    )
    drafts = [with_field_values(doubts.settle(draft), statements) for draft in drafts]
    drafts = list(as_whole_sentences(drafts, statements))
    values = case_values(statements)
    drafts = [excused(draft, (*scope.special, *replies), values) for draft in drafts if not _says_labels(draft, sets)]
    kept = one_of_a_text(without_repeats(without_weaker(sorted(drafts, key=lambda draft: draft.start))))
    return tuple(_rule(draft, prompt.text) for draft in kept[:_MOST_RULES])


def _is_read(outline: JsonOutline, statements: Sequence[Statement]) -> bool:
    """Whether the lines of the fields are known as such by the line above them."""
    lines = [
        each for each in statements if any(one.start < each.end and each.start < one.end for one in outline.fields)
    ]
    return any(each.section in ("fields", "format", "labels") for each in lines)


def _labels_of_lines(text: str, statements: Sequence[Statement]) -> Iterator[str]:
    yield from (part.name for part in labelled_parts(text))
    for run in described_runs(statements):
        yield from (each.text.split(":")[0].strip("*- ") for each in run)


def _special(statements: Sequence[Statement], text: str, scope: Scope) -> tuple[str, ...]:
    """Return the fixed replies; one that was read only in part gives way to the whole."""
    fixed = tuple(fixed_replies(statements, text, (*scope.fields, *(name for name, _ in scope.nested))))
    known = [each for each in scope.special if not any(whole.startswith(each) for whole in fixed)]
    return tuple(dict.fromkeys((*known, *fixed)))


def _nested(statements: Sequence[Statement]) -> tuple[tuple[str, str], ...]:
    """Return the keys of objects inside a field, each with that field."""
    found = [pair for each in statements if each.code for pair in nested_keys(each.text)]
    for group in grouped(statements):
        if group.section in ("fields", "format"):
            for each in group.members:
                if each.item and (names := field_names([each])):
                    found.extend((key, names[0]) for key in item_keys(each.text))
    return tuple(dict.fromkeys(found))


def _rule(draft: Draft, text: str) -> Rule:
    return Rule(
        text=draft.text,
        source=Span(start=draft.start, end=draft.end, quote=text[draft.start : draft.end]),
        kind=draft.kind,
        predicate=draft.predicate,
        priority=draft.priority,
        groundedness=1.0,
        origin="extractor",
        extra={"note": draft.note} if draft.note else {},
    )


def _schema(prompt: Prompt) -> Iterator[Draft]:
    """Yield the rule of the file's own schema; it is in the front matter, so its span is empty."""
    if prompt.schema == {"type": "object"}:
        yield Draft(
            text="The output is a JSON object.", start=0, end=0, kind="format", priority=2, predicate="is json object"
        )
    elif prompt.schema:
        predicate = checkable(f"json schema {json.dumps(prompt.schema, ensure_ascii=False)}")
        text = "The output is JSON that fits the schema of the prompt file."
        yield Draft(text=text, start=0, end=0, kind="format", priority=2, predicate=predicate)


def _label_sets(statements: Sequence[Statement], scope: Scope) -> Iterator[LabelSet]:
    for statement in statements:
        if statement.code or (statement.section in ("labels", "fields", "input", "tools") and statement.item):
            continue
        if is_japanese(statement.text):
            if names := japanese_labels(statement.text):
                yield LabelSet(labels=names, start=statement.start, end=statement.end)
        elif (
            scope.language in ("", "en")
            and (found := labels_in(statement))
            and not of_part(statement.text, scope)
            and field_of(statement.text, scope) is None
            and not (scope.structured and named_fields(statement.text))
        ):
            yield found
    for (section, _), group in groupby(statements, key=lambda each: (each.section, each.lead)):
        items = [each for each in group if each.item]
        labels = [label for each in items if (label := label_of_item(each.text))]
        if _LOOSE_LABELS.search(items[0].lead if items else ""):
            continue
        if is_open_lead(items[0].lead if items else ""):
            continue
        if section == "labels" and len(labels) >= 2 and len(labels) == len(items):
            yield LabelSet(labels=tuple(dict.fromkeys(labels)), start=items[0].start, end=items[-1].end)


def _drafts(
    text: str,
    statements: Sequence[Statement],
    sets: Iterable[LabelSet],
    scope: Scope,
    made: Sequence[str],
    outline: JsonOutline | None,
) -> Iterator[Draft]:
    for labels in sets:
        yield _from_labels(labels, scope)
    if products := counted_products(statements, scope.language):
        yield from count_drafts(products, statements)
    if not scope.structured:
        yield from counted_line_drafts(statements, scope.language)
    shaped, statements = _of_shape(text, statements, scope, outline)
    yield from shaped
    runs = described_runs(statements) if not scope.structured else ()
    for run in runs:
        yield from (_with_lead(draft, run[0].lead, statements) for draft in line_drafts(run, scope))
    lines = list(shown_line_drafts(statements))
    yield from (draft for _, draft in lines)
    described = {each.start for run in runs for each in run} | {each.start for each, _ in lines}
    statements = [each for each in statements if each.start not in described]
    shown = {_tail(each.lead) for each in statements if each.section in ("format", "fields")}
    for group in grouped(statements):
        section, lead, members = group.section, group.lead, group.members
        if group.parent:
            yield from nested_drafts(group)
        elif section == "labels":
            plain_ones = [each for each in members if not each.item or is_open_lead(lead)]
            yield from (
                draft for each in plain_ones for draft in complete(each, list(drafts_of(each, scope)), scope, made)
            )
        elif section == "fields":
            yield from (_with_lead(draft, lead, statements) for draft in field_drafts(members, lead, scope))
        elif section == "format":
            yield from (_with_lead(draft, lead, statements) for draft in format_drafts(members, lead, scope))
        elif section not in ("input", "tools"):
            told = []
            for each in members:
                announces = _tail(each.text) in shown and _FORMAT_LEAD.search(each.text)
                found = [one for one in _from_statement(each, scope) if not (announces and _OF_FORMAT.search(one.text))]
                told.append((each, list(complete(each, found, scope, made))))
            yield from complete_list(told)


def _of_shape(
    text: str, statements: Sequence[Statement], scope: Scope, outline: JsonOutline | None
) -> tuple[list[Draft], Sequence[Statement]]:
    """Return the rules of the fields, parts and places that a prompt lists, and the statements that are left."""
    spans: list[tuple[int, int]] = []
    made: list[tuple[Draft, Statement | None]] = []
    if outline is not None:
        made += outline_drafts(outline, statements, text, scope)
        spans = [(each.start, each.end) for each in outline.fields]
    if not scope.structured:
        made += part_drafts(labelled_parts(text), statements, text, scope)
        made += place_drafts(statements, scope)
    read = {each.start for _, each in made if each is not None}
    left = [
        each
        for each in statements
        if each.start not in read and not any(low < each.end and each.start < high for low, high in spans)
    ]
    return [draft for draft, _ in made], left


def _with_lead(draft: Draft, lead: str, statements: Sequence[Statement]) -> Draft:
    """Return the rule of a shown format with the line that announces it as a part of its source."""
    if (
        not draft.predicate
        or not lead
        or not re.match(r"(?:is json|json (?:only )?has|json schema|fields in)", draft.predicate)
    ):
        return draft
    before = [
        each for each in statements if each.start < draft.start and _tail(each.text) == plain(lead).rstrip(":： ")
    ]
    return replace(draft, start=before[-1].start) if before and draft.start - before[-1].end < 200 else draft


def _tail(text: str) -> str:
    return plain(re.split(r"(?<=[.!?。])\s+", text.strip())[-1]).rstrip(":： ")


def _from_statement(statement: Statement, scope: Scope) -> Iterator[Draft]:
    if statement.code:
        return
    if statement.text.rstrip("*_ ").endswith((":", "：")) and section_of(statement.text) in (
        "example",
        "input",
        "tools",
    ):
        return
    given = _GIVING_LEAD.search(statement.lead)
    listed = statement.section == "include" or bool(
        given and (statement.section in ("plain", "fields") or _LISTING_LEAD.search(statement.lead))
    )
    if statement.item and _OF_OTHER_THINGS.match(statement.lead):
        return  # ``This may include:`` is about the input
    if listed and statement.item and (said := under_condition(statement)):
        yield said
        return
    if (
        listed
        and statement.item
        and not is_open_lead(statement.lead)
        and requested(statement.text) is None
        and not about_input(statement.text)
    ):
        text = f"The output includes {plain(statement.text).rstrip('.')}."
        yield Draft(text=text, start=statement.start, end=statement.end, kind="content", priority=1)
        return
    for draft in drafts_of(statement, scope):
        yield _only_label(draft, scope)


def _only_label(draft: Draft, scope: Scope) -> Draft:
    """Add a one-word predicate to "only a label" if every label is one word."""
    if (
        draft.predicate
        or not scope.labels
        or draft.condition
        or not (_ONLY.search(draft.text) and _LABEL_NOUN.search(draft.text))
    ):
        return draft
    if all(len(label.split()) == 1 for label in (*scope.labels, *scope.special)):
        return replace(draft, predicate="words = 1", kind="format")
    return draft


def _from_labels(found: LabelSet, scope: Scope) -> Draft:
    alone = (found.alone or scope.alone) and not scope.structured
    every = tuple(dict.fromkeys((*found.labels, *scope.special)))
    if found.yes_no and not scope.special:
        predicate = "is yes or no"
    else:
        predicate = found.predicate(scope.special, alone=alone, ignoring_case=ignoring_case(found.labels))
    listed = ", ".join(every[:-1]) + f" or {every[-1]}"
    return Draft(
        text=f"The output is one of {listed}." if alone else f"The output names one of {listed}.",
        start=found.start,
        end=found.end,
        kind="format",
        priority=2 if alone else 1,
        predicate=checkable(predicate),
    )


def _says_labels(draft: Draft, sets: Iterable[LabelSet]) -> bool:
    """Whether a judged rule only repeats the labels."""
    if draft.predicate or draft.condition or not draft.text.startswith("The output is"):
        return False
    return any(each.alone and each.start < draft.end and draft.start < each.end for each in sets)


def _fields(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return the keys of the JSON that the prompt shows or lists."""
    names = [name for each in statements if each.code for name in json_keys(each.text[each.text.find("{") :])]
    names += [name for each in statements if not each.code for name in named_fields(each.text)]
    for group in grouped(statements):
        if group.section in ("fields", "format") and not group.parent:
            names.extend(field_names([each for each in group.members if each.item]))
    return tuple(dict.fromkeys(names))
