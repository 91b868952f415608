"""ResourceQuota: the total usage that a namespace may have.

Source: apiserver/pkg/admission/plugin/resourcequota/controller.go, pkg/quota/v1.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_apiserver import errors
from kube_apiserver.admission.amounts import (
    HUGE_PAGES,
    added,
    charged,
    form,
    listed,
    nano,
    part,
    resources,
    written,
)
from kube_apiserver.admission.attributes import Attributes
from kube_apiserver.pod_fields import quality_of_service
from kube_apiserver.resources import Resource
from kube_objects.quantity import BINARY_SI, DECIMAL_EXPONENT, DECIMAL_SI, Quantity
from kube_objects.selectors import Requirement

Manifest = Mapping[str, Any]
Usage = dict[str, Any]

_NAMES: Mapping[str, tuple[str, str]] = {
    # Kind → the name of its objects in quotas, and the name of their object count.
    "ConfigMap": ("configmaps", "count/configmaps"),
    "ControllerRevision": ("", "count/controllerrevisions.apps"),
    "CronJob": ("", "count/cronjobs.batch"),
    "DaemonSet": ("", "count/daemonsets.apps"),
    "Deployment": ("", "count/deployments.apps"),
    "Job": ("", "count/jobs.batch"),
    "PersistentVolumeClaim": ("persistentvolumeclaims", "count/persistentvolumeclaims"),
    "Pod": ("pods", "count/pods"),
    "ReplicaSet": ("", "count/replicasets.apps"),
    "ReplicationController": ("replicationcontrollers", "count/replicationcontrollers"),
    "ResourceQuota": ("resourcequotas", "count/resourcequotas"),
    "Secret": ("secrets", "count/secrets"),
    "Service": ("services", "count/services"),
    "StatefulSet": ("", "count/statefulsets.apps"),
}
COUNT = "count/"
"""The prefix of object counts, before plural and group."""
_WITH_MORE = ("Pod", "PersistentVolumeClaim", "Service")
_CONTAINER_RESOURCES = ("cpu", "memory", "ephemeral-storage")
# Resources that each container must specify if a quota limits them. Source: validationSet.
_MUST_BE_SAID = frozenset(f"{prefix}{name}" for prefix in ("", "requests.", "limits.") for name in ("cpu", "memory"))
_BY_CLASS = ".storageclass.storage.k8s.io/"
_FORMS = (BINARY_SI, DECIMAL_SI, DECIMAL_EXPONENT)


def validate(attributes: Attributes) -> list[str]:
    resource, counted = attributes.resource, name_of(attributes.resource)
    if not is_known(resource.kind) and not counted:
        return []
    rules = attributes.world.list("ResourceQuota", attributes.namespace)
    if exceeded := problem(resource.kind, attributes.value, attributes.live, rules, counted):
        raise attributes.forbidden(exceeded)
    return []


def charge(
    resource: Resource, live: Manifest | None, value: Manifest, quotas: Sequence[Manifest]
) -> list[dict[str, Any]]:
    """Return the quotas with the usage after this write, or raise ApiError if it exceeds one."""
    kind, counted = resource.kind, name_of(resource)
    if exceeded := problem(kind, value, live, quotas, counted):
        raise errors.refused(resource, str(value["metadata"]["name"]), exceeded)
    return charges(kind, value, live, quotas, counted)


def name_of(resource: Resource) -> str:
    """Return the name by which a quota counts the objects. Source: quota/v1/install DefaultIgnoredResources."""
    return f"{COUNT}{resource.qualified}" if resource.namespaced and resource.kind != "Event" else ""


def is_known(kind: str) -> bool:
    """Return True if the kind has a name in quotas here. Other kinds need `counted`, the name of their object count."""
    return kind in _NAMES


def used_by(kind: str, value: Manifest, counted: str = "") -> Usage:
    """Return the usage of one object by the names that a quota can limit."""
    own, count = _NAMES.get(kind, ("", counted))
    usage: Usage = {count: "1"}
    spec = part(value, "spec")
    if kind == "Pod":
        return usage if _has_ended(value) else usage | _compute_pod_usage(spec)
    if own:
        usage[own] = "1"
    if kind == "Service":
        usage["services.loadbalancers"] = "1" if spec.get("type") == "LoadBalancer" else "0"
        ports = len(listed(spec, "ports"))
        usage["services.nodeports"] = str(ports if spec.get("type") in ("NodePort", "LoadBalancer") else 0)
    if kind == "PersistentVolumeClaim":
        storage, of_class = part(part(spec, "resources"), "requests").get("storage"), spec.get("storageClassName")
        if of_class:
            usage[f"{of_class}{_BY_CLASS}persistentvolumeclaims"] = "1"
        if storage:
            usage["requests.storage"] = storage
            if of_class:
                usage[f"{of_class}{_BY_CLASS}requests.storage"] = storage
    return usage


def _compute_pod_usage(spec: Manifest) -> Usage:
    """Return the usage of a Pod. Source: podComputeUsageHelper."""
    usage: Usage = {"pods": "1"}
    for name, amount in charged(spec, "requests").items():
        usage[f"requests.{name}"] = amount
        if name in _CONTAINER_RESOURCES or name.startswith(HUGE_PAGES):
            usage[name] = amount
    for name, amount in charged(spec, "limits").items():
        if name in _CONTAINER_RESOURCES:
            usage[f"limits.{name}"] = amount
    return usage


def _has_ended(pod: Manifest) -> bool:
    return part(pod, "status").get("phase") in ("Succeeded", "Failed")


class Spending:
    """The usage of a quota, updated when objects are created, changed or deleted."""

    def __init__(self, quota: Manifest, counted: Mapping[str, str] | None = None) -> None:
        """Create an empty usage. `counted` maps other kinds to the names of their object counts."""
        self.quota, self.hard, self.counted = quota, part(part(quota, "spec"), "hard"), counted or {}
        self._used: dict[tuple[str, str], list[int]] = {}  # (name, format) → the amount, and the number of objects

    @property
    def kinds(self) -> list[str]:
        """Return the kinds that the quota counts."""
        if not self.hard:
            return []
        named = [kind for kind in _NAMES if kind in _WITH_MORE or any(n in self.hard for n in _NAMES[kind])]
        return [*named, *self.counted]

    def change(self, kind: str, old: Manifest | None, new: Manifest | None) -> None:
        """Update the usage after an object was created (`old` is None), changed or deleted (`new` is None)."""
        counted = self.counted.get(kind, "")
        if not (is_known(kind) or counted) or (old is not None and new is not None and _costs_the_same(old, new)):
            return
        for sign, value in ((-1, old), (1, new)):
            if value is None or not _is_in_scope(self.quota, kind, value):
                continue
            for name, amount in used_by(kind, value, counted).items():
                if name in self.hard and nano(amount):
                    found = self._used.setdefault((name, form(amount)), [0, 0])
                    found[0] += sign * nano(amount)
                    found[1] += sign

    def copy(self) -> "Spending":
        made = Spending(self.quota, self.counted)
        made._used = {name: list(found) for name, found in self._used.items()}
        return made

    def used(self, name: str) -> Quantity:
        """Return the usage of a name, in a deterministic format if objects use several."""
        found = [(each, self._used.get((name, each), (0, 0))) for each in _FORMS]
        return Quantity(
            sum(amount for _, (amount, _) in found), next((each for each, (_, n) in found if n), DECIMAL_SI)
        )

    @property
    def status(self) -> dict[str, Any]:
        """Return the status that the quota controller writes."""
        return {"hard": dict(self.hard), "used": {name: written(self.used(name)) for name in sorted(self.hard)}}


def _costs_the_same(old: Manifest, new: Manifest) -> bool:
    if _has_ended(old) != _has_ended(new) or part(old, "status").get("qosClass") != part(new, "status").get("qosClass"):
        return False
    return old.get("spec") is new.get("spec") or old.get("spec") == new.get("spec")


def spending(quota: Manifest, lists: Any, counted: Mapping[str, str] | None = None) -> Spending:
    """Return the usage of a quota. `lists(kind, namespace)` returns the objects; `counted`: see `Spending`."""
    used = Spending(quota, counted)
    for kind in used.kinds:
        for each in lists(kind, str(quota["metadata"].get("namespace", ""))):
            used.change(kind, None, each)
    return used


def problem(kind: str, value: Manifest, live: Manifest | None, quotas: Iterable[Manifest], counted: str = "") -> str:
    """Return the message of a quota that the object exceeds, or "".

    `live` is the version before an update. The quotas must have their status; a limit without a status does not apply
    yet.
    """
    if not (is_known(kind) or counted):
        return ""
    matching = [
        each
        for each in sorted(quotas, key=_name)
        if part(part(each, "status"), "hard") and _is_in_scope(each, kind, value)
    ]
    if not matching:
        return ""
    delta = _delta(kind, value, live, counted)
    if live is not None and not _is_counted_again(kind, delta):
        return ""
    for quota in matching:
        unsaid = _unsaid(value, part(part(quota, "status"), "hard")) if live is None and kind == "Pod" else ""
        if unsaid:
            return f"failed quota: {_name(quota)}: must specify {unsaid}"
        if uncounted := _uncounted(kind, quota, counted):
            return f"status unknown for quota: {_name(quota)}, resources: {','.join(uncounted)}"
    return next((exceeded for quota in matching if (exceeded := _exceeded(quota, delta))), "")


def charges(
    kind: str, value: Manifest, live: Manifest | None, quotas: Iterable[Manifest], counted: str = ""
) -> list[dict[str, Any]]:
    """Return the quotas whose usage grows by this write, with the new status.

    Only the quota controller lowers the usage.
    """
    charged_quotas = []
    delta = _delta(kind, value, live, counted) if is_known(kind) or counted else {}
    for quota in sorted(quotas, key=_name) if any(each.nano for each in delta.values()) else ():
        status = part(quota, "status")
        hard, used = part(status, "hard"), part(status, "used")
        more = {name: amount for name, amount in delta.items() if amount.nano and name in hard}
        if not more or not _is_in_scope(quota, kind, value):
            continue
        spent = {**used, **{name: written(added(used.get(name, 0), each)) for name, each in more.items()}}
        charged_quotas.append({**quota, "status": {**status, "used": dict(sorted(spent.items()))}})
    return charged_quotas


def _is_counted_again(kind: str, delta: Mapping[str, Quantity]) -> bool:
    """Return True if updates of the kind change its usage: resizes of Pods, and a few other kinds.

    Source: the evaluators' Handles.
    """
    return kind in _WITH_MORE and (kind != "Pod" or any(each.nano for each in delta.values()))


def _delta(kind: str, value: Manifest, live: Manifest | None, counted: str) -> dict[str, Quantity]:
    """Return the usage that this write adds. Source: SubtractWithNonNegativeResult."""
    before = used_by(kind, live, counted) if live is not None else {}
    return {
        name: Quantity(max(0, nano(amount) - nano(before.get(name, 0))), form(amount))
        for name, amount in used_by(kind, value, counted).items()
    }


def _uncounted(kind: str, quota: Manifest, counted: str) -> list[str]:
    """Return the limited names if the usage of one of them isn't known yet. Source: hasUsageStats."""
    limited = [
        name for name in sorted(part(part(quota, "status"), "hard")) if name == counted or _is_counted(kind, name)
    ]
    used = part(part(quota, "status"), "used")
    return limited if any(name not in used for name in limited) else []


