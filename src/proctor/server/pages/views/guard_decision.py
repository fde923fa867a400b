"""One decision of the guard: the step, what each gate said, and where it leads: alert, attack, regression case."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from proctor.core.codec import encode
from proctor.core.errors import NotFoundError, ProctorError
from proctor.server.pages.page import Missing, PageRequest, Redirect, Reply, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Cell, Column, Table, text_columns
from proctor.server.pages.views.guard_pieces import action_chip, address, marked
from proctor.store.guard_log_reader import find_row
from proctor.workflows.monitor.gate_alerts import alerts_about, gate_signals
from proctor.workflows.promote.guard_decisions import promote_decisions
from proctor.workflows.promote.promoted_cases import decision_case_id, promoted_cases
from proctor.workflows.promote.regression_suite import REGRESSIONS, regression_suite
from proctor.workflows.redteam.stopped_attacks import stopped_attacks
from proctor.workflows.review.guard_decisions import item_or_decision

__all__ = ["decision_data", "decision_table", "promote", "row_of_decision", "show_decision"]

_SHOWN_CHARS: Final = 20_000
_LET_PASS: Final = ("allow", "redact")


def row_of_decision(stores: PageStores, name: str) -> dict[str, Any] | None:
    """Return a decision by its id or the beginning of it; the index is asked first, then the whole log."""
    stores.guard.catch_up(seconds=0.05)
    if (place := stores.guard.find(name)) is not None and (rows := stores.guard.rows([place])):
        return rows[0]
    row = find_row(stores.guard.folder, name)
    return row if row is not None and row.get("kind") == "gate" else None


def show_decision(stores: PageStores, request: PageRequest, name: str) -> Reply:
    """Answer /guard?event=ID; with ``session`` also a decision that an agent elsewhere has reported."""
    row = row_of_decision(stores, name)
    is_logged = row is not None
    if row is None:
        row = _reported(stores, name, request.text("session"))
    if row is None:
        return Missing(what=f"There is no decision {name[:40]!r} in the guard's log.", hint="It may have been erased.")
    item = item_or_decision(stores.config, stores.runs, str(row["id"])) if is_logged else None
    return View(
        template="guard_decision.html",
        title=f"Decision {str(row['id'])[:12]}",
        data={**decision_data(stores, row), "item": item, "now_tab": "decisions", "waiting": None,
              "may_review": request.visitor.may("auditor")},
        tables={"parts": decision_table(row)},
    )  # fmt: skip


def _reported(stores: PageStores, name: str, session: str) -> dict[str, Any] | None:
    """Return a decision that came as an event of a conversation, as a row of the guard's log."""
    events = stores.history.conversation_events(session) if session else []
    event = next((each for each in events if each.id == name and each.kind == "gate"), None)
    return None if event is None or event.verdict is None else dict(encode(event))


