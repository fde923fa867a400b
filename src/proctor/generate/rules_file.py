"""Read and write ``rules.yaml``: each rule with its opposites inside it, for editing by people."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from proctor.core.codec import dumps, loads
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, Problem
from proctor.core.generated_test import PERSON
from proctor.core.rule import Rule
from proctor.generate.folder import emptied, read_text
from proctor.text.yaml_dump import to_yaml

__all__ = ["read_rules", "rules_text"]

_SLIP = 0.8  # minimum similarity to a known key for a typing error
_HEAD = """\
# The rules an answer must keep. Edit them: `proctor generate` goes on from what stands here.
#   text       the rule; reword it and leave its `id`, which keeps its tests with it
#   predicate  checked by code, e.g. `words <= 80` (docs/predicates.md); `judge: true` where a model has to judge
#   tentative  an answer that breaks the predicate is in doubt, not failed; `tentative: false` if it is right after all
#   weight     how much it counts; `disabled: true` switches a rule off; `locked: true` keeps it as it is, whatever
#              becomes of the prompt
#   inverse    the opposite, from which tests are made that tempt a model to break the rule
# A rule of your own needs no more than `- text: …`.
"""
_ORDER = (
    "text",
    "kind",
    "predicate",
    "tentative",
    "judge",
    "source",
    "weight",
    "priority",
    "locked",
    "disabled",
    "groundedness",
)
_SHARED = ("kind", "source", "priority", "groundedness", "origin")  # an opposite inherits these from its rule
_ALWAYS: Mapping[str, Any] = {"weight": 1.0, "priority": 0, "locked": False, "disabled": False}


def rules_text(rules: Sequence[Rule]) -> str:
    """Return the file's text. An opposite is inside its rule; one without its rule is a separate entry."""
    known = {rule.id for rule in rules}
    entries = []
    for rule in rules:
        if rule.inverse_of in known:
            continue
        entry = _entry(rule)
        opposites = [_inner(each, rule) for each in rules if each.inverse_of == rule.id]
        if opposites:
            entry["inverse"] = opposites
        entries.append(entry)
    return _HEAD + to_yaml({"rules": entries})


def read_rules(path: Path, *, reads: Callable[[str], object] | None = None) -> tuple[tuple[Rule, ...], dict[str, str]]:
    """Return the rules, each followed by its opposites, and a map of old ids on file to present ids.

    ``reads`` parses a predicate and raises a ValueError if it is invalid; by default it is an output predicate.

    Raises:
        InputError: the file is not YAML, or not a list of rules; with every problem and its line.
    """
    text = read_text(path)
    if not path.exists():
        return (), {}
    from proctor.prompts.yaml_text import lines_in_yaml, read_yaml  # noqa: PLC0415 - costs 40 ms

    data = read_yaml(text, file=str(path))
    if data is None:
        raise emptied(path)
    reading = _Reading(reads)
    rules = tuple(reading.rules(data))
    if reading.problems:
        line = lines_in_yaml(text)
        placed = [Problem(each.path, each.message, each.hint, line(each.path)) for each in reading.problems]
        raise MalformedError(placed, file=str(path))
    return rules, reading.aliases


