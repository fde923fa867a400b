"""Messages that neither the networks nor the n-gram models were trained on, by source and kind.

Written rows and those whose licence allows it are ``fit``: the combination of network and n-grams is fitted on them.
The others are only measured on.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from training.augment import window
from training.data import clean, data_root, rows, written
from training.splits import fingerprint

__all__ = ["NEW_INTENTS", "dangers", "messages"]

EACH = 200  # rows of one source and label
NEW_INTENTS = (".ninth.", ".tenth.")  # files of written intents that the injection network was not trained on
KINDS = {
    "override": "takeover", "hijack": "takeover", "support": "customer", "assistant": "general", "device": "agent_user",
    "about": "trigger",
}  # fmt: skip
TEST_KINDS = {
    "clean_benign_200": "general", "cse_frr_en": "coding", "xstest_safe": "trigger",
    "bipia_attack_alone": "quiet order",
}  # fmt: skip

Row = dict[str, Any]


def messages() -> Iterator[Row]:
    """Texts of the user's channel with ``label`` 1 for an attack."""
    seen: set[tuple[str, str]] = set()
    for row in (*_fitted(), *_measured()):
        mark = fingerprint(row["text"]), fingerprint(row["text"][-200:])
        if len(row["text"]) > 1 and mark not in seen:
            seen.add(mark)
            yield row


def dangers() -> Iterator[Row]:
    """Messages with ``label`` 1 for a danger: written ones that were held out, and harmless ones of ``messages``."""
    before = {fingerprint(r["text"]) for r in written("intent_safety")}
    folder = Path(__file__).parent / "written" / "intent_safety"
    for file in sorted(folder.glob("heldout.*.jsonl")):
        hand = file.name.split(".")[2]
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            if fingerprint(row["text"]) not in before:
                kind, src = row["label"], f"written {hand if hand != 'jsonl' else 'first'}"
                yield _row(row["text"], int(kind != "none"), src, kind, row["lang"])
    for row in messages():
        if not row["label"] and row["src"] != "written_intent":
            yield row


def _fitted() -> Iterator[Row]:
    by: dict[tuple[str, int], list[Row]] = {}
    for row in rows("injection/test"):
        if row["src"] not in ("bipia_attack", "bipia_ctx"):
            by.setdefault((row["src"], row["label"]), []).append(row)
    for (src, label), many in sorted(by.items()):
        kind = TEST_KINDS.get(src, "takeover" if label else "customer")
        for row in _some(many):
            yield _row(row["text"], label, src, kind, row["lang"])
    for row in written("injection", "heldout"):
        if row["cat"] not in ("indirect", "document"):
            yield _row(row["text"], row["label"], "written", KINDS.get(row["cat"], row["cat"]), row["lang"])
    folder = Path(__file__).parent / "written" / "intent_safety"
    new = [file for file in sorted(folder.glob("train.*.jsonl")) if any(name in file.name for name in NEW_INTENTS)]
    found = [json.loads(line) for file in new for line in file.read_text(encoding="utf-8").splitlines()]
    for row in _some(found, 6 * EACH):
        kind = "customer" if row["label"] == "none" else "danger"
        yield _row(row["text"], 0, "written_intent", kind, row["lang"])
    for text in _some(_users("agents/tau_bench")):
        yield _row(text, 0, "tau_bench", "agent_user", "en")


def _measured() -> Iterator[Row]:
    for name, key in (("quality/autoj/critique_test", "prompt"), ("quality/llmbar/all", "input")):
        for row in _some(rows(name)):
            yield _row(row[key], 0, name.split("/")[1], "general", "en", fit=False)
    for row in _some(rows("quality/pandalm/testset")):
        yield _row(f"{row['instruction']}\n{row['input'] or ''}", 0, "pandalm", "general", "en", fit=False)
    for text in _some(_users("agents/agentdyn_runs")):
        yield _row(text, 0, "agentdyn", "agent_user", "en", fit=False)
    for row in _some(rows("sentiment/airline_tweets/all")):
        yield _row(row["text"], 0, "airline_tweets", "customer", "en", fit=False)
    turns = (turn for name in ("mwoz", "sgd") for r in rows(f"satisfaction/uss/{name}") for turn in r["turns"])
    for text in _some(turn["text"] for turn in turns if turn["role"] == "USER" and len(turn["text"]) > 10):
        yield _row(text, 0, "uss", "agent_user", "en", fit=False)
    for label, row in _table("redteam/conv_jailbreak/prompt_injection_dataset.csv"):
        yield _row(row["text"], label, "conv_jailbreak", "takeover" if label else "general", "en", fit=False)
    for _, row in _table("redteam/prompt_leakage/safetyfinetuning__prompt-leakage-finetune.csv"):
        yield _row(row["prompt"], 1, "prompt_leakage", "extraction", "en", fit=False)
    file = data_root() / "redteam/session_attacks/datasets__or_bench_sample.json"
    for row in json.loads(file.read_text(encoding="utf-8"))["prompts"]:
        yield _row(row["content"]["prompt"], 0, "or_bench", "trigger", "en", fit=False)


def _table(name: str) -> Iterator[tuple[int, Row]]:
    """Some rows of a table, with 0 for those that it calls benign."""
    with (data_root() / name).open(encoding="utf-8", newline="") as lines:
        many = list(csv.DictReader(lines))
    for label in (0, 1):
        for row in _some(r for r in many if ("BENIGN" not in r.get("label", "")) == bool(label)):
            yield label, row


def _users(name: str) -> Iterator[str]:
    """What the users of recorded runs wrote, each once."""
    seen: set[str] = set()
    for row in rows(name):
        for message in row["messages"]:
            content = message.get("content") or ""
            text = content if isinstance(content, str) else " ".join(str(part.get("content") or "") for part in content)
            if message["role"] == "user" and fingerprint(text) not in seen:
                seen.add(fingerprint(text))
                yield text


def _some(found: Iterable[Any], most: int = EACH) -> list[Any]:
    many = list(found)
    return random.Random(1).sample(many, min(most, len(many)))


def _row(text: str, label: int, src: str, kind: str, lang: str, *, fit: bool = True) -> Row:
    shown = clean(text if len(text) <= 900 else window(text, random.Random(len(text))))[:900]
    return {"text": shown, "label": label, "src": src, "kind": kind, "lang": lang, "fit": fit}
