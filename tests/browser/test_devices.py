"""Devices on cards and in the Node tab; a pod's claims, and the allocator's search step by step."""

from playwright.sync_api import expect

from tests.browser.driver import Driver
from tests.core.dra.devices import claim, device, device_class, request, resource_slice
from tests.web import node, pod

BROKEN = {"key": "broken", "effect": "NoSchedule"}


def world(driver: Driver) -> int:
    """Two devices on `n`, one of them tainted: the first pod gets the other, the second nothing."""
    cluster: int = driver.post("clusters/", {"name": "devices", "emulates": "v1.36.3"})["id"]
    slices = resource_slice("n", ["good", device("ill", taints=[BROKEN])])
    pods = [pod(name, resourceClaims=[{"name": "gpu", "resourceClaimName": name}]) for name in ("first", "second")]
    objects = [node("n"), node("m"), slices, device_class(), claim("first"), claim("second", request()), *pods]
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
    driver.post(f"clusters/{cluster}/commands/", {"kind": "run", "until": "idle"})
    return cluster


def test_why_a_pod_gets_no_device(driver: Driver) -> None:
    page = driver.page
    driver.show(world(driver), "&pod=default/second&view=pod")
    driver.cycle(2)
    cells = driver.node("n").locator("[data-devices]")
    expect(cells).to_have_attribute("title", "2 devices: 1 free, 1 taken, 1 tainted")
    expect(cells.locator(".cell.s-taken title")).to_have_text("gpu.example.com/n/good: taken, by default/first")
    expect(driver.node("m").locator("[data-devices]")).to_have_count(0)
    page.locator("[data-claims]").click()
    expect(page.locator("[data-claim]")).to_contain_text("not allocated")
    expect(page.locator("[data-claims-node=m]")).to_contain_text("no device here")
    page.locator("[data-claims-node=n]").click()
    search = page.locator(".claims-right")
    expect(search.locator("[data-search-outcome]")).to_have_attribute("data-search-outcome", "refused")
    expect(search.locator("[data-searched$='/good']")).to_contain_text("taken: claim default/first has it")
    expect(search.locator("[data-searched$='/ill']")).to_contain_text("does not tolerate its taint broken:NoSchedule")
    # One step back, only the first device has been looked at.
    search.get_by_role("button", name="One step back").click()
    expect(search.locator("[data-searched]")).to_have_count(1)
    page.keyboard.press("Escape")
    driver.node("n").click()
    listed = page.locator("[data-device$='/good']")
    expect(listed).to_contain_text("default/first")
    expect(page.locator("[data-device$='/ill']")).to_contain_text("broken:NoSchedule")
    listed.get_by_role("button", name="first").click()
    expect(page.locator("#side-panel .side-title")).to_contain_text("first")
