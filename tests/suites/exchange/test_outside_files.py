"""No importer, prompt or suite reads a file outside of where it may."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from proctor.core.errors import InputError
from proctor.prompts.load import load_prompt
from proctor.suites.exchange.formats import kind_of, read_any
from proctor.suites.load import open_suite

SECRET = "what only the owner may read"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder beside a file that must not be read."""
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "secret.csv").write_text(f"input\n{SECRET}\n")
    (tmp_path / "secret.yaml").write_text(f"- vars: {{x: {SECRET}}}\n")
    (tmp_path / "secret.jsonl").write_text(json.dumps({"input": SECRET, "ideal": "y"}) + "\n")
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "linked").symlink_to(tmp_path)
    return folder


def _foo(**more: object) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        data = {"prompts": ["say {{x}}"], "providers": ["openai:gpt-5"], "tests": [{"vars": {"x": "y"}}], **more}
        text = json.dumps(data).replace("OUT", str(folder.parent))
        (folder / "promptfooconfig.yaml").write_text(text)
        return folder / "promptfooconfig.yaml"

    return write


def _registry(named: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        entry = {"class": "evals.elsuite.basic.match:Match", "args": {"samples_jsonl": named}}
        (folder / "reg.yaml").write_text(json.dumps({"my.eval": entry}).replace("OUT", str(folder.parent)))
        return folder / "reg.yaml"

    return write


def _evals_folder(folder: Path) -> Path:
    (folder / "eval.json").write_text(json.dumps({"object": "eval", "testing_criteria": [], "data_source_config": {}}))
    (folder / "items.jsonl").symlink_to(folder.parent / "secret.jsonl")
    return folder


_IMPORTS = {
    "prompt by address": _foo(prompts=["file://OUT/secret.txt"]),
    "prompt by absolute path": _foo(prompts=["OUT/secret.txt"]),
    "prompt above": _foo(prompts=["file://../secret.txt"]),
    "prompt by pattern": _foo(prompts=["file://../*.txt"]),
    "prompt by a link": _foo(prompts=["file://link.txt"]),
    "prompt in a linked folder": _foo(prompts=["file://linked/secret.txt"]),
    "variable": _foo(tests=[{"vars": {"x": "file://OUT/secret.txt"}}]),
    "tests": _foo(tests="file://../secret.yaml"),
    "table of tests": _foo(tests=["file://../secret.csv"]),
    "samples above": _registry("../secret.jsonl"),
    "samples by absolute path": _registry("OUT/secret.jsonl"),
    "link in a folder of evals": _evals_folder,
}


@pytest.mark.parametrize("name", list(_IMPORTS))
def test_an_import_stays_in_its_folder(place: Path, name: str) -> None:
    source = _IMPORTS[name](place)
    kind = "openai-evals" if source.is_dir() else kind_of(source)
    with pytest.raises(InputError, match="outside") as raised:
        read_any(source, kind)
    assert "--allow-outside" in (raised.value.hint or "")
    assert str(source) in str(raised.value)
    assert SECRET not in str(raised.value)
    read_any(source, kind, allow_outside=True)


def test_files_inside_are_read(place: Path) -> None:
    (place / "texts").mkdir()
    (place / "texts" / "p.txt").write_text("answer {{x}}")
    (bundle,) = read_any(_foo(prompts=["file://texts/p.txt"])(place), "promptfoo")
    assert bundle.file is not None
    assert "answer" in bundle.file[1]


def test_the_registry_may_keep_its_samples_in_data(tmp_path: Path) -> None:
    (tmp_path / "registry" / "evals").mkdir(parents=True)
    (tmp_path / "registry" / "data" / "mine").mkdir(parents=True)
    samples = tmp_path / "registry" / "data" / "mine" / "samples.jsonl"
    samples.write_text(json.dumps({"input": "x", "ideal": "y"}) + "\n")
    (bundle,) = read_any(_registry("mine/samples.jsonl")(tmp_path / "registry" / "evals"), "openai-registry")
    assert len(bundle.cases) == 1


@pytest.mark.parametrize("named", ["../secret.csv", "linked/secret.csv"])
def test_a_prompt_reads_samples_of_its_project_only(place: Path, named: str) -> None:
    prompt = place / "p.prompty"
    prompt.write_text(f"---\nname: p\nsample: ${{file:{named}}}\n---\nuser:\n{{{{input}}}}\n")
    with pytest.raises(InputError, match="outside"):
        load_prompt(prompt)
    (place.parent / "proctor.yaml").write_text("")
    load_prompt(prompt)


@pytest.mark.parametrize("named", ["../secret.csv", "linked/secret.csv", "OUT/secret.csv"])
def test_a_suite_takes_cases_of_its_project_only(place: Path, named: str) -> None:
    suite = place / "suite.yaml"
    suite.write_text(f"cases_from: [{named.replace('OUT', str(place.parent))}]\n")
    with pytest.raises(InputError, match="outside"):
        open_suite(suite)
    (place.parent / "proctor.yaml").write_text("")
    open_suite(suite)
