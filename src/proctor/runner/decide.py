"""Decide from the counts whether a run passed, failed or could not be judged."""

from __future__ import annotations

from proctor.core.record import dataclass
from proctor.core.report import Counts, Decision

__all__ = ["EXIT_CODES", "INTERRUPTED", "Bar", "decide"]

EXIT_CODES: dict[Decision, int] = {"passed": 0, "failed": 1, "unjudged": 3}
INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """The thresholds of a run: the minimum pass rate, and the maximum unscored rate."""

    pass_rate: float = 1.0
    unscored: float = 0.05


def decide(counts: Counts, bar: Bar, *, failed_cases: int | None = None) -> tuple[Decision, str]:
    """Return the decision and its reason as shown to the user.

    ``failed_cases`` is given if cases were run several times: how many of them failed in at least one sample.

    A run has failed if it would have failed even with everything unscored passing. Otherwise, too many
    unscored results mean "unjudged"; that never counts as a pass.
    """
    total, judged = counts.total, counts.passed + counts.failed
    if not total:
        return "unjudged", "no case was run"
    at_best = (counts.passed + counts.unscored) / total
    if at_best < bar.pass_rate:
        return "failed", _short(counts, bar, failed_cases)
    if not judged or counts.unscored_rate > bar.unscored:
        share = f"{counts.unscored_rate:.1%}; at most {bar.unscored:.1%} may"
        return "unjudged", f"{counts.unscored} of {total} could not be judged ({share})"
    if counts.passed / judged < bar.pass_rate:
        return "failed", _short(counts, bar, failed_cases)
    rest = f", {counts.failed} failed{_in_cases(failed_cases)}" if counts.failed else ""
    rest += f", {counts.unscored} could not be judged" if counts.unscored else ""
    rest += f", {counts.in_doubt} of them in doubt, to be reviewed" if counts.in_doubt else ""
    return "passed", f"{counts.passed} of {total} passed{rest}"


def _in_cases(failed_cases: int | None) -> str:
    if failed_cases is None:
        return ""
    return " (samples of 1 case)" if failed_cases == 1 else f" (samples of {failed_cases:,} cases)"


def _short(counts: Counts, bar: Bar, failed_cases: int | None) -> str:
    text = f"{counts.failed} of {counts.total} failed{_in_cases(failed_cases)}"
    if counts.unscored:
        text += f", {counts.unscored} could not be judged"
    return text if bar.pass_rate >= 1 else f"{text}; {bar.pass_rate:.1%} must pass"
