"""Search on from what came nearest: the attempts of the next round of an adaptive campaign run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proctor.core.case import Case
from proctor.redteam.adapt import AdaptSettings, next_round
from proctor.redteam.attack_entries import read_entries
from proctor.redteam.attempt_progress import AttemptObservation, observe_attempt
from proctor.redteam.plan import is_held_out
from proctor.redteam.technique_registry import load_attacks
from proctor.store.runs import RunStore
from proctor.workflows.redteam.attempt_results import results_of
from proctor.workflows.redteam.campaign import Campaign, goals_of
from proctor.workflows.redteam.plan_campaign import plan_settings

__all__ = ["SearchRounds"]


class SearchRounds:
    """The rounds of one search. It reads each finished run once.

    ``variants`` are the writer's wordings by ``goal/language``. A goal is left once it is reached or its tries are
    used. Attempts that could not be judged count as tries too, so that a search against a broken target ends.
    """

    def __init__(self, campaign: Campaign, *, tries: int, variants: Mapping[str, Sequence[str]] | None = None) -> None:
        self._variants = variants or {}
        self._goals = goals_of(campaign)
        plan = plan_settings(campaign)
        self._attacks = load_attacks(campaign.settings.techniques)
        self._settings = AdaptSettings(
            campaign=campaign.name,
            tries=tries,
            seed=campaign.settings.seed,
            languages=campaign.settings.languages,
            held_out=frozenset(goal.id for goal in self._goals if is_held_out(goal.id, plan)),
        )
        self._read: set[str] = set()
        self._seen: list[AttemptObservation] = []

    def __call__(self, store: RunStore, runs: Sequence[str]) -> Sequence[Case]:
        """Return the attempts of the next round from the results of all earlier ones; none ends the search."""
        for run in runs:
            if run not in self._read:
                self._read.add(run)
                self._learn(store, run)
        return next_round(self._goals, self._seen, self._settings, attacks=self._attacks, variants=self._variants)

    def _learn(self, store: RunStore, run: str) -> None:
        for result in results_of(store, [run], whole=True):
            for entry in read_entries([result])[0]:
                self._seen.append(observe_attempt(result.case, result.trajectory, entry.result))
