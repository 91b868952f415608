"""Completion indexes of pods. Source: pkg/controller/job/indexed_job_utils.go."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from kube_controllers.job.index_sets import IndexSet
from kube_objects.manifests import Manifest, annotations

COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
UNKNOWN = -1
_VARIABLE = "JOB_COMPLETION_INDEX"
_MOST_OF_NAME = 58  # what is drawn follows. Source: names.MaxGeneratedNameLength


def index_of(pod: Manifest) -> int:
    """Source: getCompletionIndex."""
    text = annotations(pod).get(COMPLETION_INDEX, "")
    return int(text) if text.isascii() and text.isdigit() else UNKNOWN


def name_prefix(job: str, index: int) -> str:
    """Source: podGenerateNameWithIndex."""
    end = f"-{index}-"
    return job[: _MOST_OF_NAME - len(end)] + end


def with_index_variable(pod_spec: Mapping[str, Any]) -> dict[str, Any]:
    """Each container can read the pod's index. Source: addCompletionIndexEnvVariables."""
    source = {"fieldRef": {"apiVersion": "v1", "fieldPath": f"metadata.labels['{COMPLETION_INDEX}']"}}
    made = dict(pod_spec)
    for field in ("initContainers", "containers"):
        if pod_spec.get(field):
            made[field] = [_with_variable(one, {"name": _VARIABLE, "valueFrom": source}) for one in pod_spec[field]]
    return made


def _with_variable(container: Mapping[str, Any], variable: Mapping[str, Any]) -> Mapping[str, Any]:
    known = container.get("env") or ()
    if any(one.get("name") == _VARIABLE for one in known):
        return container
    return {**container, "env": [*known, variable]}


def first_pending(count: int, completions: int, taken: IndexSet) -> list[int]:
    """Return the lowest indexes that are neither done nor at work. Source: firstPendingIndexes."""
    return list(islice(taken.missing(completions), max(count, 0)))


def duplicates(pods: Sequence[Manifest], completions: int) -> tuple[list[Manifest], list[Manifest]]:
    """Those to remove since another of the same index is there, and the others.

    Source: appendDuplicatedIndexPodsForRemoval; `pods` in the order in which the first ones may go.
    """
    gone, left = [], []
    by_index: dict[int, list[Manifest]] = {}
    for pod in pods:
        by_index.setdefault(index_of(pod), []).append(pod)
    for index, found in sorted(by_index.items()):
        if index == UNKNOWN or index >= completions:
            gone += found
        else:
            gone += found[:-1]
            left.append(found[-1])
    return gone, left
