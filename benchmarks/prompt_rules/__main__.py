"""Prints what generation without a model makes of public prompts: ``python -m benchmarks.prompt_rules FOLDER``.

The folder holds the prompts that an expectation file names (``NAME.prompty``); the file, ``dev.yaml`` unless another is
given, says by hand what a careful reader expects of each. ``--misses`` lists what was missed and what was wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.core.generated_test import GeneratedTest
from proctor.core.rule import Rule
from proctor.generate.artefacts import Artefacts
from proctor.generate.build_case import inputs_of
from proctor.generate.effort import choose_effort
from proctor.generate.generation_request import Makers, Order
from proctor.generate.pipeline import generate
from proctor.prompts.load import load_prompt
from proctor.prompts.prompt import Prompt
from proctor.prompts.yaml_text import read_yaml
from proctor.stats.interval import wilson
from proctor.text.predicates import parse

HERE = Path(__file__).parent


@dataclass(slots=True)
class Tally:
    """One row of the table: hits of a total, and what to list below it."""

    title: str
    must: str
    hits: int = 0
    total: int = 0
    said: list[str] = field(default_factory=list)

    def add(self, ok: bool, told: str, *, listed: bool) -> None:
        """Count one; ``listed`` is whether it belongs to the misses."""
        self.hits += ok
        self.total += 1
        if listed:
            self.said.append(told)

    def row(self) -> str:
        """The row with its interval."""
        if not self.total:
            return f"| {self.title} | {self.must} | none | |"
        within = wilson(self.hits, self.total)
        assert within is not None
        share = f"{self.hits} of {self.total} ({self.hits / self.total:.0%})"
        return f"| {self.title} | {self.must} | {share} | {within.low:.0%}–{within.high:.0%} |"


def fits(rule: Rule, wanted: Mapping[str, Any], text: str) -> bool:
    """Whether a rule stands at the expected place and says what it must."""
    places = [_plain(str(each)) for each in (wanted["at"] if isinstance(wanted["at"], list) else [wanted["at"]])]
    assert all(place in text for place in places), f"{wanted['at']!r} is not in the prompt"
    quote = _plain(rule.source.quote) if rule.source else ""
    said = _plain(f"{rule.text} {rule.predicate or ''}")
    near = bool(quote) and any(place in quote or quote in place for place in places)
    return near and all(any(_plain(one) in said for one in str(word).split("|")) for word in wanted["say"])


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("**", "").replace("’", "'")).strip(" -").lower()


def measure(name: str, prompt: Prompt, wanted: Mapping[str, Any], tallies: Mapping[str, Tally]) -> None:
    """Add one prompt to the rows."""
    order = Order(prompt=prompt, effort=choose_effort())
    made = asyncio.run(generate(order, Makers(), Artefacts())).artefacts
    rules = [rule for rule in made.rules if rule.polarity == "positive"]
    text = _plain(prompt.text)
    for each in wanted["rules"]:
        here = [rule for rule in rules if fits(rule, each, text)]
        if not each.get("may"):
            tallies["rules"].add(bool(here), f"{name}: missed: {each['at']}", listed=not here)
        if each.get("code"):
            held = [one for one in here if one.predicate and re.search(str(each["code"]), one.predicate)]
            right = any(not _failing(one, wanted["right"]) for one in held)
            tallies["predicates"].add(right, f"{name}: no predicate: {each['at']}", listed=not right)
    for rule in rules:
        wrong = not any(fits(rule, each, text) for each in wanted["rules"])
        tallies["wrong"].add(wrong, f"{name}: wrong: {rule.text}", listed=wrong)
        if rule.predicate:
            failing = _failing(rule, wanted["right"])
            told = f"{name}: fails a right answer: {rule.predicate} | {failing[0][:60] if failing else ''}"
            tallies["false"].add(bool(failing), told, listed=bool(failing))
    good = any(_plain(word) in _plain(made.intent) for word in wanted["intent"])
    tallies["intents"].add(good, f"{name}: intent: {made.intent}", listed=not good)
    for values in _inputs(made):
        on = wanted["topic"] is None or any(_plain(word) in _plain(values) for word in wanted["topic"])
        tallies["inputs"].add(on, f"{name}: off topic: {values[:110]}", listed=not on)
    tallies["none"].add(not made.tests, f"{name}: {len(made.tests)} tests", listed=False)


def _inputs(made: Artefacts) -> Iterator[str]:
    for case in made.tests:
        if GeneratedTest.of(case).valid is not False:
            yield " | ".join(str(value) for value in inputs_of(case).values())


def _failing(rule: Rule, answers: Sequence[str]) -> list[str]:
    check = parse(rule.predicate or "")
    return [answer for answer in answers if check.check(str(answer), inputs={}).ok is False]


def main() -> None:
    """Print the table; with ``--misses`` also what it counts."""
    reader = argparse.ArgumentParser(prog="python -m benchmarks.prompt_rules", description=__doc__)
    reader.add_argument("folder", type=Path)
    reader.add_argument("--expected", type=Path, default=HERE / "dev.yaml")
    reader.add_argument("--misses", action="store_true")
    asked = reader.parse_args()
    expected = read_yaml(asked.expected.read_text(encoding="utf-8"), file=str(asked.expected))
    tallies = {
        "rules": Tally("rules found", "≥ 80 %"),
        "wrong": Tally("written rules that are wrong", "≤ 3 %"),
        "predicates": Tally("predicates found", "≥ 60 %"),
        "false": Tally("predicates that fail a right answer", "≤ 3 %"),
        "inputs": Tally("inputs on topic", "≥ 90 %"),
        "none": Tally("prompts for which no input was made", ""),
        "intents": Tally("usable intents", "≥ 95 %"),
    }
    for name, wanted in expected.items():
        measure(name, load_prompt(asked.folder / f"{name}.prompty"), wanted, tallies)
    print("| | must | measured | interval |\n|---|---|---|---|")
    print("\n".join(each.row() for each in tallies.values()))
    if asked.misses:
        print("\n".join(line for each in tallies.values() for line in each.said))


if __name__ == "__main__":
    main()
