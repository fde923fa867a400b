"""Replays a recorded run of PromptPex: its non-compliance table to the digit, and what its judge let pass.

Run ``python -m benchmarks.recorded [--data DIR]``; the data is read from ``--data`` (default: ``$PROCTOR_DATA``, else
the folder ``shared/data`` beside this checkout), file ``promptpex/recorded/v1.jsonl.gz``: 8 prompts, 4 models, every
output with the verdict of the judge (gpt-4o). The published figures stand beside ours.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.table import Row, markdown
from proctor.text.predicates import parse

__all__ = ["Counted", "average", "counted", "main", "noncompliance", "read", "shown", "tallies"]

Recorded = Mapping[str, Any]
MODELS = ("gpt-4o-mini", "gemma2:9b", "qwen2.5:3b", "llama3.2:1b")
_HERE = Path(__file__).resolve()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """One predicate over the outputs of a prompt: how many it speaks about and how many break it, judged how."""

    outputs: int
    applies: int
    broken: int
    passed: int  # of the broken, by the judge


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claim:
    """A count that is on record, and the predicate that must give it."""

    prompt: str
    rule: str
    predicate: str
    broken: int | None = None
    passed: int | None = None


# Any case, attributes allowed, as the record defines its second reading.
_PARAGRAPH = r"/<p\b[^>]*>(.*?)<\/p>/is"
_PARAGRAPHS = rf"each {_PARAGRAPH}: count /<strong\b/i = 1 and count /<em\b/i >= 2"
CLAIMS = (
    _Claim(prompt="art-prompt", rule="at most 80 words", predicate="words <= 80", broken=93, passed=61),
    _Claim(prompt="art-prompt", rule="at most 90 words", predicate="words <= 90", broken=49, passed=24),
    _Claim(
        prompt="text-to-p",
        rule="each paragraph: one strong, two em (as fitted to the record)",
        predicate=r'when count "<p" >= 3: each /<p>(.*?)<\/p>/s: count "<strong>" = 1 and count "<em>" >= 2',
        broken=228,
        passed=116,
    ),
    _Claim(
        prompt="text-to-p",
        rule="the same, any case, attributes allowed",
        predicate=_PARAGRAPHS,
        broken=242,
        passed=114,
    ),
    _Claim(
        prompt="text-to-p",
        rule="the same, and there is a paragraph",
        predicate=f"count {_PARAGRAPH} >= 1 and ({_PARAGRAPHS})",
        broken=255,
        passed=114,
    ),
    _Claim(
        prompt="text-to-p",
        rule="the same, and there are three",
        predicate=f"count {_PARAGRAPH} >= 3 and ({_PARAGRAPHS})",
        broken=270,
        passed=114,
    ),
)
# Rules of the same prompts that nobody counted before.
OTHERS = (
    _Claim(prompt="art-prompt", rule="a single paragraph", predicate="paragraphs = 1"),
    _Claim(prompt="text-to-p", rule="at least three <p> tags", predicate='tags "p" >= 3'),
    _Claim(
        prompt="text-to-p",
        rule="each paragraph: one strong, two em",
        predicate='each "p": tags "strong" = 1 and tags "em" >= 2',
    ),
    _Claim(prompt="extract-names", rule="an array of names", predicate="is json array of strings"),
    _Claim(
        prompt="elements",
        rule="four fields, in order",
        predicate='fields in order "Company names:", "People names:", "Specific topics:", "General themes:"',
    ),
    _Claim(
        prompt="speech-tag",
        rule="only the tag",
        predicate='one of "CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS", "LS", "MD", "NN", "NNS", "NNP", '
        '"NNPS", "PDT", "POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO", "UH", "VB", "VBD", "VBG", "VBN", '
        '"VBP", "VBZ", "WDT", "WP", "WP$", "WRB", "Unknown", "CantAnswer"',
    ),
)
# Which rows, whether each prompt's rate is rounded before the mean, and the means on record.
TABLE: tuple[tuple[str, Callable[[Recorded], bool], bool, tuple[str, ...]], ...] = (
    (
        "PromptPex tests",
        lambda row: row["reported"] and not row["baseline"],
        True,
        ("8.250", "13.000", "27.750", "51.375"),
    ),
    ("baseline tests", lambda row: row["reported"] and row["baseline"], True, ("1.125", "11.375", "16.375", "49.875")),
    (
        "PromptPex tests, rates not rounded",
        lambda row: row["reported"] and not row["baseline"],
        False,
        ("8.508", "12.843", "27.749", "51.455"),
    ),
    (
        "baseline tests, rates not rounded",
        lambda row: row["reported"] and row["baseline"],
        False,
        ("1.191", "11.548", "16.365", "49.814"),
    ),
    (
        "tests of rules",
        lambda row: row["reported"] and not row["baseline"] and not row["inverse"],
        False,
        ("8.036", "4.464", "24.107", "47.793"),
    ),
    (
        "tests of inverse rules",
        lambda row: row["reported"] and not row["baseline"] and row["inverse"],
        False,
        ("9.003", "21.404", "31.597", "55.208"),
    ),
    (
        "PromptPex tests, unreported ones too",
        lambda row: not row["baseline"],
        True,
        ("9.000", "14.875", "27.125", "55.625"),
    ),
)


def read(data: Path) -> tuple[list[Recorded], list[Recorded]]:
    """The recorded outputs, and the rules of each prompt."""
    folder = data / "promptpex" / "recorded"
    with gzip.open(folder / "v1.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return rows, [json.loads(line) for line in (folder / "specs_v1.jsonl").read_text(encoding="utf-8").splitlines()]


def tallies(rows: Sequence[Recorded], specs: Sequence[Recorded]) -> list[tuple[str, str, str]]:
    """Plain counts, each with the figure on record."""
    left_out = Counter(row["prompt"] for row in rows if not row["reported"])
    tests = {(row["prompt"], row["id"]): row["validity"] for row in rows if row["reported"] and not row["baseline"]}
    rules = [rule["grounded"] for spec in specs for rule in spec["grounded"]]
    return [
        ("outputs", f"{len(rows):,}", "3,156"),
        ("in the published tables", f"{sum(row['reported'] for row in rows):,}", "2,576"),
        (
            "left out: elements, classify-input-text, extract-names",
            " / ".join(str(left_out[name]) for name in ("elements", "classify-input-text", "extract-names")),
            "380 / 192 / 8",
        ),
        ("without a verdict", str(sum(row["compliance"] == "unknown" for row in rows)), "3"),
        ("valid tests", f"{sum(valid == 'ok' for valid in tests.values())} of {len(tests)}", "240 of 321"),
        ("grounded rules", f"{sum(found == 'ok' for found in rules)} of {len(rules)}", "48 of 54"),
    ]


def noncompliance(rows: Iterable[Recorded], *, rounded: bool) -> dict[str, dict[str, Fraction]]:
    """For each model and prompt, in percent, what the judge did not pass; an unknown verdict is not a pass."""
    seen: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for row in rows:
        seen[row["model"], row["prompt"]].append(row["compliance"] == "ok")
    found: dict[str, dict[str, Fraction]] = defaultdict(dict)
    for (model, prompt), passed in seen.items():
        rate = Fraction(100 * sum(passed), len(passed))
        found[model][prompt] = 100 - (Fraction(int(rate + Fraction(1, 2))) if rounded else rate)
    return found


def average(rates: Mapping[str, Fraction]) -> Fraction:
    """The mean over prompts, each with the same weight."""
    return sum(rates.values(), Fraction(0)) / len(rates)


def shown(value: Fraction, digits: int = 3) -> str:
    """A number with so many digits, halves rounded up."""
    whole = int(value * 10**digits + Fraction(1, 2))
    return f"{whole // 10**digits}.{whole % 10**digits:0{digits}d}" if digits else str(whole)


def counted(rows: Iterable[Recorded], prompt: str, predicate: str) -> Counted:
    """What the predicate says about the outputs of a prompt, and what the judge said of those that break it."""
    rule = parse(predicate)
    mine = [row for row in rows if row["prompt"] == prompt]
    found = [(rule.check(row["output"], {"input": row["input"]}).ok, row) for row in mine]
    broken = [row for ok, row in found if ok is False]
    return Counted(
        outputs=len(mine),
        applies=sum(ok is not None for ok, _ in found),
        broken=len(broken),
        passed=sum(row["compliance"] == "ok" for row in broken),
    )


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    set_by = os.environ.get("PROCTOR_DATA")  # noqa: TID251 - not the program
    ask.add_argument("--data", type=Path, default=set_by or _HERE.parents[2] / "shared" / "data")
    options = ask.parse_args()
    rows, specs = read(options.data)
    tallied = [
        Row(measure=name, bound=known, kept=found == known, figures={"found": found})
        for name, found, known in tallies(rows, specs)
    ]
    print(markdown(tallied, ("found",)), end="\n\n")
    print(markdown(_table(rows), MODELS))
    print()
    print(_by_prompt(rows))
    print()
    print(markdown(_claims(rows, CLAIMS), ("outputs", "it speaks about", "broken", "of these the judge passed")))
    print()
    print(markdown(_claims(rows, OTHERS), ("outputs", "it speaks about", "broken", "of these the judge passed")))


def _table(rows: Sequence[Recorded]) -> list[Row]:
    found = []
    for name, wanted, rounded, published in TABLE:
        rates = noncompliance((row for row in rows if wanted(row)), rounded=rounded)
        # The figures on record were rounded to four digits before they were to three: 12.84245 became 12.843.
        figures = {model: shown(Fraction(shown(average(rates[model]), 4))) for model in MODELS}
        same = tuple(figures[model] for model in MODELS) == published
        found.append(Row(measure=f"non-compliance %, {name}", bound=" / ".join(published), kept=same, figures=figures))
    return found


def _by_prompt(rows: Sequence[Recorded]) -> str:
    rates = noncompliance((row for row in rows if row["reported"] and not row["baseline"]), rounded=True)
    lines = ["| non-compliance % | " + " | ".join(MODELS) + " |", "|---" * (len(MODELS) + 1) + "|"]
    for prompt in sorted(rates[MODELS[0]]):
        lines.append(f"| {prompt} | " + " | ".join(shown(rates[model][prompt], 0) for model in MODELS) + " |")
    lines.append("| **average** | " + " | ".join(shown(average(rates[model]), 1) for model in MODELS) + " |")
    return "\n".join(lines)


def _claims(rows: Sequence[Recorded], claims: Iterable[_Claim]) -> list[Row]:
    found = []
    for claim in claims:
        count = counted(rows, claim.prompt, claim.predicate)
        figures = {
            "outputs": str(count.outputs),
            "it speaks about": str(count.applies),
            "broken": str(count.broken),
            "of these the judge passed": str(count.passed),
        }
        known = claim.broken is not None
        same = (count.broken, count.passed) == (claim.broken, claim.passed) if known else None
        bound = f"{claim.broken} / {claim.passed}" if known else ""
        found.append(Row(measure=f"{claim.prompt}: {claim.rule}", bound=bound, kept=same, figures=figures))
    return found


if __name__ == "__main__":
    main()
