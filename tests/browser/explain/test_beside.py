"""Why not, with both sides: what the pod asks beside what the node has, and a slip of the pen said to be one."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.services import wait_for

pytestmark = pytest.mark.one_page

GPU_NODE = """\
apiVersion: v1
kind: Node
metadata: {name: gpu-node, labels: {disk: nvme}}
spec: {taints: [{key: dedicated, value: gpu, effect: NoSchedule}]}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
"""

CLUSTER = (
    GPU_NODE
    + """\
apiVersion: v1
kind: Pod
metadata: {name: typo, namespace: default}
spec:
  tolerations: [{key: dedicatd, operator: Equal, value: gpu, effect: NoSchedule}]
  containers: [{name: app, image: app}]
---
apiVersion: v1
kind: Pod
metadata: {name: wrong-disk, namespace: default}
spec:
  nodeSelector: {disk: ssd}
  tolerations: [{operator: Exists}]
  containers: [{name: app, image: app}]
"""
)

PLAIN = """\
apiVersion: v1
kind: Node
metadata: {name: plain}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
"""

# A second node, which is rejected for another reason: where there is but one, it is unfolded from the start.
TWO = (
    PLAIN
    + GPU_NODE
    + """\
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: default}
spec:
  nodeSelector: {disk: nvme}
  tolerations: [{key: dedicatd, operator: Equal, value: gpu, effect: NoSchedule}]
  containers: [{name: app, image: app}]
"""
)


def imported(driver: Driver, text: str) -> None:
    """A cluster of what is in `text`, on the screen."""
    cluster = driver.create(None)
    done = driver.post(f"clusters/{cluster}/import/", {"text": text, "dry_run": False})
    command = f"clusters/{cluster}/commands/{done['command']}/"
    wait_for(lambda: driver.get(command)["state"] == "done", "the import")
    driver.show(cluster)


def test_a_typo_in_a_toleration_stands_beside_the_taint(driver: Driver) -> None:
    imported(driver, CLUSTER)
    side = driver.page.locator("#side-panel")
    for number, (part, pod, node, near) in enumerate(
        (("key", "dedicatd", "dedicated", "true"), ("disk", "ssd", "nvme", "false")), 1
    ):
        driver.next_cycle(number)
        such = side.locator("[data-such=gpu-node] .beside")
        expect(such).to_have_count(1)
        expect(such).to_contain_text(part)
        assert such.locator("code").all_inner_texts() == [pod, node]
        expect(such).to_have_attribute("data-near", near)
        # Nobody is sent to kubectl for what is on the page.
        expect(side).not_to_contain_text("kubectl")
    driver.node("gpu-node").click()
    expect(side.locator("[data-node-reasons] .beside code").first).to_have_text("ssd")


def test_a_slip_is_told_before_its_reason_is_unfolded_and_leads_to_the_pod(driver: Driver) -> None:
    imported(driver, TWO)
    driver.next_cycle(1)
    side = driver.page.locator("#side-panel")
    slip = side.locator("[data-such=gpu-node] .beside")
    expect(slip).to_have_attribute("data-near", "true")
    # Neither of the two reasons is unfolded; what is another value altogether is not told yet.
    expect(side.locator(".b-reason > .branch-row [aria-expanded=false]")).to_have_count(2)
    expect(side.locator("[data-such]")).to_have_count(1)
    slip.get_by_role("button", name="edit the pod").click()
    expect(driver.page.get_by_role("dialog").locator(".cm-content")).to_contain_text("dedicatd")
