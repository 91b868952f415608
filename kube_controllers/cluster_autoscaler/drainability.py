"""Which pods keep a node from going. Source: cluster-autoscaler/utils/drain, simulator/drainability/rules."""

from collections.abc import Iterable
from typing import NamedTuple

from kube_controllers.admission import is_mirror
from kube_controllers.cluster_autoscaler.utilization import is_daemon
from kube_controllers.disruption.actor import budgets_of
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


class Leaving(NamedTuple):
    """The pods to evict when the node goes, and why it cannot go, if it cannot."""

    pods: list[Manifest]
    blocked: str


class Rules(NamedTuple):
    """Source: the flags skip-nodes-with-local-storage, skip-nodes-with-system-pods."""

    local_storage: bool = True
    system_pods: bool = True
    controlled_only: bool = True


def leaving(pods: Iterable[Manifest], view: View, rules: Rules) -> Leaving:
    """Source: GetPodsForDeletionOnNodeDrain. Pods of DaemonSets and of the node itself go with it."""
    found = []
    for pod in pods:
        if is_mirror(pod) or is_daemon(pod) or is_deleted(pod):
            continue
        blocked = "" if is_finished(pod) else _blocked(pod, view, rules)
        if blocked:
            return Leaving([], blocked)
        found.append(pod)
    return Leaving(found, "")


def _blocked(pod: Manifest, view: View, rules: Rules) -> str:
    safe = annotations(pod).get(SAFE_TO_EVICT)
    if safe == "true":
        return _by_budget(pod, view)
    if safe == "false":
        return say("pod {pod} is annotated as not safe to evict", pod=key(pod))
    owner = controller_of(pod)
    if rules.controlled_only and (owner is None or kind(owner) not in _REPLICATED):
        return say("pod {pod} has no controller that would make it again", pod=key(pod))
    if rules.system_pods and namespace(pod) == "kube-system" and not budgets_of(pod, view):
        return say("pod {pod} is of kube-system and has no budget", pod=key(pod))
    if rules.local_storage and _has_local_storage(pod):
        return say("pod {pod} keeps data on the node", pod=key(pod))
    return _by_budget(pod, view)


def _by_budget(pod: Manifest, view: View) -> str:
    for budget in budgets_of(pod, view):
        allowed = status(budget).get("disruptionsAllowed")
        if allowed is not None and number(allowed, 0) <= 0:
            return say("the budget {budget} does not let pod {pod} go", budget=key(budget), pod=key(pod))
    return ""


def _has_local_storage(pod: Manifest) -> bool:
    """Source: HasBlockingLocalStorage."""
    listed = (meta(pod).get("annotations") or {}).get("cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes")
    safe = {part.strip() for part in str(listed or "").split(",")}
    return any(
        ("emptyDir" in one and (one.get("emptyDir") or {}).get("medium") != "Memory") or "hostPath" in one
        for one in spec(pod).get("volumes") or ()
        if one.get("name") not in safe
    )
