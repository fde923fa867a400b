"""The first look learns what is right to learn, and the shipped weights can be read back."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training.glance_figures import figures
from training.linear_reader import cut_of, fit, seen, word_tables
from training.onnx_weights import state_of

from proctor.models.local import weights as shipped
from proctor.models.local.linear_prefilter import LinearPrefilter, known_place, marks
from proctor.models.local.model_registry import network_of, pieces_of
from proctor.models.local.tokenizer import END, START, Line

WEIGHTS = Path(shipped.__file__).parent / "weights"


def row(text: str, **more: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "text": text,
        "src": "clinc150",
        "lang": "en",
        "part": "train",
        "gold": None,
        "found": [],
        "risk": 0.0,
    }
    return plain | more


def test_what_people_marked_counts_before_what_the_reader_found() -> None:
    name = [("PERSON", 0.9, "fire")]
    assert seen(row("x", found=name), 0.2)["hold"]
    assert not seen(row("x", found=name, gold=[]), 0.2)["hold"]  # it cried wolf
    assert seen(row("x", gold=["ADDRESS"]), 0.2)["hold"]  # it was asleep
    assert not seen(row("x", found=[("PERSON", 0.5, "fire")]), 0.2)["hold"]
    assert seen(row("x", gold="self_harm"), 0.2)["hold"]
    assert not seen(row("x", gold="none", risk=0.9), 0.2)["danger"]


def test_danger_in_what_is_no_message_is_not_learnt() -> None:
    assert not seen(row("x", src="nli_ja", risk=0.9), 0.2)["use"]
    assert seen(row("x", src="nli_ja", risk=0.9, found=[("PERSON", 0.9, "x")]), 0.2)["use"]
    assert seen(row("x", risk=0.9), 0.2)["use"]


def test_words_of_names_are_no_ordinary_words() -> None:
    rows = [seen(row("call bob now"), 0.2)] * 2 + [seen(row("call bob", found=[("PERSON", 0.9, "bob")]), 0.2)] * 2
    known, names = word_tables(rows)

    def held(table: bytes, word: str) -> bool:
        place = known_place(word)
        return bool(table[place >> 3] >> (place & 7) & 1)

    assert held(names, "bob")
    assert not held(known, "bob")
    assert held(known, "call")
    assert not held(known, "nobody")


def test_the_cut_loses_no_more_than_said() -> None:
    scores = np.arange(1000.0)
    assert (scores < cut_of(scores, 0.005)).mean() <= 0.005


def test_a_table_tells_what_passes_and_what_is_lost() -> None:
    held = [seen(row("x", part="test", found=[("PERSON", 0.9, "x")]), 0.2)] * 25 + [
        seen(row("y", part="test"), 0.2)
    ] * 75
    out = "\n".join(figures(held, np.array([True] + [False] * 24 + [True] * 75)))
    assert "| clinc150 | 100 | 0.250 | 0.760 |" in out
    assert "| person or address | clinc150 | en | 25 | 0.040" in out


def test_what_was_learnt_tells_names_from_messages() -> None:
    pytest.importorskip("sklearn")
    plain = ["where is my parcel", "please cancel my order", "how do i pay", "my card does not work"] * 10
    named = [f"my name is {name}" for name in ("Jane", "Bob", "Ada", "Tom")] * 10
    rows = [seen(row(t), 0.2) for t in plain]
    rows += [seen(row(t, found=[("PERSON", 0.9, t.split()[-1])]), 0.2) for t in named]
    weights, scale, bias = fit(rows, strength=1.0)
    look = LinearPrefilter(weights, word_tables(rows), scale=scale, bias=bias, low=0.0)
    assert look.passes("where is my order")
    assert not look.passes("my name is Ulf")
    assert marks("my name is Ulf", *word_tables(rows))[1]


@pytest.mark.parametrize(("name", "head"), [("reader", "whole."), ("injection", ""), ("nli", "")])
def test_the_shipped_weights_are_read_back_by_name(name: str, head: str) -> None:
    state = state_of(WEIGHTS / f"{name}.onnx")
    line = Line((START, *pieces_of().numbers(["Where is my parcel? My lawyer will sue you."])[0], END))
    fed = pieces_of().feed([line])
    hidden = _body(state, f"{head}body.", fed["pieces"][0], fed["types"][0])
    joined = np.concatenate([hidden[0], hidden.mean(0), hidden.max(0)])
    told = joined @ state[f"{head}head.weight"].T + state[f"{head}head.bias"]
    wanted = network_of(name).run([line])[0][0]
    assert np.abs(told - wanted).max() < 0.6  # int8 against float
    assert np.corrcoef(told, wanted)[0, 1] > 0.99


def _body(state: dict[str, Any], at: str, x: Any, types: Any) -> Any:
    """The network of training, written out once more, for one line."""

    def product(name: str, value: Any) -> Any:
        return value @ state[f"{at}{name}.weight"].T + state[f"{at}{name}.bias"]

    def norm(name: str, value: Any) -> Any:
        middle = value - value.mean(-1, keepdims=True)
        wide = np.sqrt((middle**2).mean(-1, keepdims=True) + 1e-12)
        return middle / wide * state[f"{at}{name}.weight"] + state[f"{at}{name}.bias"]

    if f"{at}entry.weight" in state:
        x = product("entry", x)
    x = norm("norm", x + state[f"{at}places.weight"][: len(x)] + state[f"{at}types.weight"][types])
    for i in range(sum(f"layers.{i}.qkv.weight" in key for i in range(20) for key in state)):
        layer = f"layers.{i}."
        q, k, v = product(f"{layer}qkv", x).reshape(len(x), 3, 12, 32).transpose(1, 2, 0, 3)
        weights = np.exp(q @ k.transpose(0, 2, 1) / math.sqrt(32))
        mixed = (weights / weights.sum(-1, keepdims=True)) @ v
        x = norm(f"{layer}norm1", x + product(f"{layer}out", mixed.transpose(1, 0, 2).reshape(len(x), 384)))
        inner = product(f"{layer}up", x)
        inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = norm(f"{layer}norm2", x + product(f"{layer}down", inner))
    return x
