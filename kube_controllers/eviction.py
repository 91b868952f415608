"""The Eviction API: a pod goes, if its budget allows it. Source: pkg/registry/core/pod/storage/eviction.go."""

from kube_controllers.api import Api, Refused
from kube_controllers.disruption.actor import budgets_of
from kube_controllers.pods import is_finished, is_ready, phase
from kube_controllers.statuses import with_condition
from kube_objects.manifests import (
    Manifest,
    format_time,
    generation,
    is_deleted,
    key,
    kind,
    name,
    number,
    spec,
    status,
)

TOO_MANY = "TooManyRequests"
_MOST_DISRUPTED = 2000


def evict(pod: Manifest, api: Api) -> None:
    """Raises Refused, with the reason of upstream's Status."""
    if not _needs_no_budget(pod):
        budgets = budgets_of(pod, api.view)
        if len(budgets) > 1:
            message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
            raise Refused(message, "InternalError")
        if budgets:
            # Whoever evicts several pods at once has used some of the budget up already.
            _use_up(pod, api.get(kind(budgets[0]), key(budgets[0])) or budgets[0], api)
    marked = with_condition(
        pod, "DisruptionTarget", "True", "EvictionByEvictionAPI", "Eviction API: evicting", api.view.now
    )
    api.delete(api.update_status(pod, marked["status"]))


def _needs_no_budget(pod: Manifest) -> bool:
    """Source: canIgnorePDB."""
    return is_finished(pod) or phase(pod) == "Pending" or is_deleted(pod)


def _use_up(pod: Manifest, budget: Manifest, api: Api) -> None:
    """One disruption less; a pod that does not run anyway needs none. Source: checkAndDecrement."""
    found = status(budget)
    if not is_ready(pod) and _may_go_unready(budget):
        return
    if number(found.get("observedGeneration"), 0) < generation(budget):
        message = "Cannot evict pod as it would violate the pod's disruption budget."
        raise Refused(message, TOO_MANY)
    if number(found.get("disruptionsAllowed"), 0) <= 0 or len(found.get("disruptedPods") or ()) > _MOST_DISRUPTED:
        raise Refused("Cannot evict pod as it would violate the pod's disruption budget.", TOO_MANY)
    disrupted = {**(found.get("disruptedPods") or {}), name(pod): format_time(api.view.now)}
    left = number(found.get("disruptionsAllowed"), 0) - 1
    api.update_status(budget, {**found, "disruptionsAllowed": left, "disruptedPods": disrupted})


def _may_go_unready(budget: Manifest) -> bool:
    found, policy = status(budget), spec(budget).get("unhealthyPodEvictionPolicy") or "IfHealthyBudget"
    healthy, desired = number(found.get("currentHealthy"), 0), number(found.get("desiredHealthy"), 0)
    return policy == "AlwaysAllow" or (healthy >= desired and desired > 0)
