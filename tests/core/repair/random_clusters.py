"""Small clusters generated from a seed, each with a Pod that is pending for several reasons.

Includes an exhaustive search over all sets of edits, each tried from scratch.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from kube_objects.pod import Pod
from kube_objects.serialize import manifest_of
from kube_objects.text.yaml_writer import dump_yaml
from scheduler_core.edits.costs import Prices
from scheduler_core.edits.edit import Edit, Edits, Ref, apply_changes, are_compatible, total_cost
from scheduler_core.edits.object_edits import DELETE, MOVE
from scheduler_core.emulations import V1_34_1, V1_36_3
from scheduler_core.framework.emulation import Emulation
from simulator.explain.rerun import dry_dependencies, dry_run
from simulator.repair.commands import DEFAULT_CONFIG, plan_repair
from simulator.repair.moved_pods import moved_pods_fit
from simulator.repair.node_shapes import add_node_edits
from simulator.repair.pod_diagnosis import diagnose_pod
from simulator.simulation import CommandError, Simulation
from simulator.simulation.fork import fork, fork_from_start
from simulator.simulation.object_changes import parse_all
from tests.conformance.testing import make_node, make_pod

POD = "default/p"
ZONE = "topology.kubernetes.io/zone"
MOST_EDITS = 12
_OWN = Ref("Pod", "p", "default")
Manifest = dict[str, Any]


def cluster(seed: int) -> list[Manifest]:
    """Return 2 to 8 Nodes with some Pods, and the Pod `p`, which is always hard to place."""
    draw = random.Random(seed)
    nodes = [_node(draw, f"n{i}") for i in range(draw.choice((1, 2, 2, 3, 4, 8)))]
    names = [node["metadata"]["name"] for node in nodes]
    pods = [_running(draw, f"r{i}", draw.choice(names)) for i in range(draw.randint(0, 5))]
    objects = [*nodes, *pods]
    objects += _storage(draw, names)
    if draw.random() < 0.15:
        objects.append(
            {
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": {"name": "keep", "namespace": "default"},
                "spec": {"selector": {"matchLabels": {"app": "a"}}},
                "status": {"disruptionsAllowed": 0},
            }
        )
    pod = _pod(draw, bool(draw.random() < 0.3))
    objects = [*objects, *_devices(draw, names, pod), *_rare(draw, nodes, pod)]
    return [*objects, *_more(random.Random(seed * 11 + 3), nodes, pod), pod]


def emulation(seed: int) -> Emulation:
    return V1_36_3 if seed % 5 == 4 else V1_34_1


def config(seed: int) -> str | None:
    """Return, for one seed in eight, a profile whose args reject Pods by an added affinity or default constraints."""
    draw = random.Random(seed * 7 + 2)
    kind = draw.choice(("NodeAffinity", "PodTopologySpread", *[""] * 14))
    if not kind:
        return None
    wanted = {"key": draw.choice(("disk", "tier")), "operator": "In", "values": ["ssd"]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [wanted]}]}
    spread = {"maxSkew": 1, "topologyKey": draw.choice((ZONE, "disk")), "whenUnsatisfiable": "DoNotSchedule"}
    args = {
        "NodeAffinity": {"addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}},
        "PodTopologySpread": {"defaultingType": "List", "defaultConstraints": [spread]},
    }
    profile = {"schedulerName": "default-scheduler", "pluginConfig": [{"name": kind, "args": args[kind]}]}
    return dump_yaml({**DEFAULT_CONFIG, "profiles": [profile]})


def _node(draw: random.Random, name: str) -> Manifest:
    node = make_node(name).cpu(draw.choice(("1", "2", "4"))).memory(draw.choice(("2Gi", "4Gi")))
    if draw.random() < 0.8:
        node.zone(draw.choice("ab"))
    if draw.random() < 0.5:
        node.label("disk", draw.choice(("ssd", "hdd")))
    for key in ("dedicated", "gpu"):
        if draw.random() < 0.25:
            node.taint(key, draw.choice(("", "x")), draw.choice(("NoSchedule", "NoExecute", "PreferNoSchedule")))
    if draw.random() < 0.2:
        node.cordoned()
    if draw.random() < 0.1:
        node.pods(draw.choice((0, 1, 2)))
    return node.manifest()


def _running(draw: random.Random, name: str, node: str) -> Manifest:
    pod = make_pod(name).node(node).label("app", draw.choice("ab")).priority(draw.choice((0, 0, 5, 10)))
    pod.cpu(draw.choice(("100m", "500m", "1", "2"))).memory(draw.choice(("100Mi", "1Gi")))
    if draw.random() < 0.2:
        pod.host_port(8080)
    if draw.random() < 0.15:
        pod.anti_affinity(draw.choice((ZONE, "kubernetes.io/hostname")), {"app": "p"})
    return pod.manifest()


def _pod(draw: random.Random, with_volume: bool) -> Manifest:
    pod = make_pod("p").label("app", "p").cpu(draw.choice(("100m", "500m", "1500m", "3"))).memory("256Mi")
    if draw.random() < 0.35:
        pod.node_selector("disk", draw.choice(("ssd", "nvme")))
    if draw.random() < 0.2:
        pod.node_affinity(draw.choice(("disk", "tier", ZONE)), draw.choice(("In", "NotIn")), draw.choice(("ssd", "a")))
    if draw.random() < 0.1:
        pod.node_affinity("tier", "Exists")
    if draw.random() < 0.2:
        pod.toleration("dedicated", draw.choice(("x", "y")), "NoSchedule")
    if draw.random() < 0.25:
        pod.host_port(8080)
    if draw.random() < 0.25:
        pod.spread(draw.choice((ZONE, "kubernetes.io/hostname")), {"app": draw.choice("ap")}, draw.choice((1, 1, 2)))
    if draw.random() < 0.2:
        pod.affinity(draw.choice((ZONE, "kubernetes.io/hostname")), {"app": draw.choice("abc")})
    if draw.random() < 0.25:
        pod.anti_affinity(draw.choice((ZONE, "kubernetes.io/hostname")), {"app": draw.choice("ab")})
    if draw.random() < 0.1:
        pod.gate("example.com/hold")
    if draw.random() < 0.2:
        pod.priority(draw.choice((1, 5, 20)))
    if with_volume:
        pod.claim(draw.choice(("data", "zoned", "local", "missing", "now", "single")))
    return pod.manifest()


def _storage(draw: random.Random, nodes: list[str]) -> Iterator[Manifest]:
    storage = "storage.k8s.io/v1"
    later = {"provisioner": "disk.example.com", "volumeBindingMode": "WaitForFirstConsumer"}
    yield {"apiVersion": storage, "kind": "StorageClass", "metadata": {"name": "later"}, **later}
    by_hand = {"provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"}
    yield {"apiVersion": storage, "kind": "StorageClass", "metadata": {"name": "local"}, **by_hand}
    yield {
        "apiVersion": storage,
        "kind": "StorageClass",
        "metadata": {"name": "now"},
        "provisioner": "disk.example.com",
        "volumeBindingMode": "Immediate",
    }
    yield volume("pv-zoned", "zoned", labels={ZONE: draw.choice("ab")})
    term = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [draw.choice(nodes)]}]}
    yield volume("pv-data", "data", nodeAffinity={"required": {"nodeSelectorTerms": [term]}})
    yield volume("pv-single", "single")
    yield claim("zoned", "later", "pv-zoned")
    yield claim("data", "later", "pv-data")
    yield claim("local", "local")
    yield claim("now", "now")
    yield claim("single", "later", "pv-single", "ReadWriteOncePod")
    if draw.random() < 0.5:
        yield make_pod("user").node(draw.choice(nodes)).claim("single").manifest()
    if draw.random() < 0.3:
        yield {
            "apiVersion": storage,
            "kind": "CSINode",
            "metadata": {"name": nodes[0]},
            "spec": {"drivers": [{"name": "disk.example.com", "nodeID": nodes[0], "allocatable": {"count": 0}}]},
        }


def _devices(draw: random.Random, nodes: list[str], pod: Manifest) -> Iterator[Manifest]:
    if draw.random() >= 0.15:
        return
    head = {"apiVersion": "resource.k8s.io/v1"}
    yield {**head, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}}
    for name, count in (("gpus", draw.choice((1, 2, 3))), ("one", 1)):
        request = {"name": "gpu", "exactly": {"deviceClassName": "gpu", "count": count}}
        spec = {"devices": {"requests": [request]}}
        yield {**head, "kind": "ResourceClaim", "metadata": {"name": name, "namespace": "default"}, "spec": spec}
    for node in nodes:
        if devices := draw.choice((0, 0, 1, 2)):
            pool = {"name": node, "generation": 1, "resourceSliceCount": 1}
            names = [{"name": f"gpu-{i}"} for i in range(devices)]
            slices = {"driver": "gpu.example.com", "nodeName": node, "pool": pool, "devices": names}
            yield {**head, "kind": "ResourceSlice", "metadata": {"name": f"{node}-gpus"}, "spec": slices}
    pod["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "gpus"}]


def _rare(draw: random.Random, nodes: list[Manifest], pod: Manifest) -> Iterator[Manifest]:
    """Add rare constraints: an extended resource, an exclusive disk, a missing Node."""
    if draw.random() < 0.1:
        for node in nodes:
            if draw.random() < 0.5:
                node["status"]["capacity"]["example.com/fpga"] = "1"
        fpgas = draw.choice(("1", "2"))
        resources = pod["spec"]["containers"][0]["resources"]
        for part in ("requests", "limits"):
            resources.setdefault(part, {})["example.com/fpga"] = fpgas
    if draw.random() < 0.08:
        disk = {"name": "disk", "gcePersistentDisk": {"pdName": "pd"}}
        pod["spec"].setdefault("volumes", []).append(disk)
        yield make_pod("holder").node(draw.choice(nodes)["metadata"]["name"]).spec(volumes=[disk]).manifest()
    if draw.random() < 0.03:
        pod["spec"]["nodeName"] = "gone"


def _more(draw: random.Random, nodes: list[Manifest], pod: Manifest) -> Iterator[Manifest]:
    """Add a second claim for devices of a class on one Node, a kubelet feature, or fields that only v1.36 reads."""
    spec = pod["spec"]
    if "resourceClaims" in spec and draw.random() < 0.5:
        head = {"apiVersion": "resource.k8s.io/v1"}
        request = {"name": "nic", "exactly": {"deviceClassName": draw.choice(("nic", "nic", "gone"))}}
        meta = {"name": "nic", "namespace": "default"}
        where = draw.choice(nodes)["metadata"]["name"]
        pool = {"name": f"nics-{where}", "generation": 1, "resourceSliceCount": 1}
        slices = {"driver": "nic.example.com", "nodeName": where, "pool": pool, "devices": [{"name": "nic-0"}]}
        chosen = [{"cel": {"expression": 'device.driver == "nic.example.com"'}}]
        yield {**head, "kind": "DeviceClass", "metadata": {"name": "nic"}, "spec": {"selectors": chosen}}
        yield {**head, "kind": "ResourceClaim", "metadata": meta, "spec": {"devices": {"requests": [request]}}}
        yield {**head, "kind": "ResourceSlice", "metadata": {"name": "nics"}, "spec": slices}
        spec["resourceClaims"].append({"name": "nic", "resourceClaimName": "nic"})
    if draw.random() < 0.1:
        spec |= {"hostNetwork": True, "hostUsers": False}
        for node in nodes:
            if draw.random() < 0.3:
                node["status"]["declaredFeatures"] = ["UserNamespacesHostNetworkSupport"]


def volume(name: str, claim: str, labels: dict[str, str] | None = None, **spec: Any) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "later",
            "csi": {"driver": "disk.example.com", "volumeHandle": name},
            "claimRef": {"namespace": "default", "name": claim},
            **spec,
        },
        "status": {"phase": "Bound"},
    }


def claim(name: str, storage_class: str, volume: str = "", mode: str = "ReadWriteOnce") -> Manifest:
    bound = {"volumeName": volume} if volume else {}
    annotations = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}} if volume else {}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default", **annotations},
        "spec": {
            "accessModes": [mode],
            "storageClassName": storage_class,
            "resources": {"requests": {"storage": "1Gi"}},
            **bound,
        },
        "status": {"phase": "Bound" if volume else "Pending"},
    }


def played(
    objects: Sequence[Mapping[str, Any]], config: str | None = None, emulation: Emulation = V1_34_1
) -> Simulation:
    """Return the simulation of these objects, run until idle."""
    simulation = Simulation.create(record_steps=False, config=config, emulation=emulation)
    for command in ({"kind": "create", "objects": objects}, {"kind": "run", "until": "idle"}):
        for _ in simulation.apply(command):
            pass
    return simulation


class Forks:
    """Sets of edits tried in forks, which takes a tenth of the time that a run from scratch takes.

    A set that places the Pod in a fork is tried from scratch, too. Edits of the Pod itself are tried on a fork with all
    other edits.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._around: dict[Edits, Simulation | None] = {}

    def places(self, edits: Edits) -> bool:
        own = frozenset(edit for edit in edits if edit.of == _OWN)
        around = edits - own
        if around not in self._around:
            self._around[around] = _changed(fork_from_start(self._simulation), around, POD)
        before = self._around[around]
        return before is not None and _takes(before, own) and places(self._simulation, edits)


