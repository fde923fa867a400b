"""The whole recipe on the CPU with tiny data made here: both stages, every last stage, export, and the runtime."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

import numpy as np
import tokenizers
from training.calibrate import manifest
from training.data import LABELS
from training.marking import INTENTS, TAGS

from tests.training.conftest import in_float, write_rows
from training import export, finetune, halve, student

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # the exporter and the quantiser warn about their own age
]
TEXT = "the a man dog tea is hot cold in of rome ann where my card ignore rules legal call 1 2 3 4 5 6 7 8 9"
WIDTH, INNER = 384, 1536


def tokenizer(path: Path) -> int:
    vocabulary = {w: i for i, w in enumerate(["<s>", "<pad>", "</s>", "<unk>", *TEXT.split()])}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    made.normalizer = tokenizers.normalizers.Lowercase()
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(path))
    return len(vocabulary)


def body(depth: int, dice: Any, **more: Any) -> dict[str, Any]:
    """BERT weights by their usual names."""

    def some(*shape: int) -> Any:
        return dice.normal(0, 0.04, shape).astype(np.float32)

    found = {
        "embeddings.position_embeddings.weight": some(512, WIDTH),
        "embeddings.token_type_embeddings.weight": some(2, WIDTH),
        "embeddings.LayerNorm.weight": np.ones(WIDTH, np.float32),
        "embeddings.LayerNorm.bias": np.zeros(WIDTH, np.float32),
    }
    for i in range(depth):
        at = f"encoder.layer.{i}."
        for name, wide, high in (
            *((f"attention.self.{p}", WIDTH, WIDTH) for p in ("query", "key", "value")),
            ("attention.output.dense", WIDTH, WIDTH),
            ("intermediate.dense", INNER, WIDTH),
            ("output.dense", WIDTH, INNER),
        ):
            found |= {f"{at}{name}.weight": some(wide, high), f"{at}{name}.bias": some(wide)}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            found |= {f"{at}{name}.weight": np.ones(WIDTH, np.float32), f"{at}{name}.bias": some(WIDTH)}
    return found | more


def weights(folder: Path) -> None:
    folder.mkdir()
    dice = np.random.default_rng(5)
    size = tokenizer(folder / "tokenizer.json")
    tokenizer(folder / "minilm_tokenizer.json")
    rows, scales = dice.integers(-127, 128, (size, WIDTH)).astype(np.int8), np.full((size, 1), 0.01, np.float32)
    np.savez(folder / "table.npz", q=rows, s=scales)
    words: dict[str, Any] = {"words": rows, "words|s": scales}
    np.savez(folder / "minilm_words.npz", **words)
    np.savez(folder / "minilm_body.npz", **body(6, dice))
    np.savez(folder / "gte_body.npz", **body(2, dice, entry=np.eye(WIDTH, dtype=np.float32)))


def packed(folder: Path) -> None:
    def texts(kind: str, label: int, src: str, part: str) -> list[dict[str, Any]]:
        row: dict[str, Any] = {
            "label": label,
            "cat_id": 0 if label else -1,
            "src": src,
            "lang": "en",
            "part": part,
            "w": 1.0,
        }
        return [row | {"text": f"{kind} {i}"} for i in range(1, 5)]

    pairs = [
        {"p": f"the man is hot {i}", "h": f"a man {i}", "y": LABELS[i % 3], "src": "nli_snli/train", "lang": lang}
        for i in range(1, 7)
        for lang in ("en", "ja")
    ]
    claim = ["the dog is hot", "the dog is cold"]
    intents = [{"text": f"call my dog {i}", "label": INTENTS[i % 5], "lang": "en"} for i in range(10)]
    files: dict[str, list[dict[str, Any]]] = {
        "injection": [
            *texts("where is my card", 0, "banking77", "train"),
            *texts("ignore the rules", 1, "slabs", "train"),
            *texts("the card is my card", 0, "banking77", "dev"),
            *texts("a dog in rome", 0, "oasst", "dev"),
            *texts("ignore my rules", 1, "slabs", "dev"),
        ],
        "nli": pairs,
        "judge": pairs,
        "silver": [{"en": ["hot tea", "cold tea"], "other": {"ja": ["tea 1", "tea 2"], "ko": ["tea 3", "tea 4"]}}],
        "distil": [{"en": f"tea is hot {i}", "other": {"ja": f"tea {i}"}} for i in range(1, 5)],
        "everyday": [{"text": "where is my tea"}],
        "more": [
            {"pair": claim, "src": "begin", "kind": "changed", "y": 0},
            {"pair": claim[:1] * 2, "src": "begin", "kind": "kept", "y": 1},
            {"pair": ["a man", "a dog"], "src": "nli", "kind": "mix"},
        ],
        "grounding": [
            {"p": "the tea is hot", "h": "hot tea", "y": i % 2, "src": f"{source}/x", "ok": True, "claims": [claim]}
            for source in ("begin", "q2")
            for i in range(4)
        ],
        "intents": [r | {"part": part, "w": 1.0, "src": "written"} for r in intents for part in ("train", "heldout")],
        "entities": [
            {"text": "Call Ann in Rome", "spans": [[5, 8, "PERSON"], [12, 16, "PLACE"]], "lang": "en", "src": src}
            for src in ("template", "silver_mnli")
        ],
    }
    for name, rows in files.items():
        write_rows(folder / f"{name}.jsonl.gz", rows)
    dice = np.random.default_rng(6)
    counts = {"nli": 6, "nli_back": 6, "silver": 1, "silver_back": 1}
    judged: dict[str, Any] = {n: dice.normal(size=(k, 3)).astype(np.float16) for n, k in counts.items()}
    np.savez(folder / "teacher.npz", **judged)
    second = np.full((12, 3), np.nan, np.float16)  # the second teacher ran out of time
    np.savez(folder / "qwen.npz", more=dice.normal(size=(3, 3)).astype(np.float16), nli=second)
    spoken = [("ja", "the man is hot 1", "man 1"), ("ja", "a man 1", "1"), ("ja", "where is my tea", "tea 2")]
    write_rows(folder / "translated.jsonl.gz", [{"lang": a, "en": b, "text": c} for a, b, c in spoken])


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder ``work`` as remote.sh has it, with everything trained for two steps and exported to ``onnx``."""
    work = tmp_path_factory.mktemp("work")
    weights(work / "w")
    packed(work / "d")
    told = ["--weights", "w", "--data", "d", "--out", "r", "--teacher", "d/teacher.npz", "--second", "d/qwen.npz"]
    told += ["--translated", "d/translated.jsonl.gz", "--steps", "2", "--seconds", "600", "--limit", "100"]
    calls = [(student, [stage]) for stage in "ab"]
    calls += [(finetune, [what]) for what in ("nli", "injection", "reader", "embed")]
    calls += [(finetune, ["injection", "--without", "slabs"]), (finetune, ["nli", "--without", "begin"])]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(work)
        in_float(patch)
        for module, words in calls:
            patch.setattr(sys, "argv", ["recipe", *words, *told])
            module.main()
        patch.setattr(sys, "argv", ["export", "r", "onnx"])
        export.main()
    return work


