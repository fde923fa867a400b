"""A prompt opened as a suite: the tests that were made from it, checked by its rules and its custom metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from proctor.suites.generated import joined, metric_name, metrics_beside
from proctor.suites.load import LoadedSuite, open_suite
from proctor.workflows.run.suite_source import Opened

__all__ = ["metric_check", "open_prompt"]

_SKIPPED_TAGS = frozenset({"experimental", "groundtruth"})  # tried out, or meant for making groundtruth


def open_prompt(path: Path, *, metrics: Sequence[Path] = (), baseline: bool = False, judged: bool = True) -> Opened:
    """The tests that were made from a prompt, with a verdict on each of its rules and its custom metrics.

    ``judged`` tells whether there is a judge; without one, a warning says what stays unknown.

    Raises:
        PromptError: the prompt cannot be read.
        SuiteError: it has no tests yet, or they cannot be used.
    """
    prompt = load_prompt(path)
    folder = folder_of(path)
    settle(folder)
    if not (folder / TESTS).is_file():
        hint = f"make them with `proctor generate {path.name}`"
        raise SuiteError(f"{path.name} has no tests yet: there is no {folder.name}/{TESTS}", file=str(path), hint=hint)
    tests = open_suite(folder / TESTS)
    rules, aliases = read_rules(folder / RULES)
    enabled = [rule for rule in rules if rule.polarity == "positive" and not rule.disabled]
    about = _about(prompt, folder, enabled)
    found = [each for each in metrics_beside(path) if not _tags(each) & _SKIPPED_TAGS]
    checks = [_rules_check(rules, enabled, aliases)] if enabled else []
    checks += [metric_check(each, about) for each in dict.fromkeys([*found, *metrics])]
    _refuse_twins(checks, path)
    more = [_baseline(folder / BASELINE, path)] if baseline else []
    told = _warnings(prompt, path, tests, enabled, len(checks) > bool(enabled), judged=judged)
    return Opened(loaded=joined(tests, more, checks), prompt=path, warnings=tuple(told))


def _baseline(path: Path, prompt: Path) -> LoadedSuite:
    if not path.is_file():
        hint = f"leave --baseline out, or see `proctor generate --help` for how {prompt.name} gets some"
        raise SuiteError(f"{prompt.name} has no baseline tests: there is no {path.name}", file=str(prompt), hint=hint)
    return open_suite(path)


def _rules_check(rules: Sequence[Rule], enabled: Sequence[Rule], aliases: Mapping[str, str]) -> Check:
    """A verdict on every enabled rule; a test that was made from an opposite, or under an older id, is aimed at it."""
    opposites = {rule.id: rule.inverse_of for rule in rules if rule.inverse_of}
    older = {name: opposites.get(present, present) for name, present in aliases.items()}
    settings = {"rules": [_plain(rule) for rule in enabled], "aliases": {**opposites, **older}}
    return Check(scorer="rules", settings=settings)


def _plain(rule: Rule) -> Any:
    """What decides a verdict and what a report tells of a rule; the rest may change without making another run."""
    names = ("text", "kind", "predicate", "weight")
    data = loads(dumps(rule))
    return {name: data[name] for name in names if name in data}


def metric_check(path: Path, about: Mapping[str, str]) -> Check:
    """The check by a metric's file; ``about`` is what it may ask for beside the answer.

    Raises:
        PromptError: the file cannot be read.
    """
    return Check(scorer="metric", name=metric_name(path), settings={"prompt": _read(path), "about": dict(about)})


def _read(path: Path) -> str:
    load_prompt(path)  # says by file and line what is wrong with it
    return read_text(path, there=True)


def _tags(path: Path) -> set[str]:
    tags = load_prompt(path).front.get("tags")
    return {str(tag) for tag in tags} if isinstance(tags, list) else set()


def _about(prompt: Prompt, folder: Path, rules: Sequence[Rule]) -> dict[str, str]:
    """What a metric may ask for beside the answer."""
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
    if metrics and not judged:
        yield "custom metrics take a judge and stay unknown: name one with --judge"
