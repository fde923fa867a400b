"""Two runs side by side: paired statistics, the cases that changed, and one case in both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from proctor.core.attack_mask import masked_result
from proctor.core.report import Result
from proctor.report.dimensions import title_of
from proctor.report.number_format import percent
from proctor.report.release_view import FigureChange, ReleaseView, chance, interval_of, number, place_of, signed
from proctor.server.pages.page import Missing, PageRequest, Reply, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import PER_PAGE, Cell, Chip, Column, Link, State, Table, number_columns, text_columns
from proctor.server.pages.views.difference_chart import DifferenceChart, DifferenceRow
from proctor.server.pages.views.run_case import find_key, shown_result
from proctor.server.pages.views.run_cells import (
    case_address,
    outcome_chip,
    rate_cell,
    run_address,
    run_chip,
    side_address,
)
from proctor.store.comparisons import ChangeRow, ComparisonStore, KeptComparison
from proctor.store.run_reader import RunReader
from proctor.store.run_search import RunFilter, search_runs
from proctor.store.runs import RunRecord
from proctor.text.word_diff import word_diff

if TYPE_CHECKING:
    from proctor.workflows.release.side_by_side import RunPair

__all__ = ["show_case_pair", "show_pair"]

_VERDICTS: Final[dict[str, State]] = {"regression": "fail", "improvement": "pass", "no change": "info"}
_KINDS: Final[dict[str, State]] = {
    "newly failing": "fail", "no longer judged": "unscored", "worse": "fail", "newly passing": "pass",
    "judged now": "info", "better": "pass", "rewritten": "info", "missing": "unscored", "added": "info",
}  # fmt: skip
_CHANGES: Final = (
    *text_columns("Figure", "Intent"),
    *number_columns("Cases", "Before", "After", "Difference", "95 % interval", "p", "Detectable"),
    Column("Verdict"),
)
_CASES: Final = (
    *text_columns("Case", "Change", "Intent", "Before", "Now", "Figure"),
    *number_columns("Was", "Is", "Difference"),
    Column("Why", "long"),
)
_BLOCK: Final = 1000
_RUNS: Final = 100
_TURNS: Final = 40
_TEXT: Final = 20_000  # characters


def show_pair(stores: PageStores, request: PageRequest) -> Reply:
    """Show what changed from run ``a`` to run ``b``."""
    # Statistics load numpy, and the server starts without it.
    from proctor.workflows.release.side_by_side import (  # noqa: PLC0415
        is_quick,
        keep_pair,
        kept_pair,
        open_pair,
        start_pair,
    )

    after, before = request.text("b"), request.text("a")
    choices = [each.run for each in search_runs(stores.runs, RunFilter(status="finished"), limit=_RUNS)]
    if after and not before:
        before = _one_before(stores, stores.runs.find(after))
    data: dict[str, Any] = {"choices": choices, "pair": None, "problem": "", "a": before, "b": after}
    if not before or not after:
        data["problem"] = (
            "There is no earlier finished run of this suite." if after else "Choose two runs of the same cases."
        )
        return View(template="run_compare.html", title="Two runs", data=data)
    pair = open_pair(
        stores.config, stores.runs, before, after, target=request.text("target"), was_target=request.text("against")
    )
    data |= {"a": pair.before.id, "b": pair.after.id, "pair": pair, "sides": _sides(stores, pair), "kept": None}
    data["targets"] = {"target": _targets(stores, pair.after), "against": _targets(stores, pair.before)}
    kept = kept_pair(stores.config, pair)
    if kept is None and is_quick(pair):
        keep_pair(stores.config, stores.runs, pair)
        kept = kept_pair(stores.config, pair)
    if kept is None:
        start_pair(stores.config, pair)
        return View(template="run_compare.html", title="Two runs", data=data)
    if kept.problem:
        return View(template="run_compare.html", title="Two runs", data={**data, "pair": None, "problem": kept.problem})
    return _compared(stores, request, pair, kept, data)


def _compared(
    stores: PageStores, request: PageRequest, pair: RunPair, kept: KeptComparison, data: dict[str, Any]
) -> Reply:
    from proctor.release.changed_cases import CHANGE_KINDS  # noqa: PLC0415
    from proctor.workflows.release.side_by_side import view_of_pair  # noqa: PLC0415

    view = view_of_pair(kept)
    kind, intent = request.choice("kind", CHANGE_KINDS), request.text("intent")
    page = request.page
    with ComparisonStore(stores.config.store) as store:
        filters = {"kind": kind, "intent": intent, "text": request.text("q")}
        rows = store.changes(kept, **filters, limit=PER_PAGE, offset=(page - 1) * PER_PAGE)
        total = store.count(kept, **filters)
    cases = Table(
        columns=_CASES,
        rows=[_case_row(pair, each) for each in rows],
        total=total,
        page=page,
        every=lambda: (_case_row(pair, each) for each in _every(stores, kept, filters)),
        empty="No case fits these filters." if any(filters.values()) else "No case changed.",
    )
    shown = [each for each in view.shown if each.intent is None or each.verdict in ("regression", "improvement")]
    data |= {
        "kept": kept,
        "view": view,
        "kinds": [(name, kept.kinds[name], _KINDS[name]) for name in CHANGE_KINDS if kept.kinds.get(name)],
        "intents": sorted({each.intent for each in view.changes if each.intent}),
        "is_filtered": any(filters.values()),
    }
    chart = _chart(view)
    return View(
        template="run_compare.html",
        title=f"{pair.before.id} and {pair.after.id}",
        data=data,
        tables={
            "changes": Table(columns=_CHANGES, rows=[_change_row(each) for each in shown]),
            "every_change": Table(columns=_CHANGES, rows=[_change_row(each) for each in view.shown]),
            "cases": cases,
        },
        charts={"differences": chart} if chart else {},
    )


def show_case_pair(stores: PageStores, request: PageRequest) -> Reply:
    """Show one case in both runs, side by side."""
    case = request.text("case")
    if not (request.text("a") and request.text("b") and case):
        return Missing(what="name two runs and a case", hint="follow a case of two runs side by side")
    sides = []
    for name, target in (("a", request.text("against")), ("b", request.text("target"))):
        run = stores.runs.find(request.text(name))
        reader = RunReader(stores.runs, run)
        result = _result(stores, reader, request.text(f"{name}_key"), case, target)
        shown = shown_result(result, request, page=request.page, prefix=f"{name}-") if result else {}
        key = request.text(f"{name}_key") or case
        sides.append(
            {
                "name": name,
                "run": run,
                "result": result,
                "chip": outcome_chip(result.outcome, in_doubt=result.in_doubt) if result else None,
                "to": case_address(run.id, key) if result else "",
                **shown,
            }
        )
    scores = sorted({score.name for each in sides if each["result"] for score in each["result"].scores})
    back = side_address(
        a=request.text("a"), b=request.text("b"), target=request.text("target"), against=request.text("against")
    )
    results = [each["result"] for each in sides]
    data = {"case": case, "sides": sides, "scores": scores, "back": back, "differences": _differences(*results)}
    return View(template="run_case_pair.html", title=f"{case[:80]} in two runs", data=data)


def _differences(before: Result | None, after: Result | None) -> list[tuple[int, list[tuple[str, str]]]]:
    """Return the turns whose answers differ, with the words that are gone and new."""
    if before is None or after is None:
        return []
    pairs = zip(before.trajectory.turns, after.trajectory.turns, strict=False)
    texts = [(turn.answer[:_TEXT], other.answer[:_TEXT]) for turn, other in islice(pairs, _TURNS)]
    return [
        (number, [(piece.op, piece.text) for piece in word_diff(was, now)])
        for number, (was, now) in enumerate(texts, 1)
        if was != now
    ]


def _result(stores: PageStores, reader: RunReader, key: str, case: str, target: str) -> Result | None:
    if key:
        return masked_result(reader.result(find_key(stores, reader, key)))
    found = reader.find(case, target=target or None)
    return masked_result(found[0]) if found else None


def _one_before(stores: PageStores, run: RunRecord) -> str:
    """Return the finished run of the same suite before this one."""
    found = search_runs(stores.runs, RunFilter(suite=run.name, status="finished"), limit=1000)
    return next((each.run.id for each in found if each.run.n < run.n), "")


def _targets(stores: PageStores, run: RunRecord) -> tuple[str, ...]:
    return RunReader(stores.runs, run).targets()


def _sides(stores: PageStores, pair: RunPair) -> list[dict[str, Any]]:
    """Return what stands side by side about each run, and whether it differs."""
    made = []
    for run, target in ((pair.before, pair.was_target), (pair.after, pair.target)):
        report = RunReader(stores.runs, run).report()
        tally = next((each for each in report.by_target if each.name == target), None)
        made.append(
            {
                "run": run,
                "target": target,
                "to": run_address(run.id, target=target),
                "chip": run_chip(run),
                "rate": rate_cell(tally.counts if tally else report.counts),
                "counts": tally.counts if tally else report.counts,
                "models": ", ".join(run.fingerprint.models.values()) or "–",
                "trigger": run.fingerprint.trigger,
            }
        )
    return made


def _change_row(change: FigureChange) -> Sequence[Cell]:
    return (
        place_of(change),
        change.intent or "all",
        change.cases,
        number(change.before, 3),
        number(change.after, 3),
        signed(change.difference),
        interval_of(change),
        chance(change.p),
        number(change.detectable, 3),
        Chip(_VERDICTS.get(change.verdict, "unscored"), change.verdict),
    )


def _case_row(pair: RunPair, row: ChangeRow) -> Sequence[Cell]:
    both = row.key is not None and row.was_key is not None
    if both:
        query = {
            "a": pair.before.id, "b": pair.after.id, "case": row.case_id, "a_key": str(row.was_key),
            "b_key": str(row.key), "target": pair.target, "against": pair.was_target,
        }  # fmt: skip
        to = side_address(**query).replace("/compare?", "/compare/case?", 1)
    else:
        run, key = (pair.after, row.key) if row.key is not None else (pair.before, row.was_key)
        to = case_address(run.id, key if key is not None else row.case_id)
    return (
        Link(row.case_id if len(row.case_id) <= 80 else f"{row.case_id[:77]}…", to),
        Chip(_KINDS.get(row.kind, "info"), row.kind),
        row.intent,
        outcome_chip(row.was_outcome) if row.was_outcome else None,  # type: ignore[arg-type]
        outcome_chip(row.outcome) if row.outcome else None,  # type: ignore[arg-type]
        title_of(row.figure) if row.figure else None,
        number(row.was, 3) if row.was is not None else None,
        number(row.now, 3) if row.now is not None else None,
        signed(row.now - row.was) if row.was is not None and row.now is not None else None,
        f"{row.reason[:177]}…" if len(row.reason) > 180 else row.reason,
    )


def _every(stores: PageStores, kept: KeptComparison, filters: dict[str, str]) -> Iterator[ChangeRow]:
    with ComparisonStore(stores.config.store) as store:
        offset = 0
        while rows := store.changes(kept, **filters, limit=_BLOCK, offset=offset):
            yield from rows
            offset += len(rows)


def _chart(view: ReleaseView) -> DifferenceChart | None:
    rows = [
        DifferenceRow(
            label=place_of(each),
            value=each.difference,
            low=each.low,
            high=each.high,
            state=_VERDICTS.get(each.verdict, "unscored"),
            note=f"{percent(each.before)} → {percent(each.after)}" if each.dimension == "pass_rate" else "",
        )
        for each in view.changes
        if each.intent is None and each.difference is not None
    ]
    return DifferenceChart(title="Differences over all intents, with 95 % intervals", rows=rows) if rows else None
