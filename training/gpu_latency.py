"""Measures the gates' models on a GPU: the shipped weights in half precision, one message at a time, nothing skipped.

Here: ``python -m training.gpu_latency pack FOLDER`` puts the networks, the tokenizer, the rows of the table that the
messages need and 500 messages and drafts into a folder that is small enough to send. There, with torch:
``python3 -m training.gpu_latency run FOLDER --out latency.json``. ``--on cpu`` runs the same with onnxruntime.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proctor.models.local import model_registry
from proctor.models.local.grounding import LocalGrounder
from proctor.models.local.injection import InjectionClassifier
from proctor.models.local.model_registry import pieces_of, weights_of
from proctor.models.local.nli import LocalEntailer
from proctor.models.local.reader import LocalReader
from proctor.models.local.run_entailment import judge_of
from proctor.models.local.tokenizer import END, PAD, START, Line, Pieces
from training.calibrate import manifest
from training.onnx_weights import state_of

__all__ = ["main", "pack", "prepared"]

SENT = ("injection.onnx", "reader.onnx", "nli.onnx", "tokenizer.json", "linear.npz", "glance.npz")
LENGTHS = (16, 24, 32, 48, 64, 96, 128, 160, 224, 288)  # a line is padded to the next of these, each a graph of its own
BATCHES = (1, 2, 4, 8, 16)
SUPPORT = ("banking77", "bitext", "clinc150")

Array = np.ndarray[Any, Any]


def pack(folder: Path, count: int = 500) -> None:
    """Write all that the other machine needs; of the table only the rows that the texts use."""
    from training.data import rows

    dice = random.Random(8)
    support = [r["text"] for r in rows("injection/test") if r["src"] in SUPPORT]
    drafts = [
        {"source": r["context"], "draft": r["response"]}
        for r in rows("grounding/train")
        if 100 <= len(r["context"]) <= 1200 and 30 <= len(r["response"]) <= 400
    ]
    texts = {"messages": dice.sample(support, count), "drafts": dice.sample(drafts, count)}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "texts.json").write_text(json.dumps(texts, ensure_ascii=False), encoding="utf-8")
    weights, pieces = weights_of(), pieces_of()
    for name in SENT:
        if name in weights.files:
            shutil.copy(weights.path(name), folder / name)
    whole = [*texts["messages"], *(text for each in texts["drafts"] for text in each.values())]
    # a claim is cut out of its text, and a piece at the cut may be another: each sentence is cut by itself as well
    whole += [sentence for text in whole for sentence in text.replace("\n", ". ").split(". ")]
    used = sorted({START, PAD, END, *(n for ids in pieces.numbers(whole) for n in ids)})
    table, scales = (np.load(weights.path(name), mmap_mode="r") for name in ("table.npy", "scales.npy"))
    np.savez_compressed(folder / "rows.npz", used=used, rows=table[used], scales=scales[used], count=len(table))
    (folder / "settings.json").write_text(json.dumps(weights.settings), encoding="utf-8")


def prepared(folder: Path) -> Path:
    """A weights folder out of what was sent, in which no first stage lets a text pass."""
    kept = np.load(folder / "rows.npz")
    made = folder / "weights"
    made.mkdir(exist_ok=True)
    for name in SENT:
        if (folder / name).exists():
            shutil.copy(folder / name, made / name)
    for name, field, width in (("table.npy", "rows", 384), ("scales.npy", "scales", 1)):
        whole = np.zeros((int(kept["count"]), width), kept[field].dtype)
        whole[kept["used"]] = kept[field]
        np.save(made / name, whole)
    settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    settings["injection"]["low"] = -1e9
    manifest(made, settings)
    return made


class OnGpu:
    """A network of training in half precision on the GPU, a CUDA graph for each size of batch."""

    def __init__(self, name: str, file: Path, pieces: Pieces) -> None:
        import torch

        from training.export import build

        state = {key: torch.from_numpy(np.ascontiguousarray(value)) for key, value in state_of(file).items()}
        network, _ = build(name, state)
        self._network = network.eval().half().cuda()
        self._pieces, self._graphs = pieces, dict[tuple[int, int], Any]()

    def run(self, lines: Sequence[Line], outputs: Sequence[str] | None = None) -> list[tuple[Array, ...]]:
        """The outputs for each line, as the shipped network gives them."""
        found: list[tuple[Array, ...]] = []
        for i in range(0, len(lines), BATCHES[-1]):
            found += self._batch(lines[i : i + BATCHES[-1]])
        return [some[:1] for some in found] if outputs is not None else found

    def _batch(self, lines: Sequence[Line]) -> list[tuple[Array, ...]]:
        import torch

        longest = max(len(line.ids) for line in lines)
        size = next(b for b in BATCHES if b >= len(lines)), next(n for n in LENGTHS if n >= longest)
        if size not in self._graphs:
            self._graphs[size] = self._captured(*size)
        graph, slots, sources, results = self._graphs[size]
        fed = self._pieces.feed(lines)
        for name, array in fed.items():
            sources[name].zero_()
            sources[name][: len(lines), :longest] = torch.from_numpy(array)
            slots[name].copy_(sources[name], non_blocking=True)
        graph.replay()
        arrays = [result.float().cpu().numpy() for result in results]
        return [tuple(array[row] for array in arrays) for row in range(len(lines))]

    def _captured(self, batch: int, length: int) -> tuple[Any, dict[str, Any], dict[str, Any], list[Any]]:
        import torch

        slots = {
            "pieces": torch.zeros(batch, length, 384, device="cuda", dtype=torch.half),
            "mask": torch.ones(batch, length, device="cuda", dtype=torch.half),
            "types": torch.zeros(batch, length, device="cuda", dtype=torch.long),
        }
        sources = {name: torch.zeros(slot.shape, dtype=slot.dtype).pin_memory() for name, slot in slots.items()}
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        with torch.inference_mode(), torch.cuda.stream(beside):
            for _ in range(3):
                self._network(slots["pieces"], slots["mask"], slots["types"])
        torch.cuda.current_stream().wait_stream(beside)
        graph = torch.cuda.CUDAGraph()
        with torch.inference_mode(), torch.cuda.graph(graph):
            made = self._network(slots["pieces"], slots["mask"], slots["types"])
        return graph, slots, sources, list(made) if isinstance(made, tuple) else [made]


def _timed(work: Callable[[Any], object], items: Sequence[Any]) -> dict[str, float]:
    """Milliseconds of wall time, one item after the other; the second round counts, when all is warm."""
    times: list[float] = []
    for _ in range(2):
        times = []
        for item in items:
            judge_of.cache_clear()  # a claim that was judged in the first round is judged again
            begin = time.perf_counter()
            work(item)
            times.append((time.perf_counter() - begin) * 1e3)
    return {"p50": float(np.percentile(times, 50)), "p95": float(np.percentile(times, 95)), "most": max(times)}


def measured(made: Path, texts: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Every message through the input path, every draft through the output path, and the parts of both."""
    injection, reader = InjectionClassifier(folder=made), LocalReader(folder=made, glance=False)
    entailer, grounder = LocalEntailer(folder=made), LocalGrounder(folder=made)
    pieces = pieces_of(made)

    def judged(each: dict[str, str]) -> None:
        claims = [part for part in each["draft"].replace("! ", ". ").split(". ") if part.strip()]
        entailer.readings([(each["source"], claim) for claim in claims])
        grounder.readings([(each["source"], each["draft"])])

    messages, drafts = texts["messages"], texts["drafts"]
    return {
        "cut into pieces": _timed(lambda text: pieces.located([text]), messages),
        "injection, every stage": _timed(lambda text: injection.readings([text]), messages),
        "reader": _timed(lambda text: reader.readings([text]), messages),
        "input path": _timed(lambda text: (injection.readings([text]), reader.readings([text])), messages),
        "one claim": _timed(lambda each: entailer.readings([(each["source"][:300], each["draft"][:80])]), drafts),
        "output path: each claim entailed, the draft supported": _timed(judged, drafts),
    }


