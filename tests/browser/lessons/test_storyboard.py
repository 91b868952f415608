"""A storyboard opened as a file: it steps by keys, without a server."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Driver
from tests.browser.whole_page.test_accessible import violations

TEXT = "async (path) => (await fetch(path)).text()"


def test_it_steps_from_a_file(driver: Driver, second_page: Callable[..., Page], tmp_path: Path) -> None:
    cluster = driver.open("three-zones")
    driver.next_cycle(1)
    chosen = driver.get(f"clusters/{cluster}/cycles/1/")["cycle"]["node"]
    text = driver.page.evaluate(TEXT, f"/api/v1/clusters/{cluster}/cycles/1/storyboard/")
    file = tmp_path / "cycle-1.html"
    file.write_text(text, encoding="utf-8")
    page = second_page(color_scheme="dark", offline=True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    where, count = page.locator("#where"), page.locator("#count")
    expect(where).to_have_text("QueueSort")
    expect(count).to_contain_text("step 1 of")
    expect(page.locator("#nodes li[data-state=idle]").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(count).to_contain_text("step 2 of")
    page.keyboard.press(",")
    expect(count).to_contain_text("step 1 of")
    page.keyboard.press("End")
    expect(page.locator("#nodes li[data-state=chosen] b")).to_have_text(chosen)
    expect(page.locator("#scores tr.chosen th")).to_have_text(chosen)
    expect(page.locator("#forward")).to_be_disabled()
    assert violations(page) == []
    page.get_by_role("button", name="light or dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    page.keyboard.press("Home")
    expect(where).to_have_text("QueueSort")
    assert asked == [file.as_uri()]
