"""Read evals of the openai/evals repository: registry YAML and the samples it names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from proctor.core.case import Case, Check, Expectation
from proctor.core.chat import Message, Role
from proctor.core.errors import SuiteError
from proctor.prompts.file_boundary import FileBoundary
from proctor.prompts.load import parse_prompt
from proctor.prompts.yaml_text import read_yaml
from proctor.suites.exchange.bundle import Bundle, Notes, unique
from proctor.suites.exchange.graders import message_text
from proctor.suites.files import lines_of, read_text

__all__ = ["is_registry", "is_sample", "read_registry", "read_samples"]

_ROLES: Mapping[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_MOST = 32_000_000


def is_registry(data: Any) -> bool:
    """Whether YAML data is a registry file: an entry has a class of the library."""
    return isinstance(data, Mapping) and any(_class(entry) for entry in data.values())


def is_sample(data: Any) -> bool:
    """Whether JSON data is a sample: the model's input and the ideal answer."""
    return isinstance(data, Mapping) and "ideal" in data and isinstance(data.get("input"), (str, list))


def _class(entry: Any) -> str:
    found = entry.get("class") if isinstance(entry, Mapping) else None
    return found if isinstance(found, str) and found.startswith("evals.") else ""


def read_registry(path: Path, boundary: FileBoundary | None = None) -> tuple[Bundle, ...]:
    """Read every eval of a registry file with its samples.

    Raises:
        SuiteError: it is not a registry file, or its samples cannot be read.
    """
    data = read_yaml(read_text(path, most=_MOST, instead="divide it"), file=str(path), error=SuiteError)
    if not is_registry(data):
        raise SuiteError(
            "is not a file of the evals registry", file=str(path), hint="give a YAML with `class: evals.…`"
        )
    limit = boundary or FileBoundary(folder=path.parent, source=str(path))
    return tuple(_eval(path, limit, name, entry) for name, entry in data.items() if _class(entry))


def _eval(path: Path, boundary: FileBoundary, name: str, entry: Mapping[str, Any]) -> Bundle:
    notes = Notes()
    args = entry.get("args")
    settings = args if isinstance(args, Mapping) else {}
    kind = _class(entry).rpartition(":")[2]
    named = settings.get("samples_jsonl")
    samples: list[Any] = []
    if isinstance(named, str):
        file = _found(path, named, boundary, f"{name}.args.samples_jsonl")
        if file is None:
            notes.add(f"the samples {named} are not there: put them beside the file, or under data/ of the registry")
        else:
            samples = list(_samples(file, notes))
    else:
        notes.add(f"{name} names no samples")
    for key in settings:
        if key not in ("samples_jsonl", "ignore_case", "max_tokens", "eval_type", "modelgraded_spec"):
            notes.add(f"the argument `{key}` was not brought over")
    return _bundle(name.replace(".", "-"), str(entry.get("description") or ""), kind, settings, samples, notes)


def read_samples(path: Path) -> Bundle:
    """Read a file of samples without a registry entry; they are compared like the registry's ``Match``.

    Raises:
        SuiteError: it cannot be read.
    """
    notes = Notes()
    notes.add("the samples come without their registry file: an answer passes when it begins with an ideal one")
    return _bundle(path.stem.replace(".", "-"), "", "Match", {}, list(_samples(path, notes)), notes)


def _found(path: Path, named: str, boundary: FileBoundary, field: str) -> Path | None:
    """Find the samples: beside the file, or in the `data` folder beside `evals`, as in the registry.

    Raises:
        SuiteError: they are elsewhere.
    """
    for parent in (path.parent, *path.parent.parents[:3]):
        data = FileBoundary(folder=parent.parent / "data", source=str(path))
        if parent.name == "evals" and (data.folder / named).is_file() and data.holds(data.folder / named):
            return data.folder / named
    folders = [path.parent, *(parent / "data" for parent in path.parents[:4])]
    found = next((folder / named for folder in folders if (folder / named).is_file()), None)
    return found and boundary.check(found, field)


def _samples(path: Path, notes: Notes) -> Iterator[Any]:
    for number, line, _ in lines_of(path):
        if not line.strip():
            continue
        try:
            yield json.loads(line)
        except (ValueError, RecursionError):
            notes.add(f"{path.name}: a line is not JSON and was left out", f"line {number}")


