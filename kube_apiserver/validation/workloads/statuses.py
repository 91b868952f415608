"""Validation of status updates of workloads: counts are not negative and not larger than their totals.

Source: ValidateDeploymentStatus and its siblings of pkg/apis/apps, batch, core and policy validation.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import conditions
from kube_apiserver.validation.workloads import job_policies

Object = Mapping[str, Any]

_SUCCESS = "SuccessCriteriaMet"
_MORE = "cannot be greater than status.replicas"


@dataclass(frozen=True, slots=True)
class _Counts:
    """The count fields of a status, in upstream's order.

    `parts` may not exceed `replicas`, nor `availableReplicas` `readyReplicas`.
    """

    numbers: Sequence[str]
    parts: Sequence[str] = ()
    than_ready: str = ""
    has_collisions: bool = False


_SETS = ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration")
_OF_SETS = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
_COUNTS: Mapping[str, _Counts] = {
    "DaemonSet": _Counts(
        (
            "currentNumberScheduled",
            "numberMisscheduled",
            "desiredNumberScheduled",
            "numberReady",
            "observedGeneration",
            "updatedNumberScheduled",
            "numberAvailable",
            "numberUnavailable",
            "collisionCount",
        ),
        has_collisions=True,
    ),
    "Deployment": _Counts(
        (
            "observedGeneration",
            "replicas",
            "updatedReplicas",
            "readyReplicas",
            "availableReplicas",
            "unavailableReplicas",
            "terminatingReplicas",
            "collisionCount",
        ),
        ("updatedReplicas", "readyReplicas", "availableReplicas"),
        "readyReplicas",
        has_collisions=True,
    ),
    "PodDisruptionBudget": _Counts(("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")),
    "ReplicaSet": _Counts((*_SETS, "terminatingReplicas"), _OF_SETS, "readyReplicas"),
    "ReplicationController": _Counts(_SETS, _OF_SETS, "readyReplicas"),
    "StatefulSet": _Counts(
        (
            "replicas",
            "readyReplicas",
            "currentReplicas",
            "updatedReplicas",
            "availableReplicas",
            "observedGeneration",
            "collisionCount",
        ),
        ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"),
        "status.readyReplicas",
        has_collisions=True,
    ),
}
KINDS = frozenset([*_COUNTS, "Job", "Namespace"])


def validate_status_update(kind: str, live: Object, value: Object) -> Iterator[Cause]:
    was, is_now = (each.get("status") or {} for each in (live, value))
    if kind == "Job":
        yield from _validate_job_status(value.get("spec") or {}, was, is_now)
    elif kind == "Namespace":
        yield from _validate_namespace_phase(value, is_now)
    else:
        if kind == "PodDisruptionBudget":
            yield from conditions.validate_conditions(is_now.get("conditions") or (), "status.conditions")
        yield from _validate_counts(_COUNTS[kind], was, is_now)


def _validate_counts(counts: _Counts, was: Object, is_now: Object) -> Iterator[Cause]:
    for name in counts.numbers:
        if (is_now.get(name) or 0) < 0:
            yield causes.invalid(f"status.{name}", is_now[name], causes.NOT_NEGATIVE)
    for name in counts.parts:
        if (is_now.get(name) or 0) > (is_now.get("replicas") or 0):
            yield causes.invalid(f"status.{name}", is_now.get(name) or 0, _MORE)
    available = is_now.get("availableReplicas") or 0
    if counts.than_ready and available > (is_now.get("readyReplicas") or 0):
        yield causes.invalid("status.availableReplicas", available, f"cannot be greater than {counts.than_ready}")
    before, after = was.get("collisionCount"), is_now.get("collisionCount")
    if counts.has_collisions and before is not None and (after is None or after < before):
        yield causes.invalid("status.collisionCount", after or 0, "cannot be decremented")


def _validate_namespace_phase(value: Object, is_now: Object) -> Iterator[Cause]:
    phase, is_terminating = is_now.get("phase") or "", bool(value["metadata"].get("deletionTimestamp"))
    expected, message = ("Terminating", "is not empty") if is_terminating else ("Active", "is empty")
    if phase != expected:
        detail = f"may only be '{expected}' if `deletionTimestamp` {message}"
        yield causes.invalid("status.Phase", phase, detail)


def _validate_job_status(spec: Object, was: Object, is_now: Object) -> Iterator[Cause]:
    """Source: validateJobStatus, ValidateJobStatusUpdate."""
    for name in ("active", "succeeded", "failed", "ready", "terminating"):
        if (is_now.get(name) or 0) < 0:
            yield causes.invalid(f"status.{name}", is_now[name], causes.NOT_NEGATIVE)
    true = _list_true_conditions(is_now)
    yield from _validate_job_conditions(true, "Complete" in true, is_now)
    is_finished = bool(true & {"Complete", "Failed"})
    if is_finished and (is_now.get("active") or 0) > 0:
        yield causes.invalid("status.active", is_now["active"], "active>0 is invalid for finished job")
    if is_finished and is_now.get("startTime") is None:
        yield causes.required("status.startTime", "startTime is required for finished job")
    yield from _validate_job_indexes(spec, is_now)
    if is_finished and (is_now.get("terminating") or 0) > 0:
        yield causes.invalid("status.terminating", is_now["terminating"], "terminating>0 is invalid for finished job")
    ready = is_now.get("ready")
    if ready is not None and ready > (is_now.get("active") or 0):
        yield causes.invalid("status.ready", ready, "cannot set more ready pods than active")
    yield from _validate_success_conditions(spec, true)
    for name in ("Failed", "Complete", "FailureTarget"):
        if name in _list_true_conditions(was) and name not in true:
            yield causes.invalid_without_value(
                "status.conditions", f"cannot disable the terminal {name}=True condition"
            )
    for name in ("failed", "succeeded"):
        if (is_now.get(name) or 0) < (was.get(name) or 0):
            yield causes.invalid(f"status.{name}", is_now.get(name) or 0, f"cannot decrease the {name} counter")
    yield from _validate_job_times(spec, was, is_now)
    if _SUCCESS in _list_true_conditions(was) and _SUCCESS not in true:
        detail = f"cannot disable the {_SUCCESS}=True condition"
        yield causes.invalid_without_value("status.conditions", detail)
    if "Complete" in _list_true_conditions(was) and _SUCCESS not in _list_true_conditions(was) and _SUCCESS in true:
        detail = f"cannot set {_SUCCESS}=True for Job already has Complete=true conditions"
        yield causes.invalid_without_value("status.conditions", detail)


def _validate_success_conditions(spec: Object, true: set[str]) -> Iterator[Cause]:
    for name in ("Failed", "FailureTarget"):
        if {_SUCCESS, name} <= true:
            detail = f"cannot set {_SUCCESS}=True and {name}=true conditions"
            yield causes.invalid_without_value("status.conditions", detail)
    if spec.get("successPolicy") is not None and _SUCCESS not in true and "Complete" in true:
        detail = f"cannot set Complete=True for Job with SuccessPolicy unless {_SUCCESS}=True"
        yield causes.invalid_without_value("status.conditions", detail)


def _validate_job_times(spec: Object, was: Object, is_now: Object) -> Iterator[Cause]:
    ends, starts = ([each.get(name) for each in (was, is_now)] for name in ("completionTime", "startTime"))
    if None not in ends and ends[0] != ends[1]:
        yield causes.invalid("status.completionTime", ends[1], causes.IMMUTABLE)
    is_resuming = "Suspended" in _list_true_conditions(was) and "Suspended" not in _list_true_conditions(is_now)
    if starts[0] is not None and starts[0] != starts[1] and not spec.get("suspend") and not is_resuming:
        detail = "field is immutable for unsuspended job once set"
        yield causes.invalid("status.startTime", starts[1], detail)


def _list_true_conditions(status: Object) -> set[str]:
    return {str(each.get("type")) for each in status.get("conditions") or () if each.get("status") == "True"}


def _validate_job_conditions(true: set[str], is_complete: bool, is_now: Object) -> Iterator[Cause]:
    path, ended = "status.conditions", is_now.get("completionTime")
    if is_complete and "Failed" in true:
        yield causes.invalid_without_value(path, "cannot set Complete=True and Failed=true conditions")
    if is_complete and "FailureTarget" in true:
        yield causes.invalid_without_value(path, "cannot set Complete=True and FailureTarget=true conditions")
    if ended is not None and not is_complete:
        detail = "cannot set completionTime when there is no Complete=True condition"
        yield causes.invalid("status.completionTime", ended, detail)
    if ended is None and is_complete:
        yield causes.required("status.completionTime", "completionTime is required for Complete jobs")
    started = is_now.get("startTime")
    if started is not None and ended is not None and str(ended) < str(started):
        yield causes.invalid("status.completionTime", ended, "must be equal to or after `startTime`")
    if "Failed" in true and "FailureTarget" not in true:
        detail = "cannot set Failed=True condition without the FailureTarget=true condition"
        yield causes.invalid_without_value(path, detail)
    if is_complete and "SuccessCriteriaMet" not in true:
        detail = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        yield causes.invalid_without_value(path, detail)


def _validate_job_indexes(spec: Object, is_now: Object) -> Iterator[Cause]:
    done = str(is_now.get("completedIndexes") or "")
    if spec.get("completions") is not None:
        try:
            job_policies.count_indexes(done, spec["completions"])
        except ValueError as wrong:
            yield causes.invalid("status.completedIndexes", done, f"error parsing completedIndexes: {wrong}")
    if done and spec.get("completionMode") != "Indexed":
        detail = "cannot set non-empty completedIndexes when non-indexed completion mode"
        yield causes.invalid("status.completedIndexes", done, detail)
    if spec.get("backoffLimitPerIndex") is None and is_now.get("failedIndexes") is not None:
        detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        yield causes.invalid("status.failedIndexes", is_now["failedIndexes"], detail)
