"""Review a prompt's tests by a model: failure modes, and the importance of each test."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from proctor.core.case import Case
from proctor.core.sockets import Model
from proctor.core.test_review import HARMS, FailureMode, TestNote
from proctor.generate.build_case import Brief
from proctor.generate.review import Findings
from proctor.generate.stages.model_stage import Question, ReplyReading, ask
from proctor.generate.stages.schemas import list_of, object_of, text_of
from proctor.generate.stages.validate_artefacts import shown_inputs

__all__ = ["PER_CALL", "review_asked"]

PER_CALL = 12  # tests rated per call; with more, a small model forgets some
_MOST_MODES = 12
_NAME_CHARS = 40
_LONGEST_INPUT = 600
_SHOWN = 60  # maximum tests in the call about failure modes


async def review_asked(model: Model, brief: Brief, tests: Sequence[Case], by_rule: Findings) -> Findings:
    """Return the findings with the model's failure modes and importances instead of those by rule.

    What only code can know (sole coverage of a rule, duplicates, earlier failures) stays.

    Raises:
        ModelError: the model did not answer, or nothing in its answers can be used.
    """
    groups = [tests[at : at + PER_CALL] for at in range(0, len(tests), PER_CALL)]
    modes, rated = await asyncio.gather(
        _modes(model, brief, tests[:_SHOWN]),
        asyncio.gather(*(_importance(model, brief, group) for group in groups)),
    )
    said = {test: rating for group in rated for test, rating in group.items()}
    notes = tuple(_with(note, said.get(note.test), model.name) for note in by_rule.notes)
    harmful = [mode for mode in modes if mode.harm != "low"]
    parts = dict(by_rule.parts)
    parts["harmful ways to fail with a test"] = (
        sum(bool(mode.tests) for mode in harmful) / len(harmful) if harmful else None
    )
    return Findings(modes=modes, notes=notes, parts=parts)


def _with(note: TestNote, said: tuple[float, str] | None, producer: str) -> TestNote:
    if said is None:
        return note
    importance, why = said
    return replace(note, importance=importance, reasons=(*((why,) if why else ()), *note.reasons), producer=producer)


async def _modes(model: Model, brief: Brief, tests: Sequence[Case]) -> tuple[FailureMode, ...]:
    rules = {f"R{at}": rule for at, rule in enumerate(brief.spec.enabled, 1)}
    names = {f"T{at}": case.id for at, case in enumerate(tests, 1)}

    def read(data: Any) -> ReplyReading[tuple[FailureMode, ...]]:
        found = tuple(
            FailureMode(
                text=str(each["text"]).strip(),
                harm=each["harm"],
                rule=rules[each["rule"]].id if each["rule"] in rules else "",
                tests=tuple(dict.fromkeys(names[name] for name in each["tests"] if name in names)),
                producer=model.name,
            )
            for each in data["modes"]
            if str(each["text"]).strip()
        )
        strange = {name for each in data["modes"] for name in each["tests"]} - set(names)
        complaints = [f"there is no test {name}" for name in sorted(strange)]
        if not found:
            complaints.append("no way to fail is named")
        return ReplyReading(value=found or None, complaints=tuple(complaints))

    shown = "\n".join(f"{name}: {rule.text}" for name, rule in rules.items())
    question = Question(
        stage="review_modes",
        material=[("prompt under test", brief.prompt.text), ("rules", shown), ("tests", _shown(tests))],
        schema=_modes_schema(),
        holes={"most": str(_MOST_MODES)},
        items=_MOST_MODES,
        instructions=brief.instructions.get("review", ""),
    )
    return await ask(model, question, read)


async def _importance(model: Model, brief: Brief, tests: Sequence[Case]) -> Mapping[str, tuple[float, str]]:
    names = {f"T{at}": case.id for at, case in enumerate(tests, 1)}

    def read(data: Any) -> ReplyReading[dict[str, tuple[float, str]]]:
        found = {
            names[each["test"]]: (each["importance"] / 100, str(each["why"]).strip())
            for each in data["tests"]
            if each["test"] in names
        }
        missing = [name for name, test in names.items() if test not in found]
        complaints = tuple(f"{name} is missing" for name in missing)
        return ReplyReading(value=found or None, complaints=complaints)

    question = Question(
        stage="review_tests",
        material=[("prompt under test", brief.prompt.text), ("tests", _shown(tests))],
        schema=_importance_schema(),
        holes={},
        instructions=brief.instructions.get("review", ""),
        items=len(tests),
    )
    return await ask(model, question, read)


def _shown(tests: Sequence[Case]) -> str:
    lines = []
    for at, case in enumerate(tests, 1):
        inputs = shown_inputs(case)
        short = inputs if len(inputs) <= _LONGEST_INPUT else inputs[: _LONGEST_INPUT - 1] + "…"
        lines.append(f"T{at}:\n{short}")
    return "\n\n".join(lines)


def _modes_schema() -> Mapping[str, Any]:
    mode = object_of(
        {
            "text": text_of(),
            "rule": text_of(_NAME_CHARS),
            "harm": {"type": "string", "enum": list(HARMS)},
            "tests": {"type": "array", "items": text_of(_NAME_CHARS), "maxItems": _SHOWN},
        }
    )
    return list_of("modes", mode, most=2 * _MOST_MODES)


def _importance_schema() -> Mapping[str, Any]:
    test = object_of(
        {
            "test": text_of(_NAME_CHARS),
            "why": text_of(),
            "importance": {"type": "integer", "minimum": 0, "maximum": 100},
        }
    )
    return list_of("tests", test, most=PER_CALL)
