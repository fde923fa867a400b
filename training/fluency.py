"""The fluency network: says of a text, and of each of its pieces, whether it is broken.

``pack`` writes fluent texts of cleared sources by language; ``train`` breaks them (training/damage.py) and teaches the
first layers of the shipped sentence network to tell broken texts from whole ones. Acceptability sets (CoLA, JCoLA,
JFLEG) and the blind sets are only measured, never trained on.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import os
import random
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from training.damage import Words, broken, spaced, vocabulary, words_in

__all__ = ["main"]

MOST = {"en": 60_000}  # texts of a language
MOST_OTHERS = 14_000
LONGEST = 128
ENDS = re.compile(r"[.!?。！？…\"”』」)]$")
WEIGHTS = Path(__file__).parents[1] / "src" / "proctor" / "models" / "local" / "weights"


# --- pack ----------------------------------------------------------------------------------------------


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _clean(text: str) -> str | None:
    """A text of one to five whole sentences, or none."""
    told = " ".join(text.split())
    if not 12 <= len(told) <= 420 or not ENDS.search(told) or "http" in told or "<" in told or "{" in told:
        return None
    letters = [c for c in told if c.isalpha()]
    if len(letters) < 0.55 * len(told) or sum(c.isupper() for c in letters) > 0.4 * len(letters):
        return None
    if told[0].islower() or " ." in told or " ," in told or "( " in told:
        return None
    return told


def _texts(data: Path) -> Iterator[tuple[str, str]]:
    for name in ("translated", "train"):
        for row in _rows(data / "nli" / f"{name}.jsonl.gz"):
            if row.get("lic") == "ok":
                yield row["lang"], row["premise"]
                yield row["lang"], row["hypothesis"]
    for name in ("pawsx_dev", "pawsx_test"):
        for row in _rows(data / "paraphrase" / "paws" / f"{name}.jsonl.gz"):
            yield row["lang"], row["sentence1"]
    for path in (data / "injection" / "train.jsonl.gz", data / "injection_general" / "benign_general.jsonl.gz"):
        for row in _rows(path):
            if row.get("lic") == "ok" and not row.get("label"):
                text = row["text"]
                parts = re.split(r"(?<=[.!?])\s+|(?<=[。！？])", text)
                for at in range(0, min(len(parts), 12), 2):
                    yield str(row.get("lang")), " ".join(parts[at : at + 2]) if spaced(text) else "".join(parts[at : at + 2])


def pack(data: Path, out: Path) -> None:
    """Write the fluent texts, a line each: language and text."""
    dice = random.Random(5)
    kept: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for language, text in _texts(data):
        lang = language.split("-")[0] if language != "sp" else "es"
        told = _clean(text)
        if told is not None:
            kept[lang][told] = None
    out.mkdir(parents=True, exist_ok=True)
    with gzip.open(out / "fluent.jsonl.gz", "wt", encoding="utf-8") as file:
        for language, texts in sorted(kept.items()):
            chosen = list(texts)
            dice.shuffle(chosen)
            chosen = chosen[: MOST.get(language, MOST_OTHERS)]
            if len(chosen) >= 60 and language not in ("zxx", "None"):
                print(language, len(chosen))
                for text in chosen:
                    file.write(json.dumps([language, text], ensure_ascii=False) + "\n")


# --- examples ------------------------------------------------------------------------------------------


class Maker:
    """Makes broken and whole examples as piece numbers, with a mark for each piece."""

    def __init__(self, texts: Mapping[str, Sequence[str]], tokenizer: Any, seed: int) -> None:
        self.texts, self.tokenizer = texts, tokenizer
        self.words: dict[str, Words] = {name: vocabulary(some) for name, some in texts.items()}
        self.languages = list(texts)
        # small languages are drawn more often than their share
        self.shares = [len(some) ** 0.5 for some in texts.values()]
        self.dice = random.Random(seed)
        self._known: dict[str, list[int]] = {}

    def pieces(self, word: str) -> list[int]:
        """The pieces of one word as they are after a space."""
        if word not in self._known:
            if len(self._known) > 300_000:
                self._known.clear()
            self._known[word] = self.tokenizer.encode(word, add_special_tokens=False).ids
        return self._known[word]

    def whole(self) -> tuple[str, str]:
        """A language, and one to three texts of it in a row."""
        language = self.dice.choices(self.languages, self.shares)[0]
        some = self.texts[language]
        count = self.dice.choices((1, 2, 3), (0.6, 0.3, 0.1))[0]
        joint = " " if spaced(some[0]) else ""
        return language, joint.join(self.dice.choice(some) for _ in range(count))

    def example(self) -> tuple[list[int], list[int], int]:
        """Pieces, marks (-1: none) and 1 for a broken text."""
        language, text = self.whole()
        if self.dice.random() < 0.5:
            if self.dice.random() < 0.08:
                text = text.rstrip(".。")
            return self.tokenizer.encode(text, add_special_tokens=False).ids, [0] * 999, 0
        part = text
        rest = ""
        if self.dice.random() < 0.3 and ". " in text:  # one sentence is broken, the others stay
            first, _, rest = text.partition(". ")
            part = first + "."
        kind, marked = broken(part, self.dice.choice(self.texts[language]), self.words[language], self.dice)
        if rest and kind != "cut":
            marked += [(word, 0) for word in words_in(rest)]
        if spaced(text):
            ids, marks = [], []
            for word, mark in marked:
                own = self.pieces(word)
                ids += own
                marks += [mark] * len(own)
            return ids, marks, 1
        joined = "".join(word for word, _ in marked)
        ids = self.tokenizer.encode(joined, add_special_tokens=False).ids
        return ids, [-1] * len(ids), 1


def _made(told: tuple[str, str, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Many examples, flat: pieces, marks, lengths, labels."""
    from tokenizers import Tokenizer

    folder, languages, seed, count = told
    maker = Maker(_kept(Path(folder), languages.split()), Tokenizer.from_file(f"{folder}/tokenizer.json"), seed)
    flat, marks, sizes, labels = [], [], [], []
    for _ in range(count):
        ids, own, label = maker.example()
        ids = ids[: LONGEST - 2]
        flat += ids
        marks += own[: len(ids)]
        sizes.append(len(ids))
        labels.append(label)
    return np.array(flat, np.int32), np.array(marks, np.int8), np.array(sizes, np.int32), np.array(labels, np.int8)


