"""The completion indexes of Pods. Source: pkg/controller/job/indexed_job_utils.go."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from kube_controllers.job.index_sets import IndexSet
from kube_objects.manifests import Manifest, annotations

COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
UNKNOWN = -1
_VARIABLE = "JOB_COMPLETION_INDEX"
_MOST_OF_NAME = 58  # a random suffix follows. Source: names.MaxGeneratedNameLength


def index_of(pod: Manifest) -> int:
    """Source: getCompletionIndex."""
    text = annotations(pod).get(COMPLETION_INDEX, "")
    return int(text) if text.isascii() and text.isdigit() else UNKNOWN


def name_prefix(job: str, index: int) -> str:
    """Source: podGenerateNameWithIndex."""
    end = f"-{index}-"
    return job[: _MOST_OF_NAME - len(end)] + end


def with_index_variable(pod_spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the Pod spec with an environment variable for the index. Source: addCompletionIndexEnvVariables."""
    source = {"fieldRef": {"apiVersion": "v1", "fieldPath": f"metadata.labels['{COMPLETION_INDEX}']"}}
    made = dict(pod_spec)
    for field in ("initContainers", "containers"):
        if pod_spec.get(field):
            made[field] = [
                _with_variable(container, {"name": _VARIABLE, "valueFrom": source}) for container in pod_spec[field]
            ]
    return made


def _with_variable(container: Mapping[str, Any], variable: Mapping[str, Any]) -> Mapping[str, Any]:
    known = container.get("env") or ()
    if any(variable_.get("name") == _VARIABLE for variable_ in known):
        return container
    return {**container, "env": [*known, variable]}


def first_pending_indexes(count: int, completions: int, taken: IndexSet) -> list[int]:
    """Return the lowest indexes that are neither done nor running. Source: firstPendingIndexes."""
    return list(islice(taken.missing(completions), max(count, 0)))


def find_duplicates(pods: Sequence[Manifest], completions: int) -> tuple[list[Manifest], list[Manifest]]:
    """Return the Pods to delete because another one has the same index, and the others.

    `pods` are in deletion order. Source: appendDuplicatedIndexPodsForRemoval.
    """
    surplus, left = [], []
    by_index: dict[int, list[Manifest]] = {}
    for pod in pods:
        by_index.setdefault(index_of(pod), []).append(pod)
    for index, same_index in sorted(by_index.items()):
        if index == UNKNOWN or index >= completions:
            surplus += same_index
        else:
            surplus += same_index[:-1]
            left.append(same_index[-1])
    return surplus, left
