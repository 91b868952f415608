"""Answers and stream frames that arrive late or in another order: the page ends up with the newest state."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, WebSocketRoute, expect

from tests.browser.conftest import Driver, is_command
from tests.services import wait_for

pytestmark = pytest.mark.one_page

CYCLES = re.compile(r"/clusters/\d+/cycles/\d+/")
LANES = re.compile(r"/queue/")
NODES = re.compile(r"/node-changes/")
REVISION = "async () => (await import('/static/js/base/store.js')).store.queue.value.revision"

UP_TO_DATE = """async () => {
  const {store} = await import('/static/js/base/store.js');
  return [store.queue, store.nodes].every((part) => part.value.revision === store.cluster.value.revision);
}"""


def open_before_the_run(driver: Driver) -> int:
    cluster = driver.open("three-zones")
    driver.page.get_by_label("Playback speed").select_option("0")
    driver.next_cycle(1)
    return cluster


def who_waits(page: Page) -> Locator:
    return page.locator(".notice", has_text="The run is over. 4 Pods are pending.")


def without_matrix(frame: str) -> str:
    return json.dumps({name: value for name, value in json.loads(frame).items() if name != "matrix"})


def leave_out_matrices(socket: WebSocketRoute) -> None:
    server = socket.connect_to_server()
    server.on_message(lambda frame: socket.send(without_matrix(str(frame))))


def test_the_end_of_a_run_is_told_before_its_last_cycle_is_on_the_screen(driver: Driver) -> None:
    """The page has to ask for the last cycle's matrix, and has no answer yet when the run is over."""
    driver.page.route_web_socket(re.compile("/ws/clusters/"), leave_out_matrices)
    cluster = open_before_the_run(driver)
    held: list[Route] = []
    driver.page.route(CYCLES, lambda route: held.append(route))
    driver.press("s", "k")
    expect(who_waits(driver.page)).to_be_visible()
    # The key works as well: it leads to one of the pods that wait, as soon as its attempt can be shown.
    driver.press("w")
    assert held, "the page asks for a cycle"
    driver.page.unroute(CYCLES)
    expect(driver.page.locator("#side-panel h3").first).to_contain_text("0 of 12 nodes can take")
    assert driver.get(f"clusters/{cluster}/")["cycle"] > 1


def test_lanes_that_were_overtaken_are_dropped(driver: Driver) -> None:
    open_before_the_run(driver)
    late: list[tuple[Route, Any]] = []

    def hold_the_first(route: Route) -> None:
        if late:
            route.continue_()
        else:
            late.append((route, route.fetch()))

    driver.page.route(LANES, hold_the_first)
    driver.next_cycle(2)
    driver.press("s", "k")
    expect(who_waits(driver.page)).to_be_visible()
    newest = driver.page.evaluate(REVISION)
    [(route, answer)] = late
    assert answer.json()["revision"] < newest
    with driver.page.expect_response(LANES):
        route.fulfill(response=answer)
    expect(driver.lane("unschedulable").locator(".count")).to_have_text("4")
    assert driver.page.evaluate(REVISION) == newest


@pytest.mark.parametrize("part", [LANES, NODES], ids=["lanes", "nodes"])
def test_a_busy_server_is_asked_again(driver: Driver, part: re.Pattern[str]) -> None:
    """No record follows the end of a run: the page has to ask again by itself."""
    cluster = open_before_the_run(driver)
    page = driver.page
    page.route(part, lambda route: route.fulfill(status=503, json={"problems": [{"path": "", "rule": "busy"}]}))
    with page.expect_response(lambda answer: is_command(answer.request), timeout=60_000) as posted:
        driver.press("s", "k")
    path = f"clusters/{cluster}/commands/{posted.value.json()['number']}/"
    wait_for(lambda: driver.get(path)["state"] == "done", "the end of the run")
    # Twice: the first request may have been on its way since the run.
    for _ in range(2):
        with page.expect_response(part, timeout=60_000):
            pass
    page.unroute(part)
    expect(who_waits(page)).to_be_visible()
    page.wait_for_function(UP_TO_DATE, timeout=60_000)
