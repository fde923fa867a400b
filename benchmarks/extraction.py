"""Rules that code alone finds in the eight sample prompts, beside what a careful reader expects.

``python -m benchmarks.extraction FOLDER`` prints a table; the folder holds the sample prompts of PromptPex, and
the expectation in ``expected_rules.yaml`` was written by hand before the extractor. Without a folder the prompts of
``prompts/`` are read, with the expectation in ``own_rules.yaml``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor.core.rule import Rule
from proctor.generate.extract import extract_rules
from proctor.prompts.load import load_prompt
from proctor.prompts.yaml_text import read_yaml
from proctor.text.predicates import parse

__all__ = ["Row", "compare", "table"]

EXPECTED = Path(__file__).with_name("expected_rules.yaml")
OWN = Path(__file__).with_name("own_rules.yaml")
OWN_PROMPTS = Path(__file__).with_name("prompts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One prompt: how many rules were expected, found, missed, found beyond, and how many have a predicate."""

    prompt: str
    expected: int
    found: int
    missed: tuple[str, ...]
    extra: tuple[str, ...]
    predicates_expected: int
    predicates_right: int
    predicates_wrong: tuple[str, ...]
    with_predicate: int
    rules: int


def _fits(rule: Rule, wanted: Mapping[str, Any], text: str) -> bool:
    """The rule stands where it was expected and speaks of the same."""
    place = " ".join(str(wanted["where"]).split())
    at = " ".join(text.split()).find(place)
    assert at >= 0, f"{place!r} is not in the prompt"
    quote = " ".join(rule.source.quote.split()) if rule.source else ""
    said = f"{rule.text} ".lower()
    near = (
        place in quote
        or quote in place
        or any(word in quote for word in [place[: len(place) // 2], place[len(place) // 2 :]])
    )
    return near and all(any(one in said for one in str(word).lower().split("|")) for word in wanted["words"])


def _same(one: str | None, other: str | Sequence[str | None] | None) -> bool:
    """Whether a predicate is the expected one, or one of those expected."""
    if other is not None and not isinstance(other, str):
        return any(_same(one, each) for each in other)
    if one is None or other is None:
        return one is other
    return parse(one) == parse(other)


def _needs_one(wanted: Mapping[str, Any]) -> bool:
    """Whether no judge will do for this rule."""
    found = wanted.get("predicate")
    return found is not None and (isinstance(found, str) or None not in found)


def compare(rules: Sequence[Rule], wanted: Sequence[Mapping[str, Any]], text: str, name: str) -> Row:
    """Pairs each expected rule with one that was found; the one with the same predicate first."""
    left = list(rules)
    missed: list[str] = []
    wrong: list[str] = []
    right = found = 0
    for each in sorted(wanted, key=lambda one: (one.get("predicate") is None, bool(one.get("optional")))):
        fitting = [rule for rule in left if _fits(rule, each, text)]
        best = next(
            (rule for rule in fitting if _same(rule.predicate, each.get("predicate"))), fitting[0] if fitting else None
        )
        if best is None:
            if not each.get("optional"):
                missed.append(str(each.get("text", each["where"])))
            continue
        left.remove(best)
        if each.get("optional"):
            continue
        found += 1
        if _same(best.predicate, each.get("predicate")):
            right += _needs_one(each)
        else:
            wrong.append(f"{each.get('text', each['where'])} expected {each.get('predicate')}, got {best.predicate}")
    needed = [each for each in wanted if not each.get("optional")]
    return Row(
        prompt=name,
        expected=len(needed),
        found=found,
        missed=tuple(missed),
        extra=tuple(rule.text for rule in left),
        predicates_expected=sum(map(_needs_one, needed)),
        predicates_right=right,
        predicates_wrong=tuple(wrong),
        with_predicate=sum(rule.predicate is not None for rule in rules),
        rules=len(rules),
    )


def rows(folder: Path, told: Path = EXPECTED) -> list[Row]:
    """One row for each prompt of the expectation."""
    expected = read_yaml(told.read_text(encoding="utf-8"), file=str(told))
    made = []
    for name, wanted in expected.items():
        prompt = load_prompt(folder / name)
        made.append(compare(extract_rules(prompt), wanted, prompt.text, Path(name).stem.partition(".")[0]))
    return made


def table(made: Sequence[Row]) -> str:
    """The rows as Markdown, with a sum."""
    lines = [
        "| prompt | expected | found | extra | with a predicate | predicates expected | of these right |",
        "|---|---|---|---|---|---|---|",
    ]
    totals = [0] * 6
    for row in made:
        figures = [
            row.expected,
            row.found,
            len(row.extra),
            row.with_predicate,
            row.predicates_expected,
            row.predicates_right,
        ]
        totals = [total + figure for total, figure in zip(totals, figures, strict=True)]
        lines.append(f"| {row.prompt} | " + " | ".join(map(str, figures)) + " |")
    lines.append("| **all** | " + " | ".join(f"**{total}**" for total in totals) + " |")
    return "\n".join(lines)


def main() -> None:
    """Prints the table, and under it what was missed, found beyond, or given another predicate."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("folder", type=Path, nargs="?", help="the folder with the sample prompts; without it, our own")
    folder = reader.parse_args().folder
    made = rows(folder) if folder else rows(OWN_PROMPTS, OWN)
    print(table(made))
    for row in made:
        for title, texts in (("missed", row.missed), ("extra", row.extra), ("predicate", row.predicates_wrong)):
            for text in texts:
                print(f"{row.prompt}: {title}: {text}")


if __name__ == "__main__":
    main()
