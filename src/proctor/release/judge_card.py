"""Build the card of a judge from its verdicts and people's labels on the same answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, stdev

import numpy as np
import numpy.typing as npt

from proctor.core.judge_card import Abstentions, Agreement, Band, Estimate, JudgeCard, LengthBias, PositionBias, Repeats
from proctor.stats.agreement import cohen_kappa, krippendorff_alpha, repeatability
from proctor.stats.bootstrap import interval_of, mean_interval
from proctor.stats.correlation import partial, pearson, ranks, slope
from proctor.stats.interval import wilson
from proctor.stats.paired import sign_test
from proctor.stats.student import student_quantile

__all__ = ["Judged", "judge_card", "length_bias", "position_bias"]

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_MAX_LEVELS = 11
_LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
_MIN_CASES = 30
_MAX_BASE_RATE = 0.9
_MAX_REASON_CHARS = 120
_POINTS = {"win": 1, "tie": 0, "loss": -1}
_MIN_BIAS_CASES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One answer with the scores by people and by the judge, all from 0 to 1.

    ``judge`` has a value per call, ``None`` if there was no verdict; ``reasons`` are why not.
    ``orders`` is the verdict of a pairwise judge (win, tie, loss) with the answer first and second.
    ``length`` is the answer's, ``against`` that of the answer it was compared with. ``threshold`` is the value from
    which the judge passes this answer, if it has one of its own.
    """

    case: str
    people: tuple[float, ...]
    judge: tuple[float | None, ...]
    reasons: tuple[str, ...] = ()
    orders: tuple[str, str] | None = None
    length: int | None = None
    against: int | None = None
    threshold: float | None = None

    @property
    def said(self) -> float | None:
        """The judge's value; the mean if it was called several times."""
        found = [value for value in self.judge if value is not None]
        return fmean(found) if found else None


def judge_card(  # noqa: PLR0913 - the facts on a card
    items: Sequence[Judged],
    *,
    scorer: str,
    judge: str = "",
    revision: str = "",
    labels: str = "",
    run: str = "",
    created: datetime | None = None,
    threshold: float = 0.5,
    people_threshold: float = 0.5,
    notes: Sequence[str] = (),
    resamples: int = 1000,
    seed: int = 0,
) -> JudgeCard:
    """Build the card over all items; a missing verdict counts as an abstention, never as a score.

    ``threshold`` is for the items without one of their own.
    """
    both = [(fmean(item.people), said, item) for item in items if item.people and (said := item.said) is not None]
    human = np.array([value for value, _, _ in both])
    machine = np.array([value for _, value, _ in both])
    levels = _levels(items)
    from_each = np.array([_threshold(item, threshold) for _, _, item in both])
    used = sorted({_threshold(item, threshold) for item in items}) or [threshold]
    passed, passed_by_judge = human >= people_threshold, machine >= from_each
    agreement = _agreement(human, machine, (passed, passed_by_judge), levels, resamples, seed)
    return JudgeCard(
        scorer=scorer,
        judge=judge,
        revision=revision,
        labels=labels,
        run=run,
        created=created,
        cases=len(both),
        raters=max((len(item.people) for item in items), default=0),
        threshold=used[0],
        thresholds=tuple(used) if len(used) > 1 else (),
        people_threshold=people_threshold,
        agreement=agreement,
        # Two digits: human scores are coarser, and the run time grows with the number of distinct values.
        people=krippendorff_alpha([[round(value, 2) for value in item.people] for item in items], level="interval"),
        scores=_band(machine - human, seed),
        passes=_band(passed_by_judge.astype(np.float64) - passed, seed, verdicts=True),
        repeats=_repeats(items, threshold),
        position=position_bias([item.orders for item in items if item.orders is not None]),
        length=length_bias([_lengths(item, one, other) for one, other, item in both], resamples=resamples, seed=seed),
        abstentions=_abstentions(items),
        notes=(*notes, *_notes(agreement, len(both))),
    )


def _threshold(item: Judged, default: float) -> float:
    return default if item.threshold is None else item.threshold


