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

from benchmarks import contradiction, extraction, human_ratings, normalise, pii
from benchmarks.agent_rows import agent_cases, tau_cases
from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.trajectory import Trajectory, Turn
from proctor.guard.gates.injection import Injection
from proctor.guard.step import Step
from proctor.prompts.load import load_prompt
from proctor.prompts.yaml_text import read_yaml
from proctor.scorers.answer.factual_accuracy import FactualAccuracy
from proctor.scorers.answer.quality_parts.grammar import score_grammar
from proctor.scorers.answer.relevance import Relevance
from proctor.scorers.conversation.cross_turn import CrossTurn
from proctor.scorers.safety.injection_followed import InjectionFollowed
from proctor.text.customer_signs import displeased
from proctor.text.facts import compare, prepare
from proctor.text.pii import find_pii
from proctor.wiring.local_models import local_model

__all__ = ["MEASURES", "Counts", "Measure"]

Counts = npt.NDArray[np.float64]
_SEED = 18


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


def _model(name: str) -> Any:
    return _MODELS.setdefault(name, Remembered(name)) if name not in _MODELS else _MODELS[name]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _some(rows: Sequence[Any], most: int, seed: int = _SEED) -> list[Any]:
    return random.Random(seed).sample(list(rows), min(most, len(rows)))


def _confusion(wanted: bool, said: bool) -> list[float]:
    """Hit, miss, false alarm, rightly quiet."""
    return [
        float(wanted and said),
        float(wanted and not said),
        float(said and not wanted),
        float(not wanted and not said),
    ]


def _balanced(counts: Counts) -> Counts:
    hit, miss, alarm, quiet = counts.T
    return (hit / np.maximum(1, hit + miss) + quiet / np.maximum(1, alarm + quiet)) / 2


def _quiet(counts: Counts) -> Counts:
    _, _, alarm, quiet = counts.T
    return quiet / np.maximum(1, alarm + quiet)


def _f1(counts: Counts) -> Counts:
    hit, miss, alarm = counts.T[:3]
    return 2 * hit / np.maximum(1, 2 * hit + miss + alarm)


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
        rules = extraction.extract_rules(prompt)
        mark = zlib.crc32("\n".join(f"{rule.text} {rule.predicate}" for rule in rules).encode())
        row = extraction.compare(rules, wanted or (), prompt.text, prompt.name)
        right = row.predicates_right
        extra = len(row.extra) if wanted is not None else 0
        made.append([row.found, len(row.missed), extra, right, row.predicates_expected - right, mark])
    return np.array(made, float)


def _dialogue(*said: str) -> tuple[Case, Trajectory]:
    turns = tuple(
        Turn(messages=(Message(role="user", content="Go on."), Message(role="assistant", content=each)))
        for each in said
    )
    return Case(id="pair", input="Go on."), Trajectory(turns=turns)


def _contradiction_rows(data: Path) -> list[tuple[Case, Trajectory, bool]]:
    """Pairs of turns, whole conversations that nobody found fault with, and some of these with a number told anew."""
    pairs = list(contradiction._pairs(data, 100, random.Random(_SEED)))
    found = [(*_dialogue(one, two), kind == "DECODE") for one, two, kind in pairs]
    talks = [case for case in _some(list(tau_cases(data)), 60) if case.recorded is not None]
    found += [(case, case.recorded, False) for case in talks]
    for name in ("mwoz", "sgd"):
        rows = [_told(row["turns"]) for row in _lines(data / "satisfaction" / "uss" / f"{name}.jsonl.gz")]
        found += [(*row, False) for row in _some(rows, 40)]
        changed = [(case, other) for case, run in rows if (other := _told_anew(run)) is not None]
        found += [(*row, True) for row in _some(changed, 60)]
    return found


def _told_anew(run: Trajectory) -> Trajectory | None:
    """The conversation, and at its end one of its statements again with another number."""
    for turn in run.turns:
        answer = turn.messages[-1].content
        for sentence in re.split(r"(?<=[.!?])\s+", answer):
            number = re.search(
                r"(?<![\w:.,$-])\d{1,3}(?= (?:dollars?|pounds?|minutes?|days?|hours?|stars?|degrees)\b)", sentence
            )
            if number is not None and len(sentence.split()) > 5 and not sentence.endswith("?"):
                other = sentence[: number.start()] + str(int(number.group()) + 7) + sentence[number.end() :]
                said = (
                    Message(role="user", content="Can you say that again?"),
                    Message(role="assistant", content=other),
                )
                return Trajectory(turns=(*run.turns, Turn(messages=said)))
    return None


