"""Convert a cell of promptfoo's ``__expected`` columns to a check."""

from __future__ import annotations

import csv
import difflib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["ForeignCheckError", "check_of"]

RawCheck = dict[str, Any]

_KNOWN = (
    "agent-rubric|answer-relevance|bleu|classifier|contains|contains-all|contains-any|contains-html|contains-json|"
    "contains-sql|contains-xml|context-faithfulness|context-recall|context-relevance|conversation-relevance|cost|"
    "equals|factuality|finish-reason|g-eval|gleu|guardrails|human|icontains|icontains-all|icontains-any|is-html|"
    "is-json|is-refusal|is-sql|is-valid-function-call|is-valid-openai-function-call|is-valid-openai-tools-call|"
    "is-xml|javascript|latency|levenshtein|llm-rubric|max-score|meteor|model-graded-closedqa|model-graded-factuality|"
    "moderation|perplexity|perplexity-score|pi|python|regex|rouge-n|ruby|search-rubric|select-best|similar|"
    "similar:cosine|similar:dot|similar:euclidean|skill-used|starts-with|tool-call-f1|trace-error-spans|"
    "trace-span-count|trace-span-duration|trajectory:goal-success|trajectory:step-count|trajectory:tool-args-match|"
    "trajectory:tool-sequence|trajectory:tool-used|webhook|word-count"
)
_LONGEST_FIRST = "|".join(sorted(_KNOWN.split("|"), key=len, reverse=True))
_SHAPE = re.compile(rf"(not-)?({_LONGEST_FIRST})(?:\((\d+(?:\.\d+)?)\))?(?:\s*:([\s\S]*))?")
_OTHER_NAMES = {"grade:": "llm-rubric:", "fn:": "javascript:", "eval:": "javascript:", "file://": "python:"}
_TYPED = re.compile(r"(not-)?([a-z][a-z:-]+[a-z])(?:\([\d.]+\))?:")