def _takes(simulation: Simulation, own: Edits) -> bool:
    """Return True if a cycle gives the Pod a Node, or nominates one, with these of its fields changed."""
    cluster = simulation.cluster
    pod = cluster.find_pod(POD)
    assert pod is not None
    (other,) = parse_all([apply_changes(pod, [edit.change for edit in own if edit.change])], cluster.store)
    assert isinstance(other, Pod)
    if other.node_name or other.priority > pod.priority:
        # Nothing for the scheduler, or preemption will read the pod as it is stored.
        trial = _changed(fork(simulation), own, POD)
        if trial is not None:
            list(trial.apply({"kind": "run", "until": "idle"}))
        return trial is not None and _has_node(trial, POD)
    scheduler = cluster.scheduler
    framework = scheduler.frameworks[other.scheduler_name]
    with dry_run(scheduler, dry_dependencies(simulation)):
        if not all(gate.pre_enqueue(other).is_success for gate in framework.pre_enqueue):
            return False
        result = scheduler.run_scheduling_algorithm(framework, other, None)
    return bool(result.node or result.nominated)


def _changed(trial: Simulation, edits: Edits, key: str) -> Simulation | None:
    """Return the simulation with the edits applied; None if they can't be."""
    try:
        plan_repair(trial, edits, key).carry_out(trial, key)
    except CommandError:
        return None
    return trial if moved_pods_fit(trial, edits) else None


