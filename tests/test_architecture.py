"""The house keeps its shape: sizes, names, what starting up costs, what is said in public."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "proctor"
MODULES = sorted(path for path in SOURCE.rglob("*.py") if "template" not in path.parts)
BANNED_NAMES = {"utils", "util", "common", "helpers", "helper", "base", "manager", "misc"}


def _name(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def test_no_file_is_larger_than_a_person_can_hold() -> None:
    lines = {_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert len(lines) > 100
    assert {name: count for name, count in lines.items() if count > 400} == {}


def test_a_file_is_named_for_what_it_makes_or_knows() -> None:
    assert [_name(path) for path in MODULES if path.stem in BANNED_NAMES or path.stem.endswith("_utils")] == []


@dataclass(frozen=True)
class Shape:
    """What the tests read of a module. Its tree is not kept: a thousand trees make the garbage collector slow."""

    unsaid: str | None
    classes: tuple[str, ...]


@cache
def _shape(path: Path) -> Shape:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    classes = tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_"))
    return Shape(unsaid=_unsaid(tree), classes=classes)


def _public(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    conditional = [each for node in tree.body if isinstance(node, ast.If) for each in node.body]
    for node in tree.body + conditional:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if not name.startswith("_")}


def _unsaid(tree: ast.Module) -> str | None:
    """What a module does not say of itself, or nothing."""
    if not ast.get_docstring(tree):
        return "a module says in its first line what it is for"
    listed = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets)
    ]
    if not listed:
        return "a module lists its public names in __all__"
    unknown = set(listed[0]) - _public(tree)
    return f"__all__ lists what is not there: {sorted(unknown)}" if unknown else None


# Words that end like a gerund or a participle and are nouns, adjectives or names of scorers and gates in this field.
FIELD_WORDS = {
    "banned", "clustered", "embed", "generated", "grounded", "grounding", "paired", "recording", "scored", "smuggled",
    "solved", "spacing", "structured",
}  # fmt: skip


def test_a_module_is_a_noun_or_verb_and_object() -> None:
    names = {path.stem for path in MODULES}
    shaped = {name for name in names if "_" not in name and re.fullmatch(r"\w+(?:ing|ed|ly)", name)}
    assert shaped - FIELD_WORDS == set(), "a bare gerund, participle or adverb does not say what is in the module"
    assert names >= FIELD_WORDS, "a word of this list is no module any more"


def test_a_public_class_name_exists_once() -> None:
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for name in _shape(path).classes:
            places.setdefault(name, []).append(path.relative_to(SOURCE).as_posix())
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_every_module_says_what_is_public() -> None:
    unsaid = {_name(path): _shape(path).unsaid for path in MODULES if path.name not in ("__init__.py", "__main__.py")}
    assert {name: what for name, what in unsaid.items() if what} == {}


def _loaded_by(statement: str, folder: Path = ROOT) -> set[str]:
    code = f"import sys, json; {statement}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder)
    return set(json.loads(done.stdout.splitlines()[-1]))


HEAVY = {"aiohttp", "rich", "jinja2", "ruamel", "sqlite3", "asyncio", "jsonschema_rs", "boto3", "xllamacpp", "dotenv"}
HEAVY |= {"numpy", "onnxruntime", "tokenizers"}


def test_help_loads_nothing_heavy() -> None:
    loaded = _loaded_by("from proctor.cli.main import cli; cli.main(['--help'], standalone_mode=False)")
    assert not HEAVY & loaded


# What a run does not need when it asks no model, compares no runs and reads no prompt.
NOT_FOR_RULES = {
    "aiohttp",
    "numpy",
    "onnxruntime",
    "tokenizers",
    "jinja2",
    "jsonschema_rs",
    "boto3",
    "xllamacpp",
    "dotenv",
}
NOT_FOR_RULES |= {"proctor.generate", "proctor.guard", "proctor.server", "proctor.models.local"}
SLOW = {"difflib", "email", "html", "importlib.metadata", "secrets", "statistics"}  # of the standard library
SUITE = """
name: first
scorers: [{length: {unit: words, at_most: 20}}]
cases:
  - {id: shipping, input: When does my order ship?, checks: [{contains: 3 days}, {forbidden: [30 days]}]}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "proctor.yaml").write_text("targets: {agent: {python: 'agent.py:answer'}}\ntarget: agent\n")
    (tmp_path / "agent.py").write_text("def answer(question):\n    return 'Orders ship within 3 days.'\n")
    (tmp_path / "first.yaml").write_text(SUITE)
    return tmp_path


def _loaded_by_run(project: Path, *flags: str) -> set[str]:
    words = ["run", "first.yaml", *flags]
    command = f"from proctor.cli.main import cli; assert cli.main({words!r}, standalone_mode=False) == 0"
    return _loaded_by(command, project)


def test_a_run_checked_by_rules_loads_only_what_it_needs(project: Path) -> None:
    assert not (NOT_FOR_RULES | SLOW) & _loaded_by_run(project)


def test_a_quiet_run_draws_nothing(project: Path) -> None:
    assert not (NOT_FOR_RULES | {"rich"}) & _loaded_by_run(project, "--quiet")


def test_floors_are_looked_up_without_numpy(project: Path) -> None:
    (project / "gate.yaml").write_text("floors: {all: {pass_rate: 0.5}}\n")
    loaded = _loaded_by_run(project)
    assert "proctor.release.policy" in loaded
    assert not NOT_FOR_RULES & loaded


def test_core_costs_nothing_to_import() -> None:
    assert not HEAVY & _loaded_by("import proctor.core.sockets")


def test_the_default_install_needs_no_torch_no_gpu_no_server() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    default = text[text.index("\ndependencies = [") : text.index("[project.optional-dependencies]")]
    assert not re.search(r"torch|onnx(?!runtime>)|gpu|transformers|xllamacpp|boto3|scipy|pandas", default)


def test_every_verb_of_the_table_exists_and_says_the_same_line() -> None:
    import click

    from proctor.cli.main import VERBS, cli

    for name, line in VERBS.items():
        verb = cli.get_command(click.Context(cli), name)
        assert verb is not None
        assert verb.name == name
        assert verb.get_short_help_str(limit=200) == line
    modules = [path for path in (SOURCE / "cli").glob("*.py") if re.search(r"(?m)^def verb\(", path.read_text("utf-8"))]
    assert len(modules) > 20
    assert {path.stem.removesuffix("_from") for path in modules} <= set(VERBS), "a verb is missing in the table VERBS"


def test_nothing_committed_names_a_machine() -> None:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    places = re.compile(r"(?<![\w.])/(" + "work|root|home" + r")/[a-z.]")
    for name in done.stdout.splitlines():
        path = ROOT / name
        if path.suffix in {".png", ".onnx", ".npy", ".npz", ".gz"} or not path.is_file() or path == Path(__file__):
            continue
        assert not places.search(path.read_text(encoding="utf-8", errors="replace")), name
