"""Measures the shipped models and writes the tables of docs/models*.md: held-out sources only, intervals everywhere."""

from __future__ import annotations

import argparse
import base64
import codecs
import collections
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from training.calibrate import threshold
from training.data import rows, written
from training.figures import share
from training.measure_texts import entity_tables, grounding_table, intent_tables, similarity_table

__all__ = ["encoded", "injection_tables", "nli_table", "write_tables"]

PARTS = ("injection", "languages", "nli", "grounding", "similarity", "intents", "entities", "speed")
SUPPORT = ("banking77", "bitext", "clinc150", "xsid")


def encoded(text: str, kind: str) -> str:
    """The text in one of the encodings attackers use."""
    makers: dict[str, Callable[[str], str]] = {
        "tags": lambda t: "Hello " + "".join(chr(0xE0000 + ord(c)) for c in t if 0x20 <= ord(c) < 0x7F),
        "variation selectors": lambda t: (
            "😀" + "".join(chr(0xFE00 + b if b < 16 else 0xE0100 + b - 16) for b in t.encode())
        ),
        "hex": lambda t: t.encode().hex(),
        "rot13": lambda t: codecs.encode(t, "rot13"),
        "bare base64": lambda t: base64.b64encode(t.encode()).decode(),
        "reversed": lambda t: t[::-1],
    }
    return makers[kind](text)


ENCODINGS = ("tags", "variation selectors", "hex", "rot13", "bare base64", "reversed")


def _logits(model: Any, texts: Sequence[str]) -> np.ndarray:
    return np.array([r.logit for i in range(0, len(texts), 256) for r in model.readings(texts[i : i + 256])])


def injection_tables(model: Any, limit: int | None, out: list[str]) -> None:
    """Recall and false positives by source and language, encodings, and the translated attacks."""
    test = list(rows("injection/test"))
    if limit:
        random.Random(1).shuffle(test)
        test = test[:limit]
    score = _logits(model, [r["text"] for r in test])
    label = np.array([r["label"] for r in test])
    source = np.array([r["src"] for r in test])
    support = np.isin(source, SUPPORT) & (label == 0)
    own = model.threshold("1%"), model.threshold("0.1%")
    settings = model.settings()
    cuts = [(np.log(p / (1 - p)) - settings["offset"]) / settings["slope"] for p in own]
    here = threshold(score[support], 0.01)
    out.append(
        "\n| source | wanted | n | flagged, shipped `1%` | flagged, shipped `0.1%` "
        "| flagged, threshold at 1 % of this support traffic |\n|---|---|---|---|---|---|"
    )
    recalls = []
    for name, wanted in sorted({(s, int(y)) for s, y in zip(source, label, strict=True)}, key=lambda x: (-x[1], x[0])):
        mine = score[(source == name) & (label == wanted)]
        cells = [share(int((mine > cut).sum()), len(mine)) for cut in (*cuts, here)]
        out.append(f"| {name} | {'attack' if wanted else 'benign'} | {len(mine)} | " + " | ".join(cells) + " |")
        if wanted:
            recalls.append([(mine > cut).mean() for cut in (*cuts, here)])
    out.append("| **mean over attack sources** | | | " + " | ".join(f"**{x:.3f}**" for x in np.mean(recalls, 0)) + " |")
    out.append(
        "| **all support benign** | | "
        + f"{int(support.sum())} | "
        + " | ".join(share(int((score[support] > c).sum()), int(support.sum())) for c in (*cuts, here))
        + " |"
    )
    out.append(
        "\nBenign flagged on xsid by language (shipped `0.1%`): "
        + ", ".join(
            f"{lang} {(score[(source == 'xsid') & (np.array([r['lang'] for r in test]) == lang)] > cuts[1]).mean():.4f}"
            for lang in sorted({r["lang"] for r in test if r["src"] == "xsid"})
        )
    )
    _encodings(model, test, score, cuts[1], out)


def _encodings(model: Any, test: list[dict[str, Any]], score: np.ndarray, cut: float, out: list[str]) -> None:
    found = [
        r["text"]
        for r, s in zip(test, score, strict=True)
        if r["label"] and s > cut and len(r["text"]) < 600 and r["text"].isascii()
    ][:120]
    out.append(f"\n| encoding of {len(found)} attacks found in clear | still found |\n|---|---|")
    for kind in ENCODINGS:
        hits = int((_logits(model, [encoded(t, kind) for t in found]) > cut).sum())
        out.append(f"| {kind} | {share(hits, len(found))} |")


def languages_table(model: Any, out: list[str]) -> None:
    """Recall and false alarms by language, on texts written apart from all training rows, the same in each language."""
    settings = model.settings()
    cuts = [
        (np.log(p / (1 - p)) - settings["offset"]) / settings["slope"]
        for p in (model.threshold("1%"), model.threshold("0.1%"))
    ]
    out.append(
        "\n| language | attacks | found, `1%` | found, `0.1%` | harmless | flagged, `1%` | flagged, `0.1%` |"
        "\n|---|---|---|---|---|---|---|"
    )
    by: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for row in written("injection", "heldout"):
        by[row["lang"]].append(row)
    for language in sorted(by, key=lambda x: (x != "en", x)):
        score = _logits(model, [r["text"] for r in by[language]])
        cells = [language]
        for wanted in (1, 0):
            mine = score[np.array([r["label"] == wanted for r in by[language]])]
            cells += [str(len(mine)), *(share(int((mine > cut).sum()), len(mine)) for cut in cuts)]
        out.append("| " + " | ".join(cells) + " |")


