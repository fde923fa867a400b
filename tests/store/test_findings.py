"""Findings and campaign runs in the store."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from proctor.core.attack_finding import AttackFinding, finding_id, masked_finding
from proctor.core.errors import InputError, NotFoundError
from proctor.store import campaigns
from proctor.store.campaigns import CampaignRound, CampaignRun
from proctor.store.findings import add_findings, edit_finding, find_finding, findings
from proctor.store.runs import RunStore
from tests.tables import table


def _finding(goal: str = "steal", target: str = "shop", **more: object) -> AttackFinding:
    made = AttackFinding(
        id=finding_id(goal, "extraction", target),
        campaign="c",
        goal=goal,
        scope="extraction",
        target=target,
        title=f"How to {goal}",
        severity="critical",
        executed=1,
        tried=4,
        attempts=("a1",),
    )
    return replace(made, **more)  # type: ignore[arg-type]


def test_the_same_goal_on_the_same_target_is_one_finding(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        new, back = add_findings(store, [_finding(), _finding("spy", severity="low"), _finding(target="other")])
        assert (len(new), len(back)) == (3, 0)
        new, back = add_findings(store, [_finding(executed=7, attempts=("a2", "a3"), severity="low")])
        assert (new, back) == ([], [])
        assert [(each.goal, each.severity) for each in findings(store, "c", target="shop")] == [
            ("steal", "critical"),  # the worst first; a person may have set it, so a later run does not change it
            ("spy", "low"),
        ]
        found = find_finding(store, "c", _finding().id[:5])
        assert (found.executed, found.attempts, found.tried) == (7, ("a2", "a3"), 4)
        assert found.first_seen is not None
        assert found.last_seen is not None
        assert found.first_seen < found.last_seen


@table(
    ("status", "now"),
    [("mitigated", "open"), ("retested", "open"), ("accepted", "accepted"), ("false_positive", "false_positive")],
)
def test_what_is_executed_after_a_fix_is_open_again(tmp_path: Path, status: str, now: str) -> None:
    with RunStore(tmp_path) as store:
        add_findings(store, [_finding()])
        edit_finding(store, _finding(), {"status": status, "owner": "mia", "note": "n"})
        _, back = add_findings(store, [_finding()])
        found = find_finding(store, "c", _finding().id)
        assert (found.status, found.owner, found.note) == (now, "mia", "n")
        assert bool(back) == (status == "retested")


def test_only_decisions_can_be_edited(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        add_findings(store, [_finding()])
        with pytest.raises(ValueError, match="not editable: goal"):
            edit_finding(store, _finding(), {"goal": "x"})
        with pytest.raises(NotFoundError, match="has no finding 'zz'"):
            find_finding(store, "c", "zz")
        with pytest.raises(NotFoundError, match="has no finding"):
            find_finding(store, "another", _finding().id)


def test_a_held_out_finding_shows_a_hash_that_changes_with_the_rotation() -> None:
    open_one = _finding()
    assert masked_finding(open_one) is open_one
    one = masked_finding(_finding(held_out=True, reason="steal it", extra={"rotation": "a"}))
    other = masked_finding(_finding(held_out=True, extra={"rotation": "b"}))
    assert "steal" not in f"{one.goal} {one.title} {one.reason}"
    assert one.goal != other.goal


def test_rounds_of_a_campaign_run_are_kept_in_order(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        made = campaigns.begin(store, CampaignRun(campaign="c", target="t", attempts="f0", tries=5, kind="adaptive"))
        campaigns.keep_round(store, made, CampaignRound(round=1, attempts="f1"))
        campaigns.keep_round(store, made, CampaignRound(round=0, attempts="f0", run="r0"))
        campaigns.keep_round(store, made, CampaignRound(round=1, attempts="f1", run="r1"))
        assert [(each.round, each.run) for each in campaigns.rounds(store, made)] == [(0, "r0"), (1, "r1")]
        assert campaigns.find(store, "c", finished=False) == [made]
        with pytest.raises(InputError, match="round 1 of run 1 of the campaign c has begun already"):
            campaigns.keep_round(store, made, CampaignRound(round=1, attempts="f1", run="r2"))
        assert [each.run for each in campaigns.rounds(store, made)] == ["r0", "r1"]
        done = campaigns.end(store, made)
        assert done.finished is not None
        assert campaigns.end(store, made).finished == done.finished  # the first end counts
        assert campaigns.find(store, "c", finished=False) == []
        assert campaigns.campaigns(store) == ["c"]


def test_commands_that_begin_at_once_go_on_with_one_campaign_run(tmp_path: Path) -> None:
    wanted = CampaignRun(campaign="c", target="t", attempts="f0")
    RunStore(tmp_path).close()
    ready = threading.Barrier(8)

    def begin(_: int) -> int:
        with RunStore(tmp_path) as store:
            ready.wait()
            return campaigns.go_on_or_begin(store, wanted).n

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(begin, range(8))) == {1}
    with RunStore(tmp_path) as store:
        assert campaigns.go_on_or_begin(store, replace(wanted, target="other")).n == 2
        campaigns.end(store, campaigns.find(store, "c", target="t")[0])
        assert campaigns.go_on_or_begin(store, wanted).n == 3  # a complete one is not gone on with
