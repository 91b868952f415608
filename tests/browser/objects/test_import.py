"""Real input: what kubectl prints, broken and mended; a new object; CSV lists."""

from pathlib import Path

import pytest
import yaml
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.core.controllers.chaos import workload
from tests.web import node, pod

pytestmark = pytest.mark.one_page

KUBECTL = """\
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata:
    name: {node}
    labels: {{topology.kubernetes.io/zone: zone-x, kubernetes.io/hostname: {node}}}
  spec: {{}}
  status:
    allocatable: {{cpu: "4", memory: 16Gi, pods: "110"}}
    nodeInfo: {{kubeletVersion: v1.34.1}}
---
apiVersion: v1
kind: Pod
metadata: {{name: imported, namespace: default}}
spec:
  containers:
  - name: app
    image: registry.example/app:1
    resources: {{requests: {{cpu: {cpu}, memory: 1Gi}}}}
status: {{phase: Pending, hostIP: 10.0.0.1}}
"""


def write(driver: Driver, text: str) -> None:
    driver.write(driver.page.get_by_role("dialog").locator(".cm-content"), text)


def test_kubectl_yaml_with_an_error_then_mended(driver: Driver) -> None:
    driver.open(None)
    expect(driver.page.get_by_text("This cluster has no nodes yet.")).to_be_visible()
    driver.press("i")
    dialog = driver.page.get_by_role("dialog")
    write(driver, KUBECTL.format(node="node-x", cpu="lots"))
    problem = dialog.get_by_role("alert")
    expect(problem).to_contain_text("document 2, line 21")
    expect(problem).to_contain_text('spec.containers[0].resources.requests.cpu: "lots"')
    expect(dialog.get_by_role("button", name="Import", exact=True)).to_be_disabled()
    write(driver, KUBECTL.format(node="node-x", cpu="500m"))
    result = dialog.locator("[data-check=ok]")
    expect(result).to_contain_text("1 Node")
    expect(result).to_contain_text("1 Pod")
    result.locator("summary").click()
    expect(result.locator(".unused")).to_contain_text("nodeInfo")
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(driver.node("node-x")).to_be_visible()
    driver.next_cycle(1)
    expect(driver.node("node-x")).to_have_attribute("data-verdict", "chosen")


def test_an_import_can_make_a_cluster(driver: Driver) -> None:
    driver.open("gpu-pool")
    driver.press("i")
    dialog = driver.page.get_by_role("dialog")
    write(driver, KUBECTL.format(node="node-y", cpu="1"))
    expect(dialog.locator("[data-check=ok]")).to_be_visible()
    dialog.get_by_label("Name of the new cluster").fill("from kubectl")
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(driver.page.locator(".cluster-name")).to_have_text("from kubectl")
    expect(driver.node("node-y")).to_be_visible()


def test_csv_lists(driver: Driver, tmp_path: Path) -> None:
    nodes = tmp_path / "nodes.csv"
    nodes.write_text("sn,cpu_milli,memory_mib,gpu,model\nmachine-0,32000,262144,0,\nmachine-1,64000,262144,2,G2\n")
    pods = tmp_path / "pods.csv"
    pods.write_text("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\njob-0,4000,8192,1,1000,,LS\n")
    driver.open(None)
    driver.press("i")
    dialog = driver.page.get_by_role("dialog")
    dialog.get_by_role("button", name="CSV lists").click()
    dialog.get_by_label("Nodes").set_input_files(nodes)
    dialog.get_by_label("Pods").set_input_files(pods)
    expect(dialog.locator("[data-check=ok]")).to_contain_text("2 Node")
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(dialog).to_have_count(0)
    driver.next_cycle(1)
    expect(driver.node("machine-1")).to_have_attribute("data-verdict", "chosen")
    expect(driver.node("machine-0")).to_contain_text("too little nvidia.com/gpu")


def test_a_new_object_is_checked_as_it_is_written(driver: Driver) -> None:
    driver.open("gpu-pool")
    driver.press("n")
    dialog = driver.page.get_by_role("dialog")
    dialog.get_by_label("Template").select_option("node")
    expect(dialog.locator("[data-check=ok]")).to_contain_text("1 Node")
    write(driver, "apiVersion: v1\nkind: Node\nmetadata: {name: Not_A_Name}\n")
    expect(dialog.get_by_role("alert")).to_contain_text("metadata.name")
    expect(dialog.get_by_role("button", name="Create")).to_be_disabled()
    write(
        driver,
        "apiVersion: v1\nkind: Node\nmetadata: {name: spare}\nstatus: {allocatable: {cpu: 2, memory: 4Gi, pods: 10}}\n",
    )
    expect(dialog.locator("[data-check=ok]")).to_be_visible()
    driver.press("ControlOrMeta+Enter")
    expect(dialog).to_have_count(0)
    expect(driver.node("spare")).to_be_visible()


