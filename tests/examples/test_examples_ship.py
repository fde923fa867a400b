"""Each example, copied fresh, run and gated as a reader would: the healthy version ships, the faulty ones are held.

The manga store is run whole, with the real local models; its faults are put to the cases of the four scenarios. The
other examples bring no baseline: there a second run of the same version must not be held.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Project
from tests.cli.server import ChatServer

EXAMPLES = Path(__file__).parents[2] / "examples"
FAULTS = ("off_topic_opening", "stale_policy", "lost_reference", "romanised_only")
SCENARIOS = ("scenario-a", "scenario-b", "scenario-c", "scenario-d")

pytestmark = pytest.mark.xdist_group("examples_ship")


def copied(name: str, folder: Path, server: ChatServer) -> Project:
    """A fresh copy: what git keeps, without runs or databases that lie about."""
    shutil.copytree(
        EXAMPLES / name, folder, ignore=shutil.ignore_patterns(".proctor", "out", "__pycache__"), dirs_exist_ok=True
    )
    return Project(folder=folder, server=server)


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


@pytest.fixture(scope="module")
def manga(tmp_path_factory: pytest.TempPathFactory, server: ChatServer) -> Project:
    made = copied("manga_store", tmp_path_factory.mktemp("manga"), server)
    made.run("run", "-q", code=0)
    return made


def test_the_manga_store_ships_on_a_fresh_checkout(manga: Project) -> None:
    done = manga.run("gate", "last", "--rescore-baseline", code=0)
    assert "SHIP" in done.stdout


def test_the_manga_store_is_never_held_for_its_scorers(manga: Project) -> None:
    """Where a scorer was changed since the baseline was made, the gate says so instead of blaming the answers."""
    done = manga.run("gate", "last")
    if done.returncode:
        assert done.returncode == 3, done.stdout
        assert "scorers changed since the baseline" in done.stdout


def test_the_manga_stores_baseline_can_be_scored_again_from_its_answers(manga: Project) -> None:
    path = manga.folder / "baselines" / "manga-store.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["fingerprint"]["scorer_hashes"]["quality"] = "of other code"
    data["cases"] = [{**case, "value": 1.0, "dimensions": {}, "parts": {}} for case in data["cases"]]
    other = manga.write("of-other-scorers.json", json.dumps(data))
    shutil.copy(path.with_suffix(".answers.jsonl"), other.with_suffix(".answers.jsonl"))
    told = manga.run("gate", "last", "--baseline", other.name, code=3).stdout
    assert "scorers changed since the baseline (quality" in told
    told = manga.run("gate", "last", "--baseline", other.name, "--rescore-baseline", code=0).stdout
    assert "the baseline was scored again with today's scorers" in told


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_of_the_manga_store_is_held(manga: Project, fault: str) -> None:
    manga.run("run", "-q", "-t", fault, *(word for tag in SCENARIOS for word in ("--tag", tag)))
    assert "HOLD" in manga.run("gate", "last", "--rescore-baseline", code=1).stdout


def test_the_travel_desk_is_not_held_and_its_naive_agent_is(tmp_path: Path, server: ChatServer) -> None:
    desk = copied("travel_desk", tmp_path, server)
    desk.run("run", "-q", code=0)
    desk.run("bless", code=0)
    desk.run("run", "-q", code=0)
    done = desk.run("gate", "last")
    assert done.returncode in (0, 3), done.stdout
    desk.run("run", "-q", "-t", "naive", code=1)
    desk.run("gate", "last", code=1)


def test_the_help_desk_is_not_held(tmp_path: Path, server: ChatServer) -> None:
    desk = copied("help_desk", tmp_path, server)
    desk.run("run", "-q", "orders", code=0)
    desk.run("bless", code=0)
    desk.run("run", "-q", "orders", code=0)
    done = desk.run("gate", "last")
    assert done.returncode in (0, 3), done.stdout
