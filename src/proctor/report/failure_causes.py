"""Find why a result did not pass: the score, its reason, and the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from proctor.core.record import dataclass
from proctor.core.report import Report, Result
from proctor.core.score import Score

__all__ = ["Cause", "Troubles", "causes", "failed_text", "label", "listed_failures", "shown_label", "troubles"]

_WHOLE_FROM = 100  # a measured value from here on is shown with all its digits
_LOOKED_AT = 300  # failures among which those of different rules are looked for
_FLAKY_KEPT = 200  # the report lists at most this many flaky cases; others may be flaky too


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One cause why a result did not pass; ``score`` is ``None`` if the target itself failed."""

    score: str | None
    measure: str
    reason: str
    quote: str

    @property
    def text(self) -> str:
        """The cause as one sentence: score, value and reason, if known."""
        head = " ".join(part for part in (self.score, self.measure) if part)
        return ": ".join(part for part in (head, self.reason) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Troubles:
    """The first few failed and unscored results, and those that passed in doubt."""

    failed: tuple[Result, ...]
    unscored: tuple[Result, ...]
    in_doubt: tuple[Result, ...] = ()


def causes(result: Result) -> list[Cause]:
    """Return all causes why this result did not pass, the decisive one first."""
    found = []
    if result.trajectory.error:
        kind = result.trajectory.error_kind or "target"
        found.append(Cause(score=None, measure=f"{kind} error", reason=result.trajectory.error, quote=""))
    quote = result.trajectory.answer
    low = [score for score in result.scores if score.passed is False]
    # Without an answer of the target, unscored scores are a consequence, not a cause.
    broken = [score for score in result.scores if score.status == "error" and not result.trajectory.error]
    found += [_cause(score, quote) for score in (*low, *broken)]
    if result.in_doubt:
        found += [_cause(score, quote) for score in result.scores if score.in_doubt]
    if not found and result.outcome != "pass":
        found.append(Cause(score=None, measure="", reason=result.reason or "nothing was there to judge", quote=quote))
    return found


def label(result: Result) -> str:
    """Return the name of the result: the case, and the sample if there are several."""
    return f"{result.case.id}#{result.sample}" if result.sample else result.case.id


def shown_label(report: Report, result: Result) -> str:
    """Return the name of a failure in a list with one entry per case, with the number of failed samples."""
    if not report.repeats or result.outcome != "fail":
        return label(result)
    flaky = next((each for each in report.flaky if (each.case, each.target) == (result.case.id, result.target)), None)
    if flaky is None:
        return f"{result.case.id} (in every sample)" if len(report.flaky) < _FLAKY_KEPT else label(result)
    return f"{result.case.id} (in {flaky.failed} of {flaky.passed + flaky.failed} samples)"


def listed_failures(report: Report) -> int:
    """Return the length of a list of all failures, with one entry per case and target."""
    return sum(each.flaky + each.never for each in report.repeats) if report.repeats else report.counts.failed


def failed_text(report: Report, shown: int) -> str:
    """Return the number of failures, and how many of them are shown."""
    total = listed_failures(report)
    listed = f"{shown} of {total:,}" if total > shown else f"{total:,}"
    if not report.repeats:
        return listed
    return f"{listed} {'case' if total == 1 else 'cases'}, {report.counts.failed:,} samples"


def troubles(report: Report, results: Callable[[], Iterable[Result]], limit: int) -> Troubles:
    """Return ``limit`` failures and unscored results; stops reading when complete.

    A case with several samples is listed once per target and outcome. Failures of a prompt's rules are grouped by what
    they break, and each group gets its share of the list: ten times the same one says no more than once.
    """
    found: dict[str, dict[tuple[str, str, int], Result]] = {"fail": {}, "unscored": {}, "doubt": {}}
    counts = report.counts
    left = {"fail": counts.failed, "unscored": counts.unscored, "doubt": counts.in_doubt}
    most = _LOOKED_AT if report.overview is not None and report.overview.rules else limit
    if any(left.values()):
        for result in results():
            state = "doubt" if result.in_doubt else result.outcome
            kept = found.get(state)
            if kept is None:
                continue
            left[state] -= 1
            if len(kept) < most:
                kept.setdefault((result.case.id, result.target, 0 if report.repeats else result.sample), result)
            if all(len(found[outcome]) >= most or left[outcome] <= 0 for outcome in found):
                break
    return Troubles(
        failed=_by_rule(tuple(found["fail"].values()), limit),
        unscored=tuple(found["unscored"].values())[:limit],
        in_doubt=tuple(found["doubt"].values())[:limit],
    )


def _by_rule(failed: Sequence[Result], limit: int) -> tuple[Result, ...]:
    """Return ``limit`` results, group by group; each group has as many as its share of the list allows."""
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in failed:
        groups.setdefault(_broken_rules(result), []).append(result)
    room = dict.fromkeys(groups, 0)
    for turn in range(limit):
        for key, group in groups.items():
            if turn < len(group) and sum(room.values()) < limit:
                room[key] += 1
    return tuple(result for key, group in groups.items() for result in group[: room[key]])


def _broken_rules(result: Result) -> tuple[str, ...]:
    return tuple(part.name for score in result.scores for part in score.parts if part.label == "err")


def _cause(score: Score, answer: str) -> Cause:
    if score.status == "error":
        return Cause(score=score.name, measure="could not be judged", reason=score.reason, quote="")
    quoted = next((each.quote for each in score.evidence if each.quote), answer)
    return Cause(score=score.name, measure=_measure(score), reason=score.reason, quote=quoted)


def _measure(score: Score) -> str:
    value, threshold = score.value or 0.0, score.threshold or 0.0
    if score.in_doubt:
        return f"{value:.2f}"
    # Two digits, unless rounding would make a value under its threshold look equal to it.
    short = f"{value:.2f}"
    under = f"{short if float(short) < threshold else f'{value:.6g}'} < {threshold:g}"
    if score.measured is None:
        return under
    measured = f"{score.measured:.3g}" if abs(score.measured) < _WHOLE_FROM else f"{score.measured:g}"
    return f"{under} ({measured}{f' {score.unit}' if score.unit else ''})"
