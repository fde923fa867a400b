"""Measures grounding, sentence vectors, intents and entities of the shipped models: tables in Markdown."""

from __future__ import annotations

import collections
import random
from pathlib import Path
from typing import Any

import numpy as np

from proctor.stats.correlation import spearman
from training.data import read, rows, written
from training.figures import auroc, share
from training.peer_entities import compared
from training.splits import fingerprint

__all__ = ["entity_tables", "grounding_table", "intent_tables", "rouge_l", "similarity_table"]

RISKS = ("legal_threat", "media_complaint", "safety_incident", "self_harm")
TRUSTED = ("begin", "factcheckgpt_stance", "fm2", "halueval_qa", "q2", "summedits")  # cleared for weights that ship


def rouge_l(context: str, response: str) -> float:
    """The share of the response's words that the context holds in the same order."""
    a, b = context.lower().split()[:300], response.lower().split()[:120]
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], before + 1 if x == y else max(row[j], row[j - 1])
    return row[-1] / max(1, len(b))


def grounding_table(model: Any, data: Path, readings: Path, out: list[str], each: int = 400) -> None:
    """AUROC of networks that did not see the source, beside ROUGE-L and the cosine of sentence vectors."""
    every = read(data / "grounding.jsonl.gz")
    out.append(
        "\n| source left out | n | supported (trained without it) | entailment alone | n | ROUGE-L | sentence vectors |"
        "\n|---|---|---|---|---|---|---|"
    )
    table = []
    for name in (*TRUSTED, "climatefever", "fib"):
        kept = np.load(readings / f"grounding-{name if name in TRUSTED else 'none'}.npz")
        least: dict[int, float] = {}
        for owner, claim in zip(kept["owner"].astype(int), kept["claims"], strict=True):
            least[owner] = min(least.get(owner, np.inf), float(claim[3]))
        chosen = [k for k, i in enumerate(kept["rows"].astype(int)) if every[i]["src"].split("/")[0] == name]
        at = kept["rows"].astype(int)[chosen].tolist()
        whole = kept["whole"][chosen]
        y = [every[i]["y"] for i in at]
        score = [(float(w[3]) + least.get(i, float(w[3]))) / 2 for i, w in zip(at, whole, strict=True)]
        three = np.exp(whole[:, :3] - whole[:, :3].max(1, keepdims=True))
        some = random.Random(2).sample(at, min(each, len(at)))
        pairs = [(every[i]["p"], every[i]["h"]) for i in some]
        vectors = np.array(model.vectors([t for pair in pairs for t in pair]))
        few = [every[i]["y"] for i in some]
        figures = [
            auroc(y, score),
            auroc(y, three[:, 0] / three.sum(1)),
            auroc(few, [rouge_l(a, b) for a, b in pairs]),
            auroc(few, (vectors[::2] * vectors[1::2]).sum(1)),
        ]
        table.append(figures)
        first, second, *rest = (f"{x:.3f}" for x in figures)
        out.append(f"| {name} | {len(at)} | {first} | {second} | {len(some)} | " + " | ".join(rest) + " |")
    first, second, *rest = (f"**{x:.3f}**" for x in np.mean(table, 0))
    out.append(f"| **mean** | | {first} | {second} | | " + " | ".join(rest) + " |")


def similarity_table(model: Any, out: list[str], each: int = 500) -> None:
    """Spearman's correlation with people's similarity, within a language and across to English (never trained on)."""
    by: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for row in rows("paraphrase/stsb_multi/test"):
        by[row["lang"]].append(row)
    english = by["en"]
    out.append("\n| language | n | within the language | first sentence English |\n|---|---|---|---|")
    for language in sorted(by, key=lambda x: (x != "en", x)):
        number = [i for i, r in enumerate(by[language]) if r["sentence1"] and r["sentence2"] and i < len(english)]
        number = random.Random(3).sample(number, min(each, len(number)))
        mine = [by[language][i] for i in number]
        ones, others, origins = (
            np.array(model.vectors(texts))
            for texts in (
                [r["sentence1"] for r in mine],
                [r["sentence2"] for r in mine],
                [english[i]["sentence1"] for i in number],
            )
        )
        wanted = np.array([float(r["score"]) for r in mine])
        inside, across = spearman((ones * others).sum(1), wanted), spearman((origins * others).sum(1), wanted)
        out.append(f"| {language} | {len(mine)} | {inside:.3f} | {'' if language == 'en' else f'{across:.3f}'} |")


