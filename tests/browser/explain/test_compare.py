"""Compare two profiles: progress, figures, where they part; cancel one, kill a worker in another. Old files."""

import re
from collections.abc import Callable

import psutil
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.services import Playground, wait_for
from tests.web import node, pod

pytestmark = pytest.mark.one_page

OBJECTS = [node(f"node-{i}", zone=f"zone-{i % 3}", cpu="16", memory="64Gi") for i in range(100)]
OBJECTS += [pod(f"web-{i}", cpu="400m", memory="1Gi") for i in range(1500)]


def start(driver: Driver, seeds: int = 1) -> None:
    driver.press("d")
    dialog = driver.page.get_by_role("dialog")
    expect(dialog).to_contain_text("Your cluster does not change")
    dialog.locator("input[type=number]").fill(str(seeds))
    dialog.get_by_role("button", name="Compare", exact=True).click()


def test_two_profiles_side_by_side(driver: Driver) -> None:
    driver.open("three-zones")
    start(driver, seeds=2)
    dialog = driver.page.get_by_role("dialog")
    expect(dialog).to_contain_text("4 of 4 runs done", timeout=60_000)
    row = dialog.locator("tr", has_text="Nodes in use")
    expect(row.locator("td").first).to_contain_text("10")
    expect(row.locator("td").nth(1)).to_contain_text("6")
    expect(dialog).to_contain_text(re.compile(r"First difference: attempt 1, cycle 1"))
    expect(dialog).to_contain_text(re.compile(r"\d+ Pods on a different node"))
    with driver.page.expect_download() as download:
        dialog.get_by_role("link", name="CSV").first.click()
    assert "side,label,seed,metric,value" in download.value.path().read_text()
    dialog.get_by_role("button", name="All comparisons").click()
    expect(dialog.locator(".saved li")).to_have_count(1)
    dialog.locator(".saved li .link").click()
    # The moment where they part, as a cluster of its own.
    dialog.get_by_role("button", name="Open in B").click()
    expect(dialog).to_have_count(0)
    driver.cycle(1)
    expect(driver.page.locator(".cluster-menu > button")).to_contain_text("pasted")


def test_problems_of_a_pasted_profile_are_told(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("d")
    dialog = driver.page.get_by_role("dialog")
    dialog.locator(".cm-content").click()
    driver.press("ControlOrMeta+A", "Delete")
    driver.page.keyboard.insert_text("kind: KubeSchedulerConfiguration\napiVersion: nothing/v1\n")
    dialog.get_by_role("button", name="Compare", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("sides[1].config")


def test_cancel_one_and_kill_a_worker_in_another(
    drive: Callable[[Playground], Driver], start_playground: Callable[..., Playground]
) -> None:
    playground = start_playground(LEASE_SECONDS="3")
    driver = drive(playground)
    cluster = driver.create(None)
    number = driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": OBJECTS})["number"]
    wait_for(lambda: driver.get(f"clusters/{cluster}/commands/{number}/")["state"] == "done", "the objects", 120)
    driver.show(cluster)
    dialog = driver.page.get_by_role("dialog")
    start(driver, seeds=4)
    bar = dialog.get_by_role("progressbar")
    expect(bar).to_have_attribute("aria-valuenow", re.compile(r"[1-9]"), timeout=60_000)
    dialog.get_by_role("button", name="Cancel the comparison").click()
    expect(dialog).to_contain_text("Canceled:")
    expect(bar).to_have_count(0)
    dialog.get_by_role("button", name="All comparisons").click()
    dialog.locator("input[type=number]").fill("4")
    dialog.get_by_role("button", name="Compare", exact=True).click()
    expect(bar).to_have_attribute("aria-valuenow", re.compile(r"[1-9]"), timeout=60_000)
    newest = driver.get(f"clusters/{cluster}/comparisons/")[0]["id"]

    def at_work() -> list[str]:
        """Who works on a run; nobody in the moment between two runs."""
        runs = driver.get(f"clusters/{cluster}/comparisons/{newest}/")["runs"]
        return [run["lease"]["holder"] for run in runs if run["lease"]]

    [holder, *_] = wait_for(at_work, "a process at work", passing=True)
    psutil.Process(int(holder.rpartition(":")[2])).kill()
    expect(dialog).to_contain_text("another takes over", timeout=30_000)
    expect(dialog).to_contain_text("8 of 8 runs done", timeout=180_000)
    assert driver.get(f"clusters/{cluster}/comparisons/{newest}/")["state"] == "done"


def test_an_old_configuration_becomes_a_draft(driver: Driver) -> None:
    driver.open("three-zones")
    driver.page.evaluate("async () => (await import('/static/js/base/store.js')).store.dialog.value = {name: 'past'}")
    dialog = driver.page.get_by_role("dialog")
    expect(dialog).to_contain_text("removed in v1.23")
    expect(dialog.get_by_label("Converted configuration")).to_contain_text("MostAllocated")
    dialog.get_by_role("button", name="old and new terms").click()
    dialog.get_by_role("searchbox").fill("MatchNodeSelector")
    expect(dialog.locator("tbody tr")).to_contain_text(["NodeAffinity"])
    dialog.get_by_role("button", name="legacy configuration").click()
    dialog.get_by_role("button", name="Use as a draft").click()
    expect(driver.page.locator(".profile-verdict")).to_contain_text("valid")
    expect(driver.page.locator(".profile-verdict")).to_contain_text("not applied yet")


def test_a_cluster_of_an_old_version_says_so(driver: Driver) -> None:
    driver.open("three-zones")
    driver.page.evaluate(
        "async () => (await import('/static/js/base/store.js')).store.dialog.value = {name: 'cluster'}"
    )
    dialog = driver.page.get_by_role("dialog")
    dialog.get_by_label("kube-scheduler").select_option("v1.20.2")
    dialog.get_by_role("button", name="Create").click()
    expect(driver.page.locator(".top")).to_contain_text("v1.20.2")
