"""The frame of the dashboard in a real browser."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.server.pages.served import ServedDashboard


def test_somebody_who_is_signed_in_sees_the_first_page(browser: Browser, dashboard: ServedDashboard) -> None:
    page = dashboard.page(browser)
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    expect(page.get_by_text("ada")).to_be_visible()


def test_an_empty_project_has_pages_too(browser: Browser, empty_dashboard: ServedDashboard) -> None:
    expect(empty_dashboard.page(browser).get_by_role("navigation", name="Pages")).to_be_visible()
