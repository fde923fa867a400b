"""Measures what the monitor rests on: same topic or not, words of displeasure, causes of hand-offs, time an event.

``python -m benchmarks.operations [topics|words|causes|events]``; public data are read from $PROCTOR_DATA.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import re
import resource
import sys
import tempfile
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.agent_rows import agent_cases, data_folder
from proctor.core.chat import Message
from proctor.core.codec import dumps
from proctor.core.event import Event
from proctor.core.trajectory import Turn
from proctor.lexicon.customer_signs import displeased
from proctor.monitor.completion_rules import CompletionRules
from proctor.scorers.conversation.escalation import EscalationCategory
from proctor.text.content_words import content
from proctor.wiring.local_models import local_model
from proctor.workflows.monitor.completion import CompletionJob, completion_of
from proctor.workflows.monitor.escalations import hand_off_of
from proctor.workflows.monitor.event_source import EventSource

PAIRS = 1500
SETS = {"banking77": ("text", "label"), "bitext": ("utterance", "intent"), "clinc150": ("text", "label")}
ASKED = ("When can I cancel the boat tour?", "Where do we meet?", "Can children join?", "Is lunch included?")


def rows(path: str) -> list[dict[str, Any]]:
    with gzip.open(data_folder() / path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


async def topics() -> None:
    """Two questions of one label are the same topic, two of different labels are not."""
    limits = CompletionRules().repeat_contact
    for name, (text, label) in SETS.items():
        by_label: dict[str, list[str]] = {}
        for row in rows(f"intent/{name}/test.jsonl.gz"):
            by_label.setdefault(row[label], []).append(re.sub(r"\d{5,}", "", row[text]))  # numbers of orders
        dice = random.Random(0)
        names = [each for each in by_label if len(by_label[each]) > 3]
        same, apart = [], []
        for _ in range(PAIRS):
            one = dice.choice(names)
            same.append(tuple(dice.sample(by_label[one], 2)))
            other = dice.choice([each for each in names if each != one])
            apart.append((dice.choice(by_label[one]), dice.choice(by_label[other])))
        told = []
        for pairs in (same, apart):
            vectors = np.asarray(await local_model("embedder").embed([each for pair in pairs for each in pair]))
            near = (vectors[::2] * vectors[1::2]).sum(axis=1) >= limits.similarity
            words = [_common(*pair) >= limits.words for pair in pairs]
            told.append((float(near.mean()), sum(words) / len(words)))
        print(f"{name}: encoder {told[0][0]:.1%} / {told[1][0]:.1%}, words {told[0][1]:.1%} / {told[1][1]:.1%}")


def _common(one: str, other: str) -> float:
    left, right = content(one), content(other)
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0


async def words() -> None:
    """Airline tweets whose labels are sure."""
    found: dict[str, Counter[bool]] = {}
    for row in rows("sentiment/airline_tweets/all.jsonl.gz"):
        if row["confidence"] >= 0.8:
            kind = "negative" if row["label"] == "negative" else "others"
            found.setdefault(kind, Counter())[displeased(row["text"]) is not None] += 1
    for kind, counts in found.items():
        print(f"{kind}: displeasure in {counts[True] / counts.total():.1%} of {counts.total():,}")


async def causes() -> None:
    """Hand-offs of the recorded agents; nobody has labelled their causes."""
    scorer = EscalationCategory(embedder=local_model("embedder"))
    for name in ("tau_bench", "tau2_bench"):
        counts: Counter[str] = Counter()
        for case in agent_cases(name, "tau_bench"):
            if (found := await hand_off_of(scorer, case)) is not None:
                counts[found.category or "unknown"] += 1
        print(f"{name}: {counts.total()} hand-offs, {dict(counts.most_common())}")


async def events() -> None:
    """Logs of two lengths: the time grows with it, the memory does not."""
    for count in (100_000, 300_000):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "events.jsonl"
            with log.open("wb") as file:
                file.writelines(dumps(event) + b"\n" for event in _made(count))
            begun = time.process_time()
            await completion_of(CompletionJob(events=EventSource(files=(log,)), rules=CompletionRules(), light=True))
            spent = time.process_time() - begun
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{count:,} events: {spent / count * 1e6:.0f} µs each, peak {peak:.0f} MB")


def _made(count: int) -> Any:
    from datetime import UTC, datetime

    dice, now = random.Random(0), datetime(2026, 11, 1, tzinfo=UTC)
    for number in range(0, count, 2):
        now += timedelta(seconds=4)
        session, customer = f"s{number}", f"c{dice.randrange(100_000)}"
        said = (Message(role="user", content=dice.choice(ASKED)), Message(role="assistant", content="Here you are."))
        known = {"session": session, "customer": customer, "time": now}
        yield Event(kind="turn", intent="booking_change", turn=Turn(messages=said), **known)  # type: ignore[arg-type]
        yield Event(kind="outcome", name="booking_changed", **known)  # type: ignore[arg-type]


if __name__ == "__main__":
    parts = {"topics": topics, "words": words, "causes": causes, "events": events}
    for part in sys.argv[1:] or parts:
        asyncio.run(parts[part]())
