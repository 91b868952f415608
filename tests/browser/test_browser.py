"""The browser that the other tests drive really runs."""

from playwright.sync_api import Page


def test_chromium_draws(page: Page) -> None:
    page.set_content("<h1>Pending</h1>")
    assert page.get_by_role("heading", name="Pending").is_visible()
