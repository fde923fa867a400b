"""Overview: is it safe to ship, is production healthy."""

from __future__ import annotations

from proctor.server.pages.desk import Desk
from proctor.server.pages.page import Page, PageRequest, Reply, Route, View

__all__ = ["PAGE"]


def _show(desk: Desk, asked: PageRequest) -> Reply:
    """Show the state of the project."""
    return View(template="overview.html", title="Overview", data={"folder": desk.config.store.parent.name})


PAGE = Page(title="Overview", path="/", order=10, routes=(Route(path="/", answer=_show),))
