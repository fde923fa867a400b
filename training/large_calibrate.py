"""Weighs the large network (or the multilingual one) against the small ones; makes probabilities of what it says.

``ask DATA TOKENIZER OUT`` writes ``asked.npz``: lines that the large network has to read, each with the logits of the
small network that it is weighed with, its label, and the set it is of. ``fit ASKED SAID`` takes what it says of them
(``said.npy`` of ``low_rank.py``) and prints the weights, and what each set has at one half before and after;
``--write`` puts them into the manifest. ``--talks`` (``talks-said.npz``) fits the probability of a fault. With
``--network multilingual`` the lines are as short as that network reads them.

Every set weighs alike. None of its rows trained the large network: whole sources and languages, rows kept aside, and
blind sets for development.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from training.aside import kept
from training.data import clean, read
from training.figures import auroc
from training.second_entailment import blind_sets, entailment_sets, fitted, softmax, support_sets, three

__all__ = ["fit_binary", "main", "pairs_asked", "texts_asked"]

MANIFEST = Path(__file__).resolve().parents[1] / "src" / "proctor" / "models" / "local" / "weights" / "manifest.json"
SHORT = 380  # characters of a text that is read as one part by every network
TOKENS = {"large": (256, 320), "multilingual": (224, 224)}  # of a text and of a pair
FAULT_AT = 31
DEVELOPED = ("attack blind", "danger blind")  # sets that are only measured

Asked = tuple[str, str, list[float], tuple[int, ...], int]  # question, set, first logits, line, label


def texts_asked(data: Path, frames: Any, tokens: int) -> Iterator[Asked]:
    """Messages, documents and answers of one part, with what the small network of each says of them."""
    from proctor.models.local.injection import InjectionClassifier
    from proctor.models.local.promises import PromiseClassifier
    from proctor.models.local.second_opinion import danger_look
    from proctor.text.normalise import DocumentText

    attacks, promises, look = InjectionClassifier(second_opinion=False), PromiseClassifier(), danger_look(None)
    for row in read(data / "guard-held.jsonl.gz"):
        text = row["text"]
        if len(text) > SHORT or not text:
            continue
        if row["set"].startswith("danger"):
            yield "danger", row["set"], [look.logit(text)], frames.alone(text, "user", tokens), row["y"]
            continue
        whole = DocumentText(text) if row["ch"] == "document" else text
        (seen,) = attacks.readings([whole])
        question = "document" if row["ch"] == "document" else "user"
        if seen.read:
            yield question, row["set"], [seen.logit], frames.alone(text, question, tokens), row["y"]
    answers = [
        (r["set"], r["answer"], r["y"]) for r in read(data / "acts-held.jsonl.gz") if r["set"].startswith("acts")
    ]
    answers += [("acts written", r["answer"], int(bool(r["acts"]))) for r in kept("commitments")]
    answers += [("acts answers", text, 0) for r in kept("answers") for text in r["right"]]
    for name, answer, label in answers:
        text = clean(answer)
        if text and len(text) <= SHORT:
            yield "answer", name, [promises._first(text).logit], frames.alone(text, "answer", tokens), label


def pairs_asked(frames: Any, tokens: int) -> Iterator[Asked]:
    """Public pairs and claims with their evidence, with the four logits of the small network."""
    from proctor.models.local.model_registry import pieces_of
    from proctor.models.local.pairs import flat, line
    from proctor.models.local.run_entailment import judge_of

    sets = {("nli", name): pairs for name, pairs in entailment_sets().items()}
    sets |= {("nli", f"blind {name}"): pairs for name, pairs in blind_sets().items()}
    sets |= {("support", name): pairs for name, pairs in support_sets().items()}
    for (question, name), pairs in sets.items():
        for premise, hypothesis, label in pairs:
            one, other = flat(premise), flat(hypothesis)
            a, b = pieces_of(None).numbers([one, other])
            first = judge_of(None).logits([line(a, b, 288)])[0].tolist()
            yield question, name, first[:4], frames.pair(one, other, tokens), label


def fit_binary(first: np.ndarray, second: np.ndarray, label: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """The weights of both logits and the offset; every set with both labels weighs alike, so does each label in it."""
    rows = []
    for name in sorted(set(sets)):
        mine = sets == name
        told = np.stack([first[mine], second[mine], np.ones(mine.sum())], -1)
        rows.append((np.stack([np.zeros_like(told), told], 1), label[mine]))
    return fitted([each for each in rows if len(each[1]) > 9])


def _table(question: str, p: np.ndarray, label: np.ndarray, sets: np.ndarray) -> None:
    for name in sorted(set(sets)):
        mine = sets == name
        bad, fine = p[mine & (label == 1)], p[mine & (label == 0)]
        cells = [f"{(each > 0.5).mean():.3f} of {len(each)}" if len(each) else "–" for each in (bad, fine)]
        area = f"{auroc(label[mine], p[mine]):.3f}" if len(bad) and len(fine) else "–"
        print(f"| {question} | {name} | {cells[0]} | {cells[1]} | {area} |")


def _fit(told: argparse.Namespace) -> dict[str, dict[str, Any]]:
    with np.load(told.asked) as file:
        asked = dict(file)
    said = np.load(told.said).astype(np.float64)
    before = _weights(json.loads(MANIFEST.read_text("utf-8")), told.network)
    found: dict[str, dict[str, Any]] = {}
    out = {"user": said[:, 5], "document": said[:, 5], "answer": said[:, 4], "support": said[:, 3]}
    out["danger"] = np.logaddexp.reduce(said[:, 7:11], axis=1) - said[:, 6]
    print("| question | set | above one half: faulty | harmless | AUROC |\n|---|---|---|---|---|")
    for question in ("user", "document", "danger", "answer", "support"):
        mine = asked["question"] == question
        first, label, sets = asked["first"][mine], asked["label"][mine], asked["set"][mine]
        one, second = first[:, 3 if question == "support" else 0], out[question][mine]
        left = np.array([not name.startswith(DEVELOPED) for name in sets])
        a, b, c = fit_binary(one[left], second[left], label[left], sets[left])
        found[question] = {"first": round(a, 3), "second": round(b, 3), "offset": round(c, 3)}
        old = before[question]
        for name, (x, y, z) in {"before": (old["first"], old["second"], old["offset"]), "now": (a, b, c)}.items():
            _table(f"{question}, {name}", 1 / (1 + np.exp(-(x * one + y * second + z))), label, sets)
    mine = asked["question"] == "nli"
    first, second, label, sets = asked["first"][mine], said[mine, :3], asked["label"][mine], asked["set"][mine]
    features = three(first, second)
    public = [sets == name for name in sorted(set(sets)) if not name.startswith("blind")]
    one, other = fitted([(features[each], label[each]) for each in public])
    found["nli"] = {"first": round(one, 3), "second": round(other, 3)}
    for name in sorted(set(sets)):
        each = sets == name
        right = [
            float((softmax(f).argmax(1) == label[each]).mean())
            for f in (first[each, :3], second[each], features[each] @ [one, other])
        ]
        print(f"| nli | {name} | right: small, large, both {' / '.join(f'{x:.3f}' for x in right)} | {each.sum()} | |")
    return found


def _weights(manifest: dict[str, Any], network: str) -> dict[str, dict[str, Any]]:
    """Where the manifest has the weights of each question."""
    settings = manifest["settings"]
    found: dict[str, dict[str, Any]] = settings[network]
    if network == "multilingual":
        found = found | {"nli": settings["nli"]["mixture"], "support": settings["nli"]["support"]["mixture"]}
    return found


def fit_fault(file: Path) -> dict[str, Any]:
    """Slope and offset of the logit of an act: conversations weigh alike, and a fault is as likely as none."""
    with np.load(file) as kept_:
        said, marks = kept_["said"][:, FAULT_AT].astype(np.float64), kept_["marks"]
    known = marks[:, 2] >= 0
    told = np.stack([said[known], np.ones(known.sum())], -1)
    slope, offset = fitted([(np.stack([np.zeros_like(told), told], 1), marks[known, 2])])
    return {"slope": round(slope, 3), "offset": round(offset, 3)}


def main() -> None:
    """Write the lines to ask, or fit to what was said."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = ask.add_subparsers(dest="what", required=True)
    one = parts.add_parser("ask")
    for name in ("data", "tokenizer", "out"):
        one.add_argument(name, type=Path)
    other = parts.add_parser("fit")
    other.add_argument("asked", type=Path)
    other.add_argument("said", type=Path)
    other.add_argument("--talks", type=Path)
    other.add_argument("--write", action="store_true")
    for each in (one, other):
        each.add_argument("--network", choices=list(TOKENS), default="large")
    told = ask.parse_args()
    if told.what == "ask":
        _ask(told)
        return
    found = _fit(told)
    if told.talks:
        found["fault"] = fit_fault(told.talks)
    print(json.dumps(found, indent=1))
    if told.write:
        manifest = json.loads(MANIFEST.read_text("utf-8"))
        weights = _weights(manifest, told.network)
        for name, values in found.items():
            weights[name] |= values
        MANIFEST.write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")


def _ask(told: argparse.Namespace) -> None:
    from tokenizers import Tokenizer

    from proctor.models.local.text_frames import TextFrames

    frames = TextFrames(Tokenizer.from_file(str(told.tokenizer)))
    alone, pair = TOKENS[told.network]
    rows = [*texts_asked(told.data, frames, alone), *pairs_asked(frames, pair)]
    first = np.zeros((len(rows), 4), np.float32)
    for at, (_, _, logits, _, _) in enumerate(rows):
        first[at, : len(logits)] = logits
    np.savez_compressed(
        told.out / "asked.npz",
        flat=np.array([token for row in rows for token in row[3]], np.uint16),
        sizes=np.array([len(row[3]) for row in rows], np.uint16),
        first=first,
        label=np.array([row[4] for row in rows], np.int64),
        question=np.array([row[0] for row in rows]),
        set=np.array([row[1] for row in rows]),
    )
    print(len(rows), "lines")


if __name__ == "__main__":
    main()
