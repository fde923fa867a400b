"""The large network, made tiny: converted from its base and run, it answers as the same numbers do in float."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from proctor.core.errors import StoreError
from proctor.models.local.large import ACTS, LargeNetwork, large_network
from proctor.models.local.large_adapter import open_adapter
from proctor.models.local.large_conversion import convert, tokens_of
from proctor.models.local.large_files import INDEX, NUMBERS, conversion_folder, is_converted
from proctor.models.local.weights import open_weights
from tests.models.local import tiny_large
from tests.models.local.tiny_large import TOKENS, adapter_arrays, base_tensors, float_outputs, write_base, write_weights

ARRAYS = adapter_arrays()
MODELS, WEIGHTS = "models", "weights"


def _target(folder: Path) -> Path:
    return conversion_folder(folder / MODELS, open_weights(folder / WEIGHTS))


def _convert(folder: Path) -> None:
    """Write a base, weights and the conversion."""
    (folder / MODELS).mkdir(parents=True)
    base = write_base(folder / "base.gguf", base_tensors())
    weights = write_weights(folder / WEIGHTS, ARRAYS)
    target = _target(folder)
    tokens = tokens_of(weights / "multilingual.tokenizer.json")
    convert(base, open_adapter(weights / "large.npz"), tokens, target)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large") / "here"
    _convert(folder)
    return folder


@pytest.fixture(scope="module")
def network(installed: Path) -> LargeNetwork:
    return large_network(installed / MODELS, installed / WEIGHTS)


def _line(length: int, seed: int = 3) -> tuple[int, ...]:
    return tuple(np.random.default_rng(seed).integers(0, len(TOKENS), length).tolist())


def _far(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))


@pytest.mark.parametrize("length", [1, 2, 17, 120])
def test_the_converted_network_answers_as_its_numbers_do_in_float(network: LargeNetwork, length: int) -> None:
    line = _line(length)
    wanted = float_outputs(base_tensors(), ARRAYS, line)
    assert _far(network.logits([line])[0], wanted) < 0.03
    without = {name: value for name, value in ARRAYS.items() if not name.startswith("layers.")}
    assert _far(float_outputs(base_tensors(), without, line), wanted) > 0.05, "the adapter would make no difference"


def test_a_mark_is_read_as_if_the_line_ended_there(network: LargeNetwork) -> None:
    line = _line(40)
    marks = (0, 11, 39)
    for mark, reading in zip(marks, network.at_marks(line, marks), strict=True):
        wanted = float_outputs(base_tensors(), ARRAYS, line[: mark + 1])
        assert _far(np.array(reading.outputs), wanted) < 0.03
    assert network.at_marks(line, ()) == []


def test_a_long_line_is_read_in_parts_that_look_back(network: LargeNetwork) -> None:
    line = _line(700)
    marks = (699, 20, 466, 467, 233)  # in any order, on both sides of where a part ends
    for mark, reading in zip(marks, network.at_marks(line, marks), strict=True):
        assert _far(np.array(reading.outputs), float_outputs(base_tensors(), ARRAYS, line[: mark + 1])) < 0.03
    assert _far(network.logits([line])[0], network.outputs(line, (699,))[0]) < 0.01


def test_each_output_has_its_place(network: LargeNetwork) -> None:
    (reading,) = network.turns([("Where is it?", "I sent it.")], "agent")
    assert tuple(reading.acts("agent").values()) == reading.outputs[11:22]
    assert tuple(reading.acts("customer").values()) == reading.outputs[22:31]
    assert (reading.fault, reading.fault_kinds) == (reading.outputs[31], reading.outputs[32:42])
    assert reading.attack == reading.outputs[5]
    assert set(ACTS) == {"agent", "customer"}


def test_texts_and_pairs_are_asked_different_questions(network: LargeNetwork) -> None:
    text = "the other one"
    user, document, answer = (network.read([text], frame)[0] for frame in ("user", "document", "answer"))
    pair = network.compare([(text, text)])[0]
    assert len({user.outputs, document.outputs, answer.outputs, pair.outputs}) == 4
    assert len(network.read(["", "\ud800", "word " * 5000])) == 3
    assert len(network.compare([("word " * 5000, "word " * 5000)])) == 1


def test_a_line_that_is_known_is_not_run_again(network: LargeNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    line = _line(9, seed=8)
    first = network.logits([line])
    monkeypatch.setattr(network, "_session", None)
    assert np.array_equal(network.logits([line]), first)


def test_a_network_that_is_not_installed_names_the_command(installed: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not installed") as caught:
        large_network(tmp_path, installed / WEIGHTS)
    assert "proctor models add large" in (caught.value.hint or "")


def test_another_adapter_needs_another_conversion(installed: Path, tmp_path: Path) -> None:
    newer = open_weights(write_weights(tmp_path / WEIGHTS, adapter_arrays(seed=5)))
    target = conversion_folder(installed / MODELS, newer)
    assert target != _target(installed)
    assert not is_converted(target)


def test_weights_without_an_adapter_say_so(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"files": {}, "settings": {}}))
    with pytest.raises(StoreError, match="no adapter"):
        conversion_folder(tmp_path, open_weights(tmp_path))


@pytest.fixture
def copied(installed: Path, tmp_path: Path) -> Path:
    """A copy of what was installed, which the test may break."""
    return Path(shutil.copytree(installed, tmp_path / "copied", symlinks=True))


def test_a_conversion_that_is_cut_off_counts_as_missing(copied: Path) -> None:
    target = _target(copied)
    assert is_converted(target)
    whole = (target / NUMBERS).read_bytes()
    (target / NUMBERS).write_bytes(whole[:-1])
    assert not is_converted(target)
    shutil.rmtree(target)
    assert not is_converted(target)


def test_a_conversion_that_is_broken_is_named(copied: Path) -> None:
    target = _target(copied)
    index = json.loads((target / INDEX).read_text())
    del index["places"]["head.bias"]
    (target / INDEX).write_text(json.dumps(index))
    with pytest.raises(StoreError, match="cannot be loaded") as caught:
        large_network(copied / MODELS, copied / WEIGHTS)
    assert "proctor models remove large" in (caught.value.hint or "")


def test_a_base_that_is_not_the_one_is_refused(tmp_path: Path) -> None:
    weights = write_weights(tmp_path / WEIGHTS, ARRAYS)
    adapter, tokens = open_adapter(weights / "large.npz"), tokens_of(weights / "multilingual.tokenizer.json")
    for fields, what in (
        ({"general.architecture": "llama"}, "model of kind llama"),
        ({"qwen2.embedding_length": 512}, "another size"),
        ({"tokenizer.ggml.tokens": ["a", "b"]}, "has no token"),
    ):
        base = write_base(tmp_path / "other.gguf", base_tensors(), fields)
        with pytest.raises(StoreError, match=what):
            convert(base, adapter, tokens, tmp_path / "target")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["other.gguf", WEIGHTS]


def test_a_conversion_takes_the_place_of_one_that_is_cut_off(copied: Path) -> None:
    target = _target(copied)
    (target / NUMBERS).write_bytes(b"")
    adapter = open_adapter(copied / WEIGHTS / "large.npz")
    tokens = tokens_of(copied / WEIGHTS / "multilingual.tokenizer.json")
    convert(copied / "base.gguf", adapter, tokens, target)
    assert is_converted(target)
    assert [each.name for each in target.parent.iterdir()] == [target.name]
    assert json.loads((target / INDEX).read_text())["shape"]["layers"] == tiny_large.LAYERS
