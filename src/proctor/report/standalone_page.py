"""The frame of a self-contained page: no scripts, no requests, styles included."""

from __future__ import annotations

import html
from importlib.resources import files

from proctor.report.safe_text import one_line

__all__ = ["END", "head", "line_of"]

_STYLES = ("theme.css", "page.css", "table.css", "print.css")
_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{styles}
</style>
</head>
<body>
<header class="bar"><div class="bar-in"><span class="brand">Proctor</span>
<span class="bar-run"><span class="name">{name}</span>{chip}</span></div></header>
<main>
"""
END = "</main>\n</body>\n</html>\n"


def head(title: str, *, name: str, styles: str, chip: tuple[str, str] | None = None) -> str:
    """Return everything before a page's content; ``styles`` are its own, ``chip`` is a state and its label."""
    shared = "".join(files("proctor.report").joinpath("static", each).read_text(encoding="utf-8") for each in _STYLES)
    mark = f'<span class="chip {chip[0]}">{chip[1]}</span>' if chip else ""
    return _HEAD.format(title=line_of(title, 120), name=line_of(name, 80), styles=shared + styles, chip=mark)


def line_of(text: object, limit: int = 300) -> str:
    """Return any text on one line, escaped for HTML."""
    return html.escape(one_line(str(text), limit))
