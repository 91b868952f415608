"""The keyboard: forth and back through the steps of what is recorded, and on to the next cycle at its end."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver, is_command

pytestmark = pytest.mark.one_page


def test_steps_walk_through_a_cycle_and_back(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press(".")
    driver.cycle(1)
    assert driver.step() == 1
    expect(driver.page.locator("[data-point=QueueSort]")).to_have_attribute("aria-current", "step")
    expect(driver.page.locator(".node[data-verdict=idle]")).to_have_count(12)
    seen = []
    while driver.page.locator(".node[data-verdict=chosen]").count() == 0:
        before = driver.step()
        driver.press(".")
        expect(driver.page.locator(".pipeline .head .about").last).not_to_have_text(re.compile(rf"step {before} of"))
        seen.append(driver.page.locator("[data-point][aria-current=step]").get_attribute("data-point"))
        assert driver.step() > before
    order = ["PreFilter", "Filter", "PreScore", "Score", "NormalizeScore"]
    assert [point for point in order if point in seen] == order
    here = driver.step()
    driver.press(",")
    expect(driver.page.locator(".pipeline .head .about").last).not_to_have_text(re.compile(rf"step {here} of"))
    assert driver.step() < here
    expect(driver.page.locator(".node[data-verdict=chosen]")).to_have_count(0)


def test_nothing_of_a_later_step_shows_before_it(driver: Driver) -> None:
    driver.open("gpu-pool")
    driver.press(".")
    driver.cycle(1)
    while driver.page.locator(".chip[aria-current]", has_text="NodeUnschedulable").count() == 0:
        driver.press(".")
    expect(driver.page.locator(".node[data-verdict=rejected]")).to_have_count(0)
    expect(driver.page.locator(".node[data-verdict=candidate]")).to_have_count(12)
    expect(driver.page.locator("#matrix .is-pass .mark")).not_to_have_count(0)
    expect(driver.page.locator("#matrix [data-column=NodeResourcesFit]")).to_have_text(["to come"] * 12)


def test_only_the_end_of_what_is_recorded_asks_the_server(driver: Driver) -> None:
    driver.open("three-zones")
    for number in (1, 2, 3):
        driver.next_cycle(number)
    commands: list[str] = []
    # What was asked for before may be answered now: the records come by the socket, sooner than the answer.
    driver.page.on("request", lambda request: commands.append(request.url) if is_command(request) else None)
    driver.press("[")
    driver.cycle(2)
    driver.press("[")
    driver.cycle(1)
    driver.press("]")
    driver.cycle(2)
    driver.press("Home")
    driver.cycle(1)
    assert driver.step() == 1
    driver.press("End")
    driver.cycle(3)
    assert commands == []
    driver.next_cycle(4)
    assert len(commands) == 1


def test_a_past_cycle_shows_the_nodes_and_lanes_of_its_time(driver: Driver) -> None:
    driver.open("three-zones")
    waiting = int(driver.lane("active").locator(".count").inner_text())
    driver.next_cycle(1)
    name = driver.page.locator(".node[data-verdict=chosen]").get_attribute("data-node")
    word = driver.node(str(name)).locator(".node-word")
    expect(word).to_contain_text("/\u200a4 CPU")
    expect(word).to_have_attribute("title", re.compile(r"\+"))
    first = word.inner_text()
    active = str(waiting - 1)
    expect(driver.lane("active").locator(".count")).to_have_text(active)
    for number in (2, 3, 4, 5):
        driver.next_cycle(number)
    for number in (4, 3, 2, 1):
        driver.press("[")
        driver.cycle(number)
    expect(word).to_have_text(first.replace("\n", ""))
    expect(driver.lane("active").locator(".count")).to_have_text(active)
    expect(driver.page.locator(".as-of")).to_have_text("as cycle 1 left them")
    expect(driver.page.locator(".moves li").first).to_contain_text("Active → In flight → Bound")
    assert driver.page.locator(".moves li", has_text="Bound").count() == 1


def test_lanes_of_a_cycle_that_others_follow_say_whose_they_are(driver: Driver) -> None:
    cluster = driver.prepare("three-zones", 2)
    driver.show(cluster)
    driver.press(",", ".")
    expect(driver.page.get_by_role("button", name="to newest")).to_be_visible()
    lane = driver.lane("active").locator(".count")
    expect(driver.page.locator(".as-of")).to_have_count(0)
    active = lane.inner_text()
    # Somebody else goes on; who looks at a cycle stays there.
    driver.run(cluster, {"cycles": 2})
    expect(driver.page.locator(".where")).to_contain_text("cycle 2 / 4")
    expect(driver.page.locator(".as-of")).to_have_text("as cycle 2 left them")
    expect(lane).to_have_text(active)


def test_who_loads_the_newest_moment_anew_follows_on(driver: Driver) -> None:
    cluster = driver.prepare("three-zones", 2)
    driver.show(cluster)
    expect(driver.page).to_have_url(re.compile(r"&t=2\.\d+"))
    driver.page.reload()
    driver.arrive()
    driver.run(cluster, {"cycles": 1})
    driver.cycle(3)
    # Who stands within it stays.
    last = driver.step()
    driver.press(",")
    expect(driver.page).to_have_url(re.compile(rf"&t=3\.(?!{last}\b)"))
    driver.page.reload()
    driver.arrive()
    driver.run(cluster, {"cycles": 1})
    expect(driver.page.locator(".where")).to_contain_text("cycle 3 / 4")


def test_the_lanes_know_no_more_than_the_steps(driver: Driver) -> None:
    driver.open("three-zones")
    waiting = int(driver.lane("active").locator(".count").inner_text())
    first, second = (driver.lane("active").locator(".pod-row").nth(at).get_attribute("title") for at in (0, 1))
    asked: list[str] = []
    driver.page.on("request", lambda request: asked.append(request.url) if "within=true" in request.url else None)
    driver.press(".")
    driver.cycle(1)
    in_flight = driver.lane("inFlight").locator(".pod-row")
    active, bound = driver.lane("active").locator(".count"), driver.page.locator(".moves li", has_text="Bound")
    expect(in_flight).to_have_attribute("title", str(first))
    expect(active).to_have_text(str(waiting - 1))
    expect(driver.page.locator(".moves li").first).to_contain_text("Active → In flight")
    expect(bound).to_have_count(0)
    driver.press(".", ".", ".")
    expect(driver.page.locator(".pipeline .step-of")).not_to_have_text(re.compile(r"step [123] of"))
    expect(in_flight).to_have_count(1)
    driver.press("]")
    expect(bound).to_have_count(1)
    expect(in_flight).to_have_count(0)
    # An earlier cycle, one step back from its end: as it was then, whatever has happened since.
    driver.next_cycle(2)
    driver.press("[")
    driver.cycle(1)
    expect(driver.page.locator(".as-of")).to_have_text("as cycle 1 left them")
    driver.press(",")
    expect(in_flight).to_have_attribute("title", str(first))
    expect(driver.lane("active").locator(".pod-row").first).to_have_attribute("title", str(second))
    expect(driver.page.locator(".as-of")).to_have_text("while cycle 1 runs")
    expect(bound).to_have_count(0)
    assert len(asked) == 1


def test_each_step_is_said(driver: Driver) -> None:
    driver.open("three-zones")
    driver.next_cycle(1)
    spoken = driver.page.locator("p.sr[role=status]")
    expect(spoken).to_contain_text("Cycle 1, ")
    expect(spoken).to_contain_text("scheduled on")
    driver.press("Home")
    expect(spoken).to_contain_text("QueueSort, PrioritySort")


def test_single_keys_can_be_switched_off(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("?")
    dialog = driver.page.get_by_role("dialog")
    dialog.get_by_role("checkbox").uncheck()
    driver.press("Escape")
    expect(dialog).to_have_count(0)
    driver.press("]", "n")
    expect(driver.page.locator("dialog")).to_have_count(0)
    expect(driver.page.get_by_text("No pod has been scheduled yet.")).to_be_visible()
    driver.page.get_by_role("button", name="Cycle", exact=True).click()
    driver.cycle(1)


def test_a_new_cycle_is_on_the_screen_without_asking_for_it(driver: Driver) -> None:
    driver.open("three-zones")
    driver.next_cycle(1)
    asked: list[str] = []
    driver.page.on("request", lambda request: asked.append(request.url))
    driver.next_cycle(2)
    expect(driver.page.locator("#matrix .chosen-row")).to_have_count(1)
    assert not [url for url in asked if "/cycles/2/matrix/" in url or url.endswith("/cycles/2/")]


def test_keys_leave_fields_alone(driver: Driver) -> None:
    driver.open("three-zones")
    driver.next_cycle(1)
    driver.press("/")
    field = driver.page.locator("#matrix-filter")
    expect(field).to_be_focused()
    driver.page.keyboard.type("node.n]")
    expect(field).to_have_value("node.n]")
    expect(driver.page.locator("#matrix .grid-rows .grid-row")).to_have_count(0)
    driver.press("Escape")
    expect(field).to_have_value("")
    driver.cycle(1)


def test_matrix_moves_by_arrows_and_pins_by_enter(driver: Driver) -> None:
    driver.open("gpu-pool")
    driver.next_cycle(1)
    grid = driver.page.locator("#matrix")
    grid.focus()
    rows = grid.locator(".grid-rows .grid-row")
    before = rows.count()
    driver.press("End", "ArrowRight")
    expect(rows).not_to_have_count(before)
    driver.press("Home", "Enter")
    expect(grid.locator("[aria-selected=true]")).to_have_count(1)
    name = grid.locator("[aria-selected=true] .mono").first.inner_text()
    expect(driver.node(name)).to_have_attribute("aria-pressed", "true")


FROZEN = """() => {
    window.animate = window.requestAnimationFrame;
    window.frozen = [];
    window.requestAnimationFrame = (draw) => window.frozen.push(draw);
    for (let times = 0; times < 2; times += 1)
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "[", bubbles: true }));
}"""
# What waited for a frame has one, or it would wait for ever in the tests that follow.
THAWED = """() => {
    window.requestAnimationFrame = window.animate;
    window.frozen.splice(0).forEach((draw) => window.requestAnimationFrame(draw));
}"""


def test_a_page_without_animation_frames_shows_one_moment(driver: Driver) -> None:
    """Where the browser draws no frames, as where it thinks that nobody looks, nothing stays behind the cursor."""
    driver.open("three-zones")
    for number in (1, 2, 3):
        driver.next_cycle(number)
    driver.page.evaluate(FROZEN)
    try:
        driver.cycle(1)
    finally:
        driver.page.evaluate(THAWED)


def test_a_press_while_a_cycle_is_on_its_way_is_another_one(driver: Driver) -> None:
    driver.open("three-zones")
    driver.page.get_by_role("button", name="Cycle", exact=True).dblclick()
    driver.cycle(2)
    expect(driver.page.locator(".row-node.chosen-row")).to_have_count(1)
    # What is drawn after the result is drawn all the same.
    expect(driver.page.locator(".moves li").first).to_contain_text(driver.page.locator(".pipeline bdi").inner_text())
