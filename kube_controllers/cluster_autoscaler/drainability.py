"""The Pods that must move when a Node is removed, and the Pods that prevent its removal.

Source: cluster-autoscaler/utils/drain, simulator/drainability/rules.
"""

from collections.abc import Iterable
from typing import NamedTuple

from kube_controllers.admission import is_mirror
from kube_controllers.cluster_autoscaler.utilization import is_daemon
from kube_controllers.disruption.disruption_controller import budgets_of
from kube_controllers.objects import View
from kube_controllers.pods import is_finished
from kube_objects.manifests import (
    Manifest,
    annotations,
    controller_of,
    is_deleted,
    key,
    kind,
    meta,
    namespace,
    number,
    spec,
    status,
)
from kube_objects.sentences import say

SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict"
_REPLICATED = ("ReplicationController", "ReplicaSet", "Job", "StatefulSet")


class PodsToMove(NamedTuple):
    """The Pods to evict when the Node is removed, and the reason if it can't be removed."""

    pods: list[Manifest]
    blocked: str


class DrainRules(NamedTuple):
    """Source: the flags skip-nodes-with-local-storage, skip-nodes-with-system-pods."""

    local_storage: bool = True
    system_pods: bool = True
    controlled_only: bool = True


def pods_to_move(pods: Iterable[Manifest], view: View, rules: DrainRules) -> PodsToMove:
    """Return the Pods to evict. Mirror Pods and Pods of DaemonSets are deleted with the Node.

    Source: GetPodsForDeletionOnNodeDrain.
    """
    movable = []
    for pod in pods:
        if is_mirror(pod) or is_daemon(pod) or is_deleted(pod):
            continue
        reason = "" if is_finished(pod) else _blocking_reason(pod, view, rules)
        if reason:
            return PodsToMove([], reason)
        movable.append(pod)
    return PodsToMove(movable, "")


def _blocking_reason(pod: Manifest, view: View, rules: DrainRules) -> str:
    safe = annotations(pod).get(SAFE_TO_EVICT)
    if safe == "true":
        return _blocking_pdb(pod, view)
    if safe == "false":
        return say("pod {pod} is annotated as not safe to evict", pod=key(pod))
    owner = controller_of(pod)
    if rules.controlled_only and (owner is None or kind(owner) not in _REPLICATED):
        return say("Pod {pod} has no controller that would recreate it", pod=key(pod))
    if rules.system_pods and namespace(pod) == "kube-system" and not budgets_of(pod, view):
        return say("Pod {pod} is in kube-system and has no PodDisruptionBudget (PDB)", pod=key(pod))
    if rules.local_storage and _has_local_storage(pod):
        return say("Pod {pod} stores data on the node", pod=key(pod))
    return _blocking_pdb(pod, view)


def _blocking_pdb(pod: Manifest, view: View) -> str:
    for budget in budgets_of(pod, view):
        allowed = status(budget).get("disruptionsAllowed")
        if allowed is not None and number(allowed, 0) <= 0:
            return say(
                "the PodDisruptionBudget (PDB) {budget} does not allow the eviction of Pod {pod}",
                budget=key(budget),
                pod=key(pod),
            )
    return ""


def _has_local_storage(pod: Manifest) -> bool:
    """Source: HasBlockingLocalStorage."""
    listed = (meta(pod).get("annotations") or {}).get("cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes")
    safe = {part.strip() for part in str(listed or "").split(",")}
    return any(
        ("emptyDir" in volume and (volume.get("emptyDir") or {}).get("medium") != "Memory") or "hostPath" in volume
        for volume in spec(pod).get("volumes") or ()
        if volume.get("name") not in safe
    )
