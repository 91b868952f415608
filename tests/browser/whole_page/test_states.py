"""The UI with a slow worker. docs/contributing/testing.md lists all states and their tests."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.services import Playground, wait_for

pytestmark = pytest.mark.one_page

ROOT = Path(__file__).parents[3]
HELD = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
OPACITY = "() => [...document.querySelectorAll('.pipeline, .matrix .grid')].map((e) => getComputedStyle(e).opacity)"

# What the banner says at the moment when it first offers a way out.
WATCH = """() => new MutationObserver((_changes, observer) => {
  const button = document.querySelector('.banner button');
  if (!button) return;
  observer.disconnect();
  window.offered = button.parentElement.textContent;
}).observe(document.querySelector('.banners'), {subtree: true, childList: true})"""


@contextmanager
def stopped_worker(playground: Playground) -> Iterator[None]:
    """The worker and its pool stand still, as on a machine that has no time for them."""
    worker = wait_for(playground.worker, "the worker")
    processes = [*worker.children(recursive=True), worker]
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            try:
                process.resume()
            except psutil.NoSuchProcess:
                continue


def test_a_slow_answer_is_waited_for_and_can_be_given_up(driver: Driver, playground_server: Playground) -> None:
    driver.open("three-zones")
    driver.next_cycle(1)
    banner = driver.page.locator(".banner", has_text="Scheduling the next pod")
    with stopped_worker(playground_server):
        driver.page.evaluate(WATCH)
        driver.press("]")
        expect(banner).to_contain_text(re.compile(r"\d\.\d s"))
        # The last result stays, dimmed.
        driver.cycle(1)
        expect(driver.page.locator(".matrix .grid-rows .grid-row").first).to_be_visible()
        driver.page.wait_for_function(f"() => ({OPACITY})().every((opacity) => opacity === '0.6')")
        cancel = banner.get_by_role("button", name="Cancel")
        expect(cancel).to_be_visible()
        assert float(re.findall(r"(\d+\.\d) s", driver.page.evaluate("window.offered"))[0]) >= 1
        cancel.click()
        expect(banner).to_have_count(0)
        driver.page.wait_for_function(f"() => ({OPACITY})().every((opacity) => opacity === '1')")
    # The worker goes on: what was asked for is done, or stopped by the pause.
    expect(driver.page.get_by_role("button", name="Play")).to_be_enabled()


def test_every_state_is_held_by_a_test_that_is_there() -> None:
    text = (
        (ROOT / "docs" / "contributing" / "testing.md")
        .read_text()
        .split("\n## States of the UI\n")[1]
        .split("\n## ")[0]
    )
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 8
    for row in rows:
        tests = HELD.findall(row)
        assert tests or row.startswith("| ---"), row
        for file, name in tests:
            assert f"def {name}(" in (ROOT / file).read_text(), f"{file} has no {name}"
