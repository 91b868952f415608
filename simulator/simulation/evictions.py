"""Evictions: who may be evicted, and what becomes of the budgets.

Source: pkg/registry/core/pod/storage/eviction.go, staging/src/k8s.io/kubectl/pkg/drain/filters.go.
"""

from dataclasses import replace

from kube_objects.kinds.policy.pod_disruption_budget import PodDisruptionBudget
from kube_objects.pod import Pod
from kube_objects.sentences import say
from simulator.simulation.cluster import SimulatedCluster
from simulator.simulation.store import ObjectStore

_MIRROR = "kubernetes.io/config.mirror"


def stays_when_drained(pod: Pod) -> str:
    """Why `kubectl drain` passes the pod over; "" if it does not."""
    if _MIRROR in pod.annotations:
        return say("is a static pod of the node's kubelet")
    owner = pod.controller
    if owner is not None and owner.kind == "DaemonSet" and not pod.finished:
        return say("is managed by the DaemonSet {name}", name=f"{pod.namespace}/{owner.name}")
    return ""


def refusal_of(pod: Pod, store: ObjectStore) -> str:
    """Why the Eviction API refuses to evict the pod now; "" if it does not. A pod that runs counts as ready."""
    if _needs_no_budget(pod):
        return ""
    budgets = _budgets_of(pod, store)
    if len(budgets) > 1:
        names = ", ".join(budget.key for budget in budgets)
        return (
            f"This pod has more than one PodDisruptionBudget, which the eviction subresource does not support: {names}"
        )
    if budgets and budgets[0].disruptions_allowed <= 0:
        return (
            "Cannot evict pod as it would violate the pod's disruption budget: the PodDisruptionBudget "
            f"{budgets[0].key} allows no disruption"
        )
    return ""


def evict(cluster: SimulatedCluster, pod: Pod) -> None:
    """Delete a pod that is not refused, and use up one disruption of its budget.

    The pod is gone at once, so that the budget's status need not list it as being disrupted.
    """
    if cluster.life is not None:
        cluster.life.evict_by_api(pod)
        return
    if not _needs_no_budget(pod):
        for budget in _budgets_of(pod, cluster.store):
            cluster.put(replace(budget, disruptions_allowed=budget.disruptions_allowed - 1))
    cluster.delete(pod)


def _needs_no_budget(pod: Pod) -> bool:
    """Pods that do not run can go at any time. Source: canIgnorePDB."""
    return pod.finished or not pod.node_name or pod.terminating


def _budgets_of(pod: Pod, store: ObjectStore) -> list[PodDisruptionBudget]:
    """Source: getPodDisruptionBudgets. An empty selector selects every pod of the namespace, none selects nothing."""
    budgets: list[PodDisruptionBudget] = list(store.list("PodDisruptionBudget", pod.namespace))
    return [budget for budget in budgets if budget.selector is not None and budget.selector.matches(pod.labels)]
