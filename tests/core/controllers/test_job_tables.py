"""The job controller, held against upstream's own tables: `tables/job.json` names file and function of each case."""

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

import pytest

from kube_controllers.job import per_index, pod_failures
from kube_controllers.job.index_sets import IndexSet
from kube_controllers.pods import is_active
from kube_objects.manifests import format_time, uid
from tests.core.controllers.job_tables import sync
from tests.core.controllers.upstream_cases import differences, families_of


def failed_indexes(given: Any) -> Any:
    found = per_index.failed_indexes(given["job"], given["pods"])
    return list(chain.from_iterable(range(first, last + 1) for first, last in found.intervals))


def delayed(given: Any) -> Any:
    pods, job = given["pods"], given["job"]
    active = [pod for pod in pods if is_active(pod)]
    done = {
        int(pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"])
        for pod in pods
        if pod["status"].get("phase") == "Succeeded"
    }
    settled = IndexSet.of(done) | per_index.failed_indexes(job, pods)
    return sorted(uid(pod) for pod in per_index.failed_pods_to_replace(job, pods, active, settled).values())


def new_counts(given: Any) -> Any:
    found = per_index.new_counts(given["job"], given["pod"])
    return [int(found[per_index.FAILURES]), int(found.get(per_index.IGNORED, 0))]


def failure_count(given: Any) -> Any:
    return per_index.failure_count(given["pod"])


def success_policy(given: Any) -> Any:
    asked = {"completions": given["completions"], "successPolicy": given["policy"]}
    return per_index.success_policy({"spec": asked}, IndexSet.of(given["succeeded"]))


def finished_at(given: Any) -> Any:
    return pod_failures.finished_at(given["pod"])


def _left(until: float | None, now: float) -> float:
    return 0.0 if until is None else until - now


def remaining(given: Any) -> Any:
    until = pod_failures.wait_until(given["count"], given["last"], given["now"], given["first"], given["most"])
    return _left(until, given["now"])


def remaining_of_pod(given: Any) -> Any:
    count, last = per_index.next_failure_count(given["pod"]), pod_failures.finished_at(given["pod"])
    return _left(pod_failures.wait_until(count, last, given["now"], given["first"], given["most"]), given["now"])


def _ended(at: float, phase: str) -> dict[str, Any]:
    whole = format_time(at).removesuffix("Z")
    ended = {"terminated": {"finishedAt": f"{whole}.{round(at % 1 * 1e6):06d}Z"}}
    return {"status": {"phase": phase, "containerStatuses": [{"state": ended}]}}


def setback(given: Any) -> Any:
    succeeded, failed = (
        [_ended(at, phase) for at in given[field]]
        for field, phase in (("succeeded", "Succeeded"), ("failed", "Failed"))
    )
    found = pod_failures.FailureBackoff(*given["before"]).after(succeeded, failed)
    return [found.failures, found.last]


def creatable(given: Any) -> Any:
    replaced = {int(at): pod for at, pod in given["replaced"].items()}
    ready, until = per_index.creatable_indexes(given["wanted"], replaced, given["now"])
    return [ready, _left(until, given["now"])]


FAMILIES: Mapping[str, Callable[[Any], Any]] = {
    "job_sync": sync,
    "failed_indexes": failed_indexes,
    "delayed": delayed,
    "new_counts": new_counts,
    "failure_count": failure_count,
    "success_policy": success_policy,
    "finished_at": finished_at,
    "remaining": remaining,
    "remaining_of_pod": remaining_of_pod,
    "setback": setback,
    "creatable": creatable,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_of_upstreams_cases(family: str) -> None:
    assert differences("job", family, FAMILIES[family]) == []


def test_every_case_has_a_family() -> None:
    assert families_of("job") == set(FAMILIES)