def _kept(folder: Path, without: Sequence[str] = ()) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for language, text in _rows(folder / "fluent.jsonl.gz"):  # type: ignore[misc]
        if language not in without:
            found[language].append(text)
    return dict(found)


# --- training ------------------------------------------------------------------------------------------


def train(folder: Path, out: Path, *, depth: int, examples: int, seconds: float, rate: float, without: str) -> None:
    """Train one network and write it as ONNX (int8), with what it says about the held-out sets."""
    import torch
    import torch.nn.functional as F

    from training.export import export, quantise
    from training.network import Reader, rounded
    from training.onnx_weights import state_of

    device = "cuda" if torch.cuda.is_available() else "cpu"
    start = time.time()
    workers = max(1, (os.cpu_count() or 2) - 1)
    with multiprocessing.Pool(workers) as pool:
        made = pool.map(_made, [(str(folder), without, 1000 + n, -(-examples // workers)) for n in range(workers)])
    ids = torch.from_numpy(np.concatenate([each[0] for each in made])).to(device)
    marks = torch.from_numpy(np.concatenate([each[1] for each in made])).to(device)
    sizes = np.concatenate([each[2] for each in made])
    labels = torch.from_numpy(np.concatenate([each[3] for each in made])).to(device).float()
    starts = torch.from_numpy(np.cumsum(sizes) - sizes).to(device)
    lengths = torch.from_numpy(sizes).to(device)
    print(f"{len(sizes):,} examples, {len(ids):,} pieces, {time.time() - start:.0f} s", flush=True)
    table = np.load(folder / "table.npy").astype(np.float32) * np.load(folder / "scales.npy")
    rows = torch.from_numpy(table).to(device)
    network = Reader(depth, 1, 1)
    kept = {name.removeprefix("body."): torch.from_numpy(np.array(v)) for name, v in state_of(folder / "embed.onnx").items()}
    missing = network.whole.body.load_state_dict({k: v for k, v in kept.items() if k in network.whole.body.state_dict()}, strict=False)
    print("not loaded:", missing.missing_keys[:5], flush=True)
    network.to(device).train()
    groups = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(groups, lr=rate, weight_decay=0.01, betas=(0.9, 0.98))
    order = np.argsort(sizes, kind="stable")
    batches = [order[at : at + 512] for at in range(0, len(order), 512)]
    dice = random.Random(3)

    def batch(chosen: np.ndarray) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        width = int(sizes[chosen].max()) + 2
        which = torch.from_numpy(chosen).to(device)
        place = torch.arange(width, device=device)[None] - 1
        inside = (place >= 0) & (place < lengths[which][:, None])
        where = (starts[which][:, None] + place).clamp(0, len(ids) - 1)
        numbers = torch.where(inside, ids[where].long(), 1)
        numbers[:, 0] = 0
        numbers.scatter_(1, (lengths[which].long() + 1)[:, None], 2)
        told = torch.where(inside, marks[where].long(), -1)
        return numbers, (numbers != 1).float(), told

    begun, step, total = time.time(), 0, 0.0
    losses: list[float] = []
    done = False
    while not done:
        dice.shuffle(batches)
        for chosen in batches:
            share = (time.time() - begun) / seconds
            if share >= 1:
                done = True
                break
            if share > 0.6:
                rounded(network)
            for group in optimiser.param_groups:
                group["lr"] = rate * min(1.0, (step + 1) / 200) * max(0.02, 1 - share)
            numbers, mask, told = batch(chosen)
            which = torch.from_numpy(chosen).to(device)
            with torch.autocast(device, dtype=torch.bfloat16):
                text, tags = network(rows[numbers], mask, torch.zeros_like(numbers))
            loss = F.binary_cross_entropy_with_logits(text[:, 0].float(), labels[which] * 0.98 + 0.01)
            known = told >= 0
            loss = loss + F.binary_cross_entropy_with_logits(tags[..., 0].float()[known], told[known].float())
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(groups, 1.0)
            optimiser.step()
            step += 1
            if step % 50 == 0:
                losses.append(float(loss))
            if step % 1000 == 0:
                print(step, f"{np.mean(losses[-20:]):.4f}", f"{time.time() - begun:.0f} s", flush=True)
    del total
    network.eval().cpu()
    out.mkdir(parents=True, exist_ok=True)
    name = f"fluency{depth}" + ("-left" if without else "")
    export(network, out / f"{name}.float.onnx", ["text", "tags"])
    quantise(out / f"{name}.float.onnx", out / f"{name}.onnx", "/tags/")
    (out / f"{name}.float.onnx").unlink()
    print(name, step, "steps", (out / f"{name}.onnx").stat().st_size, flush=True)
    measure(folder, out / f"{name}.onnx")


# --- measuring -----------------------------------------------------------------------------------------


def measure(folder: Path, file: Path) -> None:
    """Print AUROCs on the sets in ``measured.jsonl``: lines of [set, kind, text, 1 for fluent]."""
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    table, scales = np.load(folder / "table.npy"), np.load(folder / "scales.npy")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 8
    session = onnxruntime.InferenceSession(str(file), options)
    groups: defaultdict[str, list[tuple[str, float, float, int]]] = defaultdict(list)
    for line in (folder / "measured.jsonl").read_text("utf-8").splitlines():
        name, kind, text, good = json.loads(line)
        numbers = np.array([[0, *tokenizer.encode(text, add_special_tokens=False).ids[: LONGEST - 2], 2]])
        feed = {
            "pieces": table[numbers].astype(np.float32) * scales[numbers],
            "mask": np.ones(numbers.shape, np.float32),
            "types": np.zeros(numbers.shape, np.int64),
        }
        whole, tags = session.run(None, feed)
        groups[name].append((kind, float(whole[0, 0]), float(np.sort(tags[0, 1:-1, 0])[-3:].mean()), good))
    for name, rows in groups.items():
        for at, what in ((1, "text"), (2, "pieces")):
            good = [row[at] for row in rows if row[3]]
            kinds = {row[0] for row in rows if not row[3]}
            told = {
                kind: _auroc(good, [row[at] for row in rows if not row[3] and row[0] == kind]) for kind in sorted(kinds)
            }
            whole = _auroc(good, [row[at] for row in rows if not row[3]])
            print(name, what, f"{whole:.3f}", {kind: round(value, 2) for kind, value in told.items()}, flush=True)


def _auroc(low: Sequence[float], high: Sequence[float]) -> float:
    a, b = np.array(low)[:, None], np.array(high)[None]
    return float(((a < b) + 0.5 * (a == b)).mean()) if a.size and b.size else float("nan")


def main() -> None:
    """Pack or train."""
    ask = argparse.ArgumentParser(description=__doc__)
    verbs = ask.add_subparsers(dest="verb", required=True)
    packs = verbs.add_parser("pack")
    packs.add_argument("data", type=Path)
    packs.add_argument("out", type=Path)
    trains = verbs.add_parser("train")
    trains.add_argument("folder", type=Path)
    trains.add_argument("out", type=Path)
    trains.add_argument("--depth", type=int, default=3)
    trains.add_argument("--examples", type=int, default=1_500_000)
    trains.add_argument("--seconds", type=float, default=150)
    trains.add_argument("--rate", type=float, default=4e-4)
    trains.add_argument("--without", default="", help="languages to leave out")
    told = ask.parse_args()
    if told.verb == "pack":
        pack(told.data, told.out)
    else:
        train(
            told.folder,
            told.out,
            depth=told.depth,
            examples=told.examples,
            seconds=told.seconds,
            rate=told.rate,
            without=told.without,
        )


if __name__ == "__main__":
    main()
