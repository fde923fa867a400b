from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor import registry
from proctor.core.errors import ConfigError, NotFoundError


def _package(folder: Path, name: str, points: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)
    (folder / f"{name}.py").write_text('"""x"""\n\n\nclass Polite:\n    """Says please."""\n')


@pytest.fixture
def strangers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in ("stranger", "other"):
        sys.modules.pop(name, None)


def test_a_strangers_plugin_is_found_by_its_entry_point(strangers: Path) -> None:
    _package(strangers, "stranger", "[proctor.scorers]\npolite = stranger:Polite\n")
    assert "polite" in registry.names("scorers")
    assert registry.load("scorers", "polite").__doc__ == "Says please."
    (entry,) = [each for each in registry.describe("scorers") if each.name == "polite"]
    assert (entry.about, entry.package, entry.error) == ("Says please.", "stranger", None)


def test_built_ins_are_registered_the_same_way() -> None:
    for group in ("scorers", "targets", "models", "importers"):
        assert all(entry.error is None and entry.about for entry in registry.describe(group)), group
        assert registry.names(group)


def test_an_unknown_name_gets_the_closest_known() -> None:
    with pytest.raises(NotFoundError, match="did you mean 'contains'"):
        registry.load("scorers", "contans")


def test_two_packages_with_one_name_are_refused(strangers: Path) -> None:
    _package(strangers, "stranger", "[proctor.scorers]\nexact = stranger:Polite\n")
    with pytest.raises(ConfigError, match="two packages offer the scorer 'exact'"):
        registry.load("scorers", "exact")


def test_a_broken_plugin_says_so_and_does_not_hide_the_others(strangers: Path) -> None:
    _package(strangers, "other", "[proctor.scorers]\nbroken = other:Missing\n")
    with pytest.raises(ConfigError, match="package other cannot be loaded"):
        registry.load("scorers", "broken")
    entries = {entry.name: entry for entry in registry.describe("scorers")}
    assert entries["broken"].error
    assert entries["exact"].error is None


def test_a_package_that_is_installed_later_is_found(strangers: Path) -> None:
    assert "polite" not in registry.names("scorers")
    _package(strangers, "stranger", "[proctor.scorers]\npolite = stranger:Polite\n")
    assert "polite" in registry.names("scorers")


def test_the_installed_packages_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.names("scorers")
    monkeypatch.setattr(registry, "entry_points", lambda places: pytest.fail("read again"))
    assert registry.names("targets")
    assert registry.find("scorers", "exact").name == "exact"
