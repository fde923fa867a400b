"""What the scorers of quality say about blind answers, and plain baselines beside them.

``relevance`` compares with people's ratings (Spearman), ``fluency`` tells fluent texts from broken ones (AUROC), and
``paraphrased_facts`` counts facts in other words that are recognised, and wrong or absent ones that are accepted.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.trajectory import Source, Trajectory, Turn
from proctor.scorers.answer.fluency import Fluency
from proctor.scorers.answer.quality_parts.coverage import fact_coverage
from proctor.scorers.answer.relevance import Relevance
from proctor.stats.correlation import spearman
from proctor.stats.interval import wilson
from proctor.text.overlap import rouge_l
from proctor.wiring.local_models import local_model

__all__ = ["QUALITY_PARTS", "auroc", "fluency", "paraphrased_facts", "relevance"]

Item = dict[str, Any]
SAME_MEANING, SAME_WORDS = 0.75, 0.5  # from these values on a baseline takes a fact as stated


async def relevance(items: Sequence[Item]) -> tuple[str, list[str]]:
    """Spearman's correlation of relevance with the ratings, by language and kind, and the items that are far off."""
    scorer = Relevance(embedder=local_model("embedder"), catalogue=None, judge=None)
    values = [(await scorer.score(_case(item), _run(item))).value for item in items]
    shown = [0.5 if value is None else value for value in values]
    embedder = local_model("embedder")
    vectors = await embedder.embed([text for item in items for text in (item["question"], item["answer"])])
    cosine = [_dot(vectors[2 * at], vectors[2 * at + 1]) for at in range(len(items))]
    overlap = [rouge_l(item["answer"], item["question"]) for item in items]
    context = [item.get("context") or item["question"] for item in items]
    shares = await local_model("entailer").entails(
        [(told, item["answer"]) for told, item in zip(context, items, strict=True)]
    )
    entailed = [share["entailment"] for share in shares]
    ratings = [float(item["rating"]) for item in items]
    measures = {"Proctor": shown, "cosine": cosine, "ROUGE-L": overlap, "raw NLI": entailed}
    lines = _heading("rows", "n", *measures)
    groups = {"all": list(range(len(items))), **_by(items, "lang")}
    for name, places in groups.items():
        if len(places) >= 8:
            cells = [
                spearman([each[at] for at in places], [ratings[at] for at in places]) for each in measures.values()
            ]
            lines.append(_row(name, len(places), *("–" if cell is None else f"{cell:.2f}" for cell in cells)))
    lines += ["", "Mean value by kind, and the share that reaches 0.75:", ""]
    lines += _means(items, measures)
    lines += ["", f"Not scored: {sum(value is None for value in values)}"]
    misses = [
        f"{item['id']} ({item['kind']}, {item['lang']}): rated {item['rating']}, scored {value:.2f}"
        for item, value in zip(items, shown, strict=True)
        if abs(value - (item["rating"] - 1) / 4) > 0.5
    ]
    return "\n".join(lines), misses


async def fluency(items: Sequence[Item]) -> tuple[str, list[str]]:
    """AUROC of fluent against broken texts, by language and kind of fault."""
    scorer = Fluency(wording=local_model("wording"), catalogue=None, judge=None)
    found = [await scorer.score(Case(id=item["id"], input="?"), _said("?", item["text"])) for item in items]
    shown = [0.5 if score.value is None else score.value for score in found]
    length = [-float(len(item["text"])) for item in items]
    packed = [len(zlib.compress(item["text"].encode())) / max(1, len(item["text"].encode())) for item in items]
    measures = {"Proctor": shown, "compression": packed, "shortness": length}
    is_fluent = [item["label"] == "fluent" for item in items]
    lines = _heading("fluent against", "n", *measures)
    everywhere = [at for at, good in enumerate(is_fluent) if good]
    groups = {"all broken": [at for at, good in enumerate(is_fluent) if not good]}
    groups |= {name: [at for at in places if not is_fluent[at]] for name, places in _by(items, "kind").items()}
    for name, places in groups.items():
        if places:
            cells = [auroc([m[at] for at in everywhere], [m[at] for at in places]) for m in measures.values()]
            lines.append(_row(name, len(places), *(f"{cell:.2f}" for cell in cells)))
    for name, places in _by(items, "lang").items():
        good, bad = [at for at in places if is_fluent[at]], [at for at in places if not is_fluent[at]]
        if len(good) >= 4 and len(bad) >= 4:
            cells = [auroc([m[at] for at in good], [m[at] for at in bad]) for m in measures.values()]
            lines.append(_row(f"in {name}", len(places), *(f"{cell:.2f}" for cell in cells)))
    lines += ["", "Mean value by kind, and the share that reaches 0.75:", ""]
    lines += _means(items, {"Proctor": shown})
    misses = [
        f"{item['id']} ({item['kind']}, {item['lang']}): {item['label']} scored {score.value}: {score.reason[:120]}"
        for item, score in zip(items, found, strict=True)
        if ((score.value or 0.0) >= 0.75) != (item["label"] == "fluent")
    ]
    return "\n".join(lines), misses