def _levels(items: Sequence[Judged]) -> tuple[float, ...]:
    """Return the levels that people used; if too many, five equal ones."""
    used = sorted({round(value, 9) for item in items for value in item.people})
    return tuple(used) if 2 <= len(used) <= _MAX_LEVELS else _LEVELS


def _agreement(
    human: Numbers, machine: Numbers, verdicts: tuple[Flags, Flags], levels: Sequence[float], draws: int, seed: int
) -> Agreement:
    count = int(human.size)
    if not count:
        return Agreement(levels=tuple(levels))
    passed, said = verdicts
    plain = cohen_kappa(passed.tolist(), said.tolist(), order=(False, True))
    steps = np.asarray(levels)
    both = 2 * passed.astype(np.int64) + said
    near = len(levels) * _nearest(human, steps) + _nearest(machine, steps)
    places = ranks(human), ranks(machine)

    def estimate(figure: Callable[[Places], float | None]) -> Estimate:
        value = figure(np.arange(count))
        return _estimate(value, interval_of(count, figure, resamples=draws, seed=seed) if value is not None else None)

    return Agreement(
        share=_share(int((passed == said).sum()), count),
        kappa=estimate(lambda at: _kappa(both[at], 2)),
        adjusted=plain.adjusted if plain else None,
        human_pass=float(passed.mean()),
        judge_pass=float(said.mean()),
        weighted=estimate(lambda at: _kappa(near[at], len(levels))),
        levels=tuple(levels),
        alpha=estimate(lambda at: _alpha(human[at], machine[at])),
        rank=estimate(lambda at: pearson(places[0][at], places[1][at])),
        false_pass=_share(int((said & ~passed).sum()), int((~passed).sum())),
        false_fail=_share(int((~said & passed).sum()), int(passed.sum())),
    )


def _kappa(codes: Places, size: int) -> float | None:
    """Return the quadratically weighted kappa of pairs of labels, each pair encoded as one number.

    The same as in stats.agreement, but fast enough for a thousand resamples. With two labels there is no near miss.
    """
    table = np.bincount(codes, minlength=size * size).reshape(size, size) / codes.size
    apart = np.subtract.outer(np.arange(size), np.arange(size)) ** 2
    expected = float((apart * np.outer(table.sum(axis=1), table.sum(axis=0))).sum())
    return 1.0 - float((apart * table).sum()) / expected if expected > 1e-12 else None


def _alpha(one: Numbers, other: Numbers) -> float | None:
    """Return Krippendorff's alpha for two raters with complete ratings on an interval scale."""
    spread = float(np.concatenate([one, other]).var(ddof=1))
    return 1.0 - float(((one - other) ** 2).mean()) / (2.0 * spread) if spread > 1e-12 else None


def _nearest(values: Numbers, steps: Numbers) -> Places:
    nearest: Places = np.abs(values[:, None] - steps[None, :]).argmin(axis=1)
    return nearest


def _band(differences: Numbers, seed: int, *, verdicts: bool = False) -> Band | None:
    """Return the judge's error band.

    For verdicts one error in each direction is added: a judge without errors in twenty answers may well make one in the
    next twenty.
    """
    if differences.size < 2:
        return None
    values: list[float] = differences.tolist()
    bias = fmean(values)
    spread = stdev([*values, 1.0, -1.0] if verdicts else values)
    reach = student_quantile(0.975, len(values) - 1) * spread / math.sqrt(len(values))
    return Band(
        cases=len(values),
        bias=Estimate(value=bias, low=max(-1.0, bias - reach), high=min(1.0, bias + reach))
        if verdicts
        else _estimate(bias, mean_interval(values, seed=seed)),
        spread=spread,
        mean_error=fmean(map(abs, values)),
    )


def _repeats(items: Sequence[Judged], threshold: float) -> Repeats | None:
    asked = [[value for value in item.judge if value is not None] for item in items]
    needed = [_threshold(item, threshold) for item in items]
    scores = repeatability(asked)
    if scores is None:
        return None
    verdicts = repeatability(
        [[float(value >= least) for value in values] for values, least in zip(asked, needed, strict=True)]
    )
    return Repeats(
        cases=scores.items,
        samples=scores.samples,
        same=verdicts.same if verdicts else scores.same,
        within=scores.within,
        correlation=scores.correlation,
    )


