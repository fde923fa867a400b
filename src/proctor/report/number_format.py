"""Format numbers for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from proctor.core.judge_card import Estimate
from proctor.core.report import Cell, Counts, Decision, Report, Spend, Tally
from proctor.core.share import Share
from proctor.stats.interval import Interval, wilson_of_share

__all__ = [
    "any_in_doubt",
    "decision_word",
    "grid_text",
    "interval_of",
    "latency_of",
    "milliseconds",
    "moment",
    "money",
    "p_text",
    "percent",
    "range_text",
    "scored",
    "seconds",
    "share_text",
    "signed_number",
    "signed_text",
    "tokens",
    "took",
    "total_spend",
]

_UNKNOWN_PRICE = "price not known"
_DECISIONS: dict[Decision | None, str] = {
    "passed": "PASSED",
    "failed": "FAILED",
    "unjudged": "NOT JUDGED",
    None: "NOT DECIDED",
}


def decision_word(report: Report) -> str:
    """Return the run's decision as one word."""
    return _DECISIONS[report.decision]


def any_in_doubt(tallies: Iterable[Tally]) -> bool:
    """Return whether something that passed is in doubt, so that a table of passes has a column for it."""
    return any(tally.counts.in_doubt for tally in tallies)


def percent(share: float | None) -> str:
    """Return a share as ``77.4 %``; only exact values are shown as 100 % or 0 %."""
    if share is None:
        return "–"
    if share in (0.0, 1.0):
        return f"{share:.0%}".replace("%", " %")
    return f"{min(99.9, max(0.1, share * 100)):.1f} %"


def p_text(value: float) -> str:
    """Return a p-value with three digits; a smaller one as ``<0.001``."""
    return f"{value:.3f}" if value >= 0.001 else "<0.001"


def share_text(share: Share | Estimate, digits: int = 0) -> str:
    """Return a share as ``77.4 % (61–88 %)``; a dash if nothing was counted. ``digits`` are those of the interval."""
    if share.value is None or share.low is None or share.high is None:
        return percent(share.value)
    return f"{percent(share.value)} ({share.low * 100:.{digits}f}–{share.high * 100:.{digits}f} %)"


def signed_number(value: float, digits: int = 2) -> str:
    """Return a difference as ``+0.12`` or ``−0.12``, with the sign that typography has for it."""
    return f"{value:+.{digits}f}".replace("-", "−")


def signed_text(estimate: Estimate, digits: int = 2, *, scale: float = 1.0) -> str:
    """Return a difference as ``+0.12 (−0.03 to +0.27)``; a dash without an interval."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return "–"
    value, low, high = (signed_number(scale * each, digits) for each in (estimate.value, estimate.low, estimate.high))
    return f"{value} ({low} to {high})"


def milliseconds(seconds: float | None) -> str:
    """Return a time as ``0.02 ms``, ``4.1 ms``, ``120 ms``; a dash if nothing was timed."""
    if seconds is None:
        return "–"
    time = seconds * 1000
    return f"{time:.2f} ms" if time < 1 else f"{time:.1f} ms" if time < 100 else f"{time:,.0f} ms"


def grid_text(cell: Cell | None) -> str:
    """Return the mean of a dimension, with a star if some cases have no value."""
    if cell is None or cell.mean is None:
        return "–"
    shown = f"{cell.mean:.2f}"
    if cell.dimension == "pass_rate" and 0 < cell.mean < 1:
        shown = f"{min(99, max(1, round(cell.mean * 100)))} %"  # only exact values are shown as 0 or 100
    elif cell.dimension == "pass_rate":
        shown = percent(cell.mean)
    return f"{shown} *" if cell.unscored else shown


def interval_of(counts: Counts) -> Interval | None:
    """Return the 95 % interval of the pass rate, clustered by case."""
    rate, judged = counts.pass_rate, counts.passed + counts.failed
    if rate is None:
        return None
    return wilson_of_share(rate, judged if counts.independent is None else min(counts.independent, judged))


def range_text(counts: Counts) -> str:
    """Return the 95 % interval of the pass rate as ``64–86 %``; empty if nothing was judged."""
    interval = interval_of(counts)
    return f"{interval.low * 100:.0f}–{interval.high * 100:.0f} %" if interval else ""


def seconds(value: float | None) -> str:
    """Return a duration with a suitable unit."""
    if value is None:
        return "–"
    if value < 0.9995:
        return f"{value * 1000:.0f} ms"
    if value < 99.95:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def money(cost: float | None) -> str:
    """Return an amount in the price table's currency, or that it is unknown."""
    if cost is None:
        return _UNKNOWN_PRICE
    if cost == 0 or cost >= 0.995:
        return f"${cost:,.2f}"
    return f"${cost:.4f}" if cost >= 0.0001 else "<$0.0001"


def tokens(count: int) -> str:
    """Return a token count, shortened from ten thousand on."""
    if count < 10_000:
        return f"{count:,}"
    return f"{count / 1e3:,.1f} k" if count < 999_950 else f"{count / 1e6:,.1f} M"


def total_spend(spend: Iterable[Spend]) -> str:
    """Return the total cost, with a note if some prices are unknown."""
    costs = [each.cost for each in spend]
    known = [cost for cost in costs if cost is not None]
    if len(known) == len(costs):
        return money(sum(known))
    return f"{money(sum(known))} and more" if any(known) else _UNKNOWN_PRICE


def latency_of(report: Report, tally: Tally) -> Mapping[str, float]:
    """Return one target's latency figures; with a single target those of the run."""
    found = tally.extra.get("latency")
    if isinstance(found, Mapping):
        return found
    return report.latency if len(report.by_target) == 1 else {}


def scored(tally: Tally) -> int:
    """Return the number of values behind a scorer's mean."""
    return sum(tally.histogram) or tally.counts.passed + tally.counts.failed


def moment(time: datetime | None) -> str:
    """Return a time to the second, with its zone if it has one."""
    if time is None:
        return "–"
    zone = time.strftime("%z")
    return time.strftime("%Y-%m-%d %H:%M:%S") + ("" if not zone else " UTC" if zone == "+0000" else f" {zone}")


def took(report: Report) -> float | None:
    """Return the duration of the run in seconds; ``None`` while it runs."""
    if report.started is None or report.finished is None:
        return None
    return (report.finished - report.started).total_seconds()
