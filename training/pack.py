"""Writes the compact training files: one gzip of JSON lines per task, licences checked, leakage removed."""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import random
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from proctor.lexicon.danger import dangers
from proctor.models.local.evidence import select_evidence, sentences
from training.augment import CATEGORIES, category, constructed, noisy, window
from training.data import clean, parallel, rows, shippable, written
from training.pairs import changed_claims, recombined
from training.splits import held_out, once, without_leakage

__all__ = [
    "commands",
    "distil_rows",
    "everyday",
    "grounding_rows",
    "injection_rows",
    "intent_rows",
    "nli_rows",
    "silver_pairs",
    "statements",
]

SUPPORT = ("banking77", "bitext", "clinc150", "cucom_ecom", "dstc11", "xsid", "turkish_dlg")
# of these two kinds many rows only ask about leaks, or set a scene: with full weight every question in another language
# than English looked like an attack
WEIGHTS = {"Prompt_Leaking": 0.1, "Role_Play_Instruction": 0.4}
NLI_CAPS = {"nli_ja_jsem/all": 7000, "nli_ja_jamp_temporal/train": 4000, "nli_conj/train_auto15k": 5000}


def _text(row: dict[str, Any]) -> str:
    return str(row["text"])


def _documents() -> dict[str, list[str]]:
    pool: dict[str, list[str]] = collections.defaultdict(list)
    for row in filter(shippable, rows("injection/train")):
        if row["src"] == "xquad_ctx":
            pool[row["lang"]].append(row["text"])
        if row["src"] in ("cucom_ecom", "dstc11", "banking77"):
            pool["mail"].append(row["text"])
    for row in rows("grounding/train"):
        if shippable(row) and len(row["context"]) > 120:
            pool["en"].append(row["context"])
    japanese = (r["premise"] for r in rows("nli/train") if r["lang"] == "ja" and shippable(r))
    pool["ja"] += [text for text in japanese if len(text) > 30][:2000]
    pool["words"] = [w for text in pool["en"][:400] for w in text.split() if w.isalpha() and len(w) > 3]
    # our own code, which is free to use; a later version of it gives other rows (see README.md)
    source = Path(__file__).resolve().parents[1] / "src" / "proctor"
    for file in sorted(source.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        pool["code"] += [text[i : i + 600] for i in range(0, min(len(text), 6000), 900)]
    return pool


def injection_rows(extra: int = 24000, seed: int = 5) -> list[dict[str, Any]]:
    """Labelled texts with source, language, category and part (train, dev or calibration)."""
    dice = random.Random(seed)
    test = list(rows("injection/test"))
    kept = once((r for r in rows("injection/train") if shippable(r) and r["text"].strip()), _text)
    kept = without_leakage(kept, test, _text)
    found: list[dict[str, Any]] = []
    for row in kept:
        part = "dev" if held_out(row["text"], 0.12 if row["src"] in SUPPORT else 0.06) else "train"
        weight = WEIGHTS.get(row.get("cat") or "", 1.0)
        text = clean(window(row["text"].replace("{% raw %}", ""), dice))
        found.append(
            {
                "text": text,
                "label": row["label"],
                "cat_id": category(row),
                "src": row["src"],
                "lang": row["lang"],
                "part": part,
                "w": weight,
            }
        )
        if part == "train" and dice.random() < (0.25 if row["label"] else 0.04):
            found.append(found[-1] | {"text": noisy(text, dice)})
    attacks = [
        (r["text"], r["src"])
        for r in found
        if r["label"] and r["part"] == "train" and r["lang"] == "en" and 20 < len(r["text"]) < 300
    ]
    for row in written("injection"):
        own = {"text": clean(row["text"]), "label": row["label"], "src": "written", "lang": row["lang"]}
        cat = CATEGORIES.index(row["cat"]) if row["label"] else -1
        # public attacks are English all but a few
        found.append(own | {"cat_id": cat, "part": "train", "w": 3.0 if row["label"] and row["lang"] != "en" else 2.0})
    # a customer in danger, or one who threatens, is no attacker; other languages have few harmless messages besides
    for row in written("intent_safety"):
        own = {"text": clean(row["text"]), "label": 0, "cat_id": -1, "src": "written_intent", "lang": row["lang"]}
        found.append(own | {"part": "train", "w": 2.0})
    for language, text in statements():
        part = "dev" if held_out(text, 0.06) else "train"
        own = {"text": text, "label": 0, "cat_id": -1, "src": "statement", "lang": language}
        found.append(own | {"part": part, "w": 0.5})
    for text in commands():
        part = "dev" if held_out(text, 0.06) else "train"
        found.append({"text": text, "label": 0, "cat_id": -1, "src": "hwu64", "lang": "en", "part": part, "w": 1.0})
    for row in constructed(_documents(), attacks, extra):
        found.append(row | {"part": "dev" if dice.random() < 0.04 else "train", "w": 1.0})
    return found


def statements(each: int = 500, seed: int = 23) -> Iterator[tuple[str, str]]:
    """Sentences that state something, in languages with few harmless rows: language and text."""
    by: dict[str, set[str]] = collections.defaultdict(set)
    for language, text, _ in parallel():
        by[language].add(clean(text))
    for row in rows("nli/train"):
        if shippable(row) and row["lang"] in ("id", "fa", "pt"):
            by[row["lang"]].add(clean(row["premise"])[:400])
    dice = random.Random(seed)
    for language, texts in sorted(by.items()):
        for text in dice.sample(sorted(texts), min(each, len(texts))):
            yield language, text


def commands(most: int = 5000, seed: int = 17) -> list[str]:
    """Everyday requests to an assistant (HWU64)."""
    texts = sorted({clean(r["text"]) for r in rows("intent/hwu64/all") if len(r["text"]) > 8})
    return random.Random(seed).sample(texts, min(most, len(texts)))


def everyday() -> list[dict[str, Any]]:
    """Harmless messages to translate, so that each language has its own."""
    dice = random.Random(18)
    short = [r for r in rows("injection/train") if shippable(r) and not r["label"] and 15 < len(r["text"]) < 160]
    by = {
        n: [clean(r["text"]) for r in short if r["src"] == n]
        for n in ("self_instruct", "oasst", "bitext", "clinc150", "neuralchemy", "slabs", "banking77", "cucom_ecom")
    }
    texts = [t for many in by.values() for t in dice.sample(many, min(240, len(many)))] + commands(600)
    return [{"text": t} for t in dict.fromkeys(texts) if not held_out(t, 0.12)]


def intent_rows(seed: int = 19) -> list[dict[str, Any]]:
    """Messages with a dangerous intent or none: written ones, and support traffic as more of none."""
    dice = random.Random(seed)
    found = [r | {"part": "train", "w": 1.0, "src": "written"} for r in written("intent_safety")]
    support = [
        r for r in rows("injection/train") if shippable(r) and not r["label"] and r["src"] in (*SUPPORT, "xquad_q")
    ]
    # voice commands in many languages look most like cries for help: all of them are shown
    spoken = [r for r in support if r["src"] in ("xsid", "turkish_dlg")]
    for row in dice.sample(support, min(7000, len(support))) + dice.sample(spoken, min(4000, len(spoken))):
        found.append(
            {
                "text": row["text"][:400],
                "label": "none",
                "lang": row["lang"],
                "part": "train",
                "w": 0.3,
                "src": row["src"],
            }
        )
    # ordinary messages outside English: with the near misses alone a third of them looked dangerous
    for row in written("injection"):
        if not row["label"] and not any(dangers(row["text"])):
            own = {"text": row["text"][:400], "label": "none", "lang": row["lang"]}
            found.append(own | {"part": "train", "w": 1.0, "src": "written_harmless"})
    for language, text in statements(150):
        found.append({"text": text, "label": "none", "lang": language, "part": "train", "w": 0.3, "src": "statement"})
    return found + [r | {"part": "heldout", "src": "written"} for r in written("intent_safety", "heldout")]


def nli_rows(seed: int = 5) -> list[dict[str, Any]]:
    """Labelled pairs that may ship, capped where a source is made from templates."""
    dice = random.Random(seed)
    held = {
        (clean(r["premise"]).lower(), clean(r["hypothesis"]).lower()) for n in ("nli/dev", "nli/test") for r in rows(n)
    }
    by: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for row in rows("nli/train"):
        pair = clean(row["premise"]), clean(row["hypothesis"])
        if shippable(row) and (pair[0].lower(), pair[1].lower()) not in held:
            by[row["source"]].append(
                {"p": pair[0], "h": pair[1], "y": row["label"], "src": row["source"], "lang": row["lang"]}
            )
    found = []
    for source, many in by.items():
        dice.shuffle(many)
        found += many[: NLI_CAPS.get(source, len(many))]
    for row in written("nli"):
        own = {"p": clean(row["premise"]), "h": clean(row["hypothesis"]), "y": row["label"]}
        found.append(own | {"src": "written", "lang": row["lang"]})
    return found


def silver_pairs() -> list[dict[str, Any]]:
    """Pairs with no label of their own, in several languages, beside their English, for the teacher to judge."""
    found: list[dict[str, Any]] = []
    for name in ("paraphrase/paws/pawsx_dev",):
        seen: dict[str, int] = collections.Counter()
        groups: dict[int, dict[str, list[str]]] = collections.defaultdict(dict)
        for row in rows(name):
            number = row.get("idx", seen[row["lang"]])
            seen[row["lang"]] += 1
            if row["sentence1"] and row["sentence2"]:
                groups[number][row["lang"]] = [clean(row["sentence1"]), clean(row["sentence2"])]
        found += [{"en": g.pop("en"), "other": g} for g in groups.values() if "en" in g]
    return found


def distil_rows() -> list[dict[str, Any]]:
    """English sentences with their translations."""
    by: dict[str, dict[str, str]] = collections.defaultdict(dict)
    for language, text, english in parallel():
        by[clean(english)][language] = clean(text)
    for name in ("xsafety_attack", "xsafety_commonsense"):
        lists: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
        for row in rows("injection/train"):
            if row["src"] == name and shippable(row):
                lists[row["cat"], row["lang"]].append(clean(row["text"]))
        for (kind, language), texts in lists.items():
            twin = lists[kind, "en"]
            if language != "en" and len(texts) == len(twin):  # equal lists are in one order; a shorter one is not
                for english, text in zip(twin, texts, strict=True):
                    by[english][language] = text
    return [{"en": english, "other": other} for english, other in by.items()]


def grounding_rows() -> list[dict[str, Any]]:
    """Context, response and label, the context cut to the evidence for the response."""
    found = []
    for row in rows("grounding/train"):
        response = clean(row["response"])[:900]
        question = row.get("question")
        if question and row["source"] == "halueval_qa":
            response = clean(question)[:200] + " " + response
        whole = row["context"]
        claims = sentences(response)[:8]
        found.append(
            {
                "p": clean(select_evidence(whole, response)),
                "h": response,
                "y": row["label"],
                "src": row["source"],
                "ok": shippable(row),
                "claims": [[clean(select_evidence(whole, c, budget=600)), c] for c in claims]
                if len(claims) > 1
                else [],
            }
        )
    return found


def _write(path: Path, found: Iterable[dict[str, Any]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=9) as out:
        count = 0
        for row in found:
            out.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
            count += 1
    print(path.name, count, f"{path.stat().st_size / 1e6:.1f} MB", file=sys.stderr)


def main() -> None:
    """Write every file into the folder named on the command line."""
    ask = argparse.ArgumentParser()
    ask.add_argument("out", type=Path)
    ask.add_argument(
        "--only",
        nargs="*",
        default=["injection", "nli", "silver", "distil", "grounding", "judge", "everyday", "intents", "more"],
    )
    ask.add_argument("--extra", type=int, default=24000, help="documents with and without an instruction put into them")
    told = ask.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    makers: dict[str, Any] = {
        "injection": lambda: injection_rows(told.extra),
        "nli": nli_rows,
        "silver": silver_pairs,
        "distil": distil_rows,
        "grounding": grounding_rows,
        "everyday": everyday,
        "intents": intent_rows,
        "more": lambda: changed_claims() + recombined(nli_rows(), 90000),
        "judge": lambda: [
            {
                "p": clean(r["premise"]),
                "h": clean(r["hypothesis"]),
                "y": r["label"],
                "src": r["source"],
                "lang": r["lang"],
            }
            for n in ("nli/dev", "nli/test")
            for r in rows(n)
            if "americas" not in r["source"]
        ],
    }
    for name in told.only:
        _write(told.out / f"{name}.jsonl.gz", makers[name]())


if __name__ == "__main__":
    main()