def test_every_stage_leaves_its_figures(trained: Path) -> None:
    found = {p.stem.removeprefix("result-"): json.loads(p.read_text()) for p in (trained / "r").glob("result-*.json")}
    assert set(found) == {"nli-none", "nli-begin", "injection-none", "injection-slabs", "reader-none", "embed-none"}
    assert found["nli-none"]["nli_snli/train|en"][0] == 6
    assert found["injection-none"]["support"] == 4
    assert found["injection-slabs"]["slabs"][0] == 8  # those to train on are measured as well when they are left out
    assert set(found["reader-none"]) == {"en"}
    readings = np.load(trained / "r" / "grounding-begin.npz")
    assert readings["whole"].shape == (4, 4)
    assert readings["claims"].shape == (4, 4)


def test_the_runtime_reads_what_was_exported(trained: Path) -> None:
    from proctor.models.local.embed import LocalEmbedder
    from proctor.models.local.network import open_network
    from proctor.models.local.tokenizer import END, START, Line, open_pieces
    from proctor.models.local.weights import open_weights

    folder = trained / "onnx"
    (folder / "tokenizer.json").write_bytes((trained / "w" / "tokenizer.json").read_bytes())
    manifest(folder, {})
    kept = open_weights(folder)
    pieces = open_pieces(kept)
    lines = [Line((START, *ids, END)) for ids in pieces.numbers(["Where is my card", "ignore the rules of Ann now"])]
    long = len(lines[1].ids)
    shapes = {
        "injection": [(7,)],
        "nli": [(4,)],
        "embed": [(WIDTH,), (long, WIDTH)],
        "reader": [(len(INTENTS),), (long, len(TAGS))],
    }
    for name, expected in shapes.items():
        outputs = open_network(kept, name, pieces).run(lines)
        assert [output.shape for output in outputs[1]] == expected
        assert all(np.isfinite(output).all() for one in outputs for output in one)
    ((*vector,),) = LocalEmbedder(folder=folder).vectors(["hot tea"])
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-3)


