"""The rules of a JSON answer of which the shape is known: its keys, their values, and what one sentence says of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.described_fields import bounded_count, value_checks
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.json_fields import AND_NOTHING, ARRAY_VALUE, FIELDS, ITEM, JSON, JsonField, JsonShape
from proctor.generate.extract.number_words import in_digits
from proctor.generate.extract.predicate_text import checkable, joined, quoted
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.quoted_literals import find_runs
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement
from proctor.text.lazy_pattern import Lazy
from proctor.text.predicates.language_guess import FUNCTION_WORDS

__all__ = ["field_paths", "shape_drafts"]

_OTHERS: Final = Lazy(
    rf"{NEGATION}[^.;]{{0,30}}{FIELDS}|\b(?:only|exactly|nur|genau|uniquement|exactement|solo|exactamente|apenas|"
    rf"exatamente|alleen|precies|wyłącznie|dokładnie|только|ровно)\b[^.;]{{0,25}}{FIELDS}|"
    rf"{FIELDS}[^.]{{0,40}}(?:\b(?:no|add|any) others?\b|\bkeine (?:weiteren|anderen)\b|"
    r"\baucun(?:e)? autre\b|\bningun[oa] más\b|\bnenhum(?:a)? (?:outr[oa]|a mais)\b|\bnessun[oa]?['’ ]altr[oa]\b|"
    r"\bgeen andere\b)|(?:只能?|仅)(?:包含|有|使用)[^。；]{0,10}(?:字段|键)",
    re.IGNORECASE,
)
_LEAD_REACH: Final = 300  # characters
_SHORT: Final = 12  # words of a sentence that only closes the list of keys, or is about an amount alone
_THINGS: Final = Lazy(
    r"\b(?:objects?|items?|entries|elements?|objekte\w*|einträge\w*|objets|éléments|objetos|elementos|oggetti|elementi|"
    r"objecten)\b|对象|条|项|件",
    re.IGNORECASE,
)


def shape_drafts(
    shape: JsonShape, statements: Sequence[Statement], text: str, scope: PromptScope
) -> Iterator[tuple[Draft, Statement | None]]:
    """Yield the rules of the shape; with the statement, if one is a rule as a whole and is read nowhere else."""
    names = shape.names
    words = [each for each in statements if not each.code]
    own = [each for each in words if each.start <= shape.start < each.end]
    closed = any(_OTHERS.search(each.text) and not is_conditional(each.text) for each in words)
    closed = closed or any(AND_NOTHING.search(each.text) for each in own if shape.named)
    leads = [each for each in words if each.end <= shape.start and shape.start - each.start < _LEAD_REACH]
    lead = next(
        (
            each.start
            for each in reversed(leads)
            if each.text.rstrip().endswith((":", "：")) or _OTHERS.search(each.text) or JSON.search(each.text)
        ),
        -1,
    )
    has = f"json has {quoted(names)}" + (f" and json only has {quoted(names)}" if closed else "")
    if shape.array:
        predicate = f"is json array and (json array length = 0 or {has})"
    else:
        predicate = shape.schema or f"is json{'' if shape.loose else ' object'} and {has}"
    if shape.loose and not shape.array:
        predicate = f'({predicate}) or is "[]"'
    kind = "array of objects" if shape.array else "object"
    told = f"The output is a JSON {kind} with the keys {', '.join(names)}{' and no others' if closed else ''}."
    yield _draft(told, lead if lead >= 0 else shape.start, shape.end, predicate), _announcing(shape, own, words, lead)
    scope = replace(scope, blank=tuple(dict.fromkeys((*scope.blank, *_null(text)))))
    many = _many(shape)
    for each in shape.fields:
        checks = [] if shape.schema else list(_checks(each, shape, many, scope))
        if each.shown and not checks:
            continue
        said = (
            f"{each.name}: {each.said}"
            if each.shown or each.said not in text[each.start : each.end]
            else text[each.start : each.end]
        )
        yield _draft(_closed(said), each.start, each.end, joined(checks)), None
    rests = list(_rests(shape, statements, text))
    for one in (*statements, *rests):
        inside = shape.start <= one.start < shape.end and one not in rests
        found = "" if one.code or inside else _of_case(one, shape) or _of_statement(one, shape, many)
        if found or one in rests:
            yield _draft(_closed(one.text), one.start, one.end, found), one


def _rests(shape: JsonShape, statements: Sequence[Statement], text: str) -> Iterator[Statement]:
    """Yield the lines of an item below the line of its field, which are sentences of their own."""
    ends = {each.end for each in shape.fields}
    for each in () if shape.named else statements:
        inside = [end for end in ends if each.start < end < each.end]
        for line in re.finditer(r"[^\n]+", text[max(inside) : each.end]) if inside else ():
            said = line.group().strip()
            if len(said) > 2 and not ITEM.match(line.group()):
                start = text.find(said, max(inside))
                yield replace(each, start=start, end=start + len(said), text=said, item=False, section="plain")


def _announcing(shape: JsonShape, own: Sequence[Statement], words: Sequence[Statement], lead: int) -> Statement | None:
    """Return the sentence that only names the keys, or leads to them: the rule of the shape is its rule."""
    if shape.named:
        return own[0] if own else None
    found = next((each for each in words if each.start == lead), None)
    leads = found is not None and found.text.rstrip().endswith((":", "：")) and len(found.text.split()) <= _SHORT
    return found if leads and found is not None and not _OTHERS.search(found.text) else None


def field_paths(shape: JsonShape, text: str) -> Iterator[tuple[str, bool, tuple[tuple[int, int], ...]]]:
    """Yield the name of each field, whether it holds a list, and the places that describe it.

    A field that holds fields is an array where the prompt shows a bracket behind it.
    """
    many = _many(shape) | frozenset(
        each.name
        for each in shape.fields
        if re.search(rf"[\"'“]{re.escape(each.name)}[\"'”]\s*:\s*\[", text[shape.start : shape.end])
    )
    for each in shape.fields:
        spans = () if each.shown else ((each.start, each.end),)
        yield each.name, each.name in many, spans


def _many(shape: JsonShape) -> frozenset[str]:
    """Return the fields that hold arrays."""
    return frozenset(each.name for each in shape.fields if ARRAY_VALUE.search(each.said))


def _path(field: JsonField, shape: JsonShape, many: frozenset[str]) -> str:
    path = "each json item: " if shape.array else ""
    for parent in field.parents:
        path += f"json field {quoted([parent])} " + ("each json item: " if parent in many else "")
    return f"{path}json field {quoted([field.name])}"


def _checks(field: JsonField, shape: JsonShape, many: frozenset[str], scope: PromptScope) -> Iterator[str]:
    path = _path(field, shape, many)
    asked = [f"one of {quoted(field.values)}"] if field.values else list(value_checks(field.said, scope))
    if (
        not asked
        and (count := bounded_count(field.said))
        and re.search(rf"\d\s+{re.escape(field.name[:4])}", in_digits(field.said), re.IGNORECASE)
    ):
        asked = [f"json array length {count}"]  # ``steps: 3 to 10 steps``
    others = _alternatives(field)
    for predicate in asked:
        if shape.loose and not shape.array:
            yield f"when not (is json array): {path} {predicate}"
            continue
        loosened = (
            f"({predicate} or one of {quoted(others)})"
            if others and not predicate.startswith(("one of", "json", "(json"))
            else predicate
        )
        if checkable(f"{path} {loosened}"):
            yield f"{path} {loosened}"
    if field.keys and field.name not in many:
        yield f"{path} json has {quoted(field.keys)}"
    inner = [each.name for each in shape.fields if each.parents and each.parents[-1] == field.name and not each.shown]
    if inner:
        yield f'{path} (json has {quoted(inner)} or is "[]")'


def _alternatives(field: JsonField) -> tuple[str, ...]:
    """Return the values that the words of a field name for some case: ``a date; "unknown" if not stated``."""
    pieces = [piece for piece in re.split(r"[;；,，—–]", field.said) if is_conditional(piece)]
    return tuple(text for piece in pieces for run in find_runs(piece) for text in run.texts)


def _of_case(statement: Statement, shape: JsonShape) -> str:
    """Return the predicate of a sentence that ties the value of one field to that of another."""
    said = statement.text
    cut = re.search(r"[,，]", said)
    if cut is None or shape.array or not is_conditional(said[: cut.start()]):
        return ""
    pairs = [_pairs(piece, shape) for piece in (said[: cut.start()], said[cut.start() :])]
    asked = [f"json field {quoted([name])} is {quoted([value])}" for name, value in pairs[1]]
    if len(pairs[0]) != 1 or not asked or re.search(NEGATION, said, re.IGNORECASE):
        return ""
    name, value = pairs[0][0]
    left = [
        word
        for word in re.findall(
            r"[^\W\d_]+", said[: cut.start()].lower().replace(name.lower(), " ").replace(value.lower(), " ")
        )
        if word not in FUNCTION_WORDS
    ]
    return "" if left else f"when json field {quoted([name])} is {quoted([value])}: {' and '.join(asked)}"


def _pairs(said: str, shape: JsonShape) -> list[tuple[str, str]]:
    """Return the fields that a clause names, each with the quoted value right after it."""
    names = "|".join(re.escape(name) for name in shape.names)
    found = re.finditer(
        rf"[\"“`]?\b(?P<name>{names})\b[\"”`]?\s+(?:[^\W\d_]+\s+){{0,3}}[\"“](?P<value>[^\"”]+)[\"”]", said
    )
    return [(match["name"], match["value"]) for match in found]


def _of_statement(statement: Statement, shape: JsonShape, many: frozenset[str]) -> str:
    """Return the predicate of a sentence about the keys, or the number of things, of the JSON as a whole."""
    said = statement.text
    if is_conditional(said) or statement.section in ASIDE_SECTIONS or ITEM.match(said):
        return ""
    if len(said.split()) > _SHORT or JSON.search(said):
        return ""
    if _OTHERS.search(said):
        only = f"json only has {quoted(shape.names)}"
        return f"json array length = 0 or {only}" if shape.array or shape.loose else only
    if count := bounded_count(said):
        named = [name for name in many if re.search(rf"\b{re.escape(name)}\b", said, re.IGNORECASE)]
        if len(named) == 1:
            return f"json field {quoted(named)} json array length {count}"
        if shape.array and _THINGS.search(said):
            return f"json array length {count}"
    return ""


def _null(text: str) -> tuple[str, ...]:
    return ("null",) if re.search(r"(?<![A-Za-z])null(?![A-Za-z])", text) else ()


def _closed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().lstrip("-*•·– ").rstrip(" .:;：；。") + "."


def _draft(text: str, start: int, end: int, predicate: str) -> Draft:
    return Draft(
        text=text,
        start=start,
        end=end,
        kind="format",
        priority=2,
        predicate=checkable(predicate) if predicate else None,
    )