def nli_table(model: Any, limit: int, out: list[str]) -> None:
    """Accuracy of the shipped int8 network by set and language."""
    labels = ("entailment", "neutral", "contradiction")
    by: dict[tuple[str, str], list[dict[str, Any]]] = collections.defaultdict(list)
    for name in ("nli/test", "nli/dev"):
        for row in rows(name):
            if "americas" not in row["source"]:
                by[row["source"], row["lang"]].append(row)
    out.append("\n| set | language | n | accuracy |\n|---|---|---|---|")
    for (name, language), many in sorted(by.items()):
        some = random.Random(1).sample(many, min(limit * (3 if "heldout" in name or "jnli" in name else 1), len(many)))
        seen = [
            x
            for i in range(0, len(some), 64)
            for x in model.judge([(r["premise"], r["hypothesis"]) for r in some[i : i + 64]])
        ]
        right = sum(labels[int(np.argmax(s))] == r["label"] for s, r in zip(seen, some, strict=True))
        out.append(f"| {name} | {language} | {len(some)} | {share(right, len(some))} |")


def cut(text: str, most: int) -> str:
    """The first words of a text, at most so many pieces."""
    from proctor.models.local.model_registry import pieces_of

    words = text.split()
    while len(pieces_of(None).numbers([" ".join(words)])[0]) > most:
        words.pop()
    return " ".join(words)


def speed_table(injection: Any, entailer: Any, out: list[str]) -> None:
    """CPU milliseconds, one thread, of support messages through the whole cascade, and of one claim."""
    messages = [r["text"] for r in rows("injection/test") if r["src"] in SUPPORT]
    messages = random.Random(3).sample(messages, 400)
    long = (
        "I ordered two blue shirts last week and the parcel has not arrived yet, could you please check where it "
        "is and tell me when I can expect it at my home, thank you very much"
    )
    passage = " ".join(
        [
            "The parcel was sent on Monday from our store in Osaka and will be delivered within five working "
            "days to the given address."
        ]
        * 3
    )
    passage = cut(passage, 64)
    cases: list[tuple[str, Callable[[], Any], int]] = [
        ("support messages, cascade", lambda: None, 400),
        ("one message of 41 pieces, cascade", lambda: injection.readings([long]), 60),
        (
            "one claim against a 64-piece passage",
            lambda: entailer.judge([(passage, "The parcel arrives within a week.")]),
            60,
        ),
    ]
    out.append("\n| what | CPU ms p50 | CPU ms p95 |\n|---|---|---|")
    injection.readings(messages[:5])
    entailer.judge([(passage, "warm")])
    for name, work, times in cases:
        taken = []
        for i in range(times):
            began = time.process_time()
            injection.readings([messages[i]]) if name.startswith("support") else work()
            taken.append((time.process_time() - began) * 1e3)
        out.append(f"| {name} | {np.percentile(taken, 50):.2f} | {np.percentile(taken, 95):.2f} |")


def write_tables(docs: Path, folder: Path) -> None:
    """Put the measured tables into the page, between ``<!-- table: part -->`` and ``<!-- end -->``."""
    page = docs.read_text(encoding="utf-8")
    for file in sorted(folder.glob("*.md")):
        start = f"<!-- table: {file.stem} -->"
        if start in page:
            before, rest = page.split(start, 1)
            after = rest.split("<!-- end -->", 1)[1]
            page = f"{before}{start}\n{file.read_text(encoding='utf-8')}\n<!-- end -->{after}"
    docs.write_text(page, encoding="utf-8")


def main() -> None:
    """Measure and write one Markdown file per part."""
    ask = argparse.ArgumentParser()
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--parts", nargs="*", default=[*PARTS])
    ask.add_argument("--limit", type=int, default=1500, help="rows per set for entailment and grounding")
    ask.add_argument("--test-limit", type=int, help="rows of injection/test")
    ask.add_argument("--data", type=Path, help="packed data, for grounding")
    ask.add_argument("--readings", type=Path, help="folder of the grounding-*.npz that training left")
    ask.add_argument("--weights", type=Path, help="another folder of weights than the shipped one")
    ask.add_argument("--docs", type=Path, nargs="*", default=[], help="the pages to put the tables into")
    told = ask.parse_args()
    from training.shipped import Shipped

    shipped = Shipped(told.weights)
    makers: dict[str, Callable[[list[str]], None]] = {
        "injection": lambda out: injection_tables(shipped, told.test_limit, out),
        "languages": lambda out: languages_table(shipped, out),
        "nli": lambda out: nli_table(shipped, told.limit, out),
        "grounding": lambda out: grounding_table(shipped, told.data, told.readings, out),
        "similarity": lambda out: similarity_table(shipped, out),
        "intents": lambda out: intent_tables(shipped, out),
        "entities": lambda out: entity_tables(shipped, out),
        "speed": lambda out: speed_table(shipped, shipped, out),
    }
    told.out.mkdir(parents=True, exist_ok=True)
    for part in told.parts:
        out: list[str] = []
        makers[part](out)
        (told.out / f"{part}.md").write_text("\n".join(out) + "\n", encoding="utf-8")
        print("\n".join(out), flush=True)
    for page in told.docs:
        write_tables(page, told.out)


if __name__ == "__main__":
    main()
