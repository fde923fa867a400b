"""Conversations of production: search, one conversation turn by turn, and a regression case in one click."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

from proctor.core.codec import dumps
from proctor.core.session_turns import turns_of
from proctor.server.pages.page import Download, Missing, Page, PageRequest, Redirect, Reply, Route, View
from proctor.server.pages.table import PER_PAGE, Cell, Chip, Column, Link, Moment, Table, text_columns
from proctor.text.excerpt import excerpt

if TYPE_CHECKING:
    from proctor.server.pages.page_stores import PageStores
    from proctor.store.conversation_part import ConversationPart
    from proctor.store.history_records import SearchHit
    from proctor.workflows.monitor.turn_conflicts import TurnConflict

__all__ = ["PAGE"]

_TURNS: Final = 50  # on a page
_CSV_ROWS: Final = 2_000  # read at once
_SHOWN_SIGNALS: Final = 4
_BEGIN_CHARS: Final = 100  # of a conversation, where nothing was searched for
_ALERTS: Final = 200  # the last ones, in which a conversation is looked for
_GROUPS: Final = {
    "gate": "Decision of a gate", "finding": "Finding of a gate", "score": "Failed score", "escalation": "Hand-off",
}  # fmt: skip
_EMPTY: Final = (
    "No conversation yet. Send turns to this server (POST /v1/turns, OTLP, Langfuse or LangSmith SDK), "
    "or store a log with `proctor history add FILE`."
)


def list_conversations(stores: PageStores, request: PageRequest) -> Reply:
    """Search: words in any language, intent, outcome, what happened, a score, a time."""
    text, page = request.text("q"), request.page
    conditions = _conditions(request)
    index = stores.history.indexer.conversations
    hits = stores.history.search(text, limit=PER_PAGE + 1, offset=(page - 1) * PER_PAGE, **conditions)
    is_plain = not text and not any(value is not None for value in conditions.values())
    signals = index.signals()
    return View(
        template="conversations.html",
        title="Conversations",
        data={
            "intents": index.intents(),
            "outcomes": [each.partition("/")[2] for each in signals if each.startswith("outcome/")],
            "signal_groups": _grouped(signals),
            "scorers": [each.partition("/")[2] for each in signals if each.startswith("score/")],
            "is_plain": is_plain,
            "window": _window(request),
        },
        tables={
            "conversations": Table(
                columns=_columns(),
                rows=_rows(stores, hits[:PER_PAGE], text),
                empty=_EMPTY if is_plain else "Nothing was found. Search for fewer words, or leave a filter out.",
                total=index.count() if is_plain else None,
                page=page,
                has_next=len(hits) > PER_PAGE,
                every=lambda: _every(stores, text, conditions),
            )
        },
    )


def show_conversation(stores: PageStores, request: PageRequest) -> Reply:
    """One conversation, some turns at a time."""
    from proctor.server.pages.views.conversation_turns import (  # noqa: PLC0415 - scorers only there
        cards_of,
        loose_gates,
        score_notes,
    )
    from proctor.store.conversation_part import PartRequest  # noqa: PLC0415
    from proctor.workflows.promote.regression_suite import REGRESSIONS  # noqa: PLC0415

    session = request.path["session"]
    turn = int(request.number("turn", 0, low=0, high=1_000_000_000))
    first = (turn - 1) // _TURNS * _TURNS if turn else (request.page - 1) * _TURNS
    at = request.time("at") if not turn and request.page == 1 else None
    part = stores.history.conversation_part(session, PartRequest(first=first, count=_TURNS, before=_TURNS, at=at))
    if part is None:
        return Missing(what=f"there is no conversation {session!r}", hint="It may be too old, or was erased.")
    scores = score_notes(part.about)
    conflicts = _conflicts(part)
    cards = cards_of(
        part.events, first=part.first, conflicts=conflicts, scores=scores, phrases=request.text("q").split()
    )
    shown = range(part.first, part.first + len(cards))
    return View(
        template="conversation.html",
        title=f"Conversation {session}",
        data={
            "talk": part.summary,
            "cards": cards,
            "gates": loose_gates(part.events),
            "part": part,
            "page_number": part.first // _TURNS + 1,
            "pages": max(1, -(-part.turns // _TURNS)),
            "per_page": _TURNS,
            "scores": scores,
            "about": [each for each in part.about if each.kind != "score"],
            "conflicts": conflicts,
            "arcs": [[each.earlier + 1, each.later + 1] for each in conflicts if each.later in shown],
            "is_compared_whole": part.turns <= 2 * _TURNS and part.first <= _TURNS,
            "alerts": _alerts_of(stores, session),
            "suite": str(REGRESSIONS),
            "base": f"/ui/conversations/{quote(session, safe='')}",
        },
    )


def download_conversation(stores: PageStores, request: PageRequest) -> Reply:
    """The whole conversation as JSON."""
    talk = stores.history.conversation(request.path["session"])
    if talk is None:
        return Missing(what=f"there is no conversation {request.path['session']!r}")
    return Download(name="conversation.json", media="application/json", body=dumps(talk))


def promote_conversation(stores: PageStores, request: PageRequest) -> Reply:
    """Add the conversation to the regression suite."""
    from proctor.workflows.promote.alert_examples import ExampleRequest, promote_examples  # noqa: PLC0415
    from proctor.workflows.promote.incident_checks import RequiredWording  # noqa: PLC0415
    from proctor.workflows.promote.regression_suite import REGRESSIONS, regression_suite  # noqa: PLC0415

    session = request.path["session"]
    wording = RequiredWording(
        must_say=tuple(filter(None, request.texts("must_say"))),
        must_not_say=tuple(filter(None, request.texts("must_not_say"))),
    )
    expected: Any = request.choice("expected", ("stopped", "allowed")) or None
    wanted = ExampleRequest(
        conversations=(session,), expected=expected, wording=wording, recording=bool(request.text("recording"))
    )
    made = promote_examples(stores.config, wanted, regression_suite(stores.config))
    if made.added:
        said = f"{REGRESSIONS}: added {made.added[0]}, judged by {made.judged[made.added[0]]}"
    else:
        said = f"{REGRESSIONS} has a case that asks the same: {', '.join(made.known)}"
    return Redirect(to=f"/ui/conversations/{quote(session, safe='')}", said=said)


def _conditions(request: PageRequest) -> dict[str, Any]:
    until = request.time("until")
    if until is not None and _is_day(request.text("until")):
        until += 86_400.0  # a day is meant to its end
    scorer = request.text("score")
    return {
        "intent": request.text("intent") or None,
        "outcome": request.text("outcome") or None,
        "signal": request.text("signal") or None,
        "since": request.time("since"),
        "until": until,
        "score": (scorer, request.number("below", 0.5, low=0, high=1.01)) if scorer else None,
    }


def _window(request: PageRequest) -> tuple[float | None, float | None] | None:
    """Return the times of a link from an alert or a figure; ``None`` for whole days, which the form can show."""
    if all(not text or _is_day(text) for text in (request.text("since"), request.text("until"))):
        return None
    return request.time("since"), request.time("until")


def _is_day(text: str) -> bool:
    """Return whether a time is a whole day; seconds since 1970 have as many characters."""
    return len(text) == len("2026-11-17") and text.count("-") == 2


def _columns() -> tuple[Column, ...]:
    return (
        *text_columns("Conversation", "Last event", "Intent"),
        Column("Turns", "number"),
        *text_columns("Outcome", "Lowest score", "What happened"),
        Column("CSAT", "number"),
        Column("Text", "long"),
    )


def _rows(stores: PageStores, hits: Sequence[SearchHit], text: str) -> list[Sequence[Cell]]:
    texts: Mapping[str, str] = {}
    if not text and stores.history.texts is not None:
        texts = stores.history.texts.first_texts([each.conversation.session for each in hits])
    return [_row(each, text, texts.get(each.conversation.session, "")) for each in hits]


def _row(hit: SearchHit, text: str, begin: str) -> Sequence[Cell]:
    talk = hit.conversation
    query = urlencode({"q": text, "at": repr(hit.time)}) if text else ""
    to = f"/ui/conversations/{quote(talk.session, safe='')}{'?' if query else ''}{query}"
    happened = _happened(talk.signals)
    more = len(happened) - _SHOWN_SIGNALS
    words = ", ".join(happened[:_SHOWN_SIGNALS]) + (f" and {more} more" if more > 0 else "")
    return (
        Link(talk.session, to),
        Moment(talk.last),
        talk.intent,
        talk.turns,
        talk.outcome,
        _lowest(talk.scores, talk.signals),
        words or None,
        talk.csat,
        excerpt(hit.text, text.split()) if hit.text else excerpt(begin, (), chars=_BEGIN_CHARS),
    )


def _happened(signals: Mapping[str, int]) -> list[str]:
    """Return what went wrong in words: a gate stands for its findings, a kind of hand-off for the hand-off."""
    families = {name.partition("/")[0] for name in signals if "/" in name}
    left_out = {"outcome", "score"} | ({"finding"} if "gate" in families else set())
    shown = [
        name for name in signals
        if name.partition("/")[0] not in left_out and ("/" in name or name not in families)
    ]  # fmt: skip
    return [name.replace("/", ": ").replace("_", " ") for name in shown]


def _lowest(scores: Mapping[str, float], signals: Mapping[str, int]) -> Cell:
    if not scores:
        return None
    name = min(scores, key=lambda each: scores[each])
    return Chip("fail" if f"score/{name}" in signals else "pass", f"{name} {scores[name]:.2f}")


def _every(stores: PageStores, text: str, conditions: Mapping[str, Any]) -> Iterator[Sequence[Cell]]:
    offset = 0
    while hits := stores.history.search(text, limit=_CSV_ROWS, offset=offset, **conditions):
        for hit in hits:
            yield _row(hit, text, "")
        offset += len(hits)
        if len(hits) < _CSV_ROWS:
            return


def _grouped(signals: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return the signals of a select, in groups."""
    groups: dict[str, list[str]] = {}
    for each in signals:
        family = each.partition("/")[0]
        if family != "outcome":
            groups.setdefault(_GROUPS.get(family, "Other"), []).append(each)
    return list(groups.items())


