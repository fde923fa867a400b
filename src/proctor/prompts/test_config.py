"""Read the test settings of a prompt file: scenarios, samples, instructions per stage, tags."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proctor.core.codec import content_id
from proctor.core.decode import closest
from proctor.core.errors import PromptError
from proctor.prompts.keys import is_metric
from proctor.prompts.prompt import Prompt
from proctor.prompts.sample_rows import named_file, read_rows

__all__ = ["STAGES", "PromptTestConfig", "split_sample", "told"]

STAGES: Mapping[str, tuple[str, ...]] = {
    "intent": (),
    "inputs": ("inputSpec", "input_spec", "inputSpecInstructions"),
    "rules": ("outputRules", "output_rules", "outputRulesInstructions"),
    "opposites": ("inverseOutputRules", "inverseRules", "inverse", "inverseOutputRulesInstructions"),
    "tests": ("testGeneration", "generateTests"),
    "expansion": ("testExpansion", "testExpansionInstructions"),
    "baseline": ("baselineTests",),
    "groundtruth": ("groundTruth", "truth"),
}
INPUT = "input"
_ANSWERS = ("expected", "output", "expectedOutput", "expected_output", "groundtruth", "reference", "answer")
_BLOCKS = ("promptPex", "promptpex", "proctor")
_KINDS: Mapping[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}
_OPTIONS_ON_TOP = ("testExpansions", "testSamplesCount", "testSamplesShuffle")
_IN_BLOCK = ("scenarios", "testSamples", "testData", "instructions", "sample")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTestConfig:
    """The test settings of a prompt file.

    A scenario has ``name``, ``instructions`` and ``parameters``. ``samples`` are rows: the prompt's own sample,
    then those of ``testSamples`` and ``testData``; :func:`split_sample` splits one. ``instructions`` has text for a
    stage, by the names in ``STAGES``. ``metric`` is "score" or "verdict" if the prompt is a judge's. ``options`` are
    generation settings in the file, unchanged.
    """

    scenarios: tuple[Mapping[str, Any], ...] = ()
    samples: tuple[Mapping[str, Any], ...] = ()
    instructions: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    metric: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def told(prompt: Prompt) -> PromptTestConfig:
    """Read the test settings of the prompt's file; files it names are opened now.

    Raises:
        PromptError: a part has the wrong shape, or a named file is missing; field and hint are given.
    """
    front, options = _flat(prompt)
    warnings: list[str] = []
    tags = _tags(front, prompt)
    return PromptTestConfig(
        scenarios=_scenarios(front.get("scenarios"), prompt, warnings),
        samples=_samples(front, prompt, warnings),
        instructions=_instructions(front.get("instructions"), prompt, warnings),
        tags=tags,
        metric=_metric(prompt, tags),
        options=options,
        warnings=tuple(warnings),
    )


def split_sample(prompt: Prompt, row: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Split a sample into its inputs and the expected answer, if any; free text is the input ``input``."""
    inputs = {name: row[name] for name in prompt.inputs or (INPUT,) if name in row}
    given = next((row[key] for key in _ANSWERS if key in row and key not in prompt.inputs), None)
    if given is None or isinstance(given, str):
        return inputs, given
    return inputs, json.dumps(given, ensure_ascii=False)