def _abstentions(items: Sequence[Judged]) -> Abstentions:
    asked = sum(len(item.judge) for item in items)
    missing = sum(value is None for item in items for value in item.judge)
    reasons = Counter(" ".join(reason.split())[:_MAX_REASON_CHARS] for item in items for reason in item.reasons)
    return Abstentions(asked=asked, missing=missing, share=_share(missing, asked), reasons=dict(reasons.most_common(5)))


def _lengths(item: Judged, human: float, machine: float) -> tuple[float, float, float] | None:
    """Return people's value, the judge's, and the answer's length in doublings (relative to the other in a pair)."""
    if not item.length or (item.against is not None and not item.against):
        return None
    return human, machine, float(np.log2(item.length / (item.against or 1)))


def _notes(agreement: Agreement, count: int) -> list[str]:
    notes = []
    if count < _MIN_CASES:
        notes.append(f"only {count} answers have both a label and a verdict: every figure here is a guess")
    rate = agreement.human_pass
    if rate is not None and not 1 - _MAX_BASE_RATE <= rate <= _MAX_BASE_RATE:
        side = "good" if rate > 0.5 else "bad"
        most = f"{max(rate, 1 - rate):.0%}".replace("%", " %")
        notes.append(f"people called {most} of the answers {side}: kappa says little there, see the adjusted one")
    kappa = agreement.kappa
    if kappa.low is not None and kappa.low <= 0 and count >= _MIN_CASES:
        notes.append("agreement on pass and fail is not told from chance")
    return notes


def _share(hits: int, total: int) -> Estimate:
    if not total:
        return Estimate()
    found = wilson(hits, total)
    return Estimate(value=hits / total, low=found.low if found else None, high=found.high if found else None)


def _estimate(value: float | None, interval: object) -> Estimate:
    return Estimate(value=value, low=getattr(interval, "low", None), high=getattr(interval, "high", None))


def position_bias(orders: Sequence[tuple[str, str]]) -> PositionBias | None:
    """Measure position bias from the verdicts on each answer in the first and in the second position.

    An answer that wins in the first position and loses in the second shows a preference for the first.
    """
    pairs = [(_POINTS[one], _POINTS[other]) for one, other in orders if one in _POINTS and other in _POINTS]
    if not pairs:
        return None
    # Positive if the first position was preferred over both orders.
    leaning = [one - other for one, other in pairs]
    same = sum(one == other for one, other in pairs)
    found = wilson(same, len(pairs))
    return PositionBias(
        pairs=len(pairs),
        consistent=Estimate(
            value=same / len(pairs), low=found.low if found else None, high=found.high if found else None
        ),
        first=sum(lean == 2 for lean in leaning),
        second=sum(lean == -2 for lean in leaning),
        p=sign_test(leaning),
    )


def length_bias(
    rows: Sequence[tuple[float, float, float] | None], *, resamples: int = 500, seed: int = 0
) -> LengthBias | None:
    """Measure length bias from (people's value, the judge's, length in doublings) of each answer.

    People may rightly prefer longer answers, so their scores are controlled for.
    """
    known = [row for row in rows if row is not None]
    if len(known) < _MIN_BIAS_CASES:
        return None
    human, machine, length = (np.array(column) for column in zip(*known, strict=True))
    if np.ptp(length) <= 1e-12:
        return None
    places = ranks(machine), ranks(length), ranks(human)

    def figure(at: npt.NDArray[np.int64]) -> float | None:
        return partial(places[0][at], places[1][at], places[2][at])

    value = figure(np.arange(len(known)))
    interval = interval_of(len(known), figure, resamples=resamples, seed=seed) if value is not None else None
    return LengthBias(
        cases=len(known),
        correlation=Estimate(value=value, low=getattr(interval, "low", None), high=getattr(interval, "high", None)),
        doubling=slope(machine, length, human),
    )
