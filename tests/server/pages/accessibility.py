"""What axe-core finds wrong with a page, in light and dark, without loading it twice."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped,unused-ignore]
from playwright.sync_api import Page

__all__ = ["violations"]

_GRAVE = ("serious", "critical")
_ALL = (*_GRAVE, "moderate", "minor")
_COLOURS = ("color-contrast", "link-in-text-block")  # what a theme can change


def violations(page: Page, *, only_grave: bool = True) -> list[str]:
    """Return what is wrong in the light theme, and what is wrong with the colours of the dark one."""
    impacts = _GRAVE if only_grave else _ALL
    page.emulate_media(color_scheme="light")
    found = _found(page, impacts)
    page.emulate_media(color_scheme="dark")
    found += [f"dark: {each}" for each in _found(page, impacts, _COLOURS)]
    page.emulate_media(color_scheme="light")
    return found


def _found(page: Page, impacts: tuple[str, ...], rules: tuple[str, ...] = ()) -> list[str]:
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    if rules:
        options["runOnly"] = list(rules)
    return [
        f"{each['id']} ({each['impact']}): {each['nodes'][0]['target']} {each['nodes'][0]['html'][:160]}"
        for each in Axe().run(page, options=options).response["violations"]
        if each["impact"] in impacts
    ]
