"""Compare a month's conversations with those of the months before: intents by slice, and calibration."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from proctor.core.audit import AuditedConversation
from proctor.core.calibration_report import ConfidencePair
from proctor.core.drift_report import CalibrationDrift, IntentShift, SliceShift
from proctor.core.judge_card import Estimate
from proctor.monitor.calibrate import measure_calibration
from proctor.stats.distribution_shift import cramer_v, distribution_shift, minimum_cramer_v
from proctor.stats.multiple import benjamini_hochberg
from proctor.stats.two_means import mean_difference
from proctor.stats.two_shares import minimum_difference, newcombe, share_difference_p

__all__ = ["calibration_drift", "intent_shifts", "month_bounds", "month_of", "months_before", "slice_shifts"]

_MONTH = re.compile(r"(\d{4})-(\d{2})")
_MIN_SLICE = 50  # fewer conversations of a slice, in either time, are not worth a row
_UNKNOWN = "(none)"
_ALPHA = 0.05
Key = Callable[[AuditedConversation], str | None]


def month_bounds(month: str) -> tuple[datetime, datetime]:
    """Return the first moment of a month and that after its last, in UTC.

    Raises:
        ValueError: it is no month.
    """
    match = _MONTH.fullmatch(month)
    if match is None or not 1 <= int(match[2]) <= 12 or int(match[1]) < 1:
        raise ValueError(f"expected a month like 2026-10, not {month!r}")
    year, number = int(match[1]), int(match[2])
    start = datetime(year, number, 1, tzinfo=UTC)
    return start, datetime(year + number // 12, number % 12 + 1, 1, tzinfo=UTC)


def months_before(month: str, count: int) -> list[str]:
    """Return the months before one, the oldest first."""
    start, _ = month_bounds(month)
    place = start.year * 12 + start.month - 1
    return [f"{each // 12:04d}-{each % 12 + 1:02d}" for each in range(place - count, place)]


def month_of(seconds: float) -> str:
    """Return the month of a time, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m")


def slice_shifts(
    now: Sequence[AuditedConversation], before: Sequence[AuditedConversation], *, effect: float, seed: int = 0
) -> tuple[SliceShift, ...]:
    """Compare the intents of all traffic, then by source, model and version where both times have enough.

    A shift is seen if it is significant after correction for all slices, at least ``effect``, and more than the months
    before differ among themselves.
    """
    found = [_shift("all", now, before, seed)]
    kinds: tuple[tuple[str, Key], ...] = (
        ("source", lambda each: each.source),
        ("model", lambda each: each.model),
        ("version", lambda each: each.version),
    )
    for kind, key in kinds:
        values = Counter(key(each) for each in now)
        if len(values) < 2:
            continue
        for value, _ in values.most_common(20):
            if value is not None:
                mine = [each for each in now if key(each) == value]
                theirs = [each for each in before if key(each) == value]
                if min(len(mine), len(theirs)) >= _MIN_SLICE:
                    found.append(_shift(f"{kind} {value}", mine, theirs, seed))
    known = [each for each in found if each is not None]
    adjusted = benjamini_hochberg([each.p for each in known])
    return tuple(
        replace(each, adjusted=p, is_seen=p < _ALPHA and each.v >= max(effect, each.v_usual or 0.0))
        for each, p in zip(known, adjusted, strict=True)
    )


def intent_shifts(now: Sequence[AuditedConversation], before: Sequence[AuditedConversation]) -> tuple[IntentShift, ...]:
    """Compare the share of each intent, the largest change first."""
    counts, others = _intents(now), _intents(before)
    rows = []
    for intent in sorted({*counts, *others}):
        count, other = counts[intent], others[intent]
        interval = newcombe(count, len(now), other, len(before))
        if interval is None:
            continue
        share, before_share = count / len(now), other / len(before)
        rows.append(
            IntentShift(
                intent=intent,
                count=count,
                before_count=other,
                share=share,
                before_share=before_share,
                change=Estimate(value=share - before_share, low=interval.low, high=interval.high),
                p=share_difference_p(count, len(now), other, len(before)),
                adjusted=1.0,
                minimum=minimum_difference(before_share, len(now), len(before)),
            )
        )
    adjusted = benjamini_hochberg([each.p for each in rows])
    done = [replace(each, adjusted=p, is_seen=p < _ALPHA) for each, p in zip(rows, adjusted, strict=True)]
    return tuple(sorted(done, key=lambda each: -abs(each.change.value or 0.0)))


def calibration_drift(
    now: Sequence[ConfidencePair], before: Sequence[ConfidencePair], *, labels: str
) -> CalibrationDrift | None:
    """Compare how far confidences exceed what was right, now and before; None if one of them has fewer than two."""
    gaps = [[pair.confidence - pair.correct for pair in pairs] for pairs in (now, before)]
    weights = [pair.weight for pair in now], [pair.weight for pair in before]
    test = mean_difference(gaps[0], gaps[1], weights=weights)
    measured = [measure_calibration(pairs, labels=labels) for pairs in (now, before)]
    first, second = measured
    if test is None or first is None or second is None:
        return None
    return CalibrationDrift(
        labels=labels,
        count=len(now),
        before_count=len(before),
        error=first.debiased,
        before_error=second.debiased,
        gap=first.gap,
        before_gap=second.gap,
        change=Estimate(value=test.value, low=test.interval.low, high=test.interval.high),
        p=test.p,
        minimum=test.minimum,
        is_seen=test.p < _ALPHA,
    )


def _shift(
    name: str, now: Sequence[AuditedConversation], before: Sequence[AuditedConversation], seed: int
) -> SliceShift | None:
    counts, others = _intents(now), _intents(before)
    intents = sorted({*counts, *others})
    shift = distribution_shift([counts[each] for each in intents], [others[each] for each in intents], seed=seed)
    if shift is None:
        return None
    return SliceShift(
        name=name,
        count=len(now),
        before_count=len(before),
        v=shift.v,
        v_chance=shift.v_chance,
        v_usual=_usual(before),
        js=shift.js,
        psi=shift.psi,
        psi_chance=shift.psi_chance,
        psi_excess=shift.psi_excess,
        p=shift.p,
        adjusted=shift.p,
        minimum=minimum_cramer_v(shift.categories, shift.count, shift.other_count),
    )


def _usual(before: Sequence[AuditedConversation]) -> float | None:
    """Return the highest V of one earlier month against the others; None if there is one month."""
    by_month: dict[str, Counter[str]] = {}
    for each in before:
        by_month.setdefault(month_of(each.first), Counter())[each.intent or _UNKNOWN] += 1
    if len(by_month) < 2:
        return None
    total: Counter[str] = Counter()
    for counts in by_month.values():
        total.update(counts)
    intents = sorted(total)
    found = [
        cramer_v([counts[each] for each in intents], [total[each] - counts[each] for each in intents])
        for counts in by_month.values()
    ]
    return max((each for each in found if each is not None), default=None)


def _intents(conversations: Sequence[AuditedConversation]) -> Counter[str]:
    return Counter(each.intent or _UNKNOWN for each in conversations)