def _bundle(
    name: str, description: str, kind: str, settings: Mapping[str, Any], samples: list[Any], notes: Notes
) -> Bundle:
    system = _shared_system(samples)
    text = f"system:\n{system}\n" if system else ""
    taken = set[str]()
    cases = []
    for number, sample in enumerate(samples):
        if not isinstance(sample, Mapping) or not isinstance(sample.get("input"), (str, list)):
            notes.add("a sample without an input was left out", f"sample {number + 1}")
            continue
        cases.append(_case(sample, number, system, _checks(kind, settings, sample, notes), taken))
    return Bundle(
        name=name,
        description=description,
        prompt=parse_prompt(_escaped(text), name=name) if text else None,
        file=(".prompty", _escaped(text)) if text else None,
        cases=tuple(cases),
        notes=notes.tell(),
    )


def _escaped(text: str) -> str:
    """Escape what looks like a variable: samples have none."""
    if not any(mark in text for mark in ("{{", "{%", "{#")):
        return text
    head, _, body = text.partition("\n")
    return f"{head}\n{{% raw %}}{body.rstrip()}{{% endraw %}}\n" if "endraw" not in body else text


def _shared_system(samples: list[Any]) -> str:
    """Return the system message that begins every sample; empty if they differ."""
    first: set[str] = set()
    for sample in samples:
        said = sample.get("input") if isinstance(sample, Mapping) else None
        lead = said[0] if isinstance(said, list) and len(said) > 1 and isinstance(said[0], Mapping) else {}
        first.add(message_text(lead).strip() if lead.get("role") == "system" else "")
    only = first.pop() if len(first) == 1 else ""
    return "" if re.search(r"^\s*#?\s*(system|user|assistant|developer)\s*:\s*$", only, re.M | re.I) else only


def _case(sample: Mapping[str, Any], number: int, system: str, checks: tuple[Check, ...], taken: set[str]) -> Case:
    said = sample["input"]
    messages = (
        [{"role": "user", "content": said}] if isinstance(said, str) else [m for m in said if isinstance(m, Mapping)]
    )
    if system:
        messages = messages[1:]
    history = [
        Message(
            role=_ROLES.get(str(each.get("role")), "user"),
            content=message_text(each),
            name=each["name"] if isinstance(each.get("name"), str) else None,
        )
        for each in messages
    ]
    last = history.pop().content if history and history[-1].role == "user" else ""
    ideal = sample.get("ideal")
    reference = ideal if isinstance(ideal, str) else ideal[0] if isinstance(ideal, list) and ideal else None
    rest = {key: value for key, value in sample.items() if key not in ("input", "ideal")}
    return Case(
        id=unique(f"sample-{number + 1}", taken),
        input=last,
        history=tuple(history),
        expect=Expectation(reference=reference if isinstance(reference, str) else None),
        checks=checks,
        metadata={"sample": rest} if rest else {},
    )


def _checks(kind: str, settings: Mapping[str, Any], sample: Mapping[str, Any], notes: Notes) -> tuple[Check, ...]:
    given = sample.get("ideal")
    ideals = [str(each) for each in (given if isinstance(given, list) else [given]) if each not in (None, "")]
    ignore = {"ignore_case": True} if settings.get("ignore_case") else {}
    if kind in ("Match", "Includes", "FuzzyMatch", "JsonMatch") and not ideals:
        notes.add("a sample has no ideal answer, so nothing judges it")
        return ()
    if kind == "Match":
        pattern = r"\A(?:" + "|".join(re.escape(each) for each in ideals) + ")"
        return (Check(scorer="regex", settings={"value": pattern, **ignore}, name="match"),)
    if kind in ("Includes", "FuzzyMatch"):
        if kind == "FuzzyMatch":
            notes.add("FuzzyMatch leaves out articles and punctuation; here the answer must contain an ideal one")
            ignore = {"ignore_case": True}
        return (Check(scorer="contains", settings={"value": ideals, "mode": "any", **ignore}, name="includes"),)
    if kind == "JsonMatch":
        return _json_match(ideals, notes)
    if kind == "ModelBasedClassify":
        notes.add(
            f"it is judged by the model-graded spec {settings.get('modelgraded_spec')!r}, which is another file: a "
            "judge compares the answer with the ideal one here"
        )
        rubric = "The answer says the same as the reference, and nothing against it."
        return (Check(scorer="judge", settings={"rubric": rubric}),)
    notes.add(f"the class {kind} is code, which is never run here: the samples came over without a check")
    return ()


def _json_match(ideals: list[str], notes: Notes) -> tuple[Check, ...]:
    values = []
    for ideal in ideals:
        try:
            values.append(json.loads(ideal))
        except (ValueError, RecursionError):
            notes.add("an ideal answer is not JSON and was left out of the comparison")
    return (Check(scorer="json_schema", settings={"schema": {"enum": values}}, name="json_match"),) if values else ()