def _told(said: Sequence[Mapping[str, str]]) -> tuple[Case, Trajectory]:
    turns: list[Turn] = []
    asked = "Hello."
    for each in said:
        if each["role"] == "USER":
            asked = each["text"] or asked
        else:
            pair = (Message(role="user", content=asked), Message(role="assistant", content=each["text"]))
            turns.append(Turn(messages=pair))
    return Case(id="talk", input=asked), Trajectory(turns=tuple(turns))


async def _contradictions(rows: Sequence[tuple[Case, Trajectory, bool]]) -> Counts:
    scorer = CrossTurn(entailer=_model("entailer"), embedder=_model("embedder"))
    return np.array([_confusion(wanted, (await scorer.score(case, run)).value == 0.0) for case, run, wanted in rows])


def _followed_rows(data: Path) -> list[Case]:
    known = [
        case for case in agent_cases("agentdyn_runs", "agentdojo", data) if case.metadata.get("security") is not None
    ]
    return [case for wanted in (True, False) for case in _some([one for one in known if _reached(one) is wanted], 130)]


def _reached(case: Case) -> bool:
    return bool(case.metadata["security"]) and case.metadata.get("injection_task") not in (None, "none")


async def _followed(rows: Sequence[Case]) -> Counts:
    scorer = InjectionFollowed()
    made = []
    for case in rows:
        score = await scorer.score(case, case.recorded or Trajectory())
        made.append(_confusion(_reached(case), score.value == 0.0))
    return np.array(made)


def _injection_rows(data: Path) -> list[tuple[str, str, bool]]:
    test = list(_lines(data / "injection" / "test.jsonl.gz"))
    found = []
    for label in (1, 0):
        for row in _some([row for row in test if row["label"] == label and len(row["text"]) < 3000], 350):
            point = "tool_result" if row["src"] in ("bipia_attack", "bipia_ctx") else "input"
            found.append((row["text"], point, bool(label)))
    hidden = list(_lines(data / "injection_general" / "indirect.jsonl.gz"))
    for label in (1, 0):
        some = _some([row for row in hidden if row["label"] == label and len(row["text"]) < 2000], 120)
        found += [(row["text"], "tool_result", bool(label)) for row in some]
    return found


async def _injection(rows: Sequence[tuple[str, Any, bool]]) -> Counts:
    gate = Injection(injection=_model("injection"))
    made = []
    for text, point, wanted in rows:
        verdict = await gate.check(Step(point=point, text=text))
        made.append(_confusion(wanted, verdict.action != "allow"))
    return np.array(made)


def _hidden_rows(data: Path) -> list[tuple[str, str]]:
    attacks = [
        plain
        for row in normalise._rows(data, label=1)
        if len(row["text"]) < 400
        and row["lang"] == "en"
        and (plain := normalise.normalise(row["text"]).plain).isascii()
    ]
    ways = list((ENCODERS | CASELESS).values())
    found = [(text, way(text)) for text in _some(attacks, 20) for way in ways]
    honest = [text for _, _, text in normalise._support(data)]
    honest += [row["text"] for row in normalise._rows(data, label=0) if len(row["text"]) < 1000]
    return found + [("", text) for text in _some(honest, 800)]


async def _hidden(rows: Sequence[tuple[str, str]]) -> Counts:
    read = normalise._readers()["proctor"]
    made = []
    for text, given in rows:
        if text:
            found = normalise._recovers(read, text, given)
            made.append(_confusion(True, found))
        else:
            made.append(_confusion(False, len(read(given)) > 1))
    return np.array(made)


def _pii_rows(data: Path) -> list[pii.Row]:
    marked = pii._sampled(list(pii.rows(data / "pii")), "kept", 250)
    support = [pii.Row("support", text, ()) for _, text in pii._support(data)]
    return marked + _some(support, 1500)


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
    short = [row for row in _lines(data / "grounding" / "train.jsonl.gz") if len(row["context"]) < 1500]
    by_label = [_some([row for row in short if row["label"] == label], 150) for label in (0, 1)]
    return [
        (
            human_ratings.Item(asked=row.get("question") or "", said=row["response"], source=row["context"]),
            bool(row["label"]),
        )
        for some in by_label
        for row in some
    ]


