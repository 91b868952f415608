"""Devices on cards and in the Node tab; a pod's claims, and the allocator's search step by step."""

import pytest
from playwright.sync_api import Route, expect

from tests.browser.driver import Driver
from tests.core.dra.devices import claim, device, device_class, request, resource_slice
from tests.web import node, pod

pytestmark = pytest.mark.one_page

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


def test_gates_are_switched_and_kept_in_a_copy(driver: Driver) -> None:
    page = driver.page
    driver.show(world(driver), "&view=profile")
    page.locator(".profile-head .segments button", has_text="gates").click()
    gate = page.locator("[data-gate=DRADeviceTaints]")
    expect(gate).to_contain_text("taints keep no claim off a device")
    gate.locator("input").uncheck()
    page.locator("[data-gates-try]").click()
    # Without taints the second device is given, too.
    expect(page.locator("[data-upgrade-result]")).to_contain_text("1 Pod gets a different node")
    expect(page.locator(".upgrade-report")).to_contain_text("second")
    page.keyboard.press("Escape")
    page.locator("[data-gates-copy]").click()
    expect(page.locator("header .facts, header")).to_contain_text("DRADeviceTaints=false")
    expect(driver.node("n")).to_be_visible()


def test_gates_are_switched_in_place_and_back(driver: Driver) -> None:
    page = driver.page
    driver.show(world(driver), "&view=profile")
    page.locator(".profile-head .segments button", has_text="gates").click()
    page.locator("[data-gate=DRADeviceTaints] input").uncheck()
    page.locator("[data-gates-switch]").click()
    version = page.locator("header .emulated").first
    expect(version).to_have_text("v1.36.3 DRADeviceTaints=false")
    # The list is read anew: what was chosen is what runs.
    expect(page.locator("[data-gates-switch]")).to_have_count(0)
    expect(page.locator("[data-gate=DRADeviceTaints] input")).not_to_be_checked()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(version).to_have_text("v1.36.3")
    expect(page.locator("[data-gate=DRADeviceTaints] input")).to_be_checked()
    # An earlier version of the profile comes back with the gates that it had.
    page.locator(".profile-head .segments button", has_text="versions").click()
    earlier = page.locator("[data-version='2']")
    expect(earlier.locator("[data-version-gates]")).to_have_text("--feature-gates=DRADeviceTaints=false")
    earlier.get_by_role("button", name="Restore").click()
    expect(version).to_have_text("v1.36.3 DRADeviceTaints=false")


def test_what_an_upgrade_changes(driver: Driver) -> None:
    page = driver.page
    driver.show(world(driver))
    driver.open_palette()
    page.keyboard.type("kube-scheduler upgrade")
    page.keyboard.press("Enter")
    page.locator("dialog select").select_option("v1.34.1")
    page.locator("[data-upgrade]").click()
    expect(page.locator("[data-upgrade-result]")).to_contain_text("gets a different node")
    expect(page.locator("[data-upgrade-group]").first).to_contain_text("v1.36.3")


def test_a_report_says_how_far_it_is_and_can_be_cancelled(driver: Driver) -> None:
    page = driver.page
    driver.show(world(driver))
    asked: list[Route] = []

    def begin_and_hold(route: Route) -> None:
        asked.append(route)
        if len(asked) == 1:
            # As of a cluster that takes longer than one look.
            part = {"revision": 7, "finished": False, "attempts": 3, "expected": 16, "report": None}
            route.fulfill(json=part)

    page.route("**/upgrade/part/**", begin_and_hold)
    driver.open_palette()
    page.keyboard.type("kube-scheduler upgrade")
    page.keyboard.press("Enter")
    page.locator("[data-upgrade]").click()
    expect(page.locator("[data-upgrade-progress]")).to_have_text("3 of 16 attempts")
    expect(page.get_by_role("progressbar", name="Progress of the report")).to_have_attribute("max", "16")
    page.locator("[data-upgrade-cancel]").click()
    expect(page.locator("[data-upgrade]")).to_be_focused()
    expect(page.locator("[data-upgrade-progress]")).to_have_count(0)
    assert [("revision=7" in each.request.url) for each in asked] == [False, True]
    page.unroute("**/upgrade/part/**")
