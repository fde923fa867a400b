"""Write our own suites as JSON Lines and CSV, including the rules, for other programs."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from proctor.core.case import Check, Suite
from proctor.core.codec import dumps, loads
from proctor.core.generated_test import GeneratedTest
from proctor.suites.columns import CellError, setter_of
from proctor.suites.exchange.bundle import Bundle, Notes, Outgoing, accepted_reference
from proctor.suites.exchange.own_export import without_doubt
from proctor.suites.exchange.promptfoo_write import cells_of
from proctor.suites.jsonl import HEADER, canonical

__all__ = ["rules_check", "write_csv", "write_jsonl"]


def rules_check(bundle: Bundle) -> tuple[Check, ...]:
    """Return the enabled rules as one check; empty if there are none."""
    if not bundle.enabled:
        return ()
    return (Check(scorer="rules", settings={"rules": [loads(dumps(rule)) for rule in bundle.enabled]}),)


def write_jsonl(bundle: Bundle) -> Outgoing:
    """Write a self-contained suite: the rules in the first line, one test on each other line."""
    cases = [without_doubt(case) for case in (*bundle.cases, *bundle.baseline)]
    metadata = {"prompt_hash": bundle.prompt.hash} if bundle.prompt else {}
    suite = Suite(
        name=bundle.name,
        description=bundle.description,
        scorers=(*bundle.checks, *rules_check(bundle)),
        metadata=metadata,
    )
    lines = [canonical({HEADER: loads(dumps(suite))}), *(canonical(loads(dumps(case))) for case in cases)]
    return Outgoing(files={f"{bundle.name}.jsonl": b"".join(lines).decode()})


def write_csv(bundle: Bundle) -> Outgoing:
    """Write a table: a column for each input, and one for each rule in promptfoo's notation, which we read too."""
    notes = Notes()
    cases = (*bundle.cases, *bundle.baseline)
    inputs = list(dict.fromkeys(name for case in cases for name in case.inputs))
    cells = cells_of(bundle.enabled)
    judged = sum(rule.is_checked for rule in bundle.enabled) - sum(not cell.startswith("llm-rubric") for cell in cells)
    if judged > 0:
        notes.add(
            "predicates that promptfoo's columns have no word for are rubrics in the table: export jsonl keeps them"
        )
    columns = ["id", *(["input"] if any(case.input is not None for case in cases) else [])]
    columns += [_column(name) for name in inputs]
    columns += ["reference", "tags", "description", "metadata.strategy", "metadata.scenario"]
    columns += [f"__expected{number}" for number in range(1, len(cells) + 1)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    for case in cases:
        for check in case.checks:
            notes.add(f"the check {check.name or check.scorer!r} of a test has no column and was left out", case.id)
        row: list[Any] = [case.id]
        if "input" in columns:
            row.append(case.input or "")
        row += [_value(case.inputs.get(name, "")) for name in inputs]
        row += [accepted_reference(case) or "", ";".join(case.tags), case.description]
        test = GeneratedTest.of(case)
        row += [test.strategy, test.scenario]
        writer.writerow([*row, *cells])
    return Outgoing(files={f"{bundle.name}.csv": out.getvalue()}, notes=notes.tell())


def _column(name: str) -> str:
    """Return an input's own name, or a prefixed one if the table uses that name."""
    if name in ("id", "input", "intent", "description", "reference", "tags") or name.startswith("_") or "." in name:
        return f"inputs.{name}"
    try:
        setter_of(name)
    except CellError:
        return f"inputs.{name}"
    return name


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
