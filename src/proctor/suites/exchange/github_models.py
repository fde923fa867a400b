"""Read the tests and evaluators of GitHub Models' prompt files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proctor.core.case import Case, Check, Expectation
from proctor.prompts.load import load_prompt
from proctor.prompts.prompt import Prompt
from proctor.suites.exchange.bundle import Bundle, Notes, case_id, unique
from proctor.suites.exchange.foreign_judges import label_check, rubric_of
from proctor.suites.exchange.github_write import BLOCK, EXPORTED, hash_of
from proctor.suites.exchange.own_export import bundle_from
from proctor.suites.exchange.templates import filled, variables

__all__ = ["evaluator_check", "is_by_row", "is_github_models", "read_github_models"]

_EXPECTED = "expected"
_SCALE = {"1": 0.0, "2": 0.25, "3": 0.5, "4": 0.75, "5": 1.0}
_BUILT_IN = {
    "similarity": "How close is the answer in meaning to the reference? 1: nothing in common. 5: they say the same.",
    "coherence": "How well do the sentences of the answer fit together? 1: not at all. 5: they read as one whole.",
    "groundedness": "How far is all that the answer says borne out by the reference and the input? 1: it is made "
    "up, or against them. 5: every claim is in them.",
}
_OURS = {"fluency": "fluency", "relevance": "relevance"}
_LOOSE = {"contains": "contains", "startsWith": "starts with", "endsWith": "ends with"}


def is_github_models(data: Any) -> bool:
    """Whether YAML data is a prompt file of GitHub Models."""
    return isinstance(data, Mapping) and isinstance(data.get("messages"), list) and "cases" not in data


def read_github_models(path: Path) -> Bundle:
    """Read a prompt file with its ``testData`` and ``evaluators``.

    Raises:
        PromptError: it is not a prompt file.
    """
    prompt = load_prompt(path)
    notes = Notes()
    own, is_edited = _own_record(prompt.front)
    if own is not None:
        return own
    if is_edited:
        notes.add("was edited since `proctor export` wrote it: read as it stands, rules as evaluators")
    shared: list[Check] = []
    templated: list[Mapping[str, Any]] = []
    evaluators = prompt.front.get("evaluators")
    for index, item in enumerate(evaluators if isinstance(evaluators, list) else ()):
        if is_by_row(item):
            templated.append(item)
        elif (check := evaluator_check(item, {}, notes, f"evaluators[{index}]")) is not None:
            shared.append(check)
    model = prompt.model
    return Bundle(
        name=path.name.partition(".")[0],
        description=prompt.description,
        prompt=prompt,
        file=(path.name.removeprefix(path.name.partition(".")[0]), path.read_text("utf-8-sig")),
        checks=tuple(shared),
        cases=_cases(prompt, templated, notes),
        models=(model.removeprefix("github:").replace("/", ":", 1),) if model else (),
        notes=notes.tell(),
    )


def _cases(prompt: Prompt, templated: list[Mapping[str, Any]], notes: Notes) -> tuple[Case, ...]:
    rows = prompt.front.get("testData")
    taken = set[str]()
    made = []
    for index, row in enumerate(rows if isinstance(rows, list) else ()):
        place = f"testData[{index}]"
        if not isinstance(row, Mapping) or not row:
            notes.add("a test that is no mapping was left out", place)
            continue
        checks = [evaluator_check(each, row, notes, place) for each in templated]
        made.append(_case(prompt, row, tuple(check for check in checks if check is not None), taken))
    return tuple(made)


def _case(prompt: Prompt, row: Mapping[str, Any], checks: tuple[Check, ...], taken: set[str]) -> Case:
    """Convert a row: its variables, the expected answer, and the rest, which only evaluators use."""
    inputs = {key: value for key, value in row.items() if key in prompt.inputs}
    rest = {key: value for key, value in row.items() if key not in inputs and key != _EXPECTED}
    text = None
    if not prompt.inputs and isinstance(rest.get("input"), str):
        text = rest.pop("input")
    reference = row.get(_EXPECTED) if _EXPECTED not in inputs else None
    if reference is not None and not isinstance(reference, str):
        reference = json.dumps(reference, ensure_ascii=False)
    metadata: dict[str, Any] = {"testData": rest} if rest else {}
    if isinstance(rest.get("reasoning"), str):
        metadata["reasoning"] = rest["reasoning"]
    if not inputs and text is None:
        text = ""
    return Case(
        id=unique(case_id(inputs or text or ""), taken),
        input=text,
        inputs=inputs,
        expect=Expectation(reference=reference or None),
        checks=checks,
        metadata=metadata,
    )


def _own_record(front: Mapping[str, Any]) -> tuple[Bundle | None, bool]:
    """Return what the file was exported from, if it is ours and unchanged, and whether it was edited since."""
    block = front.get(BLOCK)
    written = block.get(EXPORTED) if isinstance(block, Mapping) else None
    try:
        data = json.loads(written) if isinstance(written, str) else None
    except (ValueError, RecursionError):
        return None, True
    if not isinstance(data, Mapping):
        return None, False
    if data.get("hash") != hash_of(front):
        return None, True
    return bundle_from(data.get("record")), False


def _templated(evaluator: Mapping[str, Any]) -> bool:
    return any(isinstance(value, str) and variables(value) for value in evaluator.values())


def is_by_row(item: Any) -> bool:
    """Whether a string evaluator names an input or the expected answer, so that it differs from test to test."""
    return isinstance(item, Mapping) and isinstance(item.get("string"), Mapping) and _templated(item["string"])


def evaluator_check(item: Any, row: Mapping[str, Any], notes: Notes, place: str) -> Check | None:
    """Convert an evaluator to a check; ``None`` if it is noted as unsupported."""
    if not isinstance(item, Mapping):
        notes.add("an evaluator that is no mapping was left out", place)
        return None
    name = str(item.get("name") or "")
    if isinstance(item.get("string"), Mapping):
        return _string(name, item["string"], row, notes, place)
    if isinstance(item.get("llm"), Mapping):
        return _llm(name, item["llm"], notes, place)
    if isinstance(item.get("uses"), str):
        return _built_in(name, item["uses"], notes, place)
    notes.add(f"the evaluator {name!r} says nothing that is known and was left out", place)
    return None


def _string(name: str, said: Mapping[str, Any], row: Mapping[str, Any], notes: Notes, place: str) -> Check | None:
    """Convert a string evaluator. Only `equals` is case-sensitive; white space around the answer is ignored."""
    kind = next((key for key in ("equals", *_LOOSE) if said.get(key)), None)
    if kind is None:
        notes.add(f"the evaluator {name!r} compares with nothing and was left out", place)
        return None
    wanted = filled(str(said[kind]), row)
    if not wanted.strip():
        notes.add(f"the evaluator {name!r} has nothing to look for in a test", place)
        return None
    if kind == "equals":
        return Check(scorer="exact", settings={"value": wanted}, name=name or None)
    if kind == "contains":
        return Check(scorer="contains", settings={"value": wanted, "ignore_case": True}, name=name or None)
    text = re.escape(wanted)
    pattern = rf"\A\s*{text}" if kind == "startsWith" else rf"{text}\s*\Z"
    return Check(scorer="regex", settings={"value": pattern, "ignore_case": True}, name=name or None)


def _llm(name: str, said: Mapping[str, Any], notes: Notes, place: str) -> Check | None:
    scores = {}
    choices = said.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, Mapping) and isinstance(choice.get("score"), (int, float)):
            scores[str(choice.get("choice"))] = float(choice["score"])
    rubric = rubric_of(str(said.get("systemPrompt") or ""), str(said.get("prompt") or ""))
    if len(scores) < 2 or not rubric:
        notes.add(f"the evaluator {name!r} needs a prompt and at least two choices, and was left out", place)
        return None
    if said.get("modelId"):
        notes.add(f"the judge was {said['modelId']}: name the model that judges now with --judge")
    return label_check(name, rubric, scores)


def _built_in(name: str, uses: str, notes: Notes, place: str) -> Check | None:
    kind = uses.removeprefix("github/")
    if kind in _OURS:
        notes.add(f"{uses} is judged by the scorer `{_OURS[kind]}`, which has a threshold of its own")
        return Check(scorer=_OURS[kind], name=name or None)
    if kind in _BUILT_IN and uses.startswith("github/"):
        notes.add(f"{uses} is judged by a rubric of ours: look at it in the tests")
        return label_check(name, f"{_BUILT_IN[kind]} Choose 1, 2, 3, 4 or 5.", _SCALE)
    notes.add(f"{uses} is an evaluator that is not known here and was left out", place)
    return None
