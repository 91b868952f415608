"""1,523 nodes: a map of cells, a table and a matrix of which only what is seen exists; a page that answers in a run."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver

pytestmark = pytest.mark.one_page

NODES = 1523
PODS = 400


def manifests() -> list[dict[str, Any]]:
    zones = ("zone-a", "zone-b", "zone-c")
    nodes = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"node-{i:04d}", "labels": {"topology.kubernetes.io/zone": zones[i % 3]}},
            "spec": {"unschedulable": i % 50 == 0},
            "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}},
        }
        for i in range(NODES)
    ]
    requests = {"cpu": "1", "memory": "2Gi"}
    pods = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"pod-{i:04d}", "namespace": "default"},
            "spec": {"containers": [{"name": "app", "resources": {"requests": requests}}]},
        }
        for i in range(PODS)
    ]
    return nodes + pods


@pytest.fixture
def large(driver: Driver) -> Driver:
    cluster = driver.create(None, "large")
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": manifests()})
    driver.show(cluster)
    expect(driver.page.locator(".cluster .about")).to_contain_text("1,523 nodes · 3 zones")
    return driver


def test_sampling_and_cells(large: Driver) -> None:
    large.next_cycle(1)
    expect(large.page.locator("[data-verdict=chosen]")).to_contain_text("1 chosen")
    expect(large.page.locator("[data-verdict=unseen]")).to_contain_text("not evaluated")
    expect(large.page.locator(".matrix-foot")).to_contain_text("percentageOfNodesToScore")
    expect(large.page.locator(".ring.chosen")).to_have_count(1)
    large.page.locator(".cells").focus()
    large.press("Home", "Enter")
    expect(large.page.locator(".tip")).to_contain_text("node-0000")
    expect(large.page.locator("[data-node-reasons=node-0000]")).to_contain_text("node(s) were unschedulable")


def test_only_what_is_seen_exists(large: Driver) -> None:
    large.next_cycle(1)
    assert large.page.locator("#matrix .grid-rows .grid-row").count() < 60
    large.page.get_by_role("button", name="table").click()
    table = large.page.locator("#node-table")
    expect(table).to_have_attribute("aria-rowcount", str(NODES + 1))
    assert table.locator(".grid-rows .grid-row").count() < 60
    table.focus()
    large.press("End")
    expect(table.locator(f"[aria-rowindex='{NODES + 1}']")).to_be_visible()
    large.press("/")
    expect(large.page.locator("#matrix-filter")).to_be_focused()
    large.page.keyboard.type("node-1500")
    expect(table).to_have_attribute("aria-rowcount", "2")


def test_playing_leaves_the_page_responsive(large: Driver) -> None:
    page = large.page
    page.get_by_label("Playback speed").select_option("0")
    page.evaluate(
        """() => {
          window.slow = [];
          const note = (list) => list.getEntries().forEach((entry) => slow.push(entry.duration));
          new PerformanceObserver(note).observe({entryTypes: ["longtask"]});
        }"""
    )
    large.press("Space")
    expect(page.locator(".where")).to_contain_text("cycle 400 / 400", timeout=60_000)
    expect(page.get_by_role("button", name="Play")).to_be_enabled()
    # A second would be felt as a hang; the machine may be busy with other tests.
    assert max(page.evaluate("slow"), default=0) < 1000
    expect(large.lane("active").locator(".count")).to_have_text("0")
