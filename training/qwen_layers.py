"""Takes Qwen2.5-Coder (Apache-2.0; 0.5 B or 1.5 B weights) apart: its layers as packed, and a smaller vocabulary.

The networks of ``multilingual.py`` begin with them. A token is kept if the texts have it often enough, and then so are
the two tokens that it is joined from; any other text is read in smaller tokens.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch

from training.data import data_root
from training.qwen import four_bits, six_bits

__all__ = ["ALONE", "STARTS", "TURNS", "five_bits", "layers_of", "smaller", "texts_of"]

STARTS = ("Premise: ", "\nHypothesis: ", "\nAnswer:", "Customer: ", "\nAgent: ", "\nGrants:")
TURNS = {  # around the turn before and the turn that is read
    "agent": ("Customer: ", "\nAgent: ", "\nActs:"),
    "customer": ("Agent: ", "\nCustomer: ", "\nActs:"),
}
ALONE = {"user": ("Message: ", "\nJudge:"), "document": ("Document: ", "\nOrders:")}  # around one text


def five_bits(raw: torch.Tensor) -> torch.Tensor:
    """Blocks of Q5_0 (22 bytes for 32 numbers) as float32."""
    blocks = raw.view(-1, 22)
    scale = blocks[:, :2].clone().view(torch.float16).float()
    high = (blocks[:, 2:6].long() << torch.tensor([0, 8, 16, 24], device=raw.device)).sum(1, keepdim=True)
    bits = (high >> torch.arange(32, device=raw.device)) & 1
    nibbles = torch.cat([blocks[:, 6:] & 15, blocks[:, 6:] >> 4], 1).long()
    return (scale * ((nibbles | (bits << 4)) - 16).float()).reshape(-1)


def eight_bits(raw: torch.Tensor) -> torch.Tensor:
    """Blocks of Q8_0 (34 bytes for 32 numbers) as float32."""
    blocks = raw.view(-1, 34)
    scale = blocks[:, :2].clone().view(torch.float16).float()
    return (scale * blocks[:, 2:].clone().view(torch.int8).float()).reshape(-1)


FORMS = {
    "Q4_K": four_bits,
    "Q6_K": six_bits,
    "Q5_0": five_bits,
    "Q8_0": eight_bits,
    "F32": lambda raw: raw.view(torch.float32),
}


def texts_of(data: Path, root: Path) -> Iterator[str]:
    """Texts in many languages: packed pairs, written rows, public requests and documents."""
    for file in sorted(data.glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield from _strings(json.loads(line))
    for file in sorted((Path(__file__).parent / "written").rglob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield from _strings(json.loads(line))
    for name in ("injection/train", "injection_general/train", "intent/hwu64/all"):
        file = root / f"{name}.jsonl.gz"
        if file.exists():
            with gzip.open(file, "rt", encoding="utf-8") as lines:
                for line in lines:
                    yield str(json.loads(line)["text"])[:1500]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def batched(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    """Groups of so many."""
    rest = iter(texts)
    while group := list(islice(rest, size)):
        yield group


def counted(tokenizer: Any, texts: Iterable[str]) -> collections.Counter[int]:
    """How often each token is seen."""
    counts: collections.Counter[int] = collections.Counter()
    for group in batched(texts, 20000):
        for line in tokenizer.encode_batch_fast(list(group)):
            counts.update(line.ids)
    return counts


def smaller(whole: dict[str, Any], texts: Iterable[str], most: int) -> tuple[dict[str, Any], list[int], list[int]]:
    """A tokenizer of about ``most`` tokens, the former number of each, and how often each was seen."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(json.dumps(whole))
    counts = counted(tokenizer, texts)
    vocabulary: dict[str, int] = whole["model"]["vocab"]
    names = {number: name for name, number in vocabulary.items()}
    parents: dict[str, tuple[str, str]] = {}
    for first, second in whole["model"]["merges"]:
        parents.setdefault(first + second, (first, second))
    kept = {name for name in vocabulary if len(name) == 1}  # the bytes

    def keep(name: str) -> None:
        if name not in kept:
            kept.add(name)
            for part in parents[name]:
                keep(part)

    for number in (each for text in STARTS for each in tokenizer.encode(text).ids):
        keep(names[number])
    for number, _ in counts.most_common():
        if len(kept) >= most:
            break
        keep(names[number])
    order = sorted(kept, key=lambda name: vocabulary[name])
    merges = [[a, b] for a, b in whole["model"]["merges"] if {a, b, a + b} <= kept]
    model = whole["model"] | {"vocab": {name: at for at, name in enumerate(order)}, "merges": merges}
    return whole | {"model": model}, [vocabulary[name] for name in order], [counts[vocabulary[n]] for n in order]