class ForeignCheckError(Exception):
    """An expectation that has no counterpart here."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def check_of(cell: str) -> RawCheck:
    """Convert one cell to a check; a cell without a type means equality.

    Raises:
        ForeignCheckError: it is not supported, or not in this form.
    """
    text = cell.strip()
    for theirs, name in _OTHER_NAMES.items():
        if text.startswith(theirs):
            text = name + text[len(theirs) :]
    match = _SHAPE.fullmatch(text)
    if match is None:
        _refuse_slip(text)
        return {"scorer": "exact", "settings": {"value": text}}
    negated, kind, figure, value = match.groups()
    make = _MAKERS.get(kind) if not negated else _NEGATED.get(kind)
    if make is None:
        raise ForeignCheckError(
            f"the expectation {(negated or '') + kind!r} is not supported",
            f"use one of: {', '.join(_MAKERS)}; for the text as it is, write `equals: {text[:40]}`",
        )
    return make((value or "").strip(), float(figure) if figure else None)


def _refuse_slip(text: str) -> None:
    """Reject ``contians: x``: it is a typing error, not the expected text."""
    typed = _TYPED.match(text)
    guess = difflib.get_close_matches(typed.group(2), _KNOWN.split("|"), n=1, cutoff=0.85) if typed else []
    if guess:
        raise ForeignCheckError(
            f"unknown expectation {typed.group(2) if typed else text!r}",
            f"did you mean `{guess[0]}:`? For the text as it is, write `equals: {text}`",
        )


def _needed(value: str, kind: str) -> str:
    if not value:
        raise ForeignCheckError(f"{kind} has nothing to look for", f"write `{kind}: text`")
    return value


def _figure(value: float | None, kind: str, example: str) -> float:
    if value is None:
        raise ForeignCheckError(f"{kind} has no limit", f"write `{kind}({example})`")
    return value


def _parts(value: str, kind: str) -> list[str]:
    cells = next(csv.reader([_needed(value, kind)], skipinitialspace=True), [])
    return [cell.strip() for cell in cells if cell.strip()]


def _contains(kind: str, mode: str, *, ignore_case: bool, several: bool) -> Callable[[str, float | None], RawCheck]:
    def make(value: str, figure: float | None) -> RawCheck:
        settings: dict[str, Any] = {"value": _parts(value, kind) if several else _needed(value, kind)}
        if mode != "all":
            settings["mode"] = mode
        if ignore_case:
            settings["ignore_case"] = True
        return {"scorer": "contains", "settings": settings}

    return make


def _regex(kind: str, pattern: Callable[[str], str], *, none: bool) -> Callable[[str, float | None], RawCheck]:
    def make(value: str, figure: float | None) -> RawCheck:
        settings: dict[str, Any] = {"value": pattern(_needed(value, kind))}
        if none:
            settings["mode"] = "none"
        return {"scorer": "regex", "settings": settings}

    return make


def _json(from_text: str) -> Callable[[str, float | None], RawCheck]:
    def make(value: str, figure: float | None) -> RawCheck:
        settings: dict[str, Any] = {"from_text": from_text}
        if value:
            try:
                settings["schema"] = json.loads(value)
            except (ValueError, RecursionError) as error:
                raise ForeignCheckError(f"the schema is not JSON: {error}", "write the schema as JSON") from None
        return {"scorer": "json_schema", "settings": settings}

    return make


def _similar(value: str, figure: float | None) -> RawCheck:
    settings = {"reference": _needed(value, "similar")}
    return {"scorer": "similar", "settings": settings, "threshold": 0.8 if figure is None else figure}


def _bleu(value: str, figure: float | None) -> RawCheck:
    settings = {"metric": "bleu", "reference": _needed(value, "bleu")}
    return {"scorer": "overlap", "settings": settings, "threshold": 0.5 if figure is None else figure, "name": "bleu"}


def _rubric(value: str, figure: float | None) -> RawCheck:
    rubric = _needed(value, "llm-rubric")
    if figure is None:
        return {"scorer": "judge", "settings": {"rubric": rubric}}
    return {"scorer": "judge", "settings": {"rubric": rubric, "kind": "score"}, "threshold": figure}


def _latency(value: str, figure: float | None) -> RawCheck:
    return {"scorer": "latency", "settings": {"at_most": _figure(figure, "latency", "1000") / 1000}}


def _cost(value: str, figure: float | None) -> RawCheck:
    return {"scorer": "cost", "settings": {"at_most": _figure(figure, "cost", "0.01")}}


def _words(value: str, figure: float | None) -> RawCheck:
    limits: Any
    try:
        limits = json.loads(_needed(value, "word-count"))
    except (ValueError, RecursionError):
        limits = None
    if isinstance(limits, int) and not isinstance(limits, bool):
        limits = {"min": limits, "max": limits}
    if not isinstance(limits, dict) or not limits or set(limits) - {"min", "max"}:
        raise ForeignCheckError("word-count needs a number", 'write `word-count: 50` or `word-count: {"max": 50}`')
    names = {"min": "at_least", "max": "at_most"}
    return {"scorer": "length", "settings": {"unit": "words", **{names[key]: limits[key] for key in limits}}}


def _same(text: str) -> str:
    return text


def _whole(text: str) -> str:
    return rf"\A{re.escape(text)}\Z"


def _start(text: str) -> str:
    return rf"\A{re.escape(text)}"


def _exact(value: str, figure: float | None) -> RawCheck:
    return {"scorer": "exact", "settings": {"value": value}}


_MAKERS: Mapping[str, Callable[[str, float | None], RawCheck]] = {
    "equals": _exact,
    "contains": _contains("contains", "all", ignore_case=False, several=False),
    "contains-all": _contains("contains-all", "all", ignore_case=False, several=True),
    "contains-any": _contains("contains-any", "any", ignore_case=False, several=True),
    "icontains": _contains("icontains", "all", ignore_case=True, several=False),
    "icontains-all": _contains("icontains-all", "all", ignore_case=True, several=True),
    "icontains-any": _contains("icontains-any", "any", ignore_case=True, several=True),
    "starts-with": _regex("starts-with", _start, none=False),
    "regex": _regex("regex", _same, none=False),
    "is-json": _json("strict"),
    "contains-json": _json("loose"),
    "similar": _similar,
    "similar:cosine": _similar,
    "bleu": _bleu,
    "llm-rubric": _rubric,
    "latency": _latency,
    "cost": _cost,
    "word-count": _words,
}
_NEGATED: Mapping[str, Callable[[str, float | None], RawCheck]] = {
    "equals": _regex("not-equals", _whole, none=True),
    "contains": _contains("not-contains", "none", ignore_case=False, several=False),
    "contains-any": _contains("not-contains-any", "none", ignore_case=False, several=True),
    "icontains": _contains("not-icontains", "none", ignore_case=True, several=False),
    "icontains-any": _contains("not-icontains-any", "none", ignore_case=True, several=True),
    "starts-with": _regex("not-starts-with", _start, none=True),
    "regex": _regex("not-regex", _same, none=True),
}