def intent_tables(model: Any, out: list[str]) -> None:
    """Accuracy by language on messages written apart, recall by class, and support traffic flagged."""
    seen_before = {fingerprint(r["text"]) for r in written("intent_safety")}
    by: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for row in written("intent_safety", "heldout"):
        if fingerprint(row["text"]) not in seen_before:
            by[row["lang"].split("-")[0]].append(row)
    cut = model.intent_threshold("0.5%")
    out.append(
        "\n| language | n | accuracy of five | dangerous ones flagged, `0.5%` "
        "| harmless (half of them traps) flagged, `0.5%` |"
        "\n|---|---|---|---|---|"
    )
    seen: dict[str, list[str]] = collections.defaultdict(list)
    for language in sorted(by, key=lambda x: (x != "en", x)):
        shares = model.intents([r["text"] for r in by[language]])
        named = [max(s, key=s.__getitem__) for s in shares]
        for row, name in zip(by[language], named, strict=True):
            seen[row["label"]].append(name)
        right = sum(n == r["label"] for n, r in zip(named, by[language], strict=True))
        risk = [1 - s["none"] > cut for s in shares]
        cells = [
            _flagged([f for f, r in zip(risk, by[language], strict=True) if (r["label"] != "none") == bad])
            for bad in (True, False)
        ]
        out.append(f"| {language} | {len(named)} | {right / len(named):.3f} | " + " | ".join(cells) + " |")
    out.append("\n| class | n | recall | precision |\n|---|---|---|---|")
    for name in ("none", *RISKS):
        hits = sum(x == name for x in seen[name])
        said = sum(x == name for many in seen.values() for x in many)
        out.append(f"| {name} | {len(seen[name])} | {hits / len(seen[name]):.3f} | {hits / max(1, said):.3f} |")
    support = [r["text"] for r in rows("injection/test") if r["src"] in ("banking77", "bitext", "clinc150", "xsid")]
    flagged = [1 - s["none"] > cut for s in model.intents(random.Random(4).sample(support, 4000))]
    out.append(
        f"\nSupport messages of the injection test set flagged at `0.5%`: {_flagged(flagged)} of {len(flagged):,}."
    )


def _flagged(flags: list[bool]) -> str:
    return share(sum(flags), len(flags))


def entity_tables(model: Any, out: list[str]) -> None:
    """F1 of spans on hand-written messages."""
    out.append(
        "\n| language | n | PERSON | PLACE | ORG | ADDRESS | all | touched | false alarms |"
        "\n|---|---|---|---|---|---|---|---|---|"
    )
    for language in ("en", "ja"):
        held = [r for r in written("entities", "heldout") if r["lang"] == language]
        gold = [[tuple(s) for s in r["spans"]] for r in held]
        found = [[(e.start, e.end, e.kind) for e in some] for some in model.entities([r["text"] for r in held])]
        got = compared(gold, found)  # type: ignore[arg-type]
        kinds = ("PERSON", "PLACE", "ORG", "ADDRESS", "all")
        cells = [f"{got.exact[k] or 0:.2f} / {got.overlap[k] or 0:.2f}" for k in kinds]
        cells += [f"{got.touched:.2f}", f"{got.false_alarms:.2f}"]
        out.append(f"| {language} | {got.count} | " + " | ".join(cells) + " |")
