"""Alerts over a thousand simulated weeks: how soon a spike is found, how often a page has no cause.

    python -m benchmarks.monitor.alerts [--weeks 1000] [--spikes 2000] [--part spikes|false] [--peaks 100] [--json FILE]

Gaps between bad events are drawn, not every event. Beside the rules stand the optimum (one chart that is tuned for
exactly this spike, at the same false alarms) and a fixed threshold: more than twice the normal rate in five minutes.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proctor.stats.bernoulli_cusum import RATIOS, chart, detection_probability, smallest_spike, thresholds
from proctor.stats.quantile_bound import breach_count
from proctor.stats.seasonal_rate import HOURS, SeasonalRate

WEEK_MINUTES = HOURS * 60
RATE = 0.04  # of bad events in the table of spikes
SPIKES = (2.0, 3.0, 4.0, 10.0)
BAD = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # normal bad events a minute
SHARE = 0.25  # false pages a week of one of four rules
DEFAULTS = {"hallucination": 0.04, "injection": 0.005, "escalation": 0.10}
TRAFFIC = (20.0, 100.0, 400.0)  # turns a minute at the busiest hour
MONDAY = 1_763_337_600.0  # 2025-11-17 00:00 UTC
TRAINED_WEEKS = 4
WINDOW = 5.0
BIN = 0.5  # minutes between two looks


def delays(
    rng: np.random.Generator, bad: float, spike: float, ratios: Sequence[float], levels: Sequence[float], count: int
) -> np.ndarray:
    """Return minutes until the first chart rings, for ``count`` spikes; half an hour of normal traffic before each."""
    per_minute = bad / RATE
    charts = [chart(RATE, ratio) for ratio in ratios]
    ups, downs = np.array([each.up for each in charts]), np.array([each.down for each in charts])
    level = np.array(levels)
    evidence = np.zeros((count, len(ratios)))
    before = np.full(count, 30.0)  # minutes of normal traffic
    left = before.copy()
    while (left > 0).any():
        gap = rng.geometric(RATE, count)
        minutes = gap / per_minute
        inside = left > 0
        ends = inside & (minutes >= left)
        falls = np.where(ends, left * per_minute, gap - 1)[:, None] * downs
        moved = np.maximum(0.0, evidence - falls) + np.where(ends, 0.0, 1.0)[:, None] * ups
        rung = (moved >= level).any(axis=1)  # without a cause: it starts again
        moved[rung] = 0.0
        evidence = np.where(inside[:, None], moved, evidence)
        left = np.where(inside, left - minutes, left)
    passed = np.zeros(count)
    found = np.full(count, np.nan)
    while np.isnan(found).any():
        gap = rng.geometric(min(0.95, RATE * spike), count)
        passed += gap / per_minute
        evidence = np.maximum(0.0, evidence - (gap - 1)[:, None] * downs) + ups
        rung = np.isnan(found) & (evidence >= level).any(axis=1)
        found[rung] = passed[rung]
        if passed.min() > 100_000:
            break
    return found


def fixed_delays(rng: np.random.Generator, bad: float, spike: float, count: int) -> np.ndarray:
    """Return minutes until more than twice the normal rate is seen in a window of five minutes (50 events or more)."""
    per_minute, width = bad / RATE, int(WINDOW / BIN)
    found = np.full(count, np.nan)
    events = rng.poisson(per_minute * BIN, (count, width))
    wrong = rng.binomial(events, RATE)
    for step in range(1, 40_000):
        new = rng.poisson(per_minute * BIN, count)
        events = np.column_stack([events[:, 1:], new])
        wrong = np.column_stack([wrong[:, 1:], rng.binomial(new, min(0.95, RATE * spike))])
        total = events.sum(axis=1)
        rung = np.isnan(found) & (total >= 50) & (wrong.sum(axis=1) > 2 * RATE * total)
        found[rung] = step * BIN
        if not np.isnan(found).any():
            break
    return found


def spike_table(rng: np.random.Generator, count: int) -> list[dict[str, Any]]:
    """Return the delay of the rules, of the optimum and of a fixed threshold, for each spike and traffic."""
    rows: list[dict[str, Any]] = []
    for bad in BAD:
        week = [(bad / RATE * 60, RATE)] * HOURS
        levels = thresholds(week, SHARE)
        for spike in SPIKES:
            ours = delays(rng, bad, spike, RATIOS, levels, count)
            best = delays(rng, bad, spike, (spike,), thresholds(week, SHARE, ratios=(spike,)), count)
            plain = fixed_delays(rng, bad, spike, count)
            rows.append(
                {
                    "bad_per_minute": bad,
                    "turns_per_minute": bad / RATE,
                    "spike": spike,
                    "minutes": float(ours.mean()),
                    "optimum": float(best.mean()),
                    "times_optimum": float(ours.mean() / best.mean()),
                    "in_five": float((ours <= 5).mean()),
                    "in_five_calculated": detection_probability(bad, spike, 5.0, levels),
                    "in_five_optimum": float((best <= 5).mean()),
                    "fixed": float(np.nanmean(plain)),
                    "in_five_fixed": float((plain <= 5).mean()),
                }
            )
        rows[-1]["smallest"] = smallest_spike(bad, 5.0, levels)
    return rows


def shape(peak: float) -> np.ndarray:
    """Return turns in each hour of the week: quiet nights, busy afternoons, calm weekends."""
    hours = np.arange(HOURS)
    day = 0.55 - 0.45 * np.cos((hours % 24 - 3) / 24 * 2 * np.pi)
    return peak * 60 * day * np.where(hours >= 120, 0.5, 1.0)


def seasonal(rate: float) -> np.ndarray:
    """Return the true rate of each hour: half as much again at night."""
    hours = np.arange(HOURS) % 24
    return rate * (1.15 + 0.35 * np.cos((hours - 3) / 24 * 2 * np.pi))


def learnt(rng: np.random.Generator, turns: np.ndarray, rates: np.ndarray, weeks: int) -> list[SeasonalRate]:
    """Return what the rule has learnt for each simulated week, from four other weeks."""
    made = []
    for _ in range(weeks):
        season = SeasonalRate()
        for week in range(TRAINED_WEEKS):
            counts = rng.poisson(turns)
            wrong = rng.binomial(counts, rates)
            for hour in range(HOURS):
                season.add(MONDAY + (week * HOURS + hour) * 3600, float(counts[hour]), float(wrong[hour]))
        made.append(season)
    return made


def false_pages(rng: np.random.Generator, peak: float, rate: float, weeks: int) -> tuple[float, float]:
    """Return false pages a week of a rate rule that has learnt its normal week, and those if it knew the truth."""
    turns, rates = shape(peak), seasonal(rate)
    seasons = learnt(rng, turns, rates, weeks)
    known = np.array([[season.rate(MONDAY + hour * 3600) or 0.0 for hour in range(HOURS)] for season in seasons])
    levels = np.array([thresholds(season.week(), SHARE) for season in seasons])
    pages = _pages(rng, turns, rates, known, levels)
    exact = np.tile(rates, (weeks, 1))
    same = np.tile(np.array(thresholds(list(zip(turns.tolist(), rates.tolist(), strict=True)), SHARE)), (weeks, 1))
    return pages / weeks, _pages(rng, turns, rates, exact, same) / weeks


def _pages(
    rng: np.random.Generator, turns: np.ndarray, rates: np.ndarray, known: np.ndarray, levels: np.ndarray
) -> int:
    weeks = len(known)
    edges = np.concatenate([[0.0], np.cumsum(turns)])  # events before each hour
    hazard = np.concatenate([[0.0], np.cumsum(turns * -np.log1p(-rates))])
    ups = np.stack([_ups(known, ratio) for ratio in RATIOS], axis=2)  # week, hour, chart
    downs = np.stack([_downs(known, ratio) for ratio in RATIOS], axis=2)
    sums = np.cumsum(downs * turns[None, :, None], axis=1)
    fallen = np.concatenate([np.zeros((weeks, 1, len(RATIOS))), sums], axis=1)
    row = np.arange(weeks)
    place, before = np.zeros(weeks), np.zeros((weeks, len(RATIOS)))
    evidence = np.zeros((weeks, len(RATIOS)))
    alive, pages = np.ones(weeks, dtype=bool), 0
    while alive.any():
        reach = place + rng.exponential(size=weeks)
        alive &= reach < hazard[-1]
        place = np.minimum(reach, hazard[-1] * (1 - 1e-12))
        hour = np.searchsorted(hazard, place, side="right") - 1
        event = edges[hour] + (place - hazard[hour]) / -np.log1p(-rates[hour])
        now = fallen[row, hour] + downs[row, hour] * (event - edges[hour])[:, None]
        evidence = np.maximum(0.0, evidence - (now - before)) + ups[row, hour]
        before = now
        rung = alive & (evidence >= levels).any(axis=1)
        pages += int(rung.sum())
        evidence[rung] = 0.0
    return pages


def _ups(rates: np.ndarray, ratio: float) -> np.ndarray:
    return np.array([chart(rate, ratio).up for rate in rates.ravel()]).reshape(rates.shape)


def _downs(rates: np.ndarray, ratio: float) -> np.ndarray:
    return np.array([chart(rate, ratio).down for rate in rates.ravel()]).reshape(rates.shape)


def fixed_pages(rng: np.random.Generator, peak: float, rate: float, weeks: int) -> float:
    """Return false pages a week of a fixed threshold that knows the true rate of each hour (re-armed after 30 min)."""
    looks = int(WEEK_MINUTES / BIN)
    hour = (np.arange(looks) * BIN / 60).astype(int)
    turns, rates = shape(peak)[hour] / 60 * BIN, seasonal(rate)[hour]
    width, pages = int(WINDOW / BIN), 0
    done = min(weeks, 200)
    for _ in range(done):
        events = rng.poisson(turns)
        wrong = np.convolve(rng.binomial(events, rates), np.ones(width))[:looks]
        total = np.convolve(events, np.ones(width))[:looks]
        rung = np.flatnonzero((total >= 50) & (wrong > 2 * rates * total))
        last = -math.inf
        for look in rung:
            if (look - last) * BIN >= 30:
                pages += 1
                last = float(look)
    return pages / done


def latency_pages(rng: np.random.Generator, peak: float, above: float, weeks: int) -> float:
    """Return false pages a week of the P95 rule when a share ``above`` of turns is slower than the limit."""
    looks, width = int(WEEK_MINUTES / BIN), int(WINDOW / BIN)
    turns = np.repeat(shape(peak) / 60 * BIN, int(60 / BIN))
    alpha, cache, pages = SHARE / WEEK_MINUTES, {}, 0
    done = min(weeks, 200) if above < 0.05 else weeks
    for _ in range(done):
        events = rng.poisson(turns)
        slow = np.convolve(rng.binomial(events, above), np.ones(width))[:looks].astype(int)
        total = np.convolve(events, np.ones(width))[:looks].astype(int)
        for value in np.unique(total):
            if value not in cache:
                cache[value] = (breach_count(int(value), 0.95, alpha) if value >= 100 else None) or 10**9
        breached = slow >= np.array([cache[value] for value in total])
        held = breached[1:] & breached[:-1]  # it must last for half a minute
        back = slow[1:] <= 0.05 * total[1:]
        firing = False
        for look in np.flatnonzero(held | back):
            if held[look] and not firing:
                pages, firing = pages + 1, True
            elif back[look]:
                firing = False
    return pages / done


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weeks", type=int, default=1000)
    parser.add_argument("--spikes", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peaks", type=float, nargs="+", default=TRAFFIC, help="turns a minute at the busiest hour")
    parser.add_argument("--part", choices=("all", "spikes", "false"), default="all")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    started = time.process_time()
    spikes = spike_table(rng, options.spikes) if options.part != "false" else []
    print(table(
        (
            "bad a minute", "turns at 4 %", "spike", "minutes", "optimum", "times", "in 5 min", "calculated",
            "fixed 2 x: minutes", "in 5 min",
        ),
        [
            (
                f"{row['bad_per_minute']:g}", f"{row['turns_per_minute']:g}", f"{row['spike']:g} x",
                f"{row['minutes']:.1f}", f"{row['optimum']:.1f}", f"{row['times_optimum']:.2f}",
                f"{row['in_five']:.0%}", f"{row['in_five_calculated']:.0%}",
                f"{row['fixed']:.1f}", f"{row['in_five_fixed']:.0%}",
            )
            for row in spikes
        ],
    ))  # fmt: skip
    false: list[dict[str, Any]] = []
    for peak in options.peaks if options.part != "spikes" else ():
        row: dict[str, Any] = {"peak": peak, "fixed": 0.0, "total": 0.0, "total_truth": 0.0}
        for name, rate in DEFAULTS.items():
            row[name], row[f"{name}_truth"] = false_pages(rng, peak, rate, options.weeks)
            row["fixed"] += fixed_pages(rng, peak, rate, options.weeks)
            row["total"] += row[name]
            row["total_truth"] += row[f"{name}_truth"]
        row["latency_at_limit"] = latency_pages(rng, peak, 0.05, options.weeks // 4)
        row["latency"] = latency_pages(rng, peak, 0.007, options.weeks)
        row["total"] += row["latency_at_limit"]
        false.append(row)
    names = (*DEFAULTS, "latency_at_limit", "latency", "total", "fixed")
    shown = [[f"{row['peak']:g}", *(f"{row[name]:.2f}" for name in names)] for row in false]
    print(table(("turns a minute at the busiest hour", *names), shown))
    seconds = time.process_time() - started
    print(f"{options.weeks} weeks, {options.spikes} spikes a cell, {seconds:.0f} CPU seconds")
    if options.json:
        figures = {"weeks": options.weeks, "spikes": options.spikes, "spike_table": spikes, "false_pages": false}
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
