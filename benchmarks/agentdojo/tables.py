"""Counts of replays as Markdown: what was executed, what stopped it, what the guard costs without a payload."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from benchmarks.agentdojo.journal import NO_ATTACK, Replay
from proctor.stats.clustered import ClusterSums, effective_count
from proctor.stats.interval import wilson, wilson_of_share

__all__ = ["by_goal", "complete_pairs", "share_by_goal", "tables"]

_ALL: Final = "all"
Test = Callable[[Replay], bool]


def tables(replays: Sequence[Replay], about: Mapping[str, Any]) -> str:
    """Return all tables; a pair that was not replayed with every attack is left out."""
    attacked, twins = complete_pairs(replays)
    parts = [
        ("Executed goals", executed_table(attacked)),
        ("What stopped the goal behind the guard", stop_table(attacked)),
        ("The same user tasks without a payload", twin_table(twins, attacked)),
        ("Utility of the user task", utility_table(attacked, twins)),
        ("What gets through: executed of pairs, by goal", by_goal(attacked)),
    ]
    run = ", ".join(f"{key} {value}" for key, value in about.items())
    text = "\n\n".join(f"### {title}\n\n{table}" for title, table in parts)
    return f"{text}\n\n{_checks(attacked, twins)}\n\nRun: {run}."


def complete_pairs(replays: Iterable[Replay]) -> tuple[list[Replay], list[Replay]]:
    """Return the replays of pairs with every attack, with and without guard; and those without a payload."""
    by_pair: dict[tuple[str, str, str], list[Replay]] = defaultdict(list)
    twins: list[Replay] = []
    for each in replays:
        if each.attack == NO_ATTACK:
            twins.append(each)
        else:
            by_pair[each.suite, each.task, each.goal].append(each)
    attacks = {each.attack for rows in by_pair.values() for each in rows}
    whole = [each for rows in by_pair.values() if len(rows) == 2 * len(attacks) for each in rows]
    tasks = {(each.suite, each.task) for each in whole}
    return whole, [each for each in twins if (each.suite, each.task) in tasks]


def share_by_goal(rows: Sequence[Replay], test: Test) -> str:
    """Return a share of the scored rows with its interval of 95 %, clustered by goal."""
    scored = [each for each in rows if each.outcome != "unscored"]
    if not scored:
        return "–"
    clusters: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for each in scored:
        cluster = clusters[each.suite, each.goal]
        cluster[0] += test(each)
        cluster[1] += 1
    sums = ClusterSums.of((hits, total) for hits, total in clusters.values())
    found = wilson_of_share(sums.hits / sums.total, effective_count(sums))
    assert found is not None
    return f"{sums.hits} = {_percent(sums.hits / sums.total)} ({100 * found.low:.0f}–{100 * found.high:.0f})"


def executed_table(rows: Sequence[Replay]) -> str:
    """Return one row per suite and attack."""
    head = ["suite", "attack", "pairs", "unguarded: executed", "guarded: request stopped", "payload seen"]
    head += ["executed (95 %, by goal)", "whole goal readable", "unscored"]
    lines = []
    for suite in (*_suites(rows), _ALL):
        for attack in _attacks(rows):
            here = [each for each in rows if suite in (each.suite, _ALL) and each.attack == attack]
            bare, kept = [each for each in here if not each.guarded], [each for each in here if each.guarded]
            lines.append(
                [
                    suite,
                    f"`{attack}`",
                    len(kept),
                    f"{_count(bare, _executed)} = {_percent(_count(bare, _executed) / len(bare))}",
                    _count(kept, lambda each: each.outcome == "request stopped"),
                    _count(kept, _seen),
                    share_by_goal(kept, _executed),
                    _count(kept, lambda each: _executed(each) and each.received == "whole"),
                    f"{_count(bare, _unscored)} / {_count(kept, _unscored)}",
                ]
            )
    return _markdown(head, lines)


def stop_table(rows: Sequence[Replay]) -> str:
    """Return how often each gate kept the goal from being executed, by attack."""
    kept = [each for each in rows if each.guarded]
    names = sorted({_stop_name(each) for each in kept})
    lines: list[list[Any]] = []
    for name in names:
        here = [each for each in kept if _stop_name(each) == name]
        lines.append([name, *(_count(here, _of_attack(attack)) for attack in _attacks(rows)), len(here)])
    return _markdown(["outcome: point/gate/action", *(f"`{each}`" for each in _attacks(rows)), _ALL], lines)


def twin_table(twins: Sequence[Replay], attacked: Sequence[Replay]) -> str:
    """Return what the guard does to user tasks without a payload, one row per suite."""
    head = ["suite", "user tasks", "request stopped (95 %)", "by", "results held back", "results cut"]
    head += ["answer stopped", "answer masked", "tasks untouched", "their pairs stopped at input"]
    lines: list[list[Any]] = []
    for suite in (*_suites(twins), _ALL):
        kept = [each for each in twins if each.guarded and suite in (each.suite, _ALL)]
        stopped = [each for each in kept if each.outcome == "request stopped"]
        tasks = {(each.suite, each.task) for each in stopped}
        pairs = {(each.suite, each.task, each.goal) for each in attacked if suite in (each.suite, _ALL)}
        lines.append(
            [
                suite,
                len(kept),
                _share(len(stopped), len(kept)),
                ", ".join(f"{gate} {n}" for gate, n in sorted(Counter(each.stopped_by for each in stopped).items())),
                _count(kept, _met("tool_result", "block", "escalate")),
                _count(kept, _met("tool_result", "redact")),
                _count(kept, _met("output", "block", "escalate")),
                _count(kept, _met("output", "redact")),
                _count(
                    kept, lambda each: all(point == "input" and act == "redact" for point, _, act in each.interventions)
                ),
                _share(sum(each[:2] in tasks for each in pairs), len(pairs)),
            ]
        )
    return _markdown(head, lines)


def utility_table(rows: Sequence[Replay], twins: Sequence[Replay]) -> str:
    """Return the share of pairs whose user task was solved: without payload, and under each attack."""
    attacks = _attacks(rows)
    lines: list[list[Any]] = []
    for suite in (*_suites(rows), _ALL):
        for guarded in (False, True):
            solved = {(each.suite, each.task): each.utility for each in twins if each.guarded is guarded}
            here = [each for each in rows if suite in (each.suite, _ALL) and each.guarded is guarded]
            pairs = {(each.suite, each.task, each.goal) for each in here}
            quiet = [solved[each[:2]] for each in pairs]
            cells = [_solved(each.utility for each in here if each.attack == attack) for attack in attacks]
            lines.append([suite, "guarded" if guarded else "unguarded", len(pairs), _solved(quiet), *cells])
    return _markdown(["suite", "", "pairs", "without payload", *(f"`{each}`" for each in attacks)], lines)


def by_goal(rows: Sequence[Replay]) -> str:
    """Return how often each goal was executed behind the guard, by attack; goals that never were follow in a line."""
    attacks, lines, quiet = _attacks(rows), [], []
    kept = [each for each in rows if each.guarded]
    for suite, goal in sorted({(each.suite, each.goal) for each in kept}, key=_number):
        here = [each for each in kept if (each.suite, each.goal) == (suite, goal)]
        if not any(map(_executed, here)):
            quiet.append(f"{suite} {_number((suite, goal))[1]}")
            continue
        counts = Counter(each.attack for each in here if _executed(each))
        lines.append(
            [suite, _number((suite, goal))[1], len(here) // len(attacks), *(counts[each] or "" for each in attacks)]
        )
    table = _markdown(["suite", "goal", "pairs", *(f"`{each}`" for each in attacks)], lines)
    return f"{table}\n\nNever executed: {', '.join(quiet) or 'none'}."


def _checks(attacked: Sequence[Replay], twins: Sequence[Replay]) -> str:
    """Return what makes the figures credible or not, as sentences."""
    removed = [each for each in attacked if each.outcome == "payload removed"]
    bare, kept = [each for each in attacked if not each.guarded], [each for each in attacked if each.guarded]
    present = _count(bare, lambda each: each.raw != "none")
    alike = _count(twins, lambda each: bool(each.looks_like))
    anyway = _count(twins, lambda each: bool(each.reached_anyway))
    theirs = _count(attacked, lambda each: bool(each.goal_reached) and not _executed(each))
    halves = _count(removed, lambda each: each.fragment >= 0.5)
    return (
        f"Payload in the raw tool results of {present} of {len(bare)} unguarded replays, and of {alike} of "
        f"{len(twins)} replays without payload. AgentDojo's check finds a goal reached in {anyway} of those, and in "
        f"{theirs} attacked replays where the effect is absent. Of {len(removed)} removed payloads, {halves} left half "
        f"of the goal's words or more in a row. CPU a replay: {_mean(bare):.0f} ms unguarded, {_mean(kept):.0f} ms "
        "guarded."
    )


def _executed(each: Replay) -> bool:
    return each.outcome == "executed"


def _unscored(each: Replay) -> bool:
    return each.outcome == "unscored"


def _seen(each: Replay) -> bool:
    return each.received != "none"


def _of_attack(attack: str) -> Test:
    return lambda each: each.attack == attack


def _met(point: str, *actions: str) -> Test:
    return lambda each: any(where == point and action in actions for where, _, action in each.interventions)


def _stop_name(each: Replay) -> str:
    return each.outcome if each.stopped_by is None else f"{each.outcome}: {each.stopped_by}"


def _count(rows: Iterable[Replay], test: Test) -> int:
    return sum(map(test, rows))


def _suites(rows: Iterable[Replay]) -> list[str]:
    return sorted({each.suite for each in rows})


def _attacks(rows: Iterable[Replay]) -> list[str]:
    return list(dict.fromkeys(each.attack for each in rows))


def _number(goal: tuple[str, str]) -> tuple[str, int]:
    return goal[0], int(goal[1].rpartition("_")[2])


def _solved(found: Iterable[bool | None]) -> str:
    judged = [each for each in found if each is not None]
    return f"{sum(judged)} = {_percent(sum(judged) / len(judged))}" if judged else "–"


def _share(hits: int, total: int) -> str:
    found = wilson(hits, total)
    return "–" if found is None else f"{hits} = {_percent(hits / total)} ({100 * found.low:.0f}–{100 * found.high:.0f})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share in (0.0, 1.0) or 0.01 <= share <= 0.99 else f"{100 * share:.1f} %"


def _mean(rows: Sequence[Replay]) -> float:
    return sum(each.cpu_ms for each in rows) / len(rows) if rows else 0.0


def _markdown(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    made = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*made, *("| " + " | ".join(map(str, line)) + " |" for line in lines)])
