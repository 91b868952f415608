"""Pods that wait, for their backoff or their attempt, before and after an action."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Driver


def in_backoff(driver: Driver) -> str:
    """Run the last Pods of the nearly full example until preemption puts one into backoff."""
    for number in range(1, 40):
        driver.next_cycle(number)
        if int(driver.lane("backoff").locator(".count").inner_text()):
            # How long it takes is the server's to say.
            expect(driver.lane("backoff").get_by_role("button", name=re.compile("^pass "))).to_be_visible()
            return driver.page.locator(".queues .about").inner_text()
    raise AssertionError("no pod came into backoff")


def clock_moved(driver: Driver, before: str) -> None:
    """Check that at least a second passed: the first backoff of a Pod."""
    assert before < "00:01"
    expect(driver.page.locator(".queues .about")).to_have_text(re.compile(r"00:0[1-9]\."))


def waiting_pod(driver: Driver) -> str:
    """Show the first Pod in backoff; return its name."""
    in_backoff(driver)
    row = driver.lane("backoff").locator(".pod-row").first
    name = row.get_attribute("title") or ""
    row.click()
    expect(driver.page.locator("#side-panel .facts")).to_contain_text("Backoff")
    return name


def in_active(driver: Driver, name: str) -> None:
    expect(driver.lane("active").locator(f".pod-row[title='{name}']")).to_be_visible()


def third_pod(driver: Driver) -> str:
    row = driver.lane("active").locator(".pod-row").nth(2)
    name = row.locator(".mono").first.inner_text()
    row.click()
    return name


def attempt_of(driver: Driver, pod: str) -> None:
    driver.cycle(3)
    expect(driver.page.locator(".pipeline .head .name")).to_have_text(pod)


def broken(driver: Driver, pod: str) -> None:
    """Check that playing at full speed stops at this Pod's attempt, and shows the reason."""
    driver.press("b")
    expect(driver.page.locator(".breakpoints")).to_contain_text(pod)
    driver.press("Escape")
    driver.page.get_by_label("Playback speed").select_option("0")
    driver.page.get_by_role("button", name="Play").click()
    attempt_of(driver, pod)
    expect(driver.page.locator(".notice", has_text="Stopped at a breakpoint")).to_be_visible()
