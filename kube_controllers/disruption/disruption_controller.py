"""The disruption controller, which counts what PodDisruptionBudgets allow. Source:
pkg/controller/disruption/disruption.go.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.admission import plural
from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, ReconcileRequest, latest_version
from kube_controllers.objects import View
from kube_controllers.pods import is_ready
from kube_controllers.selecting import as_go
from kube_objects.kinds.api_names import NAMESPACED
from kube_objects.manifests import (
    Manifest,
    condition,
    conditions,
    controller_of,
    format_time,
    generation,
    is_deleted,
    key,
    kind,
    labels,
    name,
    namespace,
    nonzero,
    number,
    parse_time,
    scaled,
    spec,
    status,
)
from kube_objects.selectors import as_label_selector, selects
from kube_objects.sentences import say

COMPONENT = "controllermanager"
# The time for which an eviction counts before its Pod is deleted.
DELETION_SECONDS = 120.0
_SCALED = ("ReplicaSet", "StatefulSet", "ReplicationController")


class DisruptionController:
    name = "disruption"
    kind = "PodDisruptionBudget"
    watches = frozenset({"PodDisruptionBudget", "Pod"})
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        obj = latest_version(old, new)
        if kind(obj) == self.kind:
            yield ReconcileRequest(key(obj))
        elif kind(obj) == "Pod":
            keys: dict[str, None] = {}
            for pod in (old, new):
                if pod is not None:
                    keys |= {key(budget): None for budget in budgets_of(pod, view)}
            yield from (ReconcileRequest(budget) for budget in keys)

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Source: trySync."""
        api = Api(view)
        selector = as_label_selector(spec(obj).get("selector"))
        candidates = view.of_kind("Pod", namespace(obj)) if selector is not None else ()
        pods = [pod for pod in candidates if selector is not None and selector.matches(labels(pod))]
        if not pods:
            api.emit_event(obj, "Normal", "NoPods", "No matching pods found", COMPONENT)
        try:
            expected, desired, unmanaged = expected_count(obj, pods, view)
        except LookupError as error:
            message = str(error.args[0])
            report = f"Failed to calculate the number of expected pods: {message}"
            api.emit_event(obj, "Warning", "CalculateExpectedPodCountFailed", report, COMPONENT)
            _fail_safe(obj, message, api)
            # As upstream does: no new try until an object changes.
            return Outcome(api.changes, message)
        if unmanaged:
            api.emit_event(obj, "Warning", "UnmanagedPods", _unmanaged(obj), COMPONENT)
        disrupted, wake_at = still_disrupted(obj, pods, view.now)
        healthy = count_healthy(pods, disrupted, view.now)
        new = status_of(obj, healthy, desired, expected, disrupted, view.now)
        reason = ""
        if new != dict(status(obj)):
            api.update_status(obj, new)
            reason = say(
                "PodDisruptionBudget {name}: {healthy} healthy Pods, {desired} required, {allowed} disruptions allowed",
                name=name(obj),
                healthy=healthy,
                desired=desired,
                allowed=new["disruptionsAllowed"],
            )
        return Outcome(api.changes, reason, wake_at)


def budgets_of(pod: Manifest, view: View) -> list[Manifest]:
    """Return the PDBs that select the Pod. An empty selector selects all Pods of the namespace. Source:
    GetPodPodDisruptionBudgets.
    """
    budgets = view.of_kind("PodDisruptionBudget", namespace(pod))
    return [budget for budget in budgets if selects(spec(budget).get("selector"), labels(pod))]


def expected_count(budget: Manifest, pods: Sequence[Manifest], view: View) -> tuple[int, int, list[str]]:
    """Return the expected Pods, the Pods that must be healthy, and the names of Pods without a controller.

    Raise LookupError if a controller can't be found. Source: getExpectedPodCount.
    """
    most, least = spec(budget).get("maxUnavailable"), spec(budget).get("minAvailable")
    if most is not None:
        expected, unmanaged = _expected_scale(pods, view)
        return expected, max(expected - scaled(most, expected, round_up=True), 0), unmanaged
    if isinstance(least, str):
        expected, unmanaged = _expected_scale(pods, view)
        return expected, scaled(least, expected, round_up=True), unmanaged
    return (len(pods), int(least), []) if least is not None else (0, 0, [])


