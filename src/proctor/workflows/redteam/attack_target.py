"""Run the attempts of a campaign: one run per round, resumed where it stopped, findings kept as they are made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from proctor.config import Config, RunSettings
from proctor.core.attack_finding import AttackFinding
from proctor.core.case import Case
from proctor.core.report import Result, Spend
from proctor.redteam.attack_entries import read_entries
from proctor.runner.run import Stopping
from proctor.store import campaigns
from proctor.store.campaigns import CampaignRound, CampaignRun
from proctor.store.runs import RunRecord, RunStore
from proctor.workflows.alerts import webhook_of
from proctor.workflows.redteam.attempt_results import results_of
from proctor.workflows.redteam.attempts_file import attempts_facts, keep_attempts
from proctor.workflows.redteam.collect_findings import FindingAlerts, findings_in, keep_findings
from proctor.workflows.redteam.retest import RetestFindings, apply_retest
from proctor.workflows.run.job import Job, RunProgress, carry_out, resumed_job

__all__ = ["AttackProgress", "AttackRun", "NextRound", "attack_target"]

# Returns the attempts of the next round from the runs of the earlier ones; none ends the campaign run.
NextRound = Callable[[RunStore, Sequence[str]], Sequence[Case]]


@dataclass(slots=True, kw_only=True)
class AttackProgress:
    """Callbacks for the progress of a campaign run; ``stopping`` ends all its rounds."""

    begun: Callable[[RunRecord, int, int, int], None] | None = None
    warned: Callable[[str], None] | None = None
    result: Callable[[Result], None] | None = None
    stopping: Stopping = field(default_factory=Stopping)
    spend: Callable[[], tuple[Spend, ...]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackRun:
    """How a campaign run ended: whether it is complete, its runs, and why it stopped if it is not.

    ``refused`` counts calls that the budget refused, ``alerts`` the alerts that were raised.
    """

    record: CampaignRun
    runs: tuple[str, ...]
    done: bool
    refused: int = 0
    retested: RetestFindings | None = None
    alerts: int = 0
    notes: tuple[str, ...] = ()


async def attack_target(
    config: Config,
    record: CampaignRun,
    settings: RunSettings,
    watching: AttackProgress,
    *,
    next_round: NextRound | None = None,
    before: CampaignRun | None = None,
) -> AttackRun:
    """Run every round of a campaign run that is not complete yet, and keep its findings.

    ``before`` is the run that a retest repeats; its findings get the result. A round that was killed or interrupted
    goes on where it stopped; no finished attempt is sent again. The caller holds ``sole_attacker``.

    Raises:
        InputError: the target or a setting is wrong; nothing was sent.
        StoreError: results can no longer be stored; earlier ones are safe.
    """
    with RunStore(config.store) as store:
        alerts = FindingAlerts(config, store, record.campaign, webhook_of(config))
        facts = attempts_facts(config.store, record.attempts)
        rounds = _Rounds(
            config=config,
            store=store,
            record=record,
            settings=settings,
            watching=watching,
            alerts=alerts,
            rotation=facts.rotation,
        )
        number, attempts, refused, done = 0, record.attempts, 0, True
        while True:
            done, refused = await rounds.run(number, attempts)
            if not done or refused or next_round is None:
                break
            number += 1
            known = {each.round: each for each in campaigns.rounds(store, record)}
            if number in known:
                attempts = known[number].attempts
                continue
            cases = next_round(store, rounds.runs)
            if not cases:
                break
            attempts = keep_attempts(config.store, record.campaign, cases, facts)
        complete, retested = done and not refused, None
        if before is None:
            await rounds.collect()
        elif complete:
            retested = await apply_retest(store, before, record, rounds.runs, alerts)
        if complete:
            record = campaigns.end(store, record)
        return AttackRun(
            record=record,
            runs=tuple(rounds.runs),
            done=done,
            refused=refused,
            retested=retested,
            alerts=len(alerts.raised),
            notes=tuple(f"an alert could not be delivered: {each}" for each in dict.fromkeys(alerts.failures)),
        )


@dataclass(slots=True, kw_only=True)
class _Rounds:
    """The rounds of one campaign run as they are run."""

    config: Config
    store: RunStore
    record: CampaignRun
    settings: RunSettings
    watching: AttackProgress
    alerts: FindingAlerts
    rotation: str = ""
    runs: list[str] = field(default_factory=list)
    _alerting: set[asyncio.Task[None]] = field(default_factory=set)

    async def run(self, number: int, attempts: str) -> tuple[bool, int]:
        """Run one round to its end; return whether it got there, and how many calls the budget refused."""
        known = {each.round: each for each in campaigns.rounds(self.store, self.record)}
        before = known[number].run if number in known else None
        if before is not None and self.store.get(before).status == "finished" and not self._has_unpaid(before):
            self.runs.append(before)
            return True, 0
        if before is None:
            campaigns.keep_round(self.store, self.record, CampaignRound(round=number, attempts=attempts))
        watching = RunProgress(
            begun=lambda run, total, done: self._begun(number, attempts, run, total, done, watching),
            warned=self.watching.warned,
            result=self._heard,
            stopping=self.watching.stopping,
        )
        job = self._job(before, attempts)
        run, done = await carry_out(self.config, job, watching, resume=before)
        if run.id not in self.runs:
            self.runs.append(run.id)  # a run that was complete already does not begin
        await self._alerted()
        return done, watching.refused() if watching.refused else 0

    def _has_unpaid(self, run: str) -> bool:
        """Return whether the budget refused calls of a finished run: its call log is kept for them."""
        return (self.store.folder_of(run) / "calls.ndjson").exists()

    def _job(self, before: str | None, attempts: str) -> Job:
        limits = replace(self.settings, pass_rate=1.0, repeat=1)
        if limits.budget is not None:
            limits = replace(limits, budget=max(0.0, limits.budget - self._spent()))
        if before is not None:
            job = resumed_job(self.store, self.store.get(before))
            return replace(job, run=replace(limits, seed=job.run.seed, cache=job.run.cache))
        return Job(
            suite=str((self.config.store / attempts).absolute()),
            targets=(self.record.target,),
            run=limits,
            trigger="redteam",
            folder=str(self.config.folder),
        )

    def _spent(self) -> float:
        """Return the cost of the earlier rounds, which counts against the same budget."""
        spends = (spend for run in self.runs for _, spend in self.store.spend_by_leg(self.store.get(run)))
        return sum(spend.cost or 0.0 for spend in spends)

    def _begun(self, number: int, attempts: str, run: RunRecord, total: int, done: int, watching: RunProgress) -> None:
        campaigns.keep_round(self.store, self.record, CampaignRound(round=number, attempts=attempts, run=run.id))
        self.runs.append(run.id)
        self.watching.spend = watching.spend
        if self.watching.begun:
            self.watching.begun(run, number, total, done)

    def _heard(self, result: Result) -> None:
        if self.watching.result:
            self.watching.result(result)
        if self.record.kind == "retest":
            return  # what is executed there is known, or counted at the end
        for finding in self._findings([result]):
            if self.alerts.is_due(finding):
                task = asyncio.get_running_loop().create_task(self.alerts.raise_alert(finding))
                self._alerting.add(task)

    async def _alerted(self) -> None:
        waiting, self._alerting = self._alerting, set()
        await asyncio.gather(*waiting)

    async def collect(self) -> None:
        """Keep the findings of all rounds, also of results that an earlier process made."""
        await keep_findings(self.store, self._findings(results_of(self.store, self.runs)), self.alerts)

    def _findings(self, results: Iterable[Result]) -> list[AttackFinding]:
        entries, _ = read_entries(results)
        run = self.runs[-1] if self.runs else ""
        return findings_in(
            entries, campaign=self.record.campaign, target=self.record.target, run=run, rotation=self.rotation
        )