def places(simulation: Simulation, edits: Edits, key: str = POD) -> bool:
    """Return True if the Pod gets a Node in the changed scenario, run from its start, and moved Pods fit."""
    trial = _changed(fork(simulation), edits, key)
    if trial is None:
        return False
    objects = [dict(manifest_of(obj)) for obj in trial.cluster.store]
    try:
        return _has_node(played(objects, trial.config_text, trial.emulation), key)
    except CommandError:
        return False


def _has_node(simulation: Simulation, key: str) -> bool:
    pod = simulation.cluster.find_pod(key)
    return pod is not None and simulation.cluster.store.get("Node", pod.node_name) is not None


def pool(simulation: Simulation, prices: Prices, key: str = POD, most: int = MOST_EDITS) -> list[Edit]:
    """Return all edits that any rule offers for any Node, in the cluster now and after any one of these edits.

    Edits of another Node so that a Pod can move there aren't searched for, nor the same place twice. At most `most` are
    returned.
    """
    edits = dict.fromkeys(_offered(simulation, prices, key))
    for edit in [edit for edit in edits if edit.gone or edit.moved_to] if len(edits) <= most else ():
        edits |= dict.fromkeys(_ways_out(simulation, edit, prices))
    for edit in list(edits) if len(edits) <= most else ():
        trial = fork(simulation)
        try:
            plan_repair(trial, frozenset([edit]), key).carry_out(trial, key)
        except CommandError:
            continue
        later = (one for one in _offered(trial, prices, key) if not one.moved_to and one.place != edit.place)
        edits |= dict.fromkeys(later)
        if len(edits) > most:
            break
    return list(edits)


