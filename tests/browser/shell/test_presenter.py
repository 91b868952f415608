"""For a talk: the presenter view, and pictures of a slide's size."""

import struct
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.browser.shell.test_pictures import saved
from tests.browser.whole_page.test_accessible import violations

ROW = "document.querySelector('.pipeline .point-name').getBoundingClientRect().height"


def test_the_pipeline_comes_first_and_large(driver: Driver, tmp_path: Path) -> None:
    driver.open("gpu-pool")
    driver.next_cycle(1)
    page = driver.page
    size = page.evaluate(ROW)
    driver.press("p")
    expect(page.locator(".presenter .pipeline")).to_be_visible()
    assert page.evaluate(ROW) > 1.4 * size
    tops = [page.locator(f".presenter .{one}").bounding_box() for one in ("pipeline", "cluster", "side")]
    assert tops[0] and tops[1] and tops[2]
    assert tops[0]["y"] < tops[1]["y"]
    assert tops[0]["width"] > tops[1]["width"] + tops[2]["width"] - 4
    driver.next_cycle(2)
    # Magnified cells are still hit where they are drawn.
    page.locator(".cluster .segments button", has_text="cells").click()
    canvas = page.locator(".cells canvas")
    box = canvas.bounding_box()
    assert box
    page.mouse.move(box["x"] + 24, box["y"] + 44)
    tip, ring = page.locator(".tip").bounding_box(), page.locator(".cells .hovered").bounding_box()
    assert tip and ring
    assert ring["x"] <= box["x"] + 24 <= ring["x"] + ring["width"]
    assert abs(tip["x"] - box["x"] - 24) < 40
    assert violations(page) == []
    # A picture of a magnified view is that of the view.
    path = saved(driver, "pipeline", "16:9", tmp_path)
    assert path.name == "pipeline-cycle-2-slide.png"
    assert struct.unpack(">II", path.read_bytes()[16:24]) == (1920, 1080)
    page.get_by_role("button", name="End the presentation").click()
    expect(page.locator(".presenter")).to_have_count(0)
    assert page.evaluate(ROW) == size


def test_a_lesson_is_talked_along(driver: Driver) -> None:
    driver.create(None)
    driver.show(driver.post("lessons/01-what-a-cycle-is/start/", {})["id"])
    page = driver.page
    expect(page.locator(".lesson .question")).to_be_visible()
    size = page.evaluate("document.querySelector('.lesson h3').getBoundingClientRect().height")
    driver.press("p")
    expect(page.locator(".presenter .lesson .question")).to_be_visible()
    assert page.evaluate("document.querySelector('.lesson h3').getBoundingClientRect().height") > 1.2 * size
    page.locator(".lesson .option input").first.check()
    page.locator(".lesson .question .primary").click()
    expect(page.locator(".presenter .lesson .answered")).to_be_visible()
