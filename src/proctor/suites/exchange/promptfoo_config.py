"""Read promptfoo's configuration: prompts, providers, tests, defaults, scenarios and assertions."""

from __future__ import annotations

import fnmatch
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.core.case import Case, Check
from proctor.core.errors import MalformedError, SuiteError
from proctor.prompts.file_boundary import FileBoundary
from proctor.prompts.yaml_text import read_yaml
from proctor.suites.case_shorthand import make_case
from proctor.suites.exchange.assertions import UnsupportedAssertionError, checks_of, with_values
from proctor.suites.exchange.bundle import Bundle, Notes, case_id, unique
from proctor.suites.exchange.promptfoo_files import CODE, Folder
from proctor.suites.exchange.promptfoo_prompts import FooPrompt, prompts_of
from proctor.suites.exchange.templates import variables
from proctor.suites.files import read_text

__all__ = ["is_promptfoo", "provider_name", "read_promptfoo"]

_READ = frozenset(("description", "prompts", "providers", "targets", "tests", "defaultTest", "scenarios", "tags"))
_QUIET = frozenset(("$schema", "outputPath", "sharing", "writeLatestResults", "assertionTemplates", "metadata"))
_TEST_READ = frozenset(("description", "vars", "assert", "metadata", "prompts", "options", "id"))
_OPTION_READ = frozenset(("prefix", "suffix", "disableVarExpansion"))
_REFERENCE = re.compile(r"#/assertionTemplates/(.+)")
_MOST_TESTS = 100_000


def is_promptfoo(data: Any) -> bool:
    """Whether YAML data is a promptfoo configuration."""
    if not isinstance(data, Mapping) or "messages" in data or "cases" in data:
        return False
    return "prompts" in data and bool({"providers", "targets", "tests", "defaultTest", "scenarios"} & set(data))


def read_promptfoo(path: Path, boundary: FileBoundary | None = None) -> tuple[Bundle, ...]:
    """Read a promptfoo configuration; return one bundle per prompt.

    Raises:
        SuiteError: it is not one, or a file it names cannot be read.
    """
    data = read_yaml(read_text(path, most=32_000_000, instead="divide it"), file=str(path), error=SuiteError)
    if not is_promptfoo(data):
        hint = "give a promptfooconfig.yaml with `prompts:`, `providers:` and `tests:`"
        raise SuiteError("is not a configuration of promptfoo", file=str(path), hint=hint)
    return _Reading(path, data, boundary or FileBoundary(folder=path.parent, source=str(path))).bundles()


def provider_name(written: str) -> str:
    """Return our name of a model: ``openai:chat:gpt-5`` is ``openai:gpt-5`` here."""
    parts = written.split(":")
    middle = ("chat", "completion", "responses", "messages", "embedding")
    return ":".join([parts[0], *parts[2:]]) if len(parts) > 2 and parts[1] in middle else written


@dataclass(frozen=True, slots=True, kw_only=True)
class _Test:
    """One test with its variables filled in: its input and its assertions."""

    place: str
    values: Mapping[str, Any]
    asserts: tuple[Any, ...]
    raw: Mapping[str, Any]
    case: Mapping[str, Any] = field(default_factory=dict)


