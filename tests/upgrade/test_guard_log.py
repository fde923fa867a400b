"""A guard's log of the version before: figures, decisions, reviews, escalations, and cases made from it."""

from __future__ import annotations

import json
from typing import Any

from proctor.core.decode import decode
from proctor.core.event import Event
from proctor.project import Project
from tests.upgrade.conftest import Shop


def _decisions(shop: Shop) -> list[dict[str, Any]]:
    files = (shop.folder / "store" / "guard").glob("*.ndjson")
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def test_verdicts_are_read_with_their_fields(shop: Shop) -> None:
    events = [decode(Event, row) for row in _decisions(shop)]
    verdicts = [event.verdict for event in events if event.verdict is not None]
    assert {each.action for each in verdicts} == {"allow", "redact", "block", "escalate"}
    assert {each.by for each in verdicts} >= {"pii", "passwords", "permissions", "legal"}
    busy = [each for each in verdicts if each.busy]
    assert len(busy) == 7
    assert all(each.broken and each.action == "block" for each in busy)
    assert all(not {"by", "busy", "shadow", "borderline"} & each.extra.keys() for each in verdicts)


def test_figures_count_every_decision(shop: Shop) -> None:
    figures = json.loads(shop.run("guard", "stats", "--json").stdout)
    assert "over capacity" in json.dumps(figures)
    listed = shop.run("guard", "stats", "--ids").stdout
    assert listed.count("over capacity") == 7
    for words in ("lawsuit", "swordfish", "permissions"):
        assert words in listed
    # a person said of the old decision that it was wrong
    assert "0 of 1" in shop.run("guard", "stats").stdout


def test_decisions_are_shown_reviewed_and_made_into_cases(shop: Shop) -> None:
    queued = shop.run("review", "list", "--origin", "guard").stdout
    assert "lawsuit" in queued
    item = queued.splitlines()[1].split("\t")[0]
    assert "You will hear of a lawsuit." in shop.run("review", "show", item).stdout
    shop.run("review", "resolve", item, "--verdict", "right", "--by", "desk")
    blocked = next(row["id"] for row in _decisions(shop) if row["verdict"].get("by") == "passwords")
    added = shop.run("promote", "--guard", blocked, "--to", "suites/guard.yaml").stdout
    assert "expected allowed" in added  # as the person said
    assert "1 of 1" in shop.run("run", "suites/guard.yaml", "-t", "guarded", "--scorer", "guard_verdict", code=1).stdout


def test_escalations_keep_their_labels(shop: Shop) -> None:
    assert "talk-3\tknowledge_gap\tknowledge_gap" in shop.run("escalations", "labels").stdout
    assert "1 labels, 100 %" in shop.run("escalations", "talks.jsonl", "--light").stdout
    for line in (shop.folder / "handoffs.jsonl").read_text(encoding="utf-8").splitlines():
        assert json.loads(line)["category"]
    shop.run("escalations", "label", "talk-2", "--category", "explicit_request", "--by", "desk")


def test_the_guard_of_today_goes_on_with_the_old_log(shop: Shop) -> None:
    before = _decisions(shop)
    customer = next(row["customer"] for row in before if row["session"] == "s-17")
    with Project.open(shop.folder / "proctor.yaml") as project:
        session = project.guard.session("s-18", customer="c-17")
        assert project.run_sync(session.input("The word is swordfish.")).action == "block"
    added = next(row for row in _decisions(shop) if row["session"] == "s-18")
    assert added["customer"] == customer  # by the key of the project
    assert added["verdict"]["by"] == "passwords"
    assert added.keys() == next(row for row in before if row["verdict"].get("by") == "passwords").keys()
