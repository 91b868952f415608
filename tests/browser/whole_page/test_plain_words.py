"""Plain words for rejections and moves, with upstream's term one hover or one key away."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver

pytestmark = pytest.mark.one_page


def test_a_rejection_is_said_in_plain_words(driver: Driver) -> None:
    driver.open("gpu-pool")
    driver.next_cycle(1)
    words = driver.page.locator(".node[data-verdict=rejected] .node-word").first
    expect(words).to_contain_text(re.compile("not matching the pod's|taint .+=.+:NoSchedule not tolerated|too little"))
    expect(words).to_have_attribute("title", re.compile(r"^(node\(s\) |Insufficient )"))
    group = driver.page.locator("#matrix .group-name").first
    expect(group).to_have_attribute("title", re.compile(r"node\(s\) |Insufficient "))
    expect(group).not_to_contain_text("node(s)")


def test_the_nodes_tab_shows_what_the_pod_adds_as_the_card_does(driver: Driver) -> None:
    driver.open("gpu-pool")
    driver.next_cycle(1)
    chosen = driver.page.locator(".node[data-verdict=chosen]")
    expect(chosen.locator(".bar .add").first).to_be_attached()
    card = chosen.locator(".bar .add").evaluate_all("(bars) => bars.map((bar) => [bar.style.left, bar.style.width])")
    assert card
    chosen.click()
    added = driver.page.locator("#side-panel .usage .bar .add")
    expect(added).to_have_count(len(card))
    assert added.evaluate_all("(bars) => bars.map((bar) => [bar.style.left, bar.style.width])") == card
    assert all(bar["height"] > 0 for bar in (added.nth(at).bounding_box() for at in range(len(card))) if bar)


def test_a_move_is_said_in_plain_words_and_its_term_is_a_key_away(driver: Driver) -> None:
    driver.open("three-zones")
    made = driver.page.locator(".moves li").first
    expect(made.locator("p")).to_have_text(re.compile("^new pod → Active"))
    expect(made.locator("p")).to_have_attribute("title", "UnschedulablePodAdd")
    made.get_by_role("button", name="What is UnschedulablePodAdd?").focus()
    driver.press("Enter")
    panel = made.get_by_role("note")
    expect(panel).to_contain_text("UnschedulablePodAdd")
    expect(panel.get_by_role("link")).to_have_attribute("href", re.compile("kubernetes.io"))
    driver.press("Escape")
    expect(panel).to_have_count(0)
