"""Evict pods as the Eviction API does: check the PodDisruptionBudgets, delete the pod, update the budget.

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


def drain_skip_reason(pod: Pod) -> str:
    """Return why `kubectl drain` skips the pod; "" if it does not."""
    if _MIRROR in pod.annotations:
        return say("is a static pod of the node's kubelet")
    owner = pod.controller
    if owner is not None and owner.kind == "DaemonSet" and not pod.finished:
        return say("is managed by the DaemonSet {name}", name=f"{pod.namespace}/{owner.name}")
    return ""


def eviction_refusal(pod: Pod, cluster: SimulatedCluster) -> str:
    """Return why the Eviction API refuses to evict the pod now; "" if it does not."""
    evicted, budgets = _api_objects(pod, cluster)
    try:
        _use_disruption(evicted, budgets, cluster)
    except ApiError as error:
        guards = [key(budget) for budget in budgets if selects((budget.get("spec") or {}).get("selector"), pod.labels)]
        message = str(error).rstrip(".")
        if len(guards) > 1:
            return f"{message}: {', '.join(guards)}"
        return f"{message}: the PodDisruptionBudget {guards[0]} allows no disruption"
    return ""


def evict(cluster: SimulatedCluster, pod: Pod) -> None:
    """Delete a pod whose eviction is not refused, and use one disruption of its budget.

    Without controllers the pod is deleted immediately, so the budget's status doesn't list it as disrupted.
    """
    if cluster.controllers is not None:
        cluster.controllers.evict_by_api(pod)
        return
    spent = _use_disruption(*_api_objects(pod, cluster), cluster)
    if spent is not None:
        budget: Any = cluster.store.get("PodDisruptionBudget", key(spent))
        cluster.put(replace(budget, disruptions_allowed=spent["status"]["disruptionsAllowed"]))
    cluster.delete(pod)


def _use_disruption(pod: Manifest, budgets: Sequence[Manifest], cluster: SimulatedCluster) -> Manifest | None:
    """Return the pod's budget with one disruption less; None if the eviction needs no budget. Raise ApiError."""
    budget = evicting.budget_of(pod, budgets)
    now = datetime.fromtimestamp(EPOCH_SECONDS + cluster.now, UTC)
    return None if budget is None else evicting.spent(budget, name(pod), now)


def _api_objects(pod: Pod, cluster: SimulatedCluster) -> tuple[Manifest, Sequence[Manifest]]:
    """Return the pod and the budgets of its namespace as the cluster's API server would.

    Without controllers no component writes their status, so a pod with a node counts as ready, and a budget has its
    remaining disruptions.
    """
    if cluster.controllers is not None:
        objects = cluster.controllers.manager.objects
        manifest = objects.get("Pod", pod.key) or pod.manifest
        return manifest, objects.of_kind("PodDisruptionBudget", pod.namespace)
    phase = pod.phase if pod.finished else "Running" if pod.node_name else "Pending"
    about = {"name": pod.name, "labels": pod.labels, "deletionTimestamp": pod.deletion_timestamp}
    status = {"phase": phase, "conditions": [{"type": "Ready", "status": "True"}]}
    budgets = [
        {
            "metadata": {"name": budget.name, "namespace": budget.namespace},
            "spec": spec(budget.manifest),
            "status": {"disruptionsAllowed": budget.disruptions_allowed},
        }
        for budget in cluster.store.list("PodDisruptionBudget", pod.namespace)
    ]
    return {"metadata": about, "status": status}, budgets
