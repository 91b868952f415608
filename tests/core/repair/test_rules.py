"""Each plugin's rule: what is offered where only this plugin is in the way, and that it places the pod."""

import pytest

from examples.plugins import PLUGINS
from scheduler_core.edits.costs import COSTS, Prices, read_prices
from scheduler_core.framework.registry import Registry
from scheduler_core.plugins.table import EDITS, IN_TREE, IN_TREE_1_36, NEEDS
from simulator.repair.finder import Finder
from simulator.simulation import Simulation
from tests.conformance.testing import make_pod
from tests.core.repair.found_repairs import Manifest, found, node, pod, told
from tests.core.repair.random_clusters import POD, ZONE, claim, places, volume


def storage_class(name: str, provisioner: str = "disk.example.com", mode: str = "WaitForFirstConsumer") -> Manifest:
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name}}
    return {**head, "provisioner": provisioner, "volumeBindingMode": mode}


def slice_of(node_name: str, devices: int) -> Manifest:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node_name}-gpus"},
        "spec": {
            "driver": "gpu.example.com",
            "nodeName": node_name,
            "pool": {"name": node_name, "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": f"gpu-{i}"} for i in range(devices)],
        },
    }


def device_claim(count: int) -> list[Manifest]:
    head = {"apiVersion": "resource.k8s.io/v1"}
    exactly = {"deviceClassName": "gpu", "count": count}
    spec = {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}
    return [
        {**head, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}},
        {**head, "kind": "ResourceClaim", "metadata": {"name": "gpus", "namespace": "default"}, "spec": spec},
    ]


def csi_node(name: str, count: int) -> Manifest:
    driver = {"name": "disk.example.com", "nodeID": name, "allocatable": {"count": count}}
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name}}
    return {**head, "spec": {"drivers": [driver]}}


def conflicting() -> Manifest:
    """A pod whose one term names two nodes, which no node is."""
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in "ab"]
    required = {"nodeSelectorTerms": [{"matchFields": fields}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    manifest: Manifest = pod().spec(affinity=affinity).manifest()
    return manifest


def devices_pod() -> Manifest:
    return pod().spec(resourceClaims=[{"name": "gpu", "resourceClaimName": "gpus"}]).manifest()


BOUND = [storage_class("later"), volume("pv-data", "data"), claim("data", "later", "pv-data")]
ELSEWHERE = [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["b"]}]}]

