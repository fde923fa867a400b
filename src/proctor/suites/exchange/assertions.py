"""Convert promptfoo's assertions to our checks, or report why one has no counterpart."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from typing import Any

from proctor.core.case import Check
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.suites.exchange.templates import rendered
from proctor.suites.promptfoo import ForeignCheckError, check_of
from proctor.text.predicates import PredicateError, parse

__all__ = ["UnsupportedAssertionError", "checks_of", "with_values"]

RawCheck = dict[str, Any]

_CODE = "is code, which is never run here: write it as a scorer, or as a rule with a predicate"
_WHY_NOT: Mapping[str, str] = {
    **dict.fromkeys(("javascript", "python", "ruby", "webhook"), _CODE),
    **dict.fromkeys(("select-best", "max-score"), "compares answers with each other: use `proctor compare`"),
    **dict.fromkeys(("classifier", "moderation", "guardrails", "pi"), "asks a service that is not part of Proctor"),
    **dict.fromkeys(("perplexity", "perplexity-score"), "needs log probabilities, which are not recorded"),
    **dict.fromkeys(("context-faithfulness", "context-recall", "context-relevance"), "needs retrieved context"),
    "levenshtein": "counts edits; use `overlap` with a threshold",
}
_PREDICATES = {"is-xml": "is xml", "is-html": "is html", "contains-xml": "matches /<[a-zA-Z][^>]*>/"}
_AS_CELLS = (
    "equals contains icontains starts-with regex is-json contains-json similar similar:cosine bleu llm-rubric latency "
    "cost word-count contains-all contains-any icontains-all icontains-any"
)
_TEXTUAL = frozenset(_AS_CELLS.split())
_REFUSES = "The answer declines to do what was asked."
_LISTS = ("contains-all", "contains-any", "icontains-all", "icontains-any")


class UnsupportedAssertionError(Exception):
    """An assertion that cannot be converted, with the reason."""


def with_values(value: Any, values: Mapping[str, Any]) -> Any:
    """Return the assertion with the test's variables filled in everywhere."""
    if isinstance(value, str):
        return rendered(value, values)
    if isinstance(value, Mapping):
        return {key: with_values(item, values) for key, item in value.items()}
    if isinstance(value, list):
        return [with_values(item, values) for item in value]
    return value


def checks_of(assertion: Any) -> tuple[Check, ...]:
    """Convert one assertion to checks; an assertion set gives the checks of all its parts.

    Raises:
        UnsupportedAssertionError: it has no counterpart here.
    """
    if isinstance(assertion, str):
        return (_made(_cell(assertion)),)
    if not isinstance(assertion, Mapping) or not isinstance(assertion.get("type"), str):
        raise UnsupportedAssertionError("an assertion without a type")
    kind = assertion["type"]
    if kind == "assert-set":
        if assertion.get("threshold") not in (None, 1, 1.0):
            raise UnsupportedAssertionError(
                "assert-set with a threshold: some of its parts may fail, which a check cannot say"
            )
        parts = assertion.get("assert")
        return tuple(check for part in (parts if isinstance(parts, list) else ()) for check in checks_of(part))
    if assertion.get("transform") is not None:
        raise UnsupportedAssertionError(f"{kind} with a transform: {_CODE}")
    raw = _raw(kind, assertion)
    beside = {"name": assertion.get("metric"), "weight": assertion.get("weight")}
    return (_made({**raw, **{key: value for key, value in beside.items() if value is not None}}),)


def _made(raw: RawCheck) -> Check:
    try:
        return decode(Check, raw, strict=True)
    except MalformedError as error:
        raise UnsupportedAssertionError(f"{error.field or 'assertion'}: {error.message}") from None


def _raw(kind: str, assertion: Mapping[str, Any]) -> RawCheck:
    plain = kind.removeprefix("not-")
    negated = kind != plain
    if plain == "python" and not negated and (predicate := _own_predicate(assertion)):
        return _rule(str(assertion.get("metric") or predicate), predicate)
    if plain in _WHY_NOT:
        raise UnsupportedAssertionError(f"{kind} {_WHY_NOT[plain]}")
    value, threshold = assertion.get("value"), assertion.get("threshold")
    if isinstance(value, str) and value.startswith("file://"):
        raise UnsupportedAssertionError(f"{kind} from a file that is code or is not there: {value}")
    if plain in _PREDICATES:
        predicate = f"not ({_PREDICATES[plain]})" if negated else _PREDICATES[plain]
        return _rule(f"The answer {'is not' if negated else 'is'} {plain.partition('-')[2].upper()}.", predicate)
    odd = (plain == "equals" and not isinstance(value, str)) or (negated and plain in ("llm-rubric", "is-json"))
    if plain in _TEXTUAL and not odd:
        return _cell(_as_cell(kind, value, threshold))
    maker = _MAKERS.get(plain)
    if maker is None or (negated and plain not in ("llm-rubric", "is-refusal", "is-json", "factuality")):
        raise UnsupportedAssertionError(f"{kind} has no counterpart")
    return maker(value, threshold, negated)


