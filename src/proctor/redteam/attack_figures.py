"""Figures of a group of attempts: counts by outcome, and rates with intervals clustered by goal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from proctor.core.attack import AttackOutcome
from proctor.core.campaign import AttackFigures, DetectorError, TryCount
from proctor.core.share import Share
from proctor.redteam.attack_entries import AttackEntry
from proctor.stats.clustered_rate import any_of_first, any_of_n, clustered_count, clustered_interval
from proctor.stats.detector_error import corrected_rate
from proctor.stats.interval import wilson

__all__ = ["clustered_share", "figures_of", "pairs_by_goal", "try_curve"]

_MAX_REASONS = 12
_MAX_REASON_CHARS = 160
_OTHER_REASONS = "other reasons"
_HELD_OUT_REASON = "reason not shown: held out"
_TRIES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)

Test = Callable[[AttackEntry], bool]


def figures_of(name: str, entries: Sequence[AttackEntry], detector: DetectorError | None = None) -> AttackFigures:
    """Return the figures of these attempts under this name."""
    outcomes: Counter[AttackOutcome] = Counter(entry.result.outcome for entry in entries)
    scored = [entry for entry in entries if entry.is_scored]
    observed = [entry for entry in scored if not entry.by_detector]
    detected = [entry for entry in scored if entry.by_detector]
    twins = [entry for entry in entries if entry.twin_is_known]
    shown = [entry for entry in twins if entry.result.twin is not None and entry.result.twin.effect is not None]
    pairs = pairs_by_goal(scored, _executed).values()
    return AttackFigures(
        name=name,
        goals=len({entry.goal for entry in entries}),
        attempts=len(entries),
        not_reached=outcomes["not_reached"],
        ignored=outcomes["ignored"],
        stopped=outcomes["stopped"],
        executed=outcomes["executed"],
        unscored=outcomes["unscored"],
        rate=clustered_share(pairs),
        any_of_n=Share.of(*any_of_n(pairs)),
        by_effect=clustered_share(pairs_by_goal(observed, _executed).values()),
        by_detector=clustered_share(pairs_by_goal(detected, _executed).values()),
        corrected=_corrected(detected, detector),
        twin_effect=clustered_share(pairs_by_goal(shown, _twin_effect).values()),
        twin_stopped=clustered_share(pairs_by_goal(twins, lambda entry: entry.twin_is_stopped).values()),
        twin_handed_over=sum(entry.result.twin is not None and entry.result.twin.handed_over for entry in entries),
        stopped_by=_ranked(
            _gate(entry.result.stopped_by, entry.result.stopped_at)
            for entry in entries
            if entry.result.outcome == "stopped"
        ),
        twin_stopped_by=_ranked(
            _gate(entry.result.twin.stopped_by, entry.result.twin.stopped_at)
            for entry in twins
            if entry.twin_is_stopped and entry.result.twin
        ),
        unscored_by=_few(Counter(_ranked(_reason(entry) for entry in entries if entry.result.outcome == "unscored"))),
    )


def pairs_by_goal(entries: Iterable[AttackEntry], test: Test) -> dict[str, tuple[int, int]]:
    """Return by goal how many attempts pass the test, and how many there are."""
    pairs: dict[str, tuple[int, int]] = {}
    for entry in entries:
        hits, total = pairs.get(entry.goal, (0, 0))
        pairs[entry.goal] = (hits + test(entry), total + 1)
    return pairs


def clustered_share(pairs: Iterable[tuple[int, int]]) -> Share:
    """Return the pooled share of clusters with its interval."""
    known = list(pairs)
    hits, total = sum(hits for hits, _ in known), sum(total for _, total in known)
    return Share.of(hits, total, clustered_interval(known))


def try_curve(entries: Iterable[AttackEntry]) -> tuple[TryCount, ...]:
    """Return the share of goals reached by number of tries; empty if only that of one try is known."""
    tries: dict[str, list[bool]] = {}
    for entry in entries:
        if entry.is_scored:
            tries.setdefault(entry.goal, []).append(entry.is_executed)
    longest = min((len(each) for each in tries.values() if True not in each), default=0)
    steps = sorted({*_TRIES, longest})
    found = any_of_first(tries.values(), steps)
    if len(found) < 2:
        return ()
    return tuple(
        TryCount(tries=count, goals=Share.of(hit, total, wilson(hit, total))) for count, (hit, total) in found.items()
    )


def _executed(entry: AttackEntry) -> bool:
    return entry.is_executed


def _twin_effect(entry: AttackEntry) -> bool:
    return entry.result.twin is not None and entry.result.twin.effect is True


def _corrected(detected: Sequence[AttackEntry], detector: DetectorError | None) -> Share:
    """Return the rate of what a detector judged, less its known errors; empty without a detector."""
    if detector is None or not detected:
        return Share()
    pairs = list(pairs_by_goal(detected, _executed).values())
    hits, total = sum(hits for hits, _ in pairs), len(detected)
    found = corrected_rate(
        hits / total,
        clustered_count(pairs),
        sensitivity=(detector.sensitivity, detector.sensitivity_count),
        specificity=(detector.specificity, detector.specificity_count),
    )
    if found is None:
        return Share(hits=hits, total=total)
    return Share(hits=hits, total=total, value=found.value, low=found.interval.low, high=found.interval.high)


def _gate(name: str | None, point: str | None) -> str:
    return f"{name or 'a gate'} at {point}" if point else name or "a gate"


def _reason(entry: AttackEntry) -> str:
    if entry.attempt.held_out:
        return _HELD_OUT_REASON
    return " ".join(entry.result.reason.split()) or "no reason given"


def _ranked(names: Iterable[str]) -> dict[str, int]:
    """Count the names, the most frequent first."""
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def _few(counts: Counter[str]) -> dict[str, int]:
    """Return the most frequent ones, shortened; the rest are one row, and so are those that then look the same."""
    kept = Counter[str]()
    for reason, count in list(counts.items())[:_MAX_REASONS]:
        kept[_shortened(reason)] += count
    kept[_OTHER_REASONS] += counts.total() - kept.total()
    return {reason: count for reason, count in kept.items() if count}


def _shortened(reason: str) -> str:
    """Return a reason cut after a word if it is long, or within the word if that one is very long."""
    if len(reason) <= _MAX_REASON_CHARS:
        return reason
    words = reason[:_MAX_REASON_CHARS].rpartition(" ")[0]
    kept = words if len(words) > _MAX_REASON_CHARS // 2 else reason[: _MAX_REASON_CHARS - 1]
    return kept.rstrip(" ,;:") + "…"
