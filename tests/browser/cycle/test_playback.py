"""Playback: slow motion in which nodes drop out, less motion where it is wished, and lanes in full."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Driver
from tests.browser.driver import outlast

pytestmark = pytest.mark.one_page

WATCH = """() => {
  window.seen = [];
  const look = () => {
    const count = (state) => document.querySelectorAll(`.node[data-verdict=${state}]`).length;
    const step = document.querySelector('.pipeline .head .about:last-of-type')?.textContent;
    const last = window.seen.at(-1);
    if (step !== last?.step) window.seen.push({step, rejected: count('rejected'), chosen: count('chosen')});
    requestAnimationFrame(look);
  };
  look();
}"""


def last_step(page: Page) -> int:
    text = page.locator(".pipeline .head .about").last.inner_text()
    return int(text.split()[1])


def test_slow_motion_drops_nodes_out_and_chooses_at_the_end(driver: Driver) -> None:
    driver.open("gpu-pool")
    driver.next_cycle(1)
    driver.page.get_by_label("Playback speed").select_option("16")
    driver.page.evaluate(WATCH)
    driver.page.locator("body").focus()
    driver.press("m")
    expect(driver.page.get_by_role("button", name="Pause")).to_be_visible()
    expect(driver.page.get_by_role("button", name="Play")).to_be_visible()
    seen: list[dict[str, Any]] = driver.page.evaluate("() => window.seen")
    rejected = [row["rejected"] for row in seen if row["chosen"] == 0]
    assert len(seen) > 10
    assert rejected[0] == 6 or 0 in rejected
    assert 0 in rejected and max(rejected) == 6
    assert rejected[rejected.index(0) :] == sorted(rejected[rejected.index(0) :])
    assert seen[-1]["chosen"] == 1


def test_slow_motion_can_be_paused_and_goes_on(driver: Driver) -> None:
    driver.open("three-zones")
    driver.next_cycle(1)
    driver.page.get_by_label("Playback speed").select_option("1")
    driver.page.locator("body").focus()
    driver.press("m")
    expect(driver.page.get_by_role("button", name="Pause")).to_be_visible()
    driver.press(" ")
    expect(driver.page.get_by_role("button", name="Play")).to_be_visible()
    here = driver.step()
    outlast(driver.page, 1000)  # longer than any step of this pace
    assert driver.step() == here < 20
    driver.press("m")
    expect(driver.page.get_by_role("button", name="Pause")).to_be_visible()
    expect(driver.page.locator(".pipeline .head .about").last).not_to_have_text(re.compile(rf"step {here} of"))
    assert driver.step() > here


def test_at_a_slow_pace_recorded_cycles_are_walked_through(driver: Driver, second_page: Any) -> None:
    """Unless less motion is wished: then each cycle shows whole."""
    cluster = driver.open("three-zones")
    for number in (1, 2, 3):
        driver.next_cycle(number)
    for motion, walked in (("no-preference", True), ("reduce", False)):
        page = second_page(reduced_motion=motion)
        page.goto(f"{driver.url}/?cluster={cluster}&t=1.1")
        expect(page.locator("#cycle-title")).to_have_text("Cycle 1")
        page.get_by_label("Playback speed").select_option("1")
        page.evaluate(WATCH)
        page.get_by_role("button", name="Play").click()
        expect(page.locator("#cycle-title")).to_have_text("Cycle 3")
        page.get_by_role("button", name="Pause").click()
        steps = [int(row["step"].split()[1]) for row in page.evaluate("() => window.seen") if row["step"]]
        whole = max(steps)
        assert (len([step for step in steps if 1 < step < whole]) > 3) is walked, steps


def test_a_lane_of_thousands_is_read_page_by_page(driver: Driver) -> None:
    cluster = driver.create(None, "many")
    container = [{"name": "a", "resources": {"requests": {"cpu": "1"}}}]
    pods = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p-{i:05d}"}, "spec": {"containers": container}}
        for i in range(3000)
    ]
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": pods})
    driver.show(cluster)
    expect(driver.lane("active").locator(".count")).to_have_text("3,000")
    asked: list[str] = []
    driver.page.on("request", lambda request: asked.append(request.url) if "lane=active" in request.url else None)
    driver.lane("active").get_by_role("button", name="2,995 more in order").click()
    grid = driver.page.locator("#lane-grid")
    expect(grid).to_have_attribute("aria-rowcount", "3001")
    expect(grid.locator(".grid-rows .grid-row").first).to_contain_text("p-00000")
    expect(grid.locator(".grid-rows .grid-row").first).to_contain_text("new pod")
    assert grid.locator(".grid-rows .grid-row").count() < 60
    grid.focus()
    driver.press("End")
    expect(grid.locator("[aria-rowindex='3001']")).to_contain_text("p-02999")
    assert len(asked) <= 4
    driver.press("Enter")
    expect(driver.page.locator("dialog")).to_have_count(0)
    expect(driver.page.locator("#side-panel")).to_contain_text("p-02999")


def test_what_is_in_memory_is_not_dimmed_while_the_cursor_runs(driver: Driver) -> None:
    driver.show(driver.prepare("three-zones", 6))
    driver.cycle(6)
    # Each is read once; then they are run through, a cycle an animation frame.
    dimmed = driver.page.evaluate("""async () => {
      const {showMoment} = await import('/static/js/cycle/moment.js');
      const {store} = await import('/static/js/base/store.js');
      const frame = () => new Promise(requestAnimationFrame);
      for (let cycle = 1; cycle <= 6; cycle += 1) {
        showMoment(cycle, Infinity);
        while (store.shown.value.record.cycle.number !== cycle) await frame();
      }
      let dimmed = 0;
      for (let turn = 0; turn < 30; turn += 1) {
        showMoment(1 + turn % 6, Infinity);
        await frame();
        dimmed += document.querySelectorAll('.pipeline.stale').length;
      }
      return dimmed;
    }""")
    assert dimmed == 0
    driver.cycle(6)


DRAWN = "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
SHOW = "async (cycle) => (await import('/static/js/cycle/moment.js')).showMoment(cycle, Infinity)"


@pytest.mark.parametrize("status", (200, 409))
def test_a_late_answer_does_not_replace_a_newer_cycle(driver: Driver, status: int) -> None:
    cluster = driver.prepare("three-zones", 4)
    held: list[Route] = []
    driver.page.route(f"**/clusters/{cluster}/cycles/3/", lambda route: held.append(route))
    driver.show(cluster)
    driver.cycle(4)
    with driver.page.expect_request(f"**/clusters/{cluster}/cycles/3/"):
        driver.press("[")
    # The newest cycle is in memory, so it shows at once.
    driver.press("End")
    driver.cycle(4)
    with driver.page.expect_response(f"**/clusters/{cluster}/cycles/3/"):
        held[0].continue_() if status == 200 else held[0].fulfill(status=status)
    driver.page.evaluate(DRAWN)
    driver.cycle(4)
    expect(driver.page.locator(".where")).to_contain_text("cycle 4 / 4")
    expect(driver.page.locator(".notice.error")).to_have_count(0)


def test_a_late_failure_does_not_drop_the_next_request(driver: Driver) -> None:
    cluster = driver.prepare("three-zones", 4)
    held: list[Route] = []
    driver.page.route(f"**/clusters/{cluster}/cycles/3/", lambda route: held.append(route))
    driver.show(cluster)
    driver.cycle(4)
    with driver.page.expect_request(f"**/clusters/{cluster}/cycles/3/"):
        driver.press("[")
    driver.page.evaluate(SHOW, 2)
    held[0].fulfill(status=409)
    driver.cycle(2)
