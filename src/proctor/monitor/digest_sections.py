"""Build the sections of a digest from the counts of a period and of the one before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from proctor.core.digest import DigestExample, DigestFigure, DigestSection, FigureTable
from proctor.core.handoff import EscalationCauses
from proctor.core.share import Share
from proctor.core.task import IntentCompletion, Task, TaskCompletion
from proctor.monitor.digest_figures import Better, mean_figure, quantile_figure, share_figure, total_figure
from proctor.monitor.period_figures import GateCounts, ModelSpend, PeriodFigures, ScoreCounts
from proctor.monitor.rating_figures import RatingFigures, ResolutionCounts
from proctor.stats.two_samples import Moments

__all__ = [
    "completion_section",
    "escalation_section",
    "gate_section",
    "rating_section",
    "score_section",
    "spend_section",
    "volume_section",
]

_MAX_ROWS = 30
_MAX_EXAMPLES = 5
_NO_TASKS = Share()


def completion_section(now: TaskCompletion, before: TaskCompletion) -> DigestSection:
    """Return repeat contact and completion by intent, the primary figure first."""
    title = "Task completion by intent"
    if not now.total.tasks:
        return DigestSection(name="completion", title=title, missing="no task was settled in this period")
    rows, earlier = list(_rows(now)), {row.intent: row for row in _rows(before)}

    def table(name: str, field: str, better: Better, hint: str) -> FigureTable:
        found = [
            share_figure(row.intent, _share(row, field), _share(earlier.get(row.intent), field), better) for row in rows
        ]
        return FigureTable(title=name, figures=tuple(found), hint=hint)

    unknown = now.total.unknown
    notes = (
        [f"{unknown:,} tasks have no signal or rule that settles them; they are not part of completion"]
        if unknown
        else []
    )
    return DigestSection(
        name="completion",
        title=title,
        tables=(
            table(
                f"Repeat contact within {now.repeat_within}",
                "repeats",
                "lower",
                "The primary figure: the same customer came again about the same topic.",
            ),
            table("Completion", "completion", "higher", "Tasks whose outcome is known."),
        ),
        examples=tuple(_failure(task) for task in _spread(now.failures)),
        notes=tuple(notes),
    )


def escalation_section(now: EscalationCauses, before: EscalationCauses) -> DigestSection:
    """Return hand-offs by cause; two of the causes count against the agent."""
    title = "Escalations by cause"
    if not now.conversations:
        return DigestSection(name="escalations", title=title, missing="no conversation ended in this period")
    counts = {row.category: row.count for row in before.rows}
    total, total_before = now.handoffs.hits, before.handoffs.hits
    causes = [
        share_figure(
            f"{row.category}{' (against the agent)' if row.against else ''}",
            (row.count, total),
            (counts.get(row.category, 0), total_before),
            "lower" if row.against else None,
        )
        for row in now.rows
    ]
    rates = (
        share_figure("conversations handed over", now.handoffs, before.handoffs, None),
        share_figure("of these against the agent", now.against, before.against, "lower"),
    )
    gaps = tuple(
        DigestExample(
            what=f"knowledge gap, asked {gap.count:,} times",
            where=", ".join(gap.conversations[:3]),
            detail=gap.question,
        )
        for gap in now.gaps[:_MAX_EXAMPLES]
    )
    return DigestSection(
        name="escalations",
        title=title,
        tables=(
            FigureTable(title="Hand-offs", figures=rates, hint="The aim is to reduce the second, not the first."),
            *([FigureTable(title="By cause", figures=tuple(causes), hint="of all hand-offs")] if total else []),
        ),
        examples=gaps,
        notes=now.notes,
    )


def rating_section(now: RatingFigures, before: RatingFigures) -> DigestSection:
    """Return ratings against automated resolution, and the conversations in which they disagree."""
    title, name = "Satisfaction against automated resolution", "ratings"
    one, other = now.total, before.total
    if not one.judged and not one.ratings.count:
        return DigestSection(name=name, title=title, missing="no task has an outcome or a rating")
    rated, rated_before = one.rated(True) + one.rated(False), other.rated(True) + other.rated(False)
    figures = [
        share_figure(
            "resolved by the agent alone", (one.resolved, one.judged), (other.resolved, other.judged), "higher"
        ),
        mean_figure("rating from 1 to 5", one.ratings, other.ratings, "rating", "higher"),
        share_figure("rated 4 or 5", (one.good, one.ratings.count), (other.good, other.ratings.count), "higher"),
    ]
    apart = [
        share_figure("rating and outcome disagree", (one.apart, rated), (other.apart, rated_before), "lower"),
        share_figure(
            "rated 4 or 5 among those not resolved",
            (one.cells["good", False], one.rated(False)),
            (other.cells["good", False], other.rated(False)),
            None,
        ),
        share_figure(
            "rated 1 or 2 among those resolved",
            (one.cells["poor", True], one.rated(True)),
            (other.cells["poor", True], other.rated(True)),
            None,
        ),
    ]
    tables = [
        FigureTable(
            title="Overall", figures=tuple(figures), hint="resolved: completed, not handed over, no repeat contact"
        ),
        *([FigureTable(title="Where they disagree", figures=tuple(apart))] if rated else []),
        *_by_intent(now.intents, before.intents),
    ]
    examples = [_rated(task, "rated well, not resolved") for task in now.pleased]
    examples += [_rated(task, "resolved, rated poorly") for task in now.displeased]
    notes = [] if one.ratings.count else ["no rating belongs to a task that was settled in this period"]
    return DigestSection(name=name, title=title, tables=tuple(tables), examples=tuple(examples), notes=tuple(notes))


def gate_section(now: GateCounts, before: GateCounts, *, turns: tuple[int, int], source: str) -> DigestSection:
    """Return how often gates acted, by gate and by finding."""
    title = "Gate activity"
    if not now.decisions:
        return DigestSection(name="gates", title=title, missing=f"no decision of a gate in {source}")
    # Some senders log only what a gate stopped; then the share is of turns.
    is_of_turns = not now.allowed and turns[0] >= now.decisions
    of = turns if is_of_turns else (now.decisions, before.decisions)

    def share(name: str, hits: int, hits_before: int) -> DigestFigure:
        return share_figure(name, (hits, of[0]), (min(hits_before, of[1]), of[1]), None)

    acted = sorted(now.acted.items(), key=lambda each: (-each[1].total(), each[0]))
    gates = [share(name, counts.total(), _acted(before, name)) for name, counts in acted[:_MAX_ROWS]]
    kinds = [share(kind, min(n, of[0]), before.findings[kind]) for kind, n in now.findings.most_common(_MAX_ROWS)]
    what = "turns" if is_of_turns else "decisions"
    broken = share_figure(
        "a gate failed or timed out", (now.broken, now.decisions), (before.broken, before.decisions), "lower"
    )
    return DigestSection(
        name="gates",
        title=title,
        tables=(
            FigureTable(
                title="All gates",
                figures=(
                    share("stopped or handed over", now.stopped, before.stopped),
                    share("masked", now.redacted, before.redacted),
                    broken,
                ),
                hint=f"of {what}; from {source}",
            ),
            *([FigureTable(title="By gate", figures=tuple(gates), hint=f"acted, of {what}")] if gates else []),
            *([FigureTable(title="By finding", figures=tuple(kinds), hint=f"of {what}")] if kinds else []),
        ),
    )


def score_section(
    now: Mapping[str, ScoreCounts], before: Mapping[str, ScoreCounts], notes: Iterable[str] = ()
) -> DigestSection:
    """Return the mean of each score that production was given."""
    title = "Scores of production"
    if not now:
        why = "no score event in this period (`proctor watch` and `proctor serve` score samples)"
        return DigestSection(name="scores", title=title, missing=why)
    none = ScoreCounts()
    names = sorted(now)[:_MAX_ROWS]
    means = [mean_figure(name, now[name].values, before.get(name, none).values, "score", "higher") for name in names]
    failed = [
        share_figure(
            name,
            (now[name].failed, now[name].judged),
            (before.get(name, none).failed, before.get(name, none).judged),
            "lower",
        )
        for name in names
        if now[name].judged
    ]
    return DigestSection(
        name="scores",
        title=title,
        tables=(
            FigureTable(title="Means", figures=tuple(means), hint="0 to 1, higher is better"),
            *([FigureTable(title="Failed", figures=tuple(failed))] if failed else []),
        ),
        notes=tuple(notes),
    )


def spend_section(
    now: PeriodFigures, before: PeriodFigures, *, own: tuple[float | None, float | None]
) -> DigestSection:
    """Return the cost of production's turns by model; ``own`` is what Proctor's runs cost in both periods."""
    title = "Spend"
    tables = []
    if now.cost.count:
        tables.append(
            FigureTable(
                title="Production",
                figures=(
                    _total("total", now.cost, before.cost),
                    mean_figure("per turn", now.cost, before.cost, "money", "lower"),
                    mean_figure("per conversation", now.talk_cost, before.talk_cost, "money", "lower"),
                ),
                hint="as far as turns carry their cost",
            )
        )
        if len(priced := {name: spend for name, spend in now.models.items() if spend.cost.count}) > 1:
            models = sorted(priced, key=lambda name: -priced[name].cost.total)[:_MAX_ROWS]
            none = ModelSpend()
            rows = [_total(name, priced[name].cost, before.models.get(name, none).cost) for name in models]
            tables.append(FigureTable(title="By model", figures=tuple(rows)))
    if own[0] is not None:
        tables.append(
            FigureTable(title="Proctor's own runs", figures=(total_figure("total", own[0], own[1], "money"),))
        )
    if not tables:
        return DigestSection(name="spend", title=title, missing="no turn carries a cost, and no run was made")
    notes = [f"{now.unpriced:,} of {now.turns:,} turns carry no cost"] if now.unpriced and now.cost.count else []
    return DigestSection(name="spend", title=title, tables=tuple(tables), notes=tuple(notes))


def volume_section(now: PeriodFigures, before: PeriodFigures) -> DigestSection:
    """Return how much happened, errors and latency."""
    title = "Volume, errors and latency"
    if not now.events:
        return DigestSection(name="volume", title=title, missing="no event in this period")
    volume = (
        total_figure("turns", now.turns, before.turns if before.events else None),
        total_figure("conversations", now.conversations, before.conversations if before.events else None),
        share_figure("turns with an error", (now.errors, now.turns), (before.errors, before.turns), "lower"),
    )
    timed = (
        (
            quantile_figure("p50", now.latency, before.latency, 0.5),
            quantile_figure("p95", now.latency, before.latency, 0.95),
        )
        if now.latency.count
        else ()
    )
    return DigestSection(
        name="volume",
        title=title,
        tables=(
            FigureTable(title="Volume", figures=volume),
            *([FigureTable(title="Latency of a turn", figures=timed)] if timed else []),
        ),
    )


def _rows(table: TaskCompletion) -> Iterator[IntentCompletion]:
    """Yield the row over all intents, then those of the intents."""
    yield table.total
    if len(table.rows) > 1:
        yield from table.rows[:_MAX_ROWS]


def _share(row: IntentCompletion | None, field: str) -> Share:
    found: Share = _NO_TASKS if row is None else getattr(row, field)
    return found


def _spread(tasks: Iterable[Task]) -> list[Task]:
    """Return a few tasks, of as many intents as possible."""
    seen: Counter[str] = Counter()
    placed: list[tuple[int, int, Task]] = []
    for task in tasks:
        placed.append((seen[task.intent], len(placed), task))
        seen[task.intent] += 1
    return [task for _, _, task in sorted(placed, key=lambda each: each[:2])[:_MAX_EXAMPLES]]


def _by_intent(now: Mapping[str, ResolutionCounts], before: Mapping[str, ResolutionCounts]) -> Iterator[FigureTable]:
    none = ResolutionCounts()
    names = sorted(now, key=lambda name: (-now[name].judged, name))[:_MAX_ROWS]
    if len(names) < 2:
        return
    resolved = [
        share_figure(
            name,
            (now[name].resolved, now[name].judged),
            (before.get(name, none).resolved, before.get(name, none).judged),
            "higher",
        )
        for name in names
        if now[name].judged
    ]
    yield FigureTable(title="Resolved by the agent alone", figures=tuple(resolved))
    rated = [
        mean_figure(name, now[name].ratings, before.get(name, none).ratings, "rating", "higher")
        for name in names
        if now[name].ratings.count
    ]
    if rated:
        yield FigureTable(title="Rating from 1 to 5", figures=tuple(rated))


def _failure(task: Task) -> DigestExample:
    return DigestExample(what=task.reason, where=task.session or "", intent=task.intent, detail=task.question)


def _rated(task: Task, what: str) -> DigestExample:
    rating = "" if task.csat is None else f"{1 + 4 * task.csat:g} of 5: "
    again = f"; {task.repeat}" if task.repeated and task.repeat not in task.reason else ""
    handed = "; handed over" if task.escalated else ""
    return DigestExample(
        what=f"{rating}{what}", where=task.session or "", intent=task.intent, detail=f"{task.reason}{again}{handed}"
    )


def _acted(counts: GateCounts, name: str) -> int:
    return counts.acted[name].total() if name in counts.acted else 0


def _total(name: str, now: Moments, before: Moments) -> DigestFigure:
    earlier = before.total if before.count else None
    return total_figure(name, now.total, earlier, "money", counts=(now.count, before.count))