GANGS = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    multiPoint: {enabled: [{name: Coscheduling}]}
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {replicas: 12, selector: {matchLabels: {a: b}}, template: {spec: {containers: [{name: c}]}}}
"""


def test_other_peoples_plugins_are_named_and_left_out_by_a_click(driver: Driver) -> None:
    driver.open(None)
    driver.press("i")
    dialog = driver.page.get_by_role("dialog")
    write(driver, GANGS)
    problem = dialog.get_by_role("alert")
    expect(problem).to_contain_text('"Coscheduling" does not exist')
    expect(problem).to_contain_text("of kubernetes-sigs/scheduler-plugins")
    expect(dialog.get_by_text("the pods of a group are not placed all together or not at all")).to_be_visible()
    dialog.get_by_role("button", name="Import without these plugins").click()
    expect(dialog.locator("[data-check=ok]")).to_contain_text("1 KubeSchedulerConfiguration")
    expect(dialog.locator("[data-configuration=taken]")).to_contain_text("document 1")


def test_kinds_that_make_no_pods_and_kinds_that_are_not_used_are_named(driver: Driver) -> None:
    driver.open(None)
    driver.press("i")
    dialog = driver.page.get_by_role("dialog")
    write(driver, f"{KUBECTL.format(node='node-z', cpu='1')}---\n{DEPLOYMENT}")
    expect(dialog.locator("[data-podless]")).to_contain_text("1 Deployment create no Pods")
    expect(dialog.locator("[data-check=ok]")).to_contain_text("Not used by scheduling: 1 Deployment")


def test_a_misspelt_field_is_told_with_what_was_meant(driver: Driver) -> None:
    driver.open(None)
    driver.press("i")
    dialog = driver.page.get_by_role("dialog")
    write(
        driver, KUBECTL.format(node="node-z", cpu="1").replace("  containers:", "  nodeSelctor: {a: b}\n  containers:")
    )
    expect(dialog.locator("[data-misspelt]")).to_contain_text("1 unknown field without effect")
    expect(dialog.locator("[data-misspelt] li")).to_have_text('Pod spec.nodeSelctor did you mean "nodeSelector"?')


def test_workloads_live_when_they_come_without_pods(driver: Driver) -> None:
    driver.open(None)
    driver.press("i")
    dialog = driver.page.get_by_role("dialog")
    write(driver, yaml.safe_dump(workload("Deployment", "shop", replicas=2)))
    expect(dialog.locator("[data-living]")).to_contain_text("Run controllers for 1 Deployment?")
    # Without pods of their own they most likely shall.
    expect(dialog.get_by_role("radio", name="Yes: controllers create")).to_be_checked()
    expect(dialog.get_by_role("checkbox", name="Let an autoscaler add nodes")).to_be_checked()
    expect(dialog.locator("[data-check=ok]")).to_contain_text("1 Deployment")
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(driver.page.locator("dialog")).to_have_count(0)
    shop = driver.page.locator("[data-workload='Deployment/default/shop']")
    expect(shop).to_contain_text("2 of 2 ready")
    expect(shop.locator(".mark.s-ready")).to_have_count(2)


def test_what_is_wrong_with_a_workload_says_nothing_of_its_nodes(driver: Driver) -> None:
    driver.open(None)
    driver.press("i")
    dialog = driver.page.get_by_role("dialog")
    write(driver, yaml.safe_dump_all([node("a"), workload("Deployment", "shop", replicas="three")]))
    expect(dialog.locator("[data-living=on]")).to_be_visible()
    expect(dialog.get_by_role("alert")).to_contain_text("spec.replicas")
    expect(dialog.get_by_text("Let an autoscaler add nodes")).to_have_count(0)


def test_pods_that_come_without_their_owners_are_kept(driver: Driver) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "old", "uid": "r"}
    alone = pod("old-1", nodeName="a")
    alone["metadata"]["ownerReferences"] = [owner]
    driver.open(None)
    driver.press("i")
    dialog = driver.page.get_by_role("dialog")
    write(driver, yaml.safe_dump_all([node("a"), alone, workload("Deployment", "shop", replicas=1)]))
    expect(dialog.locator("[data-living=off]")).to_be_visible()
    expect(dialog.locator("[data-ownerless]")).to_have_count(0)
    dialog.get_by_role("radio", name="Yes: controllers create").check()
    expect(dialog.get_by_role("checkbox", name="Keep 1 Pod with missing owners")).to_be_checked()
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(driver.page.locator("[data-workload='Deployment/default/shop']")).to_contain_text("1 of 1 ready")
    assert driver.get(f"clusters/{driver.current()}/")["counts"]["pods"] == 2


def test_a_folder(driver: Driver, tmp_path: Path) -> None:
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes" / "node.yaml").write_text(KUBECTL.format(node="node-f", cpu="1").partition("---")[0])
    (tmp_path / "values.yaml").write_text("replicas: 3\n")
    (tmp_path / "README.md").write_text("nothing")
    driver.open(None)
    driver.press("i")
    dialog = driver.page.get_by_role("dialog")
    dialog.get_by_role("button", name="folder", exact=True).click()
    dialog.get_by_label("A folder of manifests").set_input_files(tmp_path)
    result = dialog.locator("[data-check=ok]")
    expect(result).to_contain_text("1 Node")
    expect(result).to_contain_text("values.yaml: holds no object of the API")
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(driver.node("node-f")).to_be_visible()