def _is_counted(kind: str, name: str) -> bool:
    """Return True if objects of a kind use the name. Source: the evaluators' MatchingResources."""
    if name in _NAMES.get(kind, ()):
        return True
    if kind == "Pod":
        _, _, requested = name.rpartition("requests.")
        of_container = name.removeprefix("requests.").removeprefix("limits.")
        return (
            of_container in _CONTAINER_RESOURCES
            or requested.startswith(HUGE_PAGES)
            or (requested != name and "/" in requested)
        )
    if kind == "Service":
        return name in ("services.nodeports", "services.loadbalancers")
    return kind == "PersistentVolumeClaim" and (name == "requests.storage" or _BY_CLASS in name)


def _exceeded(quota: Manifest, delta: Mapping[str, Quantity]) -> str:
    hard, used = part(part(quota, "status"), "hard"), part(part(quota, "status"), "used")
    over = [
        name
        for name in sorted(delta)
        if name in hard and delta[name].nano > 0 and nano(used.get(name, 0)) + delta[name].nano > nano(hard[name])
    ]
    if not over:
        return ""
    parts = [
        f"{word}: {','.join(f'{name}={written(amounts.get(name, 0))}' for name in over)}"
        for word, amounts in (("requested", delta), ("used", used), ("limited", hard))
    ]
    return f"exceeded quota: {_name(quota)}, {', '.join(parts)}"