# plugin, objects, one of the repairs that are found
CASES: list[tuple[str, list[Manifest], set[str]]] = [
    ("SchedulingGates", [node().manifest(), pod().gate("x/y").manifest()], {"Lift the scheduling gate x/y"}),
    (
        "SchedulingGates",
        [node().cordoned().manifest(), pod().gate("x/y").manifest()],
        {"Lift the scheduling gate x/y", "Tolerate node.kubernetes.io/unschedulable:NoSchedule"},
    ),
    ("NodeUnschedulable", [node().cordoned().manifest(), pod().manifest()], {"Uncordon a"}),
    ("TaintToleration", [node().taint("db", "x").manifest(), pod().manifest()], {"Tolerate db=x:NoSchedule"}),
    (
        "TaintToleration",
        [node().taint("db", "x").taint("gpu").manifest(), pod().manifest()],
        {"Tolerate db=x:NoSchedule", "Tolerate gpu:NoSchedule"},
    ),
    ("TaintToleration", [node().taint("db").manifest(), pod().manifest()], {"Remove the taint db:NoSchedule from a"}),
    ("NodeAffinity", [node().manifest(), pod().node_selector("disk", "ssd").manifest()], {"Label a with disk=ssd"}),
    (
        "NodeAffinity",
        [node().manifest(), pod().node_selector("kubernetes.io/os", "linux").manifest()],
        {"Drop kubernetes.io/os=linux from the node selector"},
    ),
    (
        "NodeAffinity",
        [node().label("disk", "hdd").manifest(), pod().node_affinity("disk", "In", "ssd").manifest()],
        {"Also allow disk=hdd in the node affinity: disk=ssd"},
    ),
    (
        "NodeAffinity",
        [node().label("disk", "hdd").manifest(), pod().node_affinity("disk", "NotIn", "hdd").manifest()],
        {"Prefer the required node affinity instead of demanding it"},
    ),
    (
        "NodeAffinity",
        [node().manifest(), conflicting()],
        {"Prefer the required node affinity instead of demanding it"},
    ),
    (
        "NodePorts",
        [node().manifest(), make_pod("x").node("a").host_port(80).manifest(), pod().host_port(80).manifest()],
        {"Take the host port 81 instead of 80"},
    ),
    ("NodeResourcesFit", [node().manifest(), pod().cpu("3").manifest()], {"Ask for 2 of cpu instead of 3"}),
    (
        "NodeResourcesFit",
        [node().pods(1).manifest(), make_pod("x").node("a").manifest(), pod().manifest()],
        {"Delete default/x from a"},
    ),
    (
        "NodeResourcesFit",
        [
            node().manifest(),
            node("b").cpu("1").manifest(),
            make_pod("x").cpu("1").node("a").manifest(),
            pod().cpu("1500m").manifest(),
        ],
        {"Move default/x from a to b"},
    ),
    (
        "VolumeRestrictions",
        [
            node().manifest(),
            storage_class("later"),
            volume("pv-one", "one"),
            claim("one", "later", "pv-one", "ReadWriteOncePod"),
            make_pod("x").node("a").claim("one").manifest(),
            pod().claim("one").manifest(),
        ],
        {"Delete default/x from a"},
    ),
    (
        "NodeVolumeLimits",
        [
            node().manifest(),
            csi_node("a", 1),
            *BOUND,
            volume("pv-x", "x"),
            claim("x", "later", "pv-x"),
            make_pod("x").node("a").claim("x").manifest(),
            pod().claim("data").manifest(),
        ],
        {"Delete default/x from a"},
    ),
    (
        "VolumeBinding",
        [node().manifest(), storage_class("later"), pod().claim("gone").manifest()],
        {"Add the claim gone, of class later"},
    ),
    (
        "VolumeBinding",
        [node().manifest(), *BOUND, claim("other", "later"), pod().claim("gone").manifest()],
        {"Use the claim other instead of gone"},
    ),
    (
        "VolumeBinding",
        [
            node().manifest(),
            storage_class("later"),
            storage_class("now", mode="Immediate"),
            claim("n", "now"),
            pod().claim("n").manifest(),
        ],
        {"Give the claim n the class later"},
    ),
    (
        "VolumeBinding",
        [
            node().manifest(),
            storage_class("local", "kubernetes.io/no-provisioner"),
            claim("l", "local"),
            pod().claim("l").manifest(),
        ],
        {"Add a volume of 1,073,741,824 bytes for the claim l on a"},
    ),
    (
        "VolumeBinding",
        [
            node().manifest(),
            storage_class("later"),
            volume("pv-far", "far", nodeAffinity={"required": {"nodeSelectorTerms": ELSEWHERE}}),
            claim("far", "later", "pv-far"),
            pod().claim("far").manifest(),
        ],
        {"Do without the claim far"},
    ),
    (
        "VolumeZone",
        [
            node().zone("z1").manifest(),
            storage_class("later"),
            volume("pv-z", "z", labels={ZONE: "z2"}),
            claim("z", "later", "pv-z"),
            pod().claim("z").manifest(),
        ],
        {f"Let the volume pv-z be used in {ZONE}=z1"},
    ),
    (
        "PodTopologySpread",
        [
            node().zone("z1").manifest(),
            node("b").zone("z2").cordoned().manifest(),
            *(make_pod(f"x{i}").label("app", "p").node("a").manifest() for i in range(2)),
            pod().spread(ZONE, {"app": "p"}).manifest(),
        ],
        {f"Raise maxSkew for {ZONE} from 1 to 3"},
    ),
    (
        "PodTopologySpread",
        [
            node().manifest(),
            node("b").label("rack", "r1").cordoned().manifest(),
            pod().spread("rack", {"app": "p"}).manifest(),
        ],
        {"Label a with rack=r1"},
    ),
    (
        "PodTopologySpread",
        [
            node().label("rack", "r1").manifest(),
            pod().spread("rack", {"app": "p"}, minDomains=3).manifest(),
            make_pod("x").label("app", "p").node("a").manifest(),
        ],
        {"Spread by rack only where that is possible"},
    ),
    (
        "InterPodAffinity",
        [node().manifest(), pod().affinity("kubernetes.io/hostname", {"app": "db"}).manifest()],
        {"Prefer, not demand, to be near the pods of the affinity term 1 (kubernetes.io/hostname)"},
    ),
    (
        "InterPodAffinity",
        [
            node().manifest(),
            make_pod("x").label("app", "p").node("a").manifest(),
            pod().anti_affinity("kubernetes.io/hostname", {"app": "p"}).manifest(),
        ],
        {"Prefer, not demand, to keep away from the pods of the anti-affinity term 1 (kubernetes.io/hostname)"},
    ),
    (
        "InterPodAffinity",
        [
            node().manifest(),
            make_pod("x").anti_affinity("kubernetes.io/hostname", {"app": "p"}).node("a").manifest(),
            pod().manifest(),
        ],
        {"Delete default/x from a"},
    ),
    (
        "DynamicResources",
        [node().manifest(), slice_of("a", 2), *device_claim(3), devices_pod()],
        {"Let the claim gpus ask for 2 devices instead of 3"},
    ),
    (
        "DynamicResources",
        [node().manifest(), devices_pod()],
        {"Do without the resource claim gpus"},
    ),
    (
        "DefaultPreemption",
        [node().manifest(), make_pod("x").cpu("2").node("a").priority(7).manifest(), pod().cpu("1").manifest()],
        {"Give it a new priority class repair-8 (8); pods evicted: 1"},
    ),
    (
        "add_node",
        [node().manifest(), make_pod("x").cpu("2").node("a").manifest(), pod().cpu("2").manifest()],
        {"Add one node like a (2 CPU, 16Gi)"},
    ),
]


