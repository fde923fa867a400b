"""Last look at the predicates of a prompt beside each other: what another sentence takes back, or lets be missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from proctor.generate.extract.draft import Draft
from proctor.generate.extract.fixed_replies import is_case
from proctor.generate.extract.predicate_text import checkable, quoted
from proctor.generate.extract.quoted_literals import find_runs, literal_role
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement
from proctor.text.lazy_pattern import Lazy
from proctor.text.predicates import parse

__all__ = ["settle_shapes"]

_LIST_COUNT: Final = re.compile(r"(?P<measure>numbered items|items|bullets|headings) (?:>=? [1-9]|= [2-9]|between [1-9])")
_NO_LIST: Final = re.compile(r"(?:items|bullets|numbered items) = 0$")
_SIGNS: Final = frozenset("-+*•–")
_FIXED_END: Final = re.compile(r'ends with (?P<texts>"(?:[^"\\]|\\.)*"(?:, "(?:[^"\\]|\\.)*")*)$')
# ``put [[HANDOVER]] on a line of its own at the very end``
_TOKEN: Final = re.compile(r"\[\[[^\[\]\n]+\]\]|\[[A-Z_]{3,}\]|<[A-Z_]{3,}/?>|#[A-Z_]{3,}")
_FIELD: Final = re.compile(r'(?P<path>(?:each json item: )?(?:json field "[^"]*" (?:each json item: )?)+)(?P<inner>.+)$')
_MISSING: Final = Lazy(
    r"(?<![A-Za-z])null(?![A-Za-z])|(?<![\w\"])\"\"(?![\w\"])|“”|\bempty\b|\bblank\b|\bleer\w*\b|\bvides?\b|\bvac[íi][oa]s?\b|"
    r"\bvazi[oa]s?\b|\bvuot[oaie]\b|\blege?\b|\bpust\w+\b|\bпуст\w+\b|\btomm?a?t?\b|\bprázdn\w+|\bboş\b|空(?:文字|字符|字串|白|"
    r"の|欄)|빈 |비워",
    re.IGNORECASE,
)


def settle_shapes(drafts: Iterable[Draft], statements: Sequence[Statement]) -> Iterator[Draft]:
    """Yield the rules; a predicate that another sentence takes back is weaker, or left to a judge."""
    told = [each for each in statements if not each.code and each.section not in ASIDE_SECTIONS]
    cased = any(is_case(each.text) for each in told)
    missing = any(_MISSING.search(each.text) for each in statements)
    for draft in drafts:
        predicate = draft.predicate or ""
        if draft.end and cased and (count := _LIST_COUNT.match(predicate)):
            weaker = checkable(f"when {count['measure']} >= 1: {predicate}")
            yield replace(draft, predicate=weaker)
        elif _NO_LIST.match(predicate) and (sign := _list_sign(told, draft)):
            yield replace(draft, predicate=None, note=f"left to a judge: another sentence asks for lines with {sign}")
        elif (end := _FIXED_END.match(predicate)) and _ends_otherwise(told, draft):
            yield replace(draft, predicate=checkable(f"contains any {end['texts']}"))
        elif missing and (field := _FIELD.match(predicate)):
            yield replace(draft, predicate=_or_missing(field["path"], field["inner"]) or predicate)
        else:
            yield draft


def _list_sign(told: Sequence[Statement], draft: Draft) -> str:
    for each in told:
        if each.start <= draft.start < each.end:
            continue
        for run in find_runs(each.text):
            role = literal_role(each.text, run)
            if role is not None and role.role == "start" and set(run.texts) & _SIGNS:
                return quoted(run.texts)
    return ""


def _ends_otherwise(told: Sequence[Statement], draft: Draft) -> bool:
    """Whether another sentence puts a mark in brackets somewhere, which may stand behind the fixed end."""
    own = next((each for each in told if each.start <= draft.start < each.end), None)
    return any(each is not own and _TOKEN.search(each.text) for each in told)


def _or_missing(path: str, inner: str) -> str | None:
    """Return the predicate of a field for a value that may be missing; None where that changes nothing."""
    try:
        check = parse(inner)
    except ValueError:
        return None
    if check.root.form in ("and", "when", "not") or inner.startswith(("json", "(json", "is json")):
        return None
    blank = [text for text, value in (("is empty", ""), ('is "null"', "null")) if check.check(value, {}).ok is False]
    return checkable(f"{path}({' or '.join([f'({check.text})', *blank])})") if blank else None
