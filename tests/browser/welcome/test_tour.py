"""The tour: begins when somebody asks for it, in the opening or later, and ends when they like."""

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Driver
from tests.browser.driver import settle
from tests.browser.whole_page.test_accessible import violations


def ask(driver: Driver) -> None:
    driver.press("?")
    driver.page.get_by_role("button", name="Take the tour").click()
    expect(bubble(driver, 1)).to_be_visible()


def bubble(driver: Driver, step: int) -> Locator:
    return driver.page.locator(f".tour-bubble[data-step='{step}']")


def test_five_steps_by_keyboard(driver: Driver) -> None:
    driver.open("three-zones")
    expect(driver.page.locator(".tour-bubble")).to_have_count(0)
    ask(driver)
    expect(driver.page.locator(".tour-bubble .primary")).to_be_focused()
    for step in (2, 3, 4, 5):
        driver.press("Enter")
        expect(bubble(driver, step)).to_be_visible()
        expect(driver.page.locator(".tour-bubble .primary")).to_be_focused()
    driver.press("ArrowLeft")
    expect(bubble(driver, 4)).to_be_visible()
    driver.press("ArrowRight", "Enter")
    expect(driver.page.locator(".tour-bubble")).to_have_count(0)


def test_the_page_works_under_it_and_escape_ends_it(driver: Driver) -> None:
    driver.open("three-zones")
    ask(driver)
    driver.next_cycle(1)
    driver.press("Escape")
    expect(driver.page.locator(".tour-bubble")).to_have_count(0)
    ask(driver)
    driver.page.get_by_role("button", name="Skip the tour").click()
    expect(driver.page.locator(".tour-bubble")).to_have_count(0)


def test_what_it_points_at_is_on_the_screen(driver: Driver) -> None:
    driver.open("three-zones")
    for width, height in ((1440, 900), (390, 844)):
        driver.page.set_viewport_size({"width": width, "height": height})
        driver.page.evaluate("async () => (await import('/static/js/welcome/tour.js')).startTour()")
        for step in range(1, 6):
            expect(bubble(driver, step)).to_be_visible()
            settle(driver.page)
            for part in (".tour-bubble", ".tour-frame"):
                box = driver.page.locator(part).bounding_box()
                assert box and box["width"] > 20, (width, step, part)
                assert box["x"] >= -4 and box["x"] + box["width"] <= width + 4, (width, step, part)
            assert violations(driver.page) == []
            driver.page.locator(".tour-bubble .primary").click()
        expect(driver.page.locator(".tour-bubble")).to_have_count(0)
