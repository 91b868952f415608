"""ResourceQuota: what a namespace may have in all.

Source: plugin/pkg/admission/resourcequota/controller.go, pkg/quota/v1.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from kubernetes_api.admission.amounts import added, nano, summed, written
from kubernetes_api.admission.world import World
from scheduler_core.objects.quantity import Quantity

Object = dict[str, Any]
Usage = dict[str, Any]

_NAMES: Mapping[str, tuple[str, str]] = {
    # kind: its own name in quotas, and the one that counts its objects
    "ConfigMap": ("configmaps", "count/configmaps"),
    "CronJob": ("", "count/cronjobs.batch"),
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
_REQUESTED = ("cpu", "memory", "ephemeral-storage")
COUNTED = frozenset(_NAMES)


def used_by(kind: str, value: Mapping[str, Any]) -> Usage:
    """What one object takes of each name that a quota may limit."""
    own, count = _NAMES[kind]
    usage: Usage = {count: "1"}
    spec = value.get("spec") or {}
    if kind == "Pod":
        if (value.get("status") or {}).get("phase") in ("Succeeded", "Failed"):
            return usage
        usage["pods"] = "1"
        for name, amount in summed(spec, "requests").items():
            usage[f"requests.{name}"] = amount
            if name in _REQUESTED:
                usage[name] = amount
        for name, amount in summed(spec, "limits").items():
            usage[f"limits.{name}"] = amount
        return usage
    if own:
        usage[own] = "1"
    if kind == "Service":
        usage["services.loadbalancers"] = "1" if spec.get("type") == "LoadBalancer" else "0"
        ports = len(spec.get("ports") or ())
        usage["services.nodeports"] = str(ports if spec.get("type") in ("NodePort", "LoadBalancer") else 0)
    if kind == "PersistentVolumeClaim":
        storage = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
        if storage:
            usage["requests.storage"] = storage
            if spec.get("storageClassName"):
                usage[f"{spec['storageClassName']}.storageclass.storage.k8s.io/requests.storage"] = storage
    return usage


def status(quota: Mapping[str, Any], world: World) -> Object:
    """A quota's status as its controller keeps it."""
    hard = (quota.get("spec") or {}).get("hard") or {}
    used: Usage = {}
    for kind in _NAMES if hard else ():
        if not any(name in hard for name in _NAMES[kind]) and kind not in ("Pod", "PersistentVolumeClaim", "Service"):
            continue
        for each in world.list(kind, quota["metadata"]["namespace"]):
            if kind == "Pod" and not _is_in_scope(quota, each):
                continue
            for name, amount in used_by(kind, each).items():
                if name in hard:
                    used[name] = added(used[name], amount) if name in used else amount
    return {"hard": dict(hard), "used": {name: written(used.get(name, "0")) for name in sorted(hard)}}


def problem(kind: str, value: Object, live: Mapping[str, Any] | None, world: World) -> str:
    """Why a quota does not let it in; "" if all do. What a status does not say yet is not limited."""
    if kind not in _NAMES:
        return ""
    usage = used_by(kind, value)
    before = used_by(kind, live) if live is not None else {}
    delta = {name: Quantity(nano(amount) - nano(before.get(name, 0)), _form(amount)) for name, amount in usage.items()}
    for quota in sorted(world.list("ResourceQuota", value["metadata"].get("namespace", "")), key=_name):
        found = quota.get("status") or {}
        hard = found.get("hard") or {}
        if not hard or (kind == "Pod" and not _is_in_scope(quota, value)):
            continue
        missing = _missing(kind, value, hard)
        if live is None and missing:
            return f"failed quota: {_name(quota)}: must specify {'; '.join(missing)}"
        exceeded = _exceeded(quota, hard, found.get("used") or {}, delta)
        if exceeded:
            return exceeded
    return ""


def _exceeded(quota: Mapping[str, Any], hard: Usage, used: Usage, delta: Usage) -> str:
    over = [
        name
        for name in sorted(delta)
        if name in hard and nano(delta[name]) > 0 and nano(used.get(name, 0)) + nano(delta[name]) > nano(hard[name])
    ]
    if not over:
        return ""
    parts = [
        f"{word}: {','.join(f'{name}={written(amounts.get(name, 0))}' for name in over)}"
        for word, amounts in (("requested", delta), ("used", used), ("limited", hard))
    ]
    return f"exceeded quota: {_name(quota)}, {', '.join(parts)}"


def _missing(kind: str, value: Object, hard: Usage) -> list[str]:
    """Amounts that a limited pod must tell. Source: podEvaluator.Constraints."""
    if kind != "Pod":
        return []
    found = []
    for name in sorted(hard):
        which, _, resource = (
            name.rpartition(".") if name.startswith(("requests.", "limits.")) else ("requests", "", name)
        )
        if resource not in ("cpu", "memory", "ephemeral-storage"):
            continue
        containers: Sequence[Mapping[str, Any]] = value["spec"].get("containers") or ()
        lacking = [
            str(each.get("name"))
            for each in containers
            if resource not in ((each.get("resources") or {}).get(which) or {})
        ]
        if lacking:
            found.append(f"{name} for: {','.join(lacking)}")
    return found


def _is_in_scope(quota: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    spec = quota.get("spec") or {}
    wanted = [{"scopeName": each, "operator": "Exists"} for each in spec.get("scopes") or ()]
    wanted += (spec.get("scopeSelector") or {}).get("matchExpressions") or []
    return all(_fits(each, pod) for each in wanted)


def _fits(scope: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    spec = pod.get("spec") or {}
    quality = (pod.get("status") or {}).get("qosClass")
    match scope.get("scopeName"):
        case "Terminating":
            return spec.get("activeDeadlineSeconds") is not None
        case "NotTerminating":
            return spec.get("activeDeadlineSeconds") is None
        case "BestEffort":
            return bool(quality == "BestEffort")
        case "NotBestEffort":
            return bool(quality != "BestEffort")
        case "PriorityClass":
            name, values = spec.get("priorityClassName") or "", scope.get("values") or ()
            by_operator = {"In": name in values, "NotIn": name not in values, "Exists": bool(name)}
            return by_operator.get(str(scope.get("operator")), not name)
    return False


def _form(amount: Any) -> str:
    return added(amount, 0).format


def _name(quota: Mapping[str, Any]) -> str:
    return str(quota["metadata"]["name"])
