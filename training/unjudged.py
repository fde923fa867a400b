"""Lines without a label, which only a teacher judges: turns of written conversations, and recombined answers.

``python -m training.unjudged WORK/r/said/said-acts.npy WORK/d`` keeps what the large network said of the answers in
``judged/promises.npz``, for the small model of promises.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proctor.models.local.evidence import sentences
from training.aside import split
from training.data import clean
from training.talks import events_of, training_talks

__all__ = ["judged_answers", "unjudged_answers", "unjudged_claims"]

JUDGED = Path(__file__).resolve().parent / "judged" / "promises.npz"
PROMISE = 4  # which output of the network says that an answer promises something
FEWEST = 12  # characters of a turn that says something
EVIDENCE = 900  # characters of what was said before a turn; the nearest to it
WITHOUT_CUSTOMER = 0.6  # of the answers: the gate reads most answers without the message before


def unjudged_answers(limit: int | None, seed: int = 31) -> list[tuple[str, str]]:
    """Turns of agents, each with the customer's message or without; and the sentences of written answers."""
    dice = random.Random(seed)
    found: dict[str, str] = {}
    for row in _talks(limit):
        customer = ""
        for message in row["messages"]:
            text = clean(message.get("content") or "")
            if message["role"] == "user":
                customer = text
            elif len(text) >= FEWEST:
                found.setdefault(text, customer)
    for row in split("answers")[0][:limit]:
        for text in (*row["right"], *(each["answer"] for each in row["wrong"])):
            found.setdefault(clean(text), clean(row["customer"]))
    for row in split("commitments")[0][:limit]:
        for part in sentences(clean(row["answer"])):
            if len(part) >= FEWEST:
                found.setdefault(part, clean(row.get("customer") or ""))
    return [("" if dice.random() < WITHOUT_CUSTOMER else customer[:600], text) for text, customer in found.items()]


def unjudged_claims(limit: int | None, seed: int = 32) -> list[tuple[str, str]]:
    """What sources and tools said before a turn of an agent, and the turn; and answers of one question mixed."""
    dice = random.Random(seed)
    found = [pair for row in _talks(limit) for pair in _told_before(row)]
    for row in split("answers")[0][:limit]:
        evidence = clean(" ".join(row["sources"]))
        found += [(evidence, text) for text in _mixed(row, dice)]
    return list(dict.fromkeys(found))


def _talks(limit: int | None) -> Iterator[dict[str, Any]]:
    for row, _ in zip(training_talks(), range(limit or 10**9), strict=False):
        yield row


def _told_before(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    events, _ = events_of(row)
    told: list[str] = []
    for event in events:
        if event.who == "source":
            told.append(event.text)
        elif event.who == "call" and event.result:
            told.append(clean(event.result))
        elif event.who == "agent" and told and len(event.text) >= FEWEST:
            yield " ".join(told)[-EVIDENCE:], event.text


def _mixed(row: dict[str, Any], dice: random.Random) -> Iterator[str]:
    """Each sentence of the answers, and sentences of two answers in the order of the first."""
    parts = [list(sentences(clean(text))) for text in (*row["right"], *(each["answer"] for each in row["wrong"]))]
    for each in parts:
        if len(each) > 1:
            yield from each
    for _ in range(3):
        one, other = dice.sample(parts, 2)
        yield _joined(one, other, dice)


def _joined(one: Sequence[str], other: Sequence[str], dice: random.Random) -> str:
    place = dice.randrange(max(1, len(one)))
    return " ".join((*one[:place], dice.choice(other), *one[place + 1 :]))


def judged_answers() -> list[tuple[str, float]]:
    """The answers that the large network judged, each with its logit of a promise."""
    with np.load(JUDGED) as kept:
        said = dict(zip(kept["texts"].tolist(), kept["logits"].astype(float).tolist(), strict=True))
    texts = (text for _, text in unjudged_answers(None))
    return [(text, said[_key(text)]) for text in texts if _key(text) in said]


def _key(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def main() -> None:
    """Keep what was said."""
    from training.multilingual_tasks import UNKNOWN, _answers

    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("said", type=Path)
    ask.add_argument("data", type=Path)
    told = ask.parse_args()
    said, rows = np.load(told.said)[:, PROMISE], _answers(told.data, None)
    if len(said) != len(rows):
        raise ValueError(f"{told.said}: {len(said)} lines, and there are {len(rows)} answers")
    found = {_key(text): logit for (_, text, label, _), logit in zip(rows, said, strict=True) if label == UNKNOWN}
    JUDGED.parent.mkdir(exist_ok=True)
    np.savez_compressed(
        JUDGED, texts=np.array(list(found), np.uint64), logits=np.array(list(found.values()), np.float16)
    )
    print(len(found), "answers")


if __name__ == "__main__":
    main()
