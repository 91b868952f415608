"""The Eviction API for controllers: it deletes a Pod if its PodDisruptionBudget allows it."""

from datetime import UTC, datetime

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import evicting
from kube_controllers.api import Api, WriteRefused
from kube_controllers.statuses import with_condition
from kube_objects.manifests import Manifest, key, kind, name, namespace

TOO_MANY = "TooManyRequests"


def evict(pod: Manifest, api: Api) -> None:
    """Evict the pod, or raise Refused with the reason of upstream's Status."""
    try:
        budget = evicting.budget_of(pod, api.view.of_kind("PodDisruptionBudget", namespace(pod)))
        if budget is not None:
            # Earlier evictions through the same `api` count against the PDB, too.
            live = api.get(kind(budget), key(budget)) or budget
            spent = evicting.spent(live, name(pod), datetime.fromtimestamp(api.view.now, UTC))
            api.update_status(live, spent["status"])
    except ApiError as error:
        raise WriteRefused(str(error), error.status.get("reason") or "InternalError") from error
    marked = with_condition(
        pod, "DisruptionTarget", "True", "EvictionByEvictionAPI", "Eviction API: evicting", api.view.now
    )
    api.delete(api.update_status(pod, marked["status"]))
