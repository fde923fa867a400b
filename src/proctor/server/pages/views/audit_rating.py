"""Rate a conversation blind, by keyboard; settle a disagreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from proctor.core.audit import AuditRating, BlindItem, Settlement, blind
from proctor.core.errors import InputError
from proctor.server.pages.page import Missing, PageRequest, Redirect, Reply, View

if TYPE_CHECKING:
    from proctor.core.audit import AuditItem, AuditSettings
    from proctor.server.pages.page_stores import PageStores

__all__ = ["rate_item", "rate_next", "release_item", "settle_item", "show_split", "skip_item", "store_rating"]

_UNKNOWN: Final = "?"  # the rating of a conversation that cannot be rated
_MAX_SKIPPED: Final = 100
_TURNS: Final = 100  # of a conversation on one page
_ADDRESS: Final = "/ui/audit/rate"


def rate_next(stores: PageStores, request: PageRequest) -> Reply:
    """Hold the next conversation for this person, and show it."""
    return _onward(stores, request, _skipped(request))


def _onward(
    stores: PageStores, request: PageRequest, skipped: Sequence[str], said: str = "", *, last: str = ""
) -> Redirect:
    """Hold the next conversation and go there; to the audit page if there is none. ``last`` was just rated."""
    week = request.text("week") or None
    found = stores.audit.claim(request.visitor.name, week=week, minutes=_settings(stores).claim, skip=skipped)
    if found is not None:
        return Redirect(to=f"{_ADDRESS}/{found.id}{_state(request, skipped, last=last)}", said=said)
    if skipped:
        left = "Only conversations that you skipped are left. Begin again to see them."
    else:
        left = "Nothing is left for you to rate."
    return Redirect(to=f"/ui/audit{_state(request)}", said=f"{said} {left}".strip())


def rate_item(stores: PageStores, request: PageRequest) -> Reply:
    """One conversation without anything that a rater must not see, beside the agreement so far."""
    from proctor.server.pages.views.audit_tables import kappa_table  # noqa: PLC0415 - statistics only where needed
    from proctor.workflows.monitor.audit import kappas_of  # noqa: PLC0415

    settings, store, rater = _settings(stores), stores.audit, request.visitor.name
    item = store.find(request.path["item"])
    own = _own_rating(stores, item, rater)
    shown: BlindItem | None
    if own is not None:
        if _is_complete(stores, item):
            return _onward(stores, request, _skipped(request), _COMPLETE)
        shown = blind(item)
    else:
        shown = store.claim(rater, item=item.id, minutes=settings.claim)
    if shown is None:
        return _onward(stores, request, _skipped(request), "Somebody else rates that conversation.")
    week = request.text("week") or None
    return View(
        template="audit_rate.html",
        title="Rate a conversation",
        data={
            "item": shown,
            **_shown_turns(shown, request),
            "settings": settings,
            "own": own.values if own else {},
            "note": own.note if own else "",
            "left": store.left(rater, week=week),
            "state": _state(request, _skipped(request)),
            "keys": len(settings.dimensions) + 1,
            "last": _changeable(stores, request.text("last"), rater),
        },
        tables={"agreement": kappa_table(kappas_of(store, settings, [shown.week]))},
    )


def store_rating(stores: PageStores, request: PageRequest) -> Reply:
    """Store one person's rating and go on."""
    settings, store = _settings(stores), stores.audit
    item = store.find(request.path["item"])
    values = {name: _value(request.text(f"d{place}"), name, settings) for place, name in enumerate(settings.dimensions)}
    rater = request.visitor.name
    if _own_rating(stores, item, rater) is not None and _is_complete(stores, item):
        raise InputError(_COMPLETE, hint="Settle it on the audit page.")
    store.rate([AuditRating(item=item.id, rater=rater, values=values, note=request.text("note"))])
    return _onward(stores, request, _skipped(request), "Stored.", last=item.id)


def skip_item(stores: PageStores, request: PageRequest) -> Reply:
    """Leave a conversation to others for now."""
    item = request.path["item"]
    stores.audit.release(request.visitor.name, item)
    return _onward(stores, request, [*_skipped(request), item])


def release_item(stores: PageStores, request: PageRequest) -> Reply:
    """Stop rating: what is held becomes free at once."""
    stores.audit.release(request.visitor.name)
    return Redirect(to=f"/ui/audit{_state(request)}")


