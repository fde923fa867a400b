"""Conversations with a fault at a known act of the agent, and their clean twins, as lines of the large network.

They are the blind sets ``talks`` that are for development, but for the last ones (``LEFT_SETS``), and those written for
training (``written/talks``). Acts after the fault, and beside it, are not judged. The lines say which values of an act
are new. Single answers are conversations of one message: written ones with their sources, written promises that nothing
allows, and public ones with their evidence.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proctor.core.talk_event import FAULTS, TalkEvent, call_text
from proctor.models.local.talk_lines import talk_lines
from training.aside import split
from training.data import LEFT_SOURCES, clean, read, written

__all__ = [
    "BLIND",
    "LEFT_SETS",
    "answer_talks",
    "events_of",
    "faulty_act",
    "results_first",
    "talk_arrays",
    "talks_of",
    "training_talks",
    "written_answers",
]

BLIND = Path(__file__).resolve().parents[1] / "benchmarks" / "blind" / "talks"
LEFT_SETS = ("dev-7.jsonl", "dev-8.jsonl", "dev-9.jsonl", "dev-10.jsonl")  # nothing was trained on these
FROM_ZERO = ("dev-5.jsonl", "dev-6.jsonl")  # their authors counted messages from zero


def training_talks() -> Iterator[dict[str, Any]]:
    """Every conversation that trains, ``turn`` counted from one."""
    for file in sorted(BLIND.glob("dev*.jsonl")):
        if file.name not in LEFT_SETS:
            yield from talks_of(file)
    yield from map(results_first, written("talks"))


def talks_of(file: Path) -> Iterator[dict[str, Any]]:
    """The conversations of a file, ``turn`` counted from one."""
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if file.name in FROM_ZERO and row.get("turn") is not None:
            row["turn"] += 1
        yield results_first(row)


def results_first(row: dict[str, Any]) -> dict[str, Any]:
    """The conversation with what the agent wrote once it knew its calls' results in a message of its own after them.

    That is the text beside calls with results at the end of a turn, as ``proctor.core.transcript.steps`` reads it.
    """
    told, messages = row["messages"], list[dict[str, Any]]()
    turn = row.get("turn")
    for place, message in enumerate(told, start=1):
        calls = message.get("tool_calls") or ()
        ends = place == len(told) or told[place]["role"] == "user"
        known = all(call.get("result") is not None or call.get("error") is not None for call in calls)
        if not (calls and known and ends and message["role"] == "assistant" and (message.get("content") or "").strip()):
            messages.append(message)
            continue
        messages += [message | {"content": ""}, {"role": "assistant", "content": message["content"]}]
        # The fault of a wrong id is the call's, every other one that of the text.
        if turn is not None and (place < row["turn"] or (place == row["turn"] and row.get("fault") != "wrong_id")):
            turn += 1
    return row | {"messages": messages, "turn": turn}


def answer_talks(data: Path, most: int = 9000, seed: int = 21) -> Iterator[dict[str, Any]]:
    """Single answers as conversations; those that go against their sources, or promise, are at fault."""
    dice = random.Random(seed)
    yield from written_answers(split("answers")[0])
    for row in split("commitments")[0]:
        kind = "false_claim_of_act" if set(row["acts"]) == {"done"} else "commitment"
        yield _single(row.get("customer") or "", row["answer"], (), kind if row["acts"] else None)
    ground = [r for r in read(data / "grounding.jsonl.gz") if r["ok"] and r["src"] not in LEFT_SOURCES]
    for row in dice.sample(ground, min(most, len(ground))):
        yield _single("", row["h"], (row["p"],), None if row["y"] else "")


def written_answers(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each right and each wrong answer with the sources."""
    for row in rows:
        for text in row["right"]:
            yield _single(row["customer"], text, row["sources"], None)
        for each in row["wrong"]:
            yield _single(row["customer"], each["answer"], row["sources"], "invented_policy")


def _single(customer: str, answer: str, sources: Sequence[str], fault: str | None) -> dict[str, Any]:
    messages = [{"role": "user", "content": customer}, {"role": "assistant", "content": answer}]
    label = "clean" if fault is None else "faulty"
    return {"messages": messages, "sources": sources, "label": label, "turn": 2, "fault": fault}


def events_of(row: dict[str, Any]) -> tuple[list[TalkEvent], list[int]]:
    """The events of a conversation, and the number of the message of each, from one; 0 for a source."""
    events = [TalkEvent(who="source", text=clean(_text(each))) for each in row.get("sources") or ()]
    places = [0] * len(events)
    for place, message in enumerate(row["messages"], start=1):
        text = clean(message.get("content") or "")
        if text:
            events.append(TalkEvent(who="customer" if message["role"] == "user" else "agent", text=text))
            places.append(place)
        for call in message.get("tool_calls") or ():
            told, result = call_text(call["name"], call.get("arguments"), call.get("result"))
            events.append(TalkEvent(who="call", text=told, result=result))
            places.append(place)
    return events, places


def _text(source: Any) -> str:
    return source if isinstance(source, str) else str(source["text"])


def faulty_act(row: dict[str, Any], places: Sequence[int], events: Sequence[TalkEvent]) -> int | None:
    """The event that is at fault: the last of its message, where the message is the agent's."""
    if row["label"] != "faulty":
        return None
    for place in (row["turn"], row["turn"] + 1):
        own = [at for at, each in enumerate(places) if each == place and events[at].who in ("agent", "call")]
        if own:
            return own[-1]
    return None


def talk_arrays(rows: Iterable[dict[str, Any]], encode: Callable[[str], Sequence[int]]) -> dict[str, np.ndarray]:
    """Lines with their marks: ``fault`` is 1, 0 or -1 (not judged), ``kind`` the number of the fault or -1."""
    flat: list[int] = []
    sizes: list[int] = []
    marks: list[tuple[int, int, int, int, int, int]] = []
    for number, row in enumerate(rows):
        events, places = events_of(row)
        bad = faulty_act(row, places, events)
        if row["label"] == "faulty" and bad is None:
            continue
        for line in talk_lines(encode, events, notes=True):
            for at, event in line.marks:
                near = bad is not None and (event > bad or (event != bad and abs(places[event] - places[bad]) <= 1))
                fault = -1 if near else int(event == bad)
                kind = FAULTS.index(row["fault"]) if event == bad and row["fault"] else -1
                marks.append((len(sizes), at, fault, kind, number, places[event]))
            flat += line.ids
            sizes.append(len(line.ids))
    return {
        "talks_flat": np.array(flat, np.uint16),
        "talks_sizes": np.array(sizes, np.uint16),
        "talks_marks": np.array(marks, np.int32),
    }
