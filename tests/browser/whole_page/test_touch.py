"""A phone under a finger: what is pressed of the workloads is large enough, and nothing sticks out or is cut off."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import Page, expect

from tests.browser.driver import Driver, settle
from tests.core.controllers.chaos import workload
from tests.services import Playground, wait_for
from tests.web import node

FIT = (Path(__file__).parents[1] / "fit.js").read_text()
# What is there to be pressed and is smaller than a finger needs, in px; a radio button is pressed with its words.
SMALL = """(within) => [...document.querySelectorAll(within)]
  .flatMap((root) => [...root.querySelectorAll("button, select, summary, [role=slider], input:not([type=checkbox])")])
  .filter((one) => one.checkVisibility())
  .map((one) => [one, (one.type === "radio" ? one.closest("label") : one).getBoundingClientRect()])
  .filter(([, {width, height}]) => width < 44 || height < 44)
  .map(([one, {width, height}]) => `${width}x${height} ${one.outerHTML.slice(0, 120)}`)"""
# Buttons of the transport that lie over their neighbour, or beyond the edge.
COVERED = """() => [...document.querySelectorAll(".transport .buttons button")]
  .map((one) => one.getBoundingClientRect())
  .filter((box, i, all) => box.right > innerWidth || all.slice(i + 1).some((other) =>
    other.left < box.right - 0.5 && other.right > box.left && other.top < box.bottom && other.bottom > box.top,
  )).length"""
ARRIVALS: dict[str, Any] = {
    "apiVersion": "playground.kube-scheduler/v1",
    "kind": "Arrivals",
    "metadata": {"name": "evening", "namespace": "default"},
    "spec": {
        "curve": "0h=5 12h=120",
        "template": {"spec": {"containers": [{"name": "main", "image": "work"}]}},
    },
}


@pytest.fixture
def phone(second_page: Callable[..., Page], playground_server: Playground) -> Driver:
    page = second_page(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    driver = Driver(page, playground_server.url)
    driver.show(
        driver.prepare_living([node("a"), workload("Deployment", "web", replicas=2), ARRIVALS], seconds=60),
    )
    return driver


def is_large(driver: Driver, within: str) -> None:
    settle(driver.page)
    assert driver.page.evaluate(SMALL, within) == []
    assert driver.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert driver.page.evaluate(FIT) == []


def test_a_rollout(phone: Driver) -> None:
    page = phone.page
    page.get_by_role("tab", name="Queues").tap()
    web = page.locator("[data-workload='Deployment/default/web']")
    web.locator("summary").first.tap()
    pods = web.get_by_role("slider", name="Pods of web over time")
    expect(pods).to_be_visible()
    is_large(phone, ".workloads, .over-time")
    pods.tap(position={"x": 2, "y": 20})
    expect(page.locator(".lane-entry")).to_contain_text("replicaset")
    web.get_by_role("button", name="Enlarge").tap()
    expect(page.get_by_role("dialog")).to_contain_text("2 of 2 ready")
    is_large(phone, "dialog")


def test_the_lanes_and_charts(phone: Driver) -> None:
    page = phone.page
    page.get_by_role("slider", name="Component activity").tap(position={"x": 2, "y": 20})
    page.locator("[data-charts-switch]").tap()
    expect(page.locator("[data-chart=phases]")).to_be_visible()
    is_large(phone, ".over-time")


def test_an_import_that_may_live(phone: Driver) -> None:
    page = phone.page
    page.evaluate("async () => (await import('/static/js/base/screen.js')).openDialog('import')")
    dialog = page.get_by_role("dialog")
    phone.write(dialog.locator(".cm-content"), yaml.safe_dump(workload("Deployment", "shop", replicas=2)))
    dialog.get_by_role("radio", name="a new cluster").tap()
    expect(dialog.locator("[data-living]")).to_be_visible()
    is_large(phone, "dialog")


def test_the_terminal(phone: Driver) -> None:
    page = phone.page
    phone.press("K")
    page.locator(".tokens summary").tap()
    is_large(phone, ".terminal")


def test_the_queues(phone: Driver) -> None:
    page = phone.page
    page.get_by_role("tab", name="Queues").tap()
    expect(page.locator(".moves .link")).not_to_have_count(0)
    expect(page.locator(".what-button")).not_to_have_count(0)
    is_large(phone, ".queues")
    lane = page.locator("[data-lane=active]")
    lane.get_by_role("button", name="What is Active?").tap()
    expect(lane.get_by_role("note")).to_contain_text("Ready to be tried")


def test_a_breakpoint(phone: Driver) -> None:
    page = phone.page
    page.get_by_role("button", name="More steps").tap()
    is_large(phone, ".menu-panel")
    page.locator(".menu-panel").get_by_text("breakpoints", exact=True).tap()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("stop at").select_option("reconcile")
    dialog.get_by_role("button", name="Add", exact=True).tap()
    expect(dialog.locator(".breakpoints")).to_contain_text("a controller acts")
    is_large(phone, "dialog")


def test_a_load_is_drawn(phone: Driver) -> None:
    page = phone.page
    page.evaluate(
        """async () => (await import('/static/js/base/screen.js'))
          .openDialog('object', {kind: 'Arrivals', objectKey: 'default/evening'})"""
    )
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="form").tap()
    curve = dialog.locator(".curve-box")
    curve.scroll_into_view_if_needed()
    is_large(phone, "dialog")
    box = curve.bounding_box()
    assert box is not None
    finger = page.context.new_cdp_session(page)
    x, y = box["x"], box["y"] + box["height"] / 2
    for kind, at in (("touchStart", 0.4), ("touchMove", 0.5), ("touchMove", 0.6)):
        points = [{"x": x + at * box["width"], "y": y}]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    drawn = dialog.locator(".curve > input")
    expect(drawn).not_to_have_value("0h=5 12h=120")
    text = drawn.input_value()
    dialog.get_by_role("button", name="Apply").tap()
    expect(dialog).to_have_count(0)
    assert phone.get(f"clusters/{phone.current()}/objects/Arrivals/default/evening/")["spec"]["curve"] == text


def test_buttons_of_the_transport_cover_none_of_them(phone: Driver) -> None:
    """With undo and redo there are nine."""
    cluster = phone.current()
    phone.post(f"clusters/{cluster}/commands/", {"kind": "cordon", "node": "a"})
    wait_for(lambda: phone.get(f"clusters/{cluster}/")["state"] == "idle", "the cordon")
    phone.post(f"clusters/{cluster}/undo/", {})
    expect(phone.page.get_by_role("button", name="Redo", exact=True)).to_be_visible()
    for width in (320, 360, 390, 430):
        phone.page.set_viewport_size({"width": width, "height": 844})
        settle(phone.page)
        assert phone.page.evaluate(COVERED) == 0, width
