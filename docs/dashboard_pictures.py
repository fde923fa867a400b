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
# name -> where it is, then the links to follow from there: the first one of the page with this in its address. What
# begins with & is added to the address.
PICTURES: dict[str, tuple[str, ...]] = {
    "overview": ("/",),
    "conversations": ("/conversations",),
    "conversation": ("/conversations?signal=score/grounded", "/ui/conversations/"),
    "alerts": ("/alerts?state=all",),
    "alert": ("/alerts?state=all&rule=attacks", "/ui/alerts/"),
    "monitoring": ("/monitoring",),
    "audit": ("/audit",),
    "audit-rate": ("/audit/rate",),
    "audit-settle": ("/audit?week=last", "/ui/audit/settle/"),
    "guard": ("/guard",),
    "guard-decision": ("/alerts?state=all&rule=attacks", "/ui/alerts/", "/ui/guard?", "&action=block", "event="),
    "guard-review": ("/guard/review",),
    "guard-what-if": ("/guard/what-if",),
    "redteam": ("/redteam",),
    "redteam-campaign": ("/redteam/desk",),
    "redteam-finding": ("/redteam", "/ui/redteam/desk/findings/"),
    "redteam-attempt": ("/redteam/desk?tab=attempts", "/ui/redteam/desk/attempts/"),
    "runs": ("/runs",),
    "run": ("/runs?suite=golden&decision=failed", "/ui/runs/2"),
    "run-case": ("/runs?suite=golden&decision=failed", "/ui/runs/2", "/cases/"),
    "run-compare": ("/runs?suite=golden&decision=failed", "/ui/runs/compare?"),
    "run-case-pair": ("/runs?suite=golden&decision=failed", "/ui/runs/compare?", "/ui/runs/compare/case"),
    "prompts": ("/prompts",),
    "prompt": ("/prompts", "/ui/prompts/"),
    "drift": ("/drift",),
    "sign-in": ("/sign-in",),
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


def take(
    dashboard: ServedDashboard, browser: Browser, names: list[str], goal: Path, *, is_whole: bool = False, **more: Any
) -> None:
    """Take some pictures, of whole pages if asked; ``more`` goes to the browser's context."""
    page = dashboard.page(browser, **{"viewport": SIZE, "locale": "en-GB", "timezone_id": "UTC", **more})
    for name in names:
        _go(dashboard, page, *PICTURES[name])
        page.wait_for_timeout(400)  # the script draws time series
        data = page.screenshot(full_page=True) if is_whole else _small(page)
        (goal / f"dashboard-{name}.png").write_bytes(data)
        print(f"{name}: {len(data):,} bytes")


def _go(dashboard: ServedDashboard, page: Page, path: str, *links: str) -> None:
    page.goto(f"{dashboard.url}/ui{path}")
    for link in links:
        if link.startswith("&"):
            page.goto(page.url + link)
            continue
        found = page.locator(f"main a[href*='{link}']").first
        if not found.count():
            raise SystemExit(f"{page.url} has no link with {link}")
        page.goto(f"{dashboard.url}{found.get_attribute('href')}")


def _small(page: Page) -> bytes:
    """Return a picture that is small enough for a page of the docs: of the upper part of a page, if it must be."""
    size = page.viewport_size or SIZE
    for height in (size["height"], 760, 700, 640, 560, 480, 420):
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
    parser.add_argument(
        "--whole", action="store_true", help="of whole pages, for looking at them: larger than the docs take"
    )
    given = parser.parse_args()
    folder = given.demo or Path(tempfile.mkdtemp(prefix="proctor-demo-")) / "demo"
    if not is_demo(folder):
        fill_demo(write_demo(folder), tell=print)
    given.to.mkdir(parents=True, exist_ok=True)
    more: dict[str, Any] = {"color_scheme": "dark" if given.dark else "light"}
    if given.phone:
        more["viewport"] = {"width": 390, "height": 844}
    with _chromium() as browser, served(folder) as dashboard:
        take(dashboard, browser, given.names or list(PICTURES), given.to, is_whole=given.whole, **more)


if __name__ == "__main__":
    main()
