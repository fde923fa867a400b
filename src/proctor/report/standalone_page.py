"""The frame of a self-contained page: no requests, styles and, where a page has any, scripts included."""

from __future__ import annotations

import html
from collections.abc import Sequence
from importlib.resources import files

from proctor.report.safe_text import one_line

__all__ = ["END", "asset", "head", "line_of", "scripts"]

_STYLES = ("theme.css", "page.css", "table.css", "print.css")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; {scripts}base-uri 'none'"
_KEPT_THEME = """<script>
try {
  const kept = localStorage.getItem("proctor-theme");
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
} catch { /* a page opened from disk may have no storage: the system's setting holds */ }
</script>
"""
_BUTTON = '<button type="button" id="theme" class="quiet" aria-label="Switch between light and dark"></button>'
_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
{early}<style>
{styles}
</style>
</head>
<body>
<header class="bar"><div class="bar-in"><span class="brand">Proctor</span>
<span class="bar-run"><span class="name">{name}</span>{chip}</span>{tools}</div></header>
<main>
"""
END = "</main>\n</body>\n</html>\n"


def head(
    title: str,
    *,
    name: str,
    styles: str,
    chip: tuple[str, str] | None = None,
    links: Sequence[tuple[str, str]] = (),
    scripted: bool = False,
) -> str:
    """Return everything before a page's content.

    ``styles`` are its own, ``chip`` is a state and its label, ``links`` are sections by id. A ``scripted`` page may run
    the scripts inside it, and has a button for light and dark.
    """
    shared = "".join(asset(each) for each in _STYLES)
    mark = f'<span class="chip {chip[0]}">{chip[1]}</span>' if chip else ""
    nav = "".join(f'<a href="#{place}">{line_of(label)}</a>' for place, label in links)
    tools = (f'<nav aria-label="Sections">{nav}</nav>' if nav else "") + (_BUTTON if scripted else "")
    return _HEAD.format(
        policy=_POLICY.format(scripts="script-src 'unsafe-inline'; " if scripted else ""),
        title=line_of(title, 120),
        early=_KEPT_THEME if scripted else "",
        name=line_of(name, 80),
        styles=shared + styles,
        chip=mark,
        tools=tools,
    )


def scripts(*names: str) -> str:
    """Return the named scripts as one element, apart from everything else on the page."""
    code = "\n".join(asset(name) for name in names)
    return f'<script>\n(() => {{\n"use strict";\n{code}\n}})();\n</script>\n'


def asset(name: str) -> str:
    """Return a file of the page's parts."""
    return files("proctor.report").joinpath("static", name).read_text(encoding="utf-8")


def line_of(text: object, limit: int = 300) -> str:
    """Return any text on one line, escaped for HTML."""
    return html.escape(one_line(str(text), limit))