@pytest.mark.parametrize(("plugin", "objects", "wanted"), CASES, ids=[f"{case[0]}-{i}" for i, case in enumerate(CASES)])
def test_what_mends_it(plugin: str, objects: list[Manifest], wanted: set[str]) -> None:
    simulation, repairs = found(objects)
    assert wanted in [told(repair) for repair in repairs], [told(repair) for repair in repairs]
    for repair in repairs:
        assert places(simulation, repair.edits), told(repair)


@pytest.mark.parametrize("registry", [IN_TREE, IN_TREE_1_36], ids=["v1.34.1", "v1.36.3"])
def test_every_plugin_that_can_reject_has_a_rule(registry: Registry) -> None:
    points = registry.points()
    rejecting = {name for name, at in points.items() if at & {"preEnqueue", "preFilter", "filter"}}
    # It says nothing of nodes: pods are gated while their victims leave, which here takes no time.
    assert rejecting - {"DefaultPreemption"} <= NEEDS.keys()
    assert all(EDITS[name] for name in rejecting & NEEDS.keys())


def test_what_a_plugin_cannot_read_is_no_crash() -> None:
    """An ephemeral volume whose claim is somebody else's: the pod can only do without it, and nothing breaks."""
    ephemeral = {"volumeClaimTemplate": {"spec": {"storageClassName": "later"}}}
    volume_of_pod = pod().spec(volumes=[{"name": "scratch", "ephemeral": ephemeral}]).manifest()
    objects = [node().manifest(), csi_node("a", 1), storage_class("later"), claim("p-scratch", "later"), volume_of_pod]
    simulation, repairs = found(objects)
    assert [told(repair) for repair in repairs] == [{"Do without the volume scratch"}]
    assert places(simulation, repairs[0].edits)


def test_a_lock_keeps_an_edit_away() -> None:
    objects = [node().taint("db").manifest(), pod().manifest()]
    for lock in ("Taint/db", "Node/a", "Node/*"):
        _, repairs = found(objects, Prices(locks=(lock,)))
        assert {"Remove the taint db:NoSchedule from a"} not in map(told, repairs), lock
    _, repairs = found(objects, Prices(locks=("Namespace/default", "Node/*", "Plugin/*")))
    assert not repairs


def test_costs_decide_what_comes_first() -> None:
    objects = [node().taint("db").manifest(), pod().manifest()]
    _, repairs = found(objects, read_prices({"tolerate": 500}, []))
    assert told(repairs[0]) == {"Remove the taint db:NoSchedule from a"}
    _, repairs = found(objects, read_prices(dict.fromkeys(COSTS) | {"uncordon": 1}, []))
    assert not repairs


def test_a_plugin_of_ones_own_says_what_would_mend_it() -> None:

    registry: Registry = IN_TREE.merged(PLUGINS)
    config = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {multiPoint: {enabled: [{name: Rack}]}}}]
"""
    simulation = Simulation.create(record_steps=False, registry=registry, config=config)
    avoiding = pod().annotation("rack.example.com/avoid", "r1,r2").manifest()
    objects = [node().label("rack", "r1").manifest(), avoiding]
    for command in ({"kind": "create", "objects": objects}, {"kind": "run", "until": "idle"}):
        list(simulation.apply(command))
    first = next(Finder(simulation, POD, Prices(), lambda: 0.0).find())
    assert told(first) == {"Avoid the rack r1 no longer"}
    assert [edit.after for edit in first.edits] == ["r2"]
