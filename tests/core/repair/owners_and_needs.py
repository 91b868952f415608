"""Pods of every kind of owner, and every reason that keeps them pending: the table with which repairs are tested."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Manifest = dict[str, Any]
TAINT = {"key": "team", "value": "blue", "effect": "NoSchedule"}
ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
OWNERS = (
    "Pod",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "CronJob",
    "ReplicationController",
)


def node(name: str, *, cpu: str = "4", zone: str = "", **spec: Any) -> Manifest:
    labels = {HOST: name} | ({ZONE: zone} if zone else {})
    amounts = {"cpu": cpu, "memory": "8Gi", "pods": "110"}
    status = {"capacity": amounts, "allocatable": amounts}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": status,
    }


@dataclass(frozen=True)
class Need:
    """A reason why a Pod is pending.

    `spec` is merged into the spec of the Pod, which has `labels`. `around` holds the other objects. `kinds` names the
    edits that may help.
    """

    kinds: tuple[str, ...]
    around: Sequence[Manifest]
    spec: Manifest
    cpu: str = "1"
    not_for: tuple[str, ...] = ()


def tainted() -> Manifest:
    return node("n1", taints=[TAINT])


def running(name: str, cpu: str, **metadata: Any) -> Manifest:
    """Return a Pod without an owner that runs on n1."""
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    about = {"name": name, "namespace": "default", **metadata}
    spec = {"nodeName": "n1", "containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": about, "spec": spec, "status": {"phase": "Running"}}


def required(key: str, value: str) -> Manifest:
    term = {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}
    terms = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return {"affinity": {"nodeAffinity": terms}}


def spread(skew: int) -> Manifest:
    selector = {"matchLabels": {"tier": "front"}}
    rule = {"maxSkew": skew, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
    return {"topologySpreadConstraints": [rule]}


def deployment(name: str, cpu: str) -> Manifest:
    """Return another Deployment of one Pod."""
    labels = {"app": name}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    meta = {"name": name, "namespace": "default"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec}


OTHER = deployment("other", "3500m")
_NOT_DAEMONS = ("DaemonSet",)  # no pod is made for a node that the template does not fit
NEEDS: dict[str, Need] = {
    "toleration": Need(("tolerate",), [tainted()], {}, not_for=_NOT_DAEMONS),
    "request": Need(("lower_request", "recreate_job"), [node("n1")], {}, "6"),
    "toleration and request": Need(("tolerate", "lower_request", "recreate_job"), [tainted()], {}, "6", _NOT_DAEMONS),
    "node taint": Need(("untaint",), [tainted()], {}, not_for=_NOT_DAEMONS),
    "node taint and request": Need(("untaint", "lower_request", "recreate_job"), [tainted()], {}, "6", _NOT_DAEMONS),
    "node selector": Need(
        ("drop_selector", "recreate_job"), [node("n1")], {"nodeSelector": {"disk": "ssd"}}, not_for=_NOT_DAEMONS
    ),
    "node affinity": Need(("soften", "recreate_job"), [node("n1")], required("disk", "ssd"), not_for=_NOT_DAEMONS),
    "node label": Need(("label",), [node("n1")], {"nodeSelector": {"disk": "ssd"}}, not_for=_NOT_DAEMONS),
    "node label and request": Need(
        ("label", "lower_request", "recreate_job"), [node("n1")], required("disk", "ssd"), "6", _NOT_DAEMONS
    ),
    "spread": Need(
        ("raise_skew", "soften", "recreate_job"),
        [node("n1", zone="a"), node("n2", zone="b", cpu="100m"), running("w", "1", labels={"tier": "front"})],
        spread(1),
        not_for=_NOT_DAEMONS,
    ),
    "cordon": Need(("uncordon",), [node("n1", unschedulable=True)], {}, not_for=_NOT_DAEMONS),
    "another node": Need(("add_node",), [node("n1"), running("big", "3500m")], {}, not_for=_NOT_DAEMONS),
    "another node and a label": Need(
        ("add_node", "label"),
        [node("n1"), running("big", "3500m")],
        {"nodeSelector": {"disk": "ssd"}},
        not_for=_NOT_DAEMONS,
    ),
    "another pod gone": Need(("delete_pod",), [node("n1"), running("big", "3500m")], {}),
    "another pod elsewhere": Need(
        ("move_pod",), [node("n1"), running("big", "2"), node("n2", cpu="2500m")], {}, "3", _NOT_DAEMONS
    ),
    "a Deployment's pod gone": Need(("delete_pod",), [node("n1"), OTHER], {}, not_for=_NOT_DAEMONS),
    "a Deployment's pod elsewhere": Need(
        ("move_pod",), [node("n1"), OTHER, node("n2", cpu="3500m")], {}, "3600m", _NOT_DAEMONS
    ),
    "priority": Need(("raise_priority", "recreate_job"), [node("n1"), running("big", "3500m")], {}),
}


def workload(kind: str, need: Need) -> Manifest:
    """Return a workload of one Pod with the label `app: w`."""
    labels = {"app": "w", "tier": "front"}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": need.cpu}}}
    spec: Manifest = {"containers": [container], **need.spec}
    meta = {"name": "w" if kind != "Pod" else "waits", "namespace": "default"}
    template = {"metadata": {"labels": labels}, "spec": spec}
    selector = {"matchLabels": labels}
    once = {"template": {"metadata": {"labels": labels}, "spec": {**spec, "restartPolicy": "Never"}}}
    match kind:
        case "Pod":
            return {"apiVersion": "v1", "kind": kind, "metadata": {**meta, "labels": labels}, "spec": spec}
        case "ReplicationController":
            of: Manifest = {"replicas": 1, "selector": labels, "template": template}
            return {"apiVersion": "v1", "kind": kind, "metadata": meta, "spec": of}
        case "Job":
            return {"apiVersion": "batch/v1", "kind": kind, "metadata": meta, "spec": once}
        case "CronJob":
            of = {"schedule": "* * * * *", "concurrencyPolicy": "Forbid", "jobTemplate": {"spec": once}}
            return {"apiVersion": "batch/v1", "kind": kind, "metadata": meta, "spec": of}
        case "DaemonSet":
            of = {"selector": selector, "template": template}
        case _:
            of = {"replicas": 1, "selector": selector, "template": template}
    if kind == "StatefulSet":
        of["serviceName"] = "w"
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": meta, "spec": of}


def cases() -> Iterator[tuple[str, str]]:
    return ((owner, name) for name, need in NEEDS.items() for owner in OWNERS if owner not in need.not_for)
