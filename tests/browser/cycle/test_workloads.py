"""Workloads beside the queues: made live when asked, what a rollout is at, how time goes."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.core.actors.storms import workload
from tests.web import node

pytestmark = pytest.mark.one_page


def test_deployments_are_made_live(driver: Driver) -> None:
    cluster = driver.create(None)
    objects = [node("a"), node("b"), workload("Deployment", "web", replicas=3), workload("DaemonSet", "agent")]
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
    driver.show(cluster)
    page = driver.page
    asked = page.locator("[data-ask-live]")
    expect(asked).to_contain_text("1 Deployment, 1 DaemonSet: without controllers no pods are made of them.")
    asked.get_by_role("button", name="Make these live").click()
    web = page.locator("[data-workload='Deployment/default/web']")
    expect(web).to_contain_text("0 of 3 ready")
    expect(web.locator(".mark.s-pending")).to_have_count(3)
    # What wakes, runs.
    page.get_by_role("button", name="live", exact=True).click()
    expect(web).to_contain_text("3 of 3 ready")
    expect(web.locator(".mark.s-ready")).to_have_count(3)
    page.locator(".workloads").get_by_text("Who did what").click()
    expect(page.locator(".reconciles")).to_contain_text("is ready")


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
