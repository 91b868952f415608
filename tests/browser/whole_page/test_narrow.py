"""Small screens: nothing sticks out, everything is there as tabs."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.browser.driver import settle

OVERFLOW = """() => [...document.querySelectorAll("body *")]
  .filter((e) => e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 1)
  // What scrolls inside a box of its own, or is only there for screen readers, sticks out of nothing.
  .filter((e) => !e.closest(".scroll, .sr, .skip, .cm-scroller, svg"))
  .map((e) => e.outerHTML.slice(0, 160))"""


@pytest.mark.parametrize("width", [320, 390, 768, 820, 1024, 2560])
def test_nothing_sticks_out(driver: Driver, width: int) -> None:
    driver.page.set_viewport_size({"width": width, "height": 844})
    driver.open("gpu-pool")
    driver.next_cycle(1)
    panels = ["Cluster", "Matrix", "Queues", "Details"] if width < 900 else [None]
    for panel in panels:
        if panel:
            driver.page.get_by_role("tab", name=panel).click()
        settle(driver.page)
        assert driver.page.evaluate(OVERFLOW) == []
        assert driver.page.evaluate("document.documentElement.scrollWidth") <= width
        assert driver.page.evaluate("document.documentElement.scrollHeight") <= 844


@pytest.mark.parametrize("key", ["i", "n", "?"])
def test_dialogs_fit_a_phone(driver: Driver, key: str) -> None:
    driver.page.set_viewport_size({"width": 320, "height": 640})
    driver.open("gpu-pool")
    driver.press(key)
    expect(driver.page.get_by_role("dialog")).to_be_visible()
    settle(driver.page)
    assert driver.page.evaluate(OVERFLOW) == []


def test_a_phone_can_do_it_all(driver: Driver) -> None:
    driver.page.set_viewport_size({"width": 390, "height": 844})
    driver.open("nearly-full")
    page = driver.page
    forward = page.get_by_role("button", name="Cycle", exact=True)
    forward.click()
    driver.cycle(1)
    expect(page.locator(".node[data-verdict=chosen], .node[data-verdict=rejected]").first).to_be_visible()
    page.get_by_role("tab", name="Matrix").click()
    expect(page.locator("#matrix .grid-rows .grid-row").first).to_be_visible()
    page.get_by_role("tab", name="Queues").click()
    page.locator("[data-lane=active] .pod-row").first.click()
    expect(page.get_by_role("tab", name="Details")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tab", name="Pod")).to_have_attribute("aria-selected", "true")
    page.locator(".top").get_by_role("button", name="More").click()
    page.get_by_role("button", name="Dark theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768), (390, 844)])
def test_a_notice_covers_no_button_of_the_transport(driver: Driver, width: int, height: int) -> None:
    driver.page.set_viewport_size({"width": width, "height": height})
    driver.open("gpu-pool")
    # A key that has nothing to do says so.
    driver.press("c")
    notice = driver.page.locator(".notice")
    expect(notice).to_be_visible()
    settle(driver.page)
    below, transport = notice.bounding_box(), driver.page.locator(".transport").bounding_box()
    assert below and transport
    assert below["y"] + below["height"] <= transport["y"]


def test_what_a_lesson_names_has_its_word_on_a_phone(driver: Driver) -> None:
    driver.page.set_viewport_size({"width": 390, "height": 844})
    driver.open("gpu-pool")
    for word in ("Step", "Cycle"):
        button = driver.page.locator(".transport").get_by_role("button", name=word, exact=True)
        expect(button).to_have_text(word)
        box = button.bounding_box()
        assert box
        assert box["height"] >= 40
        assert box["width"] >= 44
    settle(driver.page)
    assert driver.page.evaluate(OVERFLOW) == []
