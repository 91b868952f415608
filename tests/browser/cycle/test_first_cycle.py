"""From the start to a bound pod and to one that finds no node."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver

pytestmark = pytest.mark.one_page


def test_an_example_is_one_click_away(driver: Driver) -> None:
    driver.page.goto(driver.url)
    driver.page.locator(".cluster-menu > button").click()
    driver.page.get_by_role("button", name=re.compile("Nearly full 12 nodes, 25 pods")).last.click()
    expect(driver.page.locator(".cluster .about")).to_contain_text("12 nodes · 3 zones")
    expect(driver.page.locator(".node")).to_have_count(12)
    expect(driver.page.get_by_text("emulates v1.36.3")).to_be_visible()
    expect(driver.page.get_by_text("No pod has been scheduled yet.")).to_be_visible()


def test_a_cycle_binds_a_pod(driver: Driver) -> None:
    driver.open("three-zones")
    driver.next_cycle(1)
    expect(driver.page.locator(".sentence .outcome")).to_contain_text("scheduled on")
    chosen = driver.page.locator(".node[data-verdict=chosen]")
    expect(chosen).to_have_count(1)
    name = chosen.get_attribute("data-node")
    expect(driver.page.locator("#matrix .chosen-row")).to_contain_text(str(name))
    expect(driver.page.locator("[data-point=Filter]")).to_have_attribute("data-state", "ran")
    expect(driver.page.locator("[data-point=PostFilter]")).to_have_attribute("data-state", "needless")
    driver.page.get_by_role("tab", name="Scores").click()
    expect(driver.page.locator(".side-title")).to_contain_text(f"{name} wins")
    driver.page.get_by_role("tab", name="Events").click()
    expect(driver.page.locator(".event").first).to_contain_text(f"to {name}")


def test_a_pod_without_a_node_is_explained(driver: Driver) -> None:
    driver.open("nearly-full")
    number = 1
    driver.next_cycle(number)
    while driver.page.locator(".sentence .outcome").inner_text() != "unschedulable":
        number += 1
        driver.next_cycle(number)
    expect(driver.page.locator("#side-panel h3").first).to_contain_text("0 of 12 nodes can take")
    message = driver.page.locator("[data-message]")
    expect(message).to_contain_text(re.compile(r"^0/12 nodes are available: "))
    expect(driver.page.locator("[data-point=Score]")).to_have_attribute("data-state", "unreached")
    expect(driver.page.locator("#matrix")).not_to_contain_text("Balance")
    reason = driver.page.locator(".tree [data-branch=reason] .reason-head").first
    reason.click()
    first = driver.page.locator(".name-list button").first
    name = first.inner_text()
    first.click()
    answer = driver.page.locator(f"[data-node-answer={name}]")
    expect(answer).to_contain_text(f"Why not {name}?")
    expect(answer).to_contain_text(reason.locator(".reason-text").inner_text())
    expect(driver.node(name)).to_have_attribute("aria-pressed", "true")


def test_preemption_shows_its_candidates(driver: Driver) -> None:
    driver.open("nearly-full")
    for number in range(1, 5):
        driver.next_cycle(number)
    card = driver.page.locator("[data-post-filter=DefaultPreemption]")
    expect(card).to_contain_text("is nominated")
    # It stands above and is loaded when it is first seen.
    expect(driver.page.get_by_role("button", name="What would make it fit?")).to_be_visible()
    card.get_by_role("button", name="Candidates").click()
    expect(driver.page.locator("[data-candidate]").first).to_contain_text("nominated")
    expect(driver.page.locator(".node", has_text="nominated")).to_have_count(1)


def test_play_runs_to_the_end_and_pause_stops(driver: Driver) -> None:
    driver.open("gpu-pool")
    driver.page.get_by_label("Playback speed").select_option("1")
    driver.press("Space")
    pause = driver.page.get_by_role("button", name="Pause")
    expect(pause).to_be_visible()
    driver.cycle(1)
    pause.click()
    expect(driver.page.get_by_role("button", name="Play")).to_be_enabled()
    driver.page.get_by_label("Playback speed").select_option("0")
    driver.press("Space")
    expect(driver.page.locator(".where")).to_contain_text("cycle 16 / 16")
    expect(driver.lane("active").locator(".count")).to_have_text("0")
    expect(driver.lane("unschedulable").locator(".count")).to_have_text("3")
    expect(driver.lane("gated").locator(".count")).to_have_text("1")


def test_reset_asks_first_and_goes_back_to_the_start(driver: Driver) -> None:
    driver.open("gpu-pool")
    driver.next_cycle(1)
    driver.page.get_by_role("button", name="Reset to the start").click()
    driver.page.get_by_role("dialog").get_by_role("button", name="Reset").click()
    expect(driver.page.get_by_text("No pod has been scheduled yet.")).to_be_visible()
    expect(driver.lane("active").locator(".count")).to_have_text("16")
