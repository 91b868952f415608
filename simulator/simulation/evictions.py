"""Evictions: who may be evicted, and what becomes of the budgets.

Source: pkg/registry/core/pod/storage/eviction.go, staging/src/k8s.io/kubectl/pkg/drain/filters.go.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import evicting
from kube_objects.epoch import EPOCH_SECONDS
from kube_objects.manifests import Manifest, key, name, spec
from kube_objects.pod import Pod
from kube_objects.selectors import selects
from kube_objects.sentences import say
from simulator.simulation.cluster import SimulatedCluster

_MIRROR = "kubernetes.io/config.mirror"


def stays_when_drained(pod: Pod) -> str:
    """Why `kubectl drain` passes the pod over; "" if it does not."""
    if _MIRROR in pod.annotations:
        return say("is a static pod of the node's kubelet")
    owner = pod.controller
    if owner is not None and owner.kind == "DaemonSet" and not pod.finished:
        return say("is managed by the DaemonSet {name}", name=f"{pod.namespace}/{owner.name}")
    return ""


def refusal_of(pod: Pod, cluster: SimulatedCluster) -> str:
    """Return why the Eviction API refuses to evict the pod now; "" if it does not."""
    evicted, budgets = _seen_by_api(pod, cluster)
    try:
        _spend(evicted, budgets, cluster)
    except ApiError as error:
        guards = [key(one) for one in budgets if selects((one.get("spec") or {}).get("selector"), pod.labels)]
        message = str(error).rstrip(".")
        if len(guards) > 1:
            return f"{message}: {', '.join(guards)}"
        return f"{message}: the PodDisruptionBudget {guards[0]} allows no disruption"
    return ""


def evict(cluster: SimulatedCluster, pod: Pod) -> None:
    """Delete a pod that is not refused, and use up one disruption of its budget.

    Without controllers the pod is gone at once, so that the budget's status need not list it as being disrupted.
    """
    if cluster.life is not None:
        cluster.life.evict_by_api(pod)
        return
    spent = _spend(*_seen_by_api(pod, cluster), cluster)
    if spent is not None:
        budget: Any = cluster.store.get("PodDisruptionBudget", key(spent))
        cluster.put(replace(budget, disruptions_allowed=spent["status"]["disruptionsAllowed"]))
    cluster.delete(pod)


def _spend(pod: Manifest, budgets: Sequence[Manifest], cluster: SimulatedCluster) -> Manifest | None:
    """Return the pod's budget with one disruption less; None if the eviction needs no budget. Raise ApiError."""
    budget = evicting.budget_of(pod, budgets)
    now = datetime.fromtimestamp(EPOCH_SECONDS + cluster.now, UTC)
    return None if budget is None else evicting.spent(budget, name(pod), now)


def _seen_by_api(pod: Pod, cluster: SimulatedCluster) -> tuple[Manifest, Sequence[Manifest]]:
    """Return the pod and the budgets of its namespace as the API server of the cluster has them.

    Without controllers nobody writes their status: a pod with a node runs and is ready, and a budget has the
    disruptions that are left.
    """
    if cluster.life is not None:
        objects = cluster.life.manager.objects
        found = objects.get("Pod", pod.key) or pod.manifest
        return found, objects.of_kind("PodDisruptionBudget", pod.namespace)
    phase = pod.phase if pod.finished else "Running" if pod.node_name else "Pending"
    about = {"name": pod.name, "labels": pod.labels, "deletionTimestamp": pod.deletion_timestamp}
    status = {"phase": phase, "conditions": [{"type": "Ready", "status": "True"}]}
    budgets = [
        {
            "metadata": {"name": one.name, "namespace": one.namespace},
            "spec": spec(one.manifest),
            "status": {"disruptionsAllowed": one.disruptions_allowed},
        }
        for one in cluster.store.list("PodDisruptionBudget", pod.namespace)
    ]
    return {"metadata": about, "status": status}, budgets
