"""The backoff limit per index: failed indexes, and failed Pods that wait for their replacement.

Source: pkg/controller/job/indexed_job_utils.go, backoff_utils.go.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from kube_controllers.job import indexes, pod_failures
from kube_controllers.job.index_sets import IndexSet
from kube_controllers.pods import phase
from kube_objects.manifests import Manifest, annotations, finalizers, is_deleted, spec, status

FINALIZER = "batch.kubernetes.io/job-tracking"
FAILURES = "batch.kubernetes.io/job-index-failure-count"
IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count"
_MOST = 2**31 - 1


def has_limit_per_index(job: Manifest) -> bool:
    return spec(job).get("backoffLimitPerIndex") is not None


def only_replaces_failed(job: Manifest) -> bool:
    """Source: onlyReplaceFailedPods."""
    return spec(job).get("podReplacementPolicy") == "Failed" or spec(job).get("podFailurePolicy") is not None


def is_pod_failed(pod: Manifest, job: Manifest) -> bool:
    """Return whether the Pod failed. A deleted Pod counts, too, unless only failed Pods are replaced. Source:
    isPodFailed.
    """
    if phase(pod) == "Failed":
        return True
    return not only_replaces_failed(job) and is_deleted(pod) and phase(pod) != "Succeeded"


def is_tracked(pod: Manifest) -> bool:
    """Return whether the Pod is not counted yet."""
    return FINALIZER in finalizers(pod)


def failure_count(pod: Manifest) -> int:
    """Source: getIndexFailureCount."""
    return _count(pod, FAILURES)


def absolute_failure_count(pod: Manifest) -> int:
    """Source: getIndexAbsoluteFailureCount."""
    return _count(pod, FAILURES) + _count(pod, IGNORED)


def _count(pod: Manifest, annotation: str) -> int:
    try:
        count = int(annotations(pod).get(annotation, 0))
    except ValueError:
        return 0
    return count if 0 <= count <= _MOST else 0


def new_counts(job: Manifest, replaced: Manifest | None) -> dict[str, str]:
    """Return the annotations of a Pod that replaces another one of its index. Source:
    addIndexFailureCountAnnotation.
    """
    failed, ignored = 0, 0
    if replaced is not None:
        failed, ignored = _count(replaced, FAILURES), _count(replaced, IGNORED)
        if pod_failures.match_policy(spec(job).get("podFailurePolicy"), replaced).counts:
            failed += 1
        else:
            ignored += 1
    return {FAILURES: str(failed)} | ({IGNORED: str(ignored)} if ignored else {})


def failed_indexes(job: Manifest, pods: Iterable[Manifest]) -> IndexSet:
    """Return the indexes that failed before or now. Source: calculateFailedIndexes."""
    completions = int(spec(job).get("completions") or 0)
    failed_now = (
        index
        for pod in pods
        if indexes.UNKNOWN < (index := indexes.index_of(pod)) < completions and is_tracked(pod) and _fails(job, pod)
    )
    return IndexSet.parse(status(job).get("failedIndexes") or "", completions) | IndexSet.of(failed_now)


def _fails(job: Manifest, pod: Manifest) -> bool:
    """Source: isIndexFailed."""
    if not is_pod_failed(pod, job):
        return False
    match = pod_failures.match_policy(spec(job).get("podFailurePolicy"), pod)
    return match.action == "FailIndex" or (
        match.counts and failure_count(pod) >= int(spec(job)["backoffLimitPerIndex"])
    )


def failed_pods_to_replace(
    job: Manifest, pods: Sequence[Manifest], active: Iterable[Manifest], settled: IndexSet
) -> dict[int, Manifest]:
    """Return the failed Pods by index that stay until their replacement takes over the failure counts.

    `settled` are the indexes that succeeded or failed. Source: getPodsWithDelayedDeletionPerIndex.
    """
    completions = int(spec(job).get("completions") or 0)
    running = {indexes.index_of(pod) for pod in active}
    waiting: dict[int, Manifest] = {}
    for pod in pods:
        index = indexes.index_of(pod)
        if not (indexes.UNKNOWN < index < completions and is_tracked(pod) and is_pod_failed(pod, job)):
            continue
        if index in settled or index in running:
            continue
        before = waiting.get(index)
        if before is None or (
            absolute_failure_count(before) <= absolute_failure_count(pod)
            and pod_failures.finished_at(pod) >= pod_failures.finished_at(before)
        ):
            waiting[index] = pod
    return waiting


def creatable_indexes(
    wanted: Sequence[int], replaced: dict[int, Manifest], now: float
) -> tuple[list[int], float | None]:
    """Return the indexes whose Pods may be created now, or the time of the first one.

    Source: getPodCreationInfoForIndependentIndexes.
    """
    ready, times = [], []
    for index in wanted:
        not_before = _wait_until(replaced.get(index), now)
        if not_before is None:
            ready.append(index)
        else:
            times.append(not_before)
    return ready, None if ready else min(times, default=None)


def _wait_until(replaced: Manifest | None, now: float) -> float | None:
    """Source: getRemainingTimePerIndex."""
    if replaced is None:
        return None
    return pod_failures.wait_until(next_failure_count(replaced), pod_failures.finished_at(replaced), now)


def next_failure_count(pod: Manifest) -> int:
    """Return the number of failures of the Pod's index, with this one."""
    return absolute_failure_count(pod) + 1


def success_policy(job: Manifest, succeeded: IndexSet) -> str | None:
    """Return the message of the first met rule of the success policy. Source: pkg/controller/job/success_policy.go."""
    policy: dict[str, Any] | None = spec(job).get("successPolicy")
    if not policy or not succeeded:
        return None
    completions = int(spec(job).get("completions") or 0)
    for index, rule in enumerate(policy.get("rules") or ()):
        count = rule.get("succeededCount")
        if rule.get("succeededIndexes") is not None:
            wanted = IndexSet.parse(str(rule["succeededIndexes"]), completions)
            met = wanted.count_common(succeeded)
            if wanted and (met == len(wanted) or (count is not None and met >= int(count))):
                return f"Matched rules at index {index}"
        elif count is not None and len(succeeded) >= int(count):
            return f"Matched rules at index {index}"
    return None
