"""The catalogue of proctor.yaml reaches the scorers that ask for one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from proctor.config import Config, Environment, Settings
from proctor.core.case import Check, Suite
from proctor.core.decode import decode
from proctor.core.errors import ConfigError, MalformedError
from proctor.models.pool import Pool
from proctor.wiring.catalogue import make_catalogue
from proctor.wiring.models import ModelPool
from proctor.wiring.scorers import GraderFactory


def _model_pool(folder: Path, **settings: Any) -> ModelPool:
    config = Config(
        settings=decode(Settings, settings, strict=True),
        folder=folder,
        environment=Environment(values={"SHOP": "shop"}),
        path=folder / "proctor.yaml",
    )
    return ModelPool(config=config, run=config.settings.run, http=Pool())


def _made(model_pool: ModelPool, named: Any = None) -> Any:
    return make_catalogue(named, config=model_pool.config, http=model_pool.http, model=model_pool.get)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.csv").write_text("id,price\nA,1\n")
    with closing(sqlite3.connect(tmp_path / "shop.db")) as db, db:
        db.execute("CREATE TABLE products (id TEXT, price INT)")
        db.execute("INSERT INTO products VALUES ('A', 2)")
    return tmp_path


@pytest.mark.parametrize(
    ("written", "price"),
    [
        ("shop.csv", "1"),
        ({"file": "${SHOP}.csv"}, "1"),
        ("shop.db", "2"),
        ("sqlite:///shop.db", "2"),
        ({"sql": "shop.db", "query": "select price from products where id = :key"}, "2"),
    ],
)
async def test_a_catalogue_by_its_path_or_by_its_settings(folder: Path, written: Any, price: str) -> None:
    found = await _made(_model_pool(folder, catalogue=written)).find("A")
    assert str(found["price"]) == price


async def test_a_scorer_gets_the_projects_catalogue_and_no_judge_unless_it_names_one(folder: Path) -> None:
    (folder / "brain.py").write_text("def answer(request):\n    return 'x'\n")
    model_pool = _model_pool(folder, catalogue="shop.csv", judge="rule:brain.py:answer")
    grader_factory = GraderFactory(Suite(name="s"), model_pool)
    scorer: Any = grader_factory.grader(Check(scorer="factual_accuracy")).scorer
    assert (await scorer.catalogue.find("A"))["price"] == "1"
    assert scorer.judge is None
    judged: Any = grader_factory.grader(Check(scorer="factual_accuracy", settings={"judge": "default"})).scorer
    assert judged.judge is model_pool.get(None, role="judge")
    other: Any = grader_factory.grader(Check(scorer="relevance", settings={"catalogue": "shop.db"})).scorer
    assert (await other.catalogue.find("A"))["price"] == 2
    bare: Any = GraderFactory(Suite(name="s"), _model_pool(folder)).grader(Check(scorer="relevance")).scorer
    assert bare.catalogue is None


@pytest.mark.parametrize(
    ("written", "error", "words"),
    [
        ({"table": "x"}, ConfigError, "names no kind"),
        ({"file": "a.csv", "sql": "b.db"}, ConfigError, "of 2 kinds"),
        ({"file": "a.csv", "oops": 1}, MalformedError, "catalogue.oops"),
        ("${NOWHERE}.csv", MalformedError, "NOWHERE"),
        ("https://x/", MalformedError, "catalogue.http"),
        ("gone.csv", MalformedError, r"proctor\.yaml: catalogue\.file: there is no file .*/gone\.csv"),
        ("gone.db", MalformedError, r"proctor\.yaml: catalogue\.sql: there is no file .*/gone\.db"),
        ({"sql": "sqlite:///gone", "table": "t"}, MalformedError, r"catalogue\.sql: there is no file .*/gone"),
    ],
)
def test_what_is_wrong_is_named(folder: Path, written: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        _made(_model_pool(folder, catalogue=written))
