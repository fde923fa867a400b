"""The entry points found are those that `importlib.metadata` finds."""

from __future__ import annotations

import importlib.metadata
import sys
import zipfile
from pathlib import Path

import pytest

from proctor.core.entry_points import EntryPoint, entry_points

TEXT = "# parts\n[console_scripts]\nx = y:z\n\n[proctor.scorers]\npolite = stranger.parts:Polite.kind [extra]\n"


def _found(points: list[EntryPoint]) -> set[tuple[str, str, str]]:
    return {(point.group, point.name, point.value) for point in points}


def _install(folder: Path, name: str, text: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: the-stranger\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(text)


def test_they_are_those_of_the_standard_library() -> None:
    every = importlib.metadata.entry_points()
    theirs = {
        (point.group, point.name, point.value)
        for group in every.groups
        if group.startswith("proctor.")
        for point in importlib.metadata.entry_points(group=group)
    }
    assert _found(entry_points(sys.path)) == theirs
    assert len(theirs) > 50


def test_a_package_has_its_name_its_module_and_its_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(tmp_path, "the_stranger", TEXT)
    (tmp_path / "stranger").mkdir()
    (tmp_path / "stranger" / "parts.py").write_text("class Polite:\n    kind = 'kind'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    (point,) = entry_points([str(tmp_path)])
    assert (point.name, point.group, point.package) == ("polite", "proctor.scorers", "the-stranger")
    assert point.module == "stranger.parts"
    assert point.load() == "kind"
    sys.modules.pop("stranger.parts"), sys.modules.pop("stranger")


def test_the_first_on_the_path_counts(tmp_path: Path) -> None:
    _install(tmp_path / "one", "the_stranger", "[proctor.scorers]\na = first:A\n")
    _install(tmp_path / "two", "The.Stranger", "[proctor.scorers]\na = second:A\n")
    places = [str(tmp_path / name) for name in ("missing", "one", "two")]
    assert [point.value for point in entry_points(places)] == ["first:A"]


def test_packages_in_a_zip_file_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as packed:
        packed.writestr("packed-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: packed\nVersion: 1.0\n")
        packed.writestr("packed-1.0.dist-info/entry_points.txt", "[proctor.scorers]\npacked = packed:Packed\n")
    monkeypatch.syspath_prepend(str(tmp_path / "packed.zip"))
    (point,) = [each for each in entry_points(sys.path) if each.name == "packed"]
    assert (point.value, point.package) == ("packed:Packed", "packed")
