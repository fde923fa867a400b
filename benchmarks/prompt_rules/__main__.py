"""Prints what generation without a model makes of public prompts: ``python -m benchmarks.prompt_rules FOLDER``.

The folder holds the prompts that an expectation file names (``NAME.prompty``); the file, ``dev.yaml`` unless another is
given, says by hand what a careful reader expects of each. ``--misses`` lists what was missed and what was wrong.

A sealed batch is opened with ``--seal SEAL.md --results RESULTS.md``: every file read must have its sha256 in the seal
(``sha256sum FOLDER/*`` prints them), and a row with date, commit and the number of the opening joins the table.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
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

    def cell(self) -> str:
        """The same in one cell."""
        within = wilson(self.hits, self.total)
        if within is None:
            return "none"
        shares = f"{self.hits / self.total:.0%}, {within.low * 100:.0f}–{within.high * 100:.0f}"
        return f"{self.hits} of {self.total} ({shares})"


def fits(rule: Rule, wanted: Mapping[str, Any], text: str) -> bool:
    """Whether a rule stands at the expected place and says what it must."""
    places = [_plain(str(each)) for each in (wanted["at"] if isinstance(wanted["at"], list) else [wanted["at"]])]
    assert all(place in text for place in places), f"{wanted['at']!r} is not in the prompt"
    quote = _bare(_plain(rule.source.quote)) if rule.source else ""
    said = _plain(f"{rule.text} {rule.predicate or ''}")
    near = bool(quote) and any(_bare(place) in quote or quote in place for place in places)
    return near and all(_says(said, str(word)) for word in wanted["say"])


def _says(said: str, word: str) -> bool:
    """Whether a rule has one of the words between the bars, or fits the regular expression that they are."""
    if any(_plain(one) in said for one in word.split("|")):
        return True
    try:
        return re.search(word, said, re.IGNORECASE) is not None
    except re.error:
        return False  # plain words with a sign of an expression in them


def _bare(text: str) -> str:
    """Return words without the mark of a list before them and the marks after them."""
    return re.sub(r"^(?:[-*•]|\(?\d{1,2}[.)、])\s*", "", text).rstrip(" .;:,。；：，") or text


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
            held = [one for one in here if one.predicate and re.search(str(each["code"]), one.predicate, re.IGNORECASE)]
            right = any(not _failing(one, wanted["right"]) for one in held)
            tallies["predicates"].add(right, f"{name}: no predicate: {each['at']}", listed=not right)
            decides = any(one.is_checked and not _failing(one, wanted["right"]) for one in held)
            tallies["deciding"].add(decides, "", listed=False)
    for rule in rules:
        wrong = not any(fits(rule, each, text) for each in wanted["rules"])
        tallies["wrong"].add(wrong, f"{name}: wrong: {rule.text}", listed=wrong)
        if rule.predicate:
            failing = _failing(rule, wanted["right"])
            told = f"{name}: fails a right answer: {rule.predicate} | {failing[0][:60] if failing else ''}"
            tallies["tentative" if rule.tentative else "false"].add(bool(failing), told, listed=bool(failing))
    good = any(_plain(str(word)) in _plain(made.intent) for word in wanted["intent"])
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


def unsealed(paths: Sequence[Path], seal: Path) -> list[str]:
    """Return the names of the files whose sha256 the seal does not have."""
    known = seal.read_text(encoding="utf-8")
    return [path.name for path in paths if hashlib.sha256(path.read_bytes()).hexdigest() not in known]


def keep_row(results: Path, name: str, tallies: Mapping[str, Tally]) -> str:
    """Add a row below the last one of the table in the results; return it."""
    text = results.read_text(encoding="utf-8") if results.exists() else ""
    lines = text.split("\n") if text else ["# Prompts held out: what came out", "", *_HEAD, ""]
    opening = 1 + sum(line.startswith(f"| {name}, opening ") for line in lines)
    asked = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    when = f"{datetime.now(UTC):%Y-%m-%d}, commit {asked.stdout.strip() or 'unknown'}"
    none = tallies["none"]
    cells = [tallies[key].cell() for key in ("rules", "wrong", "predicates", "false", "inputs", "intents")]
    cells[2] += f"; {tallies['deciding'].hits} decide"
    cells[3] += f"; tentative {tallies['tentative'].cell()}"
    cells[4] += f"; none made for {none.hits} of {none.total}"
    row = f"| {name}, opening {opening} ({when}) | " + " | ".join(cells) + " |"
    last = max((at for at, line in enumerate(lines) if line.startswith("|")), default=-1)
    if last < 0:
        lines += [*_HEAD, ""]
        last = len(lines) - 2
    lines.insert(last + 1, row)
    results.write_text("\n".join(lines), encoding="utf-8")
    return row


_HEAD = (
    "| batch, opening | rules found | wrong rules | predicates found | predicates that fail a right answer | "
    "inputs on topic | usable intents |",
    "|---|---|---|---|---|---|---|",
)


def main() -> int:
    """Print the table; with ``--misses`` also what it counts; with ``--seal`` keep it in the results."""
    reader = argparse.ArgumentParser(prog="python -m benchmarks.prompt_rules", description=__doc__)
    reader.add_argument("folder", type=Path)
    reader.add_argument("--expected", type=Path, default=HERE / "dev.yaml")
    reader.add_argument("--misses", action="store_true")
    reader.add_argument("--seal", type=Path, help="the file with the sha256 of each file of a sealed batch")
    reader.add_argument("--results", type=Path, help="the file whose table gets the row of this opening")
    reader.add_argument("--name", help="what the row calls the batch; else the folder's name")
    asked = reader.parse_args()
    if (asked.seal is None) != (asked.results is None):
        reader.error("--seal and --results belong together: a sealed batch is opened on the record")
    expected = read_yaml(asked.expected.read_text(encoding="utf-8"), file=str(asked.expected))
    paths = {name: asked.folder / f"{name}.prompty" for name in expected}
    if asked.seal and (changed := unsealed([asked.expected, *paths.values()], asked.seal)):
        told = ", ".join(changed)
        print(f"not what {asked.seal} seals (no such sha256): {told}; nothing was measured", file=sys.stderr)
        return 2
    tallies = {
        "rules": Tally("rules found", "≥ 80 %"),
        "wrong": Tally("written rules that are wrong", "≤ 3 %"),
        "predicates": Tally("predicates found", "≥ 60 %"),
        "deciding": Tally("of these, not tentative", ""),
        "false": Tally("predicates that fail a right answer", "≤ 3 %"),
        "tentative": Tally("tentative predicates that a right answer breaks (in doubt, not failed)", ""),
        "inputs": Tally("inputs on topic", "≥ 90 %"),
        "none": Tally("prompts for which no input was made", ""),
        "intents": Tally("usable intents", "≥ 95 %"),
    }
    for name, wanted in expected.items():
        measure(name, load_prompt(paths[name]), wanted, tallies)
    print("| | must | measured | interval |\n|---|---|---|---|")
    print("\n".join(each.row() for each in tallies.values()))
    if asked.misses:
        print("\n".join(line for each in tallies.values() for line in each.said))
    if asked.results:
        keep_row(asked.results, asked.name or asked.folder.resolve().name, tallies)
    return 0


if __name__ == "__main__":
    sys.exit(main())
