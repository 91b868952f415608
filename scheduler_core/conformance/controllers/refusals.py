"""What an API server does not take of workloads and budgets, as far as controllers depend on it.

All of it is in `kubernetes_api`, which the engine does not know. Source: pkg/apis/apps/validation,
pkg/apis/batch/validation, pkg/apis/policy/validation, pkg/apis/autoscaling/validation.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from scheduler_core.actors.manifests import Manifest, kind, scaled, spec
from scheduler_core.actors.selecting import UNSELECTED, selects_its_own
from scheduler_core.text.cron import ScheduleError, parse

_NOT_NEGATIVE = (
    "replicas",
    "minReadySeconds",
    "revisionHistoryLimit",
    "parallelism",
    "completions",
    "backoffLimit",
    "activeDeadlineSeconds",
    "ttlSecondsAfterFinished",
    "successfulJobsHistoryLimit",
    "failedJobsHistoryLimit",
    "startingDeadlineSeconds",
)
_NUMBER, _LONGEST_NUMBER = re.compile("[0-9]+"), 10
_BOTH = "are mutually exclusive"


def refusals(given: Manifest) -> Iterator[str]:
    """Path and rule of each problem."""
    for field in _NOT_NEGATIVE:
        value = spec(given).get(field)
        if isinstance(value, int) and value < 0:
            yield f"spec.{field}: must be greater than or equal to 0"
    found = _OF_KIND.get(kind(given))
    if found is not None:
        yield from found(spec(given))
    if kind(given) in _WITH_PODS and not selects_its_own(spec(given)):
        yield f"spec.template.metadata.labels: {UNSELECTED}"


def _policy(template: Any) -> str:
    return str(((template or {}).get("spec") or {}).get("restartPolicy") or "")


def _always(wanted: Manifest) -> Iterator[str]:
    if _policy(wanted.get("template")) not in ("", "Always"):
        yield 'spec.template.spec.restartPolicy: supported values: "Always"'


def _deployment(wanted: Manifest) -> Iterator[str]:
    yield from _always(wanted)
    strategy = wanted.get("strategy") or {}
    rolling = strategy.get("rollingUpdate")
    if strategy.get("type") == "Recreate" and rolling:
        yield "spec.strategy.rollingUpdate: may not be specified when strategy `type` is 'Recreate'"
    elif rolling and not _amount(rolling, "maxSurge", "25%") and not _amount(rolling, "maxUnavailable", "25%"):
        yield "spec.strategy.rollingUpdate.maxUnavailable: may not be 0 when `maxSurge` is 0"
    deadline = wanted.get("progressDeadlineSeconds")
    if deadline is not None and int(deadline) <= int(wanted.get("minReadySeconds") or 0):
        yield "spec.progressDeadlineSeconds: must be greater than minReadySeconds"


def _daemon_set(wanted: Manifest) -> Iterator[str]:
    yield from _always(wanted)
    rolling = (wanted.get("updateStrategy") or {}).get("rollingUpdate")
    if rolling:
        surge, unavailable = _amount(rolling, "maxSurge", 0), _amount(rolling, "maxUnavailable", 0)
        if bool(surge) == bool(unavailable) and (surge or "maxUnavailable" in rolling):
            yield "spec.updateStrategy.rollingUpdate: one of maxSurge and maxUnavailable has to be 0, and not both"


def _amount(rolling: Mapping[str, Any], field: str, otherwise: int | str) -> int:
    return scaled(rolling.get(field, otherwise), 100, round_up=True)


def _job(wanted: Manifest) -> Iterator[str]:
    if _policy(wanted.get("template")) not in ("OnFailure", "Never"):
        yield 'spec.template.spec.restartPolicy: valid values: "OnFailure", "Never"'
    is_indexed = wanted.get("completionMode") == "Indexed"
    if is_indexed and wanted.get("completions") is None:
        yield "spec.completions: when completion mode is Indexed"
    for field in ("backoffLimitPerIndex", "successPolicy"):
        if wanted.get(field) is not None and not is_indexed:
            yield f"spec.{field}: requires indexed completion mode"
    yield from _too_large_indexes(wanted)
    if wanted.get("maxFailedIndexes") is not None and wanted.get("backoffLimitPerIndex") is None:
        yield "spec.backoffLimitPerIndex: when maxFailedIndexes is specified"
    if wanted.get("podFailurePolicy") is not None and _policy(wanted.get("template")) != "Never":
        yield "spec.template.spec.restartPolicy: only Never is supported when podFailurePolicy is specified"


def _too_large_indexes(wanted: Manifest) -> Iterator[str]:
    """Source: validateIndexesFormat."""
    completions = int(wanted.get("completions") or 0)
    for at, rule in enumerate((wanted.get("successPolicy") or {}).get("rules") or ()):
        for found in _NUMBER.findall(str(rule.get("succeededIndexes") or "")):
            if completions and (len(found) > _LONGEST_NUMBER or int(found) >= completions):
                yield f'spec.successPolicy.rules[{at}].succeededIndexes: too large index: "{found}"'
                break


def _cron_job(wanted: Manifest) -> Iterator[str]:
    if "TZ" in str(wanted.get("schedule")):
        yield "spec.schedule: cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
    try:
        parse(str(wanted.get("schedule") or ""), wanted.get("timeZone"))
    except ScheduleError as error:
        yield f"spec.schedule: {error}"
    yield from _job((wanted.get("jobTemplate") or {}).get("spec") or {})


def _budget(wanted: Manifest) -> Iterator[str]:
    if wanted.get("minAvailable") is not None and wanted.get("maxUnavailable") is not None:
        yield f"spec: minAvailable and maxUnavailable {_BOTH}"


def _autoscaler(wanted: Manifest) -> Iterator[str]:
    least, most = wanted.get("minReplicas"), int(wanted.get("maxReplicas") or 0)
    if most < 1:
        yield "spec.maxReplicas: must be greater than 0"
    if least is not None and int(least) < 1:
        yield "spec.minReplicas: must be greater than or equal to 1"
    if most < int(least or 1):
        yield "spec.maxReplicas: must be greater than or equal to `minReplicas`"


_WITH_PODS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
_OF_KIND: Mapping[str, Callable[[Manifest], Iterator[str]]] = {
    "Deployment": _deployment,
    "ReplicaSet": _always,
    "ReplicationController": _always,
    "StatefulSet": _always,
    "DaemonSet": _daemon_set,
    "Job": _job,
    "CronJob": _cron_job,
    "PodDisruptionBudget": _budget,
    "HorizontalPodAutoscaler": _autoscaler,
}
