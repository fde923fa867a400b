"""The file formats of a release decision."""

from __future__ import annotations

from dataclasses import replace
from typing import TextIO

from proctor.core.codec import encode
from proctor.report import release_html, release_markdown
from proctor.report.release_view import ReleaseView
from proctor.report.report_kind import ReportKind, write_json

__all__ = ["DECISION_REPORT"]


def _show(view: ReleaseView, out: TextIO | None) -> None:
    from proctor.report import release_terminal  # noqa: PLC0415 - rich only when drawing

    release_terminal.write(view, out)


def _changed_only(view: ReleaseView) -> ReleaseView:
    """Return the view without the cases in which nothing changed: they are most of the data, and in the run."""
    return replace(view, cases=tuple(each for each in view.cases if each.state != "same"))


DECISION_REPORT: ReportKind[ReleaseView] = ReportKind(
    name="decision",
    show=_show,
    writers={
        ".html": release_html.write,
        ".json": lambda view, out: write_json({"word": view.word, **encode(_changed_only(view))}, out),
        ".md": release_markdown.write,
    },
)
