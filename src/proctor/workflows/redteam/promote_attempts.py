"""Write executed attempts as an ordinary suite that `proctor run` runs in CI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from proctor.core.attack import ATTACK, AttackAttempt, attempt_of, with_attempt
from proctor.core.attack_finding import finding_id
from proctor.core.case import Case, Check
from proctor.core.codec import content_id
from proctor.core.report import Result
from proctor.prompts.atomic_file import save_whole
from proctor.redteam.attack_entries import read_entries
from proctor.store.campaigns import CampaignRun, find
from proctor.store.findings import find_finding
from proctor.store.findings import findings as stored_findings
from proctor.store.lock import one_at_a_time
from proctor.store.runs import RunStore
from proctor.suites.append import append_cases, cases_in
from proctor.suites.jsonl import HEADER, canonical
from proctor.suites.load import open_suite
from proctor.text.yaml_dump import to_yaml
from proctor.workflows.redteam.attempt_results import results_of, runs_of
from proctor.workflows.redteam.campaign_report import choose_run

__all__ = ["PromotedAttempts", "promote_attempts", "promote_campaign"]

_TAGS = ("redteam", "regression")
_LOCK = "promote.lock"  # two who read a file and write it again would lose a case
_DESCRIPTION = "Attacks that succeeded once."


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotedAttempts:
    """The outcome: ids of added attempts, of those in the file already, and how many were left out and why."""

    added: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    held_out: int = 0
    per_goal: int = 0
    rejected: int = 0

    def __add__(self, other: PromotedAttempts) -> PromotedAttempts:
        """Return the outcome over two runs; an attempt that both left out counts once."""
        added = (*self.added, *other.added)
        known = dict.fromkeys(each for each in (*self.known, *other.known) if each not in added)
        return PromotedAttempts(
            added=added,
            known=tuple(known),
            held_out=max(self.held_out, other.held_out),
            per_goal=max(self.per_goal, other.per_goal),
            rejected=max(self.rejected, other.rejected),
        )


def promote_attempts(
    store: RunStore,
    record: CampaignRun,
    out: Path,
    *,
    findings: Sequence[str] = (),
    held_out: bool = False,
    most: int | None = None,
) -> PromotedAttempts:
    """Append every executed attempt of a campaign run to a suite file, once; ``most`` limits them per goal.

    What a person changed in the file stays as it is: an attempt is there already if its id or its attack is. The limit
    counts the attempts that are in the file. ``findings`` selects some by the beginnings of their ids. Held-out
    attempts are left out unless asked for: in a suite they are no longer held out. Attempts of rejected findings are
    left out.

    Raises:
        NotFoundError: there is no such finding.
        InputError: the file cannot be extended.
        StoreError: the file cannot be written.
    """
    present = list(cases_in(out))
    known = {_same_attack(case) for case in present} | {case.id for case in present}
    checks = () if _is_judged(out) else (Check(scorer=ATTACK),)
    added: list[Case] = []
    there: list[str] = []
    hidden = limited = rejected = 0
    wanted = {find_finding(store, record.campaign, name).id for name in findings}
    false = {each.id for each in stored_findings(store, record.campaign, statuses=("false_positive",))}
    counts = Counter(attempt.goal for case in present if (attempt := attempt_of(case)) is not None)
    for run, result, attempt in _executed(store, record):
        finding = finding_id(attempt.goal, attempt.scope, record.target)
        if wanted and finding not in wanted:
            continue
        if finding in false:
            rejected += 1
            continue
        if attempt.held_out and not held_out:
            hidden += 1
            continue
        case = replace(_regression_case(result, attempt, run), checks=checks)
        key = _same_attack(case)
        if key in known or case.id in known:
            there.append(case.id)
            continue
        if most is not None and counts[attempt.goal] >= most:
            limited += 1
            continue
        counts[attempt.goal] += 1
        known |= {key, case.id}
        added.append(case)
    if added and not out.exists():
        save_whole(out, _header(out))
    append_cases(out, added)
    return PromotedAttempts(
        added=tuple(case.id for case in added), known=tuple(there), held_out=hidden, per_goal=limited, rejected=rejected
    )


def promote_campaign(
    store: RunStore,
    campaign: str,
    out: Path,
    *,
    number: int | None = None,
    findings: Sequence[str] = (),
    held_out: bool = False,
    most: int | None = None,
) -> PromotedAttempts:
    """Append the executed attempts of a campaign to a suite file: of one of its runs, or of all.

    What a retest found fixed is what must not come back, so every run of the campaign counts.

    Raises:
        NotFoundError: there is no such run or finding.
        InputError: the file cannot be extended.
        StoreError: the file cannot be written.
    """
    chosen = choose_run(store, campaign, number=number)
    records = [chosen] if number is not None else list(reversed(find(store, campaign)))
    made = PromotedAttempts()
    with one_at_a_time(store.folder / _LOCK):
        for record in records:
            made += promote_attempts(store, record, out, findings=findings, held_out=held_out, most=most)
    return made


def _header(out: Path) -> str:
    head = {"name": out.stem, "description": _DESCRIPTION, "scorers": [ATTACK]}
    return canonical({HEADER: head}).decode() if out.suffix == ".jsonl" else to_yaml({**head, "cases": []})


def _is_judged(out: Path) -> bool:
    """Return whether the suite judges attacks in every case; a file that is still to be written does."""
    return not out.exists() or any(check.scorer == ATTACK for check in open_suite(out).suite.scorers)


def _executed(store: RunStore, record: CampaignRun) -> Iterator[tuple[str, Result, AttackAttempt]]:
    for run in runs_of(store, record):
        for result in results_of(store, [run]):
            for entry in read_entries([result])[0]:
                if entry.is_executed:
                    yield run, result, entry.attempt


def _regression_case(result: Result, attempt: AttackAttempt, run: str) -> Case:
    """Return the attempt as a case of a suite."""
    case = replace(
        result.case,
        tags=tuple(dict.fromkeys((*result.case.tags, *_TAGS))),
        description=result.case.description or attempt.title,
        recorded=None,
        metadata={
            **result.case.metadata,
            "promoted": {"run": run, "campaign": attempt.campaign, "target": result.target},
        },
    )
    # The search is over: what made the attempt is no part of the regression. In a suite nothing is held out.
    return with_attempt(case, replace(attempt, round=0, parent=None, extra={}, held_out=False))


def _same_attack(case: Case) -> str:
    """Return a key of what an attempt does: equal keys are the same attack, whatever the id or the campaign."""
    attempt = attempt_of(case)
    planted = [] if attempt is None else [[each.at, each.text] for each in attempt.plants]
    goal = "" if attempt is None else attempt.goal
    return content_id([goal, [ask.text for ask in case.asks], planted, dict(case.page)])
