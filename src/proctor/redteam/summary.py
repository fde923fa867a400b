"""Summarise the results of a campaign: rates by scope, margins, benign twins, findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from proctor.core.attack import CHANNELS, SCOPES
from proctor.core.campaign import MIN_CELL_ATTEMPTS, AttackFigures, CampaignFacts, CampaignSummary
from proctor.core.report import Result
from proctor.redteam.attack_entries import AttackEntry, read_entries
from proctor.redteam.attack_figures import figures_of, try_curve
from proctor.redteam.goal_figures import SEVERITIES, goal_figures

__all__ = ["summarise_campaign", "summarise_entries"]

_NO_TECHNIQUE = "none"
_MARGINS: Final[dict[str, Callable[[AttackEntry], Sequence[str]]]] = {
    "technique": lambda entry: entry.attempt.techniques or (_NO_TECHNIQUE,),
    "language": lambda entry: (entry.attempt.language,),
    "channel": lambda entry: (entry.attempt.channel,),
    "severity": lambda entry: (entry.attempt.severity,),
    "tag": lambda entry: entry.attempt.tags,
}
_ORDERS: Final[dict[str, Sequence[str]]] = {"channel": CHANNELS, "severity": SEVERITIES}


def summarise_campaign(results: Iterable[Result], facts: CampaignFacts) -> CampaignSummary:
    """Return the campaign in figures; results that are no attempts are only counted.

    Args:
        results: of all runs of the campaign, read once. Attempts are ordered by their round.
        facts: the campaign's names and note, and the detector's error if one judged.
    """
    entries, others = read_entries(results)
    return summarise_entries(entries, facts, others=others)


def summarise_entries(entries: Sequence[AttackEntry], facts: CampaignFacts, *, others: int = 0) -> CampaignSummary:
    """Return the campaign in figures, from attempts in the order of their rounds."""
    total = figures_of("all", entries, facts.detector)
    return CampaignSummary(
        facts=facts,
        total=total,
        open=figures_of("open", [entry for entry in entries if not entry.attempt.held_out], facts.detector),
        held_out=figures_of("held out", [entry for entry in entries if entry.attempt.held_out], facts.detector),
        scopes=_grouped(entries, lambda entry: (entry.attempt.scope,), facts, SCOPES),
        margins={
            name: _grouped(entries, names_of, facts, _ORDERS.get(name, ())) for name, names_of in _MARGINS.items()
        },
        severities=_severities(entries),
        curve=try_curve(entries),
        goals=goal_figures(entries, facts.rotation),
        others=others,
        notes=_notes(total, facts, others),
    )


def _grouped(
    entries: Iterable[AttackEntry],
    names_of: Callable[[AttackEntry], Sequence[str]],
    facts: CampaignFacts,
    order: Sequence[str],
) -> tuple[AttackFigures, ...]:
    """Return the figures of each group: in the given order, else the largest first."""
    groups: dict[str, list[AttackEntry]] = {}
    for entry in entries:
        for name in dict.fromkeys(names_of(entry)):
            groups.setdefault(name, []).append(entry)
    rank = {name: place for place, name in enumerate(order)}
    names = sorted(groups, key=lambda name: (rank.get(name, len(rank)), -len(groups[name]), name))
    return tuple(figures_of(name, groups[name], facts.detector) for name in names)


def _severities(entries: Iterable[AttackEntry]) -> dict[str, int]:
    found = Counter(entry.result.severity or entry.attempt.severity for entry in entries if entry.is_executed)
    return {name: found[name] for name in SEVERITIES if found[name]}


def _notes(total: AttackFigures, facts: CampaignFacts, others: int) -> tuple[str, ...]:
    made = []
    if facts.planned is not None and total.attempts < facts.planned:
        made.append(f"{total.attempts:,} of {facts.planned:,} planned attempts were run")
    if total.attempts and not total.scored:
        made.append("no attempt was scored: there is no rate")
    elif 0 < total.scored < MIN_CELL_ATTEMPTS:
        made.append(f"only {total.scored} attempts were scored: the rates mean little")
    if total.unscored:
        made.append(f"{total.unscored:,} of {total.attempts:,} attempts are unscored and in no rate")
    if total.twin_effect.hits:
        made.append(f"{total.twin_effect.hits:,} benign twins show the effect too: those attempts are no success")
    if total.twin_handed_over:
        made.append(f"{total.twin_handed_over:,} benign twins are for a person and were given to one: not stopped")
    if total.by_detector.total and facts.detector is None:
        made.append(
            f"{total.by_detector.total:,} attempts were judged by a detector whose error is not known: "
            "that part of the rate is not corrected"
        )
    if others:
        made.append(f"{others:,} results are no attempts and are left out")
    return tuple(made)