def agreement(made: Path, gpu: dict[str, OnGpu], texts: Sequence[str]) -> dict[str, float]:
    """The largest difference of the first logits between the GPU and onnxruntime on this machine."""
    from proctor.models.local.network import open_network

    found = {}
    lines = [Line((START, *ids[:150], END)) for ids in pieces_of(made).numbers(texts)]
    for name, network in gpu.items():
        small = open_network(weights_of(made), name, pieces_of(made), threads=4)
        pairs = zip(network.run(lines), small.run(lines), strict=True)
        found[name] = float(max(np.abs(a[0] - b[0]).max() for a, b in pairs))
    return found


def main() -> None:
    """Pack here, or measure there."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("what", choices=["pack", "run"])
    ask.add_argument("folder", type=Path)
    ask.add_argument("--count", type=int, default=500)
    ask.add_argument("--on", choices=["gpu", "cpu"], default="gpu")
    ask.add_argument("--out", type=Path)
    told = ask.parse_args()
    if told.what == "pack":
        pack(told.folder, told.count)
        return
    made = prepared(told.folder)
    texts = json.loads((told.folder / "texts.json").read_text(encoding="utf-8"))
    texts = {name: some[: told.count] for name, some in texts.items()}
    found: dict[str, Any] = {}
    if told.on == "gpu":
        import torch

        found["device"] = torch.cuda.get_device_name()
        gpu = {name: OnGpu(name, made / f"{name}.onnx", pieces_of(made)) for name in ("injection", "reader", "nli")}
        found["largest difference from onnxruntime"] = agreement(made, gpu, texts["messages"][:20])
        print(json.dumps(found), flush=True)
        model_registry._network = lambda name, _folder, _threads: gpu[name]  # type: ignore[assignment, return-value]
    found["ms"] = measured(made, texts)
    print(json.dumps(found, indent=1), flush=True)
    if told.out:
        told.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