def _expected_scale(pods: Sequence[Manifest], view: View) -> tuple[int, list[str]]:
    scales: dict[str, int] = {}
    unmanaged = []
    for pod in pods:
        reference = controller_of(pod)
        if reference is None:
            unmanaged.append(name(pod))
        elif reference["uid"] not in scales:
            owner_uid, scale = _scale(pod, view)
            scales[reference["uid"]] = 0
            scales[owner_uid] = scale
    return sum(scales.values()), unmanaged


def _scale(pod: Manifest, view: View) -> tuple[str, int]:
    """Return the uid and the replicas of the topmost controller. Source: finders."""
    for owner_kind in _SCALED:
        controller = view.controller(owner_kind, pod)
        if controller is None:
            continue
        above = view.controller("Deployment", controller) if owner_kind == "ReplicaSet" else None
        controller = above or controller
        return str(controller["metadata"]["uid"]), number(spec(controller).get("replicas"), 1)
    raise LookupError(_missing_scale_message(pod))


def _missing_scale_message(pod: Manifest) -> str:
    """Return the error message for a controller without a scale. Source: getScaleController."""
    reference = controller_of(pod) or {}
    of, version = str(reference.get("kind")), str(reference.get("apiVersion"))
    if of in _SCALED or of == "Deployment":
        return f'found no controllers for pod "{name(pod)}"'
    if of in NAMESPACED:
        group = version.rpartition("/")[0]
        return f"{plural(of)}{'.' if group else ''}{group} does not implement the scale subresource"
    return f'no matches for kind "{of}" in version "{version}"'


def still_disrupted(budget: Manifest, pods: Sequence[Manifest], now: float) -> tuple[dict[str, str], float | None]:
    """Return the evictions whose Pods are not deleted yet, and the time at which the first of them expires.

    Source: buildDisruptedPodMap.
    """
    known: Mapping[str, str] = status(budget).get("disruptedPods") or {}
    pending, recheck = {}, []
    for pod in pods:
        evicted = None if is_deleted(pod) else parse_time(known.get(name(pod)))
        # Virtual time doesn't advance during a reconcile, so the eviction expires exactly at the deadline.
        if evicted is not None and evicted + DELETION_SECONDS > now:
            pending[name(pod)] = known[name(pod)]
            recheck.append(evicted + DELETION_SECONDS)
    return pending, min(recheck, default=None)


def count_healthy(pods: Iterable[Manifest], disrupted: Mapping[str, str], now: float) -> int:
    """Source: countHealthyPods."""
    count = 0
    for pod in pods:
        evicted = parse_time(disrupted.get(name(pod)))
        if not is_deleted(pod) and not (evicted is not None and evicted + DELETION_SECONDS > now) and is_ready(pod):
            count += 1
    return count


def status_of(
    budget: Manifest, healthy: int, desired: int, expected: int, disrupted: Mapping[str, str], now: float
) -> dict[str, Any]:
    """Source: updatePdbStatus."""
    allowed = max(healthy - desired, 0) if expected > 0 else 0
    value, reason = ("True", "SufficientPods") if allowed > 0 else ("False", "InsufficientPods")
    new: dict[str, Any] = {
        **nonzero({"observedGeneration": generation(budget), "disruptedPods": dict(disrupted)}),
        "disruptionsAllowed": allowed,
        "currentHealthy": healthy,
        "desiredHealthy": desired,
        "expectedPods": expected,
    }
    new["conditions"] = _with_condition(budget, value, reason, "", now)
    return new


def _with_condition(budget: Manifest, value: str, reason: str, message: str, now: float) -> list[Mapping[str, Any]]:
    before = condition(conditions(budget), "DisruptionAllowed")
    report = {
        "type": "DisruptionAllowed",
        "observedGeneration": generation(budget),
        "status": value,
        "lastTransitionTime": format_time(now),
        "reason": reason,
        "message": message,
    }
    if before is not None and before.get("status") == value:
        report["lastTransitionTime"] = before.get("lastTransitionTime")
    return (
        [report if existing is before else existing for existing in conditions(budget)]
        if before is not None
        else [report]
    )


def _fail_safe(budget: Manifest, message: str, api: Api) -> None:
    """Allow no disruptions, because the Pods can't be counted. Source: failSafe."""
    failed = _with_condition(budget, "False", "SyncFailed", message, api.view.now)
    # The counts are required fields of a status.
    counts = {"currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0, **status(budget)}
    api.update_status(budget, {**counts, "disruptionsAllowed": 0, "conditions": failed})


def _unmanaged(budget: Manifest) -> str:
    return (
        f"Pods selected by this PodDisruptionBudget (selector: {as_go(spec(budget).get('selector'))}) were found "
        "to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in "
        'undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an '
        "integer value."
    )
