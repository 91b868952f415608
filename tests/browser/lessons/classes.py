"""Helpers of browser tests of classes: open one, and join it."""

from playwright.sync_api import Page

from tests.browser.driver import Driver


def open_class(driver: Driver) -> str:
    """Open a class with the cluster on the screen, through the palette; return its code."""
    driver.open_palette()
    driver.page.keyboard.type("open a class with")
    driver.press("Enter")
    return driver.page.locator(".class-code").inner_text()


def join(page: Page, url: str, code: str, name: str) -> None:
    """Join a class of the playground at `url` as any visitor does: with its code and a name."""
    page.goto(f"{url}/join/{code}/")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Join").click()
