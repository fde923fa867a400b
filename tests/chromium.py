"""One real Chromium for all tests of a worker: ``browser``, for modules that run no asyncio of their own.

To start it takes seconds of processor time, and each page begins with a renderer of its own: what only makes a person
wait less, such as renderers that are started ahead, is switched off.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["SharedPage", "browser", "chromium", "shared_page"]

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# The first is a renderer started ahead; the others are what Playwright switches off, whose list this one replaces.
_DISABLED = (
    "SpareRendererForSitePerProcess,AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,"
    "HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,Translate,"
    "AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,NetworkTimeServiceQuerying,PreconnectToSearch"
)
_FLAGS = (
    "--no-sandbox --headless --disable-gpu --in-process-gpu --disable-quic --no-first-run --process-per-site "
    "--disable-background-networking --disable-component-update --disable-sync --disable-extensions "
    f"--disable-features={_DISABLED}"
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    """A real Chromium and its driver's loop; without one tests are skipped, or fail with PROCTOR_REQUIRE_BROWSER."""
    path = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        reason = f"no browser: none of {', '.join(_BROWSERS)} is installed"
        if os.environ.get("PROCTOR_REQUIRE_BROWSER"):  # noqa: TID251 - the tests' own switch, not the product's
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=_FLAGS.split())
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield started, loop
        asyncio._set_running_loop(loop)
        started.close()


@pytest.fixture(scope="module")
def browser(chromium: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """The browser; its driver's loop counts as running only while a module uses it: others can run their own."""
    started, loop = chromium
    asyncio._set_running_loop(loop)
    yield started
    asyncio._set_running_loop(None)


class SharedPage:
    """A page that one test after the other has to itself: a new one costs two renderers."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._listening: list[tuple[Any, Any]] = []

    def taken(self, *, viewport: Any = None, color_scheme: Any = "light", **listeners: Callable[[Any], None]) -> Page:
        """Return the page for a test, with its listeners to events."""
        self._page.set_viewport_size({"width": 1280, "height": 720} if viewport is None else viewport)
        self._page.emulate_media(color_scheme=color_scheme)
        for event, listener in listeners.items():
            self._page.on(event, listener)  # type: ignore[call-overload]
            self._listening.append((event, listener))
        return self._page

    def given_back(self) -> None:
        """Forget what the test did."""
        for event, listener in self._listening:
            self._page.remove_listener(event, listener)
        self._listening.clear()
        self._page.evaluate("localStorage.clear(), sessionStorage.clear()")
        self._page.goto("about:blank")


@pytest.fixture(scope="module")
def shared_page(browser: Browser) -> Iterator[SharedPage]:
    """A page that the tests of a module use one after the other."""
    page = browser.new_page()
    yield SharedPage(page)
    page.close()
