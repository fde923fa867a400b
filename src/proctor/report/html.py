"""One self-contained HTML page: figures, charts, and every result with its conversation."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import Any, TextIO

from proctor.core.report import Counts, Report, Result
from proctor.report.number_format import decision_word
from proctor.report.page_data import detail_of, page_of, row_of, script_json
from proctor.report.run_distributions import RunDistributions, run_distributions
from proctor.report.safe_text import one_line

__all__ = ["write"]

_STYLES = ("theme.css", "page.css", "table.css", "matrix.css", "rules.css", "drawer.css", "print.css")
_SCRIPTS = (
    "dom.js",
    "figures.js",
    "charts.js",
    "dimensions.js",
    "compliance.js",
    "rules.js",
    "overview.js",
    "yaml.js",
    "scores.js",
    "conversation.js",
    "table.js",
    "matrix.js",
    "drawer.js",
    "theme.js",
    "main.js",
)
_PAGE_LIMIT = 40_000_000  # characters of details; a browser opens a page of this size in a second or two


def write(report: Report, results: Callable[[], Iterable[Result]], out: TextIO, *, limit: int = 2_000) -> None:
    """Write the page with the details of at most ``limit`` results; failures and doubts come first."""
    found = run_distributions(results())
    head, body, tail = _skeleton(report)
    out.write(head)
    out.write(_styles())
    out.write(body)
    rows = _write_details(results, found, out, limit)
    out.write(f'<script type="application/json" id="page-data">{script_json(page_of(report, found, rows))}</script>\n')
    out.write(f"<script>\n(() => {{\n{_scripts()}\n}})();\n</script>\n")
    out.write(tail)


def _write_details(
    results: Callable[[], Iterable[Result]], found: RunDistributions, out: TextIO, limit: int
) -> list[dict[str, Any]]:
    """Write the details, first of results that did not pass or are in doubt; return the rows of the table."""
    rows: list[dict[str, Any]] = []
    size = 0
    for passes, wanted in ((False, found.troubled), (True, found.total - found.troubled)):
        left = min(wanted, limit - len(rows))
        if left <= 0:
            continue
        for place, result in enumerate(results()):
            if (result.outcome_word == "pass") is not passes:
                continue
            detail = detail_of(result)
            size += len(detail)
            if size > _PAGE_LIMIT:
                return rows
            out.write(f'<script type="application/json" id="r{place}">{detail}</script>\n')
            rows.append(row_of(result, place))
            left -= 1
            if left == 0:
                break
    return rows


def _skeleton(report: Report) -> tuple[str, str, str]:
    """Return the template in three pieces: before the styles, between styles and data, and the end."""
    word, counts = decision_word(report), report.counts
    text = _asset("page.html")
    for mark, value in (
        ("{{title}}", f"{word}: {one_line(report.name or report.id, 100)}"),
        ("{{decision}}", f"{word}. {one_line(report.reason, 600)}"),
        ("{{counts}}", _counted(counts)),
    ):
        # Braces in a name must not look like a template variable.
        text = text.replace(mark, html.escape(value).replace("{", "&#123;"))
    head, _, rest = text.partition("{{styles}}")
    body, _, tail = rest.partition("{{data}}")
    return head, body, tail


def _counted(counts: Counts) -> str:
    passed = f"{counts.passed} passed" + (f" ({counts.in_doubt} in doubt)" if counts.in_doubt else "")
    return f"{passed}, {counts.failed} failed, {counts.unscored} unscored"


def _styles() -> str:
    return "".join(_asset(name) for name in _STYLES)


def _scripts() -> str:
    return '"use strict";\n' + "\n".join(_asset(name) for name in _SCRIPTS)


def _asset(name: str) -> str:
    return files("proctor.report").joinpath("static", name).read_text(encoding="utf-8")
