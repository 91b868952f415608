"""The Eviction API: a Pod is evicted if its PodDisruptionBudget allows it.

Clients of the API, controllers and the commands of the simulator all use these functions.

Source: pkg/registry/core/pod/storage/eviction.go.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from kube_apiserver import errors
from kube_apiserver.time_format import TIME_FORMAT
from kube_objects.selectors import selects

Object = dict[str, Any]
Manifest = Mapping[str, Any]

RETRY_AFTER = 10
_REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."
_MOST_DISRUPTED = 2000
_SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."


def budget_of(pod: Manifest, budgets: Sequence[Manifest]) -> Manifest | None:
    """Return the PodDisruptionBudget that must allow the eviction, or None. Raise ApiError if there are two."""
    metadata, status = pod["metadata"], pod.get("status") or {}
    if status.get("phase") in ("Succeeded", "Failed", "Pending") or metadata.get("deletionTimestamp"):
        return None
    labels = metadata.get("labels") or {}
    guards = [each for each in budgets if selects((each.get("spec") or {}).get("selector"), labels)]
    if len(guards) > 1:
        raise errors.ApiError(500, "", _SEVERAL)
    return guards[0] if guards and not _is_unhealthy_enough(pod, guards[0]) else None


def spent(budget: Manifest, pod: str, now: datetime) -> Object:
    """Return the PodDisruptionBudget with one disruption less, or raise ApiError 429 or 403.

    Source: checkAndDecrement.
    """
    metadata, status = budget["metadata"], dict(budget.get("status") or {})
    name = metadata["name"]
    if int(status.get("observedGeneration") or 0) < int(metadata.get("generation") or 0):
        raise _too_many(f"The disruption budget {name} is still being processed by the server.", RETRY_AFTER)
    allowed = int(status.get("disruptionsAllowed") or 0)
    disrupted = dict(status.get("disruptedPods") or {})
    if allowed < 0:
        raise _forbidden(name, "pdb disruptions allowed is negative")
    if len(disrupted) > _MOST_DISRUPTED:
        raise _forbidden(name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller")
    if allowed == 0:
        raise _too_many(_why_not(name, status), 0)
    status["disruptionsAllowed"] = allowed - 1
    status["disruptedPods"] = {**disrupted, pod: now.strftime(TIME_FORMAT)}
    if allowed == 1:
        status["conditions"] = _exhausted(status, now)
    return {**budget, "status": status}


def with_disruption_condition(pod: Object, now: datetime) -> Object:
    """Return the Pod with the condition of its eviction."""
    status = pod.get("status") or {}
    others = [each for each in status.get("conditions") or () if each.get("type") != "DisruptionTarget"]
    condition = {
        "lastProbeTime": None,
        "lastTransitionTime": now.strftime(TIME_FORMAT),
        "message": "Eviction API: evicting",
        "reason": "EvictionByEvictionAPI",
        "status": "True",
        "type": "DisruptionTarget",
    }
    return {**pod, "status": {**status, "conditions": [*others, condition]}}


def _is_unhealthy_enough(pod: Manifest, budget: Manifest) -> bool:
    """Return True if the Pod is not ready and its PodDisruptionBudget doesn't protect such Pods."""
    conditions = (pod.get("status") or {}).get("conditions") or ()
    if any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions):
        return False
    if (budget.get("spec") or {}).get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    status = budget.get("status") or {}
    healthy, wanted = (int(status.get(field) or 0) for field in ("currentHealthy", "desiredHealthy"))
    return healthy >= wanted > 0


def _why_not(name: str, status: Manifest) -> str:
    conditions = status.get("conditions") or ()
    allowed: Manifest = next((each for each in conditions if each.get("type") == "DisruptionAllowed"), {})
    message = (allowed.get("message") or "") if allowed.get("status") == "False" else ""
    refusal = f"The disruption budget {name} does not allow evicting pods currently"
    if message and allowed.get("reason") == "SyncFailed":
        return f"{refusal} because it failed sync: {message}"
    healthy, wanted = (int(status.get(field) or 0) for field in ("currentHealthy", "desiredHealthy"))
    if healthy <= wanted:
        return f"The disruption budget {name} needs {wanted} healthy pods and has {healthy} currently"
    return f"{refusal} ({allowed.get('reason')}): {message}" if message else refusal


def _exhausted(status: Manifest, now: datetime) -> list[Any]:
    conditions = list(status.get("conditions") or ())
    others = [each for each in conditions if each.get("type") != "DisruptionAllowed"]
    before: Manifest = next((each for each in conditions if each.get("type") == "DisruptionAllowed"), {})
    since = before.get("lastTransitionTime") if before.get("status") == "False" else now.strftime(TIME_FORMAT)
    condition = {
        "type": "DisruptionAllowed",
        "status": "False",
        "observedGeneration": int(status.get("observedGeneration") or 0),
        "lastTransitionTime": since,
        "reason": "InsufficientPods",
        "message": "",
    }
    return [*others, condition]


def _too_many(cause: str, retry: int) -> errors.ApiError:
    details: Object = {"causes": [{"reason": "DisruptionBudget", "message": cause}]}
    if retry:
        details["retryAfterSeconds"] = retry
    return errors.ApiError(429, "TooManyRequests", _REFUSED, details)


def _forbidden(name: str, why: str) -> errors.ApiError:
    details = {"name": name, "group": "policy", "kind": "poddisruptionbudget"}
    return errors.ApiError(403, "Forbidden", f'poddisruptionbudget.policy "{name}" is forbidden: {why}', details)
