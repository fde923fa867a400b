"""Take the pictures of docs/dashboard.md: `proctor serve --demo` in a real browser, one picture of every page.

    python docs/dashboard_pictures.py                 # all, into docs/pictures
    python docs/dashboard_pictures.py alerts --to DIR  # one of them, elsewhere

Needs Chromium and Playwright, which are for development only.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.server.pages.served import ServedDashboard, served

from proctor.cli.demo_project import fill_demo, is_demo, write_demo

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

GOAL = Path(__file__).parent / "pictures"
SIZE = {"width": 1180, "height": 820}
MAX_BYTES = 100_000
# name -> where it is, or the page and the first link of it that leads to this place
PICTURES: dict[str, tuple[str, str]] = {
    "overview": ("/", ""),
    "conversations": ("/conversations", ""),
    "conversation": ("/conversations?signal=score/grounded", "/ui/conversations/"),
    "alerts": ("/alerts?state=all", ""),
    "alert": ("/alerts?state=all", "/ui/alerts/"),
    "monitoring": ("/monitoring", ""),
    "audit": ("/audit", ""),
    "audit-rate": ("/audit/rate", ""),
    "guard": ("/guard", ""),
    "guard-review": ("/guard/review", ""),
    "guard-what-if": ("/guard/what-if", ""),
    "redteam": ("/redteam", ""),
    "redteam-campaign": ("/redteam", "/ui/redteam/desk"),
    "runs": ("/runs", ""),
    "run-compare": ("/runs", "/ui/runs/compare?a="),
    "run-case": ("/runs?decision=failed", "/ui/runs/2"),
    "prompts": ("/prompts", "/ui/prompts/"),
    "drift": ("/drift", ""),
}


@contextmanager
def _chromium() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    path = next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def take(dashboard: ServedDashboard, browser: Browser, names: list[str], goal: Path, **more: Any) -> None:
    """Take some pictures; ``more`` goes to the browser's context."""
    page = dashboard.page(browser, **{"viewport": SIZE, "locale": "en-GB", "timezone_id": "UTC", **more})
    for name in names:
        _go(dashboard, page, *PICTURES[name])
        page.wait_for_timeout(400)  # the script draws time series
        data = _small(page)
        (goal / f"dashboard-{name}.png").write_bytes(data)
        print(f"{name}: {len(data):,} bytes")


def _go(dashboard: ServedDashboard, page: Page, path: str, link: str) -> None:
    page.goto(f"{dashboard.url}/ui{path}")
    if link:
        found = page.locator(f"main a[href^='{link}']").first
        if found.count():
            page.goto(f"{dashboard.url}{found.get_attribute('href')}")


def _small(page: Page) -> bytes:
    """Return a picture that is small enough for a page of the docs: of the upper part of a page, if it must be."""
    size = page.viewport_size or SIZE
    for height in (size["height"], 700, 560, 420):
        data = page.screenshot(clip={"x": 0, "y": 0, "width": size["width"], "height": min(height, size["height"])})
        if len(data) <= MAX_BYTES:
            break
    return data


def main() -> None:
    """Take the pictures that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *PICTURES], metavar="NAME")
    parser.add_argument("--to", type=Path, default=GOAL)
    parser.add_argument("--demo", type=Path, help="the folder of a demo (`proctor serve --demo --keep`), to use again")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--phone", action="store_true")
    given = parser.parse_args()
    folder = given.demo or Path(tempfile.mkdtemp(prefix="proctor-demo-")) / "demo"
    if not is_demo(folder):
        fill_demo(write_demo(folder), tell=print)
    given.to.mkdir(parents=True, exist_ok=True)
    more: dict[str, Any] = {"color_scheme": "dark" if given.dark else "light"}
    if given.phone:
        more["viewport"] = {"width": 390, "height": 844}
    with _chromium() as browser, served(folder) as dashboard:
        take(dashboard, browser, given.names or list(PICTURES), given.to, **more)


if __name__ == "__main__":
    main()
