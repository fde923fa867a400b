"""Files of an audit: all ratings, the items, or a blind sheet for one rater."""

from __future__ import annotations

import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from proctor.core.audit import AuditSettings, blind
from proctor.report import audit_files
from proctor.report.report_kind import ReportKind
from proctor.store.audit import AuditStore

__all__ = ["AuditExport", "ExportKind", "export_audit"]

ExportKind = Literal["ratings", "items", "sheet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditExport:
    """What goes into a file, how it is written, and how many rows it has."""

    kind: ReportKind[Any]
    content: Any
    count: int

    def written(self, suffix: str) -> bytes:
        """Return the file as bytes; ``suffix`` is ``.csv`` or ``.jsonl``."""
        out = io.StringIO()
        self.kind.writers[suffix](self.content, out)
        return out.getvalue().encode("utf-8", "replace")


def export_audit(
    store: AuditStore,
    settings: AuditSettings,
    what: ExportKind,
    *,
    weeks: Sequence[str] | None = None,
    rater: str = "",
    only: Collection[str] | None = None,
) -> AuditExport:
    """Return ratings, items, or what ``rater`` has still to rate; ``only`` limits the first two to some items."""
    if what == "sheet":
        rated = {each.item for each in store.ratings(weeks) if each.rater == rater}
        left = [blind(each) for each in store.items(weeks) if each.id not in rated]
        sheet = audit_files.RatingSheet(rater=rater, dimensions=settings.dimensions, items=left)
        return AuditExport(kind=audit_files.SHEET_FILES, content=sheet, count=len(left))
    if what == "items":
        items = [each for each in store.items(weeks, texts=False) if only is None or each.id in only]
        return AuditExport(kind=audit_files.ITEM_FILES, content=items, count=len(items))
    ratings = [each for each in store.ratings(weeks) if only is None or each.item in only]
    rows = audit_files.RatingRows(dimensions=settings.dimensions, ratings=ratings)
    return AuditExport(kind=audit_files.RATING_FILES, content=rows, count=len(ratings))