def _unsaid(pod: Manifest, hard: Manifest) -> str:
    """Return the resources that containers of a limited Pod must specify. Source: podEvaluator.Constraints."""
    spec = part(pod, "spec")
    if resources(spec, "requests") or resources(spec, "limits"):
        return ""
    containers: Sequence[Manifest] = (*listed(spec, "containers"), *listed(spec, "initContainers"))
    missing = []
    for name in sorted(_MUST_BE_SAID & hard.keys()):
        which, _, resource = name.rpartition(".")
        lacking = {str(each.get("name")) for each in containers if resource not in resources(each, which or "requests")}
        if lacking:
            missing.append(f"{name} for: {','.join(sorted(lacking))}")
    return "; ".join(missing)


def _is_in_scope(quota: Manifest, kind: str, value: Manifest) -> bool:
    """Return True if the quota's scopes match. Only Pods have scopes. Source: generic.Matches, podMatchesScopeFunc."""
    spec = part(quota, "spec")
    wanted: list[Manifest] = [{"scopeName": each, "operator": "Exists"} for each in listed(spec, "scopes")]
    wanted += [each for each in listed(part(spec, "scopeSelector"), "matchExpressions") if isinstance(each, Mapping)]
    return all(kind == "Pod" and _fits(each, value) for each in wanted)