def _ways_out(simulation: Simulation, away: Edit, prices: Prices) -> Iterator[Edit]:
    """Yield all other ways in which the Pod might leave its Node: to each Node that accepts it, or by deletion."""
    key, names = away.of.key, [node.name for node in simulation.cluster.store.list("Node")]
    home = simulation.cluster.find_pod(key)
    assert home is not None
    ways = [("move_pod", name) for name in names if name != home.node_name] + [("delete_pod", "")]
    for kind, name in ways:
        told = (MOVE if name else DELETE)(pod=key, node=home.node_name, other=name)
        cost, gone = prices.cost_of(kind), not name
        if cost is not None:
            one = replace(away, kind=kind, detail=name, moved_to=name, gone=gone, cost=cost, sentence=told)
            trial = fork(simulation)
            plan_repair(trial, frozenset([one]), POD).carry_out(trial, POD)
            if moved_pods_fit(trial, frozenset([one])):
                yield one


def _offered(simulation: Simulation, prices: Prices, key: str) -> Iterator[Edit]:
    pod = simulation.cluster.find_pod(key)
    found = None if pod is None else diagnose_pod(simulation, pod, prices)
    if found is not None and not found.places:
        for row in range(len(found.nodes)):
            for need in found.needs(row):
                for option in need.options:
                    yield from option
        yield from (edit for edit in add_node_edits(simulation.cluster.store, prices) if prices.allows(edit))


def cheaper(edits: list[Edit], cost: int | None) -> Iterator[Edits]:
    """Yield all compatible sets of the edits that cost less, the cheapest first."""
    found = []
    for size in range(len(edits) + 1):
        for chosen in combinations(edits, size):
            one = frozenset(chosen)
            if (cost is None or total_cost(one) < cost) and are_compatible(one):
                found.append(one)
    yield from sorted(found, key=total_cost)
