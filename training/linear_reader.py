"""Trains the first look of the reader: which short messages hold neither a name nor a danger, told without the network.

``label OUT [WEIGHTS]`` lets the reader say what it finds in the training rows (4 to 8 ms a row), and
``train LABELS WEIGHTS`` fits a logistic regression to that, and to what people marked where they did. Japanese captions
and other texts that are no messages get no word in what is dangerous: the reader cries wolf there.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proctor.models.local.entities import LEAST
from proctor.models.local.linear_prefilter import KNOWN_BITS, SHORT, SIZE, known_place, marks, words_of
from proctor.models.local.ngrams import BITS, features
from training.calibrate import manifest
from training.data import rows, shippable, written
from training.splits import fingerprint, held_out

__all__ = ["cut_of", "fit", "messages", "seen", "word_tables"]

MOST = 4000  # rows of a source; of those that are support traffic, all
SUPPORT = ("banking77", "bitext", "clinc150")
MESSAGES = (*SUPPORT, "cucom_ecom", "dstc11", "xsid", "turkish_dlg", "hwu64", "neuralchemy")
FOLDS = 4
PRIVATE, OTHER = {"PERSON", "ADDRESS"}, {"PLACE", "ORG"}

Row = dict[str, Any]


def messages(seed: int = 31) -> list[Row]:
    """The rows to be labelled: text, source, language, part, and what people marked (kinds of names, or the intent)."""
    dice = random.Random(seed)
    return _without_copies([*_harmless(dice), *_marked(), *_tests(dice)])


def _row(text: str, src: str, lang: str, part: str, gold: Any = None) -> Row:
    part = "dev" if part == "train" and held_out(text, 0.1, "reader") else part
    return {"text": text.strip(), "src": src, "lang": lang, "part": part, "gold": gold}


def _harmless(dice: random.Random) -> Iterable[Row]:
    """Messages and other texts that nobody marked: what stands in them is for the reader to say."""
    from training.pack import commands

    by: dict[str, list[Row]] = collections.defaultdict(list)
    for row in rows("injection/train"):
        if shippable(row) and not row["label"] and len(row["text"]) <= SHORT:
            by[row["src"]].append(row)
    for source, many in by.items():
        for row in many if source in SUPPORT else dice.sample(many, min(MOST, len(many))):
            yield _row(row["text"], source, row["lang"], "train")
    for text in commands(6000):
        yield _row(text, "hwu64", "en", "train")
    japanese = [r for r in rows("nli/train") if r["lang"] == "ja" and shippable(r)]
    for row in dice.sample(japanese, min(MOST, len(japanese))):
        yield _row(row["premise"], "nli_ja", "ja", "train")
    for row in written("injection"):
        yield _row(row["text"], "written_injection", row["lang"], "train") | {"part": "train"}


def _marked() -> Iterable[Row]:
    """Messages whose intent was written for, and texts whose names were marked."""
    from training.entity_public import held_out as template_out
    from training.entity_public import labelled
    from training.entity_templates import templated

    for row in written("intent_safety"):
        yield _row(row["text"], "written_intent", row["lang"], "train", row["label"])
    for lang in ("en", "ja"):
        for made in templated(lang, 7000):
            yield _row(made.text, "templates", lang, "train", sorted({kind for *_, kind in made.spans}))
    for made, template in labelled():
        part = {"part": "test" if template_out(template) else "train"}
        yield _row(made.text, made.src, "en", "train", sorted({kind for *_, kind in made.spans})) | part


def _tests(dice: random.Random) -> Iterable[Row]:
    def made(text: str, src: str, lang: str, gold: Any = None) -> Row:
        return {"text": text.strip(), "src": src, "lang": lang, "part": "test", "gold": gold}

    harmless = [r for r in rows("injection/test") if not r["label"] and 0 < len(r["text"].strip()) <= SHORT]
    many = [r for r in harmless if r["src"] == "xsid"]
    for row in [r for r in harmless if r["src"] != "xsid"] + dice.sample(many, min(2500, len(many))):
        yield made(row["text"], row["src"], row["lang"])
    for row in written("intent_safety", "heldout"):
        yield made(row["text"], "written_intent", row["lang"], row["label"])
    for row in written("entities", "heldout"):
        if len(row["text"]) <= SHORT:
            yield made(row["text"], "hand", row["lang"], sorted({kind for *_, kind in row["spans"]}))


def _without_copies(found: Sequence[Row]) -> list[Row]:
    held = {fingerprint(row["text"]) for row in found if row["part"] == "test"}
    kept: dict[str, Row] = {}
    for row in sorted(found, key=lambda r: ("test", "dev", "train").index(r["part"])):
        if not 0 < len(row["text"]) <= SHORT or row["text"] in kept:
            continue
        if row["part"] == "test" or fingerprint(row["text"]) not in held:
            kept[row["text"]] = row
    return list(kept.values())


def seen(row: Row, cut: float) -> Row:
    """What a labelled row says: what is to be learnt, and what the reader found that it was right to find."""
    gold = row["gold"]
    kinds = {kind for kind, score, _ in row["found"] if score >= LEAST}
    risky = row["risk"] > cut
    named = set(gold) if isinstance(gold, list) else kinds
    danger = gold != "none" if isinstance(gold, str) else risky if row["src"] in MESSAGES else None
    return row | {
        "use": not (danger is None and risky and not named),
        "hold": bool(named) or bool(danger),
        "something": bool(kinds) or risky,
        "private": bool(kinds & PRIVATE) and (not isinstance(gold, list) or bool(set(gold) & PRIVATE)),
        "other": bool(kinds & OTHER) and (not isinstance(gold, list) or bool(set(gold) & OTHER)),
        "danger": risky and danger is True,
    }


def word_tables(found: Sequence[Row]) -> tuple[bytes, bytes]:
    """The bits of words that stand in messages that hold nothing, and of words that people's names have."""
    plain, named, every = collections.Counter[str](), collections.Counter[str](), collections.Counter[str]()
    for row in found:
        words = set(words_of(row["text"]))
        every.update(words)
        if not row["hold"]:
            plain.update(words)
        if not isinstance(row["gold"], list) or "PERSON" in row["gold"]:
            inside = {w for kind, score, t in row["found"] if kind == "PERSON" and score >= LEAST for w in words_of(t)}
            named.update(word for word in inside if word.isalpha() and len(word) > 1)
    names = {word for word, count in named.items() if count >= 0.3 * every[word]}
    return _bits(w for w, count in plain.items() if count > 1 and w not in names), _bits(names)


