"""The lanes are in step with the cycle on the screen: they do not wait to be told what is known already."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Driver
from tests.browser.driver import Answers

pytestmark = pytest.mark.one_page


def hold_answers(page: Page, asked: Answers) -> None:
    """From now on no answer about the lanes comes.

    One on its way is awaited: it is read in several statements, and might tell of half of the next cycle.
    """
    asked.settle()
    held: list[Route] = []
    page.route(re.compile("/queue/"), lambda route: held.append(route))


def test_a_bound_pod_is_out_of_its_lane_with_the_last_step(driver: Driver) -> None:
    asked = Answers(driver.page)
    driver.open("three-zones")
    driver.next_cycle(1)
    page, lane = driver.page, driver.lane("active")
    expect(lane.locator(".count")).to_have_text("13")
    first, second = (lane.locator(".pod-row").nth(index).get_attribute("title") for index in (0, 1))
    row = page.query_selector(f'[data-lane=active] .pod-row[title="{second}"]')
    assert row
    hold_answers(page, asked)
    driver.next_cycle(2)
    # Asked or not: no answer about the lanes has come.
    expect(lane.locator(".count")).to_have_text("12")
    expect(lane.locator(f'.pod-row[title="{first}"]')).to_have_count(0)
    assert row.evaluate("(one) => one.isConnected"), "who was about to click it clicks it"
    page.unroute(re.compile("/queue/"))
    expect(lane.locator(".count")).to_have_text("12")


def test_in_the_past_the_lanes_are_never_those_of_now(driver: Driver) -> None:
    cluster = driver.prepare("three-zones", 4)
    asked = Answers(driver.page)
    driver.show(cluster, "&t=1")
    driver.cycle(1)
    page, lane = driver.page, driver.lane("active")
    expect(lane.locator(".count")).to_have_text("13")
    hold_answers(page, asked)
    driver.next_cycle(2)
    expect(lane.locator(".count")).to_have_text("12")
    driver.press("[")
    driver.cycle(1)
    expect(lane.locator(".count")).not_to_have_text("10")
    page.unroute(re.compile("/queue/"))
    expect(lane.locator(".count")).to_have_text("13")


def test_a_pod_that_failed_is_in_its_lane_with_the_last_step(driver: Driver) -> None:
    cluster = driver.create(None)
    status = {"allocatable": {"cpu": "1", "pods": "9"}}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": status}
    containers = [{"name": "app", "resources": {"requests": {"cpu": "2"}}}]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": containers}}
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": [node, pod]})
    asked = Answers(driver.page)
    driver.show(cluster)
    page = driver.page
    expect(driver.lane("active").locator(".count")).to_have_text("1")
    hold_answers(page, asked)
    driver.next_cycle(1)
    expect(driver.lane("active").locator(".count")).to_have_text("0")
    row = driver.lane("unschedulable").locator(".pod-row")
    expect(row).to_have_attribute("title", "default/web")
    expect(row.locator(".detail")).to_have_text("")
    page.unroute(re.compile("/queue/"))
