"""The audit: this week's sample, agreement of raters, disagreements, quality, and files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from proctor.core.errors import InputError
from proctor.server.pages.page import Download, Page, PageRequest, Redirect, Reply, Route, View
from proctor.server.pages.views.audit_rating import (
    rate_item,
    rate_next,
    release_item,
    settle_item,
    show_split,
    skip_item,
    store_rating,
)

if TYPE_CHECKING:
    from proctor.server.pages.page_stores import PageStores

__all__ = ["PAGE"]

_POOLED: Final = 4  # weeks
_LAST: Final = "last"
_FILES: Final = {".csv": "text/csv; charset=utf-8", ".jsonl": "application/x-ndjson"}


def show_audit(stores: PageStores, request: PageRequest) -> Reply:
    """One week, or the last four: progress, agreement, quality, disagreements."""
    from proctor.server.pages.views import audit_tables as tables  # noqa: PLC0415 - statistics only where needed
    from proctor.store.audit_progress import complete_items, held_by, rating_stamp, week_progress  # noqa: PLC0415
    from proctor.workflows.monitor.audit import audit_settings, report_of  # noqa: PLC0415

    settings = audit_settings(stores.config)
    store = stores.audit
    weeks = week_progress(store)
    if not weeks:
        return _nothing_yet(request)
    names = _chosen(request, [each.week for each in weeks])
    is_pooled = len(names) > 1 or request.text("week") == _LAST
    report = stores.kept(
        "audit",
        (settings, names, is_pooled, rating_stamp(store)),
        lambda: report_of(store, settings, weeks=_POOLED, week=None if is_pooled else names[0]),
    )
    complete = complete_items(store, names)
    shown = [each for each in report.splits if each.item in complete]
    chosen = [each for each in weeks if each.week in names]
    return View(
        template="audit.html",
        title="Audit",
        live=("audit",),
        data={
            "weeks": [each.week for each in reversed(weeks)],
            "chosen": _LAST if is_pooled else names[0],
            "report": report,
            "notes": [each for each in report.notes if "proctor audit settle" not in each],
            "sampled": sum(each.sampled for each in chosen),
            "complete": sum(each.complete for each in chosen),
            "wanted": sum(each.wanted for each in chosen),
            "ratings": sum(each.ratings for each in chosen),
            "left": _left(stores, request, names),
            "open_splits": len({each.item for each in shown if not each.is_settled}),
            "drifts": sorted({each.rater for each in report.drift if each.is_seen}),
            "held": held_by(store),
            "settings": settings,
            "rate_week": "" if is_pooled else names[0],
            "due": _due_week(request, [each.week for each in weeks]),
        },
        tables={
            "agreement": tables.agreement_table(report),
            "quality": tables.quality_table(report),
            "disagreements": tables.split_table(
                shown, len({each.item for each in report.splits} - complete), request.page
            ),
            "samples": tables.week_table(weeks),
            **tables.report_tables(report),
        },
        charts={"kappa": tables.kappa_chart(report)} if report.agreement else {},
    )


def download_audit(stores: PageStores, request: PageRequest) -> Reply:
    """Ratings and items of conversations that are complete, or a blind sheet for the person who asks."""
    from proctor.store.audit_progress import complete_items, week_progress  # noqa: PLC0415
    from proctor.workflows.monitor.audit import audit_settings  # noqa: PLC0415
    from proctor.workflows.monitor.audit_export import export_audit  # noqa: PLC0415

    what: Any = request.choice("what", ("ratings", "items", "sheet"), "ratings")
    suffix = f".{request.choice('as', ('csv', 'jsonl'), 'csv')}"
    names = _chosen(request, [each.week for each in week_progress(stores.audit)])
    only = None if what == "sheet" else complete_items(stores.audit, names)
    settings = audit_settings(stores.config)
    made = export_audit(stores.audit, settings, what, weeks=names, rater=request.visitor.name, only=only)
    return Download(name=f"audit-{what}{suffix}", media=_FILES[suffix], body=made.written(suffix))


def draw_sample(stores: PageStores, request: PageRequest) -> Reply:
    """Draw the sample of the last week that is over."""
    from proctor.workflows.monitor.audit import SampleJob, draw_audit  # noqa: PLC0415

    sample, items = draw_audit(stores.config, SampleJob())
    said = f"{sample.week}: drew {len(items)} of {sample.population:,} conversations"
    return Redirect(to=f"/ui/audit?week={sample.week}", said=said)


def _nothing_yet(request: PageRequest) -> View:
    return View(template="audit_empty.html", title="Audit", data={"due": _due_week(request, ())})


def _chosen(request: PageRequest, weeks: Sequence[str]) -> list[str]:
    """Return the weeks that are asked for: one, the last ones, or the newest."""
    if not weeks:
        raise InputError("there is no audit sample yet", hint="`proctor audit sample` draws one")
    week = request.choice("week", (_LAST, *weeks), weeks[-1])
    return list(weeks[-_POOLED:]) if week == _LAST else [week]


def _left(stores: PageStores, request: PageRequest, names: Sequence[str]) -> int:
    return sum(stores.audit.left(request.visitor.name, week=each) for each in names)


def _due_week(request: PageRequest, weeks: Sequence[str]) -> str:
    """Return the last week that is over, if it has no sample."""
    from datetime import UTC, datetime  # noqa: PLC0415

    from proctor.monitor.audit_sample import last_week  # noqa: PLC0415

    week = last_week(datetime.fromtimestamp(request.now, UTC))
    return "" if week in weeks else week


PAGE: Final = Page(
    title="Audit",
    path="/audit",
    order=40,
    routes=(
        Route(path="/audit", answer=show_audit),
        Route(path="/audit/file", answer=download_audit, role="auditor"),
        Route(path="/audit/sample", answer=draw_sample, method="POST", role="auditor"),
        Route(path="/audit/rate", answer=rate_next, role="auditor"),
        Route(path="/audit/rate/{item}", answer=rate_item, role="auditor"),
        Route(path="/audit/rate/{item}", answer=store_rating, method="POST", role="auditor"),
        Route(path="/audit/rate/{item}/skip", answer=skip_item, method="POST", role="auditor"),
        Route(path="/audit/rate/{item}/stop", answer=release_item, method="POST", role="auditor"),
        Route(path="/audit/settle/{item}", answer=show_split),
        Route(path="/audit/settle/{item}", answer=settle_item, method="POST", role="auditor"),
    ),
)