def _bits(words: Iterable[str]) -> bytes:
    table = bytearray(2**KNOWN_BITS // 8)
    for word in words:
        place = known_place(word)
        table[place >> 3] |= 1 << (place & 7)
    return bytes(table)


def _matrix(texts: Sequence[str], tables: Sequence[tuple[bytes, bytes]]) -> tuple[Any, np.ndarray]:
    from scipy.sparse import csr_matrix

    numbers, ends, telling = list[Any](), [0], list[bool]()
    for text, (known, names) in zip(texts, tables, strict=True):
        found, tells = marks(text, known, names)
        mine = np.concatenate([features(text), np.fromiter(found, np.int32) + 2**BITS])
        numbers.append(mine.astype(np.int32))
        ends.append(ends[-1] + len(mine))
        telling.append(tells)
    whole = np.concatenate(numbers)
    shape = (len(texts), SIZE)
    return csr_matrix((np.ones(len(whole), np.float32), whole, np.array(ends)), shape=shape), np.array(telling)


def fit(found: Sequence[Row], *, strength: float = 0.01, seed: int = 4) -> tuple[np.ndarray, float, float]:
    """Weights as int8, their scale and the bias. A row's words are looked up in tables made without its fold."""
    from sklearn.linear_model import LogisticRegression

    dice = random.Random(seed)
    folds = [dice.randrange(FOLDS) for _ in found]
    made = [word_tables([r for r, f in zip(found, folds, strict=True) if f != fold]) for fold in range(FOLDS)]
    nobody = bytes(2**KNOWN_BITS // 8)  # for three rows of ten: a name that nobody has heard of must be found too
    tables = [(made[f][0], nobody) if dice.random() < 0.3 else made[f] for f in folds]
    matrix, _ = _matrix([r["text"] for r in found], tables)
    wanted = np.array([r["hold"] for r in found])
    care = np.array([12.0 if isinstance(r["gold"], str) else 3.0 for r in found])  # a cry for help is rare and dear
    model = LogisticRegression(C=strength, max_iter=60, tol=1e-3)
    model.fit(matrix, wanted, sample_weight=np.where(wanted, care, 1.0))
    flat = model.coef_[0]
    scale = float(min(np.abs(flat).max(), np.quantile(np.abs(flat), 0.99995) * 1.5) / 127)
    return np.clip(np.round(flat / scale), -127, 127).astype(np.int8), scale, float(model.intercept_[0])


def cut_of(scores: np.ndarray, loss: float) -> float:
    """The score below which at most that share of what holds something lies."""
    return float(np.quantile(scores, loss, method="lower"))


def main() -> None:
    """Label, or train and say what is lost."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("what", choices=["label", "train"])
    ask.add_argument("labels", type=Path)
    ask.add_argument("weights", type=Path, nargs="?")
    ask.add_argument("--loss", type=float, default=0.004, help="of names and dangers that the reader finds")
    told = ask.parse_args()
    if told.what == "label":
        _label(told.labels, told.weights)
    else:
        _train(told.labels, told.weights, told.loss)


def _label(file: Path, folder: Path | None) -> None:
    from proctor.models.local.reader import LocalReader

    reader = LocalReader(folder=folder, glance=False)
    with gzip.open(file, "wt", encoding="utf-8") as out:
        for row in messages():
            (got,) = reader.readings([row["text"]])
            found = [(each.kind, round(each.score, 4), each.text) for each in got.entities]
            out.write(json.dumps(row | {"risk": 1 - got.shares[0], "found": found}, ensure_ascii=False) + "\n")


def _train(labels: Path, folder: Path, loss: float) -> None:
    from training.glance_figures import figures

    told = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["settings"]
    with gzip.open(labels, "rt", encoding="utf-8") as lines:
        every = [seen(json.loads(line), float(told["reader"]["thresholds"]["1%"])) for line in lines]
    train = [row for row in every if row["part"] == "train" and row["use"]]
    weights, scale, bias = fit(train)
    known, names = word_tables(train)
    held = [row for row in every if row["part"] != "train"]
    matrix, telling = _matrix([row["text"] for row in held], [(known, names)] * len(held))
    scores = np.where(telling, np.inf, matrix @ weights.astype(np.float32) * scale + bias)
    dev = np.array([row["part"] == "dev" for row in held])
    private = np.array([row["private"] for row in held])
    danger = np.array([row["danger"] and row["src"] == "written_intent" for row in held])
    low = cut_of(scores[dev & (private | danger)], loss)
    kept = {"known": np.frombuffer(known, np.uint8), "names": np.frombuffer(names, np.uint8)}
    np.savez_compressed(folder / "glance.npz", weights=weights, scale=scale, bias=bias, **kept)
    told["reader"]["low"] = low
    manifest(folder, told)
    print(f"low {low:.3f}; {len(train)} rows trained on, {len(held)} held out")
    print("\n".join(figures(held, scores < low)))


if __name__ == "__main__":
    main()