def show_split(stores: PageStores, request: PageRequest) -> Reply:
    """One conversation about which raters differ, with their ratings and without their names."""
    settings, store = _settings(stores), stores.audit
    item = store.find(request.path["item"])
    if not _is_complete(stores, item):
        return Missing(what="its raters have not all rated it", hint="A disagreement is shown when all have rated.")
    said = [each for each in store.ratings([item.week]) if each.item == item.id]
    settled = {each.dimension: each for each in store.settlements() if each.item == item.id}
    return View(
        template="audit_settle.html",
        title="Settle a disagreement",
        data={
            "item": item,
            **_shown_turns(blind(item), request),
            "settings": settings,
            "rows": _split_rows(stores, item, settings),
            "settled": settled,
            "notes": sorted(filter(None, {each.note for each in said})),
            "has_rated": any(each.rater == request.visitor.name for each in said),
        },
    )


def settle_item(stores: PageStores, request: PageRequest) -> Reply:
    """Store the final rating of the dimensions that were decided."""
    settings, store = _settings(stores), stores.audit
    item = store.find(request.path["item"])
    if not _is_complete(stores, item):
        raise InputError("its raters have not all rated it")
    given = {name: request.text(f"d{place}") for place, name in enumerate(settings.dimensions)}
    decided = {name: _value(text, name, settings) for name, text in given.items() if text}
    if not decided:
        raise InputError("no final rating was chosen", hint="Choose one for each dimension that you decide.")
    for name, value in decided.items():
        settlement = Settlement(
            item=item.id, dimension=name, value=value, by=request.visitor.name, note=request.text("note")
        )
        store.settle(settlement, is_consensus=bool(request.text("consensus")))
    words = ", ".join(f"{name} {_UNKNOWN if value is None else value}" for name, value in decided.items())
    return Redirect(to=f"/ui/audit?week={item.week}#disagreements", said=f"{item.id} is settled: {words}")


_COMPLETE: Final = "All raters have rated it, so your rating stands."


def _settings(stores: PageStores) -> AuditSettings:
    from proctor.workflows.monitor.audit import audit_settings  # noqa: PLC0415

    return audit_settings(stores.config)


def _shown_turns(item: BlindItem, request: PageRequest) -> Mapping[str, Any]:
    """Return some turns of a conversation for a template, and how many pages there are."""
    from proctor.server.pages.views.conversation_turns import cards_of_turns  # noqa: PLC0415

    turns = item.trajectory.turns
    pages = max(1, -(-len(turns) // _TURNS))
    page = min(request.page, pages)
    first = (page - 1) * _TURNS
    return {
        "cards": cards_of_turns(turns[first : first + _TURNS], first=first),
        "turns": len(turns), "page_number": page, "pages": pages,
    }  # fmt: skip


def _is_complete(stores: PageStores, item: AuditItem) -> bool:
    from proctor.store.audit_progress import complete_items  # noqa: PLC0415

    return item.id in complete_items(stores.audit, [item.week])


def _own_rating(stores: PageStores, item: AuditItem, rater: str) -> AuditRating | None:
    return next(
        (each for each in stores.audit.ratings([item.week]) if (each.item, each.rater) == (item.id, rater)), None
    )


def _split_rows(stores: PageStores, item: AuditItem, settings: AuditSettings) -> Sequence[Mapping[str, Any]]:
    """Return the dimensions with their ratings, those that raters differ about first."""
    from proctor.workflows.monitor.audit import splits_of  # noqa: PLC0415

    found = {each.dimension: each for each in splits_of(stores.audit, settings, [item.week]) if each.item == item.id}
    rows = [
        {"place": place, "name": name, "ratings": found[name].ratings}
        for place, name in enumerate(settings.dimensions)
        if name in found
    ]
    return rows


def _value(text: str, name: str, settings: AuditSettings) -> int | None:
    """Return a rating; none if it cannot be rated.

    Raises:
        InputError: there is none, or it is not on the scale.
    """
    if text == _UNKNOWN:
        return None
    if text.isdecimal() and int(text) in settings.levels:
        return int(text)
    if not text:
        raise InputError(f"{name} is not rated", field=name, hint=f"Rate it from 1 to {settings.scale}, or ?.")
    raise InputError(f"{name} must be from 1 to {settings.scale}, or ?", field=name)


def _skipped(request: PageRequest) -> list[str]:
    return [each for each in request.text("skip").split(",") if each][:_MAX_SKIPPED]


def _changeable(stores: PageStores, name: str, rater: str) -> str:
    """Return the conversation that was rated last, if its rating can still be changed."""
    if not name:
        return ""
    try:
        item = stores.audit.find(name)
    except InputError:
        return ""
    is_own = _own_rating(stores, item, rater) is not None
    return item.id if is_own and not _is_complete(stores, item) else ""


def _state(request: PageRequest, skipped: Sequence[str] = (), *, last: str = "") -> str:
    """Return the parameters that stay from one conversation to the next: the week, and what was skipped."""
    kept = {"week": request.text("week"), "skip": ",".join(skipped), "last": last}
    query = urlencode({name: value for name, value in kept.items() if value})
    return f"?{query}" if query else ""