def _flat(prompt: Prompt) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the front matter merged with a ``promptPex:`` block, and the settings of that block."""
    front = dict(prompt.front)
    options: dict[str, Any] = {}
    for name in _BLOCKS:
        block = front.get(name)
        if isinstance(block, dict):
            for key, value in block.items():
                if key in _IN_BLOCK:
                    front.setdefault(key, value)
                else:
                    options[key] = value
    for name in _OPTIONS_ON_TOP:
        if front.get(name) is not None:
            options[name] = front[name]
    return front, options


def _wrong(prompt: Prompt, name: str, what: str, hint: str) -> PromptError:
    return PromptError(what, file=prompt.path, field=name, hint=hint)


def _tags(front: Mapping[str, Any], prompt: Prompt) -> tuple[str, ...]:
    given = front.get("tags")
    metadata = front.get("metadata")
    if given is None and isinstance(metadata, dict):
        given = metadata.get("tags")
    if isinstance(given, str):
        given = [tag.strip() for tag in given.split(",")]
    if given is None:
        return ()
    if not isinstance(given, list) or not all(isinstance(tag, (str, int, float)) for tag in given):
        raise _wrong(prompt, "tags", "expected a list of words", "write `tags: [one, two]`")
    return tuple(dict.fromkeys(str(tag) for tag in given if tag != ""))


def _scenarios(given: Any, prompt: Prompt, warnings: list[str]) -> tuple[Mapping[str, Any], ...]:
    if given is None:
        return ()
    if not isinstance(given, list):
        raise _wrong(prompt, "scenarios", "expected a list", "write `scenarios:` and under it `- name: French`")
    made = [_scenario(item, index, prompt, warnings) for index, item in enumerate(given)]
    names = [scenario["name"] for scenario in made]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise _wrong(prompt, "scenarios", f"two scenarios are called {twice!r}", "give each a name of its own")
    return tuple(made)


def _scenario(item: Any, index: int, prompt: Prompt, warnings: list[str]) -> Mapping[str, Any]:
    place = f"scenarios[{index}]"
    if isinstance(item, str):
        item = {"name": item}
    if not isinstance(item, dict):
        raise _wrong(prompt, place, "expected a scenario", "write `- name: French` and `instructions:`")
    parameters = item.get("parameters") or {}
    if not isinstance(parameters, dict):
        raise _wrong(prompt, f"{place}.parameters", "expected a mapping", "write `locale: fr-FR` under it")
    for name in parameters:
        if name not in prompt.inputs:
            warnings.append(f"{place}: the prompt has no input `{name}`" + _meant(name, prompt.inputs))
    name, words = item.get("name"), item.get("instructions")
    rest = {key: value for key, value in item.items() if key not in ("name", "instructions", "parameters")}
    return {
        **rest,
        "name": str(name).strip() if name not in (None, "") else f"scenario {index + 1}",
        "instructions": "" if words is None else _words(words, f"{place}.instructions", prompt),
        "parameters": {key: _typed(value, prompt.inputs.get(key, {})) for key, value in parameters.items()},
    }


def _words(value: Any, place: str, prompt: Prompt) -> str:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value).strip()
    if not isinstance(value, str):
        raise _wrong(prompt, place, "expected text", "write what is wanted in words")
    return value.strip()


def _instructions(given: Any, prompt: Prompt, warnings: list[str]) -> dict[str, str]:
    if given is None:
        return {}
    if isinstance(given, str):  # instructions without a stage apply to every stage
        return dict.fromkeys(STAGES, given.strip()) if given.strip() else {}
    if not isinstance(given, dict):
        hint = "write `instructions:` and under it `rules: …`; stages: " + ", ".join(STAGES)
        raise _wrong(prompt, "instructions", "expected a mapping of stages", hint)
    known = {other: stage for stage, others in STAGES.items() for other in (stage, *others)}
    made: dict[str, str] = {}
    key: str
    for key, value in given.items():
        words = "" if value is None else _words(value, f"instructions.{key}", prompt)
        if key not in known:
            warnings.append(f"instructions: there is no stage `{key}`" + (_meant(key, known) or ": kept, but not used"))
        stage = known.get(key, key)
        made[stage] = f"{made[stage]}\n{words}" if made.get(stage) else words
    return {stage: words for stage, words in made.items() if words}


def _meant(name: str, known: Sequence[str] | Mapping[str, Any]) -> str:
    guess = closest(name, known)
    return f": did you mean `{guess}`?" if guess else ""


def _samples(front: Mapping[str, Any], prompt: Prompt, warnings: list[str]) -> tuple[Mapping[str, Any], ...]:
    rows: list[tuple[str, Mapping[str, Any]]] = [("sample", prompt.sample)] if prompt.sample else []
    for name in ("testSamples", "testData"):
        rows += _rows(front.get(name), name, prompt)
    kept: dict[str, Mapping[str, Any]] = {}
    names = tuple(prompt.inputs) or (INPUT,)
    for place, row in rows:
        typed = {key: _typed(value, prompt.inputs.get(key, {})) for key, value in row.items()}
        if not prompt.inputs and INPUT not in typed:
            typed = _free(typed)
        if any(name in typed for name in names):
            kept.setdefault(content_id(typed), typed)
        elif place != "sample":  # the loader has already warned about the sample
            warnings.append(f"{place}: names none of the inputs " + ", ".join(f"`{name}`" for name in names))
    return tuple(kept.values())


def _free(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for a prompt without variables: its one text, whatever the column name, is the input."""
    texts = [key for key, value in row.items() if key not in _ANSWERS and isinstance(value, str)]
    return {INPUT: row[texts[0]], **{key: row[key] for key in row if key != texts[0]}} if len(texts) == 1 else row


def _rows(given: Any, name: str, prompt: Prompt) -> list[tuple[str, Mapping[str, Any]]]:
    """Return rows written out, rows of a file, or a list with both."""
    if given is None:
        return []
    rows: list[tuple[str, Mapping[str, Any]]] = []
    for index, item in enumerate(given if isinstance(given, list) else [given]):
        place = f"{name}[{index}]" if isinstance(given, list) else name
        file = named_file(item)
        if file is not None:
            found = read_rows(file, prompt=prompt.path, field=place)
            rows += [(f"{file}, row {number}", row) for number, row in enumerate(found, 1)]
        elif isinstance(item, dict):
            rows.append((place, item))
        else:
            only = next(iter(prompt.inputs), INPUT)
            hint = f"write `- {only}: …`, or name a CSV, JSON or YAML file beside the prompt"
            raise _wrong(prompt, place, "expected a row of inputs, or a file of rows", hint)
    return rows


def _typed(value: Any, schema: Mapping[str, Any]) -> Any:
    """Convert a value to its input's type if that is obvious: tables contain only text, YAML guesses."""
    kind = schema.get("type", "string")
    if kind == "string":
        if isinstance(value, bool):
            return str(value).lower()
        return str(value) if isinstance(value, (int, float)) else value
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return value
    truth_for_number = isinstance(read, bool) and kind != "boolean"
    return read if isinstance(read, _KINDS.get(kind, ())) and not truth_for_number else value


def _metric(prompt: Prompt, tags: tuple[str, ...]) -> str:
    """Return what a judge's prompt returns: a score, or a verdict."""
    if not is_metric(prompt.path, {"tags": list(tags)}):
        return ""
    asked = prompt.schema or {}
    wanted = '"score"' in prompt.text or "score" in asked.get("properties", {})
    return "score" if wanted else "verdict"
