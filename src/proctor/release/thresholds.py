"""Propose floors from data: the best scores minus one standard deviation; lower ones only where a rate is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from proctor.release.floors import Floor
from proctor.release.measures import PASS_RATE, Baseline, cells

__all__ = ["Proposal", "Suggestion", "suggest"]

Numbers = npt.NDArray[np.float64]
Over = Literal["runs", "cases"]

_MIN_SPREAD = 0.01  # a figure that never moved may still move by rounding
_ROUNDING = 1e-9
_DIGITS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """The floor proposed for one figure, and its basis."""

    intent: str
    dimension: str
    cases: int
    best: float
    spread: float
    floor: float
    false_positives: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Floors for gate.yaml: without a ``rate`` each is the best mean minus one standard deviation.

    With a ``rate``, floors that runs as good as the best one would break more often are lowered. ``start`` is how often
    floors at one standard deviation are broken by runs drawn from the given scores, ``false_positives`` how often the
    proposed ones are; with a rate these runs also fail in ways not seen before. ``over`` is what was drawn: each case's
    score from its ``runs``, or with fewer than three runs, the ``cases``.
    """

    proposals: tuple[Proposal, ...]
    rate: float | None
    start: float
    false_positives: float
    over: Over
    runs: int

    @property
    def floors(self) -> Mapping[str, Mapping[str, Floor]]:
        """The proposals in the format of a policy."""
        found: dict[str, dict[str, Floor]] = {}
        for each in self.proposals:
            found.setdefault(each.intent, {})[each.dimension] = Floor(least=each.floor)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """One figure of one intent: its best mean, the spread of its cases, and its mean in each simulated run."""

    intent: str
    dimension: str
    cases: int
    best: float
    spread: float
    simulated: Numbers