def layers_of(folder: Path, device: str) -> tuple[dict[str, torch.Tensor], torch.Tensor, np.ndarray]:
    """The tensors by their name in the file, the rows of the table, and how often each token was seen."""
    found: dict[str, torch.Tensor] = {}
    for file in sorted(folder.glob("layers-*.npz")):
        with np.load(file) as part:
            for key in part.files:
                name, form, shape = key.split("|")
                sides = [int(x) for x in shape.split("x")]
                found[name] = FORMS[form](torch.from_numpy(part[key]).to(device)).view(*sides)
    with np.load(folder / "table.npz") as part:
        counts = part["counts"]
        table = FORMS[str(part["form"])](torch.from_numpy(part["rows"]).to(device)).view(len(counts), -1)
    return found, table, counts


def _parts(gguf: Path, out: Path, chosen: Sequence[int], counts: Sequence[int], layers: int, size: int) -> int:
    from gguf import GGUFReader

    part: dict[str, np.ndarray] = {}
    held = count = 0
    for tensor in GGUFReader(gguf).tensors:
        data = np.asarray(tensor.data).view(np.uint8)
        if tensor.name == "output.weight":
            # the model ties both tables; of the two in the file this one has more bits
            rows = data.reshape(-1, data.size // int(tensor.shape[1]))[list(chosen)].reshape(-1)
            np.savez(out / "table.npz", rows=rows, counts=np.array(counts), form=tensor.tensor_type.name)
            continue
        if not tensor.name.startswith("blk.") or int(tensor.name.split(".")[1]) >= layers:
            continue
        data = data.reshape(-1)
        if held + len(data) > size and part:
            np.savez(out / f"layers-{count:02d}.npz", **part)
            part, held, count = {}, 0, count + 1
        part[f"{tensor.name}|{tensor.tensor_type.name}|{'x'.join(map(str, reversed(tensor.shape.tolist())))}"] = data
        held += len(data)
    np.savez(out / f"layers-{count:02d}.npz", **part)
    return count + 1


def main() -> None:
    """Write the layers in parts, the table of the kept tokens and their tokenizer."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("gguf", type=Path)
    ask.add_argument("tokenizer", type=Path, help="as qwen.py writes it")
    ask.add_argument("data", type=Path, help="packed pairs, whose texts are counted beside public ones")
    ask.add_argument("out", type=Path)
    ask.add_argument("--like", type=Path, help="a smaller tokenizer whose tokens to keep, instead of choosing them")
    ask.add_argument("--layers", type=int, default=16)
    ask.add_argument("--tokens", type=int, default=32000)
    ask.add_argument("--size", type=int, default=46_000_000, help="bytes of one part")
    told = ask.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    whole = json.loads(told.tokenizer.read_text(encoding="utf-8"))
    if told.like:
        small = json.loads(told.like.read_text(encoding="utf-8"))
        names = sorted(small["model"]["vocab"], key=small["model"]["vocab"].__getitem__)
        chosen = [whole["model"]["vocab"][name] for name in names]
        counts = [0] * len(names)
    else:
        small, chosen, counts = smaller(whole, texts_of(told.data, data_root()), told.tokens)
    (told.out / "tokenizer.json").write_text(json.dumps(small, ensure_ascii=False), encoding="utf-8")
    print("tokens", len(chosen), "parts", _parts(told.gguf, told.out, chosen, counts, told.layers, told.size))


if __name__ == "__main__":
    main()
