"""Why not, with both sides: what the pod asks beside what the node has, and a slip of the pen said to be one."""

from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.services import wait_for

CLUSTER = """\
apiVersion: v1
kind: Node
metadata: {name: gpu-node, labels: {disk: nvme}}
spec: {taints: [{key: dedicated, value: gpu, effect: NoSchedule}]}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
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


def test_a_typo_in_a_toleration_stands_beside_the_taint(driver: Driver) -> None:
    cluster = driver.create(None)
    done = driver.post(f"clusters/{cluster}/import/", {"text": CLUSTER, "dry_run": False})
    command = f"clusters/{cluster}/commands/{done['command']}/"
    wait_for(lambda: driver.get(command)["state"] == "done", "the import")
    driver.show(cluster)
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
