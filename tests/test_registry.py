from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor import registry
from proctor.core.errors import ConfigError, NotFoundError
from tests.tables import table
from tests.third_party import install

_POLITE = '''
from dataclasses import dataclass


@dataclass(frozen=True)
class Polite:
    """Says please."""

    name, version, threshold, primary = "polite", "1", 1.0, None

    async def score(self, case, run):
        raise NotImplementedError
'''


def _package(folder: Path, name: str, points: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)
    (folder / f"{name}.py").write_text(_POLITE)


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
    told = [each for each in registry.describe("scorers") if each.name == "exact"]
    assert {each.package for each in told} == {"proctor", "stranger"}
    assert all(each.error and "two packages offer the scorer 'exact'" in each.error for each in told)
    assert {each.hint for each in told} == {"uninstall one of them"}


def test_a_broken_plugin_says_so_and_does_not_hide_the_others(strangers: Path) -> None:
    _package(strangers, "other", "[proctor.scorers]\nbroken = other:Missing\n")
    with pytest.raises(ConfigError, match="package other cannot be loaded"):
        registry.load("scorers", "broken")
    entries = {entry.name: entry for entry in registry.describe("scorers")}
    assert entries["broken"].error
    assert entries["exact"].error is None


@table(
    ("code", "cause"),
    [
        ("class Polite(: pass", "SyntaxError: invalid syntax"),
        ("raise ValueError('no licence')", "ValueError: no licence"),
        ("import sys; sys.exit('bye')", "SystemExit: bye"),
        ("class Polite:\n    name = version = 'x'", "it has no fields, because it is not a dataclass, no `threshold`"),
        (_POLITE.replace("async def score", "async def rate"), "it has no `score`"),
    ],
)
def test_a_plugin_that_cannot_be_imported_or_used_is_named_with_its_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, cause: str
) -> None:
    install(tmp_path, monkeypatch, "stranger", code, scorers="polite = stranger:Polite")
    with pytest.raises(ConfigError, match="the scorer 'polite' of package stranger") as caught:
        registry.load("scorers", "polite")
    assert cause in caught.value.message
    (entry,) = [each for each in registry.describe("scorers") if each.name == "polite"]
    assert cause in (entry.error or "")
    assert entry.hint == caught.value.hint


def test_a_package_that_is_installed_later_is_found(strangers: Path) -> None:
    assert "polite" not in registry.names("scorers")
    _package(strangers, "stranger", "[proctor.scorers]\npolite = stranger:Polite\n")
    assert "polite" in registry.names("scorers")


def test_the_installed_packages_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.names("scorers")
    monkeypatch.setattr(registry, "entry_points", lambda places: pytest.fail("read again"))
    assert registry.names("targets")
    assert registry.find("scorers", "exact").name == "exact"