def _fits(scope: Manifest, pod: Manifest) -> bool:
    spec = part(pod, "spec")
    match scope.get("scopeName"):
        case "Terminating":
            return spec.get("activeDeadlineSeconds") is not None
        case "NotTerminating":
            return spec.get("activeDeadlineSeconds") is None
        case "BestEffort":
            return _quality(pod) == "BestEffort"
        case "NotBestEffort":
            return _quality(pod) != "BestEffort"
        case "PriorityClass":
            name = spec.get("priorityClassName")
            requirement = Requirement("PriorityClass", str(scope.get("operator")), tuple(listed(scope, "values")))
            return requirement.matches({"PriorityClass": name} if name else {})
        case "CrossNamespacePodAffinity":
            return any(
                _crosses_namespaces(part(part(spec, "affinity"), of)) for of in ("podAffinity", "podAntiAffinity")
            )
    return False


def _quality(pod: Manifest) -> str:
    return str(part(pod, "status").get("qosClass") or quality_of_service(part(pod, "spec")))


def _crosses_namespaces(affinity: Manifest) -> bool:
    terms = list(listed(affinity, "requiredDuringSchedulingIgnoredDuringExecution"))
    preferred = listed(affinity, "preferredDuringSchedulingIgnoredDuringExecution")
    terms += [part(each, "podAffinityTerm") for each in preferred if isinstance(each, Mapping)]
    return any(
        bool(each.get("namespaces")) or each.get("namespaceSelector") is not None
        for each in terms
        if isinstance(each, Mapping)
    )


def _name(quota: Manifest) -> str:
    return str(quota["metadata"]["name"])
