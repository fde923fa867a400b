from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.tables import table

from proctor.core.case import Suite
from proctor.core.errors import SuiteError
from proctor.suites.exchange.openai_registry import is_registry, is_sample, read_registry, read_samples
from proctor.wiring.scorers import GraderFactory

SYSTEM = {"role": "system", "content": "Answer with {{one}} word."}


def sample(question: str, ideal: Any, **more: Any) -> dict[str, Any]:
    return {"input": [SYSTEM, {"role": "user", "content": question}], "ideal": ideal, **more}


def registry(folder: Path, kind: str, samples: list[Any], **args: Any) -> Path:
    (folder / "evals").mkdir()
    (folder / "data" / "mine").mkdir(parents=True)
    (folder / "data" / "mine" / "samples.jsonl").write_text("".join(json.dumps(each) + "\n" for each in samples))
    path = folder / "evals" / "mine.yaml"
    settings = "".join(f"    {key}: {json.dumps(value)}\n" for key, value in args.items())
    path.write_text(
        f"mine:\n  id: mine.dev.v0\n  metrics: [accuracy]\n"
        f"mine.dev.v0:\n  class: evals.elsuite.{kind}\n  args:\n    samples_jsonl: mine/samples.jsonl\n{settings}"
    )
    return path


def test_match_begins_with_an_ideal_answer(tmp_path: Path) -> None:
    samples = [sample("Sky?", ["blue", "Blue (."], id=7), sample("Grass?", "green")]
    (made,) = read_registry(registry(tmp_path, "basic.match:Match", samples))
    assert made.name == "mine-dev-v0"
    assert made.prompt is not None
    assert made.prompt.inputs == {}
    first, second = made.cases
    assert (first.input, first.history, first.expect.reference) == ("Sky?", (), "blue")
    assert first.checks[0].settings["value"] == r"\A(?:blue|Blue\ \(\.)"
    assert first.metadata == {"sample": {"id": 7}}
    assert second.checks[0].scorer == "regex"
    assert not made.notes
    GraderFactory(Suite(name="s"), None).grader(first.checks[0])


@table(
    ("kind", "scorer", "noted"),
    [
        ("basic.includes:Includes", "contains", ""),
        ("basic.fuzzy_match:FuzzyMatch", "contains", "articles and punctuation"),
        ("basic.json_match:JsonMatch", "json_schema", ""),
        ("modelgraded.classify:ModelBasedClassify", "judge", "model-graded spec"),
    ],
)
def test_the_other_classes(tmp_path: Path, kind: str, scorer: str, noted: str) -> None:
    args = {"ignore_case": True, "eval_type": "cot_classify", "modelgraded_spec": "fact"}
    (made,) = read_registry(registry(tmp_path, kind, [sample("q", '{"a": 1}')], **args))
    (check,) = made.cases[0].checks
    assert check.scorer == scorer
    assert noted in "\n".join(made.notes)
    GraderFactory(Suite(name="s"), None).grader(check)


def test_code_is_never_run_and_nothing_is_lost_in_silence(tmp_path: Path) -> None:
    path = registry(tmp_path, "solvers.game:Game", [sample("q", "x"), {"no": "input"}], rounds=3)
    (made,) = read_registry(path)
    told = "\n".join(made.notes)
    for lost in ("Game is code", "`rounds`", "without an input"):
        assert lost in told
    assert made.cases[0].checks == ()


def test_system_messages_that_differ_stay_with_their_samples(tmp_path: Path) -> None:
    other = {"input": [{"role": "system", "content": "Other."}, {"role": "user", "content": "q"}], "ideal": "x"}
    (made,) = read_registry(registry(tmp_path, "basic.match:Match", [sample("q", "x"), other]))
    assert made.prompt is None
    assert [case.history[0].content for case in made.cases] == [SYSTEM["content"], "Other."]


def test_missing_samples_are_named(tmp_path: Path) -> None:
    path = registry(tmp_path, "basic.match:Match", [])
    (tmp_path / "data" / "mine" / "samples.jsonl").unlink()
    (made,) = read_registry(path)
    assert "mine/samples.jsonl are not there" in made.notes[0]


def test_samples_alone_are_read_as_match(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text('{"input": "2+2?", "ideal": "4"}\nbroken\n')
    made = read_samples(path)
    assert [case.input for case in made.cases] == ["2+2?"]
    assert any("without their registry" in note for note in made.notes)
    assert any("not JSON" in note for note in made.notes)


def test_what_it_is_is_told_apart(tmp_path: Path) -> None:
    assert is_registry({"x": {"class": "evals.elsuite.basic.match:Match"}})
    assert not is_registry({"x": {"class": "warrior"}})
    assert is_sample({"input": "q", "ideal": "a"})
    assert not is_sample({"input": "q"})
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\n")
    with pytest.raises(SuiteError, match="not a file of the evals registry"):
        read_registry(path)
