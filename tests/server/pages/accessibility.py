"""What axe-core finds wrong with a page, in light and dark, without loading it twice."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped,unused-ignore]
from playwright.sync_api import Page

__all__ = ["violations"]

_GRAVE = ("serious", "critical")
_ALL = (*_GRAVE, "moderate", "minor")
_CONTRAST = "color-contrast"
_LINKS = "link-in-text-block"  # the other rule that a theme can change
# Most of axe's time goes into the contrast of each cell of long tables. Text of the same colour, size and weight on the
# same grounds has the same contrast, so that one element of each kind is looked at.
_KINDS_OF_TEXT = """() => {
  const grounds = new Map([[null, ""]]), kinds = new Map();
  const groundOf = (each) => {
    if (!grounds.has(each)) {
      const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode } = getComputedStyle(each);
      const own = [backgroundColor, backgroundImage, opacity, filter, mixBlendMode].join();
      grounds.set(each, `${own}|${groundOf(each.parentElement)}`);
    }
    return grounds.get(each);
  };
  for (const each of document.querySelectorAll("body, body *")) {
    const words = [...each.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!words && !each.value) continue;
    const { color, fontSize, fontWeight, textShadow, position, visibility } = getComputedStyle(each);
    const shown = each.checkVisibility() && visibility === "visible";
    const state = [each.matches(":disabled"), each.getAttribute("aria-disabled"), each.getAttribute("aria-hidden")];
    const kind = [color, fontSize, fontWeight, textShadow, position, shown, ...state, groundOf(each)].join();
    if (!kinds.has(kind)) kinds.set(kind, each);
  }
  return [...kinds.values()];
}"""
# Only what is wrong leaves the page: all that axe says of every rule would be copied three times on its way here.
_RUN = f"""async ([rules, impacts, kindsAlone]) => {{
  const options = {{resultTypes: ["violations"], preload: false, ...rules}};
  const place = kindsAlone ? {{include: ({_KINDS_OF_TEXT})()}} : document;
  if (kindsAlone && !place.include.length) return [];
  return (await axe.run(place, options)).violations
    .filter(each => impacts.includes(each.impact))
    .map(each => `${{each.id}} (${{each.impact}}): ${{each.nodes[0].target}} ${{each.nodes[0].html.slice(0, 160)}}`);
}}"""


def violations(page: Page, *, only_grave: bool = True) -> list[str]:
    """Return what is wrong in the light theme, and what is wrong with the colours of the dark one."""
    impacts = _GRAVE if only_grave else _ALL
    page.emulate_media(color_scheme="light")
    page.evaluate(AXE_SCRIPT)  # once, for both themes
    found = _found(page, impacts, {"rules": {_CONTRAST: {"enabled": False}}})
    found += _contrast(page, impacts)
    page.emulate_media(color_scheme="dark")
    dark = _found(page, impacts, {"runOnly": [_LINKS]}) + _contrast(page, impacts)
    page.emulate_media(color_scheme="light")
    return [*found, *(f"dark: {each}" for each in dark)]


def _contrast(page: Page, impacts: tuple[str, ...]) -> list[str]:
    return _found(page, impacts, {"runOnly": [_CONTRAST]}, kinds_alone=True)


def _found(page: Page, impacts: tuple[str, ...], rules: dict[str, Any], *, kinds_alone: bool = False) -> list[str]:
    found: list[str] = page.evaluate(_RUN, [rules, list(impacts), kinds_alone])
    return found
