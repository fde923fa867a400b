"""Writes what the networks are measured on while they are trained: whole sources and languages, and blind sets.

``pages-held.jsonl.gz`` has documents, ``acts-held.jsonl.gz`` answers and messages, ``guard-held.jsonl.gz`` attacks and
dangers, ``claims-blind.jsonl.gz`` and ``decode.jsonl.gz`` pairs. Of the blind sets only those for development are read.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from training.data import clean, read, rows, written
from training.guards import LEFT, LEFT_TONGUES
from training.splits import fingerprint

__all__ = ["answers", "claims", "documents", "drafts", "guarded", "messages", "talk"]

BLIND = Path(__file__).resolve().parents[1] / "benchmarks" / "blind"
DANGERS = {"legal": "legal_threat", "press": "media_complaint", "safety": "safety_incident", "self_harm": "self_harm"}
EACH = 400


def _blind(part: str) -> Iterator[dict[str, Any]]:
    for file in sorted((BLIND / part).glob("dev*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def documents(data: Path) -> Iterator[dict[str, Any]]:
    """Documents of sources and languages that are left out, of the test set, and of the blind set."""
    dice = random.Random(3)
    guard = [r for r in read(data / "guard.jsonl.gz") if r["ch"] == "document" and r["part"] == "train"]
    some = {
        "kubernetes": [r for r in guard if r["src"] == "kubernetes_docs"],
        "piarena": [r for r in guard if r["src"] in ("piarena", "piarena_ctx")],
        **{
            f"composed {tongue}": [r for r in guard if r["lang"] == tongue and r["src"].startswith("composed")]
            for tongue in sorted(LEFT_TONGUES)
        },
        "bipia": [r for r in rows("injection/test") if r["src"] in ("bipia_attack", "bipia_ctx")],
        "blind": [
            {"text": r["text"], "label": int(r["label"] == "attack")}
            for r in _blind("injection")
            if r["channel"] in ("document", "tool")
        ],
    }
    for name, many in some.items():
        for label in (0, 1):
            chosen = [r for r in many if r["label"] == label]
            for row in dice.sample(chosen, min(EACH, len(chosen))):
                yield {"set": name, "text": clean(row["text"])[:900], "label": label}


def messages(data: Path) -> Iterator[dict[str, Any]]:
    """Messages of the blind set, those written apart, and general messages of sources that are left out."""
    for row in _blind("danger"):
        yield {"set": "danger blind", "text": clean(row["text"]), "label": DANGERS.get(row["label"], "none")}
    before = {fingerprint(r["text"]) for r in written("intent_safety")}
    for row in written("intent_safety", "heldout"):
        if fingerprint(row["text"]) not in before:
            yield {"set": "danger written", "text": clean(row["text"]), "label": row["label"]}
    left = [r for r in read(data / "guard.jsonl.gz") if r["src"] in LEFT and r["ch"] == "user" and not r["label"]]
    for row in random.Random(4).sample(left, min(1500, len(left))):
        yield {"set": "danger general", "text": clean(row["text"])[:600], "label": "none"}
    support = [r for r in rows("injection/test") if r["src"] in ("banking77", "bitext", "clinc150", "xsid")]
    for row in random.Random(4).sample(support, min(2000, len(support))):
        yield {"set": "danger support", "text": clean(row["text"])[:600], "label": "none"}


def guarded(data: Path) -> Iterator[dict[str, Any]]:
    """Attacks (``y``) by channel, and dangers, each beside harmless texts of the same hands and of sources left out."""
    attacks = ("takeover", "extraction", "jailbreak", "framed_document", "quiet_document")
    for row in _blind("injection"):
        channel = "user" if row["channel"] == "user" else "document"
        attack = int(row["label"] == "attack")
        yield {"set": f"attack blind {channel}", "ch": channel, "text": clean(row["text"])[:1500], "y": attack}
    for row in _blind("messages"):
        channel, text = "user" if row["channel"] == "user" else "document", clean(row["text"])[:1500]
        yield {"set": f"attack messages {channel}", "ch": channel, "text": text, "y": int(row["kind"] in attacks)}
        if channel == "user" and row["kind"] not in attacks:
            yield {"set": "danger messages", "ch": channel, "text": text, "y": int(row["kind"] in DANGERS)}
    for row in messages(data):
        yield {"set": row["set"], "ch": "user", "text": row["text"], "y": int(row["label"] != "none")}
        if row["set"] in ("danger general", "danger support"):
            yield {"set": row["set"].replace("danger", "attack"), "ch": "user", "text": row["text"], "y": 0}
    by: dict[str, list[dict[str, Any]]] = {}
    for row in rows("injection/test"):
        by.setdefault(row["src"], []).append(row)
    for name, many in sorted(by.items()):
        for row in random.Random(4).sample(many, min(150, len(many))):
            text, channel = clean(row["text"])[:1500], "document" if "bipia" in name else "user"
            yield {"set": f"attack test {name}", "ch": channel, "text": text, "y": row["label"]}


def answers() -> Iterator[dict[str, Any]]:
    """Answers that gave in or did not, and drafts with promises."""
    for row in _blind("attack"):
        if row["kind"] == "commitment":
            yield {"set": "acts blind", "customer": row["attacker"], "answer": row["answer"], "y": int(row["gave_in"])}
    for row in _blind("answers"):
        if row["kind"] == "promise" and not (row["label"] == "send" and row["tool_calls"]):
            yield {
                "set": "acts drafts",
                "customer": row["customer"],
                "answer": row["draft"],
                "y": int(row["label"] == "stop"),
            }


def drafts() -> Iterator[dict[str, Any]]:
    """Whole answers against all of their sources, of the blind set: right (``y``) or wrong."""
    for row in _blind("answers"):
        if row["kind"] == "answer":
            told = [*row["sources"], *(json.dumps(c["result"], ensure_ascii=False) for c in row["tool_calls"])]
            yield {"p": clean(" ".join(told)), "h": clean(row["draft"]), "y": int(row["label"] == "send")}


def claims() -> Iterator[dict[str, Any]]:
    """Claims against a source, of the blind set."""
    names = {"entailed": "entailment", "neutral": "neutral", "contradicted": "contradiction"}
    for row in _blind("facts"):
        yield {"p": clean(row["source"]), "h": clean(row["claim"]), "y": names[row["label"]], "lang": row["lang"]}


def talk() -> Iterator[dict[str, Any]]:
    """Turns of a dialogue that contradict each other, and turns of two dialogues that do not; only measured on."""
    some = random.Random(6).sample([*rows("contradiction/decode_pairs")], 4000)
    for at, row in enumerate(some):
        if at % 2:
            yield {"p": clean(row["premise"]), "h": clean(row["hypothesis"]), "y": "contradiction"}
        else:
            yield {"p": clean(row["premise"]), "h": clean(some[at - 1]["hypothesis"]), "y": "neutral"}


def main() -> None:
    """Write all files into the folder of packed data."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("data", type=Path)
    told = ask.parse_args()
    made = {
        "pages-held": documents(told.data),
        "acts-held": (*messages(told.data), *answers()),
        "guard-held": guarded(told.data),
        "claims-blind": claims(),
        "drafts-blind": drafts(),
        "decode": talk(),
    }
    for name, found in made.items():
        count = 0
        with gzip.open(told.data / f"{name}.jsonl.gz", "wt", encoding="utf-8") as out:
            for row in found:
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
        print(name, count)


if __name__ == "__main__":
    main()
