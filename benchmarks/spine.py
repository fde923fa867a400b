"""The measures of a run: the loop, its cost, its memory, the start, and how faults and limits are borne."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from statistics import median

from benchmarks.contenders import Contender, Ran, put_to
from benchmarks.replies import true_passes
from benchmarks.table import Row

__all__ = ["faults", "limits", "loops", "shared_limit"]

OURS, BARE = "Proctor", "bare aiohttp"
CASES = 500
FEW = 200
IDEAL = CASES * 2 * 0.050 / 50
RATE = 30


def loops(floor: Sequence[Contender], peers: Sequence[Contender], rounds: int) -> list[Row]:
    """The loop at 50 ms and at 0 ms, processor time and memory: ours and bare in turn, then each peer once."""
    slow = _in_turn(floor, rounds, "--latency", "50") | _in_turn(peers, 1, "--latency", "50")
    fast = _in_turn(floor, 3 * rounds) | _in_turn(peers, 1)  # short, and so the noisiest: more rounds
    calls_per_second = {name: 1000 / _mid(runs, lambda ran: ran.loop) for name, runs in fast.items()}
    floor_loop = _mid(fast[BARE], lambda ran: ran.loop)
    ratio = median(a.loop / b.loop for a, b in zip(fast[OURS], fast[BARE], strict=True))
    slowest = _mid(slow[OURS], lambda ran: ran.loop) / IDEAL
    cpu = _mid(slow[OURS], lambda ran: ran.cpu_per_call)
    peak = max(ran.measured.peak for ran in slow[OURS] + fast[OURS])
    right = all(ran.passed == true_passes(CASES) for ran in slow[OURS] + fast[OURS])
    return [
        Row(
            measure=f"loop at 50 ms latency (ideal {IDEAL:.1f} s)",
            bound="≤ 1.3 × ideal",
            kept=slowest <= 1.3,
            figures=_each(slow, lambda runs: f"{_mid(runs, _loop):.2f} s = {_mid(runs, _loop) / IDEAL:.2f} ×"),
        ),
        Row(
            measure="loop at 0 ms latency",
            bound="≤ 2.2 × bare",
            kept=ratio <= 2.2,
            figures=_each(fast, lambda runs: f"{_mid(runs, _loop):.2f} s = {_mid(runs, _loop) / floor_loop:.2f} ×")
            | {OURS: f"{_mid(fast[OURS], _loop):.2f} s = {ratio:.2f} ×"},
        ),
        Row(
            measure="calls a second at 0 ms",
            bound="",
            kept=None,
            figures={name: f"{value:.0f}" for name, value in calls_per_second.items()},
        ),
        Row(
            measure="processor time a call, start-up included",
            bound="≤ 1.5 ms",
            kept=cpu <= 1.5,
            figures=_each(slow, lambda runs: f"{_mid(runs, lambda ran: ran.cpu_per_call):.2f} ms"),
        ),
        Row(
            measure="mean in flight at 50 ms, of 50",
            bound="",
            kept=None,
            figures=_each(slow, lambda runs: f"{_mid(runs, lambda ran: float(ran.stats['mean_in_flight'])):.0f}"),
        ),
        Row(
            measure="wall time of the whole command at 50 ms",
            bound="",
            kept=None,
            figures=_each(slow, lambda runs: f"{_mid(runs, lambda ran: ran.measured.wall):.2f} s"),
        ),
        Row(
            measure="peak memory, 500 cases",
            bound="≤ 80 MB",
            kept=peak <= 80,
            figures=_each(slow, lambda runs: f"{max(ran.measured.peak for ran in runs):.0f} MB"),
        ),
        Row(
            measure=f"passes, of {true_passes(CASES)} true ones",
            bound=f"{true_passes(CASES)}",
            kept=right,
            figures=_each(slow, lambda runs: _passes(runs[-1], CASES)),
        ),
    ]


def faults(contenders: Sequence[Contender]) -> Row:
    """One call in twenty answers 503; what is right is the true count with nothing left unjudged."""
    ran = _in_turn(contenders, 1, "--latency", "20", "--fail-share", "0.05", cases=FEW)
    kept = all(_exact(each) for each in ran[OURS])
    return Row(
        measure=f"5 % of calls answer 503, {FEW} cases",
        bound=f"exactly {true_passes(FEW)}, all judged",
        kept=kept,
        figures=_each(ran, lambda runs: _passes(runs[0], FEW)),
    )


def limits(contenders: Sequence[Contender], window: str) -> Row:
    """So many calls each second are allowed, more get 429 and are told to wait a second."""
    options = ("--latency", "20", "--rate", str(RATE), "--window", window)
    ran = _in_turn(contenders, 1, *options, cases=FEW)
    ideal = FEW * 2 / RATE
    kept = all(_exact(each) and each.loop <= 1.25 * ideal for each in ran[OURS])

    def told(runs: list[Ran]) -> str:
        (one,) = runs
        return f"{_passes(one, FEW)}; {one.loop:.1f} s = {one.loop / ideal:.2f} ×; {one.stats['limited']} refused"

    return Row(
        measure=f"{RATE} calls a second allowed ({window} window), then 429, {FEW} cases (ideal {ideal:.1f} s)",
        bound=f"exactly {true_passes(FEW)}, ≤ 1.25 × ideal",
        kept=kept,
        figures=_each(ran, told),
    )


def shared_limit(one: Contender, two: Contender, window: str) -> Row:
    """The same limit for a model that judges itself, and for two models side by side on one endpoint and key."""
    options = ("--latency", "20", "--rate", str(RATE), "--window", window)
    ran = _in_turn([one, two], 1, *options, cases=FEW)
    ideal = FEW * 2 / RATE
    runs = [ran[one.name][0], ran[two.name][0]]
    figures = [f"{run.loop:.1f} s = {run.loop / ideal:.2f} ×, {run.stats['limited']} refused" for run in runs]
    return Row(
        measure=f"the same limit ({window} window), one model beside two on one endpoint and key (ideal {ideal:.1f} s)",
        bound=f"exactly {true_passes(FEW)}, both ≤ 1.25 × ideal",
        kept=all(_exact(run) and run.loop <= 1.25 * ideal for run in runs),
        figures={OURS: f"one: {figures[0]}; two: {figures[1]}"},
    )


def _in_turn(contenders: Sequence[Contender], rounds: int, *options: str, cases: int = CASES) -> dict[str, list[Ran]]:
    """Each contender once, then all again: what else the machine does falls on all of them alike."""
    ran: dict[str, list[Ran]] = {contender.name: [] for contender in contenders}
    for number in range(rounds):
        for contender in contenders:
            done = put_to(contender, cases, *options)
            ran[contender.name].append(done)
            note = f"{contender.name} {' '.join(options)} ({number + 1}/{rounds}): loop {done.loop:.2f} s"
            print(
                f"{note}, {done.cpu_per_call:.2f} ms a call, {done.measured.peak:.0f} MB", file=sys.stderr, flush=True
            )
    return ran


def _each(ran: dict[str, list[Ran]], text: Callable[[list[Ran]], str]) -> dict[str, str]:
    return {name: text(runs) for name, runs in ran.items()}


def _mid(runs: list[Ran], figure: Callable[[Ran], float]) -> float:
    return median(figure(ran) for ran in runs)


def _loop(ran: Ran) -> float:
    return ran.loop


def _exact(ran: Ran) -> bool:
    return ran.passed == true_passes(FEW) and ran.judged == FEW


def _passes(ran: Ran, cases: int) -> str:
    if ran.passed is None or ran.judged is None:
        return "run lost"
    missing = cases - ran.judged
    return f"{ran.passed} of {ran.judged}" + (f", {missing} unjudged" if missing else "")