def decision_data(stores: PageStores, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a template shows of a decision: facts, the marked text, and the links from it."""
    told: Mapping[str, Any] = row.get("verdict") or {}
    shadow = told.get("shadow")
    verdict: Mapping[str, Any] = shadow if isinstance(shadow, Mapping) else told
    metadata = row.get("metadata") or {}
    parts = metadata.get("parts", ())
    found = [each for part in parts for each in part.get("findings") or ()]
    text = metadata.get("text")
    call = metadata.get("call") or {}
    gate = str(verdict.get("by") or told.get("by") or "")
    gone_on = told.get("text")
    return {
        "event": str(row["id"]),
        "time": datetime.fromisoformat(row["time"]),
        "session": str(row.get("session") or ""),
        "is_reported": "metadata" not in row or "parts" not in metadata,
        "intent": str(row.get("intent") or ""),
        "point": str(row.get("name") or ""),
        "gate": gate,
        "action": action_chip(str(verdict.get("action") or ""), shadow=verdict is shadow),
        "let_pass": verdict.get("action") in _LET_PASS,
        "reason": str(verdict.get("reason") or ""),
        "latency": told.get("latency"),
        "is_broken": bool(verdict.get("broken")),
        "drawn": "not sure" if row.get("borderline") else "a sample" if row.get("sampled") else "",
        "text": marked(text[:_SHOWN_CHARS], (str(each.get("text") or "") for each in found))
        if isinstance(text, str) and text else [],
        "words": str(metadata.get("words") or ""),
        "tool": str(metadata.get("tool") or call.get("name") or ""),
        "arguments": json.dumps(call["arguments"], ensure_ascii=False, indent=1)[:_SHOWN_CHARS]
        if call.get("arguments") else "",
        "gone_on": gone_on if isinstance(gone_on, str) and gone_on != text else "",
        "looked": [str(part.get("gate")) for part in parts if part.get("gate")],
        **_links(stores, row, gate, [str(each.get("kind") or "") for each in found]),
    }  # fmt: skip


def _links(stores: PageStores, row: Mapping[str, Any], gate: str, kinds: list[str]) -> dict[str, Any]:
    session = str(row.get("session") or "")
    time = datetime.fromisoformat(row["time"]).timestamp()
    try:
        alerts = alerts_about(
            stores.config, stores.alerts, gate_signals([gate], kinds), time=time, session=session or None
        )
    except ProctorError:  # a wrong rule is told on the page of alerts
        alerts = []
    attacks = stopped_attacks(stores.config, stores.runs, gate, str(row.get("name") or "")) if gate else []
    return {
        "is_known": bool(session) and stores.history.indexer.conversations.get(session) is not None,
        "alerts": alerts,
        "attacks": attacks,
        "cases": promoted_cases(stores.config, stores.runs, [decision_case_id(str(row["id"]))]),
        "can_promote": row.get("name") == "input" and bool((row.get("metadata") or {}).get("text")),
        "case_file": str(REGRESSIONS),
    }


def decision_table(row: Mapping[str, Any]) -> Table:
    """Return what each gate said."""
    parts = (row.get("metadata") or {}).get("parts", ())
    return Table(
        columns=[
            *text_columns("Gate", "Action"),
            Column("ms", "number"),
            Column("Found", "long"),
            Column("Reason", "long"),
        ],
        rows=[_part(part) for part in parts],
        empty="The log does not say which gates looked at it.",
        caption="What each gate said",
    )  # fmt: skip


def _part(part: Mapping[str, Any]) -> list[Cell]:
    marks = "".join(f", {mark}" for mark in ("broken", "shadow", "borderline") if part.get(mark))
    latency = part.get("latency")
    return [
        f"{part.get('gate', '')}{marks}",
        action_chip(str(part.get("action") or "")),
        round(1000 * latency, 2) if isinstance(latency, (int, float)) else None,
        "; ".join(_finding(each) for each in part.get("findings") or ()) or None,
        str(part.get("reason") or "") or None,
    ]


def _finding(found: Mapping[str, Any]) -> str:
    sure = found.get("confidence")
    score = f" {sure:.2f}" if isinstance(sure, (int, float)) else ""
    quoted = f" “{found['text']}”" if found.get("text") else ""
    return f"{found.get('kind', '')}{score}{quoted}"


def promote(stores: PageStores, request: PageRequest) -> Reply:
    """Make a regression case of a decision."""
    event = request.text("event")
    expected = request.choice("expected", ("stopped", "allowed"))
    if not event:
        raise NotFoundError("no decision is named")
    made = promote_decisions(
        stores.config,
        [event],
        regression_suite(stores.config),
        expected=expected or None,  # type: ignore[arg-type]
    )
    if made.added:
        said = f"Added {made.added[0]} to {REGRESSIONS}: {made.judged.get(made.added[0], '')}."
    else:
        said = f"{', '.join(made.known)} in {REGRESSIONS} asks the same; nothing was added."
    return Redirect(to=address("/guard", event=event), said=said)