async def paraphrased_facts(items: Sequence[Item]) -> tuple[str, list[str]]:
    """The share of stated facts that is recognised and the share of wrong or absent ones that is accepted."""
    entailer, embedder = local_model("entailer"), local_model("embedder")
    said = [_verdict(await fact_coverage([item["fact"]], item["answer"], entailer)) for item in items]
    shares = await entailer.entails([(item["answer"], item["fact"]) for item in items])
    vectors = await embedder.embed([text for item in items for text in (item["fact"], item["answer"])])
    measures: dict[str, list[str]] = {
        "Proctor": said,
        "raw NLI": ["stated" if max(each, key=lambda k: each[k]) == "entailment" else "not stated" for each in shares],
        "cosine": [
            "stated" if _dot(vectors[2 * at], vectors[2 * at + 1]) >= SAME_MEANING else "not stated"
            for at in range(len(items))
        ],
        "ROUGE-L": [
            "stated" if rouge_l(item["answer"], item["fact"]) >= SAME_WORDS else "not stated" for item in items
        ],
    }
    lines = _heading("rows", "n", "taken as stated", "interval", "to review", *list(measures)[1:])
    for label, wanted in (("stated", True), ("wrong or absent", False)):
        own = [at for at, item in enumerate(items) if (item["label"] == "stated") is wanted]
        groups = {"all": own}
        for key in ("kind", "lang") if wanted else ("label", "kind"):
            groups |= {name: [at for at in places if at in own] for name, places in _by(items, key).items()}
        for name, places in groups.items():
            if places:
                hits = [sum(each[at] == "stated" for at in places) for each in measures.values()]
                interval = wilson(hits[0], len(places))
                shown = f"{interval.low:.2f}–{interval.high:.2f}" if interval else "–"
                review = sum(said[at] == "review" for at in places)
                cells = (f"{hit / len(places):.2f}" for hit in hits[1:])
                ours = f"{hits[0] / len(places):.2f}"
                lines.append(_row(f"{label}: {name}", len(places), ours, shown, f"{review / len(places):.2f}", *cells))
    misses = [
        f"{item['id']} ({item['kind']}, {item['lang']}): {item['label']} taken as {verdict}"
        for item, verdict in zip(items, said, strict=True)
        if (verdict == "stated") != (item["label"] == "stated")
    ]
    return "\n".join(lines), misses


QUALITY_PARTS = {"fluency": fluency, "paraphrased_facts": paraphrased_facts, "relevance": relevance}


def auroc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """How often one of the first group is above one of the second; a tie counts half."""
    wins = sum((one > other) + 0.5 * (one == other) for one in higher for other in lower)
    return wins / max(1, len(higher) * len(lower))


def _verdict(score: Any) -> str:
    if score.value is None:
        return "review"
    return "stated" if score.value == 1.0 else "not stated"


def _case(item: Item) -> Case:
    return Case(id=item["id"], input=item["question"])


def _run(item: Item) -> Trajectory:
    return _said(item["question"], item["answer"], item.get("context") or "")


def _said(question: str, answer: str, context: str = "") -> Trajectory:
    messages = (Message(role="user", content=question), Message(role="assistant", content=answer))
    sources = (Source(id="context", text=context),) if context else ()
    return Trajectory(turns=(Turn(messages=messages, sources=sources),))


def _by(items: Sequence[Item], key: str) -> Mapping[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for at, item in enumerate(items):
        groups.setdefault(item[key], []).append(at)
    return dict(sorted(groups.items(), key=lambda each: -len(each[1])))


def _means(items: Sequence[Item], measures: Mapping[str, Sequence[float]]) -> list[str]:
    lines = _heading("kind", "n", *measures, "reaches 0.75")
    for name, places in _by(items, "kind").items():
        reaches = fmean(next(iter(measures.values()))[at] >= 0.75 for at in places)
        cells = (f"{fmean(each[at] for at in places):.2f}" for each in measures.values())
        lines.append(_row(name, len(places), *cells, f"{reaches:.2f}"))
    return lines


def _heading(*names: str) -> list[str]:
    return [_row(*names), "|" + "---|" * len(names)]


def _row(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _dot(one: Sequence[float], two: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True))
