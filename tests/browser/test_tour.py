"""The first-run tour: begins by itself once, can be skipped, is remembered, and can be had again."""

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Driver
from tests.browser.test_accessible import violations

UNSEEN = """if (!sessionStorage.getItem('unseen')) {
  sessionStorage.setItem('unseen', '1');
  localStorage.setItem('playground.tour', 'false');
}"""


def first_visit(driver: Driver) -> None:
    driver.page.add_init_script(UNSEEN)
    driver.open("three-zones")
    expect(bubble(driver, 1)).to_be_visible()


def bubble(driver: Driver, step: int) -> Locator:
    return driver.page.locator(f".tour-bubble[data-step='{step}']")


def test_five_steps_by_keyboard_and_never_again(driver: Driver) -> None:
    first_visit(driver)
    # It takes the focus from nobody, and the page goes on working under it.
    driver.next_cycle(1)
    driver.page.locator(".tour-bubble .primary").focus()
    for step in (2, 3, 4, 5):
        driver.press("Enter")
        expect(bubble(driver, step)).to_be_visible()
        expect(driver.page.locator(".tour-bubble .primary")).to_be_focused()
    driver.press("ArrowLeft")
    expect(bubble(driver, 4)).to_be_visible()
    driver.press("ArrowRight", "Enter")
    expect(driver.page.locator(".tour-bubble")).to_have_count(0)
    driver.page.reload()
    expect(driver.page.get_by_role("button", name="Play")).to_be_enabled()
    expect(driver.page.locator(".tour-bubble")).to_have_count(0)


def test_skipped_with_escape_and_had_again_from_the_help(driver: Driver) -> None:
    first_visit(driver)
    driver.press("Escape")
    expect(driver.page.locator(".tour-bubble")).to_have_count(0)
    driver.press("?")
    driver.page.get_by_role("button", name="Take the tour").click()
    expect(bubble(driver, 1)).to_be_visible()
    expect(driver.page.locator(".tour-bubble .primary")).to_be_focused()
    driver.page.get_by_role("button", name="Skip the tour").click()
    expect(driver.page.locator(".tour-bubble")).to_have_count(0)


def test_what_it_points_at_is_on_the_screen(driver: Driver) -> None:
    first_visit(driver)
    for width, height in ((1440, 900), (390, 844)):
        driver.page.set_viewport_size({"width": width, "height": height})
        for step in range(1, 6):
            expect(bubble(driver, step)).to_be_visible()
            driver.page.wait_for_timeout(300)
            for part in (".tour-bubble", ".tour-frame"):
                box = driver.page.locator(part).bounding_box()
                assert box and box["width"] > 20, (width, step, part)
                assert box["x"] >= -4 and box["x"] + box["width"] <= width + 4, (width, step, part)
            assert violations(driver.page) == []
            if step < 5:
                driver.page.locator(".tour-bubble .primary").click()
        driver.page.evaluate("async () => (await import('/static/js/tour.js')).startTour()")
