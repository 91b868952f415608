"""Pods that wait for their backoff, before and after an action."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Driver


def in_backoff(driver: Driver) -> str:
    """The last pods of the nearly full example fail, and preemption puts one into backoff."""
    for number in range(1, 40):
        driver.next_cycle(number)
        if int(driver.lane("backoff").locator(".count").inner_text()):
            # How long it takes is the server's to say.
            expect(driver.lane("backoff").get_by_role("button", name=re.compile("^pass "))).to_be_visible()
            return driver.page.locator(".queues .about").inner_text()
    raise AssertionError("no pod came into backoff")


def clock_moved(driver: Driver, before: str) -> None:
    """At least a second: the first backoff of a pod that was tried once."""
    assert before < "00:01"
    expect(driver.page.locator(".queues .about")).to_have_text(re.compile(r"00:0[1-9]\."))


def waiting_pod(driver: Driver) -> str:
    """The first pod that came into backoff is in view; its name."""
    in_backoff(driver)
    row = driver.lane("backoff").locator(".pod-row").first
    name = row.get_attribute("title") or ""
    row.click()
    expect(driver.page.locator("#side-panel .facts")).to_contain_text("Backoff")
    return name


def in_active(driver: Driver, name: str) -> None:
    expect(driver.lane("active").locator(f".pod-row[title='{name}']")).to_be_visible()
