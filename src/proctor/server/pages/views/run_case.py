"""One result: the conversation with what each score quotes marked in it, and every score with its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from proctor.core.attack import ATTACK
from proctor.core.attack_mask import is_held_out, masked_result
from proctor.core.case import Case
from proctor.core.codec import dumps
from proctor.core.errors import NotFoundError
from proctor.core.report import Result
from proctor.report.evidence_marks import EvidenceMarks, quotations
from proctor.report.failure_causes import causes
from proctor.server.pages.page import Download, PageRequest, Reply, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.views.marked_turns import TURNS_PER_PAGE, MarkedTurn, marked_turns, page_of_turn
from proctor.server.pages.views.run_cells import case_address, outcome_chip, run_address
from proctor.server.pages.views.score_rows import ScoreRow, score_rows
from proctor.store.result_search import FoundResult, ResultFilter, neighbours, search_results
from proctor.store.run_reader import RunReader

__all__ = ["case_origins", "find_key", "show_case", "shown_result"]

_SIBLINGS: Final = 100
_KEYS: Final = 2**63
_CAUSE: Final = 400  # characters
_EXPECTED: Final = ("reference", "facts", "products", "forbidden", "tool_calls", "intents", "sources", "escalation")


def show_case(stores: PageStores, request: PageRequest) -> Reply:
    """Show one result, by its key or by the id of its case."""
    run = stores.runs.find(request.path["id"])
    reader = RunReader(stores.runs, run)
    key = find_key(stores, reader, request.path["key"])
    whole = reader.result(key)
    result = masked_result(whole)
    if request.text("file") == "json":
        name = f"{run.id}-{result.case.id[:60]}.json"
        return Download(name=name, media="application/json", body=dumps(result) + b"\n")
    outcome = request.choice("outcome", ("pass", "doubt", "fail", "unscored"))
    siblings = search_results(stores.runs, run, ResultFilter(case=whole.case.id), limit=_SIBLINGS)
    here = next((each for each in siblings if each.key == key), None)
    beside = neighbours(stores.runs, run, here.seq, outcome=outcome) if here else None
    page = request.page
    data: dict[str, Any] = {
        "run": run,
        "key": key,
        "result": result,
        "chip": outcome_chip(result.outcome, in_doubt=result.in_doubt),
        "is_held_out": is_held_out(whole),
        "origins": case_origins(whole.case),
        "causes": [_cut(each.text) for each in causes(result)] if result.outcome != "pass" or result.in_doubt else [],
        "siblings": [_sibling(run.id, each, key) for each in siblings] if len(siblings) > 1 else [],
        "before": case_address(run.id, beside.before, outcome=outcome) if beside and beside.before is not None else "",
        "after": case_address(run.id, beside.after, outcome=outcome) if beside and beside.after is not None else "",
        "back": run_address(run.id, outcome=outcome),
        "expected": _expected(result),
        "page_number": page,
        "pages": max(1, -(-len(result.trajectory.turns) // TURNS_PER_PAGE)),
        **shown_result(result, request, page=page),
    }
    return View(template="run_case.html", title=f"{result.case.id[:80]} · {run.name}", data=data)


def shown_result(result: Result, request: PageRequest, *, page: int, prefix: str = "") -> dict[str, Any]:
    """Return the turns with their marks, and the scores with links to them.

    ``prefix`` keeps the names of marks apart where two results share a page.
    """
    only = request.text("score")
    if only not in {score.name for score in result.scores}:
        only = ""
    marks = EvidenceMarks(result, quoted := quotations(result.scores, only=only))
    turns: list[MarkedTurn] = marked_turns(result, marks, quoted, page=page, prefix=prefix)
    to = {
        number: request.link(page=None if (at := page_of_turn(place.turn)) == 1 else at) + f"#{prefix}e{number}"
        for number, place in marks.places.items()
    }
    rows: list[ScoreRow] = score_rows(result.scores, quoted, to)
    return {"turns": turns, "scores": rows, "only": only, "marked": len(marks.places)}


def find_key(stores: PageStores, reader: RunReader, asked: str) -> int:
    """Return the key of a result; ``asked`` is the key itself, or the id of a case.

    Raises:
        NotFoundError: the run has no such result.
    """
    if asked.removeprefix("-").isdecimal() and len(asked) <= 20 and abs(int(asked)) < _KEYS and reader.has(int(asked)):
        return int(asked)
    if found := search_results(stores.runs, reader.run, ResultFilter(case=asked), limit=1):
        return found[0].key
    raise NotFoundError(
        f"run {reader.run.id} has no result for case {asked[:80]!r}", hint=f"`proctor show {reader.run.id} --page 1`"
    )


def _sibling(run_id: str, row: FoundResult, key: int) -> dict[str, Any]:
    return {
        "label": f"{row.target}, sample {row.sample}",
        "to": case_address(run_id, row.key),
        "chip": outcome_chip(row.outcome, in_doubt=row.in_doubt),
        "is_here": row.key == key,
    }


def _cut(text: str) -> str:
    """Return the beginning of a long reason; the score below has the whole."""
    return text if len(text) <= _CAUSE else f"{text[:_CAUSE]}…"


def _expected(result: Result) -> list[tuple[str, str]]:
    """Return what the case expects, in words."""
    return list(_expectations(result))


def _expectations(result: Result) -> Iterator[tuple[str, str]]:
    expect = result.case.expect
    for name in _EXPECTED:
        value = getattr(expect, name)
        if value is None or value == ():
            continue
        yield name.replace("_", " ").capitalize(), _words(value)
    if expect.rules:
        yield "Rules", "\n".join(rule.text for rule in expect.rules)
    if result.case.description:
        yield "About", result.case.description
    for name, value in result.case.inputs.items():
        yield f"Input {name}", value if isinstance(value, str) else dumps(value).decode()


def _words(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "\n".join(each if isinstance(each, str) else dumps(each).decode() for each in value)
    return "yes" if value is True else "no" if value is False else str(value)


def case_origins(case: Case) -> list[tuple[str, str]]:
    """Return words and address of each page that a case leads back to; a held-out attack leads nowhere."""
    attack = case.metadata.get(ATTACK)
    if isinstance(attack, Mapping) and attack.get("held_out"):
        return []
    return list(_origins(case, attack if isinstance(attack, Mapping) else {}))


def _origins(case: Case, attack: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    told = case.metadata.get("promoted")
    told = told if isinstance(told, Mapping) else {}
    if campaign := str(attack.get("campaign") or told.get("campaign") or ""):
        yield "the attack, before and after", f"/ui/redteam/{_part(campaign)}/attempts/{_part(case.id)}"
    if decision := told.get("decision"):
        yield "the decision of the guard", f"/ui/guard?event={_part(decision)}"
    if alert := told.get("alert"):
        yield f"alert {alert}", f"/ui/alerts/{_part(alert)}"
    if run := told.get("run"):
        yield f"run {run}", f"/ui/runs/{_part(run)}"
    elif session := told.get("session"):
        yield "the conversation", f"/ui/conversations/{_part(session)}"


def _part(value: object) -> str:
    return quote(str(value), safe="")
