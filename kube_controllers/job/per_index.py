"""A backoff limit for each index: which indexes have failed, and which failed pods wait for those that replace them.

Source: pkg/controller/job/indexed_job_utils.go, backoff_utils.go.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from kube_controllers.job import failures, indexes
from kube_controllers.job.index_sets import IndexSet
from kube_controllers.pods import phase
from kube_objects.manifests import Manifest, annotations, finalizers, is_deleted, spec, status

FINALIZER = "batch.kubernetes.io/job-tracking"
FAILURES = "batch.kubernetes.io/job-index-failure-count"
IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count"
_MOST = 2**31 - 1


def has_limit(job: Manifest) -> bool:
    return spec(job).get("backoffLimitPerIndex") is not None


def only_replaces_failed(job: Manifest) -> bool:
    """Source: onlyReplaceFailedPods."""
    return spec(job).get("podReplacementPolicy") == "Failed" or spec(job).get("podFailurePolicy") is not None


def is_pod_failed(pod: Manifest, job: Manifest) -> bool:
    """Source: isPodFailed: who is deleted before it ends has failed, too, unless only failed pods are replaced."""
    if phase(pod) == "Failed":
        return True
    return not only_replaces_failed(job) and is_deleted(pod) and phase(pod) != "Succeeded"


def is_tracked(pod: Manifest) -> bool:
    """Whether it was not counted yet."""
    return FINALIZER in finalizers(pod)


def failure_count(pod: Manifest) -> int:
    """Source: getIndexFailureCount."""
    return _count(pod, FAILURES)


def absolute_failure_count(pod: Manifest) -> int:
    """Source: getIndexAbsoluteFailureCount."""
    return _count(pod, FAILURES) + _count(pod, IGNORED)


def _count(pod: Manifest, annotation: str) -> int:
    try:
        found = int(annotations(pod).get(annotation, 0))
    except ValueError:
        return 0
    return found if 0 <= found <= _MOST else 0


def new_counts(job: Manifest, replaced: Manifest | None) -> dict[str, str]:
    """The annotations of a pod that replaces another one of its index. Source: addIndexFailureCountAnnotation."""
    failed, ignored = 0, 0
    if replaced is not None:
        failed, ignored = _count(replaced, FAILURES), _count(replaced, IGNORED)
        if failures.match_policy(spec(job).get("podFailurePolicy"), replaced).counts:
            failed += 1
        else:
            ignored += 1
    return {FAILURES: str(failed)} | ({IGNORED: str(ignored)} if ignored else {})


def failed_indexes(job: Manifest, pods: Iterable[Manifest]) -> IndexSet:
    """Those that had failed before, and those that do now. Source: calculateFailedIndexes."""
    completions = int(spec(job).get("completions") or 0)
    failed_now = (
        at
        for pod in pods
        if indexes.UNKNOWN < (at := indexes.index_of(pod)) < completions and is_tracked(pod) and _fails(job, pod)
    )
    return IndexSet.parse(status(job).get("failedIndexes") or "", completions) | IndexSet.of(failed_now)


def _fails(job: Manifest, pod: Manifest) -> bool:
    """Source: isIndexFailed."""
    if not is_pod_failed(pod, job):
        return False
    match = failures.match_policy(spec(job).get("podFailurePolicy"), pod)
    return match.action == "FailIndex" or (
        match.counts and failure_count(pod) >= int(spec(job)["backoffLimitPerIndex"])
    )


def delayed(
    job: Manifest, pods: Sequence[Manifest], active: Iterable[Manifest], settled: IndexSet
) -> dict[int, Manifest]:
    """Failed pods that stay until they are replaced, so that those know how often their index has failed.

    `settled` are the indexes that have succeeded or failed. Source: getPodsWithDelayedDeletionPerIndex.
    """
    completions = int(spec(job).get("completions") or 0)
    at_work = {indexes.index_of(pod) for pod in active}
    found: dict[int, Manifest] = {}
    for pod in pods:
        at = indexes.index_of(pod)
        if not (indexes.UNKNOWN < at < completions and is_tracked(pod) and is_pod_failed(pod, job)):
            continue
        if at in settled or at in at_work:
            continue
        before = found.get(at)
        if before is None or (
            absolute_failure_count(before) <= absolute_failure_count(pod)
            and failures.finished_at(pod) >= failures.finished_at(before)
        ):
            found[at] = pod
    return found


def creatable(wanted: Sequence[int], replaced: dict[int, Manifest], now: float) -> tuple[list[int], float | None]:
    """The indexes whose pods may be created now; if there are none, when the first one may.

    Source: getPodCreationInfoForIndependentIndexes.
    """
    ready, times = [], []
    for at in wanted:
        until = _wait_until(replaced.get(at), now)
        if until is None:
            ready.append(at)
        else:
            times.append(until)
    return ready, None if ready else min(times, default=None)


def _wait_until(replaced: Manifest | None, now: float) -> float | None:
    """Source: getRemainingTimePerIndex."""
    if replaced is None:
        return None
    return failures.wait_until(failures_with(replaced), failures.finished_at(replaced), now)


def failures_with(pod: Manifest) -> int:
    """How often its index has failed, this time among them."""
    return absolute_failure_count(pod) + 1


def success_policy(job: Manifest, succeeded: IndexSet) -> str | None:
    """What a rule of the success policy that is met is told as. Source: pkg/controller/job/success_policy.go."""
    policy: dict[str, Any] | None = spec(job).get("successPolicy")
    if not policy or not succeeded:
        return None
    completions = int(spec(job).get("completions") or 0)
    for at, rule in enumerate(policy.get("rules") or ()):
        count = rule.get("succeededCount")
        if rule.get("succeededIndexes") is not None:
            wanted = IndexSet.parse(str(rule["succeededIndexes"]), completions)
            met = wanted.count_common(succeeded)
            if wanted and (met == len(wanted) or (count is not None and met >= int(count))):
                return f"Matched rules at index {at}"
        elif count is not None and len(succeeded) >= int(count):
            return f"Matched rules at index {at}"
    return None
