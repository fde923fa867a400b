"""Last look at the predicates of a prompt beside each other: what another sentence takes back, or lets be missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from proctor.generate.extract.draft import Draft
from proctor.generate.extract.fixed_replies import is_case
from proctor.generate.extract.json_shape import json_keys
from proctor.generate.extract.predicate_text import checkable, quoted
from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.quoted_literals import find_runs, literal_role
from proctor.generate.extract.reply_words import ONLY
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement
from proctor.text.lazy_pattern import Lazy
from proctor.text.predicates import parse

__all__ = ["missing_values", "settle_shapes"]

_LIST_COUNT: Final = re.compile(
    r"(?P<measure>numbered items|items|bullets|headings) (?:>=? [2-9]|= [2-9]|between [2-9])"
)
_NO_LIST: Final = re.compile(r"(?:items|bullets|numbered items) = 0$")
_MARKUP_ASKED: Final = Lazy(r"\b(?:markdown|bullets?|bullet points?|bulleted|headings?|numbered list)\b", re.IGNORECASE)
_SIGNS: Final = frozenset("-+*•–")
_FIXED_END: Final = re.compile(r'ends with (?P<texts>"(?:[^"\\]|\\.)*"(?:, "(?:[^"\\]|\\.)*")*)$')
# ``put [[HANDOVER]] on a line of its own at the very end``
_TOKEN: Final = re.compile(r"\[\[[^\[\]\n]+\]\]|\[[A-Z_]{3,}\]|<[A-Z_]{3,}/?>|#[A-Z_]{3,}")
_FIELD: Final = re.compile(
    r'(?P<path>(?:each json item: )?(?:json field "[^"]*" (?:each json item: )?)*?json field "(?P<name>[^"]*)" )'
    r"(?P<inner>(?!json field|each json item: json field).+)$"
)
_CODE_ANSWER: Final = re.compile(r"(?<!not \()has code block|matches /`")
_NOT_ARRAY: Final = "when not (is json array): "
_KEYED: Final = re.compile(r"is json|json has|json only has|json schema|json array")
_JSON_REPLY: Final = re.compile(r"\{[^{}\n]{0,200}\}")
_OF_WHOLE: Final = re.compile(r"(?:words|characters|sentences|lines|paragraphs) (?:<|>|=|between)")
_NULL: Final = re.compile(r"(?<![A-Za-z])null(?![A-Za-z])", re.IGNORECASE)
_EMPTY: Final = Lazy(
    r"(?<![\w\"])\"\"(?![\w\"])|“”|\bempty\b|\bblank\b|\bleer\w*\b|\bvides?\b|"
    r"\bvac[íi][oa]s?\b|\bvazi[oa]s?\b|\bvuot[oaie]\b|\blege?\b|\bpust\w+\b|\bпуст\w+\b|\btomm?a?t?\b|\bprázdn\w+|"
    r"\bboş\b|空(?:文字|字符|字串|白|"
    r"の|欄)|빈 |비워",
    re.IGNORECASE,
)


def settle_shapes(drafts: Sequence[Draft], statements: Sequence[Statement], fields: Sequence[str]) -> Iterator[Draft]:
    """Yield the rules; a predicate that another sentence takes back is weaker, or left to a judge.

    ``fields`` are those of the JSON that is asked for.
    """
    told = [each for each in statements if not each.code and each.section not in ASIDE_SECTIONS]
    cased = any(is_case(each.text) for each in told)
    missing = missing_values(statements)
    others = tuple(_other_objects(told, fields)) if fields else ()
    coded = any(_CODE_ANSWER.search(draft.predicate or "") for draft in drafts)
    tabled = any((draft.predicate or "").startswith("is table") for draft in drafts)
    for draft in drafts:
        predicate = draft.predicate or ""
        if draft.end and cased and (count := _LIST_COUNT.match(predicate)):
            yield replace(draft, predicate=checkable(f"when {count['measure']} >= 1: {predicate}"))
        elif predicate == "items = 0" and _asks_markdown(told, draft):
            yield replace(draft, predicate=None, note="left to a judge: another sentence asks for a list")
        elif _NO_LIST.match(predicate) and (sign := _list_sign(told, draft)):
            yield replace(draft, predicate=None, note=f"left to a judge: another sentence asks for lines with {sign}")
        elif predicate.startswith("no markdown") and _asks_markdown(told, draft):
            yield replace(draft, predicate=None, note="left to a judge: another sentence asks for Markdown")
        elif tabled and _OF_WHOLE.match(predicate):
            yield replace(draft, predicate=None, note="left to a judge: it may be for a cell of the table")
        elif coded and (end := _FIXED_END.match(predicate)) and not re.search(r"\w", end["texts"]):
            yield replace(draft, predicate=checkable(f"each code block: {predicate}"))
        elif (end := _FIXED_END.match(predicate)) and _ends_otherwise(told, draft):
            yield replace(draft, predicate=checkable(f"contains any {end['texts']}"))
        elif others or missing:
            yield replace(draft, predicate=_of_fields(predicate, others, missing=missing) or predicate or None)
        else:
            yield draft


def _asks_markdown(told: Sequence[Statement], draft: Draft) -> bool:
    """Whether another sentence asks for Markdown, or for lists or headings."""
    return any(
        (found := _MARKUP_ASKED.search(each.text)) is not None
        and not is_case(each.text)
        and not re.search(rf"{NEGATION}[^.;,:]*$", each.text[: found.start()], re.IGNORECASE)
        for each in told
        if not each.start <= draft.start < each.end
    )


def missing_values(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return what a prompt about JSON has for a missing value, by the words for it: ``null``, an empty text."""
    said = [each.text for each in statements]
    return (*(["null"] if any(map(_NULL.search, said)) else []), *([""] if any(map(_EMPTY.search, said)) else []))


