"""Compares the scorers that need no language model with what people said, beside ROUGE-L, token matching and vectors.

Run ``python -m benchmarks.human_ratings [--data DIR] [--each N]``. The data is public (USR / TopicalChat, QAGS, FED,
LLMBar, PandaLM, Auto-J) and nothing was tuned on it; it is read from ``--data`` (default: ``$PROCTOR_DATA``).
Correlations are Spearman's over responses; for pairs of answers the figure is how often the better one is told.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from proctor.core.case import Case, Expectation
from proctor.core.chat import Message
from proctor.core.score import Score
from proctor.core.trajectory import Source, Trajectory, Turn
from proctor.models.local.embed import LocalEmbedder
from proctor.models.local.fluency import LocalFluency
from proctor.scorers.answer.consistency import Consistency
from proctor.scorers.answer.factual_accuracy import FactualAccuracy
from proctor.scorers.answer.fluency import Fluency
from proctor.scorers.answer.relevance import Relevance
from proctor.stats.correlation import spearman
from proctor.wiring.local_models import local_model

__all__ = ["Item", "main"]

DIMENSIONS = ("relevance", "factual_accuracy", "consistency", "fluency")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One response: what was asked, what it may rest on, what it says, and what people gave it."""

    asked: str
    said: str
    source: str = ""
    reference: str = ""
    history: tuple[tuple[str, str], ...] = ()
    human: float = 0.0

    @property
    def case(self) -> Case:
        """The response as a case that was answered already."""
        history = tuple(Message(role=role, content=text) for role, text in self.history)  # type: ignore[arg-type]
        expect = Expectation(reference=self.reference or None)
        return Case(id="item", input=self.asked or "(no question)", history=history, expect=expect)

    @property
    def run(self) -> Trajectory:
        """The conversation, with the source as what was retrieved."""
        words = (
            Message(role="user", content=self.asked or "(no question)"),
            Message(role="assistant", content=self.said),
        )
        sources = (Source(id="source", text=self.source),) if self.source else ()
        return Trajectory(turns=(Turn(messages=words, sources=sources),))


