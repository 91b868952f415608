"""Workloads beside the queues: made live when asked, what a rollout is at, how time goes."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.core.controllers.chaos import workload
from tests.web import node, pod

pytestmark = pytest.mark.one_page


def test_deployments_are_made_live(driver: Driver) -> None:
    cluster = driver.create(None)
    objects = [node("a"), node("b"), workload("Deployment", "web", replicas=3), workload("DaemonSet", "agent")]
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
    driver.show(cluster)
    page = driver.page
    asked = page.locator("[data-ask-live]")
    expect(asked).to_contain_text("1 Deployment, 1 DaemonSet create no Pods while controllers are off.")
    asked.get_by_role("button", name="Start controllers").click()
    web = page.locator("[data-workload='Deployment/default/web']")
    # They live, without another press.
    expect(page.get_by_role("button", name="continuous", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(web).to_contain_text("3 of 3 ready")
    expect(web.locator(".mark.s-ready")).to_have_count(3)
    page.locator(".workloads").get_by_text("Component activity").click()
    expect(page.locator(".reconciles")).to_contain_text("is ready")


def test_what_controllers_would_collect_is_asked_about_first(driver: Driver) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "old", "uid": "r"}
    alone = pod("old-1", nodeName="a")
    alone["metadata"]["ownerReferences"] = [owner]
    cluster = driver.create(None)
    objects = [node("a"), alone, workload("Deployment", "web", replicas=1)]
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
    driver.show(cluster)
    page = driver.page
    page.get_by_role("button", name="Start controllers").click()
    asked = page.get_by_role("dialog", name="Missing owners")
    expect(asked).to_contain_text("The owners of 1 Pod are not in this cluster.")
    # Enter keeps them.
    driver.press("Enter")
    expect(page.locator("[data-workload='Deployment/default/web']")).to_contain_text("1 of 1 ready")
    expect(page.locator("dialog")).to_have_count(0)
    assert driver.get(f"clusters/{cluster}/")["counts"]["bound"] == 2
    assert driver.get(f"clusters/{cluster}/ownerless/") == {"counts": {}}


def test_a_node_group_says_that_nobody_changes_its_size(driver: Driver) -> None:
    of_ours = "playground.kube-scheduler/v1"
    template = {"status": {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}
    group = {"kind": "NodeGroup", "spec": {"minSize": 0, "maxSize": 3, "template": template}}
    pool = {"apiVersion": of_ours, "metadata": {"name": "pool"}, **group}
    cluster = driver.prepare_living([node("a"), pool], seconds=60)
    driver.show(cluster)
    says = driver.page.locator("[data-node-group=pool] .says")
    expect(says).to_have_text("fixed size: no ClusterAutoscaler is running")
    settings = {"apiVersion": of_ours, "kind": "ClusterAutoscaler", "metadata": {"name": "default"}}
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": [settings]})
    expect(says).to_have_text("minimum size reached")


def test_the_page_says_what_a_client_changed(driver: Driver) -> None:
    cluster = driver.open(None)
    maps = f"{driver.url}/k8s/{cluster}/api/v1/namespaces/default/configmaps"
    made = driver.page.request.post(
        maps,
        data=json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}),
        headers={"User-Agent": "kubectl/v1.34.5", "Content-Type": "application/json"},
    )
    assert made.status == 201, made.text()
    expect(driver.page.locator(".notice")).to_contain_text("kubectl/v1.34.5: create ConfigMap default/settings")
    driver.press("u")
    expect(driver.page.get_by_text("Undone: create ConfigMap default/settings")).to_be_visible()


def test_lanes_and_charts_go_through_time(driver: Driver) -> None:
    cluster = driver.prepare_living([node("a"), workload("Deployment", "web", replicas=2)], seconds=60)
    driver.show(cluster)
    page = driver.page
    said = page.locator(".lane-entry")
    expect(said).to_contain_text("kubelet")
    lanes = page.get_by_role("slider", name="Component activity")
    lanes.focus()
    driver.press("Home")
    expect(said).to_contain_text("deployment")
    page.get_by_label("Controller").select_option("replicaset")
    lanes.focus()
    driver.press("End", "ArrowLeft")
    expect(said).to_contain_text("replicaset")
    page.locator("[data-charts-switch]").click()
    phases = page.locator("[data-chart=phases]")
    expect(phases.locator("li", has_text="Pending")).to_contain_text("0")
    charts = page.get_by_role("slider", name="Time of the charts")
    charts.focus()
    driver.press("End")
    expect(phases.locator("li", has_text="Running")).to_contain_text("2")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download CSV").click()
    assert download.value.suggested_filename == f"charts-{cluster}.csv"
    page.locator("[data-charts-switch]").click()
    expect(page.locator(".charts")).to_have_count(0)


def test_a_rollout_goes_through_time(driver: Driver) -> None:
    cluster = driver.prepare_living([node("a"), workload("Deployment", "web", replicas=2)], seconds=60)
    driver.show(cluster)
    page = driver.page
    web = page.locator("[data-workload='Deployment/default/web']")
    web.locator("summary").click()
    pods = web.get_by_role("slider", name="Pods of web over time")
    expect(pods).to_have_attribute("aria-valuetext", re.compile(r"v1: 2 ready$"))
    pods.focus()
    driver.press("Home")
    expect(pods).to_have_attribute("aria-valuetext", re.compile(r"v1: 2 no node$"))
    # The moment is the page's.
    expect(page.locator(".lane-entry")).to_contain_text(re.compile("deployment|replicaset"))
    box = pods.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    expect(pods).to_have_attribute("aria-valuetext", re.compile(r"v1: 2 ready$"))
    web.get_by_role("button", name="Enlarge").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("2 of 2 ready")
    expect(dialog.locator(".rollout-legend tbody tr")).to_contain_text("v1")
    dialog.get_by_role("button", name=re.compile("deployment")).last.click()
    large = dialog.get_by_role("slider", name="Pods of web over time")
    expect(large).not_to_have_attribute("aria-valuetext", re.compile(r"v1: 2 ready$"))
    driver.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
