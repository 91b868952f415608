"""A configuration of the past, pasted or dropped anywhere: recognised, explained, one click from the profile."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.browser.driver import settle
from tests.browser.objects.test_source import opened, replace

pytestmark = pytest.mark.one_page

POLICY = '{"kind": "Policy", "apiVersion": "v1", "priorities": [{"name": "MostRequestedPriority", "weight": 2}]}'
OLDER = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: scheduler, namespace: kube-system}
data:
  config.yaml: |
    apiVersion: kubescheduler.config.k8s.io/v1alpha1
    kind: KubeSchedulerConfiguration
    disablePreemption: true
"""


def use(driver: Driver, what: str, explained: str) -> None:
    """The card says what it is, and what became of each line; used, it is the profile's draft."""
    card = driver.page.locator(f'.past-found[data-past="{what}"]')
    expect(card).to_contain_text(f"A configuration of kube-scheduler: {what}")
    card.locator("summary").first.click()
    expect(card.locator(".past-lines")).to_contain_text(explained)
    card.get_by_role("button", name="Use it as this cluster's profile").click()
    expect(card).to_have_count(0)
    verdict = driver.page.locator(".profile-verdict")
    expect(verdict).to_contain_text("not applied yet")
    driver.page.get_by_role("button", name="Apply", exact=True).click()
    expect(verdict).to_contain_text("version 2 is in use")


def effective(driver: Driver, cluster: int) -> str:
    return str(driver.get(f"clusters/{cluster}/config/")["yaml"])


def test_into_the_profile_editor(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    driver.press("e")
    driver.page.get_by_role("button", name="YAML", exact=True).click()
    driver.write(driver.page.locator(".profile .cm-content"), POLICY)
    expect(driver.page.locator(".profile-verdict")).to_contain_text(re.compile("^ *Policy version 1"))
    # On a phone it leads on from the text, and lies over none of it.
    driver.page.set_viewport_size({"width": 390, "height": 844})
    under, text = ".profile .past-found", ".profile .editor"
    expect(driver.page.locator(under)).to_be_visible()
    settle(driver.page)
    above, below = driver.page.locator(text).bounding_box(), driver.page.locator(under).bounding_box()
    assert above and below
    assert above["y"] + above["height"] <= below["y"]
    driver.page.set_viewport_size({"width": 1440, "height": 900})
    use(driver, "Policy", "priorities[0].name")
    assert "MostAllocated" in effective(driver, cluster)


def test_into_the_object_editor(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    driver.press("n")
    dialog = driver.page.get_by_role("dialog")
    expect(dialog.locator("[data-check]")).to_be_visible()
    driver.write(dialog.locator(".cm-content"), OLDER)
    expect(dialog.locator(".past-found")).to_contain_text("in ConfigMap kube-system/scheduler, data.config.yaml")
    expect(dialog.get_by_role("button", name="Create", exact=True)).to_be_disabled()
    use(driver, "KubeSchedulerConfiguration v1alpha1", "DefaultPreemption disabled at postFilter")
    assert "DefaultPreemption" in effective(driver, cluster)


def test_into_the_source(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    panel = opened(driver)
    before = driver.get(f"clusters/{cluster}/")["revision"]
    replace(driver.page, "apiVersion: v1\n", f"{POLICY}\n---\napiVersion: v1\n")
    expect(panel.locator(".past-found")).to_be_visible()
    assert driver.get(f"clusters/{cluster}/")["revision"] == before
    use(driver, "Policy", "priorities[0].name")
    # The objects stand alone again.
    expect(panel).to_have_attribute("data-state", "same")
    assert "Policy" not in panel.locator(".cm-content").inner_text()


@pytest.mark.parametrize("onto", ["the page", "the import's editor"])
def test_dropped(driver: Driver, onto: str) -> None:
    driver.open("three-zones")
    if onto != "the page":
        driver.press("i")
        expect(driver.page.get_by_role("dialog").locator(".cm-content")).to_be_visible()
    data = driver.page.evaluate_handle(
        "(text) => { const data = new DataTransfer(); data.items.add(new File([text], 'policy.json')); return data; }",
        POLICY,
    )
    box = driver.page.get_by_role("dialog").locator(".editor-box")
    target = driver.page.locator(".cluster").first if onto == "the page" else box
    target.dispatch_event("drop", {"dataTransfer": data})
    expect(driver.page.get_by_role("dialog")).to_contain_text("Import nodes and pods")
    use(driver, "Policy", "priorities[0].name")