def _own_predicate(assertion: Mapping[str, Any]) -> str:
    """Return the predicate of an assertion that our own export wrote; it is read, and no code is run."""
    config = assertion.get("config")
    written = config.get("predicate") if isinstance(config, Mapping) else None
    if not isinstance(written, str):
        return ""
    try:
        return parse(written).text
    except PredicateError:
        return ""


def _as_cell(kind: str, value: Any, threshold: Any) -> str:
    """Return the assertion as a cell of promptfoo's CSV, for which a parser exists."""
    figure = f"({threshold:g})" if isinstance(threshold, (int, float)) and not isinstance(threshold, bool) else ""
    if kind.removeprefix("not-") in _LISTS and isinstance(value, list):
        out = io.StringIO()
        csv.writer(out, lineterminator="").writerow([str(item) for item in value])
        return f"{kind}{figure}: {out.getvalue()}"
    if value is None:
        return f"{kind}{figure}"
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{kind}{figure}: {said}"


def _cell(text: str) -> RawCheck:
    try:
        return check_of(text)
    except ForeignCheckError as error:
        raise UnsupportedAssertionError(error.message) from None


def _rule(text: str, predicate: str) -> RawCheck:
    return {"scorer": "rules", "settings": {"rules": [{"text": text, "predicate": predicate}]}, "name": predicate}


def _judge(rubric: str, threshold: Any) -> RawCheck:
    if isinstance(threshold, (int, float)):
        return {"scorer": "judge", "settings": {"rubric": rubric, "kind": "score"}, "threshold": threshold}
    return {"scorer": "judge", "settings": {"rubric": rubric}}


def _said(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(f"- {item}" for item in value)
    if not isinstance(value, str) or not value.strip():
        raise UnsupportedAssertionError("a model-graded assertion that says nothing")
    return value


def _rubric(value: Any, threshold: Any, negated: bool) -> RawCheck:
    said = _said(value)
    return _judge(f"The answer must NOT be as follows:\n{said}" if negated else said, threshold)


def _factuality(value: Any, threshold: Any, negated: bool) -> RawCheck:
    how = "contradicts" if negated else "agrees with"
    return _judge(f"The answer {how} these facts, and says nothing against the rest:\n{_said(value)}", threshold)


def _refusal(value: Any, threshold: Any, negated: bool) -> RawCheck:
    return _judge(f"It is not so that: {_REFUSES}" if negated else _REFUSES, None)


def _relevance(value: Any, threshold: Any, negated: bool) -> RawCheck:
    return {"scorer": "relevance", "threshold": threshold if isinstance(threshold, (int, float)) else None}


def _rouge(value: Any, threshold: Any, negated: bool) -> RawCheck:
    settings = {"metric": "rouge_l", "reference": _said(value)}
    at = threshold if isinstance(threshold, (int, float)) else 0.75
    return {"scorer": "overlap", "settings": settings, "threshold": at, "name": "rouge-n"}


def _equal_data(value: Any, threshold: Any, negated: bool) -> RawCheck:
    if value is None:
        raise UnsupportedAssertionError("equals without a value")
    if isinstance(value, (dict, list)):
        return {"scorer": "json_schema", "settings": {"schema": {"const": value}}, "name": "equals"}
    said = value if isinstance(value, str) else json.dumps(value)
    return {"scorer": "exact", "settings": {"value": said}}


def _not_json(value: Any, threshold: Any, negated: bool) -> RawCheck:
    return _rule("The answer is not JSON.", "not (is json)")


def _references(value: Any, threshold: Any, negated: bool) -> RawCheck:
    said = _said(value)
    return _judge(f"The answer meets this criterion: {said}", threshold)


_MAKERS: Mapping[str, Callable[[Any, Any, bool], RawCheck]] = {
    "llm-rubric": _rubric,
    "agent-rubric": _rubric,
    "search-rubric": _rubric,
    "g-eval": _rubric,
    "model-graded-closedqa": _references,
    "factuality": _factuality,
    "model-graded-factuality": _factuality,
    "is-refusal": _refusal,
    "answer-relevance": _relevance,
    "rouge-n": _rouge,
    "equals": _equal_data,
    "is-json": _not_json,
}