class _Reading:
    """Reads one configuration; what cannot be converted is noted."""

    def __init__(self, path: Path, data: Mapping[str, Any], boundary: FileBoundary) -> None:
        self._path, self._data, self._notes = path, data, Notes()
        self._folder = Folder(boundary, self._notes)
        self._templates = data.get("assertionTemplates") or {}
        self._default = self._mapping(data.get("defaultTest"), "defaultTest")

    def bundles(self) -> tuple[Bundle, ...]:
        for key in self._data:
            if key not in _READ and key not in _QUIET:
                self._notes.add(f"`{key}` was not brought over: nothing here answers to it")
        prompts = prompts_of(self._data.get("prompts"), self._folder, self._notes)
        shared = self._shared()
        tests = list(itertools.islice(self._tests(), _MOST_TESTS + 1))
        if len(tests) > _MOST_TESTS:
            raise SuiteError(f"makes more than {_MOST_TESTS:,} tests", file=str(self._path), hint="divide it")
        stem = _stem(self._path)
        if not prompts:
            cases = self._cases(tests, None)
            return (self._bundle(stem, None, shared, cases),) if cases else ()
        names = set[str]()
        made = []
        for index, prompt in enumerate(prompts):
            wanted = stem if len(prompts) == 1 else f"{stem}-{prompt.slug or index + 1}"
            made.append(self._bundle(unique(wanted, names), prompt, shared, self._cases(tests, prompt)))
        return tuple(made)

    def _bundle(
        self, name: str, prompt: FooPrompt | None, shared: tuple[Check, ...], cases: tuple[Case, ...]
    ) -> Bundle:
        bare = sum(not case.checks for case in cases) if not shared else 0
        if bare:
            self._notes.add(f"{bare} of {len(cases)} tests have no assertion that is left: add `checks:` to them")
        return Bundle(
            name=name,
            description=str(self._data.get("description") or ""),
            prompt=prompt.prompt if prompt else None,
            file=(prompt.ending, prompt.text) if prompt else None,
            checks=shared,
            cases=cases,
            models=self._models(),
            notes=self._notes.tell(),
        )

    def _models(self) -> tuple[str, ...]:
        named = self._data.get("providers", self._data.get("targets"))
        found = []
        for item in named if isinstance(named, list) else [named] if named else []:
            written = item.get("id") if isinstance(item, Mapping) else item
            if isinstance(item, Mapping) and written is None and len(item) == 1:
                written = next(iter(item))
            if not isinstance(written, str) or written.startswith(("file://", "exec:")) or written.endswith(CODE):
                self._notes.add("a provider that is a program was not brought over: make it a target", str(written))
                continue
            if isinstance(item, Mapping) and item.get("config"):
                self._notes.add(f"settings of {written}: put them under `models:` in proctor.yaml")
            found.append(provider_name(written))
        return tuple(dict.fromkeys(found))

    def _mapping(self, value: Any, place: str) -> Mapping[str, Any]:
        value = self._folder.value(value, place)
        if value is not None and not isinstance(value, Mapping):
            raise SuiteError("expected a mapping", file=str(self._path), field=place)
        return value or {}

    # --- assertions ---------------------------------------------------------------------------------

    def _shared(self) -> tuple[Check, ...]:
        """Return the default assertions that are the same for every test: they judge the whole suite."""
        same = [with_values(each, {}) for each in self._asserts(self._default) if not _has_variables(each)]
        return self._checks(same, "defaultTest")

    def _asserts(self, test: Mapping[str, Any]) -> list[Any]:
        given = test.get("assert")
        return [self._resolved(item) for item in given] if isinstance(given, list) else []

    def _resolved(self, item: Any) -> Any:
        """Resolve an assertion that names a template, or whose value is in a file."""
        if isinstance(item, Mapping) and isinstance(item.get("$ref"), str):
            match = _REFERENCE.fullmatch(item["$ref"])
            template = self._templates.get(match.group(1)) if match and isinstance(self._templates, Mapping) else None
            if not isinstance(template, Mapping):
                self._notes.add(f"there is no assertion template {item['$ref']}")
                return {"type": "an assertion that is nowhere"}
            item = {**template, **{key: value for key, value in item.items() if key != "$ref"}}
        if isinstance(item, Mapping) and isinstance(item.get("value"), str) and not item["value"].endswith(CODE):
            value = self._folder.value(item["value"], f"assertion {item.get('type')}")
            if value is not None:
                item = {**item, "value": value}
        return item

    def _checks(self, asserts: list[Any], place: str) -> tuple[Check, ...]:
        found: list[Check] = []
        for item in asserts:
            try:
                found += checks_of(item)
            except UnsupportedAssertionError as error:
                self._notes.add(f"not brought over: {error}", place)
            kind = item.get("type") if isinstance(item, Mapping) else None
            if kind in ("similar", "similar:cosine"):
                self._notes.add(f"{kind} uses Proctor's own vectors: look at its threshold")
            if kind == "rouge-n":
                self._notes.add("rouge-n compares letters here: look at its threshold")
        return tuple(found)

    # --- tests --------------------------------------------------------------------------------------

    def _tests(self) -> Iterator[_Test]:
        for place, raw in self._raw_tests(self._data.get("tests"), "tests"):
            yield from self._expanded(raw, place, {})
        scenarios = self._data.get("scenarios")
        for number, item in enumerate(scenarios if isinstance(scenarios, list) else ()):
            scenario = self._folder.value(item, f"scenarios[{number}]")
            if not isinstance(scenario, Mapping):
                self._notes.add("a scenario that is no mapping", f"scenarios[{number}]")
                continue
            for config in scenario.get("config") or [{}]:
                under = config.get("vars") if isinstance(config, Mapping) else None
                for place, raw in self._raw_tests(scenario.get("tests"), f"scenarios[{number}].tests"):
                    yield from self._expanded(raw, place, under if isinstance(under, Mapping) else {})

    def _raw_tests(self, given: Any, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        items = given if isinstance(given, list) else [given] if given is not None else []
        for index, item in enumerate(items):
            where = f"{place}[{index}]"
            if isinstance(item, str):
                for path in self._folder.find(item, where):
                    for number, row in enumerate(self._folder.rows(path)):
                        yield from self._one(row, f"{path.name}[{number}]")
            else:
                yield from self._one(item, where)

    def _one(self, item: Any, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        if not isinstance(item, Mapping):
            self._notes.add("a test that is no mapping", place)
        elif "path" in item and "vars" not in item:
            self._notes.add("a generator of tests is code, which is never run here", place)
        else:
            yield place, item

    def _expanded(self, raw: Mapping[str, Any], place: str, under: Mapping[str, Any]) -> Iterator[_Test]:
        """Yield a test for each combination of its variables: a list of values gives one test each."""
        if "__case" in raw:
            case = raw["__case"]
            values = {**self._vars(self._default.get("vars"), place), **under, **case.get("inputs", {})}
            yield _Test(place=place, values=values, asserts=(), raw={}, case=case)
            return
        for key in raw:
            if key not in _TEST_READ:
                self._notes.add(f"`{key}` of a test was not brought over", place)
        options = {**(self._default.get("options") or {}), **(raw.get("options") or {})}
        for key in options:
            if key not in _OPTION_READ:
                self._notes.add(f"the option `{key}` was not brought over", place)
        for own in self._var_sets(raw.get("vars"), place):
            values = {**self._vars(self._default.get("vars"), place), **under, **own}
            several = (
                [] if options.get("disableVarExpansion") else [k for k, v in values.items() if isinstance(v, list)]
            )
            for choice in itertools.product(*(values[key] for key in several)):
                chosen = {**values, **dict(zip(several, choice, strict=True))}
                chosen = {key: with_values(value, chosen) for key, value in chosen.items()}
                yield _Test(place=place, values=chosen, asserts=tuple(self._asserts(raw)), raw=raw)

    def _var_sets(self, given: Any, place: str) -> list[Mapping[str, Any]]:
        """Return the variables of a test; a path, or several, stands for a test per row of the file."""
        if isinstance(given, (str, list)):
            names = [given] if isinstance(given, str) else given
            rows = [row for name in names for path in self._folder.find(str(name), place) for row in self._rows(path)]
            return [self._vars(row, place) for row in rows]
        return [self._vars(given, place)]

    def _rows(self, path: Path) -> Iterator[Any]:
        for row in self._folder.rows(path):
            yield row["__case"].get("inputs", {}) if isinstance(row, Mapping) and "__case" in row else row

    def _vars(self, given: Any, place: str) -> dict[str, Any]:
        if not isinstance(given, Mapping):
            return {}
        found = {str(key): self._folder.value(value, f"{place}.vars.{key}") for key, value in given.items()}
        lost = [key for key, value in found.items() if value is None and given[key] is not None]
        for key in lost:
            self._notes.add(
                f"the variable {key} has no value: it comes from code or from a file that is not there", place
            )
        return {key: value for key, value in found.items() if value is not None}

    # --- cases --------------------------------------------------------------------------------------

    def _cases(self, tests: list[_Test], prompt: FooPrompt | None) -> tuple[Case, ...]:
        taken = set[str]()
        made = []
        for test in tests:
            wanted = test.raw.get("prompts", self._default.get("prompts"))
            if prompt is None or not isinstance(wanted, list) or any(_meant(str(each), prompt) for each in wanted):
                case = self._case(test, taken)
                if case is not None:
                    made.append(case)
        return tuple(made)

    def _case(self, test: _Test, taken: set[str]) -> Case | None:
        filled = [with_values(each, test.values) for each in self._asserts(self._default) if _has_variables(each)]
        filled += [with_values(each, test.values) for each in test.asserts]
        raw: dict[str, Any] = {
            "id": unique(str(test.raw.get("id") or test.case.get("id") or case_id(test.values)), taken),
            "inputs": dict(test.values),
            "description": str(test.raw.get("description") or ""),
            "metadata": dict(test.raw.get("metadata") or {}),
            **{key: value for key, value in test.case.items() if key not in ("inputs", "id")},
        }
        if not raw["inputs"] and "input" not in raw:
            raw["input"] = ""
        checks = self._checks(filled, test.place)
        try:
            case = make_case(
                {key: value for key, value in raw.items() if value not in ("", {}, None)} | _asked(raw), {}
            )
        except MalformedError as error:
            self._notes.add(f"a test could not be read: {error.message}", test.place)
            return None
        return Case(
            id=case.id,
            input=case.input,
            inputs=case.inputs,
            description=case.description,
            metadata=case.metadata,
            tags=case.tags,
            expect=case.expect,
            recorded=case.recorded,
            checks=(*case.checks, *checks),
        )


def _asked(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the input of a prompt without variables: a blank, because a case must not be empty."""
    return {} if raw["inputs"] or raw.get("input") else {"input": " "}


def _has_variables(item: Any) -> bool:
    if isinstance(item, str):
        return bool(variables(item))
    if isinstance(item, Mapping):
        return any(_has_variables(value) for value in item.values())
    return isinstance(item, list) and any(_has_variables(value) for value in item)


def _meant(wanted: str, prompt: FooPrompt) -> bool:
    names = [name for name in (prompt.label, prompt.id) if name]
    return any(fnmatch.fnmatchcase(name, wanted) or name.startswith(f"{wanted}:") for name in names)


def _stem(path: Path) -> str:
    name = path.name.partition(".")[0]
    return path.resolve().parent.name if name == "promptfooconfig" else name