async def _grounding(rows: Sequence[tuple[human_ratings.Item, bool]]) -> Counts:
    scorer = FactualAccuracy(entailer=_model("entailer"), grounder=_model("grounder"), catalogue=None, judge=None)
    made = []
    for item, supported in rows:
        value = (await scorer.score(item.case, item.run)).value
        made.append(_confusion(not supported, value is not None and value < 0.6))
    return np.array(made)


def _grammar_rows(data: Path) -> list[tuple[str, str, bool]]:
    found = []
    for row in _lines(data / "grammar" / "jfleg" / "test.jsonl.gz"):
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
        rows = list(_lines(data / "grammar" / f"{name}.jsonl.gz"))
        bad, good = ([row["sentence"] for row in rows if row["label"] == label] for label in (0, 1))
        found += list(zip(_some(bad, 250), _some(good, 250), [True] * 250, strict=False))
    return found


async def _grammar(rows: Sequence[tuple[str, str, bool]]) -> Counts:
    made = []
    for bad, good, _ in rows:
        low, high = (score_grammar(text, checker="own").value or 0.0 for text in (bad, good))
        made.append([float(low < high), float(low > high), 1.0])
    return np.array(made)


def _relevance_rows(data: Path) -> list[tuple[human_ratings.Item, human_ratings.Item, int]]:
    return [pair for pairs in human_ratings.paired(data).values() for pair in _some(pairs, 120)]


async def _relevance(rows: Sequence[tuple[human_ratings.Item, human_ratings.Item, int]]) -> Counts:
    scorer = Relevance(embedder=_model("embedder"), catalogue=None, judge=None)
    made = []
    for one, other, better in rows:
        values = [(await scorer.score(item.case, item.run)).value or 0.0 for item in (one, other)]
        best, worst = values[better], values[1 - better]
        made.append([float(best > worst), float(worst > best), 1.0])
    return np.array(made)


def _preferred(counts: Counts) -> Counts:
    """How often the better of two has more; a tie counts half."""
    right, wrong, rows = counts.T
    return 0.5 + (right - wrong) / (2 * np.maximum(1, rows))


def _tweet_rows(data: Path) -> list[tuple[str, bool]]:
    found = []
    for path in sorted((data / "sentiment" / "airline_tweets").glob("*.jsonl.gz")):
        found += [(row["text"], row["label"] == "negative") for row in _lines(path) if row["label"] != "neutral"]
    return [each for wanted in (True, False) for each in _some([one for one in found if one[1] is wanted], 1500)]


async def _tweets(rows: Sequence[tuple[str, bool]]) -> Counts:
    return np.array([_confusion(angry, displeased(text) is not None) for text, angry in rows])


def _fact_rows(data: Path) -> list[tuple[str, str, str]]:
    found = []
    for row in _lines(data / "nli" / "dev.jsonl.gz"):
        if row["lang"] in ("en", "ja") and row["label"] in ("entailment", "contradiction", "neutral"):
            found.append((row["premise"], row["hypothesis"], row["label"]))
    return _some([row for row in found if any(map(str.isdigit, row[1]))], 1200) + _some(found, 800)


async def _facts(rows: Sequence[tuple[str, str, str]]) -> Counts:
    """Stated must be entailed and conflict must be a contradiction; what is left open counts for nothing."""
    made = []
    for premise, fact, label in rows:
        verdict = compare(fact, prepare(premise)).verdict
        said = {"stated": "entailment", "conflict": "contradiction"}.get(verdict)
        right = said == label
        made.append([float(right), float(label != "neutral" and not right), float(said is not None and not right)])
    return np.array(made)


