"""What an API server would not take of a write, and what it leaves out of it.

Source: pkg/registry (strategies), pkg/apis/apps/validation, pkg/apis/batch/validation.
"""

from collections.abc import Mapping
from typing import Any

from scheduler_core.actors.api import Refused
from scheduler_core.actors.manifests import Manifest, kind, name, spec, status, with_spec
from scheduler_core.admission import updates
from scheduler_core.conformance.controllers.refusals import refusals

# Kinds whose status is written by a subresource alone.
_WITH_STATUS = frozenset(
    (
        "CronJob",
        "DaemonSet",
        "Deployment",
        "HorizontalPodAutoscaler",
        "Job",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "Pod",
        "PodDisruptionBudget",
        "ReplicaSet",
        "ReplicationController",
        "ResourceQuota",
        "Service",
        "StatefulSet",
    )
)
_FIXED: Mapping[str, tuple[str, ...]] = {
    "DaemonSet": ("selector",),
    "Deployment": ("selector",),
    "ReplicaSet": ("selector",),
    "Job": (
        "selector",
        "completionMode",
        "podFailurePolicy",
        "backoffLimitPerIndex",
        "managedBy",
        "successPolicy",
        "podReplacementPolicy",
    ),
}
_MAY_CHANGE_OF_PODS = (
    "containers",
    "initContainers",
    "ephemeralContainers",
    "tolerations",
    "activeDeadlineSeconds",
    "terminationGracePeriodSeconds",
    "schedulingGates",
)
_MAY_CHANGE_OF_GATED_PODS = ("nodeSelector", "affinity")
_MAY_CHANGE_OF_TEMPLATES = ("nodeSelector", "affinity", "tolerations", "schedulingGates")


def as_created(given: Manifest) -> Manifest:
    """Without a status, which is for others to write; a node's stays. Raises Refused."""
    given = _without_disabled(given)
    _judge(given)
    if kind(given) == "Node" or kind(given) not in _WITH_STATUS or "status" not in given:
        return given
    return {field: value for field, value in given.items() if field != "status"}


def as_written(before: Manifest, given: Manifest, subresource: str) -> Manifest:
    """What is taken of a write. Raises Refused."""
    if subresource == "status":
        return {**before, "status": dict(status(given))}
    if kind(before) in _WITH_STATUS:
        own_status = {"status": before["status"]} if "status" in before else {}
        given = {**{field: value for field, value in given.items() if field != "status"}, **own_status}
    given = _without_disabled(given)
    for path in _changed_for_ever(before, given):
        raise Refused(f'{kind(before)} "{name(before)}" is invalid: {path}: field is immutable', "Invalid")
    _judge(given)
    return given


def _without_disabled(given: Manifest) -> Manifest:
    """Without the field of a gate that is off by default, which an API server drops before it looks at it.

    Source: dropStatefulSetDisabledFields.
    """
    strategy = spec(given).get("updateStrategy") or {} if kind(given) == "StatefulSet" else {}
    if "maxUnavailable" not in (strategy.get("rollingUpdate") or {}):
        return given
    rolling = {field: value for field, value in strategy["rollingUpdate"].items() if field != "maxUnavailable"}
    left = {field: value for field, value in strategy.items() if field != "rollingUpdate"}
    return with_spec(given, updateStrategy={**left, "rollingUpdate": rolling} if rolling else left)


def _judge(given: Manifest) -> None:
    for problem in refusals(given):
        raise Refused(f'The {kind(given)} "{name(given)}" is invalid: {problem}', "Invalid")


def _changed_for_ever(before: Manifest, after: Manifest) -> list[str]:
    then, now = spec(before), spec(after)
    changed = {field for field in [*then, *now] if then.get(field) != now.get(field)}
    found = [f"spec.{field}" for field in _FIXED.get(kind(before), ()) if field in changed]
    if kind(before) == "Pod":
        allowed = _MAY_CHANGE_OF_PODS + (_MAY_CHANGE_OF_GATED_PODS if then.get("schedulingGates") else ())
        found += [f"spec.{field}" for field in sorted(changed.difference(allowed))]
    if kind(before) == "StatefulSet":
        found += [f"spec.{field}" for field in sorted(changed.difference(updates.STATEFUL_SET_FIELDS))]
    if kind(before) == "Job":
        if "template" in changed and not _may_change_template(before, then.get("template"), now.get("template")):
            found.append("spec.template")
        if "completions" in changed and not (
            then.get("completionMode") == "Indexed" and now.get("completions") == now.get("parallelism")
        ):
            found.append("spec.completions")
    return found


def _may_change_template(job: Manifest, then: Any, now: Any) -> bool:
    """Of a job that is suspended and has not started, where its pods may go. Source: jobStrategy.ValidateUpdate."""
    if not spec(job).get("suspend") or status(job).get("startTime") is not None:
        return False
    return bool(_fixed_part(then) == _fixed_part(now))


def _fixed_part(template: Any) -> Any:
    given = dict(template or {})
    about = dict(given.pop("metadata", None) or {})
    for field in ("labels", "annotations"):
        about.pop(field, None)
    pod_spec = {key: one for key, one in (given.get("spec") or {}).items() if key not in _MAY_CHANGE_OF_TEMPLATES}
    return {**given, "metadata": about, "spec": pod_spec}
