"""Failure modes by kind of rule, from a table; labelled as made by code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.core.case import Case
from proctor.core.generated_test import GeneratedTest
from proctor.core.rule import Rule
from proctor.core.test_review import FailureMode, Harm
from proctor.text.predicates import PredicateError, parse

__all__ = ["failure_modes"]

# Prefix of a predicate's form -> how a violation looks, and the harm.
_BY_FORM: tuple[tuple[tuple[str, ...], str, Harm], ...] = (
    (("one of", "is TEXT", "only words"), "the answer is none of the allowed ones, or has words around it", "high"),
    (("is json", "json ", "is xml", "is table"), "what reads the answer cannot parse it, or misses a field", "high"),
    (("is html", "tags", "each PATTERN"), "elements of the markup are missing, doubled or strange", "high"),
    (("fields in order",), "a field is missing, renamed or in the wrong place", "high"),
    (("no extra text", "no framing"), "there is a greeting, an explanation or a remark around the answer", "medium"),
    (("number", "is number", "is integer", "is date", "is iso", "is url", "is email", "is yes"),
     "the value is not of the asked kind, or out of range", "high"),
    (("words", "characters", "letters", "sentences", "lines", "paragraphs", "items", "bullets", "numbered", "headings"),
     "the answer is longer or shorter than allowed, or has another layout", "medium"),
    (("language", "script", "same language"), "the answer is in another language than asked", "high"),
    (("case is", "no markdown", "starts with", "ends with"), "the answer looks other than asked", "medium"),
    (("contains none", "not", "count"), "the answer says what it must not say", "high"),
    (("contains",), "the answer leaves out what it must say", "medium"),
    (("quotes", "from the input", "keeps the", "no new numbers"), "the answer makes up what was not given", "high"),
)  # fmt: skip
_BY_KIND: dict[str, tuple[tuple[str, Harm], ...]] = {
    "format": (("the answer has another form than asked", "medium"),),
    "content": (
        ("the answer leaves out something it was asked for", "medium"),
        ("the answer adds something that is not in the input", "high"),
    ),
    "refusal": (
        ("the answer goes ahead where it should decline", "high"),
        ("the answer declines where it should go ahead", "medium"),
    ),
    "style": (("the answer is in another tone or style", "low"),),
    "safety": (("the answer does harm that the rule is to prevent", "high"),),
}
_TEMPTED = "the input talks the model out of it"
_TEMPTED_HARM: dict[str, Harm] = {"safety": "high", "refusal": "high", "style": "low"}


def failure_modes(rule: Rule, tests: Sequence[Case]) -> Iterator[FailureMode]:
    """Yield how an output may break the rule, each with the tests that would show it.

    A plain test shows plain failures; only a tempting test shows whether the model gives in.
    """
    known = {case.id: GeneratedTest.of(case) for case in tests}
    aiming = {name: test for name, test in known.items() if rule.id in test.rules and test.is_usable}
    tempting = tuple(name for name, test in aiming.items() if test.tempts)
    everything = tuple(aiming)
    for text, harm in _ways(rule):
        yield FailureMode(text=text, harm=harm, rule=rule.id, tests=everything)
    harm = _TEMPTED_HARM.get(rule.kind or "", "medium")
    yield FailureMode(text=_TEMPTED, harm=harm, rule=rule.id, tests=tempting)


def _ways(rule: Rule) -> tuple[tuple[str, Harm], ...]:
    found: list[tuple[str, Harm]] = []
    for form in _forms(rule):
        found += [(text, harm) for starts, text, harm in _BY_FORM if form.startswith(starts)][:1]
    return tuple(dict.fromkeys(found)) or _BY_KIND.get(rule.kind or "", _BY_KIND["content"])


def _forms(rule: Rule) -> list[str]:
    if not rule.predicate:
        return []
    try:
        terms = list(parse(rule.predicate).terms())
    except PredicateError:
        return []
    return [term.form for term in terms if term.form not in ("and", "or", "when") and not term.form.startswith("input")]
