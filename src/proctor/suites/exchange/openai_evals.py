"""Read exports of OpenAI and Azure evals: the eval, its runs, its items and their outputs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.core.case import Case, Check
from proctor.core.errors import MalformedError, PromptError, SuiteError
from proctor.prompts.file_boundary import FileBoundary
from proctor.prompts.load import parse_prompt
from proctor.prompts.prompt import Prompt
from proctor.suites.case_shorthand import make_case
from proctor.suites.exchange.bundle import Bundle, Notes, Recorded, case_id
from proctor.suites.exchange.graders import grader_check, is_by_item, message_text
from proctor.suites.exchange.own_export import RECORD
from proctor.suites.exchange.promptfoo_prompts import sections
from proctor.suites.exchange.templates import renamed
from proctor.suites.files import read_text

__all__ = ["is_openai_evals", "read_openai_evals"]

_MOST = 256_000_000
_ITEM = "item."
_ROLES = {"developer": "system", "system": "system", "user": "user", "assistant": "assistant"}


@dataclass(slots=True)
class _Found:
    """The objects of an export, by type."""

    evals: list[Mapping[str, Any]] = field(default_factory=list)
    runs: list[Mapping[str, Any]] = field(default_factory=list)
    outputs: list[Mapping[str, Any]] = field(default_factory=list)
    rows: list[Mapping[str, Any]] = field(default_factory=list)

    def put(self, data: Any) -> bool:
        """Store an object; return false if it does not belong to an eval."""
        if isinstance(data, Mapping) and data.get("object") in ("list", "page") and isinstance(data.get("data"), list):
            return all([self.put(each) for each in data["data"]])
        if isinstance(data, list):
            return bool(data) and all([self.put(each) for each in data])
        if not isinstance(data, Mapping):
            return False
        for kept, right in (
            (self.evals, "testing_criteria" in data and "data_source_config" in data),
            (self.outputs, "datasource_item" in data),
            (self.runs, isinstance(data.get("data_source"), Mapping)),
            (self.rows, isinstance(data.get("item"), Mapping)),
        ):
            if right:
                kept.append(data)
                return True
        return False


def is_openai_evals(data: Any) -> bool:
    """Whether JSON data belongs to an eval: the eval, a run, an output, an item, or a list of them."""
    return _Found().put(data)


def read_openai_evals(path: Path, boundary: FileBoundary | None = None) -> Bundle:
    """Read an eval from a file, or from a folder with its JSON and JSONL files.

    Raises:
        SuiteError: it contains nothing of an eval.
    """
    notes, found = Notes(), _Found()
    for name, data in _documents(path, boundary or FileBoundary(folder=path, source=str(path))):
        if not found.put(data):
            notes.add("is nothing of an eval and was left out", name)
    if not (found.evals or found.runs or found.outputs or found.rows):
        hint = "give the eval as JSON, its run as JSON, or its items as JSONL; or a folder with all of them"
        raise SuiteError("holds nothing of an eval", file=str(path), hint=hint)
    if len(found.evals) > 1:
        notes.add(f"there are {len(found.evals)} evals: only the first was brought over; give the others one by one")
    the_eval = found.evals[0] if found.evals else {}
    prompt, text = _prompt(found.runs, notes)
    criteria = the_eval.get("testing_criteria")
    graders = criteria if isinstance(criteria, list) else []
    if not found.evals:
        notes.add("the eval itself is not here, so the tests have no graders: add `checks:` or bring the eval in too")
    places = [f"testing_criteria[{index}]" for index in range(len(graders))]
    shared = [
        grader_check(each, {}, notes, at) for each, at in zip(graders, places, strict=True) if not is_by_item(each)
    ]
    own = [each for each in graders if is_by_item(each)]
    making = _Making(prompt, own, notes)
    for row in _items(found, notes):
        making.add(row)
    making.recordings(found.outputs)
    return Bundle(
        name=_slug(str(the_eval.get("name") or path.stem)),
        description=str(the_eval.get("name") or ""),
        prompt=prompt,
        file=(".prompty", text) if text else None,
        checks=tuple(check for check in shared if check is not None),
        cases=tuple(making.cases.values()),
        recorded=tuple(making.recorded),
        models=tuple(dict.fromkeys(_models(found.runs))),
        notes=notes.tell(),
    )


def _documents(path: Path, boundary: FileBoundary) -> Iterator[tuple[str, Any]]:
    files = sorted(each for each in path.rglob("*.json*") if each.is_file()) if path.is_dir() else [path]
    for file in files:
        if file.name == RECORD:
            continue
        if path.is_dir():
            boundary.check(file)
        text = read_text(file, most=_MOST, instead="divide it")
        if file.suffix.lower() in (".jsonl", ".ndjson"):
            for number, line in enumerate(text.split("\n"), 1):
                if line.strip():
                    yield f"{file.name}:{number}", _parsed(line, file, number)
        else:
            yield file.name, _parsed(text, file, 1)


def _parsed(text: str, file: Path, line: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        what = f"not valid JSON: {error}"
        raise SuiteError(what, file=str(file), line=line, hint="check its quotes and brackets") from None


def _slug(name: str) -> str:
    kept = "".join(letter if letter.isalnum() else "-" for letter in name)
    return "-".join(part for part in kept.split("-") if part).lower()[:60] or "eval"


def _models(runs: list[Mapping[str, Any]]) -> Iterator[str]:
    for run in runs:
        model = run["data_source"].get("model") or run.get("model")
        if isinstance(model, str):
            yield model if ":" in model else f"openai:{model}"


def _prompt(runs: list[Mapping[str, Any]], notes: Notes) -> tuple[Prompt | None, str]:
    """Return the prompt of the runs; the runs of one eval mostly share it."""
    texts: dict[str, None] = {}
    for run in runs:
        given = run["data_source"].get("input_messages")
        template = given.get("template") if isinstance(given, Mapping) else None
        if isinstance(template, list):
            messages = [_message(each) for each in template if isinstance(each, Mapping)]
            texts.setdefault(sections([each for each in messages if each is not None]))
    if len(texts) > 1:
        notes.add(f"the runs have {len(texts)} different prompts: only the first was brought over")
    if not texts:
        return None, ""
    text = next(iter(texts))
    try:
        return parse_prompt(text), text
    except PromptError as error:
        notes.add(f"the prompt of the runs cannot be read here: {error.message}")
        return None, ""


def _message(message: Mapping[str, Any]) -> dict[str, Any] | None:
    role = _ROLES.get(str(message.get("role")))
    if role is None:
        return None
    return {"role": role, "content": renamed(message_text(message), _own_name)}


def _own_name(name: str) -> str | None:
    return "{{" + name.removeprefix(_ITEM) + "}}" if name.startswith(_ITEM) else None


def _items(found: _Found, notes: Notes) -> Iterator[Mapping[str, Any]]:
    """Yield every item: from item files, from the runs and from their outputs."""
    yield from found.rows
    for index, run in enumerate(found.runs):
        source = run["data_source"].get("source")
        content = source.get("content") if isinstance(source, Mapping) else None
        if isinstance(content, list):
            yield from (row for row in content if isinstance(row, Mapping) and isinstance(row.get("item"), Mapping))
        elif isinstance(source, Mapping):
            what = source.get("id") or source.get("type")
            notes.add(
                f"the items are not in the run but in {what}: put that file beside it as JSONL", f"run {index + 1}"
            )
    yield from (
        {"item": each["datasource_item"]} for each in found.outputs if isinstance(each["datasource_item"], dict)
    )


class _Making:
    """Items being converted to cases; the same item in two files is one case."""

    def __init__(self, prompt: Prompt | None, graders: list[Any], notes: Notes) -> None:
        self._prompt, self._graders, self._notes = prompt, graders, notes
        self.cases: dict[str, Case] = {}
        self.recorded: list[Recorded] = []
        self._times = Counter[tuple[str, str]]()

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row: its item, and its answer if there is one."""
        item = row["item"]
        raw = self._asked(item)
        wanted = case_id(item)
        checks = [grader_check(each, item, self._notes, "an item") for each in self._graders]
        self._make(wanted, raw, tuple(check for check in checks if check is not None))
        sample = row.get("sample")
        answer = sample.get("output_text") if isinstance(sample, Mapping) else None
        if isinstance(answer, str):
            model = str(sample.get("model") or "sample") if isinstance(sample, Mapping) else "sample"
            self._record(wanted, model, answer, {})

    def _asked(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the item asks, and the fields that only graders use."""
        names = set(self._prompt.inputs) if self._prompt else set()
        inputs = {key: value for key, value in item.items() if key in names}
        rest = {key: value for key, value in item.items() if key not in inputs}
        raw: dict[str, Any] = {"inputs": inputs}
        said = rest.get("input")
        if not inputs and isinstance(said, list) and all(isinstance(each, Mapping) for each in said):
            raw |= _conversation(said)
            del rest["input"]
        elif not inputs and isinstance(said, str):
            raw["input"] = rest.pop("input")
        elif not inputs:
            raw["inputs"], rest = dict(item), {}
        if rest:
            raw["metadata"] = {"item": rest}
        return raw

    def _make(self, wanted: str, raw: dict[str, Any], checks: tuple[Check, ...]) -> None:
        if wanted in self.cases:
            return
        try:
            case = make_case({"id": wanted, **raw}, {})
        except MalformedError as error:
            self._notes.add(f"an item could not be read as a case: {error.message}")
            return
        self.cases[wanted] = Case(
            id=case.id,
            input=case.input,
            inputs=case.inputs,
            history=case.history,
            metadata=case.metadata,
            checks=checks,
        )

    def recordings(self, outputs: list[Mapping[str, Any]]) -> None:
        """Add the outputs: the answers with their verdicts."""
        for output in outputs:
            sample = output.get("sample")
            if not isinstance(sample, Mapping) or not isinstance(output["datasource_item"], Mapping):
                self._notes.add("an output item without an answer was left out", str(output.get("id")))
                continue
            said = sample.get("output")
            answer = message_text(said[-1]) if isinstance(said, list) and said else str(said or "")
            results = output.get("results")
            told = [
                {key: each[key] for key in ("name", "passed", "score") if key in each}
                for each in (results if isinstance(results, list) else ())
                if isinstance(each, Mapping)
            ]
            metadata = {"status": output.get("status"), "results": told}
            self._record(case_id(output["datasource_item"]), str(sample.get("model") or "model"), answer, metadata)

    def _record(self, wanted: str, model: str, answer: str, verdicts: Mapping[str, Any]) -> None:
        if wanted in self.cases:
            sample = self._times[wanted, model]
            self._times[wanted, model] += 1
            self.recorded.append(
                Recorded(case=wanted, model=model, answer=answer, sample=sample, verdicts=dict(verdicts))
            )


def _conversation(messages: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Convert chat messages to a history and the last user message to the input."""
    said = [{"role": _ROLES.get(str(each.get("role")), "user"), "content": message_text(each)} for each in messages]
    last = said.pop()["content"] if said and said[-1]["role"] == "user" else ""
    return {"history": said, "input": last}
