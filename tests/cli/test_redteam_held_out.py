"""Held-out attempts in `compare`, `review`, `replay` and from Python: figures without a word of the attack."""

from __future__ import annotations

import json

import pytest

from proctor.config import open_config
from proctor.store.review import ReviewItem, add_items, items
from proctor.store.runs import RunStore
from proctor.workflows.evaluation import Evaluation
from tests.cli.conftest import Project
from tests.cli.redteam_shop import shop as made_shop

SAID = ("stop order 2", "stops the order", "word of the day", "secret word", "ORCHID", "stop-by-note", "name-the-word")


@pytest.fixture
def shop(project: Project) -> Project:
    """The campaign was run twice, all goals held out: first nothing was executed, then everything."""
    made_shop(project, held_out=0.9)
    project.environment["SHOP_FIXED"] = "1"
    project.run("redteam", "run", "shop", code=0)
    del project.environment["SHOP_FIXED"]
    project.run("redteam", "run", "shop", "--new", code=1)
    return project


def _in_clear(*texts: str) -> set[str]:
    return {word for word in SAID for text in texts if word in text}


def test_a_comparison_shows_no_words_of_them(shop: Project) -> None:
    runs = [line.split("\t")[0] for line in shop.run("list", code=0).stdout.splitlines()[1:]]
    shown = shop.run("compare", runs[0], runs[1], "-o", "c.html", "-o", "c.md", "-o", "c.json", code=0).stdout
    files = [(shop.folder / f"c.{ending}").read_text() for ending in ("html", "md", "json")]
    assert "no longer passes" in files[2]
    assert _in_clear(shown, *files) == set()


def test_a_review_shows_no_words_of_them(shop: Project) -> None:
    run = shop.last_run()
    case = json.loads(shop.run("redteam", "triage", "shop", "--json", code=0).stdout)[0]["attempts"][0]
    with RunStore(shop.folder / ".proctor") as store:
        add_items(store, [ReviewItem(origin="gate", run=run, target="shop", case_id=case)])
        [item] = items(store)
    shown = shop.run("review", "show", item.id, code=0).stdout
    assert "held out: not shown" in shown
    assert _in_clear(shown) == set()


def test_a_replay_leaves_them_out(shop: Project) -> None:
    done = shop.run("replay", shop.last_run(), code=2)
    assert "the attempt is held out" in done.stderr
    assert not list((shop.folder / ".proctor").glob("replays/*.jsonl"))


def test_python_sees_them_only_on_request(shop: Project) -> None:
    found = Evaluation(open_config(shop.folder), shop.last_run())
    assert len(list(found)) == len(found) > 0
    assert _in_clear(repr(found.rows()), repr(list(found)), found._repr_html_()) == set()
    assert "ORCHID" in repr(list(found.results(reveal=True)))