_TALK = "proctor.scorers.conversation."
_PARTS = "proctor.scorers.answer.quality_parts."
_QUANTITIES = ("proctor.text.quantities", "proctor.text.numbers", "proctor.text.dates", "proctor.text.content_words")
MEASURES: Mapping[str, Measure] = {
    "extraction": Measure(
        data="promptpex/samples with expected_rules.yaml, benchmarks/prompts with own_rules.yaml",
        modules=("proctor.generate.extract",),
        load=_extraction_rows,
        count=_extraction,
        figures={
            "F1 of rules": _f1,
            "predicates right": lambda counts: counts.T[3] / np.maximum(1, counts.T[3] + counts.T[4]),
        },
    ),
    "contradiction": Measure(
        data="contradiction/decode_pairs, quality/topicalchat_usr, satisfaction/uss, agents/tau_bench",
        modules=(
            *(f"{_TALK}cross_turn_{name}" for name in ("apart", "exact", "news", "pairs", "reading", "said")),
            f"{_TALK}cross_turn_things",
            f"{_TALK}cross_turn_wording",
            "proctor.text.claim_conflicts",
            "proctor.text.comparable_claims",
        ),
        load=_contradiction_rows,
        count=_contradictions,
        figures={"balanced accuracy": _balanced, "quiet on honest talk": _quiet},
        groups={
            "things that statements name": (
                "apart:other_things = False",
                "apart:other_names = False",
                "apart:other_questions = False",
                "apart:same_thing = False",
            ),
            "one word for what goes by several": ("cross_turn_wording:said_plainly", "cross_turn_wording:plain_words"),
            "denials beside the network": ("reading:turned_round = False",),
            "news": ("news:News.excuse",),
            "news by the user": ("news:News._told_by_user",),
            "news by a tool": ("news:News._told_by_tool",),
            "open corrections": ("news:corrects = False",),
            "another case asked about": ("news:_other_case",),
            "sums that follow from others": ("exact:derived = False", "exact:_sums = False"),
            "tiers, directions and conditions": (
                "exact:_tiers = False",
                "exact:_other_way = False",
                "exact:same_condition = True",
                "exact:_PART",
            ),
            "differs in two figures": ("exact:_variants = False",),
            "the same rule with another number": ("exact:_one_rule = False",),
            "yes against no": ("exact:opposite_answers",),
            "other subjects": ("claim_conflicts:apart = False",),
            "special forms and contrasts": (
                "claim_conflicts:_contrasted = False",
                "claim_conflicts:_other_subject = False",
                "claim_conflicts:_forms",
            ),
            "conflicts by a number": ("claim_conflicts:conflict",),
            "processes": ("comparable_claims:_PROCESS",),
            "changes": ("comparable_claims:_CHANGED", "said:_HAPPENED"),
            "kinds of numbers": ("comparable_claims:_kinds",),
            "names": ("comparable_claims:_names", "comparable_claims:_codes"),
            "two things, conditions, prose": ("reading:_two_things = False", "reading:_IF", "reading:_NO_PROSE"),
            "all that holds the network back": ("reading:worth_reading = True",),
        },
    ),
    "injection_followed": Measure(
        data="agents/agentdyn_runs",
        modules=("proctor.text.injected_orders", "proctor.scorers.safety.injection_followed"),
        load=_followed_rows,
        count=_followed,
        figures={"F1": _f1},
    ),
    "injection": Measure(
        data="injection/test, injection_general/indirect",
        modules=("proctor.text.takeover_phrases", "proctor.text.injected_orders", "proctor.guard.documents"),
        load=_injection_rows,
        count=_injection,
        figures={"balanced accuracy": _balanced},
    ),
    "hidden": Measure(
        data="injection/test, its attacks hidden in every way of tests/text/normalise/encoders.py; intent/*",
        modules=("proctor.text.normalise", "proctor.text.normalise.decoders"),
        load=_hidden_rows,
        count=_hidden,
        figures={"balanced accuracy": _balanced},
    ),
    "pii": Measure(
        data="pii/*, intent/*",
        modules=("proctor.text.pii", "proctor.text.pii.national"),
        load=_pii_rows,
        count=_pii,
        figures={"F1": _f1},
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
        figures={"balanced accuracy": _balanced},
    ),
    "facts": Measure(
        data="nli/dev, English and Japanese",
        modules=("proctor.text.facts", *_QUANTITIES, "proctor.text.money", "proctor.text.split"),
        load=_fact_rows,
        count=_facts,
        figures={"F1": _f1},
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
        modules=("proctor.text.customer_signs",),
        load=_tweet_rows,
        count=_tweets,
        figures={"balanced accuracy": _balanced},
    ),
}
