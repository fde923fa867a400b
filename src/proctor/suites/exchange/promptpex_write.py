"""Write the folder that PromptPex reads: rules are numbered by line, and tests refer to those numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from proctor.core.case import Case
from proctor.core.codec import content_id
from proctor.core.generated_test import PERSON, GeneratedTest, is_baseline
from proctor.suites.exchange.bundle import Bundle, Notes, Outgoing, accepted_reference
from proctor.suites.exchange.promptpex_context import context_text
from proctor.suites.exchange.promptpex_files import CONTEXT

__all__ = ["write_promptpex"]

_BETWEEN = "\n===\n"


def write_promptpex(bundle: Bundle) -> Outgoing:
    """Write ``rules.txt``, ``inverse_rules.txt``, ``tests.json`` and the rest, as PromptPex's next step expects."""
    notes = Notes()
    positive = list(bundle.enabled)
    by_rule = {rule.inverse_of: rule for rule in bundle.rules if rule.polarity == "negative" and not rule.disabled}
    negative = [by_rule[rule.id] for rule in positive if rule.id in by_rule]
    lone = [rule for rule in bundle.rules if rule.polarity == "negative" and rule.inverse_of is None]
    numbers = {rule.id: number for number, rule in enumerate((*positive, *negative, *lone), 1)}
    off = sum(rule.disabled for rule in bundle.rules)
    if off:
        notes.add(f"{off} rules are switched off and were left out: PromptPex has no word for that")
    if any(rule.predicate for rule in positive):
        notes.add("PromptPex knows no predicates: there, a model judges every rule")
    tests = [_row(case, numbers, bundle, notes) for case in (*bundle.cases, *bundle.baseline)]
    spec = [line for statements in bundle.inputs.values() for line in statements] or _declared(bundle)
    files = {
        "intent.txt": _lines([bundle.intent]),
        "input_spec.txt": _lines(spec),
        "rules.txt": _lines(rule.text for rule in positive),
        "inverse_rules.txt": _lines(rule.text for rule in (*negative, *lone)),
        "tests.json": json.dumps(tests, ensure_ascii=False, indent=2) + "\n",
    }
    if bundle.baseline:
        files["baseline_tests.txt"] = _BETWEEN.join(_testinput(case) for case in bundle.baseline) + "\n"
    if bundle.prompt is not None and bundle.file is not None:
        files[CONTEXT] = context_text(bundle, files, tests)
    else:
        notes.add(f"there is no prompt, so no {CONTEXT}, which PromptPex would load, was written")
    return Outgoing(files={f"{bundle.name}/{name}": text for name, text in files.items()}, notes=notes.tell())


def _declared(bundle: Bundle) -> list[str]:
    """Return what the prompt itself declares of its inputs, where no statement was written."""
    inputs = bundle.prompt.inputs if bundle.prompt else {}
    return [
        " ".join(
            f"The input `{name}` is of the type {each.get('type', 'string')}. {each.get('description', '')}".split()
        )
        for name, each in inputs.items()
    ]


def _lines(texts: Any) -> str:
    """Return one statement per line: a line break inside one would split it."""
    flat = [" ".join(text.split()) for text in texts]
    return "".join(f"{text}\n" for text in flat if text)


def _row(case: Case, numbers: Mapping[str, int], bundle: Bundle, notes: Notes) -> dict[str, Any]:
    test = GeneratedTest.of(case)
    aimed = [each for each in test.rules if each in numbers]
    baseline = is_baseline(case)
    if len(aimed) > 1:
        notes.add("PromptPex links a test to one rule: the first; the others stand under `proctor`", case.id)
    if not aimed and not baseline:
        notes.add("a test aims at no rule that is switched on: PromptPex will not find its rule", case.id)
    kept = {key: case.metadata[key] for key in ("rules", "strategy", "polarity", "relation") if case.metadata.get(key)}
    number = numbers[aimed[0]] if aimed else 0
    count = len(bundle.enabled)
    row: dict[str, Any] = {
        "ruleid": str(number) if aimed else "",
        "testid": "1",
        "expectedoutput": test.expected_by_generator,
        "reasoning": test.reasoning,
        **case.inputs,
        "testinput": _testinput(case),
        "scenario": test.scenario,
        "generation": 0,
        "baseline": baseline,
        "inverse": number > count,
        "testuid": f"test-{int(content_id(case.id, length=12), 16) % 100_000_000:08d}",
        "proctor": kept,
    }
    truth = test.groundtruth
    if (reference := accepted_reference(case)) is not None:
        score = truth.get("score") if truth is not None else None
        row["groundtruth"] = reference
        row["groundtruthModel"] = str(truth.get("model") or "") if truth is not None else PERSON
        row["groundtruthScore"] = round(100 * score) if isinstance(score, (int, float)) else 100
    return row


def _testinput(case: Case) -> str:
    """Return the value of the only input, or all inputs as JSON."""
    if not case.inputs:
        return case.input or ""
    values = list(case.inputs.values())
    if len(values) == 1 and isinstance(values[0], str):
        return values[0]
    return json.dumps(case.inputs, ensure_ascii=False)
