"""The workloads: nodes, pods that run already, pods to schedule. docs/contributing/benchmarks.md has the figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.node import Node
from kube_objects.parse import parse_node, parse_object, parse_pod
from kube_objects.pod import Pod

ZONES = 10
HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
Manifest = dict[str, Any]


@dataclass(slots=True)
class Workload:
    """A workload. `running` pods have a node already; `pods` are tried in order.

    With `churn` pods and nodes are replaced.

    `others` are other objects that the pods need. With `binds` attempts go on to PreBind, which allocates devices.
    """

    nodes: Sequence[Node]
    pods: Sequence[Pod]
    running: Sequence[Pod] = ()
    churn: bool = False
    others: Sequence[KubeObject] = ()
    binds: bool = False


def make_nodes(count: int, cpu: str = "32", memory: str = "256Gi") -> list[Node]:
    """Return nodes with a hostname label and one of ten zones in turn."""
    return [parse_node(node_manifest(i, cpu, memory)) for i in range(count)]


def node_manifest(i: int, cpu: str, memory: str) -> Manifest:
    labels = {HOSTNAME: f"node-{i}", ZONE: f"zone-{i % ZONES}"}
    allocatable = {"cpu": cpu, "memory": memory, "pods": "110"}
    metadata = {"name": f"node-{i}", "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"allocatable": allocatable}}


def pod_manifest(
    name: str, labels: Mapping[str, str], cpu: str = "100m", memory: str = "200Mi", **spec: Any
) -> Manifest:
    """Return a pod of one container with an image and requests."""
    requests = {"cpu": cpu, "memory": memory}
    container = {"name": "pause", "image": "registry.k8s.io/pause:3.10", "resources": {"requests": requests}}
    metadata = {"name": name, "namespace": "default", "labels": dict(labels)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **spec}}


def make_pods(count: int, spec: Callable[[int], Mapping[str, Any]], label: Callable[[int], str]) -> list[Pod]:
    return [parse_pod(pod_manifest(f"pod-{i}", {"app": label(i)}, **spec(i))) for i in range(count)]


def _term(app: str, key: str) -> Manifest:
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}


def _anti_affinity(i: int) -> Manifest:
    required = [_term(f"group-{i // 50}", HOSTNAME)]
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


def _affinity(i: int) -> Manifest:
    required = [_term("one", ZONE)]
    return {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


def _preferred_affinity(i: int) -> Manifest:
    preferred = [{"weight": 1, "podAffinityTerm": _term("one", HOSTNAME)}]
    return {"affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}}


def _spread(when: str) -> Callable[[int], Manifest]:
    selector = {"matchLabels": {"app": "one"}}
    constraint = {"maxSkew": 5, "topologyKey": ZONE, "whenUnsatisfiable": when, "labelSelector": selector}
    return lambda i: {"topologySpreadConstraints": [constraint]}


def _nothing(i: int) -> Manifest:
    return {}


def _one(i: int) -> str:
    return "one"


def _simple(
    spec: Callable[[int], Mapping[str, Any]], label: Callable[[int], str] = _one
) -> Callable[[int, int], Workload]:
    return lambda nodes, pods: Workload(make_nodes(nodes), make_pods(pods, spec, label))


def running_pods(count: int, nodes: int, **spec: Any) -> list[Pod]:
    """Return pods that already run, spread over the nodes in turn."""
    return [
        parse_pod(pod_manifest(f"running-{i}", {"app": "running"}, **spec, nodeName=f"node-{i % nodes}"))
        for i in range(count)
    ]


def _unschedulable(nodes: int, pods: int) -> Workload:
    """Return a full cluster of pods of equal priority: no pod fits, and none may be evicted."""
    large = {"cpu": "1", "memory": "1Gi"}
    return Workload(
        make_nodes(nodes, cpu="4", memory="16Gi"),
        [parse_pod(pod_manifest(f"pod-{i}", {"app": "one"}, **large)) for i in range(pods)],
        running_pods(4 * nodes, nodes, **large),
    )


def _preemption(nodes: int, pods: int) -> Workload:
    """Return four low-priority pods on every node; pods to schedule need the resources of some of them."""
    high = [parse_pod(pod_manifest(f"high-{i}", {"app": "high"}, cpu="2", priority=100)) for i in range(pods)]
    low = running_pods(4 * nodes, nodes, cpu="1", memory="1Gi", priority=0)
    return Workload(make_nodes(nodes, cpu="4", memory="16Gi"), high, low)


_DRIVER, _DEVICES = "gpu.example.com", 8


def _claim(name: str) -> Manifest:
    expression = f'device.capacity["{_DRIVER}"].memory.compareTo(quantity("40Gi")) >= 0'
    exactly = {"deviceClassName": _DRIVER, "selectors": [{"cel": {"expression": expression}}]}
    spec = {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": metadata, "spec": spec}


def _slice(i: int) -> Manifest:
    devices = [
        {
            "name": f"gpu-{n}",
            "attributes": {"model": {"string": "large" if n % 2 else "small"}},
            "capacity": {"memory": {"value": "80Gi" if n % 4 else "20Gi"}},
        }
        for n in range(_DEVICES)
    ]
    pool = {"name": f"node-{i}", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": _DRIVER, "nodeName": f"node-{i}", "pool": pool, "devices": devices}
    metadata = {"name": f"node-{i}-gpus"}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": metadata, "spec": spec}


def _devices(nodes: int, pods: int) -> Workload:
    """Return eight devices on every node; each pod has a claim whose two selectors choose its device."""
    selector = {"cel": {"expression": f'device.driver == "{_DRIVER}"'}}
    device_class = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": _DRIVER},
        "spec": {"selectors": [selector]},
    }
    manifests = [device_class, *map(_slice, range(nodes)), *(_claim(f"pod-{i}") for i in range(pods))]
    claims = make_pods(pods, lambda i: {"resourceClaims": [{"name": "gpu", "resourceClaimName": f"pod-{i}"}]}, _one)
    return Workload(make_nodes(nodes), claims, others=[parse_object(each) for each in manifests], binds=True)


_KINDS = (_nothing, _anti_affinity, _affinity, _preferred_affinity, _spread("DoNotSchedule"), _spread("ScheduleAnyway"))


def _churn(nodes: int, pods: int) -> Workload:
    """Return all kinds of pods, in turn."""

    def spec(i: int) -> Mapping[str, Any]:
        return _KINDS[i % len(_KINDS)](i)

    def label(i: int) -> str:
        return f"group-{i // 50}" if spec(i) == _anti_affinity(i) else "one"

    return Workload(make_nodes(nodes), make_pods(pods, spec, label), churn=True)


SYNTHETIC: Mapping[str, Callable[[int, int], Workload]] = {
    "basic": _simple(_nothing),
    "antiaffinity": _simple(_anti_affinity, lambda i: f"group-{i // 50}"),
    "affinity": _simple(_affinity),
    "prefaffinity": _simple(_preferred_affinity),
    "spread": _simple(_spread("DoNotSchedule")),
    "spreadsoft": _simple(_spread("ScheduleAnyway")),
    "unschedulable": _unschedulable,
    "preemption": _preemption,
    "churn": _churn,
    "replicas": _simple(_nothing),
    "dra": _devices,
}
# The pods of a production trace on its own nodes, read from files.
TRACE = "trace"


def synthetic(name: str, nodes: int, pods: int, running: int = 0) -> Workload:
    """Return a workload with `running` small pods in addition to its own."""
    workload = SYNTHETIC[name](nodes, pods)
    workload.running = [*workload.running, *running_pods(running, nodes)] if running else workload.running
    return workload


def default_pods(workload: str, nodes: int) -> int:
    """Return how many pods a row schedules by default."""
    if workload == "basic":
        return {100: 1000, 1000: 5000}.get(nodes, 10_000)
    return {"replicas": 5000, "preemption": 200, "dra": 5 * nodes}.get(workload, 1000)
