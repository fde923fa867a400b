"""What axe-core finds wrong with a page, in light and dark, without loading it twice."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped,unused-ignore]
from playwright.sync_api import Page

__all__ = ["violations"]

_GRAVE = ("serious", "critical")
_ALL = (*_GRAVE, "moderate", "minor")
_COLOURS = ("color-contrast", "link-in-text-block")  # what a theme can change
# Only what is wrong leaves the page: all that axe says of every rule would be copied three times on its way here.
_RUN = """async ([options, impacts]) => (await axe.run(options)).violations
  .filter(each => impacts.includes(each.impact))
  .map(each => `${each.id} (${each.impact}): ${each.nodes[0].target} ${each.nodes[0].html.slice(0, 160)}`)"""


def violations(page: Page, *, only_grave: bool = True) -> list[str]:
    """Return what is wrong in the light theme, and what is wrong with the colours of the dark one."""
    impacts = _GRAVE if only_grave else _ALL
    page.emulate_media(color_scheme="light")
    page.evaluate(AXE_SCRIPT)  # once, for both themes
    found = _found(page, impacts)
    page.emulate_media(color_scheme="dark")
    found += [f"dark: {each}" for each in _found(page, impacts, _COLOURS)]
    page.emulate_media(color_scheme="light")
    return found


def _found(page: Page, impacts: tuple[str, ...], rules: tuple[str, ...] = ()) -> list[str]:
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    if rules:
        options["runOnly"] = list(rules)
    found: list[str] = page.evaluate(_RUN, [options, list(impacts)])
    return found