def _rows(data: Path, name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(data / "quality" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _last(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The last user words of a dialogue written with names or lines, and what came before."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = [(("assistant" if line.startswith("System:") else "user"), line.split(":", 1)[-1].strip()) for line in lines]
    if not said:
        return "", ()
    return said[-1][1], tuple(said[:-1])


def rated(data: Path) -> Mapping[str, tuple[str, list[Item]]]:
    """Sets of rated responses: name to the dimension that is compared and the responses."""
    found: dict[str, tuple[str, list[Item]]] = {}
    chats = list(_rows(data, "topicalchat_usr/topical_chat"))
    for quality, dimension in (
        ("groundedness", "factual_accuracy"),
        ("coherence", "relevance"),
        ("naturalness", "fluency"),
        ("understandability", "fluency"),
    ):
        items = []
        for row in chats:
            asked, before = _last(row["source"])
            items.append(
                Item(
                    asked=asked,
                    history=before,
                    said=row["system_output"].strip(),
                    source=row["context"],
                    human=row["scores"][quality],
                )
            )
        found[f"TopicalChat {quality}"] = (dimension, items)
    for name in ("qags_cnndm", "qags_xsum"):
        items = [
            Item(
                asked="Summarise the article.",
                said=r["system_output"].strip(),
                source=r["source"],
                human=r["scores"]["consistency"],
            )
            for r in _rows(data, f"topicalchat_usr/{name}")
        ]
        found[name.upper().replace("_", "-")] = ("factual_accuracy", items)
    for quality, dimension in (("Relevant", "relevance"), ("Fluent", "fluency")):
        items = []
        for row in _rows(data, "fed/fed"):
            given = [float(x) for x in row["annotations"].get(quality, []) if isinstance(x, (int, float))]
            if row.get("response") and given:
                asked, before = _last(row["context"])
                said = row["response"].split(":", 1)[-1].strip()
                items.append(Item(asked=asked, history=before, said=said, human=sum(given) / len(given)))
        found[f"FED {quality}"] = (dimension, items)
    for name, quality, dimension in (
        ("sfhot", "naturalness", "fluency"),
        ("sfres", "naturalness", "fluency"),
    ):
        items = [
            Item(asked="", said=r["system_output"].strip(), reference=r["reference"], human=r["scores"][quality])
            for r in _rows(data, f"topicalchat_usr/{name}")
        ]
        found[f"{name} {quality}"] = (dimension, items)
    return found


def paired(data: Path) -> Mapping[str, list[tuple[Item, Item, int]]]:
    """Sets of two answers with the number (0 or 1) of the better one."""
    found: dict[str, list[tuple[Item, Item, int]]] = {"LLMBar": [], "PandaLM": [], "Auto-J": []}
    for row in _rows(data, "llmbar/all"):
        one, other = (Item(asked=row["input"], said=str(row[k])) for k in ("output_1", "output_2"))
        found["LLMBar"].append((one, other, int(row["label"]) - 1))
    for row in _rows(data, "pandalm/testset"):
        votes = [row[f"annotator{i}"] for i in (1, 2, 3)]
        best = max(set(votes), key=votes.count)
        if best in (1, 2) and votes.count(best) >= 2:
            asked = f"{row['instruction']}\n{row['input']}".strip()
            one, other = (Item(asked=asked, said=str(row[k])) for k in ("response1", "response2"))
            found["PandaLM"].append((one, other, best - 1))
    for row in _rows(data, "autoj/pairwise_test"):
        texts = [row[k] for k in ("response 1", "response 2") if k in row] or [
            row.get("response_1"),
            row.get("response_2"),
        ]
        if row.get("label") in (0, 1) and all(texts):
            one, other = (Item(asked=row["prompt"], said=str(t)) for t in texts)
            found["Auto-J"].append((one, other, int(row["label"])))
    return found


class Judges:
    """The four dimensions with local models only, and the baselines."""

    def __init__(self) -> None:
        self.embedder = LocalEmbedder()
        local: dict[str, Any] = {"judge": None}
        self.scorers: dict[str, Any] = {
            "relevance": Relevance(embedder=self.embedder, catalogue=None, **local),
            "factual_accuracy": FactualAccuracy(
                entailer=local_model("entailer"), grounder=local_model("grounder"), catalogue=None, **local
            ),
            "consistency": Consistency(entailer=local_model("entailer"), embedder=self.embedder, **local),
            "fluency": Fluency(wording=LocalFluency(), catalogue=None, **local),
        }

    async def dimension(self, name: str, item: Item) -> float | None:
        """One dimension's value; none when it could not be scored."""
        score: Score = await self.scorers[name].score(item.case, item.run)
        return score.value

    async def overall(self, item: Item) -> float | None:
        """The mean of what could be scored."""
        values = [v for v in [await self.dimension(n, item) for n in DIMENSIONS] if v is not None]
        return sum(values) / len(values) if values else None

    async def rouge(self, item: Item) -> float | None:
        """ROUGE-L precision of the answer against what it can be compared with."""
        against, said = _against(item).lower().split()[:400], item.said.lower().split()[:150]
        row = [0] * (len(said) + 1)
        for word in against:
            before = 0
            for j, other in enumerate(said, 1):
                before, row[j] = row[j], before + 1 if word == other else max(row[j], row[j - 1])
        return row[-1] / len(said) if said else None

    async def vectors(self, item: Item) -> float | None:
        """The cosine of the sentence vectors."""
        one, other = await self.embedder.embed([_against(item)[:4000], item.said])
        return float(np.dot(np.asarray(one), np.asarray(other)))

    async def question(self, item: Item) -> float | None:
        """The cosine of the question and the answer."""
        one, other = await self.embedder.embed([item.asked[:4000] or " ", item.said])
        return float(np.dot(np.asarray(one), np.asarray(other)))

    async def tokens(self, item: Item) -> float | None:
        """BERTScore's precision with the local encoder: each piece's best match."""
        (_, a), (_, b) = self.embedder.token_vectors([_against(item)[:1500], item.said])
        return float((b @ a.T).max(1).mean()) if len(a) and len(b) else None


def _against(item: Item) -> str:
    return item.reference or item.source or item.asked or " "


Measure = Callable[[Item], Awaitable[float | None]]


async def correlated(measure: Measure, items: Sequence[Item]) -> tuple[float, int]:
    """Spearman's correlation with people, and how many could be scored."""
    values = [await measure(item) for item in items]
    kept = [(v, i.human) for v, i in zip(values, items, strict=True) if v is not None]
    found = spearman([v for v, _ in kept], [h for _, h in kept])
    return (float("nan") if found is None else found), len(kept)


async def ranked(measure: Measure, pairs: Sequence[tuple[Item, Item, int]]) -> float:
    """How often the better answer gets more; a tie counts half."""
    right = 0.0
    for one, other, better in pairs:
        a, b = await measure(one), await measure(other)
        if a is None or b is None or a == b:
            right += 0.5
        else:
            right += (b > a) == (better == 1)
    return right / len(pairs)


async def _measure(data: Path, each: int, only: str) -> None:
    judges = Judges()
    dice = random.Random(1)
    plain = (judges.rouge, judges.tokens, judges.vectors, judges.question)
    heads = "ROUGE-L | BERTScore-like | vectors | vectors, question"
    print(f"| set | dimension | n | Proctor, no model | {heads} |\n" + "|---" * 8 + "|")
    for name, (dimension, items) in rated(data).items():
        if only.lower() not in f"{name} {dimension}".lower():
            continue
        some = dice.sample(items, min(each, len(items)))
        ours, n = await correlated(lambda item, d=dimension: judges.dimension(d, item), some)  # type: ignore[misc]
        rest = [await correlated(m, some) for m in plain]
        cells = " | ".join(f"{x:.3f}" for x, _ in rest)
        print(f"| {name} | {dimension} | {n} of {len(some)} | {ours:.3f} | {cells} |", flush=True)
    print(f"\n| pairs | n | Proctor, no model | {heads} |\n" + "|---" * 7 + "|")
    for name, pairs in paired(data).items():
        if not pairs or only.lower() not in f"{name} pairs".lower():
            continue
        few = dice.sample(pairs, min(each, len(pairs)))
        figures = [await ranked(m, few) for m in (judges.overall, *plain)]
        print(f"| {name} | {len(few)} | " + " | ".join(f"{x:.3f}" for x in figures) + " |", flush=True)


def main() -> int:
    """Measure and print the tables."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--data", type=Path, default=os.environ.get("PROCTOR_DATA"))  # noqa: TID251 - not the program
    ask.add_argument("--each", type=int, default=200, help="responses or pairs a set")
    ask.add_argument("--only", default="", help="sets or dimensions whose name has this text")
    told = ask.parse_args()
    if told.data is None:
        ask.error("say where the data is: --data DIR or $PROCTOR_DATA")
    asyncio.run(_measure(told.data, told.each, told.only))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
