"""For browser tests of classes: open one, and come in."""

from playwright.sync_api import Page

from tests.browser.driver import Driver


def open_class(driver: Driver) -> str:
    """Open a class with the cluster on the screen, through the palette; its code."""
    driver.open_palette()
    driver.page.keyboard.type("open a class with")
    driver.press("Enter")
    return driver.page.locator(".class-code").inner_text()


def join(page: Page, url: str, code: str, name: str) -> None:
    """Come into a class of the playground at `url` as anybody does: with its code and a name."""
    page.goto(f"{url}/join/{code}/")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Join").click()