def suggest(
    runs: Sequence[Baseline],
    *,
    rate: float | None = None,
    figures: Sequence[str] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> Suggestion:
    """Propose a floor for each dimension of each intent from good runs: the best mean minus one standard deviation.

    A ``rate`` is for all floors together: they are lowered until so large a share of good runs breaks one at most.

    Raises:
        ValueError: there is no scored case, or the rate is not a share.
    """
    if not runs or not any(run.cases for run in runs):
        raise ValueError("there is no scored case to go by")
    if rate is not None and not 0.0 < rate < 1.0:
        raise ValueError(f"the rate must be between 0 and 1, not {rate:g}")
    over: Over = "runs" if len(runs) >= 3 else "cases"
    source = np.random.default_rng(seed)
    found = [
        cell
        for name in figures or _figures(runs)
        for intent in cells([case for run in runs for case in run.cases])
        if (cell := _cell(runs, intent, name, _Draw(over, resamples, source, unseen=rate is not None))) is not None
    ]
    first = [_floor(cell.best - cell.spread) for cell in found]
    # Any of them may be broken, so each gets its part of the rate.
    floors = first if rate is None else _lowered(found, first, rate / max(1, len(found)))
    return Suggestion(
        proposals=tuple(_proposal(cell, floor) for cell, floor in zip(found, floors, strict=True)),
        rate=rate,
        start=_broken(found, first),
        false_positives=_broken(found, floors),
        over=over,
        runs=len(runs),
    )


def _figures(runs: Sequence[Baseline]) -> tuple[str, ...]:
    return (*dict.fromkeys(name for run in runs for name in run.dimensions), PASS_RATE)


@dataclass(frozen=True, slots=True)
class _Draw:
    """How runs are simulated; ``unseen`` adds failures of a kind that no given run shows."""

    over: Over
    resamples: int
    source: np.random.Generator
    unseen: bool


def _cell(runs: Sequence[Baseline], intent: str, name: str, draw: _Draw) -> _Cell | None:
    columns = []
    for run in runs:
        inside = cells(run.cases).get(intent, ())
        columns.append({case.case: value for case in inside if (value := case.figure(name)) is not None})
    names = sorted({case for column in columns for case in column})
    if not names:
        return None
    table = np.array([[column.get(case, np.nan) for column in columns] for case in names])
    means = [float(np.nanmean(table[:, run])) for run in range(len(runs)) if not np.isnan(table[:, run]).all()]
    typical = np.nanmean(table, axis=1)
    spread = float(typical.std(ddof=1)) if len(names) > 1 else 0.0
    drawn = _by_runs(table, draw) if draw.over == "runs" else _by_cases(typical, draw)
    # Simulated runs are centred on the mean of all runs; the proposal starts from the best of them.
    return _Cell(
        intent=intent,
        dimension=name,
        cases=len(names),
        best=max(means),
        spread=max(spread, _MIN_SPREAD),
        simulated=drawn,
    )


def _by_runs(table: Numbers, draw: _Draw) -> Numbers:
    """Return means of runs simulated by drawing one of each case's scores.

    Deviations are widened twice: few runs show only part of the noise, and their mean is not the true one.
    """
    rows = np.arange(table.shape[0])
    middle = np.nanmean(table, axis=1)
    seen = (~np.isnan(table)).sum(axis=1)
    widened = np.sqrt(seen / np.maximum(seen - 1, 1) * (1 + 1 / seen))
    filled = np.where(np.isnan(table), middle[:, None], table)
    picked = filled[rows, draw.source.integers(0, table.shape[1], size=(draw.resamples, rows.size))]
    return _means(middle + (picked - middle) * widened, int(seen.sum()), draw)


def _by_cases(values: Numbers, draw: _Draw) -> Numbers:
    picked = draw.source.integers(0, values.size, size=(draw.resamples, values.size))
    return _means(values[picked], values.size, draw)


def _means(scores: Numbers, seen: int, draw: _Draw) -> Numbers:
    """Return the means of simulated runs, in which some answers may fail in ways not seen before.

    The rate of such failures is unknown, so it is drawn for each run: on average two in as many answers as were seen.
    One would be the rule of succession, and is too low by measurement (benchmarks/gate) if a score is either 0 or 1.
    """
    if draw.unseen:
        failing = draw.source.random(scores.shape) < draw.source.beta(2, seen, size=(scores.shape[0], 1))
        scores = np.where(failing, 0.0, scores)
    means: Numbers = np.clip(scores.mean(axis=1), 0.0, 1.0)
    return means


def _floor(value: float) -> float:
    """Round down, so that the digits shown are the ones that were measured."""
    scale = 10**_DIGITS
    return float(np.floor(max(0.0, value) * scale + 1e-9) / scale)


def _lowered(found: Sequence[_Cell], first: Sequence[float], share: float) -> list[float]:
    """Return the floors, lowering those that would be broken in more than ``share`` of all runs.

    Such a small share is at the limit of the simulation, so the normal tail is used too and the lower one counts.
    """
    reach = NormalDist().inv_cdf(share)
    return [
        min(floor, _floor(min(float(np.quantile(cell.simulated, share)), _tail(cell, reach))))
        for cell, floor in zip(found, first, strict=True)
    ]


def _tail(cell: _Cell, reach: float) -> float:
    return float(cell.simulated.mean() + reach * cell.simulated.std())


def _broken(found: Sequence[_Cell], floors: Sequence[float]) -> float:
    """Return the share of simulated runs in which at least one floor is broken.

    Figures are simulated independently although correlated ones break together, so this is slightly too high.
    """
    if not found:
        return 0.0
    under = np.zeros(found[0].simulated.size, dtype=bool)
    for cell, floor in zip(found, floors, strict=True):
        under |= cell.simulated < floor - _ROUNDING
    return float(under.mean())


def _proposal(cell: _Cell, floor: float) -> Proposal:
    return Proposal(
        intent=cell.intent,
        dimension=cell.dimension,
        cases=cell.cases,
        best=cell.best,
        spread=cell.spread,
        floor=floor,
        false_positives=float((cell.simulated < floor - _ROUNDING).mean()),
    )
