"""Messages over the page leave when they are about nothing any more."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.services import wait_for
from tests.web import node, pod

pytestmark = pytest.mark.one_page

READ = """async (path) => {
  const {get} = await import('/static/js/base/api.js');
  const {reportError} = await import('/static/js/base/notices.js');
  await get(path).catch(reportError);
}"""
SAY = "async (text) => (await import('/static/js/base/notices.js')).notify(text, {tone: 'error'})"


def test_an_error_goes_when_it_is_mended(driver: Driver) -> None:
    cluster = driver.open()
    errors = driver.page.locator(".notice.error")
    driver.page.evaluate(READ, f"clusters/{cluster}/nodes/later/")
    expect(errors).to_have_count(1)
    # Another request that goes well mends nothing.
    driver.page.evaluate(READ, f"clusters/{cluster}/nodes/node-01/")
    expect(errors).to_have_count(1)
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": [node("later")]})
    wait_for(lambda: driver.get(f"clusters/{cluster}/")["state"] == "idle", "the node")
    driver.page.evaluate(READ, f"clusters/{cluster}/nodes/later/")
    expect(errors).to_have_count(0)


def test_what_is_said_of_a_cluster_goes_with_it(driver: Driver) -> None:
    first = driver.open()
    driver.page.evaluate(SAY, "of the first")
    expect(driver.page.locator(".notice")).to_have_count(1)
    second = driver.create(name="second")
    driver.page.evaluate(
        "async (id) => (await import('/static/js/clusters/clusters.js')).openCluster(id)",
        second,
    )
    expect(driver.page.locator(".notice")).to_have_count(0)
    assert first != second


def test_what_a_budget_keeps_on_a_drained_node_is_said(driver: Driver) -> None:
    cluster = driver.create(None)
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "spec": {"selector": {}, "minAvailable": 1}}
    budget["metadata"] = {"name": "keep", "namespace": "default"}
    objects = [node("a"), pod("db-0", nodeName="a"), budget]
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
    driver.show(cluster)
    driver.node("a").click()
    driver.page.get_by_role("tab", name="Node", exact=True).click()
    driver.page.get_by_role("button", name="Change", exact=True).click()
    driver.page.get_by_role("button", name="drain the node").click()
    expect(driver.page.locator(".notice")).to_contain_text(
        "db-0 stays on its node: Cannot evict pod as it would violate"
    )
