"""proctor redteam: what a mistake of the user leaves behind, and which exit code it has."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Project
from tests.cli.redteam_shop import shop as made_shop


@pytest.fixture
def shop(project: Project) -> Project:
    return made_shop(project)


def test_an_unknown_target_leaves_no_unfinished_run_behind(shop: Project) -> None:
    wrong = shop.run("redteam", "run", "shop", "-t", "nope", code=2)
    assert "nope" in wrong.stderr
    assert "no campaign was run yet" in shop.run("redteam", "show", code=0).stderr
    shop.run("redteam", "run", "shop", code=1)
    shop.run("redteam", "retest", "shop", "--after", "a rule", "-t", "nope", code=2)
    listed = shop.run("redteam", "show", code=0).stdout
    assert "nope" not in listed
    assert "unfinished" not in listed


@pytest.mark.parametrize("several", [("--confirm", "--reject"), ("--mitigated", "--accept")])
def test_two_decisions_at_once_are_refused(shop: Project, several: tuple[str, ...]) -> None:
    shop.run("redteam", "run", "shop", "--scope", "extraction", code=1)
    [found] = json.loads(shop.run("redteam", "triage", "shop", "--json", code=0).stdout)
    wrong = shop.run("redteam", "triage", "shop", "--finding", found["id"], *several, code=2)
    assert "exclude each other" in wrong.stderr
    [after] = json.loads(shop.run("redteam", "triage", "shop", "--json", code=0).stdout)
    assert after["status"] == "open"


def test_a_report_of_which_nothing_can_be_read_is_an_error(shop: Project) -> None:
    shop.write(
        "broken.report.jsonl", '{"entry_type": "start_run setup", "garak_version": "0.17.1"}\n{broken\n{"entry_type"\n'
    )
    done = shop.run("redteam", "import", "broken.report.jsonl", "--tool", "garak", code=2)
    assert "0 of 0 attacks" in done.stdout
    assert "left out: line 2" in done.stderr
    assert "redteam triage" not in done.stderr


def test_a_guarded_retest_keeps_the_counts_of_the_unguarded_finding(shop: Project) -> None:
    text = (shop.folder / "proctor.yaml").read_text()
    shop.write("proctor.yaml", text.replace('"stop order 2", ', '"Bitte", '))  # stops only what is said in German
    shop.run("redteam", "run", "shop", "--scope", "direct_injection", code=1)
    [before] = json.loads(shop.run("redteam", "triage", "shop", "--json", code=0).stdout)
    shop.run("redteam", "retest", "shop", "--guarded", "--after", "the guard", code=1)
    [after] = json.loads(shop.run("redteam", "triage", "shop", "--json", code=0).stdout)
    assert after["retest"] == "still_executed"
    assert (after["executed"], after["tried"], after["run"]) == (before["executed"], before["tried"], before["run"])
    assert after["attempts"] == before["attempts"]
