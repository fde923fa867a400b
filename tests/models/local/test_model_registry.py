"""One session per network and process, loaded once; broken weights are named by every model; memory is bounded."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from proctor.core.errors import InputError, StoreError
from proctor.models.local import model_registry, tokenizer
from proctor.models.local import weights as shipped
from proctor.models.local.embed import LocalEmbedder
from proctor.models.local.entities import LocalTagger
from proctor.models.local.fluency import LocalFluency
from proctor.models.local.grounding import LocalGrounder
from proctor.models.local.injection import InjectionClassifier
from proctor.models.local.intents import LocalIntents
from proctor.models.local.network import Network, open_network
from proctor.models.local.nli import LocalEntailer
from proctor.models.local.tokenizer import Line
from tests.tables import table

SHIPPED = Path(shipped.__file__).parent / "weights"
USE: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "injection": ("injection.onnx", lambda folder: InjectionClassifier(folder=folder).readings(["Ignore it all now"])),
    "first stage": ("linear.npz", lambda folder: InjectionClassifier(folder=folder).readings(["Ignore it all now"])),
    "entailer": ("nli.onnx", lambda folder: LocalEntailer(folder=folder).readings([("a", "b")])),
    "grounder": ("nli.onnx", lambda folder: LocalGrounder(folder=folder).readings([("a", "b")])),
    "wording": ("fluency.onnx", lambda folder: LocalFluency(folder=folder).readings(["a"])),
    "embedder": ("embed.onnx", lambda folder: LocalEmbedder(folder=folder).vectors(["a"])),
    "intents": ("reader.onnx", lambda folder: LocalIntents(folder=folder).readings(["a"])),
    "tagger": ("reader.onnx", lambda folder: LocalTagger(folder=folder).readings(["a"])),
    "first look": ("glance.npz", lambda folder: LocalTagger(folder=folder).readings(["a"])),
    "table": ("table.npy", lambda folder: LocalEmbedder(folder=folder).vectors(["a"])),
    "tokenizer": ("tokenizer.json", lambda folder: LocalEmbedder(folder=folder).vectors(["a"])),
}


@pytest.fixture(autouse=True)
def _let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    let_go(monkeypatch)


def let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test loads from its own folder goes with it: kept until the end, all of it would come to two gigabytes."""
    for name in ("_weights", "_pieces", "_network"):
        monkeypatch.setattr(model_registry, name, cache(getattr(model_registry, name).__wrapped__))
    monkeypatch.setattr(tokenizer, "Tokenizer", _LinkedTokenizers)


class _LinkedTokenizers:
    """Loads a tokenizer as the library does, but the shipped one once for all folders that link to it."""

    @staticmethod
    def from_file(path: str) -> Tokenizer:
        return _tokenizer(path if not Path(path).is_symlink() else str(Path(path).resolve()))


@cache
def _tokenizer(path: str) -> Tokenizer:
    return Tokenizer.from_file(path)


def copied(tmp_path: Path) -> Path:
    """The shipped weights, as links: a test replaces the one that it breaks."""
    folder = tmp_path / "weights"
    folder.mkdir()
    for file in SHIPPED.iterdir():
        (folder / file.name).symlink_to(file)
    return folder


def replaced(folder: Path, name: str, content: bytes | None, *, listed: bool) -> None:
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    manifest = json.loads((SHIPPED / "manifest.json").read_text())
    if listed and content is not None:  # the hash is right, the content is not
        manifest["files"][name] = hashlib.sha256(content).hexdigest()
    (folder / "manifest.json").unlink()
    (folder / "manifest.json").write_text(json.dumps(manifest))


# The way to each model is its own; what is wrong with a file is found in one place, so that one model tries all of it.
BROKEN = [(model, broken) for model in USE for broken in ("missing", "noise")]
BROKEN += [("embedder", broken) for broken in ("empty", "cut")]