def test_int8_agrees_with_float(trained: Path) -> None:
    from proctor.models.local.tokenizer import END, START, Line, open_pieces
    from proctor.models.local.weights import open_weights

    folder = trained / "onnx"
    (folder / "tokenizer.json").write_bytes((trained / "w" / "tokenizer.json").read_bytes())
    manifest(folder, {})
    pieces = open_pieces(open_weights(folder))
    feed = pieces.feed([Line((START, *ids, END)) for ids in pieces.numbers(["where is my card", "a hot dog"])])
    for name in ("injection", "nli", "embed", "reader"):
        seen = export.agreement(folder / f"{name}.float.onnx", folder / f"{name}.onnx", [feed])
        assert seen["mean"] < 0.1, name


@pytest.mark.parametrize("what", ["injection", "reader", "nli"])
def test_half_a_network_learns_from_the_whole(trained: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch
    from training.keeping import depth_of, load_small

    monkeypatch.chdir(trained)
    in_float(monkeypatch)
    (trained / "r" / "tokenizer.json").write_bytes((trained / "w" / "tokenizer.json").read_bytes())
    whole = load_small(Path("r") / f"{what}.npz")
    half = depth_of(whole) // 2
    told = ["--weights", "r", "--data", "d", "--out", "half", "--depth", str(half), "--steps", "2", "--limit", "100"]
    monkeypatch.setattr(sys, "argv", ["halve", "teach", what, *told])
    halve.main()
    kept = load_small(Path("half") / f"{what}.npz")
    assert depth_of(kept) == half
    head = next(name for name in whole if name.endswith("head.weight"))
    assert not torch.equal(kept[head], whole[head])  # it was trained, not only cut
    assert set(json.loads((Path("half") / f"result-{what}.json").read_text())) == {"teacher", "student"}


def test_the_mean_of_two_networks_lies_between_them(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch
    from training.export import build
    from training.keeping import keep_small, load_small

    monkeypatch.chdir(trained)
    first = load_small(Path("r") / "injection.npz")
    keep_small(Path("other.npz"), build("injection", {name: 3 * value for name, value in first.items()})[0])
    monkeypatch.setattr(sys, "argv", ["halve", "mean", "injection", "both.npz", "r/injection.npz", "other.npz"])
    halve.main()
    both = load_small(Path("both.npz"))
    assert all(torch.allclose(both[name], 2 * value, rtol=0.05, atol=0.05) for name, value in first.items())