class _Reading:
    """Reads one file and collects its problems and changed ids."""

    def __init__(self, reads: Callable[[str], object] | None = None) -> None:
        self._reads = reads
        self.problems: list[Problem] = []
        self.aliases: dict[str, str] = {}
        self._places: dict[str, tuple[str | int, ...]] = {}
        self._ids: set[str] = set()

    def rules(self, data: Any) -> Iterator[Rule]:
        entries = data.get("rules", []) if isinstance(data, Mapping) else data
        if entries is None:
            return
        if not isinstance(entries, list):
            self.problems.append(Problem(("rules",), "expected a list of rules", "write `rules:` and `- text: …`"))
            return
        prefix: tuple[str | int, ...] = ("rules",) if isinstance(data, Mapping) else ()
        for index, entry in enumerate(entries):
            yield from self._with_opposites(entry, (*prefix, index))

    def _with_opposites(self, entry: Any, path: tuple[str | int, ...]) -> Iterator[Rule]:
        rule = self._rule(entry, path, {})
        if rule is None:
            return
        yield rule
        inner = entry.get("inverse") if isinstance(entry, Mapping) else None
        if inner is None:
            return
        # An opposite has the origin of its rule, even if a person has since reworded the rule.
        shared = {name: getattr(rule, name) for name in _SHARED} | {"origin": entry.get("origin", rule.origin)}
        for index, each in enumerate(inner if isinstance(inner, list) else [inner]):
            place = (*path, "inverse", index) if isinstance(inner, list) else (*path, "inverse")
            written = {"text": each} if isinstance(each, str) else each
            whole = {**shared, **written} if isinstance(written, Mapping) else written
            opposite = self._rule(whole, place, {"polarity": "negative", "inverse_of": rule.id})
            if opposite is not None:
                yield opposite

    def _rule(self, entry: Any, path: tuple[str | int, ...], fixed: Mapping[str, Any]) -> Rule | None:
        fields = {"text": entry} if isinstance(entry, str) else entry
        if not isinstance(fields, Mapping):
            self.problems.append(Problem(path, "expected a rule: a mapping with `text`, or the text itself"))
            return None
        fields = {key: value for key, value in fields.items() if key not in ("id", "inverse", "judge")}
        written = entry.get("id") if isinstance(entry, Mapping) else None
        self._check_names(fields, written, path)
        try:
            rule = decode(Rule, {**fields, **fixed})
        except MalformedError as error:
            self.problems += [Problem((*path, *each.path), each.message, each.hint) for each in error.problems]
            return None
        tentative = rule.tentative if rule.predicate is not None else None
        rule = self._checked(replace(rule, text=rule.text.strip(), tentative=tentative), path)
        if written is not None and str(written) != rule.id:
            self.aliases[str(written)] = rule.id
        changed = written is None or str(written) != rule.id
        # An opposite's id contains its rule's, so it changes with it, although nobody edited the opposite.
        theirs = written is None if fixed else changed
        return replace(rule, origin=PERSON) if theirs or not rule.origin else rule

    def _check_names(self, fields: Mapping[str, Any], written: Any, path: tuple[str | int, ...]) -> None:
        """Keep custom keys, but report one that is nearly a known key: it is a typing error."""
        known = [name for name in Rule.__dataclass_fields__ if name != "extra"] + ["id", "inverse", "judge"]
        for key in fields:
            guess = difflib.get_close_matches(str(key), known, n=1, cutoff=_SLIP) if key not in known else []
            if guess:
                self.problems.append(Problem((*path, key), "unknown key", f"did you mean `{guess[0]}`?"))
        if written is not None and str(written) in self._ids:
            self.problems.append(Problem((*path, "id"), "two rules have this id", "remove the `id` of the new one"))
        self._ids.add(str(written))

    def _checked(self, rule: Rule, path: tuple[str | int, ...]) -> Rule:
        if not rule.text:
            self.problems.append(Problem((*path, "text"), "the rule says nothing", "write what an answer must keep"))
        elif rule.id in self._places:
            self.problems.append(Problem(path, "the same rule is there twice", "remove one of them"))
        if not rule.weight >= 0:
            self.problems.append(Problem((*path, "weight"), f"a weight is 0 or more, not {rule.weight:g}"))
        if rule.predicate is not None:
            self._check_predicate(rule.predicate, (*path, "predicate"))
        self._places[rule.id] = path
        return rule

    def _check_predicate(self, written: str, path: tuple[str | int, ...]) -> None:
        from proctor.text.predicates import parse  # noqa: PLC0415 - only if a rule has one

        try:
            (self._reads or parse)(written)
        except ValueError as error:
            hint = getattr(error, "hint", None) or "see docs/predicates.md, or write `judge: true` in its place"
            self.problems.append(Problem(path, str(error).partition("\n")[0], hint))


def _entry(rule: Rule) -> dict[str, Any]:
    data: dict[str, Any] = {**_ALWAYS, **loads(dumps(rule))}
    if rule.polarity == "positive":
        data.pop("polarity", None)
    if rule.predicate is None:
        data["judge"] = True
    return _in_order(rule, data)


def _inner(rule: Rule, around: Rule) -> dict[str, Any]:
    """Return the entry of an opposite: only what differs from the rule around it."""
    data: dict[str, Any] = loads(dumps(rule))
    del data["polarity"], data["inverse_of"]
    for name in _SHARED:
        if getattr(rule, name) == getattr(around, name):
            data.pop(name, None)
        else:
            data.setdefault(name, getattr(rule, name))
    return _in_order(rule, data)


def _in_order(rule: Rule, data: dict[str, Any]) -> dict[str, Any]:
    first = {"id": rule.id, **{name: data.pop(name) for name in _ORDER if name in data}}
    return first | data
