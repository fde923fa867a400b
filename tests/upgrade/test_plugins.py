"""A plugin package written for the version before: old imports, old keys of a verdict, old names of an error."""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType

import pytest

from proctor.core.errors import ConfigError
from proctor.project import Project, evaluate
from proctor.renamed_modules import RENAMED
from tests.tables import table
from tests.upgrade.conftest import FILES

PLUGIN = FILES / "plugin"
# what the documentation of the version before imported, by module
DOCUMENTED = dict(line.split(": ") for line in (FILES / "documented_names.txt").read_text("utf-8").splitlines())


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package, installed for one test; none of its modules or of the old names is loaded."""
    monkeypatch.syspath_prepend(str(PLUGIN))
    for name in [name for name in sys.modules if name.startswith("shop_plugin") or name in RENAMED]:
        monkeypatch.delitem(sys.modules, name)


@table("name", RENAMED)
def test_a_documented_old_name_is_the_same_module_with_a_warning(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.warns(DeprecationWarning, match=f"{name} is now {RENAMED[name]}") as noticed:
        old = importlib.import_module(name)
    assert len(noticed) == 1
    assert old is importlib.import_module(RENAMED[name])
    assert old.__spec__ is not None
    assert old.__spec__.name == RENAMED[name]


@pytest.mark.filterwarnings("ignore:proctor:DeprecationWarning")
def test_every_documented_name_can_be_imported() -> None:
    modules = {name: importlib.import_module(name) for name in DOCUMENTED}
    missing = [
        f"{name}.{each}"
        for name, parts in DOCUMENTED.items()
        for each in parts.split()
        if not _has(modules[name], each)
    ]
    assert missing == []


def _has(module: ModuleType, name: str) -> bool:
    return hasattr(module, name) or importlib.util.find_spec(f"{module.__name__}.{name}") is not None


def test_a_name_that_never_was_is_missing_as_before() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'proctor\.guard\.nothing'"):
        importlib.import_module("proctor.guard.nothing")


def test_the_warning_names_the_user_s_file(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text("from proctor.guard.wrap import Opens\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # noqa: TID251
    words = [sys.executable, "-W", "always", str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    assert f"{file}:1: DeprecationWarning: proctor.guard.wrap is now proctor.guard.guarded_target" in done.stderr


@pytest.mark.usefixtures("plugin")
def test_a_gate_with_old_imports_and_keys_decides_as_before() -> None:
    with warnings.catch_warnings(record=True) as noticed, Project.open(PLUGIN / "guard.yaml") as project:
        warnings.simplefilter("always")
        verdict = project.run_sync(project.guard.session().input("Use SAVE10 or SAVE20."))
    assert (verdict.action, verdict.text, verdict.by) == ("redact", "Use [COUPON] or [COUPON].", "coupons")
    assert verdict.borderline
    messages = {str(each.message) for each in noticed if each.category is DeprecationWarning}
    assert "proctor.guard.watch is now proctor.guard.engine; the old name goes in the next version" in messages
    assert any("puts borderline, by, edits into Verdict.extra" in each for each in messages)


@pytest.mark.usefixtures("plugin")
def test_a_scorer_and_a_model_of_the_package_are_found() -> None:
    result = evaluate(PLUGIN / "suite.yaml", models=["shouting:v1"])
    assert result.passed
    assert [(each.trajectory.answer, each.scores[0].name) for each in result.results()] == [("THANK YOU", "polite")]


@pytest.mark.usefixtures("plugin")
@pytest.mark.filterwarnings("ignore:proctor:DeprecationWarning")
def test_an_error_takes_and_gives_its_hint_by_the_old_name() -> None:
    coupons = importlib.import_module("shop_plugin.coupons")
    renamed = "`mend` of an error is now `hint`"
    with pytest.warns(DeprecationWarning, match=renamed), pytest.raises(ConfigError) as raised:
        coupons.Coupons(mask="")
    assert raised.value.hint == "write some text"
    with pytest.warns(DeprecationWarning, match=renamed):
        assert raised.value.mend == "write some text"
    assert str(raised.value).endswith("hint: write some text")
