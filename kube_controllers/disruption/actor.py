"""Disruption: what PodDisruptionBudgets still allow. Source: pkg/controller/disruption/disruption.go."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.admission import plural
from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, Wake, subject
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
# How long an eviction is counted before its pod is being deleted.
DELETION_SECONDS = 120.0
_SCALED = ("ReplicaSet", "StatefulSet", "ReplicationController")


class DisruptionActor:
    name = "disruption"
    kind = "PodDisruptionBudget"
    watches = frozenset({"PodDisruptionBudget", "Pod"})
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        if kind(obj) == self.kind:
            yield Wake(key(obj))
        elif kind(obj) == "Pod":
            found: dict[str, None] = {}
            for one in (old, new):
                if one is not None:
                    found |= {key(budget): None for budget in budgets_of(one, view)}
            yield from (Wake(budget) for budget in found)

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Source: trySync."""
        api = Api(view)
        selector = as_label_selector(spec(obj).get("selector"))
        inside = view.of_kind("Pod", namespace(obj)) if selector is not None else ()
        pods = [pod for pod in inside if selector is not None and selector.matches(labels(pod))]
        if not pods:
            api.tell(obj, "Normal", "NoPods", "No matching pods found", COMPONENT)
        try:
            expected, desired, unmanaged = expected_count(obj, pods, view)
        except LookupError as error:
            message = str(error.args[0])
            report = f"Failed to calculate the number of expected pods: {message}"
            api.tell(obj, "Warning", "CalculateExpectedPodCountFailed", report, COMPONENT)
            _fail_safe(obj, message, api)
            # What the status says of it is all: it is not tried again until something changes.
            return Outcome(api.changes, message)
        if unmanaged:
            api.tell(obj, "Warning", "UnmanagedPods", _unmanaged(obj), COMPONENT)
        disrupted, wake_at = still_disrupted(obj, pods, view.now)
        healthy = count_healthy(pods, disrupted, view.now)
        new = status_of(obj, healthy, desired, expected, disrupted, view.now)
        reason = ""
        if new != dict(status(obj)):
            api.update_status(obj, new)
            reason = say(
                "PodDisruptionBudget {name}: {healthy} of {desired} pods that have to be healthy are, {allowed} may go",
                name=name(obj),
                healthy=healthy,
                desired=desired,
                allowed=new["disruptionsAllowed"],
            )
        return Outcome(api.changes, reason, wake_at)


def budgets_of(pod: Manifest, view: View) -> list[Manifest]:
    """Source: GetPodPodDisruptionBudgets; an empty selector selects every pod of the namespace."""
    found = view.of_kind("PodDisruptionBudget", namespace(pod))
    return [one for one in found if selects(spec(one).get("selector"), labels(pod))]


def expected_count(budget: Manifest, pods: Sequence[Manifest], view: View) -> tuple[int, int, list[str]]:
    """The pods that there should be, those that have to be healthy, and names of pods that nobody looks after.

    Source: getExpectedPodCount. LookupError if a controller cannot be found.
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
            at, scale = _scale(pod, view)
            scales[reference["uid"]] = 0
            scales[at] = scale
    return sum(scales.values()), unmanaged


def _scale(pod: Manifest, view: View) -> tuple[str, int]:
    """The uid and the replicas of the controller at the top. Source: finders."""
    for of in _SCALED:
        found = view.controller(of, pod)
        if found is None:
            continue
        above = view.controller("Deployment", found) if of == "ReplicaSet" else None
        found = above or found
        return str(found["metadata"]["uid"]), number(spec(found).get("replicas"), 1)
    raise LookupError(_why_none(pod))


def _why_none(pod: Manifest) -> str:
    """Source: getScaleController: of kinds that cannot be scaled that is said."""
    reference = controller_of(pod) or {}
    of, version = str(reference.get("kind")), str(reference.get("apiVersion"))
    if of in _SCALED or of == "Deployment":
        return f'found no controllers for pod "{name(pod)}"'
    if of in NAMESPACED:
        group = version.rpartition("/")[0]
        return f"{plural(of)}{'.' if group else ''}{group} does not implement the scale subresource"
    return f'no matches for kind "{of}" in version "{version}"'


def still_disrupted(budget: Manifest, pods: Sequence[Manifest], now: float) -> tuple[dict[str, str], float | None]:
    """Evictions whose pods are not being deleted yet, and when the first of them is given up.

    Source: buildDisruptedPodMap.
    """
    known: Mapping[str, str] = status(budget).get("disruptedPods") or {}
    found, recheck = {}, []
    for pod in pods:
        at = None if is_deleted(pod) else parse_time(known.get(name(pod)))
        # At the moment itself it is over: virtual time does not go on while somebody looks.
        if at is not None and at + DELETION_SECONDS > now:
            found[name(pod)] = known[name(pod)]
            recheck.append(at + DELETION_SECONDS)
    return found, min(recheck, default=None)


def count_healthy(pods: Iterable[Manifest], disrupted: Mapping[str, str], now: float) -> int:
    """Source: countHealthyPods."""
    count = 0
    for pod in pods:
        at = parse_time(disrupted.get(name(pod)))
        if not is_deleted(pod) and not (at is not None and at + DELETION_SECONDS > now) and is_ready(pod):
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
    return [report if one is before else one for one in conditions(budget)] if before is not None else [report]


def _fail_safe(budget: Manifest, message: str, api: Api) -> None:
    """Source: failSafe: what cannot be counted allows nothing."""
    found = _with_condition(budget, "False", "SyncFailed", message, api.view.now)
    # Counts are in every status, whether they were ever made or not.
    counts = {"currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0, **status(budget)}
    api.update_status(budget, {**counts, "disruptionsAllowed": 0, "conditions": found})


def _unmanaged(budget: Manifest) -> str:
    return (
        f"Pods selected by this PodDisruptionBudget (selector: {as_go(spec(budget).get('selector'))}) were found "
        "to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in "
        'undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an '
        "integer value."
    )