def _conflicts(part: ConversationPart) -> list[TurnConflict]:
    """Return contradictions that scores report, and those that rules see between these turns and the ones before."""
    from proctor.workflows.monitor.turn_conflicts import find_conflicts, reported_conflicts  # noqa: PLC0415

    earlier = turns_of(part.earlier)
    turns = (*earlier, *turns_of(part.events))
    if len(turns) < 2:
        return reported_conflicts(part.about)
    seen = asyncio.run(find_conflicts(turns, first=part.first - len(earlier)))
    found = {(each.earlier, each.later): each for each in (*reported_conflicts(part.about), *seen)}
    last = part.first + len(turns) - len(earlier)
    return [
        each for each in found.values()
        if part.first <= each.later < last or part.first <= each.earlier < last
    ]  # fmt: skip


def _alerts_of(stores: PageStores, session: str) -> list[Any]:
    """Return the alerts that name a conversation as an example."""
    return [each for each in stores.alerts.alerts(limit=_ALERTS) if session in each.examples]


PAGE: Final = Page(
    title="Conversations",
    path="/conversations",
    order=20,
    routes=(
        Route(path="/conversations", answer=list_conversations),
        Route(path="/conversations/{session}", answer=show_conversation),
        Route(path="/conversations/{session}/file", answer=download_conversation),
        Route(path="/conversations/{session}/promote", answer=promote_conversation, method="POST", role="auditor"),
    ),
)
