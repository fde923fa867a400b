"""The figures that the ablation measures: public data, how it is read, and the counts that a figure is made of.

A measure gives one row of counts for each row of data, so that rows can be drawn again for an interval. Answers of
networks are remembered by what was asked: a heuristic that is off costs only what it changes.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import zlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tests.text.normalise.encoders import CASELESS, ENCODERS

from benchmarks import extraction, human_ratings, normalise, pii
from proctor.generate.extract import extract_rules
from proctor.lexicon.customer_signs import displeased
from proctor.prompts.load import load_prompt
from proctor.prompts.yaml_text import read_yaml
from proctor.scorers.answer.factual_accuracy import FactualAccuracy
from proctor.scorers.answer.quality_parts.grammar import score_grammar
from proctor.scorers.answer.relevance import Relevance
from proctor.text.facts import compare, prepare
from proctor.text.normalise import normalise as make_plain
from proctor.text.pii import find_pii
from proctor.wiring.local_models import local_model

__all__ = [
    "SEED",
    "TEXT_MEASURES",
    "Counts",
    "Measure",
    "balanced",
    "confusion",
    "f1",
    "lines",
    "model",
    "quiet_share",
    "sample",
]

Counts = npt.NDArray[np.float64]
SEED = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Data, the modules whose heuristics should earn something on it, and how that is counted."""

    data: str
    modules: tuple[str, ...]
    load: Callable[[Path], Sequence[Any]]
    count: Callable[[Sequence[Any]], Awaitable[Counts]]
    figures: Mapping[str, Callable[[Counts], Counts]]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Remembered:
    """A network that is asked the same thing once."""

    def __init__(self, name: str) -> None:
        self._model = local_model(name)
        self._known: dict[tuple[str, Any], Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    async def _ask(self, verb: str, asked: Sequence[Any]) -> list[Any]:
        new = [each for each in dict.fromkeys(asked) if (verb, each) not in self._known]
        for at in range(0, len(new), 64):
            some = new[at : at + 64]
            for each, answer in zip(some, await getattr(self._model, verb)(some), strict=True):
                self._known[verb, each] = answer
        return [self._known[verb, each] for each in asked]

    async def entails(self, pairs: Sequence[tuple[str, str]]) -> Any:
        return await self._ask("entails", [tuple(pair) for pair in pairs])

    async def supports(self, pairs: Sequence[tuple[str, str]]) -> Any:
        return await self._ask("supports", [tuple(pair) for pair in pairs])

    async def embed(self, texts: Sequence[str]) -> Any:
        return await self._ask("embed", list(texts))

    async def classify(self, texts: Sequence[str]) -> Any:
        return await self._ask("classify", list(texts))


_MODELS: dict[str, Remembered] = {}


def model(name: str) -> Any:
    """The local model of this name, one for all measures."""
    return _MODELS.setdefault(name, Remembered(name)) if name not in _MODELS else _MODELS[name]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def sample(rows: Sequence[Any], most: int, seed: int = SEED) -> list[Any]:
    """At most so many rows, the same for the same seed."""
    return random.Random(seed).sample(list(rows), min(most, len(rows)))


def confusion(wanted: bool, said: bool) -> list[float]:
    """Hit, miss, false alarm, rightly quiet."""
    return [
        float(wanted and said),
        float(wanted and not said),
        float(said and not wanted),
        float(not wanted and not said),
    ]


def balanced(counts: Counts) -> Counts:
    """The mean of the shares of both classes that are told."""
    hit, miss, alarm, quiet = counts.T
    share: Counts = (hit / np.maximum(1, hit + miss) + quiet / np.maximum(1, alarm + quiet)) / 2
    return share


def quiet_share(counts: Counts) -> Counts:
    """How many of the honest rows raise no alarm."""
    _, _, alarm, quiet = counts.T
    share: Counts = quiet / np.maximum(1, alarm + quiet)
    return share


def f1(counts: Counts) -> Counts:
    """The harmonic mean of precision and recall."""
    hit, miss, alarm = counts.T[:3]
    share: Counts = 2 * hit / np.maximum(1, 2 * hit + miss + alarm)
    return share


def _extraction_rows(data: Path) -> list[tuple[Any, Any]]:
    found = []
    for folder, told in (
        (data / "promptpex" / "samples", extraction.EXPECTED),
        (extraction.OWN_PROMPTS, extraction.OWN),
    ):
        for name, wanted in read_yaml(told.read_text(encoding="utf-8"), file=str(told)).items():
            found.append((load_prompt(folder / name), wanted))
    known = {Path(prompt.name).stem for prompt, _ in found}
    samples = sorted((data / "promptpex" / "samples").rglob("*.prompty"))
    return found + [(load_prompt(path), None) for path in samples if path.stem not in known]


async def _extraction(rows: Sequence[tuple[Any, Any]]) -> Counts:
    """The last count is a fingerprint of the rules: prompts without an expectation show whether anything changes."""
    made = []
    for prompt, wanted in rows:
        rules = extract_rules(prompt)
        mark = zlib.crc32("\n".join(f"{rule.text} {rule.predicate}" for rule in rules).encode())
        row = extraction.compare(rules, wanted or (), prompt.text, prompt.name)
        right = row.predicates_right
        extra = len(row.extra) if wanted is not None else 0
        made.append([row.found, len(row.missed), extra, right, row.predicates_expected - right, mark])
    return np.array(made, float)


def _hidden_rows(data: Path) -> list[tuple[str, str]]:
    attacks = [
        plain
        for row in normalise._rows(data, label=1)
        if len(row["text"]) < 400 and row["lang"] == "en" and (plain := make_plain(row["text"]).plain).isascii()
    ]
    ways = list((ENCODERS | CASELESS).values())
    found = [(text, way(text)) for text in sample(attacks, 20) for way in ways]
    honest = [text for _, _, text in normalise._support(data)]
    honest += [row["text"] for row in normalise._rows(data, label=0) if len(row["text"]) < 1000]
    return found + [("", text) for text in sample(honest, 800)]


async def _hidden(rows: Sequence[tuple[str, str]]) -> Counts:
    read = normalise._readers()["proctor"]
    made = []
    for text, given in rows:
        if text:
            found = normalise._recovers(read, text, given)
            made.append(confusion(True, found))
        else:
            made.append(confusion(False, len(read(given)) > 1))
    return np.array(made)


def _pii_rows(data: Path) -> list[pii.Row]:
    marked = pii._sampled(list(pii.rows(data / "pii")), "kept", 250)
    support = [pii.Row("support", text, ()) for _, text in pii._support(data)]
    return marked + sample(support, 1500)


async def _pii(rows: Sequence[pii.Row]) -> Counts:
    made = []
    for row in rows:
        found = [(each.start or 0, each.end or 0, each.kind) for each in find_pii(row.text)]
        told = pii.tally([row], [found])
        kinds = [kind for kind in told.marked if kind not in pii._NAMES or kind == "address"]
        hit = sum(told.typed[kind] for kind in kinds)
        made.append([hit, sum(told.marked[kind] for kind in kinds) - hit, told.told.total() - told.right.total()])
    return np.array(made, float)


def _grounding_rows(data: Path) -> list[tuple[human_ratings.Item, bool]]:
    short = [row for row in lines(data / "grounding" / "train.jsonl.gz") if len(row["context"]) < 1500]
    by_label = [sample([row for row in short if row["label"] == label], 150) for label in (0, 1)]
    return [
        (
            human_ratings.Item(asked=row.get("question") or "", said=row["response"], source=row["context"]),
            bool(row["label"]),
        )
        for some in by_label
        for row in some
    ]


async def _grounding(rows: Sequence[tuple[human_ratings.Item, bool]]) -> Counts:
    scorer = FactualAccuracy(entailer=model("entailer"), grounder=model("grounder"), catalogue=None, judge=None)
    made = []
    for item, supported in rows:
        value = (await scorer.score(item.case, item.run)).value
        made.append(confusion(not supported, value is not None and value < 0.6))
    return np.array(made)


def _grammar_rows(data: Path) -> list[tuple[str, str, bool]]:
    found = []
    for row in lines(data / "grammar" / "jfleg" / "test.jsonl.gz"):
        if row["corrections"] and row["source"].strip() not in row["corrections"]:
            # The texts are cut into tokens; a space before a full stop is nobody's slip.
            bad, good = (re.sub(r"\s+([.,;!?])", r"\1", text) for text in (row["source"], row["corrections"][0]))
            found.append((bad, good, False))
    for name in (
        "cola/out_of_domain_dev",
        "cola/in_domain_dev",
        "ja_jcola/in_domain_valid",
        "ja_jcola/out_of_domain_valid",
    ):
        rows = list(lines(data / "grammar" / f"{name}.jsonl.gz"))
        wrong, right = ([row["sentence"] for row in rows if row["label"] == label] for label in (0, 1))
        found += list(zip(sample(wrong, 250), sample(right, 250), [True] * 250, strict=False))
    return found


async def _grammar(rows: Sequence[tuple[str, str, bool]]) -> Counts:
    made = []
    for bad, good, _ in rows:
        low, high = (score_grammar(text, checker="own").value or 0.0 for text in (bad, good))
        made.append([float(low < high), float(low > high), 1.0])
    return np.array(made)


def _relevance_rows(data: Path) -> list[tuple[human_ratings.Item, human_ratings.Item, int]]:
    return [pair for pairs in human_ratings.paired(data).values() for pair in sample(pairs, 120)]


async def _relevance(rows: Sequence[tuple[human_ratings.Item, human_ratings.Item, int]]) -> Counts:
    scorer = Relevance(embedder=model("embedder"), catalogue=None, judge=None)
    made = []
    for one, other, better in rows:
        values = [(await scorer.score(item.case, item.run)).value or 0.0 for item in (one, other)]
        best, worst = values[better], values[1 - better]
        made.append([float(best > worst), float(worst > best), 1.0])
    return np.array(made)


def _preferred(counts: Counts) -> Counts:
    """How often the better of two has more; a tie counts half."""
    right, wrong, rows = counts.T
    share: Counts = 0.5 + (right - wrong) / (2 * np.maximum(1, rows))
    return share


def _tweet_rows(data: Path) -> list[tuple[str, bool]]:
    found = []
    for path in sorted((data / "sentiment" / "airline_tweets").glob("*.jsonl.gz")):
        found += [(row["text"], row["label"] == "negative") for row in lines(path) if row["label"] != "neutral"]
    return [each for wanted in (True, False) for each in sample([one for one in found if one[1] is wanted], 1500)]


async def _tweets(rows: Sequence[tuple[str, bool]]) -> Counts:
    return np.array([confusion(angry, displeased(text) is not None) for text, angry in rows])


def _fact_rows(data: Path) -> list[tuple[str, str, str]]:
    found = []
    for row in lines(data / "nli" / "dev.jsonl.gz"):
        if row["lang"] in ("en", "ja") and row["label"] in ("entailment", "contradiction", "neutral"):
            found.append((row["premise"], row["hypothesis"], row["label"]))
    return sample([row for row in found if any(map(str.isdigit, row[1]))], 1200) + sample(found, 800)


async def _facts(rows: Sequence[tuple[str, str, str]]) -> Counts:
    """Stated must be entailed and conflict must be a contradiction; what is left open counts for nothing."""
    made = []
    for premise, fact, label in rows:
        verdict = compare(fact, prepare(premise)).verdict
        said = {"stated": "entailment", "conflict": "contradiction"}.get(verdict)
        right = said == label
        made.append([float(right), float(label != "neutral" and not right), float(said is not None and not right)])
    return np.array(made)


_PARTS = "proctor.scorers.answer.quality_parts."
_QUANTITIES = ("proctor.text.quantities", "proctor.text.numbers", "proctor.text.dates", "proctor.text.content_words")
TEXT_MEASURES: Mapping[str, Measure] = {
    "extraction": Measure(
        data="promptpex/samples with expected_rules.yaml, benchmarks/prompts with own_rules.yaml",
        modules=("proctor.generate.extract",),
        load=_extraction_rows,
        count=_extraction,
        figures={
            "F1 of rules": f1,
            "predicates right": lambda counts: counts.T[3] / np.maximum(1, counts.T[3] + counts.T[4]),
        },
    ),
    "hidden": Measure(
        data="injection/test, its attacks hidden in every way of tests/text/normalise/encoders.py; intent/*",
        modules=("proctor.text.normalise", "proctor.text.normalise.decoders"),
        load=_hidden_rows,
        count=_hidden,
        figures={"balanced accuracy": balanced},
    ),
    "pii": Measure(
        data="pii/*, intent/*",
        modules=("proctor.text.pii", "proctor.text.pii.national"),
        load=_pii_rows,
        count=_pii,
        figures={"F1": f1},
    ),
    "grounding": Measure(
        data="grounding/train",
        modules=(
            f"{_PARTS}claim_checks",
            f"{_PARTS}source_passages",
            f"{_PARTS}support",
            "proctor.text.facts",
            "proctor.text.claims",
            *_QUANTITIES,
        ),
        load=_grounding_rows,
        count=_grounding,
        figures={"balanced accuracy": balanced},
    ),
    "facts": Measure(
        data="nli/dev, English and Japanese",
        modules=("proctor.text.facts", *_QUANTITIES, "proctor.text.money", "proctor.text.split"),
        load=_fact_rows,
        count=_facts,
        figures={"F1": f1},
    ),
    "grammar": Measure(
        data="grammar/jfleg, cola, ja_jcola",
        modules=("proctor.text.english", "proctor.text.japanese", "proctor.text.answer_format", "proctor.text.script"),
        load=_grammar_rows,
        count=_grammar,
        figures={"preferred": _preferred},
    ),
    "relevance": Measure(
        data="quality/llmbar, pandalm, autoj",
        modules=(f"{_PARTS}topic", f"{_PARTS}context", f"{_PARTS}prior_turns"),
        load=_relevance_rows,
        count=_relevance,
        figures={"preferred": _preferred},
    ),
    "anger": Measure(
        data="sentiment/airline_tweets",
        modules=("proctor.lexicon.customer_signs",),
        load=_tweet_rows,
        count=_tweets,
        figures={"balanced accuracy": balanced},
    ),
}
