"""A line of JSON Lines ends at its newline alone: texts have other separators of lines in them, as JSON allows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from proctor.config import open_config
from proctor.core.audit import AuditSettings
from proctor.core.case import Case
from proctor.models.catalogue.file import read_rows as catalogue_rows
from proctor.prompts.file_boundary import FileBoundary
from proctor.prompts.sample_rows import read_rows as sample_rows
from proctor.suites.append import append_cases, cases_in
from proctor.suites.exchange.bundle import Notes
from proctor.suites.exchange.openai_evals import read_openai_evals
from proctor.suites.exchange.promptfoo_files import Folder
from proctor.workflows.judge.labels import read_labels
from proctor.workflows.monitor.audit_ratings import read_ratings
from proctor.workflows.monitor.confidence_pairs import PairQuestion, labelled_pairs

TEXT = "one\u2028two\u2029three\x85four"


def _written(path: Path, **row: object) -> Path:
    path.write_text(json.dumps(row, ensure_ascii=False) + "\r\n\n", encoding="utf-8", newline="")
    return path


def _appended(path: Path) -> str | None:
    append_cases(path, [Case(id="a", input=TEXT)])
    append_cases(path, [Case(id="b", input=TEXT)])
    return cases_in(path)[1].input


def _label(path: Path) -> str | None:
    return read_labels(_written(path, case="a", score=1.0, answer=TEXT))[0].answer


def _rating(path: Path) -> str:
    return read_ratings(_written(path, item="i", rater="ann", correctness=4, note=TEXT), AuditSettings())[0].note


def _sample(path: Path) -> object:
    return sample_rows(_written(path, text=TEXT).name, prompt=str(path.parent / "p.prompty"), field="sample")[0]["text"]


def _product(path: Path) -> object:
    return catalogue_rows(_written(path, title=TEXT))[0]["title"]


def _eval(path: Path) -> str:
    told = {"object": "eval", "id": "e", "name": TEXT, "testing_criteria": [], "data_source_config": {"type": "custom"}}
    return read_openai_evals(_written(path, **told)).description


def _promptfoo_row(path: Path) -> object:
    return Folder(FileBoundary(folder=path.parent, source="x"), Notes()).data(_written(path, q=TEXT))[0]["q"]


def _pairs(path: Path) -> str:
    (path.parent / "proctor.yaml").touch()
    question = PairQuestion(pairs=_written(path, confidence=0.9, correct=True, intent=TEXT))
    return asyncio.run(labelled_pairs(open_config(path.parent), question)).pairs[0].intent or ""


@pytest.mark.parametrize("read", [_appended, _label, _rating, _sample, _product, _eval, _promptfoo_row, _pairs])
def test_a_text_with_other_separators_of_lines_is_one_text(tmp_path: Path, read: Callable[[Path], object]) -> None:
    assert read(tmp_path / "rows.jsonl") == TEXT
