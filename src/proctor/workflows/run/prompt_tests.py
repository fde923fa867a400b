"""Open a prompt as a suite: its generated tests, checked by its rules and custom metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from proctor.core.case import Check
from proctor.core.codec import dumps, loads
from proctor.core.errors import InputError, SuiteError
from proctor.core.rule import Rule
from proctor.generate.artefacts import BASELINE, INPUTS, INTENT, RULES, TESTS, folder_of
from proctor.generate.folder import read_text, settle
from proctor.generate.rules_file import read_rules
from proctor.prompts.load import load_prompt
from proctor.prompts.prompt import Prompt
from proctor.suites.exchange.bundle import Notes
from proctor.suites.exchange.own_evaluators import EvaluatedFile, OwnEvaluators
from proctor.suites.generated import joined, metric_name, metrics_beside
from proctor.suites.load import LoadedSuite, open_suite
from proctor.workflows.run.suite_source import Opened

__all__ = ["metric_check", "open_prompt"]

_SKIPPED_TAGS = frozenset({"experimental", "groundtruth"})  # under trial, or used to create expected outputs


def open_prompt(path: Path, *, metrics: Sequence[Path] = (), baseline: bool = False, judged: bool = True) -> Opened:
    """Return a prompt's generated tests, with checks for its rules and custom metrics.

    ``judged`` means that there is a judge; without one, a warning names the rules that stay unknown.

    Raises:
        PromptError: the prompt cannot be read.
        SuiteError: it has no tests yet, or they are invalid.
    """
    prompt = load_prompt(path)
    folder = folder_of(path)
    settle(folder)
    if not (folder / TESTS).is_file():
        hint = f"make them with `proctor generate {path.name}` (--no-model needs no key)"
        raise SuiteError(f"{path.name} has no tests yet: there is no {folder.name}/{TESTS}", file=str(path), hint=hint)
    tests = open_suite(folder / TESTS)
    if not baseline and not any(True for part in tests.parts for _ in part.source.rows()):
        hint = f"give the prompt samples, or name a model that writes inputs: `proctor generate {path.name} -m MODEL`"
        raise SuiteError(f"{path.name} has no tests: {folder.name}/{TESTS} has no cases", file=str(path), hint=hint)
    rules, aliases = read_rules(folder / RULES)
    enabled = [rule for rule in rules if rule.polarity == "positive" and not rule.disabled]
    about = _about(prompt, folder, enabled)
    found = [each for each in metrics_beside(path) if not _tags(each) & _SKIPPED_TAGS]
    checks = [_rules_check(rules, enabled, aliases)] if enabled else []
    checks += [metric_check(each, about) for each in dict.fromkeys([*found, *metrics])]
    notes = Notes()
    evaluators = OwnEvaluators(prompt=prompt, known=rules)
    checks += evaluators.checks(notes)
    if any(case.expect.reference for case in tests.cases()):
        checks.append(Check(scorer="expected"))
    _refuse_twins(checks, path)
    if by_row := evaluators.by_row():
        parts = [replace(part, source=EvaluatedFile(source=part.source, evaluators=by_row)) for part in tests.parts]
        tests = replace(tests, parts=tuple(parts))
    more = [_baseline(folder / BASELINE, path)] if baseline else []
    has_metrics = any(check.scorer in ("metric", "judge") for check in checks)
    told = _warnings(prompt, path, tests, enabled, has_metrics, judged=judged)
    return Opened(loaded=joined(tests, more, checks), prompt=path, warnings=(*told, *notes.tell()))


def _baseline(path: Path, prompt: Path) -> LoadedSuite:
    if not path.is_file():
        hint = f"leave --baseline out, or see `proctor generate --help` for how {prompt.name} gets some"
        raise SuiteError(f"{prompt.name} has no baseline tests: there is no {path.name}", file=str(prompt), hint=hint)
    return open_suite(path)


def _rules_check(rules: Sequence[Rule], enabled: Sequence[Rule], aliases: Mapping[str, str]) -> Check:
    """Return the check of all enabled rules, with opposites and older ids as aliases of the rule a test aims at."""
    opposites = {rule.id: rule.inverse_of for rule in rules if rule.inverse_of}
    older = {name: opposites.get(present, present) for name, present in aliases.items()}
    settings = {"rules": [_plain(rule) for rule in enabled], "aliases": {**opposites, **older}}
    return Check(scorer="rules", settings=settings)


def _plain(rule: Rule) -> Any:
    """Return the fields of a rule that affect verdicts or reports; other fields do not change the run's hash."""
    names = ("text", "kind", "predicate", "tentative", "weight")
    data = loads(dumps(rule))
    return {name: data[name] for name in names if name in data}


def metric_check(path: Path, about: Mapping[str, str]) -> Check:
    """Return the check for a metric's file; ``about`` are the inputs of the metric besides the answer.

    Raises:
        PromptError: the file cannot be read.
    """
    return Check(scorer="metric", name=metric_name(path), settings={"prompt": _read(path), "about": dict(about)})


def _read(path: Path) -> str:
    load_prompt(path)  # raises errors with file and line
    return read_text(path, there=True)


def _tags(path: Path) -> set[str]:
    tags = load_prompt(path).front.get("tags")
    return {str(tag) for tag in tags} if isinstance(tags, list) else set()


def _about(prompt: Prompt, folder: Path, rules: Sequence[Rule]) -> dict[str, str]:
    """Return the inputs of a metric besides the answer."""
    return {
        "prompt": prompt.text,
        "intent": read_text(folder / INTENT).strip(),
        "inputSpec": _uncommented(read_text(folder / INPUTS)),
        "rules": "\n".join(f"- {rule.text}" for rule in rules),
    }


def _uncommented(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("#")).strip()


def _refuse_twins(checks: Sequence[Check], path: Path) -> None:
    seen: set[str] = set()
    for check in checks:
        name = check.name or check.scorer
        if name in seen:
            raise InputError(f"two metrics are called {name!r}", file=str(path), hint="rename one of the files")
        seen.add(name)


def _warnings(
    prompt: Prompt, path: Path, tests: LoadedSuite, rules: Sequence[Rule], metrics: bool, *, judged: bool
) -> Iterator[str]:
    made_from = tests.suite.metadata.get("prompt_hash")
    if made_from and made_from != prompt.hash:
        yield (
            f"{path.name} has changed since its tests were made: `proctor generate {path.name}` brings them up to date"
        )
    if not rules:
        yield f"no rule is enabled in {folder_of(path).name}/{RULES}: nothing is checked but what the tests ask for"
    unchecked = sum(1 for rule in rules if not rule.predicate)
    if unchecked and not judged:
        hint = "name one with --judge, or leave them out with --light"
        yield f"{unchecked} of {len(rules)} rules take a judge and stay unknown: {hint}"
    tentative = sum(rule.tentative is True for rule in rules)
    if tentative and not judged:
        yield (
            f"{tentative} of {len(rules)} rules have a tentative predicate: an answer that breaks it is in doubt. "
            f"Name a judge, or write `tentative: false` in {RULES} where the predicate is right"
        )
    if metrics and not judged:
        yield "custom metrics and evaluators take a judge and stay unknown: name one with --judge"
