"""The review queue of the guard: one decision at a time, right or wrong, by keyboard."""

from __future__ import annotations

from typing import Any, Final

from proctor import registry
from proctor.core.errors import InputError
from proctor.server.pages.page import PageRequest, Redirect, Reply, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Cell, Chip, Column, Link, Moment, Table
from proctor.server.pages.views.guard_decision import decision_data, decision_table, row_of_decision
from proctor.server.pages.views.guard_pieces import ACTIONS, action_chip, address
from proctor.store.review import GUARD, ReviewItem, look_up
from proctor.store.review_queue import QueueQuery, next_open, queue_count, queue_page, queue_values
from proctor.workflows.review.guard_decisions import item_or_decision, resolve_all

__all__ = ["record_review", "show_queue"]

_PER_PAGE: Final = 20
_STATES: Final = ("open", "resolved", "all")
_REASON_CHARS: Final = 140


def _query(request: PageRequest) -> QueueQuery:
    return QueueQuery(
        origin=GUARD,
        state=request.choice("state", _STATES, "open") or "open",  # type: ignore[arg-type]
        target=request.text("gate"),
        part=request.choice("action", ACTIONS),
    )


def show_queue(stores: PageStores, request: PageRequest) -> Reply:
    """Answer /guard/review: the item that waits longest, or the one that is named, and the queue below it."""
    query = _query(request)
    waiting = QueueQuery(origin=GUARD, target=query.target, part=query.part)
    name = request.text("item")
    item = item_or_decision(stores.config, stores.runs, name) if name else (
        next_open(stores.runs, waiting, after=request.text("after"))
    )  # fmt: skip
    if item is not None and item.origin != GUARD:
        raise InputError(f"{item.id} is no decision of the guard", hint="`proctor review show` shows it")
    data: dict[str, Any] = {
        "item": item, "query": query, "states": _STATES, "actions": ACTIONS, "now_tab": "review",
        "waiting": queue_count(stores.runs, QueueQuery(origin=GUARD)), "chosen": queue_count(stores.runs, waiting),
        "values": queue_values(stores.runs, query), "may_review": request.visitor.may("auditor"), "event": "",
    }  # fmt: skip
    tables = {"queue": _queue(stores, request, query)}
    if item is not None:
        data |= _shown(stores, request, item, waiting)
        if data["event"]:
            tables["parts"] = decision_table(data.pop("row"))
    return View(template="guard_review.html", title="Review", data=data, tables=tables)


def _shown(stores: PageStores, request: PageRequest, item: ReviewItem, waiting: QueueQuery) -> dict[str, Any]:
    row = row_of_decision(stores, item.case_id)
    after = next_open(stores.runs, waiting, after=item.id)
    before = next_open(stores.runs, waiting, after=item.id, back=True)
    keep = {"gate": waiting.target, "action": waiting.part}
    data: dict[str, Any] = {
        "next_to": address("/guard/review", item=after.id, **keep) if after else "",
        "before_to": address("/guard/review", item=before.id, **keep) if before else "",
        "seen": item.resolved.isoformat() if item.resolved else "",
        "note": item.note, "missed": item.missed,
    }  # fmt: skip
    if row is None:
        return data
    known = decision_data(stores, row)
    others = sorted(set(registry.names("gates")) - set(known["looked"]))
    return data | known | {"row": row, "missed_gates": [*known["looked"], *others]}


def _queue(stores: PageStores, request: PageRequest, query: QueueQuery) -> Table:
    found = queue_page(stores.runs, query, limit=_PER_PAGE, offset=(request.page - 1) * _PER_PAGE)
    total = queue_count(stores.runs, query)
    names = ["Decision", "Queued", "Gate", "Point", "Action", "Reason", "Review"]
    return Table(
        columns=[Column(name, "long" if name == "Reason" else "text") for name in names],
        rows=[_row(request, item) for item in found],
        total=total,
        page=request.page,
        per_page=_PER_PAGE,
        every=lambda: (_row(request, item) for item in queue_page(stores.runs, query, limit=max(1, total))),
        empty="Nothing waits for review. The guard adds steps that it hands over, that it is not sure of, and a sample"
        " of what it lets pass (`guard: {sample: …}`)." if query.state == "open" else "No decision was reviewed yet.",
        caption="The queue, the oldest first" if query.state == "open" else "The queue, the newest first",
    )  # fmt: skip


def _row(request: PageRequest, item: ReviewItem) -> list[Cell]:
    reason = item.reason if len(item.reason) <= _REASON_CHARS else f"{item.reason[: _REASON_CHARS - 1]}…"
    review: Cell = None
    if item.verdict:
        review = Chip("pass" if item.verdict == "right" else "fail", f"{item.verdict}, {item.person}")
    return [
        Link(item.case_id[:12], request.link(item=item.id, after=None)),
        Moment(item.opened.timestamp()) if item.opened else None,
        item.target or None,
        item.dimension or None,
        action_chip(item.part),
        reason or None,
        review,
    ]


def record_review(stores: PageStores, request: PageRequest) -> Reply:
    """Record what a person says of a decision, and go on to the next."""
    name = request.text("item")
    verdict = request.choice("verdict", ("right", "wrong"))
    if not name or not verdict:
        raise InputError("nothing was said of a decision", hint="choose right or wrong")
    keep = {"gate": request.text("gate"), "action": request.choice("action", ACTIONS)}
    known = look_up(stores.runs, name)
    if known is not None and known.resolved and known.resolved.isoformat() != request.text("seen"):
        return Redirect(
            to=address("/guard/review", item=name, **keep),
            said=f"{known.person} has reviewed it meanwhile: {known.verdict}. Say it again to replace that.",
        )
    missed = request.text("missed") if verdict == "wrong" else ""
    (done,) = resolve_all(
        stores.config, stores.runs, [name], verdict=verdict, person=request.visitor.name,  # type: ignore[arg-type]
        note=request.text("note"), missed=missed,
    )  # fmt: skip
    said = f"{done.case_id[:12]}: {done.verdict}{f', {missed} missed it' if missed else ''}."
    if request.text("back") == "event":
        return Redirect(to=address("/guard", event=done.case_id), said=said)
    return Redirect(to=address("/guard/review", after=done.id, **keep), said=said)
