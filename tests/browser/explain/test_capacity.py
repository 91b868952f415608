"""Capacity on the page, by keyboard: what breaks, as colours of the nodes; what would make a pod fit, by its key."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.browser.explain.test_repairs import waiting
from tests.services import wait_for

pytestmark = pytest.mark.one_page


def test_what_breaks_is_shown_on_the_cluster(driver: Driver) -> None:
    waiting(driver)
    page = driver.page
    page.keyboard.press("Control+k")
    expect(page.locator("dialog input")).to_be_focused()
    page.keyboard.type("capacity")
    expect(page.locator("dialog [role=option][aria-selected=true]")).to_contain_text("capacity")
    page.keyboard.press("Enter")
    expect(page.locator("[data-capacity=there]")).to_be_visible()
    expect(page.locator("[data-failure]")).to_have_count(2)
    page.locator("[data-heat-map]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog")).to_have_count(0)
    legend = page.locator(".cluster .legend")
    expect(legend).to_contain_text("all Pods find another node")
    legend.get_by_role("button", name="end").click()
    expect(legend).not_to_contain_text("all Pods find another node")


def test_one_change_lets_many_in(driver: Driver) -> None:
    """By keyboard: the change is found for both pods, carried out, and both have a node; undone, both wait again."""
    cluster = waiting(driver, ("p", "q"))
    page = driver.page
    page.keyboard.press("Control+k")
    expect(page.locator("dialog input")).to_be_focused()
    page.keyboard.type("capacity")
    expect(page.locator("dialog [role=option][aria-selected=true]")).to_contain_text("capacity")
    page.keyboard.press("Enter")
    expect(page.locator("[data-capacity=there]")).to_be_visible()
    page.get_by_role("button", name="shared fix", exact=True).focus()
    page.keyboard.press("Enter")
    first = page.locator("[data-many]").first
    expect(first).to_contain_text("verified for all 2 pods")
    expect(first).to_contain_text("Tolerate db:NoSchedule")
    expect(page.locator("[data-capacity=there]")).to_be_visible()
    first.get_by_role("button", name="Apply", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog")).to_have_count(0)
    places = [f"clusters/{cluster}/pods/default/{name}/" for name in "pq"]
    wait_for(lambda: all(driver.get(place)["node"] == "tainted" for place in places), "both pods on the node")
    undo = page.locator("[data-applied]").get_by_role("button", name="Undo")
    expect(undo).to_be_enabled()
    undo.focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-applied]")).to_have_count(0)
    wait_for(lambda: not any(driver.get(place)["node"] for place in places), "both pods waiting again")


def test_a_key_asks_what_would_make_it_fit(driver: Driver) -> None:
    waiting(driver)
    page = driver.page
    page.keyboard.press("r")
    expect(page.locator("#tab-pod")).to_be_focused()
    expect(page.locator(".repair").first).to_contain_text("Tolerate db:NoSchedule")


# Answers to the first question wait until they are let go.
HOLD = """() => {
  window.fetched = window.fetch;
  window.held = [];
  window.fetch = (url, options) => String(url).includes('/capacity/failures/')
    ? new Promise((done) => window.held.push(() => done(window.fetched(url, options)))) : window.fetched(url, options);
}"""
LET_GO = "() => { window.fetch = window.fetched; window.held.splice(0).forEach((go) => go()); }"


def test_an_answer_takes_no_press_away(driver: Driver) -> None:
    """It comes between the press and the release: what is pressed stays where it is."""
    waiting(driver)
    page = driver.page
    page.evaluate(HOLD)
    try:
        driver.open_palette()
        page.keyboard.type("capacity")
        expect(page.locator("dialog [role=option][aria-selected=true]")).to_contain_text("capacity")
        page.keyboard.press("Enter")
        expect(page.locator("[data-capacity=asking]")).to_be_visible()
        page.wait_for_function("window.held.length > 0")
        page.get_by_role("button", name="drainable nodes", exact=True).hover()
        page.mouse.down()
        page.evaluate(LET_GO)
        expect(page.locator("[data-capacity=there]")).to_be_visible()
        expect(page.locator("[data-failure]")).to_have_count(2)
        page.mouse.up()
        expect(page.locator("dialog .segments [aria-pressed=true]")).to_have_text("drainable nodes")
    finally:
        page.evaluate(LET_GO)
