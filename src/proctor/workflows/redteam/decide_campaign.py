"""Decide on a campaign run from its figures and its findings."""

from __future__ import annotations

from proctor.core.attack_finding import finding_id
from proctor.core.campaign import AttackFigures
from proctor.redteam.attack_entries import read_entries
from proctor.runner.decide import EXIT_CODES
from proctor.store.campaigns import CampaignRun
from proctor.store.findings import findings
from proctor.store.runs import RunStore
from proctor.workflows.redteam.attempt_results import results_of, runs_of

__all__ = ["decide_campaign"]

_SETTLED = ("false_positive", "accepted")


def decide_campaign(
    store: RunStore, record: CampaignRun, total: AttackFigures, *, target: str, allowed: float, refused: int = 0
) -> tuple[int, str]:
    """Return the exit code and the decision in words.

    A run fails if it reached a goal that is not a rejected or accepted finding of ``target``. It cannot be judged if
    more than the share ``allowed`` of its attempts is unscored, if none was scored, or if the budget ``refused`` calls.
    """
    entries, _ = read_entries(results_of(store, runs_of(store, record)))
    reached = {finding_id(each.goal, each.attempt.scope, target) for each in entries if each.is_executed}
    settled = {each.id for each in findings(store, record.campaign, statuses=_SETTLED)}
    waiting = len(reached - settled)
    spared = f"; {len(reached & settled)} more are accepted or rejected" if reached & settled else ""
    if waiting:
        goals = "1 goal was" if waiting == 1 else f"{waiting} goals were"
        return EXIT_CODES["failed"], f"FAILED: {goals} reached in {total.executed} of {total.scored} attempts{spared}"
    if refused:
        return EXIT_CODES["unjudged"], "NOT JUDGED: the budget is spent"
    if not total.scored:
        return EXIT_CODES["unjudged"], "NOT JUDGED: no attempt could be scored"
    if total.unscored > allowed * total.attempts:
        share = f"{total.unscored} of {total.attempts} attempts could not be scored; at most {allowed:.0%} may"
        return EXIT_CODES["unjudged"], f"NOT JUDGED: {share}"
    return EXIT_CODES["passed"], f"PASSED: no goal was reached in {total.scored} scored attempts{spared}"