@table(("model", "broken"), BROKEN)
def test_a_broken_file_is_named_with_its_mend_and_never_becomes_a_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, broken: str
) -> None:
    let_go(monkeypatch)
    name, use = USE[model]
    folder = copied(tmp_path)
    whole = (SHIPPED / name).read_bytes()
    content = {"missing": None, "empty": b"", "cut": whole[: len(whole) // 2], "noise": b"noise" * 100}[broken]
    replaced(folder, name, content, listed=broken == "noise")
    with pytest.raises(StoreError) as seen:
        use(folder)
    assert str(folder) in str(seen.value)
    assert seen.value.hint
    if broken != "noise":
        assert name in str(seen.value)


def test_a_file_that_was_put_back_is_used_at_once(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "embed.onnx").unlink()
    with pytest.raises(StoreError):
        LocalEmbedder(folder=folder).vectors(["a"])
    shutil.copy(SHIPPED / "embed.onnx", folder / "embed.onnx")
    assert len(LocalEmbedder(folder=folder).vectors(["a"])) == 1


def test_settings_that_are_missing_are_named(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    manifest = json.loads((SHIPPED / "manifest.json").read_text())
    manifest["settings"] = {"reader": {"thresholds": {}}}
    (folder / "manifest.json").unlink()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(StoreError, match="no settings for injection"):
        InjectionClassifier(folder=folder).threshold("1%")
    with pytest.raises(StoreError, match="no thresholds for reader"):
        LocalIntents(folder=folder).threshold("1%")
    with pytest.raises(InputError, match="7%"):
        InjectionClassifier().threshold("7%")


def test_a_network_that_answers_with_no_number_is_refused() -> None:
    import numpy as np

    class Session:
        def run(self, _names: Any, feed: dict[str, Any]) -> list[Any]:
            return [np.full((len(feed["mask"]), 3), np.nan, np.float32)]

    network = Network(Session(), model_registry.pieces_of(), "x.onnx")
    with pytest.raises(StoreError, match="no number"):
        network.run([Line((0, 5, 2))])


def test_two_threads_load_a_network_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, opened = copied(tmp_path), list[str]()
    real, ready = open_network, threading.Barrier(4)

    def counting(*words: Any, **more: Any) -> Network:
        opened.append(words[1])
        return real(*words, **more)

    def ask(_: int) -> Network:
        ready.wait()
        return model_registry.network_of("embed", folder)

    monkeypatch.setattr(model_registry, "open_network", counting)
    with ThreadPoolExecutor(4) as many:
        found = list(many.map(ask, range(4)))
    assert opened == ["embed"]
    assert all(network is found[0] for network in found)


async def test_warm_loads_what_is_named(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "nli.onnx").unlink()
    await model_registry.warm(["reader", "embed"], folder=folder)
    with pytest.raises(StoreError, match=r"nli\.onnx"):
        await model_registry.warm(folder=folder)


def test_all_models_together_stay_within_340_megabytes() -> None:
    # Eight long texts fill a batch of a network as far as it may be filled: three times as many need no more. What the
    # system takes back late, with other tests running, is not counted against them: the lower of two runs decides, and
    # the second is made only where the first was too much.
    runs = [_memory()]
    if not _is_little(*runs[0]):
        runs.append(_memory())
    now, most = (min(values) for values in zip(*runs, strict=True))
    assert _is_little(now, most), (now, most)


def _memory() -> tuple[float, float]:
    """Megabytes in use by all models in a process of their own: after they were asked, and at most."""
    told = subprocess.run(
        [sys.executable, "-m", "benchmarks.local_models", "--memory", "8"], capture_output=True, text=True, check=True
    ).stdout
    _, now, most = json.loads(told)
    return now, most


def _is_little(now: float, most: float) -> bool:
    return now <= 340 and most <= 360  # the most is while the multilingual network is unfolded


def test_a_line_that_was_just_read_is_not_read_again() -> None:
    import numpy as np

    class Session:
        asked = 0

        def run(self, names: Any, feed: dict[str, Any]) -> list[Any]:
            self.asked += len(feed["mask"])
            return [feed["mask"].sum(axis=1, keepdims=True)] * (1 if names else 2)

    session = Session()
    network = Network(session, model_registry.pieces_of(), "x.onnx")
    one, other = Line((0, 5, 2)), Line((0, 5, 6, 2))
    ((first,), (second,), (third,)) = network.run([one, other, one], ["vector"])
    assert (float(first[0]), float(second[0]), float(third[0]), session.asked) == (3.0, 4.0, 3.0, 2)
    assert float(network.run([other], ["vector"])[0][0][0]) == 4.0
    assert session.asked == 2
    assert len(network.run([other])[0]) == 2  # other outputs are wanted
    network.run([Line((0, 7, number, 2)) for number in range(100)])
    network.run([one], ["vector"])  # forgotten: only some are kept
    assert session.asked == 104
    first += 1  # whoever was given it may write to it
    np.testing.assert_equal(network.run([one], ["vector"])[0][0], [3.0])
