"""The evaluators of a `.prompt.yml`, as rules to generate tests for, and as checks of its tests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proctor.core.case import Check
from proctor.core.codec import dumps, loads
from proctor.core.rule import Rule
from proctor.prompts.prompt import Prompt
from proctor.suites.exchange.bundle import Notes
from proctor.suites.exchange.github_models import evaluator_check, is_by_row
from proctor.suites.source import Row, WrappedFile

__all__ = ["EvaluatedFile", "OwnEvaluators", "evaluator_rules"]

_ORIGIN = "evaluator"
_FORMS: Mapping[str, tuple[str, str]] = {
    "contains": ("contains {text} ignoring case", "The output contains {text}."),
    "startsWith": ("starts with {text} ignoring case", "The output starts with {text}."),
    "endsWith": ("ends with {text} ignoring case", "The output ends with {text}."),
    "equals": ("one of {text}", "The output is exactly {text}."),
}


def evaluator_rules(prompt: Prompt) -> tuple[Rule, ...]:
    """Return a rule for each evaluator that compares with a fixed text; others judge the tests when they are run."""
    return tuple(rule for item in _evaluators(prompt) if (rule := _rule(item)) is not None)


def _evaluators(prompt: Prompt) -> list[Any]:
    given = prompt.front.get("evaluators")
    return given if isinstance(given, list) else []


def _rule(item: Any) -> Rule | None:
    said = item.get("string") if isinstance(item, Mapping) else None
    if not isinstance(said, Mapping) or is_by_row(item):
        return None
    kind = next((key for key in _FORMS if isinstance(said.get(key), str) and said[key].strip()), None)
    if kind is None:
        return None
    predicate, text = _FORMS[kind]
    quoted = json.dumps(said[kind], ensure_ascii=False)
    return Rule(text=text.format(text=quoted), predicate=predicate.format(text=quoted), kind="format", origin=_ORIGIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnEvaluators:
    """The checks that the evaluators of a prompt's own file make of its tests."""

    prompt: Prompt
    known: Sequence[Rule] = ()

    def checks(self, notes: Notes) -> tuple[Check, ...]:
        """Return the checks of every test; what is a rule of the prompt already is left out."""
        there = {rule.predicate for rule in self.known}
        found = []
        for index, item in enumerate(_evaluators(self.prompt)):
            rule = _rule(item)
            if (rule is not None and rule.predicate in there) or is_by_row(item):
                continue
            if (check := evaluator_check(item, {}, notes, f"evaluators[{index}]")) is not None:
                found.append(check)
        return tuple(found)

    def by_row(self) -> tuple[Any, ...]:
        """Return the evaluators that name an input or the expected answer."""
        return tuple(item for item in _evaluators(self.prompt) if is_by_row(item))


@dataclass(frozen=True, kw_only=True)
class EvaluatedFile(WrappedFile):
    """A file of tests, each with the evaluators that name its inputs or its expected answer."""

    evaluators: Sequence[Any]

    def rows(self) -> Iterator[Row]:
        """Yield the rows, each with its own checks added."""
        for row in self.source.rows():
            if row.problem is not None or not isinstance(row.data, Mapping):
                yield row
                continue
            checks = [check for item in self.evaluators if (check := self._check(item, row.data)) is not None]
            own = row.data.get("checks") or []
            data = {**row.data, "checks": [*own, *(loads(dumps(check)) for check in checks)]} if checks else row.data
            yield Row(data=data, line=row.line, path=row.path)

    @staticmethod
    def _check(item: Any, data: Mapping[str, Any]) -> Check | None:
        expect = data.get("expect")
        reference = expect.get("reference") if isinstance(expect, Mapping) else expect
        inputs = data.get("inputs")
        values = dict(inputs) if isinstance(inputs, Mapping) else {}
        if isinstance(data.get("input"), str):
            values.setdefault("input", data["input"])
        if isinstance(reference, str):
            values.setdefault("expected", reference)
        return evaluator_check(item, values, Notes(), "")