def _other_objects(told: Sequence[Statement], fields: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the objects that some case has instead, ``{}`` or ``{"error": "…"}``, each with its predicate."""
    for each in told:
        if not is_case(each.text) and not re.search(ONLY, each.text, re.IGNORECASE):
            continue
        for match in _JSON_REPLY.finditer(each.text):
            keys = json_keys(match.group())
            if match.group().strip("{} ") == "":
                yield "{}", 'is "{}"'
            elif keys and len(keys) < len(fields):
                yield match.group(), f"json only has {quoted(keys)}"


def _of_fields(predicate: str, others: Sequence[tuple[str, str]], *, missing: Sequence[str]) -> str | None:
    """Return the predicate of JSON so that it holds for the object of another case, and for values that are missing."""
    root = parse(predicate).root if predicate else None
    if root is None:
        return None
    if root.form == "and" and (others or missing):
        found = [_of_fields(term.text, others, missing=missing) or term.text for term in root.inner]
        return checkable(" and ".join(f"({each})" for each in found))
    bare = predicate.removeprefix(_NOT_ARRAY)
    field = _FIELD.match(bare)
    if field and (others or bare != predicate):
        path = f"each json field {quoted([field['name']])}: "
        return _or_missing(path, field["inner"], missing) or checkable(f"{path}{field['inner']}")
    if field:
        return _or_missing(field["path"], field["inner"], missing)
    failed = [said for shown, said in others if parse(predicate).check(shown, {}).ok is False]
    if failed and _KEYED.match(predicate):
        return checkable(" or ".join([f"({predicate})", *dict.fromkeys(failed)]))
    return None


def _list_sign(told: Sequence[Statement], draft: Draft) -> str:
    for each in told:
        if each.start <= draft.start < each.end:
            continue
        for run in find_runs(each.text):
            role = literal_role(each.text, run)
            if (role is None or role.role not in ("ban", "not start")) and {
                text.strip() for text in run.texts
            } & _SIGNS:
                return quoted(run.texts)
    return ""


def _ends_otherwise(told: Sequence[Statement], draft: Draft) -> bool:
    """Whether another sentence puts a mark in brackets somewhere, which may stand behind the fixed end."""
    own = next((each for each in told if each.start <= draft.start < each.end), None)
    return any(each is not own and _TOKEN.search(each.text) for each in told)


def _or_missing(path: str, inner: str, missing: Sequence[str]) -> str | None:
    """Return the predicate of a field for a value that may be missing; None where that changes nothing."""
    try:
        check = parse(inner)
    except ValueError:
        return None
    if check.root.form in ("and", "when", "not") or inner.startswith(("json", "(json", "is json")):
        return None
    blank = [f"is {quoted([each])}" if each else "is empty" for each in missing if check.check(each, {}).ok is False]
    return checkable(f"{path}({' or '.join([f'({check.text})', *blank])})") if blank else None
